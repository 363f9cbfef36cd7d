"""YAML files: content, line numbers of keys, and error messages that name them."""

import difflib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from sacma.config.nested import Location, resolve
from sacma.errors import SacmaError
from sacma.files.printable import one_line, shown
from sacma.files.untrusted import read_file

MOST_BYTES = 256 << 10  # largest YAML file: a hundred times any config
DEEPEST = 30  # levels of lists and mappings
LONGEST_KEY, LONGEST_REASON = 80, 800  # characters of a key and of a reason in a message


@dataclass(frozen=True)
class Document:
    """A parsed YAML file: its outermost mapping, and the lines of its keys and list entries."""

    path: Path
    content: dict[str, Any]
    lines: Mapping[Location, int]

    def where(self, location: Location) -> str:
        """Return file, line and key for an error; the line of the enclosing key if the key itself is missing."""
        within = (location[:n] for n in range(len(location), 0, -1))
        line = next((self.lines[outer] for outer in within if outer in self.lines), None)
        key = ".".join(one_line(part, LONGEST_KEY) for part in location)
        return ": ".join(filter(None, [f"{self.path}:{line}" if line else f"{self.path}", key]))

    def error(self, location: Location, reason: object) -> SacmaError:
        """Return an error that names file, line and key."""
        return SacmaError(f"{self.where(location)}: {reason}")


class _Loader(yaml.SafeLoader):
    """YAML with numbers as YAML 1.2 reads them, without aliases and tags, and of bounded depth.

    YAML 1.1, PyYAML's, reads 1e-8 as text, 010 as 8 and 1:30 as 90. Aliases can make a short file arbitrarily large.
    """

    _depth = 0

    yaml_implicit_resolvers = {  # noqa: RUF012 PyYAML's way
        first: [(tag, form) for tag, form in resolvers if tag.rpartition(":")[2] not in {"int", "float"}]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose the next node, unless it is an alias or too deep."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        problem = ""
        if isinstance(event, yaml.AliasEvent):
            problem = f"*{one_line(event.anchor or '', LONGEST_KEY)} is an alias; write its value out"
        elif event.tag not in {None, "!"}:
            problem = f"{one_line(event.tag, LONGEST_KEY)} is a tag; write a plain value"
        elif self._depth == DEEPEST:
            problem = f"it is nested more than {DEEPEST} levels deep"
        if problem:
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        self._depth += 1
        node: yaml.Node | None = super().compose_node(parent, index)
        self._depth -= 1
        return node


_FIRST = list("-+.0123456789")
_INTEGER = r"[-+]?(0|[1-9][0-9]*)$"
_FLOAT = r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?$|[-+]?\.(inf|Inf|INF)$|\.(nan|NaN|NAN)$"
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(_INTEGER), _FIRST)
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(_FLOAT), _FIRST)


def read_document(path: Path, kind: str, keys: Sequence[str]) -> Document:
    """Read a YAML file that is a mapping; ``kind`` and required ``keys`` (two or more) are for error messages.

    Too large or too deeply nested files, aliases, tags and duplicate keys are refused with a SacmaError.
    """
    try:
        text = read_file(path, MOST_BYTES).decode("utf-8")
    except FileNotFoundError:
        raise SacmaError(f"{path}: no such {kind} file; sacma init writes the shipped ones") from None
    except OSError as error:
        remedy = f"; name its {kind} files, like {path}/*.yaml" if path.is_dir() else ""
        raise SacmaError(f"{path}: cannot be read: {error.strerror}{remedy}") from None
    except UnicodeDecodeError as error:
        number = 1 + error.object[: error.start].count(b"\n")
        raise SacmaError(f"{path}:{number}: cannot be read: it is not UTF-8; save it as that") from None
    try:
        root, content = _parsed(text)
    except (yaml.YAMLError, ValueError) as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", error)
        line = f":{mark.line + 1}" if mark else ""
        raise SacmaError(f"{path}{line}: not valid YAML: {one_line(str(problem), LONGEST_REASON)}") from None
    if not isinstance(content, dict):
        needed = f"{', '.join(keys[:-1])} and {keys[-1]}"
        raise SacmaError(f"{path}: a {kind} is a mapping with at least the keys {needed}")
    lines: dict[Location, int] = {}
    _index(path, root, (), lines)
    return Document(path, content, lines)


def _parsed(text: str) -> tuple[yaml.Node | None, Any]:
    """Return the tree of a YAML text and its content."""
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        return root, None if root is None else loader.construct_document(root)
    finally:
        loader.dispose()


