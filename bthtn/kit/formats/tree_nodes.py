"""The nodes of BehaviorTree.CPP and of bthtn that trees in XML have, by their tags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar

from py_trees import decorators
from py_trees.behaviour import Behaviour
from py_trees.behaviours import Failure, Success
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import Clock
from bthtn.engine.behaviours.believes import Believes
from bthtn.engine.behaviours.control import IfThenElse, Parallel, Switch, WhileDoElse
from bthtn.engine.behaviours.decorators import (
    Cooldown,
    Delay,
    Repeat,
    RetryUntilSuccessful,
    RunOnce,
    Timeout,
)
from bthtn.engine.behaviours.goals import PriorityGoals, StateMachineGoals, UtilityGoals
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.behaviours.status import FAILURE, SUCCESS
from bthtn.engine.domain.task import TaskCall
from bthtn.engine.planning.protocol import Settings
from bthtn.engine.text.notation import call_from
from bthtn.engine.world.expression import ALWAYS, Condition, Expression
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import InputError
from bthtn.kit.formats.node_kinds import NodeKind, kind_of

T = TypeVar("T")

Children = list[Behaviour]
MILLISECONDS: Final = 1_000


def _composite(made: type[Sequence | Selector], *, memory: bool) -> NodeKind:
    def make(name: str, children: Children) -> Behaviour:
        return made(name, memory=memory, children=children)

    return kind_of(make)


def _branching(made: Callable[..., Behaviour]) -> NodeKind:
    def make(name: str, children: Children) -> Behaviour:
        return made(name, *children)

    return kind_of(make, fewest=2, most=3)


def _switch(
    name: str,
    agent: Agent[Any, Any],
    children: Children,
    variable: Fluent[Any],
    case: Mapping[int, str],
) -> Behaviour:
    *branches, default = children
    return Switch(name, agent, variable, _by_case(variable, case, branches), default)


def _repeat(name: str, child: Behaviour, num_cycles: int) -> Behaviour:
    return Repeat(name, child, num_cycles)


def _retry(name: str, child: Behaviour, num_attempts: int) -> Behaviour:
    return RetryUntilSuccessful(name, child, num_attempts)


def _clock_of(agent: Agent[Any, Any]) -> Clock:
    """The agent's clock. Raises ExecutionError for an agent without a clock."""
    agent.time()
    return agent.time


def _timeout(name: str, agent: Agent[Any, Any], child: Behaviour, msec: int) -> Behaviour:
    return Timeout(name, child, seconds=msec / MILLISECONDS, clock=_clock_of(agent))


def _delay(name: str, agent: Agent[Any, Any], child: Behaviour, delay_msec: int) -> Behaviour:
    return Delay(name, child, seconds=delay_msec / MILLISECONDS, clock=_clock_of(agent))


def _cooldown(
    name: str,
    agent: Agent[Any, Any],
    child: Behaviour,
    ticks: int | None = None,
    seconds: float | None = None,
) -> Behaviour:
    clock = None if seconds is None else _clock_of(agent)
    return Cooldown(name, child, ticks=ticks, seconds=seconds, clock=clock)


def _timeout_ticks(name: str, child: Behaviour, ticks: int) -> Behaviour:
    return Timeout(name, child, ticks=ticks)


def _delay_ticks(name: str, child: Behaviour, ticks: int) -> Behaviour:
    return Delay(name, child, ticks=ticks)


def _run_once(
    name: str, child: Behaviour, skipped: Status | None, *, then_skip: bool = True
) -> Behaviour:
    """``skipped`` is the status that stands for a skipped node at its place, None without one."""
    if then_skip and skipped is None:
        message = "RunOnce would be skipped where that cannot be kept"
        hint = 'write then_skip="false", or put it directly into a sequence or fallback beside'
        raise InputError("BT415", message, hint=f"{hint} a node that is never skipped")
    return RunOnce(name, child, then=skipped if then_skip else None)


