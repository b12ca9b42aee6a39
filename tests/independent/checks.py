"""What has to be true of every run, looked at from outside: events, beliefs, leases, hooks."""

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import py_trees

from bthtn.behaviours import Agent, AgentEvent, PlanGoal
from bthtn.events import (
    GoalEnded,
    LeafAborted,
    LeafAborting,
    LeafEnded,
    LeafStarted,
    LeaseReturned,
    LeaseTaken,
)
from tests.independent import model
from tests.independent.build import Built, reader


class Monitor:
    """Hears the events of an agent and notes in ``faults`` what should not have happened."""

    def __init__(self, builts: Sequence[Built]) -> None:
        self.tick = 0
        self.events = 0
        self.latest = 0
        """The tick of the latest start or end of a step."""
        self.faults: list[str] = []
        self.done: list[tuple[str, tuple]] = []
        self.ended: Counter[tuple[str, bool]] = Counter()
        self.show: Callable[[str], None] | None = None
        self._primitives = {
            name: one for built in builts for name, one in built.problem.primitives.items()
        }
        self._open: dict[int, tuple[str, tuple]] = {}
        self._closed: set[int] = set()
        self._aborting: set[int] = set()
        self._held: Counter[tuple[Any, str]] = Counter()
        self._plans: Counter[tuple[str, tuple]] = Counter()
        self._agent: Agent[Any, Any] | None = None
        self._goals: Sequence[PlanGoal] = ()

    def watch(self, agent: Agent[Any, Any], goals: Sequence[PlanGoal]) -> None:
        """Look at this agent from now on; its tasks are called ``g0_…`` for the first goal."""
        self._agent, self._goals = agent, goals

    def hear(self, event: AgentEvent) -> None:
        """The agent's listener."""
        self.events += 1
        if self.show is not None:
            self.show(f"{self.tick}: {_line(event)}")
        match event:
            case LeafStarted(leaf, task, _):
                self._started(leaf, *_call(task))
            case LeafEnded(leaf, task, succeeded):
                self._over(leaf, task, "ended")
                if succeeded:
                    self._has_written(*_call(task))
                    self.done.append(_call(task))
            case LeafAborting(leaf, task):
                if leaf not in self._open or leaf in self._aborting:
                    self._fault(f"{task} #{leaf} is being aborted, and does not run")
                self._aborting.add(leaf)
            case LeafAborted(leaf, task):
                self._over(leaf, task, "was aborted")
            case LeaseTaken(key, holder):
                self._held[key, holder] += 1
            case LeaseReturned(key, holder):
                self._held[key, holder] -= 1
                if self._held[key, holder] < 0:
                    self._fault(f"{holder} returned {key} twice")
            case GoalEnded(goal, succeeded):
                self.ended[goal, succeeded] += 1
                mine = [name for name, _ in self._open.values() if _goal_of(name) == goal]
                if succeeded and mine:
                    self._fault(f"{goal} has succeeded while {mine} run")

    def plan_started(self, name: str, args: tuple) -> None:
        """An ``on_plan_start`` hook was called and does not raise."""
        self._plans[name, args] += 1

    def plan_ended(self, name: str, args: tuple) -> None:
        """An ``on_plan_end`` hook was called."""
        self._plans[name, args] -= 1
        if self._plans[name, args] < 0:
            self._fault(f"on_plan_end of {name}{args} without its on_plan_start")
        elif not self._plans[name, args] and (name, args) in self._open.values():
            self._fault(f"on_plan_end of {name}{args}, which still runs or is being aborted")

    def closed(self) -> None:
        """The tree was taken down: nothing may be left."""
        for leaf, (name, args) in self._open.items():
            self._fault(f"{name}{args} #{leaf} has started and never ended")
        for key, count in (+self._plans).items():
            self._fault(f"on_plan_end of {key} was not called, {count} times")
        for key, holder in +self._held:
            self._fault(f"{holder} has kept {key}")
        assert self._agent is not None, "closed before it was watched"
        if len(self._agent.aborts):
            self._fault("an abort is not done")

    def _fault(self, what: str) -> None:
        self.faults.append(f"tick {self.tick}: {what}")

    def _started(self, leaf: int, name: str, args: tuple) -> None:
        self.latest = self.tick
        if leaf in self._open or leaf in self._closed:
            self._fault(f"{name} #{leaf} has started twice")
        task = self._primitives[name]
        assert self._agent is not None, "something ran before it was watched"
        read = reader(self._agent.beliefs)
        for condition in (task.precondition, task.exec_only):
            if condition is not None and model.value(condition, read, args) is False:
                self._fault(f"{name}{args} has started, and its condition is false")
        for other, (busy, _) in self._open.items():
            shared = set(task.uses) & set(self._primitives[busy].uses)
            if shared and not self._side_by_side(name, busy):
                state_of_it = "is being aborted" if other in self._aborting else "runs"
                self._fault(f"{name} has started with {shared} while {busy} {state_of_it}")
        self._open[leaf] = (name, args)

    def _over(self, leaf: int, task: str, how: str) -> None:
        self.latest = self.tick
        if leaf not in self._open:
            self._fault(f"{task} #{leaf} {how}, and did not run")
        self._open.pop(leaf, None)
        self._aborting.discard(leaf)
        self._closed.add(leaf)
        for (key, holder), count in self._held.items():
            if count and holder.endswith(f"#{leaf}"):
                self._fault(f"{task} #{leaf} {how} and has kept {key}")

    def _has_written(self, name: str, args: tuple) -> None:
        assert self._agent is not None, "something ran before it was watched"
        read = reader(self._agent.beliefs)
        for effect in self._primitives[name].effects:
            if effect.term.op == "constant" and not effect.increases and effect.index is None:
                found = read(effect.name, None)
                if found != effect.term.number:
                    self._fault(f"{name}{args} has ended, and {effect.name} is {found}")

    def _side_by_side(self, one: str, other: str) -> bool:
        """Whether the steps belong to two goals that py_trees' Parallel runs together."""
        goals = [self._goals[_number(name)] for name in (one, other)]
        if goals[0] is goals[1]:
            return False
        above = [list(_above(goal)) for goal in goals]
        common = next(node for node in above[0] if node in above[1])
        return isinstance(common, py_trees.composites.Parallel)


def _above(node: Any) -> Any:
    while node is not None:
        yield node
        node = node.parent


def _call(text: str) -> tuple[str, tuple]:
    """``g0_p1(2)`` as name and arguments."""
    name, bracket, args = text.partition("(")
    return name, tuple(ast.literal_eval(f"({args[:-1]},)")) if bracket else ()


def _number(name: str) -> int:
    return int(name[1 : name.index("_")])


def _goal_of(name: str) -> str:
    return f"goal {_number(name)}"


def _line(event: AgentEvent) -> str:
    kind = type(event).__name__
    told = {key: getattr(event, key) for key in event.__slots__ if key != "path"}
    if plan := told.pop("plan", None):
        told["steps"] = [str(step) for step in plan.steps]
    return f"{kind} " + ", ".join(
        f"{key}={one}" for key, one in told.items() if one not in ("", None)
    )
