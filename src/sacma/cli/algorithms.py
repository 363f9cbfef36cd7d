"""sacma algorithms: what a config can name, with its settings."""

from typing import TYPE_CHECKING

from sacma.cli.common import out

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


def algorithms() -> None:
    """List what a config can name as its algorithm, with settings, defaults and what is allowed."""
    from sacma.algorithms.registry import ALGORITHMS  # noqa: PLC0415
    from sacma.config import Protocol, Study  # noqa: PLC0415
    from sacma.terminal import description  # noqa: PLC0415

    out.print(description("config", "the keys of a YAML file", Study, {}))
    known: dict[str, FieldInfo] = {}
    for name, algorithm in ALGORITHMS.items():
        out.print(description(f"algorithm: {name}", algorithm.summary, algorithm.settings, known))
        known.update(algorithm.settings.model_fields)
    out.print(description("protocol", "what is run, of any algorithm", Protocol, {}))
