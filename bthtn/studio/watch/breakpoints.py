"""Breakpoints of a run, judged by the events of a tick and the beliefs after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, assert_never

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.events import (
    AgentEvent,
    LeafEnded,
    LeafRefused,
    LeafStarted,
    PlanAdopted,
    PlanRepaired,
    PlanResumed,
)
from bthtn.engine.agent.programming_errors import give_up
from bthtn.engine.plan.nodes import ScopeNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import preorder
from bthtn.engine.text.conditions import condition_from_text
from bthtn.engine.world.expression import Condition
from bthtn.errors import BthtnError, InputError

Agents = Mapping[str, Agent[Any, Any]]


class BreakpointKind(StrEnum):
    """The event that a breakpoint is about; its text names the task, goal or condition."""

    STARTS = "starts"
    """A step of a task starts."""
    SUCCEEDS = "succeeds"
    """A step of a task succeeds."""
    FAILS = "fails"
    """A step of a task fails, or is refused."""
    METHOD = "method"
    """A plan is adopted that uses a method: ``task:number``, or ``task:name``."""
    CONDITION = "condition"
    """A condition on the beliefs becomes true."""
    REPLAN = "replan"
    """A goal gets another plan; the text names the goal, or is empty for all."""


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A breakpoint of one agent, or of all where ``agent`` is empty."""

    kind: BreakpointKind
    text: str
    agent: str = ""

    def __str__(self) -> str:
        words = [self.agent and f"{self.agent}:", self.kind.value, self.text]
        return " ".join(filter(None, words))


def _checked_conditions(new: Breakpoint, agents: Agents) -> dict[str, Condition]:
    """The condition by agents, of a breakpoint about one; empty for all others.

    Raises InputError for a breakpoint that no run of these agents could reach.
    """
    if new.agent:
        InputError.require(new.agent, agents, "BT451", f"no agent is called {new.agent!r}")
    watched = [agent for agent in agents.values() if new.agent in ("", agent.name)]
    match new.kind:
        case BreakpointKind.REPLAN:
            pass
        case BreakpointKind.CONDITION:
            return _conditions(new, watched)
        case BreakpointKind.METHOD:
            _check_method(new.text, watched)
        case BreakpointKind.STARTS | BreakpointKind.SUCCEEDS | BreakpointKind.FAILS:
            _check_task(new.text, watched)
        case _:
            assert_never(new.kind)
    return {}


class Breakpoints:
    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._set: dict[int, Breakpoint] = {}
        self._conditions: dict[int, dict[str, Condition]] = {}
        self._held: set[tuple[int, str]] = set()
        """Breakpoints and agents whose condition was true after the latest tick."""
        self._made = 0

    def __iter__(self) -> Iterator[tuple[int, Breakpoint]]:
        return iter(self._set.items())

    def add(self, new: Breakpoint) -> int:
        """Set a breakpoint. Returns its number. Raises InputError for one that is never reached."""
        conditions = _checked_conditions(new, self._agents)
        self._made += 1
        self._set[self._made] = new
        self._conditions[self._made] = conditions
        self._held.update(self._true(self._made))
        return self._made

    def remove(self, number: int) -> None:
        """Remove a breakpoint; no effect if there is none of this number."""
        self._set.pop(number, None)
        self._conditions.pop(number, None)

    def reached(self, events: Iterable[AgentEvent]) -> str:
        """The first breakpoint that the latest tick has reached, as text; empty if none."""
        held = {true for number in list(self._conditions) for true in self._true(number)}
        new = sorted(held - self._held)
        self._held = held
        for number, name in new:
            return f"{name}: {self._set[number].text}"
        for event in events if self._set else ():
            for point in self._set.values():
                if point.agent in ("", event.agent) and is_reached(point, event):
                    return f"{event.agent}: {point.kind.value} {point.text}".rstrip()
        return ""

    def _true(self, number: int) -> list[tuple[int, str]]:
        """The agents for which the condition is true; a breakpoint that raises is given up."""
        try:
            return [
                (number, name)
                for name, condition in self._conditions[number].items()
                if condition.evaluate(self._agents[name].beliefs) is True
            ]
        except Exception as error:  # noqa: BLE001 - a breakpoint must not end the run
            give_up(f"the breakpoint '{self._set[number]}'", error)
            self.remove(number)
            return []


def is_reached(wanted: Breakpoint, event: AgentEvent) -> bool:
    """Whether an event is the one that the breakpoint is about; never for conditions."""
    text = wanted.text
    match wanted.kind, event:
        case BreakpointKind.STARTS, LeafStarted():
            return _is_task(event.task, text)
        case BreakpointKind.SUCCEEDS, LeafEnded(succeeded=True):
            return _is_task(event.task, text)
        case BreakpointKind.FAILS, LeafEnded(succeeded=False) | LeafRefused():
            return _is_task(event.task, text)
        case BreakpointKind.METHOD, PlanAdopted() | PlanRepaired() | PlanResumed():
            return _uses(event.plan, text)
        case BreakpointKind.REPLAN, PlanAdopted() | PlanRepaired() | PlanResumed():
            return text in ("", event.goal)
        case _:
            return False


def _is_task(step: str, text: str) -> bool:
    return step == text or step.startswith(f"{text}(")


def _uses(plan: Plan, text: str) -> bool:
    task, _, method = text.rpartition(":")
    return any(
        node.task.name == task and method in (str(node.method), node.name)
        for _, node in preorder(plan.tree)
        if isinstance(node, ScopeNode)
    )


def _check_task(text: str, agents: Iterable[Agent[Any, Any]]) -> None:
    names = {name for agent in agents for domain in agent.domains for name in domain.tasks}
    name = text.partition("(")[0]
    message = f"a breakpoint at {text!r}: no task is called {name!r}"
    InputError.require(name, names, "BT451", message)


def _check_method(text: str, agents: Iterable[Agent[Any, Any]]) -> None:
    task, _, method = text.rpartition(":")
    if not task or not method:
        hint = "write task:number, such as fight:0, or task:name with the name of the method"
        raise InputError("BT451", f"a breakpoint at {text!r} names no method", hint=hint)
    _check_task(task, agents)


def _conditions(wanted: Breakpoint, agents: Iterable[Agent[Any, Any]]) -> dict[str, Condition]:
    """The condition of each agent that has its fluents. Raises InputError if none has."""
    found: dict[str, Condition] = {}
    fault: BthtnError | None = None
    for agent in agents:
        try:
            found[agent.name] = condition_from_text(wanted.text, agent.domain.schema)
        except BthtnError as error:
            fault = fault or error
    if fault is not None and not found:
        raise InputError.of(fault.diagnostics) from None
    return found