def _run_once_then(name: str, child: Behaviour, then: Literal["success", "failure"]) -> Behaviour:
    return RunOnce(name, child, then=SUCCESS if then == "success" else FAILURE)


def _plan_goal(  # noqa: PLR0913 - the ports of a goal
    name: str,
    agent: Agent[Any, Any],
    goal: str,
    *,
    budget: int | None = 1_000,
    max_replans: int = 3,
    horizon: int | None = None,
    horizon_time: float | None = None,
    check_rest: bool = False,
    cheapest: bool = False,
    anytime: bool = False,
    seed: int = 0,
) -> Behaviour:
    settings = Settings(
        horizon=horizon,
        horizon_time=horizon_time,
        check_rest=check_rest,
        cheapest=cheapest,
        anytime=anytime,
        seed=seed,
    )
    call = goal_from_text(goal, agent)
    return PlanGoal(name, agent, call, settings=settings, budget=budget, max_replans=max_replans)


def goal_from_text(text: str, agent: Agent[Any, Any]) -> TaskCall:
    """The call of a task of one of the agent's domains. Raises InputError."""
    task = text.partition("(")[0].strip()
    domain = next((domain for domain in agent.domains if task in domain.tasks), agent.domain)
    return call_from(text, domain)


def _believes(
    name: str,
    agent: Agent[Any, Any],
    condition: Condition,
    *,
    until: Condition | None = None,
    hold: int = 0,
) -> Behaviour:
    return Believes(name, agent, condition, until=until, hold=hold)


def _priority_goals(
    name: str,
    agent: Agent[Any, Any],
    children: Children,
    when: Mapping[int, Condition] = MappingProxyType({}),
    period: int = 10,
) -> Behaviour:
    return PriorityGoals(name, agent, children, when=_whens(when, children), period=period)


def _utility_goals(
    name: str,
    agent: Agent[Any, Any],
    children: Children,
    utility: Mapping[int, Expression[float]],
    when: Mapping[int, Condition] = MappingProxyType({}),
    inertia: float = 0,
) -> Behaviour:
    worth = _in_order("utility", utility, len(children))
    goals = list(zip(children, worth, strict=True))
    return UtilityGoals(name, agent, goals, when=_whens(when, children), inertia=inertia)


def _state_machine_goals(
    name: str,
    agent: Agent[Any, Any],
    children: Children,
    state: Fluent[Any],
    case: Mapping[int, str],
) -> Behaviour:
    return StateMachineGoals(name, agent, state, _by_case(state, case, children))


def _whens(when: Mapping[int, Condition], children: Children) -> list[Condition]:
    """A condition for each child. Raises InputError for one that belongs to none."""
    count = len(children)
    return _in_order("when", dict.fromkeys(range(1, count + 1), ALWAYS) | dict(when), count)


def _in_order(stem: str, numbered: Mapping[int, T], count: int) -> list[T]:
    """The values of ``stem_1``, ``stem_2``, …. Raises InputError if there are not so many."""
    wanted = range(1, count + 1)
    for number in (*wanted, *numbered):
        if (number in wanted) is not (number in numbered):
            what = "is missing" if number in wanted else "belongs to no child"
            hint = f"write {', '.join(f'{stem}_{number}' for number in wanted)}, one for each child"
            raise InputError("BT414", f"'{stem}_{number}' {what}", hint=hint)
    return [numbered[number] for number in wanted]


def _by_case(
    variable: Fluent[Any], case: Mapping[int, str], branches: Children
) -> dict[Any, Behaviour]:
    """The branches by the values that the cases stand for. Raises InputError and StateError."""
    values = [variable.parse(text) for text in _in_order("case", case, len(branches))]
    found = dict(zip(values, branches, strict=True))
    if len(found) < len(values) or UNKNOWN in found:
        hint = "write each value once; an unknown one has the default"
        raise InputError("BT414", "two cases are the same, or one is unknown", hint=hint)
    return found


