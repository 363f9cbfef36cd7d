"""What is chosen on the page of the report is computed anew in the browser, to what the command line computes."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page

from tests.analysis.page.opened import Opened
from tests.browser import needs_chromium

pytestmark = needs_chromium


def test_ranks_of_what_is_chosen_are_those_of_the_command_line(opened: Opened, results: Path, some: Path) -> None:
    """Without an algorithm the others are ranked anew, in all dimensions and at all budgets, as the command does."""
    page = opened.page
    page.uncheck("#first-algorithms input[value='ADA-Kendall']")
    assert not page.is_checked("#ecdf-algorithms input[value='ADA-Kendall']")
    every = pd.read_csv(results / "tables" / "function_ranks.csv")
    budgets = page.locator("#first-budget option").evaluate_all("all => all.map(o => o.value)")
    assert budgets == ["25·D", "40·D"]  # #FE_t may be another among fewer
    ours = pd.read_csv(some / "function_ranks.csv")
    for D in (2, 3):
        page.select_option("#first-dimension", str(D))
        for budget in budgets:
            page.select_option("#first-budget", budget)
            page.select_option("#first-group", "all")
            of = every[
                (every["dimension"] == D) & (every["scenario"] == budget) & (every["algorithm"] != "ADA-Kendall")
            ]
            table = of.pivot(index="function", columns="algorithm", values="rank").rank(axis="columns")
            assert strip(page) == pytest.approx(table.mean().to_dict(), abs=0.005)
            command = ours[(ours["dimension"] == D) & (ours["scenario"] == budget)]
            for group, function in (("separable", 1), ("multimodal", 15)):
                page.select_option("#first-group", group)
                of_one = command[command["function"] == function].set_index("algorithm")["rank"].to_dict()
                assert strip(page) == pytest.approx(of_one, abs=0.005)
    page.check("#first-algorithms input[value='ADA-Kendall']")
    assert page.locator("#first-ranks circle").count() == 4
    assert opened.complaints == []


def test_functions_that_are_chosen(opened: Opened, results: Path, some: Path) -> None:
    """Curves and mean ranks over single functions are those of the command, and a group is the functions in it."""
    page = opened.page
    page.locator("details.choice summary").click()
    page.uncheck("#first-functions input[value='8']")
    assert page.locator("#first-group option:checked").inner_text() == "as below"
    every = pd.read_csv(results / "tables" / "function_ranks.csv")
    every = every[every["function"] != 8]
    pairs = [float(page.locator("#pair-chart circle").count())]
    for D, budget in ((2, "25·D"), (3, "40·D"), (2, "#FE_t"), (3, "#FE_t/3")):
        page.select_option("#first-dimension", str(D))
        page.select_option("#first-budget", budget)
        of = every[(every["dimension"] == D) & (every["scenario"] == budget)]
        assert strip(page) == pytest.approx(of.groupby("algorithm")["rank"].mean().to_dict(), abs=0.005)
    page.uncheck("#first-algorithms input[value='ADA-Kendall']")
    ranks = pd.read_csv(some / "mean_ranks.csv")
    proportions = pd.read_csv(some / "ecdf.csv")
    for D in (2, 3):
        page.select_option("#first-dimension", str(D))
        for budget in ("25·D", "40·D"):
            page.select_option("#first-budget", budget)
            of = ranks[(ranks["dimension"] == D) & (ranks["scenario"] == budget)]
            assert strip(page) == pytest.approx(of.set_index("algorithm")["mean_rank"].to_dict(), abs=0.005)
        of = proportions[(proportions["dimension"] == D) & (proportions["group"] == "all")]
        assert hovered(page, "first", of) > 10
    assert page.locator("#ert-table tbody th").all_inner_texts() == ["CMA-ES", "GP-5", "Theirs"]
    shares = pd.read_csv(some / "virtual_best_share.csv")
    table = page.locator("#ert-shares tbody tr:visible")
    assert table.count() == shares["algorithm"].nunique() == 3
    for row in table.all():
        name, *cells = row.locator("th, td").all_inner_texts()
        of = shares[shares["algorithm"] == name].sort_values("dimension")
        expected = np.array([100 * of["share"], 100 * of["reached"] / of["problems"], of["median_ratio"]]).T
        shown = np.array([float(text.replace("∞", "inf")) for text in cells]).reshape(-1, 3)
        assert shown[:, :2] == pytest.approx(expected[:, :2], abs=0.0501)
        assert shown[:, 2] == pytest.approx(expected[:, 2], abs=0.00501)
    page.select_option("#first-group", "multimodal")
    checked = page.locator("#first-functions input:checked").evaluate_all("all => all.map(box => box.value)")
    assert checked == ["15"]
    page.select_option("#ecdf-dimension", "3")
    page.select_option("#ecdf-group", "f15")  # the group has no other function here
    of = proportions[(proportions["dimension"] == 3) & (proportions["group"] == "multimodal")]
    assert hovered(page, "first", of) > 10
    assert hovered(page, "ecdf", of) > 10
    pairs.append(page.locator("#pair-chart circle").count())
    assert pairs[0] > pairs[1] > 0
    page.uncheck("#first-functions input[value='15']")
    assert "No function is chosen" in page.locator("#first-ranks").inner_text()
    page.select_option("#first-group", "all")
    assert page.locator("#first-functions input:checked").count() == 3
    assert opened.complaints == []


def strip(page: Page) -> dict[str, float]:
    """Return the mean ranks that the first screen shows, by algorithm."""
    shown = page.locator("#first-ranks rect title").all_text_contents()
    return {name: float(mean) for name, _, mean in (text.rpartition(": ") for text in shown)}


def hovered(page: Page, chart: str, proportions: pd.DataFrame) -> int:
    """Point at a chart from left to right; compare what it tells with a table, and return how many values are in it."""
    columns = ["evaluations_per_dimension", "proportion"]
    curves = {str(name): of[columns].to_numpy().T for name, of in proportions.groupby("algorithm")}
    over = page.locator(f"#{chart}-chart .u-over")
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    assert box
    there = 0
    for share in np.linspace(0.05, 0.95, 7):
        over.hover(position={"x": share * box["width"], "y": box["height"] / 2})
        where, *parts = page.locator(f"#{chart}-readout span").all_inner_texts()
        x = float(re.fullmatch(r"after (.*)·D:", where).group(1))  # type: ignore[union-attr]
        for name, _, value in (part.rpartition(" ") for part in parts):
            at, proportion = curves[name]
            n = np.searchsorted(at, x * (1 + 2e-4), side="right") - 1
            assert float(value) == pytest.approx(proportion[n] if n >= 0 else 0, abs=2e-4)
            there += 1
    return there
