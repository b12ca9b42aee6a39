"""The nodes of BehaviorTree.CPP and of bthtn that trees in XML have, by their tags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar

from py_trees import decorators
from py_trees.behaviour import Behaviour
from py_trees.behaviours import Failure, Success
from py_trees.composites import Selector, Sequence

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import Clock
from bthtn.engine.behaviours.assigning import Afterwards, Assign
from bthtn.engine.behaviours.believes import Believes
from bthtn.engine.behaviours.control import (
    CountingParallel,
    IfThenElse,
    Parallel,
    ParallelAll,
    Switch,
    WhileDoElse,
)
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
from bthtn.engine.behaviours.skipping import (
    KeepsRunning,
    Precondition,
    SequenceWithMemory,
    Skip,
    SkippingSelector,
    SkippingSequence,
    may_be_skipped,
)
from bthtn.engine.behaviours.status import FAILURE, INVALID, SUCCESS
from bthtn.engine.domain.task import TaskCall
from bthtn.engine.planning.protocol import Settings
from bthtn.engine.text.notation import call_from
from bthtn.engine.world.expression import ALWAYS, Comparison, Condition, Constant, Expression
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.truth import UNKNOWN, value_text
from bthtn.errors import ExecutionError, InputError
from bthtn.kit.formats.node_kinds import Key, NodeKind, Script, ScriptCondition, kind_of

T = TypeVar("T")

Children = list[Behaviour]
MILLISECONDS: Final = 1_000


def _composite(
    made: type[Sequence | Selector],
    skipping: type[SkippingSequence | SkippingSelector],
    *,
    memory: bool,
) -> NodeKind:
    def make(name: str, children: Children) -> Behaviour:
        kind = skipping if any(map(may_be_skipped, children)) else made
        return kind(name, memory=memory, children=children)

    return kind_of(make)


def _keep_running(name: str, child: Behaviour) -> Behaviour:
    made = KeepsRunning if may_be_skipped(child) else decorators.SuccessIsRunning
    return made(name, child)


def _sequence_with_memory(name: str, children: Children) -> Behaviour:
    return SequenceWithMemory(name, memory=True, children=children)


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


@dataclass(frozen=True, slots=True, eq=False)
class Believed:
    """The number that a fluent has whenever it is asked for."""

    agent: Agent[Any, Any]
    fluent: Fluent[Any]
    factor: float = 1

    def __call__(self) -> Any:
        """Raises ExecutionError for anything else than a number."""
        value = self.agent.beliefs.get(self.fluent)
        if isinstance(value, bool) or not isinstance(value, int | float):
            message = f"'{self.fluent}' is {value_text(value)}, and no number"
            raise ExecutionError("BT202", message, hint="let it be known before it is needed")
        return value if self.factor == 1 else value * self.factor


Count = int | Fluent[int]
Milliseconds = int | Fluent[float]


def _count(agent: Agent[Any, Any], given: Count) -> int | Believed:
    return Believed(agent, given) if isinstance(given, Fluent) else given


def _seconds(agent: Agent[Any, Any], given: Milliseconds) -> float | Believed:
    if isinstance(given, Fluent):
        return Believed(agent, given, 1 / MILLISECONDS)
    return given / MILLISECONDS


def _repeat(name: str, agent: Agent[Any, Any], child: Behaviour, num_cycles: Count) -> Behaviour:
    return Repeat(name, child, _count(agent, num_cycles))


def _retry(name: str, agent: Agent[Any, Any], child: Behaviour, num_attempts: Count) -> Behaviour:
    return RetryUntilSuccessful(name, child, _count(agent, num_attempts))


def _clock_of(agent: Agent[Any, Any]) -> Clock:
    """The agent's clock. Raises ExecutionError for an agent without one."""
    agent.time()
    return agent.time_in_tree


def _timeout(name: str, agent: Agent[Any, Any], child: Behaviour, msec: Milliseconds) -> Behaviour:
    return Timeout(name, child, seconds=_seconds(agent, msec), clock=_clock_of(agent))


