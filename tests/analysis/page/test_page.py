"""The report in a browser: it works offline, shows what is in the tables beside it, and nothing that it should not."""

import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from sacma.analysis import published
from sacma.analysis.table_format import latex_text
from tests.analysis.page.opened import Opened, data_of
from tests.browser import BROKEN_WORDS, needs_chromium, wait_until
from tests.commands import blank_figures, sacma

pytestmark = needs_chromium

CHARTS = ["ecdf", "ranks", "functions", "convergence", "final_values", "ert", "ert_pairs", "control", "cpu"]
"""Of a study that is not the paper's, in the order of the page."""


def test_opens_without_complaint_or_network(opened: Opened, results: Path) -> None:
    """No console message, no error, no request but for the page itself, and a drawing in each place."""
    assert opened.complaints == []
    outside = [url for url in opened.requests if not url.startswith("data:")]
    assert outside == [(results / "index.html").as_uri()]
    figures = opened.page.locator("figure")
    assert [each.get_attribute("data-chart") for each in figures.all()] == CHARTS
    for name in CHARTS:
        assert opened.page.locator(f"#chart-{name}").get_attribute("data-panel"), name


def test_markup_in_names_is_text(opened: Opened) -> None:
    """What a config or somebody's data say is shown, not run."""
    assert opened.page.title() == "sacma: results"
    assert opened.page.locator("img").count() == 0
    assert opened.page.locator("#data dd", has_text="document.title").count() == 2


def test_a_choice_holds_in_all_charts(opened: Opened) -> None:
    """Another function, dimension or set of algorithms: another picture, in each chart that has it."""
    seen = {name: {opened.picture(name)} for name in CHARTS}
    page = opened.page
    page.select_option("#chart-convergence select[data-column=function]", "15")
    page.select_option("#chart-ranks select[data-column=dimension]", "2")
    for name in CHARTS:
        panel = str(page.locator(f"#chart-{name}").get_attribute("data-panel")).split("|")
        assert name == "ert_pairs" or "2" in panel
        assert name not in {"convergence", "final_values", "ert", "control"} or "15" in panel
        if name != "ert_pairs":
            seen[name].add(opened.picture(name))
    page.locator("#chart-ecdf .algorithms input[value='GP-5']").uncheck()
    assert not page.is_checked("#chart-convergence .algorithms input[value='GP-5']")
    for name in CHARTS:
        assert "GP-5" not in page.locator(f"#chart-{name} .drawing").inner_text() or name == "ert_pairs"
        if name != "ert_pairs":
            seen[name].add(opened.picture(name))
    assert {name: len(pictures) for name, pictures in seen.items()} == {**dict.fromkeys(CHARTS, 3), "ert_pairs": 1}
    assert opened.complaints == []


def test_charts_hold_what_the_tables_hold(results: Path) -> None:
    """Lines in the page are those of the CSV files, to a thousandth of a unit or decade."""
    charts = data_of((results / "index.html").read_text())["charts"]
    for name, columns in (
        ("convergence", ["median", "lower_quartile", "upper_quartile"]),
        ("ecdf", ["proportion"]),
        ("ert", ["ert_per_dimension"]),
    ):
        chart, table = charts[name], pd.read_csv(results / "tables" / f"{name}.csv")
        by, x = [column for column, _ in chart["by"]], chart["x"]["column"]
        table = table[np.isfinite(table[columns[0]])]
        groups = {
            (*(str(value) for value in place), algorithm): of
            for (algorithm, *place), of in table.groupby(["algorithm", *by])
        }
        count = 0
        for place, panel in chart["panels"]:
            for algorithm, *packed in (line for line in panel if line[0] != "virtual best"):
                of = groups[*place, algorithm]
                for column, steps in zip([x, *columns], packed, strict=True):
                    log = chart["x" if column == x else "y"]["log"]
                    expected = np.log10(of[column]) if log else of[column]
                    assert np.cumsum(steps) / 1000 == pytest.approx(expected.to_numpy(), abs=0.00051)
                    count += len(steps)
        assert count == len(table) * (1 + len(columns))


