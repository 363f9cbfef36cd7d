"""Searches that call f themselves, asked and told: each runs in a thread that waits wherever it needs a value.

Thread and caller take turns: one computes while the other waits, so that a search is as deterministic as it is alone.
What it changes of the process, such as NumPy's global generator and the filters of warnings, is put back at each turn.
"""

import math
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from sacma.process_wide import quiet
from sacma.strategy.generation import EvaluatedBy, Generation
from sacma.strategy.surrogate_cmaes import Sample
from sacma.surrogate.whitening import Array


class Request(NamedTuple):
    """A point for f."""

    point: Array  # shape (D,)
    restart: int  # number of restarts before it


Search = Callable[[Callable[[Request], float]], None]  # minimises a function; each call does the same


class SearchEnd(BaseException):
    """Ends a search at its next evaluation; no ``Exception``, which an algorithm may catch."""


class NoNewPoint(BaseException):
    """Ends a search that asks for known points alone."""


class AskedSearch:
    """A search with the interface of a strategy; a population is one point.

    >>> def search(f):
    ...     for x in (3.0, 1.0):
    ...         f(Request(np.array([x]), restart=0))
    >>> asked = AskedSearch(search)
    >>> asked.ask()
    [array([3.])]
    >>> asked.tell([9.0])
    >>> asked.tell([1.0])
    >>> asked.stopped
    True

    The thread ends with the search, with ``close``, and with this object. Where it is needed again, as after ``close``
    or in a forked process, the search is computed again from the values.

    Args:
        search: calls f until it ends, f raises ``SearchEnd``, or it raises ``NoNewPoint``. The same values lead to the
            same points.
        on_generation: called after each value.
    """

    def __init__(self, search: Search, on_generation: Callable[[Generation], None] = lambda _: None) -> None:
        self._search = search
        self._on_generation = on_generation
        self._values: list[float] = []
        self._thread: _SearchThread | None = None
        self._begin()

    @property
    def stopped(self) -> bool:
        """True when the search is known to have ended."""
        return self._answered == len(self._values) and self._asked is None

    def ask(self) -> Sequence[Array]:
        """Return the point for f to evaluate, of shape (D,), as a list of one; the same until ``tell`` is called."""
        if self._answered != len(self._values):  # it was interrupted when it took the last one
            self._begin()
        return [] if self._asked is None else [self._asked.point]

    @property
    def asked(self) -> Sequence[Sample]:
        """The point of ``ask``, as a strategy has it."""
        return [Sample(point, point) for point in self.ask()]

    def tell(self, values: Sequence[float] | Array) -> None:
        """Take the value of the asked point; infinity is a failed evaluation."""
        (value,) = values
        if self._thread is None or self._thread.process != os.getpid():
            self._begin()
        assert self._thread is not None and self._asked is not None  # noqa: S101, PT018 a point was asked for
        restart = self._asked.restart
        self._values.append(float(value))
        self._on_generation(self._generation(restart))
        self._advance(self._thread, self._values[-1])

    def close(self) -> None:
        """End the thread."""
        if self._thread is not None:
            self._ending()
            self._thread = None

    def _begin(self) -> None:
        """Begin the search, and take it to where the values are."""
        self._thread = thread = _SearchThread(self._search)
        self._ending = weakref.finalize(self, thread.end)
        self._ending.atexit = False
        self._answered = -1
        self.used_up = False  # True where no new point can be asked for
        for value in (None, *self._values):
            self._advance(thread, value)

    def _advance(self, thread: "_SearchThread", value: float | None) -> None:
        try:
            self._asked = thread.next(value)
        except NoNewPoint:
            self._asked, self.used_up = None, True
        except BaseException:
            self.close()
            raise
        self._answered += 1

    def _generation(self, restart: int) -> Generation:
        number = len(self._values)
        return Generation(
            generation=number,
            restart=restart,
            evaluated_by=EvaluatedBy.TRUTH,
            population_size=1,
            true_evaluations=number,
            sigma=math.nan,
            best_value=min(self._values),
        )


class _SearchThread:
    """The thread of a search."""

    def __init__(self, search: Search) -> None:
        self.process = os.getpid()
        self._generator: Any = None  # state of NumPy's global generator at the end of the last turn
        self._values: SimpleQueue[float | None] = SimpleQueue()
        self._moves = _Moves()
        self._hangs = False
        arguments = search, self._values, self._moves
        self._thread = threading.Thread(target=_run, args=arguments, name="search", daemon=True)

    def next(self, value: float | None) -> Request | None:
        """Hand over a value, None at the beginning; return the next request, None at the end of the search."""
        with _turns, self._turn():
            if value is None:
                self._thread.start()
            else:
                self._values.put(value)
            try:
                self._moves.made.wait()
            except KeyboardInterrupt:  # which has waited long for a search that hangs
                self._hangs = True
                raise
            self._moves.made.clear()
            move = self._moves.last
        threads, _abandoned[:] = _abandoned[:], []
        for thread in threads:
            thread.end()
        if isinstance(move, BaseException):
            raise move
        return move

    def end(self) -> None:
        """End the thread, if it is of this process: at once, or after the turn of another search.

        That one may even be what waits for the end, where this one is garbage that is collected in its turn.
        """
        if self.process != os.getpid() or not self._thread.is_alive():
            return
        if not _turns.acquire(blocking=False):
            _abandoned.append(self)
            return
        try:
            with self._turn():
                self._values.put(None)
                if not self._hangs:
                    self._thread.join()
        finally:
            _turns.release()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Give the search its own state of what is the process's, and put back that of its caller."""
        outside = np.random.get_state()  # noqa: NPY002 the old interface, which algorithms use, is what is contained
        with quiet():  # numeric noise of a search
            if self._generator is not None:
                np.random.set_state(self._generator)  # noqa: NPY002 idem
            try:
                yield
            finally:
                self._generator = np.random.get_state()  # noqa: NPY002 idem
                np.random.set_state(outside)  # noqa: NPY002 idem


class _Moves:
    """The moves of a search; to wait for one, again and again, does not take it: an interruption loses none."""

    def __init__(self) -> None:
        self.last: Request | BaseException | None = None
        self.made = threading.Event()

    def put(self, move: Request | BaseException | None) -> None:
        self.last = move
        self.made.set()


_turns = threading.Lock()
"""Held while any search has its turn."""

_abandoned: list["_SearchThread"] = []
"""Threads to be ended after the turn of another search."""


def _no_turn_in_a_child() -> None:
    """Let a forked process begin without the turn that a thread of its parent had, and without its threads."""
    global _turns  # noqa: PLW0603 as the other thread, which had it, is not there to release it
    _turns = threading.Lock()
    _abandoned.clear()


os.register_at_fork(after_in_child=_no_turn_in_a_child)


def _run(search: Search, values: SimpleQueue[float | None], moves: _Moves) -> None:
    """Run a search; it is all that its thread does, and knows nothing of the object that asks."""

    def f(request: Request) -> float:
        moves.put(request)
        value = values.get()
        if value is None:
            values.put(None)  # for algorithms that go on
            raise SearchEnd
        return value

    try:
        search(f)
    except SearchEnd:
        moves.put(None)
    except BaseException as error:  # noqa: BLE001 raised by the thread that waits
        moves.put(error)
    else:
        moves.put(None)
