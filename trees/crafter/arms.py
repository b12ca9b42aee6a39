"""The arms of the experiment in Crafter: the castaway, and what he is without a part.

Each takes the castaway's own tree and puts something else in the place of its goals, so that all
that is not said here is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec, module_from_spec
from types import MappingProxyType, ModuleType
from typing import Any, Final, cast

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.decorators import Decorator

from bthtn.behaviours import Agent, Character, Operators, PlanGoal, Repeat
from bthtn.examples.domains.crafter import domain

from .body import Body
from .level import Level
from .operators import operators
from .scripted import name_and_args, routine
from .senses import Castaways, Survivor
from .tree import castaway, living, survivor


def with_goals(tree: Behaviour, other: Callable[[PlanGoal], Behaviour]) -> Behaviour:
    """The tree with something else in the place of each goal."""
    for goal in [node for node in tree.iterate() if isinstance(node, PlanGoal)]:
        parent: Any = goal.parent
        placed = other(goal)
        parent.children[parent.children.index(goal)] = placed
        placed.parent = parent
        if isinstance(parent, Decorator):
            parent.decorated = placed
    return tree


class BetweenPlans(Decorator):
    """Asks the tree only when none of its goals is at work."""

    def tick(self) -> Iterator[Behaviour]:
        """Go on with the goal that is at work; when it has ended, ask the tree."""
        goals = (node for node in self.decorated.iterate() if isinstance(node, PlanGoal))
        active = next((goal for goal in goals if goal.status is Status.RUNNING), None)
        if active is not None:
            yield from active.tick()
        if active is None or active.status is not Status.RUNNING:
            yield from self.decorated.tick()
        self.status = self.decorated.status
        yield self

    def update(self) -> Status:
        """Never called: ``tick`` decides."""
        return self.status


class Anew(Decorator):
    """Drops the plan of its goal whenever a belief has changed."""

    def __init__(self, goal: PlanGoal) -> None:
        super().__init__(f"{goal.name} anew", goal)
        self._beliefs = goal.agent.beliefs
        self._version = 0

    def tick(self) -> Iterator[Behaviour]:
        """Let a step that is over end; then begin anew if anything was learned."""
        beliefs = self._beliefs
        is_news = beliefs.version != self._version and self.decorated.status is Status.RUNNING
        yield from super().tick()
        if is_news and self.decorated.status is Status.RUNNING:
            self.decorated.stop(Status.INVALID)
            yield from super().tick()
        self._version = beliefs.version

    def update(self) -> Status:
        """As the goal."""
        return self.decorated.status


def short(goal: PlanGoal, tasks: ModuleType = domain) -> Behaviour:
    """The goal, with the tasks of a module; the one for life is one achievement after the other."""
    name, given = name_and_args(goal)
    if name == "live":
        return Repeat(goal.name, PlanGoal(goal.name, goal.agent, tasks.progress()), -1)
    return PlanGoal(goal.name, goal.agent, getattr(tasks, name)(*given))


def at_once() -> ModuleType:
    """The module of the domain anew, with a domain in which nothing is left for later."""
    spec: Any = find_spec(domain.__name__)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module)["defer"] = lambda network, **_: network
    return module


def without_deferred(world: Level) -> Character:
    """The castaway whose plans are whole when they begin."""
    tasks, by_name, own = at_once(), Operators[Body](), cast("Any", operators)
    for task in own.tasks():
        by_name.bind(task.name)(own.find(task))
    domains = [domain.crafter, tasks.crafter]  # the castaway's goals are made, and then replaced
    agent = Agent("castaway", domains, Survivor(), body=Body(world), operators=by_name)
    goals = partial(short, tasks=tasks)
    return living(agent, lambda agent: with_goals(castaway(agent), goals))


def _with_tree(tree: Callable[[Castaways], Behaviour]) -> Callable[[Level], Character]:
    return lambda world: living(survivor(Body(world)), tree)


ARMS: Final[MappingProxyType[str, Callable[[Level], Character]]] = MappingProxyType(
    {
        "hybrid": _with_tree(castaway),
        "between plans": _with_tree(
            lambda agent: BetweenPlans("between plans", with_goals(castaway(agent), short))
        ),
        "scripted": _with_tree(lambda agent: with_goals(castaway(agent), routine)),
        "without deferred": without_deferred,
        "always anew": _with_tree(lambda agent: with_goals(castaway(agent), Anew)),
    }
)


def placed_in(world: Level, arm: str) -> Character:
    """The castaway of an arm in a game."""
    return ARMS[arm](world)
