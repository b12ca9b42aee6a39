"""One event of an agent as a line of text, as plain data, and as a record of ``logging``.

agent = Agent("Ann", …, listener=log_listener(logging.getLogger("game.ann")))
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, get_args

from bthtn.engine.agent import events
from bthtn.engine.agent.events import AgentEvent
from bthtn.engine.plan.plan import Plan
from bthtn.engine.text.notation import normal
from bthtn.engine.text.tree import one_line
from bthtn.engine.text.values import json_value
from bthtn.engine.world.diff import Change
from bthtn.engine.world.fluent import Fluent
from bthtn.errors import exception_text


def line_of(event: AgentEvent, *, reasons: bool = True) -> str:
    """A short description of an event: ``start shoot``, ``fight failed — no ammo``."""
    says_it_anyway = isinstance(event, events.SensorFailed | events.CodeFailed)
    reason = getattr(event, "reason", "") if reasons and not says_it_anyway else ""
    return one_line(f"{event.text} — {reason}" if reason else event.text)


def concerns(event: AgentEvent, *, agent: str = "", goal: str = "", task: str = "") -> bool:
    """Whether an event is of an agent, about a goal and about a task, of those that are given.

    The task may be given with its arguments or without. A change of beliefs is about the goal
    whose plan has written it.
    """
    about = getattr(event, "goal", "")
    if isinstance(event, events.BeliefChanged) and not about:
        about = event.change.source
    step = getattr(event, "task", None)
    return (
        (not agent or event.agent == agent)
        and (not goal or about == goal)
        and (not task or step == task or str(step).startswith(f"{task}("))
    )


def event_data(event: AgentEvent, *, tick: int | None = None, agent: str = "") -> dict[str, Any]:
    """An event as a dictionary that ``json.dumps`` always accepts.

    ``"event"`` is the kind of event, such as ``"leaf_started"``; then come ``"tick"``,
    ``"agent"``, ``"time"``, ``"goal"`` and ``"plan_id"`` where there is one, and the other fields
    of the event under their names. A ``tick`` and an ``agent`` that are given replace those of the
    event.
    """
    if tick is None and event.agent:
        tick = event.tick
    known = {"tick": tick, "agent": agent or event.agent, "time": event.time}
    known |= {"goal": getattr(event, "goal", ""), "plan_id": event.plan_id}
    context = {name: value for name, value in known.items() if value not in (None, "")}
    about = {name: _plain(getattr(event, name)) for name in _ABOUT[type(event)]}
    return {"event": kind_of(event), **context, **about}


def kind_of(event: AgentEvent) -> str:
    """The kind of an event as JSON has it, such as ``"leaf_started"``."""
    return kind_of_class(type(event))


def kind_of_class(kind: type[AgentEvent]) -> str:
    """The same for a class of events."""
    return _KIND_NAMES[kind]


_KINDS: Final[tuple[type[AgentEvent], ...]] = get_args(AgentEvent)
_CONTEXT: Final = frozenset({"agent", "tick", "time", "goal", "plan_id"})
_KIND_NAMES: Final[Mapping[type[AgentEvent], str]] = {
    kind: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower() for kind in _KINDS
}
EVENT_KINDS: Final = frozenset(_KIND_NAMES.values())
"""All kinds of events as JSON has them."""
_ABOUT: Final[Mapping[type[AgentEvent], list[str]]] = {
    kind: [field.name for field in fields(kind) if field.name not in _CONTEXT] for kind in _KINDS
}
"""The fields that each kind of event has beside those that say whose it is and when."""
_AS_THEY_ARE: Final = frozenset({str, bool, type(None)})
"""The classes of values that are JSON already; most are of them."""


def _plain(value: object) -> Any:
    if type(value) in _AS_THEY_ARE:
        return value
    match value:
        case Plan():
            return {"plan": normal(value.tree), "record": list(value.record)}
        case Change(fluent, before, after, source):
            change = {"before": _plain(before), "after": _plain(after)}
            return {"fluent": fluent_name(fluent), **change, "source": str(source)}
        case BaseException():
            return exception_text(value)
        case tuple() | list():
            return [_plain(item) for item in value]
        case _:
            return plain_value(value)


def fluent_name(fluent: Fluent[Any]) -> str:
    """A fluent as text; without its index if that has none."""
    try:
        return str(fluent)
    except Exception:  # noqa: BLE001 - the __repr__ of an index is the user's code
        return fluent.name


def plain_value(value: object) -> Any:
    """A value as JSON; the name of its class if it has no text."""
    try:
        return json_value(value)
    except Exception:  # noqa: BLE001 - the __repr__ of a value is the user's code
        return f"<{type(value).__name__}>"


def log_listener(logger: logging.Logger) -> events.AgentListener:
    """A listener that logs the line of every event: failures as WARNING, all others as INFO.

    Events of goals that fail or wait, tasks that are avoided, and code that raises are failures.
    The line begins with the name of the agent, ``Ann: start shoot``, so one logger may serve many.
    The record has the event as its attribute ``event``.
    """

    def log(event: AgentEvent) -> None:
        is_failure = isinstance(event, _FAILURES) or not getattr(event, "succeeded", True)
        level = logging.WARNING if is_failure else logging.INFO
        if logger.isEnabledFor(level):
            whose = f"{one_line(event.agent)}: " if event.agent else ""
            logger.log(level, "%s%s", whose, line_of(event), extra={"event": event})

    return log


_FAILURES: Final = (
    *(events.SensorFailed, events.CodeFailed, events.PlanHookFailed, events.PlanFailed),
    *(events.TaskAvoided, events.GoalWaits, events.ReloadFailed),
)
