"""A report and a browser to look at it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser

from tests.analysis.page.opened import Opened
from tests.commands import reported, sacma
from tests.conftest import CONFIGS

PROTOCOL = ("--functions", "1,8,15", "--dimensions", "2,3", "--instances", "1-2", "--budget", "40")

HOSTILE = "<script>document.title=1</script><img src=http://192.0.2.1/x.png>"


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the report of three algorithms and a stranger's data, with markup wherever a user can put text."""
    folder = tmp_path_factory.mktemp("report")
    configs = [CONFIGS / "cmaes.yaml", CONFIGS / "gp5.yaml", folder / "ada.yaml"]
    content = yaml.safe_load((CONFIGS / "ada_kendall.yaml").read_text()) | {"description": HOSTILE}
    configs[-1].write_text(yaml.safe_dump(content))
    assert sacma("run", *configs, *PROTOCOL, cwd=folder).returncode == 0
    theirs = folder / "<b>theirs"
    shutil.copytree(folder / "results" / "coco" / "GP-5", theirs)
    for index in theirs.rglob("*.info"):
        index.write_text(index.read_text().replace("'GP-5'", f"'{HOSTILE}'"))
    reported("--with", "Theirs=<b>theirs", cwd=folder)
    return folder / "results" / "report"


@pytest.fixture
def opened(browser: Browser, results: Path) -> Iterator[Opened]:
    """Open the report on a desk."""
    opened = Opened(browser, results, viewport={"width": 1200, "height": 900})
    yield opened
    opened.close()