_BRANCHING: Final[Mapping[str, type[Behaviour]]] = {
    "IfThenElse": IfThenElse,
    "WhileDoElse": WhileDoElse,
}
_OF_PY_TREES: Final[Mapping[str, type[Behaviour]]] = {
    "Inverter": decorators.Inverter,
    "ForceSuccess": decorators.FailureIsSuccess,
    "ForceFailure": decorators.SuccessIsFailure,
    "KeepRunningUntilFailure": decorators.SuccessIsRunning,
    "AlwaysSuccess": Success,
    "AlwaysFailure": Failure,
}
TAGS: Final[Mapping[type, str]] = {
    made: tag for tag, made in (*_BRANCHING.items(), *_OF_PY_TREES.items())
}
"""The tags of classes without ports."""

CPP_NODES: Final[Mapping[str, NodeKind]] = {
    "Sequence": _composite(Sequence, memory=True),
    "ReactiveSequence": _composite(Sequence, memory=False),
    "Fallback": _composite(Selector, memory=True),
    "ReactiveFallback": _composite(Selector, memory=False),
    "Parallel": kind_of(Parallel),
    **{f"Switch{n}": kind_of(_switch, fewest=n + 1, most=n + 1) for n in range(2, 7)},
    "Repeat": kind_of(_repeat),
    "RetryUntilSuccessful": kind_of(_retry),
    "Timeout": kind_of(_timeout),
    "Delay": kind_of(_delay),
    "RunOnce": kind_of(_run_once),
    **{tag: _branching(made) for tag, made in _BRANCHING.items()},
    **{tag: kind_of(made) for tag, made in _OF_PY_TREES.items()},
}
"""Nodes that do what those of BehaviorTree.CPP do."""

OWN_NODES: Final[Mapping[str, NodeKind]] = {
    "PlanGoal": kind_of(_plan_goal),
    "Believes": kind_of(_believes, category="Condition"),
    "PriorityGoals": kind_of(_priority_goals),
    "UtilityGoals": kind_of(_utility_goals),
    "StateMachineGoals": kind_of(_state_machine_goals),
    "Cooldown": kind_of(_cooldown),
    "RunOnceThen": kind_of(_run_once_then),
    "TimeoutTicks": kind_of(_timeout_ticks),
    "DelayTicks": kind_of(_delay_ticks),
}
"""Nodes of bthtn that BehaviorTree.CPP lacks, or has no ports for."""

_CHANGES: Final = "let an effect of a task, a sensor or a leaf of yours change the belief"
_LOOPS: Final = "write a leaf of yours, or Repeat with a number"
REFUSED: Final[Mapping[str, str]] = {
    "AsyncSequence": "use Sequence, which goes on in the same tick",
    "AsyncFallback": "use Fallback, which goes on in the same tick",
    "SequenceWithMemory": "use Sequence, which begins anew after a failure",
    "ParallelAll": "use Parallel, which ends as soon as it is decided",
    "TryCatch": "use Fallback, or with_cleanup in the domain",
    "ManualSelector": "use Switch2 … Switch6 with a variable",
    "Precondition": "use IfThenElse with Believes, or the attribute _failureIf",
    "ScriptCondition": 'use Believes condition="…"',
    "Sleep": "use Delay around AlwaysSuccess",
    "Script": _CHANGES,
    "SetBlackboard": _CHANGES,
    "UnsetBlackboard": _CHANGES,
    "ConsumeQueue": _LOOPS,
    **dict.fromkeys(("LoopInt", "LoopBool", "LoopDouble", "LoopString"), _LOOPS),
    "SkipUnlessUpdated": "use Believes, which is asked in every tick",
    "WaitValueUpdate": "use Believes, which is asked in every tick",
    "WasEntryUpdated": "use Believes, which is asked in every tick",
    "TestNode": "use the test doubles of bthtn.testing",
}
"""Nodes of BehaviorTree.CPP that no behaviour does exactly as they do, and what to use instead."""
