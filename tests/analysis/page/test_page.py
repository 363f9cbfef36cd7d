"""The report in a browser: it works offline, shows what is in the tables beside it, and nothing that it should not."""

import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser

from sacma.analysis.paper import published
from sacma.analysis.sections import all_sections
from sacma.analysis.table_format import latex_text
from tests.analysis.page.opened import Opened, data_of
from tests.browser import BROKEN_WORDS, needs_chromium
from tests.commands import sacma
from tests.conftest import CONFIGS

pytestmark = needs_chromium

CONSTANTS = {"0", "0.05", "0.5", "8", "50", "31", "95", "2009", "2017", "250", "15", "24", "10"}
"""Numbers that say how, not what was found: levels, targets, years, the paper's protocol."""


def test_opens_without_complaint_or_network(opened: Opened, results: Path) -> None:
    """No console message, no error, and no request but for the page itself."""
    assert opened.complaints == []
    outside = [url for url in opened.requests if not url.startswith("data:")]
    assert outside == [(results / "index.html").as_uri()]


def test_markup_in_names_is_text(opened: Opened) -> None:
    """What a config or somebody's data say is shown, not run."""
    assert opened.page.title() == "sacma: results"
    assert opened.page.locator("img[src^='http']").count() == 0
    assert opened.page.locator("#data dd", has_text="document.title").count() == 2


@pytest.mark.parametrize(("chart", "selector"), [("convergence", "function"), ("ecdf", "group")])
def test_selectors_change_the_chart(opened: Opened, chart: str, selector: str) -> None:
    """Another function or group, dimension, or fewer algorithms: another picture each time."""
    seen = [opened.picture(chart)]
    for name in (f"{chart}-{selector}", f"{chart}-dimension"):
        options = opened.page.locator(f"#{name} option").evaluate_all("all => all.map(o => o.value)")
        shown = opened.page.locator(f"#{name}").input_value()
        opened.page.select_option(f"#{name}", next(value for value in options if value != shown))
        seen.append(opened.picture(chart))
    lines = opened.page.locator(f"#{chart}-chart").get_attribute("data-lines")
    opened.page.locator(f"#{chart}-algorithms input").first.uncheck()
    seen.append(opened.picture(chart))
    assert opened.page.locator(f"#{chart}-chart").get_attribute("data-lines") == str(int(lines or 0) - 1)
    assert all(len(picture) > 5000 for picture in seen)
    assert len(set(seen)) == len(seen)
    assert opened.complaints == []


def test_running_times_are_those_of_the_table(opened: Opened, results: Path) -> None:
    """What is chosen is drawn and tabulated as in ert.csv, over targets and over dimensions, for two algorithms too."""
    page, table = opened.page, pd.read_csv(results / "tables" / "ert.csv")
    page.select_option("#ert-function", "8")
    page.select_option("#ert-dimension", "3")
    seen = [opened.picture("ert")]
    rows = page.locator("#ert-table tbody tr").all()
    of = table[(table["function"] == 8) & (table["dimension"] == 3)]
    assert len(rows) == of["algorithm"].nunique() == 4
    for row in rows:
        name, *cells = row.locator("th, td").all_inner_texts()
        expected = of[of["algorithm"] == name].sort_values("target", ascending=False)
        for text, (ert, reached, trials) in zip(
            cells, expected[["ert_per_dimension", "successes", "trials"]].to_numpy(), strict=True
        ):
            shown, there, planned = re.fullmatch(r"(.*) \((\d+)/(\d+)\)", text).groups()  # type: ignore[union-attr]
            assert (int(there), int(planned)) == (reached, trials)
            assert float(shown.replace("∞", "inf")) == pytest.approx(ert, rel=0.005)
    page.select_option("#ert-over", "dimension")
    seen.append(opened.picture("ert"))
    page.select_option("#ert-target", "0")
    seen.append(opened.picture("ert"))
    assert len(set(seen)) == 3
    page.select_option("#pair-across", "CMA-ES")
    page.select_option("#pair-up", "GP-5")
    wide = table.pivot_table(index=["dimension", "function", "target"], columns="algorithm", values="ert")
    for choice, pairs in (("", wide), ("2", wide.loc[[2]])):
        page.select_option("#pair-dimension", choice)
        faster = {"CMA-ES": pairs["CMA-ES"] < pairs["GP-5"], "GP-5": pairs["GP-5"] < pairs["CMA-ES"]}
        said = page.locator("#pair-chart .said").all_text_contents()
        assert said == [f"{name} faster: {wins.sum()}" for name, wins in faster.items()]
        reached = np.isfinite(pairs[["CMA-ES", "GP-5"]].to_numpy()).any(axis=1).sum()
        assert page.locator("#pair-chart circle title").count() == reached
    assert opened.complaints == []


