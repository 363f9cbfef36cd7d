"""Failed evaluations in a row, which end a run."""

from collections.abc import Callable, Mapping

from sacma.optimize.evaluation import Evaluated


class FailuresInARow:
    """Counts failures in the order of the points, whatever the order in which evaluations come.

    Evaluations that others are running beside count when they end: one that takes long holds up no other.

    Args:
        most: number in a row from which on it stays what it is.
    """

    def __init__(self, most: float) -> None:
        self._most = most
        self._counted = 0  # number of the last evaluation that has been counted, or passed while it was running
        self.number = 0
        self.latest = ""  # failure

    def count(self, number: int, evaluated: Mapping[int, Evaluated], passes: Callable[[int], bool]) -> None:
        """Count an evaluation that has ended, and those behind it, as far as all before them are counted or passed.

        ``passes`` returns True for the number of one that is running, where the others do not wait for it.
        """
        if number <= self._counted:
            self._take(evaluated[number])
        while (following := self._counted + 1) in evaluated or passes(following):
            if following in evaluated:
                self._take(evaluated[following])
            self._counted = following

    def _take(self, record: Evaluated) -> None:
        if failure := record.evaluation.failure:
            self.number += 1
            self.latest = failure
        elif self.number < self._most:
            self.number = 0
