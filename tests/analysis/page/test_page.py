"""The report in a browser: it works offline, shows what is in the tables beside it, and nothing that it should not."""

import html
import re
import shutil
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser

from sacma.analysis import published
from sacma.analysis.statistics.posthoc import bergmann_hommel, friedman_posthoc, shaffer
from sacma.analysis.statistics.ranks import iman_davenport, mean_rank_intervals, rank_rows
from sacma.analysis.table_format import latex_text
from tests.analysis.page.opened import Opened, data_of
from tests.browser import BROKEN_WORDS, needs_chromium, wait_until
from tests.commands import reported, sacma
from tests.conftest import CONFIGS

pytestmark = needs_chromium

# Of a study that is not the paper's, in the order of the page.
CHARTS = [
    *("ecdf", "ranks", "functions", "convergence", "final_values", "ert", "ert_pairs", "strategy", "cpu", "control")
]

VIEW = "#?functions=8&dimension=all&trials=yes&beyond=yes"

# Texts of charts that are on one another, but for the blank edge of a line of text.
OVERLAPS = """() => [...document.querySelectorAll("svg[role=img]")].flatMap(picture => {
    const found = [...picture.querySelectorAll("text")];
    const texts = found.map(text => [text.textContent, text.getBoundingClientRect()]);
    const on = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top + 3 < b.bottom && b.top + 3 < a.bottom;
    return texts.flatMap(([one, a], n) => texts.slice(n + 1).filter(([, b]) => on(a, b)).map(([two]) => [one, two]));
})"""


def test_opens_without_complaint_or_network(opened: Opened, results: Path) -> None:
    """No console message, no error, no request but for the page itself, and a drawing in each place."""
    assert opened.complaints == []
    outside = [url for url in opened.requests if not url.startswith("data:")]
    assert outside == [(results / "index.html").as_uri()]
    opened.unfold()
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
    opened.unfold()
    seen = {name: {opened.picture(name)} for name in CHARTS}
    opened.choose(functions=15, dimension=2)
    for name in CHARTS:
        panel = str(opened.page.locator(f"#chart-{name}").get_attribute("data-panel")).split("|")
        assert "2" in panel or name in {"ranks", "functions", "ert_pairs"}
        assert "15" in panel or name not in {"ecdf", "convergence", "final_values", "ert", "control"}
        seen[name].add(opened.picture(name))
    opened.show("GP-5", shown=False)
    for name in CHARTS:
        assert "GP-5" not in opened.page.locator(f"#chart-{name} .drawing").inner_text()
        seen[name].add(opened.picture(name))
    assert {name: len(pictures) for name, pictures in seen.items()} == dict.fromkeys(CHARTS, 3)


def test_a_view_can_be_sent(browser: Browser, opened: Opened, results: Path) -> None:
    """The address has the whole choice: opened from it, the page shows the same, also beside a place in the page."""
    first = opened.numbers()
    opened.choose(functions="multimodal", dimension="all", budget="25·D", baseline="GP-5", show="median")
    opened.show("CMA-ES", shown=False)
    opened.page.click("nav a[href='#functions']")
    opened.page.check("input[name=beyond]")
    there = opened.numbers()
    assert there != first
    address = opened.page.evaluate("location.hash")
    assert address.startswith("#functions?")
    other = Opened(browser, results, address, viewport={"width": 1200, "height": 900})
    assert other.numbers() == there
    assert other.picture("ecdf") == opened.picture("ecdf")
    wait_until(other.page, "Math.abs(document.getElementById('functions').getBoundingClientRect().top) < 150")
    other.page.goto("about:blank")
    other.page.goto(f"{(results / 'index.html').as_uri()}#nowhere?dimension=7&functions=x&baseline=&without=&more=1")
    other.page.wait_for_selector("html[data-ready=yes]")
    assert other.numbers() == first  # an address that means nothing
    said = other.page.locator(".strange")
    assert said.inner_text() == "not understood: nowhere, dimension=7, functions=x, baseline=, without=, more=1"
    assert other.page.evaluate("location.hash") == ""
    for address, told in (
        ("#?budget=25&baseline=Foo&only=", "baseline=Foo, only="),
        ("#dimension=2", "dimension=2"),
        ("#%E0?budget=25&dimension=%", "%E0, dimension=%"),
    ):
        other.page.evaluate("address => { location.hash = address; }", address)
        wait_until(other.page, f"document.querySelector('.strange').textContent === 'not understood: {told}'")
        assert other.page.locator("select[name=budget]").input_value() == "25·D"
    other.choose(dimension=2)
    assert said.inner_text() == ""
    other.page.goto("about:blank")
    other.page.goto(f"{(results / 'index.html').as_uri()}#%")  # no text at all
    other.page.wait_for_selector("html[data-ready=yes]")
    assert said.inner_text() == "not understood: %"
    other.close()


