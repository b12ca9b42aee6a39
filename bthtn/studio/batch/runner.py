"""Calls a function for every item of a batch, with joblib if it is installed.

Where the calls are made is said by ``joblib.parallel_config``, as for any library that uses joblib:
``on_cores`` does so for this machine. What is hard is that a process may die, of no fault of the
item's: joblib gives up all calls then, so those that have no result yet are made again. Results
come in order, so after three deaths without one, the next item is the suspect.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Final, TypeVar
from warnings import catch_warnings

from bthtn.errors import ExecutionError, InputError

Item = TypeVar("Item")
Result = TypeVar("Result")
Report = Callable[[str], object]

HOW: Final = "pip install 'bthtn[scale]'"
MOST_DEATHS: Final = 3
"""How often processes may die before there is another result."""


@contextmanager
def on_cores(jobs: int) -> Iterator[None]:
    """Inside, batches run in so many processes of this machine; 0 is one per core.

    With one, and with 0 where joblib is not installed, they run in this process. Raises InputError
    if more are asked for without joblib.
    """
    if jobs == 1 or (jobs == 0 and find_spec("joblib") is None):
        yield
        return
    joblib = package_of("joblib", HOW)
    with joblib.parallel_config("loky", n_jobs=jobs or -1, initializer=_leave_interrupts):
        yield


def _leave_interrupts() -> None:
    """Let the process that works for another one be ended by that one, not by Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def package_of(name: str, how: str) -> ModuleType:
    """Import a package that an extra installs. Raises InputError that says how to install it."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        message = f"this needs {name}, which is not installed"
        raise InputError("BT490", message, hint=how) from None


def run_batch(
    function: Callable[[Item], Result], items: Sequence[Item], report: Report = lambda _: None
) -> Generator[Result]:
    """Call a pure function for every item; yields the results in the order of the items.

    ``report`` is called with a sentence when a process has died. Raises ExecutionError if they die
    again and again, and whatever the function raises.
    """
    done = deaths = 0
    while done < len(items):
        begun = done
        try:
            with closing(_results(function, items[done:])) as results:
                for result in results:
                    done += 1
                    yield result
        except BrokenProcessPool as error:
            deaths = 1 if done > begun else deaths + 1
            if deaths == MOST_DEATHS:
                raise _died_at(items[done], error) from error
            report(f"a worker died; what has no result yet is run again, from {items[done]} on")


def _results(function: Callable[[Item], Result], items: Sequence[Item]) -> Generator[Result]:
    if find_spec("joblib") is None:
        yield from map(function, items)
        return
    import joblib  # noqa: PLC0415 - an extra

    calls = (joblib.delayed(function)(item) for item in items)
    results = joblib.Parallel(return_as="generator")(calls)
    try:
        for result in results:  # noqa: UP028 - `yield from` would close it before it is ignored
            yield result
    finally:
        with catch_warnings(action="ignore"):  # that there are more results
            results.close()


def _died_at(item: object, error: Exception) -> ExecutionError:
    message = f"workers died {MOST_DEATHS} times before a result of {item}: {type(error).__name__}"
    hint = "it may be one of the next items, too; with --jobs 1 they run in this process"
    return ExecutionError("BT492", message, hint=hint)