def _delay(
    name: str, agent: Agent[Any, Any], child: Behaviour, delay_msec: Milliseconds
) -> Behaviour:
    return Delay(name, child, seconds=_seconds(agent, delay_msec), clock=_clock_of(agent))


def _sleep(name: str, agent: Agent[Any, Any], msec: Milliseconds) -> Behaviour:
    """A delay in front of nothing."""
    if not isinstance(msec, Fluent) and msec == 0:
        return Success(name)
    return _delay(name, agent, Success("AlwaysSuccess"), msec)


def _script(name: str, agent: Agent[Any, Any], code: Script) -> Behaviour:
    return Assign(name, agent, code)


def _script_condition(name: str, agent: Agent[Any, Any], code: ScriptCondition) -> Behaviour:
    return Believes(name, agent, code)


def _precondition(
    name: str,
    agent: Agent[Any, Any],
    child: Behaviour,
    if_: ScriptCondition,
    else_: Literal["FAILURE", "SUCCESS", "SKIPPED"] = "FAILURE",
) -> Behaviour:
    instead: dict[str, Callable[[], Behaviour]] = {
        "FAILURE": lambda: Failure("AlwaysFailure"),
        "SUCCESS": lambda: Success("AlwaysSuccess"),
        "SKIPPED": lambda: Skip("Skip"),
    }
    return Precondition(name, Believes(str(if_), agent, if_), child, instead[else_]())


def _set_blackboard(
    name: str, agent: Agent[Any, Any], value: str | Fluent[Any], output_key: Key
) -> Behaviour:
    given = value if isinstance(value, Fluent) else output_key.parse(value)
    return Assign(name, agent, [output_key.becomes(given)])


def _unset_blackboard(name: str, agent: Agent[Any, Any], key: Key) -> Behaviour:
    return Assign(name, agent, [key.becomes(UNKNOWN)])


def _blackboard_check(
    name: str,
    agent: Agent[Any, Any],
    child: Behaviour,
    value_A: str | Fluent[Any],  # noqa: N803 - as BehaviorTree.CPP calls it
    value_B: str | Fluent[Any],  # noqa: N803 - likewise
    return_on_mismatch: Literal["FAILURE", "SUCCESS"] = "FAILURE",
) -> Behaviour:
    """The decorator of format 3 that asks in every tick whether two values are the same."""
    like = next((value for value in (value_A, value_B) if isinstance(value, Fluent)), None)
    if like is None:
        message = "neither of the values is a key"
        raise InputError("BT414", message, hint='write one in braces: value_A="{…}"')
    first, second = (
        value if isinstance(value, Fluent) else Constant(like.parse(value))
        for value in (value_A, value_B)
    )
    asked = Believes(name, agent, Comparison("==", first, second))
    ends = {"FAILURE": Failure, "SUCCESS": Success}
    instead = ends[return_on_mismatch](f"Always{return_on_mismatch.capitalize()}")
    return WhileDoElse(name, asked, child, instead)


def _parallel_of_three(
    name: str,
    children: Children,
    success_threshold: int | None = None,
    failure_threshold: int = 1,
    threshold: int | None = None,
) -> Behaviour:
    """The ``Parallel`` of format 3; ``threshold`` is that of its first versions."""
    needed = success_threshold if threshold is None else threshold
    if needed is None:
        message = "'Parallel' has no 'success_threshold'"
        raise InputError("BT414", message, hint='write success_threshold="…"')
    return CountingParallel(name, children, success_count=needed, failure_count=failure_threshold)


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


def _run_once(name: str, child: Behaviour, *, then_skip: bool = True) -> Behaviour:
    return RunOnce(name, child, then=INVALID if then_skip else None)


def _parallel_all(name: str, children: Children, max_failures: int = 1) -> Behaviour:
    return ParallelAll(name, children, max_failures=max_failures)


