"""Work that is counted instead of timed: a count is the same on every machine."""

import sys
import tracemalloc
from pathlib import Path

import bthtn


def lines_of(work):
    """How many lines of Python are done."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def bytes_kept(work):
    """How many bytes bthtn has after some work, and what it returns, that it did not have before.

    What other threads of the process keep meanwhile, such as those of pytest-xdist, is not seen.
    """
    tracemalloc.start()
    try:
        result = work()
        snapshot = tracemalloc.take_snapshot()
        del result
    finally:
        tracemalloc.stop()
    own = tracemalloc.Filter(inclusive=True, filename_pattern=f"{Path(bthtn.__file__).parent}/*")
    return sum(trace.size for trace in snapshot.filter_traces([own]).traces)