def test_an_address_names_the_fewer(browser: Browser, opened: Opened, results: Path) -> None:
    """Algorithms that are shown, where those that are hidden are more; of none, all that are hidden."""
    opened.page.click(".algorithms summary")
    opened.page.click("button:has-text('none')")
    assert opened.page.evaluate("location.hash").count("without=") == 4
    opened.show("GP-5", shown=True)
    assert opened.page.evaluate("location.hash") == "#?only=GP-5"
    opened.page.keyboard.press("Escape")
    opened.choose(show="median", baseline="GP-5")
    other = Opened(browser, results, opened.page.evaluate("location.hash"), viewport={"width": 1200, "height": 900})
    assert other.numbers() == opened.numbers()
    other.show("CMA-ES", shown=True)
    assert "only" not in other.page.evaluate("location.hash")
    other.close()


@pytest.mark.parametrize(("N", "k"), [(24, 4), (7, 9), (24, 14), (6, 2)])
def test_significance_is_that_of_the_tables(browser: Browser, N: int, k: int) -> None:
    """Adjusted p-values and the test of all ranks are those of the statistics, for any choice of algorithms."""
    rng = np.random.default_rng(N + k)
    values = pd.DataFrame(
        np.round(rng.normal(size=(N, k)) + np.linspace(0, 1.2, k), 1), columns=list(map(str, range(k)))
    )
    page = browser.new_page()
    page.add_script_tag(content=resources.files("sacma.analysis.page").joinpath("statistics.js").read_text())
    found = page.evaluate("([table, names]) => compared(table, names)", [values.to_numpy().tolist(), list(values)])
    correct = bergmann_hommel if k <= 9 else shaffer
    expected = correct(friedman_posthoc(values)).fillna(1.0).to_numpy()
    np.testing.assert_allclose(found["p"], expected, rtol=1e-9)
    test = iman_davenport(values)
    assert found["differ"] == test.significant
    means = rank_rows(values).mean()
    assert page.evaluate("([R, N]) => imanDavenport(R, N)", [means.to_list(), N]) == pytest.approx(
        test.p_value, rel=1e-9
    )
    bars = page.evaluate("table => intervals(table)", rank_rows(values).to_numpy().tolist())
    theirs = mean_rank_intervals(values, rng=rng)[["low", "high"]]
    np.testing.assert_allclose(bars, theirs, atol=0.35)
    np.testing.assert_allclose(np.mean(bars, axis=1), theirs.mean(axis=1), atol=0.25)
    page.close()


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
            for algorithm, _, *packed in (line for line in panel if line[0] != "virtual best"):
                of = groups[*place, algorithm]
                for column, steps in zip([x, *columns], packed, strict=True):
                    log = chart["x" if column == x else "y"]["log"]
                    expected = np.log10(of[column]) if log else of[column]
                    assert np.cumsum(steps) / 1000 == pytest.approx(expected.to_numpy(), abs=0.00051)
                    count += len(steps)
        assert count == len(table) * (1 + len(columns))


