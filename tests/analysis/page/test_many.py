"""Of many algorithms the page shows what the command line computes, too."""

from pathlib import Path

import pandas as pd
import pytest
import yaml
from playwright.sync_api import Browser

from tests.analysis.page.opened import Opened
from tests.analysis.page.test_choosing import close_to, functions_table, log_medians
from tests.browser import needs_chromium
from tests.commands import blank_figures, sacma

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the report of ten algorithms whose trials are close together."""
    folder = tmp_path_factory.mktemp("many")
    names = [f"R{n}" for n in range(10)]
    for name in names:
        (folder / f"{name}.yaml").write_text(yaml.safe_dump({"name": name, "algorithm": "random-search"}))
    configs = [folder / f"{name}.yaml" for name in names]
    protocol = ("--functions", "3,16", "--dimensions", 5, "--instances", "1-8", "--budget", 10)
    assert sacma("run", *configs, *protocol, cwd=folder).returncode == 0
    with blank_figures():
        assert sacma("postprocess", "--no-pages", "--no-pdf", cwd=folder).returncode == 0
    return folder / "results" / "report"


def test_medians_and_ranks(browser: Browser, many: Path) -> None:
    opened = Opened(browser, many, viewport={"width": 1400, "height": 900})
    ranks = pd.read_csv(many / "tables" / "function_ranks.csv").query("scenario == '10·D'")
    for kind, table in (
        ("median", log_medians(many / "tables", 5, "10·D")),
        ("rank", ranks.pivot(index="function", columns="algorithm", values="rank")),
    ):
        opened.page.select_option("#functions-show", kind)
        assert functions_table(opened.page) == close_to(table)
    assert opened.page.locator("#final-chart circle").count() == 80
    opened.page.close()
