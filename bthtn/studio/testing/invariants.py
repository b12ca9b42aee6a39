"""Invariants: they hold in every run of a character, with any interventions.

| invariant                                                                         |
| --------------------------------------------------------------------------------- |
| a step that starts ends once, and none runs after the tree was stopped            |
| its precondition is not false when it starts                                      |
| no sequence succeeds with a failed step, no parallel without its branches         |
| two running steps of an agent use no resource both                                |
| two alternatives of a priority do not run at once                                 |
| leases of steps and plans are returned when the tree is stopped                   |
| users' code raises nothing but OperatorFailed                                     |
| a goal does not adopt a plan again and again in one state while no step succeeds  |
| the tree does not fail for 30 ticks in a row without a plan, or a goal that waits |

The author of a tree adds others: a function ``invariants(character)`` in the file of the tree,
which yields faults between two ticks as texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.behaviours import Character
from bthtn.engine.agent import events
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.events import AgentEvent
from bthtn.engine.agent.hearing import hear_too
from bthtn.engine.agent.programming_errors import is_programming_error, text_of
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.behaviours.priority import PlanPriority
from bthtn.engine.behaviours.sequence import PlanSequence
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.engine.domain.condition import why
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.nodes import ParallelNode
from bthtn.engine.text.notation import normal
from bthtn.engine.world.sharing import Unpicklable
from bthtn.studio.testing.doubles import ScriptedError

MOST_REPEATS: Final = 30
"""How often a goal may adopt a plan in one state while no step succeeds."""
MOST_IDLE: Final = 30
"""Ticks in a row in which the tree may fail, without a plan and without a goal that waits."""

OwnInvariants = Callable[[Character], Iterable[str]]
"""The faults of a character between two ticks, as texts."""


class Invariants(Unpicklable):
    """Listens to a character and says which invariants it breaks.

    Make it before the first tick, call ``after_tick`` after every tick, and ``stop`` to
    stop the tree at the end. ``own`` are the invariants of its author.
    """

    def __init__(self, character: Character, own: OwnInvariants = lambda _: ()) -> None:
        self._character = character
        self._own = own
        self._faults: list[str] = []
        self._running: dict[tuple[str, int], tuple[events.LeafStarted, frozenset[str]]] = {}
        self._over: set[tuple[str, int]] = set()
        self._leases: Counter[tuple[str, str, Hashable]] = Counter()
        self._adopted: Counter[Hashable] = Counter()
        self._idle = 0
        self._has_decided = self._is_stopping = False
        for agent in character.agents.values():
            self._listen_to(agent)

    def after_tick(self) -> list[str]:
        is_idle = self._character.root.status is Status.FAILURE and not self._has_decided
        self._idle = self._idle + 1 if is_idle else 0
        self._has_decided = False
        if self._idle > MOST_IDLE and not self._character.finished:
            self._faults.append(f"nothing in the tree has wanted to run for {self._idle} ticks")
        self._faults.extend(_wrong_statuses(self._character.root))
        self._faults.extend(self._own_faults())
        return self._taken()

    def _own_faults(self) -> list[str]:
        """The faults that the author's invariants find, or the error that they raise."""
        try:
            said = self._own(self._character)
            if not isinstance(said, str):
                return [str(text) for text in said]
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            return [f"the invariants of the tree raised: {text_of(error)}"]
        return [f"the invariants of the tree gave {said!r}: let them yield texts"]

    def stop(self) -> list[str]:
        """Stop the tree. The faults after that, as texts; aborts may be cut off by it."""
        self._is_stopping = True
        self._character.stop()
        running = [f"{start.task} has not ended" for start, _ in self._running.values()]
        left = [f"{holder} has not returned {key!r}" for _, holder, key in +self._leases]
        return [*self._taken(), *running, *left]

    def _taken(self) -> list[str]:
        faults, self._faults = self._faults, []
        return faults

    def _listen_to(self, agent: Agent[Any, Any]) -> None:
        def hear(event: AgentEvent) -> None:
            if event.agent == agent.name:  # listeners may pass on events of other agents
                self._faults.extend(self._wrong(agent, event))

        hear_too(agent, hear)

    def _wrong(self, agent: Agent[Any, Any], event: AgentEvent) -> Iterator[str]:
        match event:
            case events.LeafStarted():
                yield from self._started(agent, event)
            case events.LeafEnded() | events.LeafAborted():
                yield from self._ended(event)
            case events.LeaseTaken() if event.goal:
                self._leases[event.agent, event.holder, event.key] += 1
            case events.LeaseReturned() if event.goal:
                self._leases[event.agent, event.holder, event.key] -= 1
            case events.PlanAdopted():
                yield from self._plan_adopted(agent, event)
            case events.GoalWaits():
                self._has_decided = True
            case events.CodeFailed() | events.SensorFailed() | events.PlanHookFailed():
                yield f"users' code raised: {text_of(event.error)}"

    def _started(self, agent: Agent[Any, Any], event: events.LeafStarted) -> Iterator[str]:
        leaf = leaf_of(self._character.root, event)
        uses = frozenset[str]() if leaf is None else leaf.node.task.uses
        if leaf is not None:
            condition, args = leaf.node.task.precondition, leaf.node.args
            if condition.evaluate(agent.beliefs, args) is False:
                yield f"{event.task} has started, but {why(condition, agent.beliefs, args)}"
        for (owner, _), (other, used) in self._running.items():
            for resource in sorted(uses & used) if owner == event.agent else ():
                yield f"{other.task} and {event.task} use {resource!r} at the same time"
        if (event.agent, event.leaf) in self._running.keys() | self._over:
            yield f"{event.task} has started twice"
        self._running[event.agent, event.leaf] = event, uses

    def _ended(self, event: events.LeafEnded | events.LeafAborted) -> Iterator[str]:
        key = event.agent, event.leaf
        if key in self._over:
            yield f"{event.task} has ended twice"
        elif key not in self._running:
            yield f"{event.task} has ended, and was never started"
        self._over.add(key)
        self._running.pop(key, None)
        if isinstance(event, events.LeafEnded) and event.succeeded:
            self._adopted.clear()
        is_ours = isinstance(event.error, ScriptedError) or self._is_stopping
        if is_programming_error(event.error) and not is_ours:
            yield f"{event.task} raised: {text_of(event.error)}"

    def _plan_adopted(self, agent: Agent[Any, Any], event: events.PlanAdopted) -> Iterator[str]:
        self._has_decided = True
        plan = normal(event.plan.tree)
        same = event.agent, event.goal, plan, agent.beliefs.now.frozen()
        self._adopted[same] += 1
        if self._adopted[same] > MOST_REPEATS:
            times = self._adopted[same]
            yield f"{event.goal} has adopted {plan} {times} times in one state, without progress"


