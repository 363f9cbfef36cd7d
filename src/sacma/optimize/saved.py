"""Journals and saved optimizers: JSON lines, a header and then one an evaluation, and no more.

The header is the call, its limits and versions; whatever in it is not as it was written is refused. The line of an
evaluation has a number, counted from 1 in the order in which the run asks for points; the point; and the value, or why
the evaluation failed. Lines stand in the order in which evaluations ended, which differs where several run at a time.
"""

import fcntl
import json
import math
import os
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import IO, Any

from sacma import __version__
from sacma.errors import RunError
from sacma.files.atomic import write_atomically
from sacma.files.printable import one_line, shown
from sacma.files.untrusted import open_regular
from sacma.optimize.arguments import initial_point, named, refuse
from sacma.optimize.call import Call, Limits, check_size, checked_call, checked_limits, checked_sigma, with_noise
from sacma.optimize.constraints import MOST_CONSTRAINTS, Constraints
from sacma.optimize.evaluation import Evaluated, Known, as_arrays, constraints_of_all
from sacma.optimize.evaluation_lines import (
    evaluation_in,
    evaluation_line,
    json_of,
    longest_line,
    real,
    refuse_key,
    to_line,
)
from sacma.optimize.methods import class_name
from sacma.optimize.saved_method import METHOD, method_as_json, method_in, own_method
from sacma.optimize.space import space_as_json, space_of
from sacma.optimize.versions import differing, versions
from sacma.strategy.settings import StrategySettings
from sacma.surrogate.whitening import Array

FORMAT = "sacma-journal-7"  # format of the header; a reader of another refuses it
LONGEST_VERSION = 100  # characters of a version, or of a package's name

CALL = (
    *("x0", "sigma0", "lower", "upper", "scale", *METHOD, "seed", "archive", "space", "noisy"),
    "constraints",
)
LIMITS = tuple(field.name for field in fields(Limits))

LARGEST_JOURNAL = 1 << 30  # bytes: some million evaluations
LARGEST_HEADER = 64 << 20  # bytes: the header holds the archive

KINDS = ("<= 0", "== 0")
"""Constraints in a header, inequalities and equalities."""

_BEGINNING = f'{{"format": "{FORMAT}"'.encode()
"""Beginning of every journal, half a header included: no other file is ever taken for one."""

_AS_IT_WAS = "allowed: a journal of sacma as it was written, or a path without a file"


@dataclass(frozen=True, eq=False, repr=False)
class JournalContent:
    """Content of a journal."""

    header: Mapping[str, Any]  # call, limits and versions that it was written with
    evaluations: Known  # by number: point and evaluation, in the order in which they ended
    call: Call  # that the header is of; in place of a method whose class is the user's own, the default strategy

    def __repr__(self) -> str:
        return f"JournalContent({len(self.evaluations)} evaluations in {len(self.call.x0)}-D)"

    @property
    def own_class(self) -> str | None:
        """Name of the user's own class that the settings of the method are of; None: they are of an installed one."""
        name: str | None = self.header["call"]["own_class"]
        return name

    def call_with(self, method: object, path: object) -> Call:
        """Return the call, with settings of the class of ``method`` where that is the user's own.

        Its budget is that of all evaluations, where calls with larger ones have gone on.

        Args:
            method: settings of this class, or None.
            path: of the file, for errors.

        Raises:
            TypeError, ValueError: ``method`` is not of this class, or None is needed or missing.
        """
        call = self.call
        if len(self.evaluations) > call.limits.budget:
            call = replace(call, limits=replace(call.limits, budget=len(self.evaluations)))
        if self.own_class is None:
            if method is not None:
                refuse("method", method, "None, as the file names all that its method is made of")
            return call
        if not isinstance(method, StrategySettings) or class_name(type(method)) != self.own_class:
            needed = f"settings of the class {shown(self.own_class)}, with which this file was written"
            refuse("method", method, f"{needed}: no file brings a class")
        try:
            chosen = own_method(self.header["call"], type(method), call.sigma0, bounded=call.box.bounded)
        except ValueError as error:
            raise ValueError(
                f"path is {named(path)}, with settings that {self.own_class} does not allow: {error}; {_AS_IT_WAS}"
            ) from None
        call = replace(call, method=chosen)
        check_size(call)
        return call

    @property
    def points(self) -> Array:
        """All points in the order of their numbers, shape (n, D)."""
        return self.archive[0]

    @property
    def values(self) -> Array:
        """Their values, shape (n,), NaN where an evaluation failed."""
        return self.archive[1]

    @property
    def params(self) -> list[dict[str, Any]]:
        """Parameters of all points, in a space of named ones; without, an empty list."""
        space = self.call.space
        return [] if space is None else [space.params(point) for point in self.points]

    @property
    def archive(self) -> tuple[Array, ...]:
        """Points and values, with constraints also these, as ``archive=`` of another call takes them."""
        m = len(self.call.equalities)
        G = (constraints_of_all(self.evaluations, m),) if m else ()
        return *as_arrays(self.evaluations, len(self.call.x0)), *G

    @property
    def other_versions(self) -> str:
        """The packages that had another version when it was begun, for people; empty where none had."""
        return differing(self.header["versions"])

    def source(self, path: object) -> str:
        """Return ``path`` as errors name it: with the versions that it was written with, where they differ."""
        return named(path) + (f", written with {self.other_versions}" if self.other_versions else "")


