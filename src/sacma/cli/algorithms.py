"""sacma algorithms: what a config can name, with its settings."""

from sacma.cli.common import out


def algorithms() -> None:
    """List what a config can name as its algorithm, with settings, defaults and what is allowed."""
    from sacma.algorithms.registry import ALGORITHMS  # noqa: PLC0415
    from sacma.config import Protocol, Study  # noqa: PLC0415
    from sacma.terminal import FieldRow, description, field_rows  # noqa: PLC0415

    out.print(description("config", "the keys of a YAML file", Study, set()))
    known: set[FieldRow] = set()
    for name, algorithm in ALGORITHMS.items():
        out.print(description(f"algorithm: {name}", algorithm.summary, algorithm.settings, known))
        known.update(field_rows(algorithm.settings))
    out.print(description("protocol", "what is run, of any algorithm", Protocol, set()))
