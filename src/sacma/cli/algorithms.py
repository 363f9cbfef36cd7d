"""sacma algorithms: list algorithms and their settings."""

from pathlib import Path
from typing import TYPE_CHECKING

from sacma.cli.common import out

if TYPE_CHECKING:
    from sacma.cli.tables import FieldRow


EXAMPLES = (
    "sacma algorithms",
    "sacma algorithms --algorithm-file examples/own_optimizer.py",
)


def algorithms(algorithm_file: list[Path] | None = None) -> None:
    """List the algorithms that a config can name, with their settings, defaults and ranges."""
    from sacma.algorithms.registry import ALGORITHMS
    from sacma.cli.tables import description, field_rows, part_models
    from sacma.config.study import Config, Protocol

    ALGORITHMS.add_files(algorithm_file or ())
    out.print(description("config", "the keys of a YAML file", Config, set()))
    known: set[FieldRow] = set()
    for name, algorithm in ALGORITHMS.items():
        out.print(description(f"algorithm: {name}", algorithm.summary, algorithm.settings, known))
        known.update(field_rows(algorithm.settings))
        for title, summary, model in part_models(algorithm.settings):
            out.print(description(title, summary, model, known))
            known.update(field_rows(model))
    out.print(description("protocol", "what is run, of any algorithm", Protocol, set()))
