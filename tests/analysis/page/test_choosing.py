"""What is chosen on the page of the report is computed anew in the browser, to what the command line computes."""

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page

from tests.analysis.page.opened import Opened
from tests.browser import needs_chromium
from tests.commands import blank_figures, sacma
from tests.conftest import CONFIGS

pytestmark = needs_chromium


def test_ranks_of_what_is_chosen_are_those_of_the_command_line(opened: Opened, results: Path, some: Path) -> None:
    """Without an algorithm the others are ranked anew, in all dimensions and at all budgets, as the command does."""
    page = opened.page
    page.uncheck("#first-algorithms input[value='ADA-Kendall']")
    assert not page.is_checked("#ecdf-algorithms input[value='ADA-Kendall']")
    every = pd.read_csv(results / "tables" / "function_ranks.csv")
    budgets = page.locator("#first-budget option:enabled").evaluate_all("all => all.map(o => o.value)")
    assert budgets == ["25·D", "40·D"]  # #FE_t may be another among fewer
    others = page.locator("#first-budget option:disabled").all_text_contents()
    assert others == ["#FEₜ/3: of all algorithms and instances", "#FEₜ: of all algorithms and instances"]
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


def test_instances_that_are_chosen(opened: Opened, second: Path) -> None:
    """Mean ranks, the table of functions and final values are those of the command; it is said what they are of."""
    page = opened.page
    assert page.locator("#first-chosen").is_hidden()
    page.locator("details.choice summary").click()
    page.uncheck("#first-instances input[value='1']")
    ranks = pd.read_csv(second / "mean_ranks.csv")
    for D, budget in ((2, "25·D"), (3, "40·D")):
        page.select_option("#first-dimension", str(D))
        page.select_option("#first-budget", budget)
        of = ranks[(ranks["dimension"] == D) & (ranks["scenario"] == budget)].set_index("algorithm")["mean_rank"]
        assert strip(page) == pytest.approx(of.to_dict(), abs=0.005)
        said = page.locator("#first-chosen").inner_text()
        assert said.startswith("Of what is chosen (4 of 4 algorithms, 3 of 3 functions, 1 of 2 instances), the lowest ")
        assert f"in {D}-D after {budget} evaluations is that of {of.idxmin()}" in said
        assert f": {of.min():.2f} (" in said
        assert "#FE_t" not in page.locator("#first-budget option:enabled").evaluate_all("all => all.map(o => o.value)")
        compare_functions(page, second, D, budget)
    assert page.locator("#final-chart circle").count() == 4
    proportions = pd.read_csv(second / "ecdf.csv")
    shown = proportions[(proportions["dimension"] == 3) & (proportions["group"] == "all")]
    within = shown["evaluations_per_dimension"] <= 40  # beyond the budget the command has simulated restarts
    page.select_option("#ecdf-dimension", "3")
    for chart in ("first", "ecdf"):
        assert hovered(page, chart, shown[within], up_to=40) > 10
    page.check("#first-instances input[value='1']")
    assert page.locator("#first-chosen").is_hidden()
    assert page.locator("#final-chart circle").count() == 8
    assert opened.complaints == []


def test_functions_and_algorithms(opened: Opened, results: Path, some: Path) -> None:
    """Medians, ranks and gains are those of the command line, of all and of what is chosen, over any baseline."""
    page = opened.page
    for D, budget in ((2, "40·D"), (3, "25·D")):
        compare_functions(page, results / "tables", D, budget)
    page.uncheck("#functions-algorithms input[value='ADA-Kendall']")
    assert not page.is_checked("#first-algorithms input[value='ADA-Kendall']")
    page.locator("details.choice summary").click()
    page.uncheck("#first-functions input[value='8']")
    compare_functions(page, some, 2, "25·D")
    page.select_option("#functions-show", "gain")
    page.select_option("#functions-baseline", "GP-5")
    assert page.input_value("#pair-across") == "GP-5"
    logs = log_medians(some, 2, "25·D")
    assert functions_table(page) == close_to(logs.apply(lambda values: logs["GP-5"] - values))
    assert page.locator("#functions-table tfoot th").all_inner_texts() == ["mean of 2", "ahead on", "behind on"]
    assert opened.complaints == []


