"""sacma algorithms: what a config can name, with its settings."""

from typing import TYPE_CHECKING

from sacma.cli.common import AlgorithmFiles, out

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


EXAMPLES = (
    "sacma algorithms",
    "sacma algorithms --algorithm-file examples/own_optimizer.py",
)


def algorithms(algorithm_file: AlgorithmFiles = None) -> None:
    """List what a config can name as its algorithm, with settings, defaults and what is allowed."""
    from sacma.algorithms.registry import ALGORITHMS  # noqa: PLC0415
    from sacma.config import Config, Protocol  # noqa: PLC0415
    from sacma.terminal import description  # noqa: PLC0415

    ALGORITHMS.add_files(algorithm_file or ())
    out.print(description("config", "the keys of a YAML file", Config, {}))
    known: dict[str, FieldInfo] = {}
    for name, algorithm in ALGORITHMS.items():
        ours = ALGORITHMS.origin(name) is None  # a setting of somebody else's may mean something else
        out.print(description(f"algorithm: {name}", algorithm.summary, algorithm.settings, known if ours else {}))
        known.update(algorithm.settings.model_fields if ours else {})
    out.print(description("protocol", "what is run, of any algorithm", Protocol, {}))
