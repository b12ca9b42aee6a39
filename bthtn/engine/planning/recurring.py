"""Which task recurs in a search that reached its limit, and what would end that."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import PlainBody, numbered
from bthtn.engine.domain.network import tasks_in
from bthtn.engine.domain.task import CompoundTask, Task
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.protocol import PlanRequest, no_answer
from bthtn.engine.planning.trace import MethodEntered, SearchEvent, TaskPlanned
from bthtn.engine.world.expression import ALWAYS
from bthtn.errors import BthtnError, PlanningError

_LOOKED_AT: Final = 1_000
"""Expansions that are made again to see what recurs."""
_OFTEN: Final = 5
"""How often a task is open within itself, at the least, to be named."""


def unanswered(expansions: int, asked: PlanRequest) -> PlanningError:
    """The error for a search that reached its limit, with the task that recurs, if one does."""
    settings = replace(asked.settings, max_expansions=min(expansions, _LOOKED_AT), anytime=False)
    opened = _OpenTasks()
    try:
        ListenedSearch(replace(asked, settings=settings), opened.hear).advance()
    except BthtnError:
        return no_answer(expansions)
    tasks = asked.domain.tasks
    known = [tasks[name] for name in opened.names if name in asked.domain.authored]
    counts = Counter(task for task in known if isinstance(task, CompoundTask))
    task, count = max(counts.items(), key=lambda item: item[1], default=(None, 0))
    if task is None or count < _OFTEN:
        return no_answer(expansions)
    message = f"no answer after {expansions} expansions: '{task.name}' recurs within itself"
    return PlanningError("BT203", message, hint=_ending(task, asked.domain))


class _OpenTasks:
    """Hears a search; ``names`` are those of the tasks that are open, the outermost first."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def hear(self, event: SearchEvent) -> None:
        if isinstance(event, MethodEntered | TaskPlanned):
            del self.names[event.depth :]
            self.names += [""] * (event.depth - len(self.names))
            self.names.append(event.task.partition("(")[0])


def _ending(task: CompoundTask[...], domain: FrozenDomain) -> str:
    """What would end the recursion: the methods of a task that do not lead back to it."""
    more = "or raise max_expansions if it is only far"
    ways = []
    for index, method in enumerate(domain.methods[task]):
        if isinstance(method.body, PlainBody):
            return f"a function decides when it ends: {method.body}; mend that, {more}"
        if task in _reached(set(tasks_in(method.body)), domain):
            continue
        when = "" if method.condition is ALWAYS else f" when {method.condition.text()}"
        ways.append(f"{numbered(index, method.name)}{when}")
    if not ways:
        return f"no method of '{task.name}' ends it: add one in front of the others, {more}"
    return f"it ends by {' or '.join(ways)}: let that come true, or stand in front, {more}"


def _reached(tasks: set[Task], domain: FrozenDomain) -> set[Task]:
    """The tasks that these lead to, with them."""
    waiting = list(tasks)
    while waiting:
        task = waiting.pop()
        if not isinstance(task, CompoundTask):
            continue
        for method in domain.methods.get(task, ()):
            if not isinstance(method.body, PlainBody):
                new = set(tasks_in(method.body)) - tasks
                tasks |= new
                waiting += new
    return tasks
