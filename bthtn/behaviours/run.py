"""PlanRun: what the behaviours of one running plan share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from py_trees.behaviour import Behaviour

from bthtn.agent.agent import Agent
from bthtn.agent.leases import Holder
from bthtn.plan.nodes import ScopeNode, SuspendedNode, TaskNode
from bthtn.plan.plan import Plan
from bthtn.world.fluent import Fluent

Path = tuple[str, "Path"] | None
"""Names of the decompositions above a node, innermost first."""


_SHOWN: Final = 8
"""Names of a path that are shown; a recursive task has thousands of the same."""


def path_text(path: Path) -> str:
    """``fight m1 > take_cover m1``, outermost first; of a long path, the innermost part."""
    names: list[str] = []
    while path is not None and len(names) < _SHOWN:
        name, path = path
        names.append(name)
    if path is not None:
        names.append("…")
    return " > ".join(reversed(names))


def placed(path: Path, name: str, reason: str) -> str:
    """``fight m1 > shoot: the reason``."""
    place = path_text(path)
    return f"{place} > {name}: {reason}" if place else f"{name}: {reason}"


@dataclass(frozen=True, slots=True)
class Planned:
    """The rest of a plan, planned on arrival, and the behaviours that run it in order."""

    plan: Plan
    steps: list[Behaviour]


class ResumeFailed(Exception):  # noqa: N818 - what happened, not what is wrong with the code
    """A suspended part could not be planned when execution got there (semantics 2.5)."""


class Arrival(Protocol):
    """**Protocol:** a suspended part of a plan that execution has reached."""

    node: SuspendedNode
    path: Path
    parent: Behaviour | None


PlanRest = Callable[[Arrival], Callable[[], Planned | None]]
"""Begins to plan a suspended part; the answer is called every tick until it gives a plan.

The answer gives None while it needs more ticks and raises ResumeFailed when there is no plan.
"""


OnResumed = Callable[[Arrival, Plan], None]
"""Told that a suspended part goes on with a plan. May raise ResumeFailed."""

OnFinished = Callable[[TaskNode, Iterable[Fluent[Any]]], None]
"""Told that a step has succeeded, and which fluents it has written."""


class CleanUp(Protocol):
    """**Protocol:** sees to it that the cleanup of a part, with this path, is done."""

    def __call__(self, part: ScopeNode, path: Path, run: PlanRun) -> None: ...


def _nobody(part: ScopeNode, path: Path, run: PlanRun) -> None:
    """Sees to nothing."""


@dataclass(slots=True)
class PlanRun:
    """One run of a plan: whose it is, and how often it was ticked.

    ``plan_rest`` is how a suspended part asks for its plan without knowing the planner;
    ``on_resumed`` is told when the plan takes its place, ``on_finished`` when a step has
    succeeded, with the fluents that it has written. What ``holder`` has taken, the steps have,
    too. ``clean_up`` sees to cleanups that the plan did not get to. Then nobody goes on with it: it
    is not ``is_repairable``. ``writes_as`` is the source of what steps write, the goal unless it
    says otherwise. A plan that takes over running steps takes over the run.
    """

    agent: Agent[Any, Any]
    goal: str
    plan_rest: PlanRest
    on_resumed: OnResumed
    setup_arguments: Mapping[str, Any]
    on_finished: OnFinished = lambda _node, _written: None
    ticks: int = 0
    next_resumption: int = 0
    holder: Holder | None = None
    clean_up: CleanUp = _nobody
    is_repairable: bool = True
    writes_as: str = ""

    @property
    def source(self) -> str:
        """Who the beliefs that this plan's steps write come from."""
        return self.writes_as or self.goal

    def ticked(self) -> None:
        """Another tick of the plan begins."""
        self.ticks += 1
        self.next_resumption = self.ticks + 1

    def resumed(self, arrival: Arrival, planned: Planned) -> None:
        """A suspended part is replaced by its plan."""
        self.on_resumed(arrival, planned.plan)


def is_same_path(one: Path, other: Path) -> bool:
    """Whether both name the same decompositions; paths may be nested deeper than Python calls."""
    while one is not other:
        if one is None or other is None or one[0] != other[0]:
            return False
        one, other = one[1], other[1]
    return True
