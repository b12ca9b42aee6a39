"""Calls a function for every item of a batch, again where a worker died.

until all results are there:
    call the function for the items that are left, and yield results in their order
    a worker died: report it, and call it for a few items one at a time, which is
        for twice as many each time that a worker dies before there is a result
    one died three times with the same item alone: that item is the reason
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from typing import Final, TypeVar
from warnings import catch_warnings

from bthtn.errors import ExecutionError
from bthtn.studio.batch.workers import LOCAL, Workers, package_of

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_DEATHS: Final = 3
"""How often workers may die of one item."""
WAVE: Final = 256
"""Items at a time for Ray, whose pool gives no result before it has all of them."""
_DEATHS: Final = frozenset(
    {"KilledWorker", "ActorDiedError", "RayActorError", "WorkerCrashedError"}
)
"""What Dask and Ray raise when a worker has died; neither need be installed."""


@dataclass(slots=True)
class Deaths:
    """How many workers of a batch died; ``report`` is called with a sentence for each."""

    report: Callable[[str], object] = lambda _: None
    number: int = 0

    def add(self, item: object) -> None:
        """Count and report a death, after which the batch goes on with this item."""
        self.number += 1
        self.report(f"a worker died; what has no result yet is run again, from {item} on")

    def add_lost(self, number: int) -> None:
        """Count and report workers that a cluster lost, whose calls it has made again itself."""
        self.number += number
        if number:
            self.report(f"workers that the cluster lost: {number}; it ran their calls again")


def run_batch(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: Workers = LOCAL,
    deaths: Deaths | None = None,
) -> Generator[Result]:
    """Call a pure function for every item; yields the results in the order of the items.

    Raises InputError if the workers cannot be reached, ExecutionError if they die of an item, and
    whatever the function raises.
    """
    deaths = deaths or Deaths()
    done = alone = 0
    few = 1
    died_of: list[int] = []
    with workers.ready() as lost:
        while done < len(items):
            begun = done
            try:
                left = items[done:][: alone or None]
                with closing(_results(function, left, workers, alone)) as results:
                    for result in results:
                        done += 1
                        yield result
                alone = 0
            except Exception as error:
                if not (isinstance(error, BrokenProcessPool) or type(error).__name__ in _DEATHS):
                    raise
                died_of.extend([done] if alone else [])
                if died_of.count(done) == MOST_DEATHS:
                    raise _died_of(items[done], error) from error
                few = 1 if done > begun and not alone else 2 * few
                alone = few
                deaths.add(items[done])
        deaths.add_lost(lost())


def _results(
    function: Callable[[Item], Result], items: Sequence[Item], workers: Workers, alone: int
) -> Generator[Result]:
    """The results in order; with ``alone``, the next item is called only after the last one."""
    joblib = package_of("joblib", "pip install 'bthtn[scale]'")
    options = {"pre_dispatch": 1, "batch_size": 1} if alone else {}
    call = joblib.delayed(function)
    if workers.backend == "ray":
        with joblib.Parallel(**options) as parallel:
            for first in range(0, len(items), WAVE):
                yield from parallel(call(item) for item in items[first : first + WAVE])
    else:
        results = joblib.Parallel(**options, return_as="generator")(call(item) for item in items)
        try:
            for result in results:  # noqa: UP028 - `yield from` would close it before it is ignored
                yield result
        finally:
            with catch_warnings(action="ignore"):  # that there are more results
                results.close()


def _died_of(item: object, error: Exception) -> ExecutionError:
    message = f"a worker died {MOST_DEATHS} times at {item}: {type(error).__name__}"
    return ExecutionError("BT492", message, hint="with one job it runs in this process: --jobs 1")
