"""Shared by the benchmarks: their option --tiny, a table, the same as JSON, and the machine it was taken on."""

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).parent
CONFIGS = ("cmaes", "gp1", "gp5", "ada_kl", "ada_kendall", "ada_rd")


TINY = "--tiny"


def parsed(parser: argparse.ArgumentParser, **tiny: Any) -> argparse.Namespace:
    """Return the arguments of a benchmark, which has an option ``--tiny`` beside its own.

    Args:
        parser: of its own options.
        tiny: their defaults in a tiny run, which shows that the benchmark runs, and nothing else.
    """
    parser.add_argument(TINY, action="store_true", help="a sample that only shows that it runs; writes no file")
    if TINY in sys.argv[1:]:
        parser.set_defaults(**tiny)
    return parser.parse_args()


def named(option: str, given: str | None, known: Iterable[str], separator: str = ",") -> list[str]:
    """Return the names that an option gives; all that are known if it is not there. Ends at one that is not known."""
    allowed = list(known)
    names = allowed if given is None else [name.strip() for name in given.split(separator)]
    if wrong := [name for name in names if name not in allowed]:
        wrong_ones, all_of_them = (f"{separator} ".join(which) for which in (wrong, allowed))
        end(f"{option}: {wrong_ones} unknown; allowed: {all_of_them}")
    return names


def end(message: str) -> NoReturn:
    """End a script at a wrong option, as argparse does."""
    print(f"{Path(sys.argv[0]).stem}: {message}", file=sys.stderr)
    sys.exit(2)


def config_paths(names: Sequence[str] = CONFIGS) -> list[Path]:
    """Return the paths of configs of the study."""
    return [ROOT.parent / "configs" / f"{name}.yaml" for name in names]


def markdown(*cells: str) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def markdown_head(first: str, *others: str) -> str:
    """Return the head of a Markdown table whose further columns are numbers."""
    return f"{markdown(first, *others)}\n{markdown('---', *['---:'] * len(others))}"


def bold(text: str, bold: bool) -> str:  # noqa: FBT001 of a cell
    """Return a number as a cell shows it: with a minus sign, no -0, and bold if it is the best."""
    text = text.removeprefix("-") if not text.strip("-0.") else text.replace("-", "−")
    return f"**{text}**" if bold else text


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print ``rows``, which have the same keys, as a table."""
    cells = [list(rows[0]), *([_shown(value) for value in row.values()] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    for line in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def _shown(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def write(name: str, sample: Mapping[str, Any], **tables: Sequence[Mapping[str, Any]]) -> None:
    """Write ``out/NAME.json``: what was measured, on what, and the figures. A tiny run has none to be kept."""
    if TINY in sys.argv[1:]:
        print("tiny: nothing is written")
        return
    output = ROOT / "out" / f"{name}.json"
    output.parent.mkdir(exist_ok=True)
    output.write_text(json.dumps({"sample": dict(sample), "machine": machine(), **tables}, indent=1) + "\n")
    print(f"written to {output.relative_to(ROOT.parent)}")


def machine() -> dict[str, Any]:
    """Return what the figures depend on beside the code."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **{package: version(package) for package in ("numpy", "scipy", "numba", "cma", "scikit-learn")},
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