def compare_functions(page: Page, tables: Path, D: int, budget: str) -> None:
    """Compare the table of functions with medians and ranks of the command line, and with gains of the medians."""
    page.select_option("#functions-dimension", str(D))
    page.select_option("#functions-budget", budget)
    logs = log_medians(tables, D, budget)
    ranks = pd.read_csv(tables / "function_ranks.csv")
    ranks = ranks[(ranks["dimension"] == D) & (ranks["scenario"] == budget)]
    expected = {
        "median": logs,
        "rank": ranks.pivot(index="function", columns="algorithm", values="rank"),
        "gain": logs.apply(lambda values: logs["CMA-ES"] - values),
    }
    for kind, table in expected.items():
        page.select_option("#functions-show", kind)
        assert functions_table(page) == close_to(table)


def log_medians(tables: Path, D: int, budget: str) -> pd.DataFrame:
    """Return log10 Δf_med of the command line, functions × algorithms."""
    medians = pd.read_csv(tables / "median_delta_f.csv")
    of = medians[(medians["dimension"] == D) & (medians["scenario"] == budget)]
    return of.pivot(index="function", columns="algorithm", values="median_delta_f").apply(np.log10)


def close_to(table: pd.DataFrame) -> dict[str, object]:
    """Return columns to compare with what has two digits."""
    assert table.size
    return {str(name): pytest.approx(column.to_list(), abs=0.0051) for name, column in table.items()}


def functions_table(page: Page) -> dict[str, list[float]]:
    """Return the cells of the table of functions by algorithm."""
    _, *names = page.locator("#functions-table thead th").all_inner_texts()
    rows = [row.locator("td").all_inner_texts() for row in page.locator("#functions-table tbody tr").all()]
    cells = [[float(text.replace("\N{MINUS SIGN}", "-")) for text in row] for row in rows]
    return dict(zip(names, map(list, zip(*cells, strict=True)), strict=True))


def strip(page: Page) -> dict[str, float]:
    """Return the mean ranks that the first screen shows, by algorithm."""
    shown = page.locator("#first-ranks rect title").all_text_contents()
    return {name: float(mean) for name, _, mean in (text.rpartition(": ") for text in shown)}


def hovered(page: Page, chart: str, proportions: pd.DataFrame, up_to: float = math.inf) -> int:
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
        for name, _, value in (part.rpartition(" ") for part in parts if x <= up_to):
            at, proportion = curves[name]
            n = np.searchsorted(at, x * (1 + 2e-4), side="right") - 1
            assert float(value) == pytest.approx(proportion[n] if n >= 0 else 0, abs=2e-4)
            there += 1
    return there


def test_table_of_mean_ranks_follows_the_choice(opened: Opened, some: Path) -> None:
    """Without an algorithm and a function it is the command's; what is not made anew says that it is of all."""
    page = opened.page
    assert page.locator("#ranks-whole").is_visible()
    assert page.locator(".of-all:visible").count() == 0
    page.uncheck("#first-algorithms input[value='ADA-Kendall']")
    page.locator("details.choice summary").click()
    page.uncheck("#first-functions input[value='8']")
    assert page.locator("#ranks-whole").is_hidden()
    assert page.locator(".of-all:visible").count() > 2
    ours = pd.read_csv(some / "mean_ranks.csv")
    ours = ours[~ours["scenario"].str.startswith("#")]
    table = page.locator("#ranks-chosen table")
    for name, of in ours.groupby("algorithm"):
        cells = table.locator("tbody tr").filter(has_text=re.compile(f"^{name}")).locator("td").all_text_contents()
        expected = of.sort_values("dimension", kind="stable")["mean_rank"]
        assert [float(cell) for cell in cells] == pytest.approx(expected.to_list(), abs=0.005)
    page.check("#first-algorithms input[value='ADA-Kendall']")
    page.select_option("#first-group", "all")
    assert page.locator("#ranks-whole").is_visible()
    assert opened.complaints == []


def test_nothing_is_chosen(opened: Opened) -> None:
    """One click leaves none of the instances or algorithms; it is said what is missing, and one click brings all."""
    page = opened.page
    page.locator("details.choice summary").click()
    for algorithm in page.locator("#first-algorithms input").all():
        algorithm.uncheck()
    assert page.locator("#first-ranks").inner_text() == "No algorithm is chosen."
    for algorithm in page.locator("#first-algorithms input").all():
        algorithm.check()
    for instance in page.locator("#first-instances input").all():
        instance.uncheck()
    assert page.locator("#first-ranks").inner_text() == "No instance is chosen."
    assert opened.complaints == []


