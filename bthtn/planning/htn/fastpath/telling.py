"""Events of a search that has gone straight to its plan, as the search would emit them.

Such a search has tried the tasks and methods of the plan, and the methods in front of each one that
was entered. So its events follow from the plan, but for the reasons why methods could not be used:
when the first of them is read, the search is carried out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bthtn.domain.task import PrimitiveTask, call_text
from bthtn.plan.plan import Plan, source_of
from bthtn.planning.htn.fastpath.reachable import PlainMethod
from bthtn.planning.htn.fastpath.record_entries import entries
from bthtn.planning.htn.reasons import event
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import PlanRequest
from bthtn.planning.trace import MethodEntered, MethodRejected, SearchEvent, TaskPlanned


def events_of(plan: Plan, request: Callable[[], PlanRequest]) -> list[SearchEvent] | None:
    """The events of the search that answers a request with a plan found by generated functions.

    None if they do not follow from the plan, since the search has gone back or suspended something.
    """
    _, question, _, record = source_of(plan)
    planned = entries(record)
    if len(planned) != plan.expansions:
        return None
    methods, reason = question.domain.methods, _LateReasons(request).of
    made: list[SearchEvent] = []
    left = len(question.body.items)  # calls of the innermost open method that are not planned yet
    around: list[int] = []
    for what, args in planned:
        while not left:
            left = around.pop()
        left -= 1
        depth = len(around)
        if type(what) is not PlainMethod:
            if type(what) is not PrimitiveTask:
                return None
            made.append(event(TaskPlanned, ((call_text, what, args), depth)))
            continue
        call, number = (call_text, what.task, args), what.index
        if number:
            for index, one in enumerate(methods[what.task][:number]):
                why = (reason, len(made))
                made.append(event(MethodRejected, (call, index, one.name, why, depth)))
        made.append(event(MethodEntered, (call, number, what.method.name, depth)))
        around.append(left)
        left = len(what.items)
    return made


class _LateReasons:
    """The reasons in the events of a search, which is carried out when one is asked for."""

    def __init__(self, request: Callable[[], PlanRequest]) -> None:
        self._request = request
        self._events: list[Any] = []

    def of(self, number: int) -> str:
        """The reason in the event with this number."""
        if not self._events:
            events: list[Any] = []
            HtnSearch(self._request(), events.append).advance()
            self._events = events
        reason: str = self._events[number].reason
        return reason
