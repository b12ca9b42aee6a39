"""Which functions of a domain are planned with as data; and planning that calls all of them."""

from collections import Counter
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from bthtn.engine.domain.method import PlainBody
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.planning.htn import table
from bthtn.engine.planning.htn.source import Source
from bthtn.engine.planning.htn.table import TaskTable, calls_function


def kinds(domain):
    """How many steps and methods with functions are translated, and how many are called."""
    seen, rows = Counter(), domain.derived(TaskTable)
    for task in domain.tasks.values():
        row = rows.row(task)
        if isinstance(task, PrimitiveTask):
            made = row.write(Source())
            seen["translated" if row.translation else "called" if made is None else "data"] += 1
            continue
        row.compile()
        translated = {way.index for way in row.ways if way.translation is not None}
        for one in row.methods:
            method = one.method
            if isinstance(method.body, PlainBody) or calls_function(method.condition):
                seen["translated" if one.index in translated else "called"] += 1
    return seen


def is_translated(domain):
    """Whether no function of the domain is called."""
    return not kinds(domain)["called"]


@contextmanager
def functions_called():
    """Planning that calls all functions of domains that were not planned with before."""
    nothing = SimpleNamespace(step=lambda *_: None, method=lambda *_: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "translator", lambda: nothing)
        yield