def test_ranks_are_those_of_the_table(opened: Opened, results: Path) -> None:
    """A sentence names the lowest mean rank; the chart has all of a budget, in their order, on the first screen."""
    page = opened.page
    overall = pd.read_csv(results / "tables" / "overall_ranks.csv")
    leader = overall[overall["scenario"] == "40·D"].sort_values("mean_rank", kind="stable").iloc[0]
    headline = page.locator(".headline").inner_text().replace("\N{NON-BREAKING HYPHEN}", "-")
    lowest = rf"{leader['algorithm']}( has| and \w+ have) the lowest mean rank over 3 functions in 2-D and 3-D, "
    assert re.search(rf"{lowest}{leader['mean_rank']:.2f}, before ", headline)
    for name in ("ecdf", "ranks"):
        assert page.locator(f"#chart-{name}").bounding_box()["y"] < 600  # type: ignore[index]
    assert page.locator("details[open]").count() == 0
    shown = {name: page.locator(f"#chart-{name}").get_attribute("data-panel") for name in ("ranks", "convergence")}
    assert shown == {"ranks": "3|40·D", "convergence": "3|8"}  # at first
    ranks = pd.read_csv(results / "tables" / "mean_ranks.csv")
    for D, scenario in ((3, "40·D"), (2, "25·D"), (2, "#FE_t/3")):
        page.select_option("#chart-ranks select[data-column=dimension]", str(D))
        page.select_option("#chart-ranks select[data-column=scenario]", scenario)
        of = ranks[(ranks["dimension"] == D) & (ranks["scenario"] == scenario)].set_index("algorithm")["mean_rank"]
        titles = page.locator("#chart-ranks circle title").all_text_contents()
        drawn = {name: float(rank) for name, _, rank in (text.rpartition(": ") for text in titles)}
        assert drawn == pytest.approx(of.to_dict(), rel=1e-3)
        assert list(drawn.values()) == sorted(drawn.values())
    assert opened.complaints == []


@pytest.mark.parametrize("show", ["median", "rank", "gain"])
def test_functions_are_those_of_the_tables(opened: Opened, results: Path, show: str) -> None:
    """Medians, ranks and decades gained of each function, the best of them bold."""
    page, D, budget = opened.page, 2, "40·D"
    for column, value in (("show", show), ("dimension", str(D)), ("scenario", budget)):
        select = page.locator(f"#chart-functions select[data-column={column}]")
        options = select.locator("option").evaluate_all("all => all.map(option => option.value)")
        select.select_option(next(option for option in options if value in option))
    frame = pd.read_csv(results / "tables" / ("function_ranks.csv" if show == "rank" else "median_delta_f.csv"))
    frame = frame[(frame["dimension"] == D) & (frame["scenario"] == budget)]
    values = "rank" if show == "rank" else "median_delta_f"
    expected = frame.pivot(index="function", columns="algorithm", values=values)
    if show != "rank":
        expected = expected.apply(np.log10)
    if show == "gain":
        expected = -expected.sub(expected["CMA-ES"], axis="index")
    table = page.locator("#chart-functions table")
    names = table.locator("thead th").all_inner_texts()[1:]
    for row, (function, of) in zip(table.locator("tbody tr").all(), expected.iterrows(), strict=True):
        assert row.locator("th").inner_text().startswith(f"f{function} ")
        cells = [text.replace("\N{MINUS SIGN}", "-") for text in row.locator("td").all_inner_texts()]
        assert [float(cell) for cell in cells] == pytest.approx(of[names].to_list(), abs=0.0051)
        best = of.min() if show != "gain" else of.max()
        bold = row.locator("td").evaluate_all("all => all.map(cell => Boolean(cell.querySelector('b')))")
        assert bold == [value == pytest.approx(best, abs=1e-9) for value in of[names]]
    assert opened.complaints == []