def test_final_values_are_those_of_the_trials(opened: Opened, results: Path) -> None:
    """A point each, with its value as a text, of the function that is chosen."""
    opened.page.select_option("#final-dimension", "3")
    opened.page.select_option("#final-function", "15")
    best = pd.read_csv(results / "tables" / "best_delta_f.csv")
    of = best[(best["dimension"] == 3) & (best["function"] == 15) & (best["scenario"] == "40·D")]
    shown = [text.rpartition(": ") for text in opened.page.locator("#final-chart circle title").all_text_contents()]
    expected = of.sort_values("delta_f").groupby("algorithm")["delta_f"].apply(list).to_dict()
    assert {name for name, _, _ in shown} == set(expected)
    for algorithm, values in expected.items():
        assert [float(value) for name, _, value in shown if name == algorithm] == pytest.approx(values, rel=1e-3)
    assert opened.complaints == []


def test_hovering_tells_values_of_the_tables(opened: Opened, results: Path) -> None:
    """The pointer over the chart names evaluations and medians that the CSV has."""
    opened.page.select_option("#convergence-dimension", "2")
    opened.page.select_option("#convergence-function", "8")
    chart = opened.page.locator("#convergence-chart .u-over")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box
    opened.page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
    text = opened.page.locator("#convergence-readout").inner_text()
    at, value = re.findall(r"after ([\d.]+)·D:.*CMA-ES ([\d.e+-]+)", text, flags=re.DOTALL)[0]
    table = pd.read_csv(results / "tables" / "convergence.csv")
    row = table[(table["algorithm"] == "CMA-ES") & (table["function"] == 8) & (table["dimension"] == 2)]
    row = row[np.isclose(row["evaluations_per_dimension"], float(at), rtol=1e-3)]
    assert float(value) == pytest.approx(row["median"].item(), rel=1e-2)


def test_charts_are_read_by_keyboard(opened: Opened) -> None:
    """The arrow keys go from one number of evaluations to the next; the chart's label has the last values."""
    for key in ("first", "convergence", "ecdf"):
        chart, readout = opened.page.locator(f"#{key}-chart"), opened.page.locator(f"#{key}-readout")
        chart.focus()
        assert readout.get_attribute("aria-live") == "polite"
        chart.press("ArrowLeft")
        last = readout.locator("span").all_inner_texts()
        label = str(chart.get_attribute("aria-label"))
        assert label.endswith(f"; {last[0]} {', '.join(last[1:])}.")
        chart.press("ArrowLeft")
        assert readout.locator("span").all_inner_texts()[0] != last[0]
        chart.press("ArrowRight")
        assert readout.locator("span").all_inner_texts() == last
    assert opened.complaints == []


def test_tables_can_be_sorted(opened: Opened) -> None:
    """A click on a heading sorts by value, another one the other way round."""
    head = opened.page.locator("#time table thead tr:last-child th").last
    column = opened.page.locator("#time table tbody tr td:last-child")
    orders = []
    for _ in range(2):
        head.locator("button").click()
        orders.append([float(text) for text in column.all_inner_texts()])
    assert orders[0] == sorted(orders[0])
    assert orders[1] == sorted(orders[0], reverse=True)


