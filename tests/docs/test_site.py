"""The documentation as a whole: links lead somewhere, pages follow the code, and what is public is described."""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from sacma.analysis.statistics.posthoc import bergmann_hommel, friedman_posthoc, shaffer
from sacma.analysis.statistics.ranks import iman_davenport
from sacma.strategy.generation_control import GenerationControl
from tests.docs.pages import PAGES, ROOT, blocks

LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_dead_link(page: Path) -> None:
    """Files exist, and headings that are pointed at."""
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    pictures = re.findall(r'<(?:img|source) [^>]*src(?:set)?="([^"]*)"', prose)
    for target, anchor in [*LINK.findall(prose), *((picture, "") for picture in pictures)]:
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), f"{page.name}: {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", path.read_text(), flags=re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
            assert anchor[1:] in slugs, f"{page.name}: {target}{anchor}"


def test_every_page_is_on_the_site() -> None:
    """And the site has no page that is not there."""
    content = (ROOT / "mkdocs.yml").read_text()
    listed = set(re.findall(r"[\w/]+\.md", content[content.index("nav:") :]))
    assert listed == {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert yaml.safe_load(content)["docs_dir"] == "docs"
    home, *others = listed_pages(yaml.safe_load(content)["nav"])
    assert home == {"Home": "index.md"}
    assert all(isinstance(entry, str) for entry in others), "titles are those of the pages"


def listed_pages(navigation: list[Any]) -> Iterator[Any]:
    """Entries of the navigation without its parts."""
    for entry in navigation:
        (content,) = entry.values() if isinstance(entry, dict) else (entry,)
        yield from listed_pages(content) if isinstance(content, list) else [entry]


def test_pictures_are_light() -> None:
    """And a narrow form is that of a picture."""
    images = sorted((ROOT / "docs" / "images").iterdir())
    assert [image.name for image in images if image.stat().st_size > 150_000] == []
    narrow = [image for image in images if image.stem.endswith("_narrow")]
    assert len(narrow) > 5
    assert all(image.with_stem(image.stem.removesuffix("_narrow")) in images for image in narrow)


def test_reference_follows_the_code() -> None:
    """The pages that are made from the code are up to date."""
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "reference.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_algorithm_1_is_shown_as_the_code_has_it() -> None:
    """Each line of the page's excerpt is one of the code, in its order."""
    (shown,) = (block.text for block in blocks(ROOT / "docs" / "algorithm.md") if block.language == "text")
    lines = iter(line.strip() for line in inspect.getsource(GenerationControl).splitlines())
    for line in shown.splitlines():
        assert line.strip() in lines, line


def test_the_algorithm_sacma_is_shown_as_it_is_shipped() -> None:
    """The config on its page is the file, but for the description."""
    (shown,) = (block.text for block in blocks(ROOT / "docs" / "sacma_algorithm.md") if block.language == "yaml")
    shipped = yaml.safe_load((ROOT / "configs" / "sacma.yaml").read_text())
    assert yaml.safe_load(shown) | {"description": shipped["description"]} == shipped


def test_every_public_name_of_the_python_page_has_a_docstring() -> None:
    """And is there."""
    page = (ROOT / "docs" / "reference" / "python.md").read_text()
    for name in re.findall(r"^::: (\S+)", page, flags=re.MULTILINE):
        module, _, attribute = name.rpartition(".")
        try:
            documented = getattr(import_module(module), attribute)
        except AttributeError:
            documented = import_module(name)
        assert inspect.getdoc(documented), name


def test_data_of_the_comparison_give_its_ranks_and_tests() -> None:
    """Mean ranks, and how often sacma is significantly ahead, among six and among all, from the medians as they are."""
    folder = ROOT / "docs" / "data"
    table = pd.read_csv(folder / "comparison.csv").set_index(["dimension", "function", "evaluations"])
    per_dimension = table.index.get_level_values("evaluations") / table.index.get_level_values("dimension")
    budgets = {10: "10·D", 25: "25·D", 50: "50·D", 83: "83.33·D", 125: "125·D", 250: "250·D"}
    scenario = [budgets[round(each)] for each in per_dimension]
    published = pd.read_csv(folder / "comparison_ranks.csv")
    six = ["sacma", "aCMA-ES", "ADA-Kendall-active", "lq-CMA-ES", "DTS-CMA-ES", "DTS-aCMA-ES"]
    ahead = {(among, other): 0 for among in ("six", "all") for other in six[1:]}
    for (D, at), everywhere in table.groupby(["dimension", scenario]):
        values = everywhere.dropna(axis="columns")
        ranks = values.rank(axis="columns").mean().to_dict()
        of_place = published[(published["dimension"] == D) & (published["scenario"] == at)]
        printed = dict(zip(of_place["algorithm"], of_place["mean_rank"], strict=True))
        assert ranks == pytest.approx(printed, abs=0.00051)
        for among, names in [] if at == "10·D" else [("six", six), ("all", list(values.columns))]:
            means = values[names].rank(axis="columns").mean()
            p = (bergmann_hommel if among == "six" else shaffer)(friedman_posthoc(values[names])).loc["sacma"]
            differ = iman_davenport(values[names]).significant
            for other in six[1:]:
                ahead[among, other] += bool(differ and means["sacma"] < means[other] and p[other] < 0.05)
    of_six, of_all = ([ahead[among, other] for other in six[1:]] for among in ("six", "all"))
    page = (ROOT / "docs" / "comparison.md").read_text()
    assert f"| tested among | {' | '.join(six[1:])} |" in page
    for row, counted in (
        ("these six (Bergmann and Hommel)", of_six),
        ("all 26, of 325 pairs (Shaffer)", of_all),
    ):
        (line,) = (line for line in page.splitlines() if line.startswith(f"| {row}"))
        assert line.endswith(f" | {' | '.join(map(str, counted))} |")