def test_hovering_tells_values_of_the_tables(opened: Opened, results: Path) -> None:
    """The pointer over the chart names evaluations and medians that the CSV has, as the arrow keys do."""
    opened.page.select_option("#chart-convergence select[data-column=dimension]", "2")
    opened.page.select_option("#chart-convergence select[data-column=function]", "8")
    chart = opened.page.locator("#chart-convergence .u-over")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box
    opened.page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
    table = pd.read_csv(results / "tables" / "convergence.csv")
    of = table[(table["algorithm"] == "CMA-ES") & (table["function"] == 8) & (table["dimension"] == 2)]

    def told() -> float:
        text = opened.page.locator("#chart-convergence .readout").inner_text()
        at, value = re.findall(r"evaluations / D ([\d.]+):.*CMA-ES ([\d.e+-]+)", text, flags=re.DOTALL)[0]
        row = of[np.isclose(of["evaluations_per_dimension"], float(at), rtol=2e-3)]
        assert float(value) == pytest.approx(row["median"].item(), rel=1e-2)
        return float(at)

    at = told()
    drawing, readout = (opened.page.locator(f"#chart-convergence .{part}") for part in ("drawing", "readout"))
    drawing.focus()
    assert readout.get_attribute("aria-live") == "polite"
    drawing.press("ArrowLeft")
    assert told() < at
    drawing.press("ArrowRight")
    assert told() == at
    assert opened.complaints == []


def test_tables_can_be_sorted(opened: Opened) -> None:
    """A click on a heading sorts by value, another one the other way round."""
    head = opened.page.locator("#ert table.sortable thead th").nth(2)
    column = opened.page.locator("#ert table.sortable tbody tr td:nth-child(3)")
    orders = []
    for _ in range(2):
        head.locator("button").click()
        orders.append([float(text) for text in column.all_inner_texts()])
    assert orders[0] == sorted(orders[0])
    assert orders[1] == sorted(orders[0], reverse=True)


@pytest.mark.parametrize(("width", "shade"), [(1400, "light"), (800, "light"), (360, "dark")])
def test_width_and_shade(browser: Browser, results: Path, width: int, shade: str) -> None:
    """At no width is anything wider than the page or a word broken; axe finds nothing; the button changes the shade."""
    options: dict[str, Any] = {"viewport": {"width": width, "height": 900}, "color_scheme": shade}
    opened = Opened(browser, results, **options)
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(BROKEN_WORDS) == []
    outside = "box => box.width && (box.left < 0 || box.right > innerWidth)"
    texts = "[...document.querySelectorAll('.drawing svg text')].map(each => each.getBoundingClientRect())"
    assert page.evaluate(f"{texts}.filter({outside}).length") == 0
    if width != 800:
        found = Axe().run(page, None, {"resultTypes": ["violations"]}).response["violations"]
        assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []
    before = page.evaluate("getComputedStyle(document.body).backgroundColor"), opened.picture("convergence")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before[0]
    assert opened.picture("convergence") != before[1]
    assert opened.complaints == []
    page.close()


@pytest.mark.parametrize("kind", ["tables", "figures"])
def test_folders_have_a_page_of_their_files(results: Path, kind: str) -> None:
    """A link to each file, for web servers that show no folders; the report links to the page."""
    page = (results / kind / "index.html").read_text()
    links = {unquote(link) for link in re.findall(r'<a href="([^"]+)"', page)}
    assert links == {path.name for path in (results / kind).iterdir()} - {"index.html"} | {"../index.html"}
    assert f'href="{kind}/index.html"' in (results / "index.html").read_text()


