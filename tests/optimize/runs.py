"""Runs that tests compare."""

from collections.abc import Callable

from sacma import Result


class MadeOnce(dict[str, Result]):
    """Results by name, each made when it is first asked for."""

    def __init__(self, make: Callable[[str], Result]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, name: str) -> Result:
        """Make one, and keep it."""
        return self.setdefault(name, self._make(name))


def bits(result: Result) -> tuple[bytes, bytes]:
    """Return all points and values."""
    return result.history.points.tobytes(), result.history.values.tobytes()
