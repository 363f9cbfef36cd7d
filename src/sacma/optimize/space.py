"""Spaces of named parameters, and their points: coordinates of the unit cube."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from sacma.files.printable import one_line, shown
from sacma.optimize.arguments import real_array, refuse, require
from sacma.optimize.parameters import GRID, KINDS, ROUNDING, Categorical, Integer, Parameter, Real, is_number
from sacma.types import Array


class Axes:
    """The coordinates of a parameter.

    A real number has one, even in it or in its logarithm. Each of n values has a share of one: an even one, or, with
    ``log``, one from ½ below the integer to ½ above in the logarithm. Of three or more choices each has a coordinate,
    the largest of which counts; and a single value has none.
    """

    def __init__(self, parameter: Parameter) -> None:
        self._choices = parameter if isinstance(parameter, Categorical) else None
        range_: Any = Integer(0, len(parameter.choices) - 1) if isinstance(parameter, Categorical) else parameter
        self._range: Real | Integer = range_
        continuous = range_.step is None and range_.low < range_.high
        self._step = range_.step or 1
        self.count = math.inf if continuous else 1 + round((range_.high - range_.low) / self._step)  # of values
        self.discrete = 1 < self.count < math.inf
        self.size = int(self.count) if self._choices and self.count > 2 else int(self.count > 1)  # noqa: PLR2004 halves
        self._start, self._end = range_.low, range_.high
        if range_.log:
            margin = 0.5 if isinstance(range_, Integer) else 0.0
            self._start, self._end = math.log(range_.low - margin), math.log(range_.high + margin)

    @property
    def bounds(self) -> Array:
        """Least and largest coordinates: centres of cells, so that no distribution moves away from the cell inside."""
        if self.discrete and self.size == 1:
            return self.at(np.array([0.0, self.count - 1]))
        return np.repeat([[0.0], [1.0]], self.size, axis=1)

    def value(self, coordinates: Array) -> Any:
        """Return the value at coordinates, shape (size,)."""
        low, high = self._range.low, self._range.high
        if self.count < math.inf:
            value = min(low + int(self._places(coordinates)) * self._step, high)
            return value if self._choices is None else self._choices.choices[int(value)]
        even = (1.0 - float(coordinates[0])) * self._start + float(coordinates[0]) * self._end
        return min(max(math.exp(even) if self._range.log else even, low), high)

    def coordinates(self, value: object) -> Array | None:
        """Return the coordinates of a value, shape (size,); None where it is none of the parameter's."""
        given = value if self._choices is None else self._choices.place(value)
        low, high = self._range.low, self._range.high
        if not is_number(given) or not low <= given <= high:
            return None
        given = float(given)
        if self.count == math.inf:
            start, end = self._start / 2, self._end / 2  # the width may be beyond the floats
            even = (math.log(given) if self._range.log else given) / 2
            return np.array([min(max((even - start) / (end - start), 0.0), 1.0)])
        place = round((given - low) / self._step)
        rounding = GRID * self._step + ROUNDING * float(np.spacing(max(abs(low), abs(high))))
        error = abs(min(low + place * self._step, high) - given)
        return self.at(np.array(place)) if error <= (rounding if isinstance(self._range, Real) else 0.0) else None

    def at(self, places: Array) -> Array:
        """Return the coordinates of the centres of values, by their places from 0, shape (…, size)."""
        if self.size != 1:
            return np.asarray(np.eye(int(self.count))[places][..., : self.size])
        if not self._range.log:
            return np.asarray((places + 0.5) / self.count)[..., None]
        return np.asarray((np.log(self._range.low + places) - self._start) / (self._end - self._start))[..., None]

    def centred(self, coordinates: Array) -> Array:
        """Return coordinates, shape (n, size), each point moved to the centre of its cell, if it has one."""
        return self.at(self._places(coordinates)) if self.discrete else coordinates

    def widths(self, coordinates: Array) -> Array:
        """Return the widths of the cell around a point, shape (size,): 0 where each coordinate has its own value."""
        if not (self._range.log and self.discrete):
            return np.full(self.size, 1.0 if self.size > 1 else 1.0 / self.count)
        value, width = self.value(np.clip(coordinates, 0.0, 1.0)), self._end - self._start
        above, below = ((math.log(end) - self._start) / width for end in (value + 0.5, value - 0.5))
        return np.array([above - below])

    def _places(self, coordinates: Array) -> Array:
        """Return the places of the values at points, shape (…, size)."""
        if self.size != 1:
            return np.argmax(coordinates, axis=-1) if self.size else np.zeros(coordinates.shape[:-1], dtype=int)
        u = coordinates[..., 0]
        if not self._range.log:
            return np.asarray(np.clip(np.floor(u * self.count), 0, self.count - 1))
        with np.errstate(over="ignore"):
            integers = np.rint(np.exp((1.0 - u) * self._start + u * self._end))
        return np.asarray(np.clip(integers - self._range.low, 0, self.count - 1))


