"""The lines of journals, and evaluations in them: an object of JSON each, read as data and checked."""

import json
import math
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from sacma.files.checksum import checksum
from sacma.files.printable import one_line, shown
from sacma.files.untrusted import parse_json
from sacma.optimize.evaluation import Evaluated, Evaluation, Known

LARGEST_NUMBER = 10**18  # largest number of an evaluation


def evaluation_line(number: int, evaluated: Evaluated) -> bytes:
    """Return the line of an evaluation."""
    point, evaluation, begun = evaluated
    ended: dict[str, Any] = {"failure": evaluation.failure} if evaluation.failure else {"value": evaluation.value}
    if evaluation.constraints:
        ended["constraints"] = list(evaluation.constraints)
    return to_line({"number": number, "point": point.tolist(), **ended, **({} if begun is None else {"begun": begun})})


def longest_line(numbers: int) -> int:
    """Return the most bytes of a line with so many numbers: a float takes 26, a character of a failure's text 12."""
    return 32 * numbers + 32_768


def json_of(line: bytes, most: int) -> Any:
    """Return the content of a line of at most so many bytes, whose checksum is right."""
    if len(line) > most:
        raise ValueError(f"it is longer than {most} bytes")
    content, ending = parse_json(line), _ending(b"")
    if line[-len(ending) :] != _ending(line[: -len(ending)] + b"}"):
        raise ValueError("its checksum is not that of what it says")
    del content["crc"]
    return content


def evaluation_in(content: Any, dimension: int, constraints: int, others: Known) -> tuple[int, Evaluated]:
    """Return number and record of a line's content; ``others`` are those of the lines before."""
    beside = {"constraints"} if constraints else set()
    ends = {"number", "point", "value"} | beside, {"number", "point", "failure"}
    if not isinstance(content, dict) or content.keys() - {"begun"} not in ends:
        words = "value and constraints" if constraints else "value"
        raise ValueError(f"no object with number, point, and {words} or failure")
    number, point, begun = content["number"], content["point"], content.get("begun")
    if type(number) is not int or not 1 <= number <= LARGEST_NUMBER:
        raise ValueError(f"its number is {shown(number)}, not an integer from 1 to {LARGEST_NUMBER:g}")
    if number in others:
        raise ValueError(f"its number is {number}, as that of a line before")
    if "begun" in content and (type(begun) is not int or not number <= begun <= LARGEST_NUMBER):
        raise ValueError(f"its begun is {shown(begun)}, not an integer from its number to {LARGEST_NUMBER:g}")
    if not isinstance(point, list) or len(point) != dimension:
        raise ValueError(f"its point is {shown(point)}, not a list of {dimension} numbers")
    x = np.array([real("a coordinate", coordinate) for coordinate in point])
    if "value" in content:
        value, G = real("its value", content["value"]), content.get("constraints", [])
        if not isinstance(G, list) or len(G) != constraints:
            raise ValueError(f"its constraints are {shown(G)}, not a list of {constraints} numbers")
        kept = tuple(real("a constraint", each) for each in G)
        return number, Evaluated(x, Evaluation(value, constraints=kept), begun)
    failure = content["failure"]
    if not isinstance(failure, str) or not failure:
        raise ValueError(f"its failure is {shown(failure)}, not text")
    return number, Evaluated(x, Evaluation(math.nan, one_line(failure) or "failed"), begun)


def real(key: str, value: object) -> float:
    """Return a JSON number as a finite float; refuse anything else, such as a boolean or a text."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= sys.float_info.max:
        refuse_key(key, value, "a finite number")
    return float(value)


def refuse_key(key: str, value: object, allowed: str) -> NoReturn:
    """Raise the ValueError of what a journal has at a key."""
    raise ValueError(f"{key} is {shown(value)}, not {allowed}")


def to_line(content: Mapping[str, Any]) -> bytes:
    """Return a line of a journal: with a checksum, as a number with another digit is one, too."""
    text = json.dumps(content).encode()
    return text[:-1] + _ending(text)


def _ending(text: bytes) -> bytes:
    """Return the end of the line of an object, with its checksum."""
    return b', "crc": "%b"}\n' % checksum(text)