def leaf_of(
    root: Behaviour, event: events.LeafStarted | events.LeafRefused | events.LeafEnded
) -> TaskLeaf | None:
    """The behaviour of a step that an event is about; none for a cleanup that no tree has."""
    started = event.task, event.leaf, event.plan_id
    leaves = (node for node in root.iterate() if isinstance(node, TaskLeaf))
    return next(
        (leaf for leaf in leaves if (leaf.name, leaf.number, leaf.plan_id) == started), None
    )


def _wrong_statuses(root: Behaviour) -> Iterator[str]:
    """The impossible statuses of a tree after a tick."""
    for node in root.iterate():
        if not node.children:
            continue  # most are steps, and in every tick all are looked at
        ends = [child.status for child in node.children]
        if node.status in {Status.SUCCESS, Status.INVALID} and Status.RUNNING in ends:
            yield f"{node.name} is over, and something below it runs"
        if isinstance(node, PlanPriority) and ends.count(Status.RUNNING) > 1:
            yield f"{node.name} runs two of its alternatives"
        if node.status is not Status.SUCCESS:
            continue
        match node:
            case PlanSequence() if Status.FAILURE in ends:
                yield f"{node.name} has succeeded, and a step of it has failed"
            case PlanParallel(node=ParallelNode(policy=ParallelPolicy.ALL)):
                if {*ends} != {Status.SUCCESS}:
                    yield f"{node.name} has succeeded without all of its branches"