LONGEST_NAMES = 200  # characters of a message


class Space:
    """Named parameters of a function, which gets them as a dict.

    >>> import sacma
    >>> space = sacma.Space(
    ...     learning_rate=sacma.Real(1e-5, 1e-1, log=True),
    ...     layers=sacma.Integer(1, 8),
    ...     kind=sacma.Categorical("linear", "cubic"),
    ... )
    >>> def fun(params):
    ...     distance = np.log10(params["learning_rate"]) + 3
    ...     return distance**2 + (params["layers"] - 3) ** 2 + (params["kind"] == "linear")
    >>> found = sacma.minimize(fun, space=space, budget=100, seed=1)
    >>> found.params["layers"], found.params["kind"], bool(found.fun < 1e-3)
    (3, 'cubic', True)

    Its points are coordinates of [0, 1]^D: one a parameter, in their order, and of a categorical one with three or
    more choices one a choice.

    Args:
        parameters: parameters by name, for names that are not Python identifiers; before those by keyword.
        named: parameters by name: ``sacma.Real``, ``sacma.Integer`` or ``sacma.Categorical``.

    Raises:
        TypeError, ValueError: a parameter is wrong, or there is none.
    """

    def __init__(self, parameters: Mapping[str, Parameter] | None = None, /, **named: Parameter) -> None:
        allowed = "a dict of parameters by their names, or parameters as arguments of these names"
        require(isinstance(parameters, Mapping | None), "parameters", parameters, allowed, of_type=True)
        given = dict(parameters or {}, **named)
        allowed = "a sacma.Real, a sacma.Integer or a sacma.Categorical"
        for name, parameter in given.items():
            require(isinstance(name, str), "a name of parameters", name, "text", of_type=True)
            require(isinstance(parameter, Parameter), f"parameter {shown(name)}", parameter, allowed, of_type=True)
        self._parameters = given
        self._axes = {name: Axes(parameter) for name, parameter in given.items()}
        ends = np.cumsum([axes.size for axes in self._axes.values()]).tolist()
        self.places = {n: slice(end - axes.size, end) for (n, axes), end in zip(self._axes.items(), ends, strict=True)}
        require(any(ends), "parameters", given, "one or more that can vary")

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters by name."""
        return dict(self._parameters)

    @property
    def choices(self) -> list[tuple[slice, Axes]]:
        """The places of categorical parameters that can vary, and their coordinates."""
        return [
            (self.places[name], self._axes[name])
            for name, parameter in self._parameters.items()
            if isinstance(parameter, Categorical) and self._axes[name].size
        ]

    @property
    def dimension(self) -> int:
        """D, the number of coordinates."""
        return sum(axes.size for axes in self._axes.values())

    @property
    def discrete(self) -> bool:
        """True where not all parameters are continuous."""
        return any(axes.discrete for axes in self._axes.values())

    def is_discrete(self, name: str) -> bool:
        """Return True for a parameter of which cells of coordinates have one value."""
        return self._axes[name].discrete

    @cached_property
    def combinations(self) -> float:
        """Number of different points: an integer, or infinity where any parameter is continuous."""
        counts = [axes.count for axes in self._axes.values()]
        return math.inf if math.inf in counts else math.prod(counts)

    def combination(self, number: int) -> Array:
        """Return one of finitely many points, by its number from 0, shape (D,)."""
        parts = []
        for axes in self._axes.values():
            number, place = divmod(number, int(axes.count))
            parts.append(axes.at(np.array(place)))
        return np.concatenate(parts)

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Least and largest coordinates of a search distribution, each of shape (D,)."""
        lower, upper = np.hstack([axes.bounds for axes in self._axes.values()])
        return lower, upper

    def params(self, point: Sequence[float] | Array) -> dict[str, Any]:
        """Return the parameters at a point, shape (D,), as Python's own numbers.

        Raises:
            TypeError, ValueError: ``point`` is none of [0, 1]^D.
        """
        allowed = f"{self.dimension} coordinates from 0 to 1"
        x = real_array("point", point, allowed)
        require(x.shape == (self.dimension,) and np.all((x >= 0.0) & (x <= 1.0)), "point", point, allowed)
        return {name: axes.value(x[self.places[name]]) for name, axes in self._axes.items()}

    def point(self, params: Mapping[str, Any], name: str = "params") -> Array:
        """Return the point of parameters, shape (D,).

        Args:
            params: a value for each name.
            name: of the argument, for errors.

        Raises:
            TypeError: ``params`` are no mapping. ValueError: one is missing, too many, or not one of its values.
        """
        for one in self._axes if isinstance(params, Mapping) else ():
            require(one in params, name, params, f"a value of each parameter; there is none of {shown(one)}")
        return self.partial_point(params, name)

    def partial_point(self, params: Mapping[str, Any], name: str) -> Array:
        """Return the point of some parameters, with the others in the middle of their ranges.

        Of two choices that is the second, of three or more the first.
        """
        require(isinstance(params, Mapping), name, params, "values by the names of parameters", of_type=True)
        point = np.full(self.dimension, 0.5)
        for one, value in params.items():
            if one not in self._axes:
                refuse(f"a key of {name}", one, one_line(", ".join(map(shown, self._axes)), LONGEST_NAMES))
            if (coordinates := self._axes[one].coordinates(value)) is None:
                refuse(f"{name}[{shown(one)}]", value, f"a value of {shown(self._parameters[one])}")
            point[self.places[one]] = coordinates
        return point

    def key(self, params: object) -> tuple[Any, ...] | None:
        """Return a key that equal parameters share, None where they are none of this space."""
        if not isinstance(params, Mapping) or params.keys() != self._parameters.keys():
            return None
        values = tuple(
            parameter.place(params[name]) if isinstance(parameter, Categorical) else params[name]
            for name, parameter in self._parameters.items()
        )
        return values if all(map(is_number, values)) else None

    def points(self, params: Sequence[Any], name: str) -> Array:
        """Return the points of many parameters, shape (n, D)."""
        points = [self.point(one, f"{name}[{i}]") for i, one in enumerate(params)]
        return np.array(points, dtype=float).reshape(-1, self.dimension)

    def centred(self, points: Array) -> Array:
        """Return points, shape (…, D), with discrete parameters at the centres of the cells of their values."""
        rows = np.array(points).reshape(-1, self.dimension)
        for name, axes in self._axes.items():
            rows[:, self.places[name]] = axes.centred(rows[:, self.places[name]])
        return rows.reshape(points.shape)

    def widths(self, point: Array) -> Array:
        """Return the widths of the cell around a point, shape (D,): 0 where each coordinate has a value of its own."""
        return np.concatenate([axes.widths(point[self.places[name]]) for name, axes in self._axes.items()])

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and list(self._parameters.items()) == list(other._parameters.items())

    def __hash__(self) -> int:
        return hash(tuple(self._parameters.items()))

    def __repr__(self) -> str:
        return f"Space({self._parameters!r})"


def space_of(described: Mapping[str, Mapping[str, Any]]) -> Space:
    """Return the space of parameters as ``space_as_json`` describes them; a TypeError or ValueError where it cannot.

    It may be described in other ways, too.
    """
    parameters = {}
    for name, one in described.items():
        settings = dict(one)
        kind = settings.pop("kind", None)
        require(kind in KINDS, "the kind of a parameter", kind, ", ".join(KINDS))
        parameters[name] = KINDS[kind](*settings.pop("choices", ()), **settings)
    return Space(parameters)


def space_as_json(space: Space) -> dict[str, dict[str, Any]]:
    """Return a space as JSON: parameters by name, in their order."""
    return {
        name: {"kind": type(parameter).__name__.lower()}
        | ({"choices": list(parameter.choices)} if isinstance(parameter, Categorical) else vars(parameter))
        for name, parameter in space.parameters.items()
    }
