"""Texts of studies, records and data of others in all that the report writes: none of their control characters."""

import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sacma.analysis.comparison import Comparison, Covered, ExternalData, compare
from sacma.analysis.notes import notes
from sacma.analysis.postprocess import write_report
from sacma.analysis.table_format import Block, Cell, FormattedTable, Head, renderings
from sacma.coco.reader import CocoData, Curve
from sacma.config.plan import TrialSpec
from sacma.store.provenance import Environment, Manifest, Provenance
from sacma.store.store import Store
from sacma.store.stored_study import StoredStudy
from tests.analysis.made import Improvements, made
from tests.analysis.page.opened import data_of

# Control characters, marks of direction and of no width, and ends of lines.
STEERING = "".join(chr(code) for code in range(0x3000) if unicodedata.category(chr(code)) in {"Cc", "Cf", "Zl", "Zp"})

HOSTILE = f"<b>&{STEERING}\x1b[2J\udc80\U000e0001end"

NAME = "<b>\x1b[2J\0\r\n\x7f\x9b\u202e\u2028"  # of an algorithm: short, as it is measured and cut in figures

TEXTS = st.text(max_size=30).map(lambda text: f"{text}\x1b") | st.text(
    st.characters(categories=["Cc", "Cf", "Cs", "Co", "Zl", "Zp"]), min_size=1, max_size=10
)

# Of algorithms, which are in data frames: these cannot hold half of a character, nor can names.
NAMES = TEXTS.filter(lambda text: text.isascii() or text.encode("utf-8", "ignore").decode() == text)

FEW = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])

PROTOCOL: dict[str, object] = {"functions": "1-2", "dimensions": "2", "instances": "1-2", "budget": 30}


def unprintable(text: str) -> set[str]:
    return {character for character in text if not character.isprintable()} - {"\n"}


def of(spec: TrialSpec) -> Improvements:
    return [(1, 10.0), (20, 1.0 / spec.instance)]


def study(config: str, text: str) -> Covered:
    """Make up a study with a text wherever it has one."""
    stored, completeness = made(config, of, PROTOCOL, name=text)
    (part,) = stored.parts
    part = part.model_copy(update={"description": text, "algorithm": text})
    return StoredStudy((part,)), completeness


def manifest(text: str) -> Manifest:
    """Make up the provenance of a study, with a text wherever it has one."""
    blas = ((text, text), (text * 2, text))
    environments = [Environment(text + more, text, text, blas, (text,), text, text, text) for more in ("", "2")]
    trials = [(Provenance(environment, text, text, text), 1.0) for environment in environments]
    return Manifest(text, [{"name": text, text: [text]}], trials)


def theirs(text: str) -> ExternalData:
    curves = [Curve(f, 2, i, 60, np.array([1.0]), np.array([1.0])) for f in (1, 2, 3) for i in (1, 2)]
    data = CocoData(tuple(curves), text, (text,), {(2, 4): text}, all_curves=tuple(curves))
    return ExternalData(f"{text}3", Path(f"x{text}".replace("\0", "")), data)


def comparison() -> Comparison:
    foreign = replace(theirs(HOSTILE), name=f"{NAME}3")
    return compare([study("cmaes", NAME), study("gp5", f"{NAME}2")], [foreign])


def test_no_written_file_has_control_characters(tmp_path: Path) -> None:
    """All of them, in every text at once: page, tables and figures have none but ends of lines."""
    these = comparison()
    folder = tmp_path / "results\x1b[2J\u202e"
    written = write_report(Store(folder), these, [manifest(HOSTILE)], [*notes(these), HOSTILE], jobs=1)
    files = [path for path in written.page.parent.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".html", ".csv", ".tex", ".md", ".svg", ".pdf"}
    for path in files:
        assert unprintable(path.name) == set()
        if path.suffix != ".pdf":
            assert unprintable(path.read_bytes().decode()) == set(), path
    page = written.page.read_text()
    assert "\\x1b[2J" in page
    texts: list[str] = []
    gather(data_of(page), texts)
    assert set().union(*map(unprintable, texts)) == set()
    assert any("\\x1b[2J" in text for text in texts)


def gather(value: object, texts: list[str]) -> None:
    if isinstance(value, str):
        texts.append(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            gather([key, item], texts)
    elif isinstance(value, list):
        for item in value:
            gather(item, texts)


@FEW
@given(text=TEXTS)
def test_any_text_in_a_table(text: str) -> None:
    """In all forms of a table, and a row stays a row."""
    table = FormattedTable(
        "name", text, text, (Block(((Head(text), Head(text, 2)),), ((Cell(text), Cell(text), Cell(text)),)),)
    )
    plain_one = replace(table, title="", caption="", blocks=(Block(((Head("x"), Head("x", 2)),), ((Cell("x"),) * 3,)),))
    for kind, content in renderings(table).items():
        assert unprintable(content) == set()
        assert content.count("\n") == renderings(plain_one)[kind].count("\n")