def test_ranks_are_those_of_the_table(opened: Opened, results: Path) -> None:
    """A sentence names the lowest mean rank of the choice; the chart has all of them, in their order."""
    page = opened.page
    for name in ("ecdf", "ranks"):
        box = page.locator(f"#chart-{name} .drawing").bounding_box()
        assert box
        assert box["y"] + box["height"] < 900  # all on the first screen
    assert page.locator("details[open]").count() == 0
    shown = [page.locator(f"select[name={name}]").input_value() for name in ("dimension", "functions", "budget")]
    assert shown == ["3", "all", "40·D"]
    ranks = pd.read_csv(results / "tables" / "mean_ranks.csv")
    overall = pd.read_csv(results / "tables" / "overall_ranks.csv")
    for D, scenario in ((3, "40·D"), (2, "25·D"), (2, "#FE_t/3"), ("all", "40·D")):
        opened.choose(dimension=D, budget=scenario)
        of = overall if D == "all" else ranks[ranks["dimension"] == D]
        expected = of[of["scenario"] == scenario].set_index("algorithm")["mean_rank"]
        titles = page.locator("#chart-ranks circle title").all_text_contents()
        drawn = {name: float(rank) for name, _, rank in (text.rpartition(": ") for text in titles)}
        assert drawn == pytest.approx(expected.to_dict(), rel=1e-3)
        assert list(drawn.values()) == sorted(drawn.values())
        headline = page.locator(".headline").inner_text().replace("\N{NON-BREAKING HYPHEN}", "-")
        lowest = (
            f"lowest mean rank over 3 functions in {'2-D and 3-D' if D == 'all' else f'{D}-D'}, {expected.min():.2f}"
        )
        assert str(expected.idxmin()) in headline.partition(lowest)[0]
    opened.choose(dimension=2, budget="40·D")
    opened.show("GP-5", shown=False)
    medians = pd.read_csv(results / "tables" / "median_delta_f.csv")
    of = medians[(medians["dimension"] == 2) & (medians["scenario"] == "40·D") & (medians["algorithm"] != "GP-5")]
    among = of.pivot(index="function", columns="algorithm", values="median_delta_f").rank(axis=1).mean()
    titles = page.locator("#chart-ranks circle title").all_text_contents()
    found = {name: float(rank) for name, _, rank in (text.rpartition(": ") for text in titles)}
    assert found == pytest.approx(among.to_dict(), rel=1e-3)


def test_the_headline_of_all_is_that_of_the_command(browser: Browser, tmp_path: Path) -> None:
    """Of 21 algorithms in five dimensions, with the same test."""
    page = (CONFIGS.parent / "docs" / "gallery" / "report.html").read_text()
    (tmp_path / "index.html").write_text(page)
    told = re.sub(r"<[^>]*>", "", page.partition('<p class="headline">')[2].partition("</p>")[0])
    opened = Opened(browser, tmp_path, "#?dimension=all", viewport={"width": 1400, "height": 900})
    assert opened.page.evaluate(OVERLAPS) == []
    found = opened.page.locator(".headline").inner_text().replace("\N{NON-BREAKING HYPHEN}", "-")
    found = re.sub(r" [^.]+, the baseline, is .*? with [\d.]+\.", "", found)
    assert found.split() == html.unescape(told).replace("\N{NON-BREAKING HYPHEN}", "-").split()
    opened.close()


@pytest.mark.parametrize("show", ["median", "rank", "gain"])
def test_functions_are_those_of_the_tables(opened: Opened, results: Path, show: str) -> None:
    """Medians, ranks and decades gained of each function, the best of them bold."""
    page, D, budget = opened.page, 2, "40·D"
    opened.choose(show=show, dimension=D, budget=budget)
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


def test_hovering_tells_values_of_the_tables(opened: Opened, results: Path) -> None:
    """The pointer over the chart names evaluations and medians that the CSV has, as the arrow keys do."""
    opened.choose(dimension=2, functions=8)
    chart = opened.page.locator("#chart-convergence svg[role=img]")
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


def test_tables_can_be_sorted(opened: Opened) -> None:
    """A click on a heading sorts by value, another one the other way round."""
    opened.unfold()
    opened.choose(dimension="all")
    head = opened.page.locator("#ert table.sortable thead th").nth(2)
    column = opened.page.locator("#ert table.sortable tbody tr td:nth-child(3)")
    orders = []
    for _ in range(2):
        head.locator("button").click()
        orders.append([float(text) for text in column.all_inner_texts()])
    assert orders[0] == sorted(orders[0])
    assert orders[1] == sorted(orders[0], reverse=True)
    opened.choose(dimension=2)
    opened.show("GP-5", shown=False)
    rows = opened.page.locator("#ert table.sortable tbody tr:visible")
    assert len(orders[0]) == 2 * (rows.count() + 1)
    assert {row.split()[1] for row in rows.all_inner_texts()} == {"2"}