def test_a_line_that_refers_is_no_algorithm(opened: Opened) -> None:
    """Without the virtual best all is as it was: nothing is ranked anew, and nothing says that it is of all."""
    page = opened.page
    page.uncheck("#ert-algorithms input[value='virtual best']")
    assert page.locator("#first-chosen").is_hidden()
    assert page.locator("#ranks-whole").is_visible()
    assert page.locator(".of-all:visible, .of-all-instances:visible").count() == 0
    page.uncheck("#ert-algorithms input[value='GP-5']")
    assert page.locator("#first-chosen").is_visible()
    assert page.locator(".of-all:visible").count() > 0
    assert page.locator(".of-all-instances:visible").count() == 0
    page.locator("details.choice summary").click()
    page.uncheck("#first-instances input[value='1']")
    assert page.locator(".of-all-instances:visible").count() == 2
    assert opened.complaints == []


def test_numbers_are_rounded_as_in_the_tables(opened: Opened) -> None:
    """Halfway between two numbers to the even one, as Python does."""
    values = [k / 8 for k in range(-40, 41)] + [1.145, 1.005, 2.675, 0.0625]
    written = opened.page.evaluate(
        """async (values) => {
          const text = [...document.scripts].map((s) => s.textContent).find((t) => t.includes("const fixed ="));
          const from = text.indexOf("const fixed =");
          const made = new Function(`${text.slice(from, text.indexOf("};", from) + 2)} return fixed;`)();
          return values.map((value) => [made(value, 2), made(value, 1)]);
        }""",
        values,
    )
    for value, (two, one) in zip(values, written, strict=True):
        assert float(two) == float(f"{value:.2f}")
        assert float(one) == float(f"{value:.1f}")


def test_another_baseline_is_not_compared_with_itself(opened: Opened) -> None:
    """The pair changes places where the new baseline is its other half."""
    page = opened.page
    page.select_option("#functions-show", "gain")
    page.select_option("#functions-baseline", page.locator("#pair-up").input_value())
    assert page.locator("#pair-up").input_value() != page.locator("#pair-across").input_value()


def test_an_address_with_a_section_shows_it(opened: Opened, results: Path) -> None:
    """Also where what is made on the page has moved it."""
    page = opened.page
    page.goto("about:blank")
    page.goto((results / "index.html").as_uri() + "#ert")
    page.wait_for_selector("html[data-ready=yes]")
    page.wait_for_function("Math.abs(document.getElementById('ert').getBoundingClientRect().top) < 120")


def test_algorithms_that_are_known_on_few_functions(browser: Browser, tmp_path: Path) -> None:
    """They have no rank and take nothing from the others, which are ranked on all functions that they have."""
    two = [CONFIGS / f"{name}.yaml" for name in ("cmaes", "gp1")]
    common = ("--dimensions", 2, "--instances", "1-2", "--results", "results")
    for configs, functions, budget in (
        (two, "1,8,15", 20),
        ([CONFIGS / "gp5.yaml"], "1,8,15", 10),
        ([CONFIGS / "ada_kl.yaml"], "1,8", 20),
    ):
        ran = sacma("run", *configs, *common, "--functions", functions, "--budget", budget, cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
    with blank_figures():
        done = sacma("postprocess", "--no-pages", "--no-pdf", "--budget", 20, "--partial", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        opened = Opened(browser, tmp_path / "results" / "report")
        less = sacma("postprocess", "--no-pages", "--no-pdf", "--algorithms", "CMA-ES,GP-1", cwd=tmp_path)
    assert less.returncode == 0, less.stderr
    page = opened.page
    page.select_option("#functions-budget", "20·D")
    page.select_option("#functions-show", "rank")
    heads = page.locator("#functions-table thead th").all_inner_texts()[1:]
    assert set(heads) == {"CMA-ES", "GP-1", "ADA-KL", "GP-5"}
    assert heads[-1] == "GP-5"  # of so many evaluations nothing is known
    rows = page.locator("#functions-table tbody tr, #functions-table tfoot tr").all()
    cells = {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows}
    assert {texts[-1] for texts in cells.values()} == {"–"}
    assert "–" not in cells["mean of 2"][:3]
    page.uncheck("#first-algorithms input[value='ADA-KL']")
    ranks = pd.read_csv(tmp_path / "results" / "report" / "tables" / "mean_ranks.csv")
    ranks = ranks[ranks["scenario"] == "20·D"].set_index("algorithm")
    page.select_option("#first-budget", "20·D")
    assert ranks["functions"].eq(3).all()
    assert strip(page) == pytest.approx(ranks["mean_rank"].to_dict(), abs=0.005)
    assert "3 of 3 functions" in page.locator("#first-chosen").inner_text()
    assert opened.complaints == []
    page.close()