def test_figures_can_be_chosen(opened: Opened) -> None:
    """A selector shows another picture, each with a text for those who cannot see it."""
    choosers = opened.page.locator("select[data-figures]")
    assert choosers.count() == 4  # of three functions there are no critical differences
    for chooser in choosers.all():
        group = chooser.get_attribute("data-figures")
        image = opened.page.locator(f"#figure-{group}")
        seen = set()
        for value in chooser.locator("option").evaluate_all("all => all.map(o => o.value)")[:3]:
            chooser.select_option(value)
            image.evaluate("image => image.decode()")
            assert int(image.evaluate("image => image.naturalWidth")) > 100
            seen.add((image.get_attribute("src"), image.get_attribute("alt")))
        assert len(seen) == min(3, chooser.locator("option").count())


@pytest.mark.parametrize("shade", ["light", "dark"])
def test_phone(browser: Browser, results: Path, shade: str) -> None:
    """At 360 pixels nothing is wider than the page, no word is broken, and the button changes light and dark."""
    options: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "color_scheme": shade}
    opened = Opened(browser, results, **options)
    assert opened.page.evaluate(BROKEN_WORDS) == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360
    opened.page.evaluate(
        "for (const name of document.querySelectorAll('.readout b')) name.textContent = 'Long-name-'.repeat(6)"
    )
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360
    before = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    picture = opened.picture("convergence")
    opened.page.click("#theme")
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    assert opened.picture("convergence") != picture
    assert opened.complaints == []
    opened.page.close()


def test_every_number_is_in_a_table(opened: Opened, results: Path) -> None:
    """Each number in the page is that of a CSV file beside it, as far as it is printed, or says how things are done."""
    opened.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    apart = "#data details, nav, footer, .chart, .readout, .controls"
    opened.page.evaluate(f"document.querySelectorAll('{apart}').forEach(each => each.remove())")
    text = opened.page.locator("main").inner_text().replace("\N{NON-BREAKING HYPHEN}", "-")
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    shown = set(re.findall(r"(?<![\w.])[-\N{MINUS SIGN}]?\d+(?:\.\d+)?(?:e[-+]?\d+)?", text)) - CONSTANTS
    assert len(shown) > 100
    there, printed = values(results)
    missing = [number for number in shown if number not in printed and not found(number, there)]
    assert missing == []