@pytest.mark.parametrize(
    ("width", "shade", "address"), [(1400, "light", ""), (800, "light", VIEW), (360, "dark", ""), (390, "light", VIEW)]
)
def test_width_and_shade(browser: Browser, results: Path, width: int, shade: str, address: str) -> None:
    """At no width is anything wider than the page or a word broken; axe finds nothing; the button changes the shade."""
    options: dict[str, Any] = {"viewport": {"width": width, "height": 900}, "color_scheme": shade}
    opened = Opened(browser, results, address, **options)
    page = opened.page
    assert page.evaluate("document.documentElement.scrollHeight") < (6_000 if width > 400 else 12_000)
    opened.unfold()
    page.click(".algorithms summary")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(BROKEN_WORDS) == []
    outside = "box => box.width && (box.left < 0 || box.right > innerWidth)"
    texts = "[...document.querySelectorAll('.drawing svg text')].map(each => each.getBoundingClientRect())"
    assert page.evaluate(f"{texts}.filter({outside}).length") == 0
    assert page.evaluate(OVERLAPS) == []
    if width != 800:
        found = Axe().run(page, None, {"resultTypes": ["violations"]}).response["violations"]
        assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []
    page.click("h1")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor"), opened.picture("convergence")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before[0]
    assert opened.picture("convergence") != before[1]
    chosen = page.evaluate("document.documentElement.dataset.shade")
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    assert page.evaluate("document.documentElement.dataset.shade") == chosen != shade  # it is remembered
    opened.close()


def test_the_state_of_strategies_is_that_of_the_traces(opened: Opened, results: Path) -> None:
    """σ and axis ratio by evaluations, of each trial and algorithm that has them, in the page and beside it."""
    chart = data_of((results / "index.html").read_text())["charts"]["strategy"]
    names = {"σ": "sigma", "axis ratio": "axis_ratio"}
    table = pd.read_csv(results / "tables" / "strategy.csv")
    count = 0
    for (D, f, quantity, instance), panel in chart["panels"]:
        for algorithm, _, x, y in panel if quantity in names else ():
            trace = pd.read_parquet(results.parent / "traces" / f"{algorithm}.parquet")
            place = trace.query(f"dimension == {D} and function == {f} and instance == {instance}")
            last = place.drop_duplicates("true_evaluations", keep="last").set_index("true_evaluations")
            of = table.query(f"dimension == {D} and function == {f} and instance == {instance}")
            of = of[(of["algorithm"] == algorithm) & (of["quantity"] == quantity)]
            assert of["value"].to_numpy() == pytest.approx(last[names[quantity]][of["evaluations"]].to_numpy())
            assert 10 ** (np.cumsum(x) / 1000) == pytest.approx(of["evaluations"].to_numpy() / int(D), rel=2e-3)
            assert 10 ** (np.cumsum(y) / 1000) == pytest.approx(of["value"].to_numpy(), rel=2e-3)
            count += 1
    assert count == 2 * 3 * 2 * 3 * 2  # quantities, algorithms, dimensions, functions and instances
    opened.choose(functions=8, quantity="axis ratio", instance=2)
    axes = opened.page.locator("#chart-strategy svg text").all_text_contents()
    assert {"axis ratio", "true evaluations / D"} <= set(axes)
    assert opened.page.locator("#chart-strategy text.end").count() == 3


def test_curves_end_where_data_do(opened: Opened, results: Path) -> None:
    """With a cross and a label there; beyond it they go on only if asked for."""
    table = pd.read_csv(results / "tables" / "ecdf.csv")
    of = table[(table["dimension"] == 3) & (table["group"] == "all") & (table["algorithm"] == "CMA-ES")]
    page = opened.page
    assert page.locator("#chart-ecdf .cross").count() == table["algorithm"].nunique() - 1  # the best of 2009 has no end
    labels = page.locator("#chart-ecdf text.end").all_text_contents()
    assert sorted(labels) == sorted(table["algorithm"].unique())
    last = float(re.findall(r" ([\d.]+): ", str(page.locator("#chart-ecdf .drawing").get_attribute("aria-label")))[0])
    assert last <= of["largest_length"].iloc[0]
    page.check("input[name=beyond]")
    told = str(page.locator("#chart-ecdf .drawing").get_attribute("aria-label"))
    assert float(re.findall(r"CMA-ES ([\d.]+)", told)[0]) == pytest.approx(of["proportion"].iloc[-1], abs=1e-3)
    page.check("input[name=trials]")
    trials = pd.read_csv(results / "tables" / "best_delta_f.csv").groupby(["algorithm", "dimension", "function"])[
        "trial"
    ]
    opened.choose(functions=8)
    there = trials.nunique().xs((3, 8), level=("dimension", "function")).sum()
    assert page.locator("#chart-convergence path.trial").count() == there


