"""Compilation of the surrogate before the first trial, where its machine code is not on disk yet.

Numba keeps it in ``NUMBA_CACHE_DIR``, beside the module or in the user's cache folder, and all processes share it.
Where it is missing, each worker would make it for itself, within the time of a trial that may be limited.
"""

import contextlib
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path

from sacma.algorithms.registry import ALGORITHMS
from sacma.config.plan import TrialSpec
from sacma.experiment.children import child
from sacma.files.checksum import is_whole
from sacma.files.untrusted import read_file
from sacma.surrogate import SLOW_TO_COMPILE
from sacma.surrogate.covariances import USUAL, title_of

SECONDS_TO_COMPILE = 12.0
"""For a likelihood."""

_WITH_TREND = {"gaussian-process": False, "warped-process": False, "quadratic-process": True}
"""Models by the beginning of their name in the settings of an algorithm; True: their likelihood has a trend."""


def make_compiled_code(specs: Iterable[TrialSpec], say: Callable[[str], None]) -> None:
    """Compile what the algorithms of ``specs`` need, in a process of its own, unless it is on disk; ``say`` so."""
    algorithms = {(spec.algorithm, spec.settings) for spec in specs if not spec.version}
    needed = sorted((name, settings) for name, settings in algorithms if _lacking(settings))
    if not needed:
        return
    with child(_compile, needed) as (_, messages), contextlib.suppress(EOFError):  # which is its end
        while True:
            say(messages.recv())


def seconds_to_compile(specs: Iterable[TrialSpec]) -> float:
    """Return about how long ``make_compiled_code`` of ``specs`` will take."""
    settings = {spec.settings for spec in specs if not spec.version}
    return SECONDS_TO_COMPILE * len(set[bool]().union(*map(_lacking, settings)))


def _lacking(settings: str) -> set[bool]:
    """Return which likelihoods of the models in ``settings`` are not on disk, by whether they have a trend."""
    trends = {trend for name, trend in _WITH_TREND.items() if f'"name":"{name}' in settings}
    return {trend for trend in trends if not is_compiled(trend=trend)}


def is_compiled(*, trend: bool = False) -> bool:
    """Return True where the machine code of the likelihood, or of its copy with a ``trend``, is whole on disk.

    As far as can be told without loading Numba, which is slow.
    """
    module, function = SLOW_TO_COMPILE
    spec = find_spec(module)
    try:
        made_by = version("numba").encode()
    except PackageNotFoundError:
        return False
    if spec is None or spec.origin is None:
        return False
    source = Path(spec.origin)
    title = title_of(USUAL, trend=True) if trend else source.stem
    pattern = f"{title}.{function}-*.py{sys.version_info.major}{sys.version_info.minor}*.nbi"
    for index in (index for folder in _folders(source) for index in folder.glob(pattern)):
        with contextlib.suppress(OSError):
            # Its first lines name the version that wrote it; one that is older than its source is not used.
            if index.stat().st_mtime < source.stat().st_mtime or made_by not in (content := read_file(index))[:100]:
                continue
            code = [read_file(path) for path in index.parent.glob(f"{index.stem}.*.nbc")]
            if code and all(map(is_whole, [content, *code])):
                return True
    return False


def _folders(source: Path) -> Iterator[Path]:
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        yield from Path(given).glob("*/")
        return
    yield source.parent / "__pycache__"
    with contextlib.suppress(RuntimeError):  # no home
        yield from (Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numba").glob("*/")


def _compile(connection: Connection, algorithms: Iterable[tuple[str, str]]) -> None:
    """Compile, in a process started for it."""

    def forward(record: logging.LogRecord) -> bool:
        connection.send(record.getMessage())
        return False  # it is shown nowhere else

    logger = logging.getLogger("sacma")
    logger.setLevel(logging.INFO)
    logger.addFilter(forward)
    with contextlib.suppress(Exception):  # trials will meet it again, and say what it is
        for name, settings in algorithms:
            algorithm = ALGORITHMS[name]
            algorithm.prepare(algorithm.settings.model_validate_json(settings))