def read_journal(path: str | os.PathLike[str]) -> JournalContent:
    """Return what the journal or the saved optimizer at ``path`` holds. It may be one that is being written to.

    Returns:
        An object with ``points``, shape (n, D); ``values``, shape (n,), NaN where an evaluation failed; ``archive``,
        which another call takes as its argument of that name; and in a ``space`` ``params``, a list of n dicts.

    Raises:
        TypeError: ``path`` is none.
        ValueError: there is no journal, or it is damaged.
    """
    where = checked_path("path", path)
    try:
        with os.fdopen(open_regular(where, most=LARGEST_JOURNAL), "rb") as file:
            content, _ = parsed(where, file, "path")
    except OSError as error:
        refuse("path", path, f"a journal that can be read: {error.strerror}")
    if content is None:
        refuse("path", path, "a journal; this file has not even a first line")
    return content


def write_state(path: str | os.PathLike[str], call: Call, evaluations: Known) -> None:
    """Write call and evaluations, all or nothing, in the form of a journal."""
    where = checked_path("path", path)
    try:
        fits = where.parent.is_dir() and (where.is_file() or not where.exists())
    except OSError:
        fits = False
    if not fits:
        refuse("path", path, "a file that can be written, in a folder that exists")
    if _is_in_use(where):
        refuse("path", path, "another file: this one is the journal of a run that is going on")
    lines = [header_line(call), *(evaluation_line(*line) for line in evaluations.items())]
    try:
        write_atomically(where, b"".join(lines))
    except RunError as error:
        refuse("path", path, f"a file that can be written: {error}")