def test_the_papers_study_is_held_against_it(results: Path, tmp_path: Path) -> None:
    """Of its algorithms alone: mean ranks beside those printed, as chart, table and frame."""
    shutil.copytree(results.parent, tmp_path / "results")
    with blank_figures():
        done = sacma("postprocess", "--no-pages", "--no-pdf", "--algorithms", "CMA-ES,GP-5,ADA-Kendall", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = tmp_path / "results" / "report"
    beside = pd.read_csv(report / "tables" / "paper_mean_ranks.csv")
    assert len(beside) == 2 * 2 * 3  # dimensions, budgets and algorithms
    assert set(beside["functions"]) == {3}
    assert set(beside["algorithms"]) == {3}
    ours = pd.read_csv(report / "tables" / "mean_ranks.csv")
    printed = published.mean_ranks_among(set(beside["algorithm"]))
    tex = (report / "tables" / "table3_beside_paper.tex").read_text()
    for (D, scenario), rows in beside.groupby(["dimension", "scenario"]):
        for column, source in (("ours", ours), ("paper", printed)):
            of = source[(source["dimension"] == D) & (source["scenario"] == scenario)].set_index("algorithm")
            assert rows[column].to_list() == pytest.approx(of["mean_rank"][rows["algorithm"]].to_list())
        cells = [f"{value:.2f}" for pair in zip(rows["paper"], rows["ours"], strict=True) for value in pair]
        assert f"{D}-D, {latex_text(str(scenario))} & {' & '.join(cells)}" in tex
    page = (report / "index.html").read_text()
    assert {"ranks_beside_paper", "transfer_functions"} <= set(data_of(page)["charts"])
    assert 'id="publication"' in page
    assert "as its authors ran it" not in page
    assert (report / "figures" / "ranks_beside_paper_03D.svg").exists()


def test_one_algorithm(browser: Browser, results: Path, tmp_path: Path) -> None:
    """Alone it has no ranks; its run lengths are there, and nothing complains."""
    shutil.copytree(results.parent, tmp_path / "results")
    with blank_figures():
        done = sacma("postprocess", "--no-pages", "--no-pdf", "--algorithms", "GP-5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    opened = Opened(browser, tmp_path / "results" / "report", viewport={"width": 1000, "height": 900})
    assert opened.page.locator(".headline").inner_text().startswith("GP-5 alone")
    assert opened.page.locator("#chart-ranks, #chart-ert_pairs").count() == 0
    assert opened.picture("ecdf")
    assert opened.complaints == []
    opened.page.close()


def test_many_algorithms(browser: Browser, tmp_path: Path) -> None:
    """Ten of them: all are in all charts, and buttons choose all or none."""
    for name in (f"R{n}" for n in range(10)):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump({"name": name, "algorithm": "random-search"}))
    protocol = ("--functions", 3, "--dimensions", 5, "--instances", 1, "--budget", 10)
    assert sacma("run", *sorted(tmp_path.glob("R*.yaml")), *protocol, cwd=tmp_path).returncode == 0
    with blank_figures():
        assert sacma("postprocess", "--no-pages", "--no-pdf", cwd=tmp_path).returncode == 0
    opened = Opened(browser, tmp_path / "results" / "report", viewport={"width": 390, "height": 900})
    for name in ("ranks", "final_values"):
        assert opened.page.locator(f"#chart-{name} circle").count() == 10
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
    for text, count in (("none", 0), ("all", 10)):
        opened.page.locator("#chart-ecdf .algorithms button", has_text=text).click()
        assert opened.page.locator("#chart-ranks circle").count() == count
    assert opened.complaints == []
    opened.page.close()


def test_terms_are_explained(opened: Opened) -> None:
    """By a title where they are first used, reachable by keyboard, and in a legend; symbols are written one way."""
    page = opened.page
    for term in ("#FEt", "Δfmed", "ERT"):
        abbreviation = page.locator("abbr[title]", has_text=term).first
        assert len(str(abbreviation.get_attribute("title"))) > 40
        assert abbreviation.get_attribute("tabindex") == "0"
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert page.locator("dl.terms dt").count() == page.locator("dl.terms dd").count() > 5
    assert not any("FE_t" in option for option in page.locator("option").all_text_contents())


def test_an_address_with_a_section_shows_it(opened: Opened, results: Path) -> None:
    """Also where charts above have moved it."""
    page = opened.page
    page.goto("about:blank")
    page.goto((results / "index.html").as_uri() + "#ert")
    page.wait_for_selector("html[data-ready=yes]")
    wait_until(page, "Math.abs(document.getElementById('ert').getBoundingClientRect().top) < 120")
