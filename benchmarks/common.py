"""Arguments, tables and campaigns of the benchmarks."""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from joblib import cpu_count

from sacma.analysis.trials import Trial, our_trial
from sacma.config.nested import merged
from sacma.config.plan import plan
from sacma.config.study import Study
from sacma.experiment.run import run_campaign
from sacma.experiment.workers import LocalWorkers
from sacma.store.completeness import completeness_of, to_run
from sacma.store.store import Store

ROOT = Path(__file__).parent.parent
CONFIGS = ("cmaes", "gp1", "gp5", "ada_kl", "ada_kendall", "ada_rd")
TINY = "--tiny"


def parsed(parser: argparse.ArgumentParser, tiny: Mapping[str, Any], **defaults: Any) -> argparse.Namespace:
    """Return the arguments of a benchmark.

    Args:
        parser: of options that need more than a default.
        tiny: defaults with ``--tiny``, which shows that the benchmark runs.
        defaults: further options with their defaults; None stands for a number.
    """
    for name, default in defaults.items():
        option, kind = f"--{name.replace('_', '-')}", float if default is None else type(default)
        parser.add_argument(option, type=kind, default=default, help="default: %(default)s")
    parser.add_argument(TINY, action="store_true", help="a sample that only shows that it runs")
    if TINY in sys.argv[1:]:
        parser.set_defaults(**tiny)
    return parser.parse_args()


def arguments(description: str | None, tiny: Mapping[str, Any], **defaults: Any) -> argparse.Namespace:
    """Return the arguments of a benchmark whose options are all simple, as from ``parsed``."""
    return parsed(argparse.ArgumentParser(description=description), tiny, **defaults)


def named(option: str, given: str | None, known: Iterable[str], separator: str = ",") -> list[str]:
    """Return the names that an option gives, or all without it; end the script at an unknown one."""
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
    return [ROOT / "configs" / f"{name}.yaml" for name in names]


def markdown(*cells: str) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def markdown_head(first: str, *others: str) -> str:
    """Return the head of a Markdown table with numbers in all columns but the first."""
    return f"{markdown(first, *others)}\n{markdown('---', *['---:'] * len(others))}"


def shown(value: float, form: str = ".2f", *, bold: bool = False) -> str:
    """Return a number as a Markdown cell, empty where it is unknown: with a minus sign, no -0, and bold if it is best.

    >>> shown(-0.001), shown(-1.5), shown(2.0, bold=True)
    ('0.00', '−1.50', '**2.00**')
    """
    text = "" if value != value else f"{value:z{form}}".replace("-", "−")  # noqa: PLR0124 NaN
    return f"**{text}**" if bold and text else text


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows with the same keys as a table."""
    cells = [list(rows[0]), *([_text(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def changed(base: Study, suffix: str, settings: Mapping[str, Any]) -> Study:
    """Return a study with other settings, by dotted keys, and a suffix of its name."""
    valid = type(base.settings).model_validate(merged(base.settings.model_dump(exclude_unset=True), settings))
    return base.model_copy(update={"name": f"{base.name}-{suffix}", "settings": valid})


@dataclass(frozen=True)
class Campaign:
    """A folder of results, the protocol of the trials in it, and processes to run them."""

    store: Store
    protocol: dict[str, Any]
    jobs: int

    def trials_of(self, studies: Iterable[Study]) -> list[Trial]:
        """Run missing trials, and return all."""
        specs = plan(studies)
        todo = to_run(completeness_of(self.store, specs))
        self.store.prepare()
        print(f"{len(specs)} trials, {len(todo)} to run")
        with LocalWorkers(self.jobs) as workers:
            attempts = run_campaign(todo, self.store, workers=workers, retries=1)
            for done, _ in enumerate((attempt for attempt in attempts if attempt.last), 1):
                if done % 200 == 0:
                    print(f"{done}/{len(todo)}", flush=True)
        return [our_trial(*trial) for trial in completeness_of(self.store, specs).trials]


def campaign_of(
    parser: argparse.ArgumentParser, results: str, *, dimensions: str, instances: str, **tiny: str
) -> tuple[Campaign, argparse.Namespace]:
    """Return the campaign that the arguments of a benchmark describe, and all arguments.

    Args:
        parser: of the benchmark's own options.
        results: name of the default folder of results.
        dimensions: their default.
        instances: their default.
        tiny: further defaults of a tiny run, which is of f1, 2-D, instance 1, 10·D.
    """
    parser.add_argument("--results", type=Path, default=ROOT / "results" / results)
    small = {"functions": "1", "dimensions": "2", "instances": "1", "budget": 10, "jobs": 1}
    protocol = {"functions": "1-24", "dimensions": dimensions, "instances": instances, "budget": None}
    given = parsed(parser, small | tiny, **protocol, jobs=cpu_count())
    return Campaign(Store(given.results), {key: getattr(given, key) for key in protocol}, given.jobs), given
