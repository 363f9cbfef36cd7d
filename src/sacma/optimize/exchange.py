"""Exchange of points and values between a run and its caller."""

import itertools
from collections.abc import Hashable

import numpy as np

from sacma.optimize.evaluation import Evaluation, Task
from sacma.optimize.run import Run
from sacma.types import Array


class Exchange:
    """The points of a run that are asked for, and values that are told of these points or of any others."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._asked: list[int] = []  # numbers of the points of the last ``ask``
        self._doubtful: set[int] = set()  # numbers of pending points that were nearest to others that were told
        self._in_vain = False  # the next points that are told take the places of pending ones

    def key(self, point: Array) -> Hashable:
        """Return a key that equal points share."""
        space = self.run.call.space
        return (point + 0.0).tobytes() if space is None else space.key(space.params(point))

    def ask(self, count: int | None) -> list[Task]:
        """Return so many new points, or all that the search waits for.

        Where other points were told in the place of the last ones, as by a device whose steps are wider than those of
        the search, the next ones take the places of pending ones, wherever they are.
        """
        run = self.run
        self._in_vain = bool(self._asked) and self._doubtful >= set(self._asked)
        asked = run.tasks() if count is None else list(itertools.islice(iter(run.begin, None), count))
        if not asked and run.pending and self._doubtful >= run.pending.keys():  # the others are their answers
            run.pending.clear()
            asked, self._in_vain = run.tasks()[:count], True
        self._asked = [number for number, _ in asked]
        self._in_vain |= not self._doubtful.isdisjoint(self._asked)
        return asked

    def tell(self, key: Hashable, point: Array, evaluation: Evaluation) -> None:
        """Take the evaluation of any point, shape (D,), with its key."""
        run = self.run
        run.catch_up()
        if (number := self._number_at(key)) is not None:
            run.record(number, evaluation)
            return
        told = [entry.evaluation for entry in run.log.entries if np.array_equal(entry.point, point)]
        if told and not evaluation.failure and all(earlier.failure for earlier in told):  # it was evaluated again
            run.learn_of(point, evaluation)
            return
        if run.pending:
            scaled = run.call.box.scaled
            number = min(run.pending, key=lambda n: float(np.linalg.norm(scaled(run.pending[n] - point))))
            if self._in_vain or (not told and run.is_near(point)):
                run.record(number, evaluation, point)
                return
            self._doubtful.add(number)
        if not told or run.call.noisy:  # others are told again
            run.learn_of(point, evaluation)

    def observe(self, key: Hashable, point: Array, evaluation: Evaluation) -> None:
        """Take the evaluation of a point that another run of the same call may have been asked for."""
        run = self.run
        run.catch_up()
        if (number := self._number_at(key)) is None:
            number = run.next_number
            run.pending[number] = point
        run.record(number, evaluation)

    def _number_at(self, key: Hashable) -> int | None:
        """Return the number of the point that is pending, or else that the search waits for, with a key."""
        expected = {**self.run.pending, **self.run.waited_for}
        return next((number for number, point in expected.items() if self.key(point) == key), None)