def _afterwards(  # noqa: PLR0913 - one for each moment
    name: str,
    agent: Agent[Any, Any],
    child: Behaviour,
    *,
    success: Script | None = None,
    failure: Script | None = None,
    halt: Script | None = None,
    end: Script | None = None,
) -> Behaviour:
    given = {"success": success, "failure": failure, "halt": halt, "end": end}
    return Afterwards(name, agent, child, {at: code for at, code in given.items() if code})


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
    "Sequence": _composite(Sequence, SkippingSequence, memory=True),
    "ReactiveSequence": _composite(Sequence, SkippingSequence, memory=False),
    "Fallback": _composite(Selector, SkippingSelector, memory=True),
    "ReactiveFallback": _composite(Selector, SkippingSelector, memory=False),
    "SequenceWithMemory": kind_of(_sequence_with_memory),
    "Parallel": kind_of(Parallel),
    "ParallelAll": kind_of(_parallel_all),
    **{f"Switch{n}": kind_of(_switch, fewest=n + 1, most=n + 1) for n in range(2, 7)},
    "Repeat": kind_of(_repeat),
    "RetryUntilSuccessful": kind_of(_retry),
    "Timeout": kind_of(_timeout),
    "Delay": kind_of(_delay),
    "RunOnce": kind_of(_run_once),
    "Sleep": kind_of(_sleep),
    "Script": kind_of(_script),
    "ScriptCondition": kind_of(_script_condition, category="Condition"),
    "Precondition": kind_of(_precondition),
    "SetBlackboard": kind_of(_set_blackboard),
    "UnsetBlackboard": kind_of(_unset_blackboard),
    **{tag: _branching(made) for tag, made in _BRANCHING.items()},
    **{tag: kind_of(made) for tag, made in _OF_PY_TREES.items()},
    "KeepRunningUntilFailure": kind_of(_keep_running),
}
"""Nodes that do what those of BehaviorTree.CPP do."""

_NEW_IN_FOUR: Final = frozenset(
    {"SequenceWithMemory", "ParallelAll", "RunOnce", "Sleep", "Script", "ScriptCondition"}
    | {"Precondition", "UnsetBlackboard"}
)
CPP_NODES_OF_THREE: Final[Mapping[str, NodeKind]] = {
    **{name: kind for name, kind in CPP_NODES.items() if name not in _NEW_IN_FOUR},
    "SequenceStar": CPP_NODES["SequenceWithMemory"],
    "FallbackStar": CPP_NODES["Fallback"],
    "RetryUntilSuccesful": CPP_NODES["RetryUntilSuccessful"],
    "Parallel": kind_of(_parallel_of_three),
    **{
        f"BlackboardCheck{kind}": kind_of(_blackboard_check)
        for kind in ("Bool", "Int", "Double", "String")
    },
}
"""The nodes of format 3, likewise."""

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
    "Skip": kind_of(Skip),
    "Afterwards": kind_of(_afterwards),
}
"""Nodes of bthtn that BehaviorTree.CPP lacks, or has no ports for."""

_LOOPS: Final = "write a leaf of yours, or Repeat with a number"
REFUSED: Final[Mapping[str, str]] = {
    "AsyncSequence": "use Sequence, which goes on in the same tick",
    "AsyncFallback": "use Fallback, which goes on in the same tick",
    "TryCatch": "use Fallback, or with_cleanup in the domain",
    "ManualSelector": "use Switch2 … Switch6 with a variable",
    "ConsumeQueue": _LOOPS,
    **dict.fromkeys(("LoopInt", "LoopBool", "LoopDouble", "LoopString"), _LOOPS),
    "SkipUnlessUpdated": "use Believes, which is asked in every tick",
    "WaitValueUpdate": "use Believes, which is asked in every tick",
    "WasEntryUpdated": "use Believes, which is asked in every tick",
    "TestNode": "use the test doubles of bthtn.testing",
}
"""Nodes of BehaviorTree.CPP that no behaviour does exactly as they do, and what to use instead.

A node of the user's may have such a name.
"""