def values(results: Path) -> tuple[np.ndarray[Any, Any], set[str]]:
    """All numbers of the CSV files: of data frames as numbers, of printed tables and texts as they are there."""
    numbers, printed = [], set()
    for path in (results / "tables").glob("*.csv"):
        printed.update(re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", path.read_text()))
        frame = pd.read_csv(path)
        numbers += [frame[name].dropna().to_numpy(float) for name in frame.select_dtypes("number")]
    return np.unique(np.concatenate(numbers)), printed


def found(shown: str, there: np.ndarray[Any, Any]) -> bool:
    """Whether a number rounds to what is shown."""
    mantissa, _, exponent = shown.replace("\N{MINUS SIGN}", "-").partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    distance = np.abs(there - float(f"{mantissa}e{exponent or 0}"))
    return bool(distance.min() <= 0.5 * unit * (1 + 1e-6))


def test_data_and_printed_tables_have_files_of_their_own(results: Path) -> None:
    """No printed table takes the place of the data frame that it is made from."""
    for name in (name for section in all_sections() for name in section.frames):
        assert not (results / "tables" / f"{name}.tex").exists(), name


@pytest.mark.parametrize("kind", ["tables", "figures"])
def test_folders_have_a_page_of_their_files(results: Path, kind: str) -> None:
    """A link to each file, for web servers that show no folders; the report links to the page."""
    page = (results / kind / "index.html").read_text()
    links = {unquote(link) for link in re.findall(r'<a href="([^"]+)"', page)}
    assert links == {path.name for path in (results / kind).iterdir()} - {"index.html"} | {"../index.html"}
    assert f'href="{kind}/index.html"' in (results / "index.html").read_text()


def test_the_papers_study_is_held_against_it(results: Path, tmp_path: Path) -> None:
    """Of its algorithms alone: mean ranks beside those printed, as table and frame."""
    shutil.copytree(results.parent, tmp_path / "results")
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
        assert rows["difference"].to_list() == pytest.approx((rows["ours"] - rows["paper"]).to_list())
        cells = [f"{value:.2f}" for pair in zip(rows["paper"], rows["ours"], strict=True) for value in pair]
        line = rf"{D}-D, {re.escape(latex_text(str(scenario)))} & " + " & ".join(
            rf"(?:\\textbf{{)?{cell}}}?" for cell in cells
        )
        assert re.search(line, tex), line
    page = (report / "index.html").read_text()
    assert 'id="publication"' in page
    assert "as its authors ran it" not in page
    assert "\\n" not in re.sub("<script.*?</script>", "", page, flags=re.DOTALL)  # a line's end that was escaped


def test_the_paper_is_not_in_a_study_of_others(opened: Opened, results: Path) -> None:
    """Where a stranger's algorithm is compared with some of the paper's, no table or sentence is about the paper."""
    assert not list((results / "tables").glob("*paper*"))
    assert opened.page.locator("#publication").count() == 0
    opened.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    text = opened.page.locator("main").inner_text()
    assert "In the paper" not in text
    assert not re.search(r"Table \d", text)


def test_first_screen(opened: Opened, results: Path) -> None:
    """A sentence names the lowest mean rank; the strip has the mean ranks of the table, in their order, as chosen."""
    page = opened.page
    overall = pd.read_csv(results / "tables" / "overall_ranks.csv")
    leader = overall[overall["scenario"] == "40·D"].sort_values("mean_rank", kind="stable").iloc[0]
    headline = page.locator(".headline").inner_text()
    lowest = rf"{leader['algorithm']}( has| and \w+ have) the lowest mean rank over 3 functions in 2-D and 3-D, "
    assert re.search(rf"{lowest}{leader['mean_rank']:.2f}, before ", headline.replace("\N{NON-BREAKING HYPHEN}", "-"))
    assert page.locator("#first-chart canvas").bounding_box()["y"] < 700  # type: ignore[index]
    assert page.locator("details[open]").count() == 0
    ranks = pd.read_csv(results / "tables" / "mean_ranks.csv")
    seen = set()
    for D, scenario in ((3, "40·D"), (2, "25·D"), (2, "#FE_t/3")):
        page.select_option("#first-dimension", str(D))
        page.select_option("#first-budget", scenario)
        of = ranks[(ranks["dimension"] == D) & (ranks["scenario"] == scenario)].set_index("algorithm")["mean_rank"]
        order = str(page.locator("#first-ranks").get_attribute("data-order")).split()
        assert set(order) == set(of.index)
        assert of[order].is_monotonic_increasing
        titles = page.locator("#first-ranks rect title").all_text_contents()
        assert titles == [f"{name}: {of[name]:.2f}" for name in order]
        seen.add(opened.picture("first"))
    assert len(seen) == 3
    assert opened.complaints == []


def test_one_algorithm(browser: Browser, results: Path, tmp_path: Path) -> None:
    """Alone it has no ranks; its run lengths are there, and nothing complains."""
    shutil.copytree(results.parent, tmp_path / "results")
    assert sacma("postprocess", "--no-pages", "--no-pdf", "--algorithms", "GP-5", cwd=tmp_path).returncode == 0
    opened = Opened(browser, tmp_path / "results" / "report", viewport={"width": 1000, "height": 900})
    assert opened.page.locator(".headline").inner_text().startswith("GP-5 alone")
    assert opened.page.locator("#first-ranks").count() == 0
    assert opened.page.locator("#pair-chart").count() == 0
    seen = {opened.picture("first")}
    opened.page.select_option("#first-dimension", "3")
    opened.page.select_option("#first-group", "separable")
    seen.add(opened.picture("first"))
    assert len(seen) == 2
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
    for option in page.locator("option").all_text_contents():
        assert "FEt" not in option
        assert "FE_t" not in option
    assert "(-0.0)" not in page.locator("main").inner_text()
    name = page.locator(".name", has_text="ADA-Kendall").first
    assert name.evaluate("each => getComputedStyle(each).whiteSpace") == "nowrap"


@pytest.mark.parametrize("width", [1400, 800, 390])
def test_nothing_is_wider_than_its_column(browser: Browser, results: Path, width: int) -> None:
    """At no width does the page scroll sideways, nor do drawings leave their places, nor does the script complain."""
    opened = Opened(browser, results, viewport={"width": width, "height": 900})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    wider = opened.page.evaluate(
        "[...document.querySelectorAll('.chart svg, .chart canvas, .picture')].filter(each => "
        "each.getBoundingClientRect().right > document.querySelector('main').getBoundingClientRect().right).length"
    )
    assert wider == 0
    sizes = opened.page.evaluate(
        "[...document.querySelectorAll('.chart svg text')].map(each => each.getBoundingClientRect())"
        ".filter(box => box.width && (box.left < 0 || box.right > innerWidth)).length"
    )
    assert sizes == 0
    assert opened.complaints == []
    opened.page.close()


def test_charts_hold_what_the_tables_hold(results: Path) -> None:
    """The data in the page are those of convergence.csv and ecdf.csv, to four digits."""
    data = data_of((results / "index.html").read_text())
    table = pd.read_csv(results / "tables" / "convergence.csv")
    count = 0
    for (D, f, name), curve in table.groupby(["dimension", "function", "algorithm"]):
        of_dimension = data["convergence"]["dimensions"][str(D)]
        changes = of_dimension["functions"][str(f)][name]
        low, median, high = (10 ** (np.cumsum(each) / data["convergence"]["parts"]) for each in changes)
        assert of_dimension["x"] == pytest.approx(curve["evaluations_per_dimension"].to_list(), rel=1e-4)
        for values, column in ((low, "lower_quartile"), (median, "median"), (high, "upper_quartile")):
            assert values == pytest.approx(curve[column].to_list(), rel=1e-3)
            count += len(values)
    assert count == 3 * len(table)
    reached = pd.read_csv(results / "tables" / "ecdf_functions.csv")
    for (D, f, name), curve in reached.groupby(["dimension", "function", "algorithm"]):
        of_dimension = data["ecdf"][str(D)]
        assert of_dimension["targets"][str(f)] == curve["targets"].iloc[0]
        steps = np.cumsum(of_dimension["functions"][str(f)][name]) / 1000
        at = np.searchsorted(of_dimension["x"], curve["evaluations_per_dimension"] * (1 - 1e-4))
        kept = at < len(steps)
        assert steps[at[kept]] == pytest.approx(curve["reached"][kept].to_numpy(), abs=1e-3)
        assert steps[-1] == pytest.approx(curve["reached"].iloc[-1], abs=1e-3)


def test_docs_show_what_works(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The Python blocks of docs/report.md run, on these results, and print tables."""
    text = (CONFIGS.parent / "docs" / "report.md").read_text().replace("results/quick", str(results.parent))
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(compile(block, "report.md", "exec"), {})  # noqa: S102 our own text
        assert capsys.readouterr().out


def test_outlines_of_characters_are_there_once(opened: Opened, results: Path) -> None:
    """The figures of the page share the outlines of characters, and look as their files do."""
    text = (results / "index.html").read_text()
    data = data_of(text)
    assert len(data["glyphs"]) > 30
    assert not any('id="DejaVuSans' in figure["svg"] for figures in data["figures"].values() for figure in figures)
    shown = str(opened.page.locator("#figure-ranks").get_attribute("src")).partition(",")[2]
    drawing = unquote(shown)
    used = set(re.findall(r'href="#(DejaVuSans[\w-]*)"', drawing))
    there = outlines(drawing)
    assert used
    assert used == set(there)
    assert there == outlines((results / "figures" / "mean_ranks_target.svg").read_text())


def outlines(svg: str) -> dict[str, str]:
    """Outlines of characters that a drawing has, by name."""
    found = re.findall(r'<path id="(DejaVuSans[\w-]*)"([^>]*)/>', svg)
    return {name: " ".join(path.split()) for name, path in found}