def test_charts_and_tables_can_be_saved(opened: Opened, results: Path, tmp_path: Path) -> None:
    """As SVG with all that is shown, PNG and CSV."""
    page = opened.page

    def saved(chart: str, kind: str) -> Path:
        return pressed(f"#chart-{chart} button:has-text('save {kind}')")

    def pressed(button: str) -> Path:
        with page.expect_download() as download:
            page.click(button)
        download.value.save_as(tmp_path / download.value.suggested_filename)
        return tmp_path / str(download.value.suggested_filename)

    svg = ET.parse(saved("convergence", "svg"))  # noqa: S314 our own
    texts = {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"f1 Sphere", "f15 Rastrigin", "CMA-ES", "GP-5"} <= texts
    ecdf = saved("ecdf", "png")
    assert ecdf.name == "sacma_results_ecdf_3-D_all_40D.png"
    with Image.open(ecdf) as picture:
        assert picture.width > 800
        assert len(picture.convert("RGB").getcolors(1 << 24) or ()) > 20
    opened.choose(show="median", dimension=2)
    table = pd.read_csv(saved("functions", "csv"), index_col=0)
    medians = pd.read_csv(results / "tables" / "median_delta_f.csv")
    of = medians[(medians["dimension"] == 2) & (medians["scenario"] == "40·D")]
    expected = of.pivot(index="function", columns="algorithm", values="median_delta_f")[list(table)].to_numpy()
    np.testing.assert_allclose(table.to_numpy(), np.log10(expected), atol=0.0051)
    opened.unfold()
    for name, view, whole in (("areas", "_2-D", "areas"), ("mean_ranks", "", "table_mean_ranks")):
        path = pressed(f"[data-table={whole}] >> xpath=../following-sibling::button[1]")
        assert path.name == f"{name}{view}.csv"
        found = pd.read_csv(path, index_col=0)
        printed = pd.read_csv(results / "tables" / f"{whole}.csv", index_col=0, na_values="–")
        printed = printed.query("dimension == 2") if view else printed.replace(r"\*$", "", regex=True).astype(float)
        columns = ["area", "lower", "upper"] if view else list(found)
        np.testing.assert_allclose(found[columns], printed[columns], rtol=5e-3)
        assert list(found.index) == list(printed.index)
        if not view:
            assert list(found) == [f"{D}-D {budget}" for D in (2, 3) for budget in ("#FE_t/3", "#FE_t")]
    assert page.locator("[data-table=areas] tr.strong:visible").count() == 1


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
    reported("--algorithms", "CMA-ES,GP-5,ADA-Kendall", cwd=tmp_path)
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
    assert (report / "figures" / "ranks_beside_paper.svg").exists()


def test_one_algorithm(browser: Browser, results: Path, tmp_path: Path) -> None:
    """Alone it has no ranks; its run lengths are there, and nothing complains."""
    shutil.copytree(results.parent, tmp_path / "results")
    reported("--algorithms", "GP-5", cwd=tmp_path)
    opened = Opened(browser, tmp_path / "results" / "report", viewport={"width": 1000, "height": 900})
    assert opened.page.locator(".headline").inner_text().startswith("GP-5 alone")
    assert opened.page.locator("#chart-ranks, #chart-ert_pairs").count() == 0
    assert opened.picture("ecdf")
    opened.close()


def test_many_algorithms(browser: Browser, tmp_path: Path) -> None:
    """Ten of them: all are in all charts, and buttons choose all or none."""
    for name in (f"R{n}" for n in range(10)):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump({"name": name, "algorithm": "random-search"}))
    protocol = ("--functions", 3, "--dimensions", 5, "--instances", 1, "--budget", 10)
    assert sacma("run", *sorted(tmp_path.glob("R*.yaml")), *protocol, cwd=tmp_path).returncode == 0
    reported(cwd=tmp_path)
    opened = Opened(browser, tmp_path / "results" / "report", viewport={"width": 390, "height": 900})
    opened.unfold()
    for name in ("ranks", "final_values"):
        assert opened.page.locator(f"#chart-{name} circle").count() == 10
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert opened.page.locator("#chart-ecdf text.end").count() == 11
    assert opened.page.evaluate(OVERLAPS) == []
    opened.page.click(".algorithms summary")
    for text, count in (("none", 0), ("all", 10)):
        opened.page.locator(".algorithms button", has_text=text).click()
        assert opened.page.locator("#chart-ranks circle").count() == count
    opened.close()


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