def _is_in_use(path: Path) -> bool:
    """Return True if a run has the journal at ``path`` open."""
    try:
        with os.fdopen(open_regular(path, most=LARGEST_JOURNAL), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass  # no file, or a file system without locks
    return False


def checked_path(name: str, path: object) -> Path:
    """Return the path of a file."""
    if not isinstance(path, str | os.PathLike):
        refuse(name, path, "the path of a file", of_type=True)
    if not str(path) or "\0" in str(path):
        refuse(name, path, "the path of a file")
    return Path(path)


def header_line(call: Call) -> bytes:
    """Return the first line of a journal; refuse a call, or an archive, that is too large for one."""
    check_size(call)
    limits = {name: value if math.isfinite(value) else None for name, value in asdict(call.limits).items()}
    top = {"format": FORMAT, "sacma": __version__, "versions": versions(), "limits": limits, "call": as_json(call)}
    header = to_line(top)
    if len(header) > LARGEST_HEADER:
        given = f"{len(header) >> 20} MiB large, as it is written"
        refuse("archive", given, f"at most {LARGEST_HEADER >> 20} MiB, to be written to a journal")
    return header


def parsed(path: Path, file: IO[bytes], name: str) -> tuple[JournalContent | None, int]:
    """Return what is whole of a journal, None without a header, and the number of bytes that it takes.

    What no run writes is a ValueError, with ``name``, the argument, and its ``path``.
    """
    which = f"{name} is {named(path)}"
    beginning = file.read(40)
    if beginning[: len(_BEGINNING)] != _BEGINNING[: len(beginning)]:
        raise ValueError(f"{which}, which begins with {shown(beginning)}; {_AS_IT_WAS}")
    file.seek(0)
    first = file.readline(LARGEST_HEADER + 1)
    if not first.endswith(b"\n") and len(first) <= LARGEST_HEADER:
        return None, 0
    try:
        header = json_of(first, LARGEST_HEADER)
        call = call_of(header)
    except ValueError as error:
        raise ValueError(f"{which}, with a header that is damaged (line 1): {error}; {_AS_IT_WAS}") from None
    evaluations: dict[int, Evaluated] = {}
    m = len(call.equalities)
    most = longest_line(len(call.x0) + m)
    size, line = len(first), file.readline(most + 1)
    while line.endswith(b"\n") or len(line) > most:
        following = file.readline(most + 1)
        try:
            number, evaluation = evaluation_in(json_of(line, most), len(call.x0), m, evaluations)
        except ValueError as error:
            torn = isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
            if torn and not following.endswith(b"\n") and len(following) <= most:
                break  # the last line was not written to its end, on a file system that loses the order of writes
            where = f"line {len(evaluations) + 2} is {shown(line[:80])}"
            raise ValueError(f"{which}, of which {where}: {error}; {_AS_IT_WAS}") from None
        evaluations[number] = evaluation
        size += len(line)
        line = following
    return JournalContent(header, evaluations, call), size


def as_json(call: Call) -> dict[str, Any]:
    """Return all of a call but its limits: floats come back from JSON to the bit."""
    return {
        "x0": call.x0.tolist(),
        "sigma0": call.sigma0,
        "lower": _open(call.box.lower),
        "upper": _open(call.box.upper),
        "scale": call.box.scale.tolist(),
        **method_as_json(call.method),
        "seed": call.seed,
        "archive": None if call.archive is None else [part.tolist() for part in call.archive],
        "space": None if call.space is None else space_as_json(call.space),
        "noisy": {"budget": int(call.limits.budget)} if call.noisy else None,  # which divides the run
        "constraints": [KINDS[equal] for equal in call.equalities],
    }


def _open(bounds: Array) -> list[float | None]:
    return [float(bound) if math.isfinite(bound) else None for bound in bounds]


def call_of(header: object) -> Call:
    """Return the call of a header; a ValueError names the key that is damaged."""
    try:
        top = _keys("the header", header, ("format", "sacma", "versions", "limits", "call"))
        if top["format"] != FORMAT:
            refuse_key("format", top["format"], FORMAT)
        _check_text("sacma", top["sacma"])
        _check_versions(top["versions"])
        limits = checked_limits(**_keys("limits", top["limits"], LIMITS))
        given = _keys("call", top["call"], CALL)
        call = _with_noise(_call_of(given, limits), given["noisy"])
    except TypeError as error:
        raise ValueError(str(error)) from None
    check_size(call)
    return call


def _call_of(given: Mapping[str, Any], limits: Limits) -> Call:
    x0 = initial_point(_vector("x0", given["x0"]))
    scale = _vector("scale", given["scale"], len(x0))
    lower, upper = (_vector(side, given[side], len(x0), or_none=True) for side in ("lower", "upper"))
    sigma0 = checked_sigma(real("sigma0", given["sigma0"]))
    bounded = any(bound is not None for bound in lower + upper)
    method = method_in(given, sigma0, bounded=bounded)
    seed, archive, equalities = given["seed"], given["archive"], _equalities(given["constraints"])
    if type(seed) is not int:
        refuse_key("seed", seed, "an integer")
    if archive is not None:
        X, y, *G = _list("archive", archive, 3 if equalities else 2)
        y = _vector("archive[1]", y)
        X = _rows("archive[0]", X, len(y), len(x0))
        archive = X, y, *(_rows("archive[2]", each, len(y), len(equalities)) for each in G)
    chosen = {"method": method, "population_size": None, "seed": seed, "archive": archive}
    chosen["constraints"] = Constraints(equalities)
    if given["space"] is not None:
        return _call_in_space(given, x0, sigma0, limits, chosen)
    return checked_call(x0, sigma0, limits, bounds=list(zip(lower, upper, strict=True)), scale=scale, **chosen)


def _call_in_space(
    given: Mapping[str, Any], x0: Array, sigma0: float, limits: Limits, chosen: Mapping[str, Any]
) -> Call:
    """Return a call whose bounds and scale follow from its space; others are refused."""
    described = _list("space", given["space"])
    if any(not isinstance(one, dict) for one in described) or len(described) > len(x0):
        refuse_key("space", given["space"], "a list of parameters")
    space = space_of(described)
    call = checked_call(x0, sigma0, limits, bounds=None, scale=None, space=space, **chosen)
    written = as_json(call)
    for key in ("lower", "upper", "scale", "space"):
        if written[key] != given[key]:
            refuse_key(key, given[key], "that of its space")
    return call


def _with_noise(call: Call, given: object) -> Call:
    """Return the call as a noisy one, if it was: with the budget of its limits."""
    if given is None:
        return call
    budget = _keys("noisy", given, ("budget",))["budget"]
    if type(budget) is not int or budget != call.limits.budget:
        refuse_key("noisy.budget", budget, "that of the limits")
    return with_noise(call, noisy=True)


def _check_versions(given: object) -> None:
    if not isinstance(given, dict) or len(given) > LONGEST_VERSION:
        refuse_key("versions", given, "versions of packages, by name")
    for name, was in given.items():
        _check_text("a name of versions", name)
        _check_text(one_line(f"versions.{name}"), was)


def _check_text(key: str, value: object) -> None:
    if not isinstance(value, str) or len(value) > LONGEST_VERSION:
        refuse_key(key, value, f"text of at most {LONGEST_VERSION} characters")


def _keys(what: str, given: object, keys: Collection[str]) -> dict[str, Any]:
    """Return a JSON object that has these keys and no others."""
    if not isinstance(given, dict):
        refuse_key(what, given, f"an object with {', '.join(keys)}")
    if missing := [key for key in keys if key not in given]:
        raise ValueError(f"{what} has no {missing[0]}")
    if more := [key for key in given if key not in keys]:
        refuse_key(f"a key of {what}", more[0], ", ".join(keys))
    return given


def _list(key: str, given: object, length: int | None = None) -> list[Any]:
    if not isinstance(given, list) or length not in {None, len(given)}:
        refuse_key(key, given, "a list" if length is None else f"a list of {length}")
    return given


def _rows(key: str, given: object, rows: int, columns: int) -> list[Any]:
    """Return a matrix of finite numbers."""
    return [_vector(f"{key}[{i}]", row, columns) for i, row in enumerate(_list(key, given, rows))]


def _equalities(given: object) -> tuple[bool, ...]:
    """Return which constraints are equalities."""
    kinds = _list("constraints", given)
    if len(kinds) > MOST_CONSTRAINTS:
        refuse_key("constraints", given, f"a list of at most {MOST_CONSTRAINTS}")
    for kind in kinds:
        if kind not in KINDS:
            refuse_key("one of constraints", kind, " or ".join(KINDS))
    return tuple(kind == KINDS[True] for kind in kinds)


def _vector(key: str, given: object, length: int | None = None, *, or_none: bool = False) -> list[Any]:
    """Return a list of finite numbers."""
    numbers = list(_list(key, given, length))
    for i, value in enumerate(numbers):
        if not ((type(value) is float and math.isfinite(value)) or (or_none and value is None)):
            numbers[i] = real(f"{key}[{i}]", value)
    return numbers