def _index(path: Path, node: yaml.Node | None, prefix: Location, lines: dict[Location, int]) -> None:
    """Collect the lines of all keys below ``node`` and refuse duplicates, which YAML allows."""
    if isinstance(node, yaml.SequenceNode):
        for number, entry in enumerate(node.value):
            lines[*prefix, str(number)] = entry.start_mark.line + 1
            _index(path, entry, (*prefix, str(number)), lines)
    elif isinstance(node, yaml.MappingNode):
        for key_node, value_node in node.value:
            key = (*prefix, str(key_node.value))
            line = key_node.start_mark.line + 1
            if key_node.tag != "tag:yaml.org,2002:str":
                name = one_line(str(key_node.value), LONGEST_KEY)
                raise SacmaError(f"{path}:{line}: key {name} is no text; put it in quotes if it is meant to be")
            if key in lines:
                name = one_line(".".join(key), LONGEST_KEY)
                raise SacmaError(f"{path}:{line}: {name}: given twice, first on line {lines[key]}")
            lines[key] = line
            _index(path, value_node, key, lines)


def explain(
    error: ValidationError,
    document: Document,
    model: type[BaseModel],
    *,
    place: Callable[[Location], Location] = lambda location: location,
    options: Collection[str] = (),
) -> str:
    """Return an error message of one line: place, key, given value, allowed values.

    ``place`` returns the location in the document of a location in ``model``, and ``options`` are the keys of the
    protocol that were given on the command line.
    """
    # Unknown keys first: one may be a misspelling of a missing key.
    details = sorted(error.errors(), key=lambda detail: detail["type"] != "extra_forbidden")
    first = details[0]
    within, valid_keys = resolve(model, tuple(str(part) for part in first["loc"]))
    location = place(within)
    # The only rule for several keys concerns the budget, if there are keys.
    blamed = location[1] if len(location) > 1 else "budget" if isinstance(first["input"], Mapping) else ""
    given = location[:1] == ("protocol",) and blamed in options
    where = f"--{blamed}" if given else document.where(location)
    more = f" (and {len(details) - 1} more error{'s' if len(details) > 2 else ''})" if len(details) > 1 else ""  # noqa: PLR2004
    return f"{where}: {_reason(first, within[-1] if within else '', valid_keys)}{more}"


def _reason(detail: Any, key: str, valid_keys: Sequence[str]) -> str:
    given = shown(detail["input"])
    match detail["type"]:
        case "extra_forbidden" if (outer := key.partition("."))[0] in valid_keys and outer[2]:
            reason = f"unknown key; write it like {outer[0]}: {{{outer[2]}: …}}"
        case "extra_forbidden":
            reason = unknown_key(key, valid_keys)
        case "missing":
            reason = "is missing"
        case "union_tag_invalid":
            reason = f"{shown(detail['ctx']['tag'])} is not known; known: {detail['ctx']['expected_tags']}"
        case "union_tag_not_found":
            reason = "its name is missing; write it like {name: …}"
        case "model_type" | "model_attributes_type" if detail["input"] is None:
            reason = "there is nothing in it; leave it out, or write its settings below it"
        case "model_type":
            reason = f"{given} is not allowed: should be a mapping of settings"
        case "model_attributes_type":
            name = detail["input"] if isinstance(detail["input"], str) else "…"
            reason = f"{given} is not allowed: write it like {{name: {one_line(name, LONGEST_KEY)}}}"
        case "value_error":
            reason = str(detail["ctx"]["error"])
        case _:
            reason = f"{given} is not allowed: {_allowed(detail, given)}"
    return one_line(reason, LONGEST_REASON)


def _allowed(detail: Any, given: str) -> str:
    if detail["type"] == "string_type" and isinstance(detail["input"], bool | int | float):
        return "YAML reads it so; text such as NO or 42 needs quotation marks"
    # Which of its limits a number exceeds that is none, is chance.
    return "should be a finite number" if given == "nan" else str(detail["msg"].removeprefix("Input "))


def unknown_key(given: str, valid: Sequence[str]) -> str:
    """Say that a key is not known, and which is nearest.

    >>> unknown_key("transfre", ["transfer", "update_rate"])
    'unknown key; the nearest valid key is transfer'
    >>> unknown_key("transfer", ["name"])
    'unknown key; the only valid key is name'
    """
    if len(valid) <= 1:
        return f"unknown key; the only valid key is {valid[0]}" if valid else "unknown key; there are no settings"
    (nearest,) = difflib.get_close_matches(given, valid, n=1, cutoff=0.0)
    near = difflib.SequenceMatcher(None, given, nearest).ratio() > 0.6  # noqa: PLR2004 difflib's own
    others = "" if near else f" (of {', '.join(valid)})"
    return f"unknown key; the nearest valid key is {nearest}{others}"
