"""Trials in parallel processes on this machine, through joblib's loky."""

from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from itertools import islice

from sacma.config.plan import TrialSpec
from sacma.experiment.backends.worker import SECONDS_BETWEEN_LOOKS, Worker
from sacma.store.failure import TrialFailure
from sacma.store.record import FinishedTrial


@dataclass(frozen=True)
class LokyBackend:
    """``jobs`` worker processes, whose trials may take ``trial_timeout`` wall-clock seconds."""

    jobs: int
    trial_timeout: float | None = None

    def run(self, specs: Sequence[TrialSpec]) -> Generator[FinishedTrial | TrialFailure, None, None]:
        """Yield the results of ``specs`` as they come. Closing the generator before its end kills the workers."""
        todo = iter(specs)
        workers: list[Worker] = []
        try:
            for spec in islice(todo, self.jobs):
                workers.append(Worker())
                workers[-1].start(spec, self.trial_timeout)
            busy = list(workers)
            while busy:
                futures = [worker.future for worker in busy if worker.future is not None]
                # Not for ever: a death may show only when one looks.
                seconds = min([SECONDS_BETWEEN_LOOKS, *(worker.seconds_left for worker in busy)])
                wait(futures, timeout=max(0.0, seconds), return_when=FIRST_COMPLETED)
                for worker in list(busy):
                    result = worker.collect()
                    if result is None:
                        continue
                    # The worker goes on while its result is taken care of.
                    following = next(todo, None)
                    try:
                        if following is None:
                            busy.remove(worker)
                        else:
                            worker.start(following, self.trial_timeout)
                    finally:
                        yield result
        finally:
            for worker in workers:
                worker.close()
