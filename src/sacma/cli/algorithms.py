"""sacma algorithms: what a config can name, with its settings."""

from sacma.cli.common import AlgorithmFiles, out


def algorithms(algorithm_file: AlgorithmFiles = None) -> None:
    """List what a config can name as its algorithm, with settings, defaults and what is allowed."""
    from sacma.algorithms.registry import ALGORITHMS  # noqa: PLC0415
    from sacma.config import Config, Protocol  # noqa: PLC0415
    from sacma.terminal import description  # noqa: PLC0415

    ALGORITHMS.add_files(algorithm_file or ())
    out.print(description("config", "the keys of a YAML file", Config, set()))
    known: set[str] = set()
    for name, algorithm in ALGORITHMS.items():
        out.print(description(f"algorithm: {name}", algorithm.summary, algorithm.settings, known))
        known.update(algorithm.settings.model_fields)
    out.print(description("protocol", "what is run, of any algorithm", Protocol, set()))
