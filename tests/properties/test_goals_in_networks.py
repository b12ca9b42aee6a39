"""Goals anywhere in random networks: every planner finds the same, and replay agrees."""

from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from itertools import islice
from operator import and_
from types import MappingProxyType

from hypothesis import assume, given
from hypothesis import strategies as st

from bthtn import Domain, achieve, parallel, priority, sequence
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.plan.nodes import ParallelNode, PriorityNode, ScopeNode, SuspendedNode
from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.walk import leaves, outline, preorder
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, Settings, request
from bthtn.engine.planning.strips.ground import opaque, opaque_parts
from bthtn.engine.planning.strips.instances import Statics
from bthtn.engine.world.expression import NOTHING_KNOWN
from bthtn.errors import DomainError
from bthtn.studio.testing.playground import MEMBERS, World, conditions
from bthtn.studio.testing.strategies import problems
from tests.reference import Reference

MOST_PLANS = 3
QUESTIONS = (World.at["a"], World.at["b"], ~World.armed, *conditions("a"))

chain = Domain("chain", World)
chain.primitive("unlock", precondition=~World.open, effects=World.open.becomes(True))
chain.primitive("close", precondition=~World.armed, effects=World.open.becomes(False))
chain.primitive("arm", precondition=World.open & World.lit, effects=World.armed.becomes(True))
chain.primitive("disarm", effects=World.armed.becomes(False))

anything = Domain("anything", World).primitive("anything", effects=lambda state: None)
"""Beside it no fluent is sure to stay as it is."""


def with_chain(domain):
    """The domain with some more primitive tasks, which need each other."""
    tasks = {**domain.tasks, **chain.freeze().tasks}
    return FrozenDomain(domain.name, domain.state_class, MappingProxyType(tasks), domain.methods)


@st.composite
def mixed(draw):
    """A random problem whose goal has conditions to achieve in it."""
    problem = draw(problems())
    domain = with_chain(problem.domain)
    tasks = [task for task in domain.tasks.values() if isinstance(task, PrimitiveTask)]
    statics = Statics([anything], {}, NOTHING_KNOWN)
    actions = [task for task in tasks if not list(opaque_parts(task, statics))]
    objects = {parameter.name: MEMBERS for task in tasks for parameter in task.parameters}
    questions = [one for one in QUESTIONS if not list(opaque(one))]

    def goal():
        parts = draw(st.lists(st.sampled_from(questions), min_size=1, max_size=2))
        return achieve(reduce(and_, parts), actions=actions, objects=objects)

    shape = draw(st.sampled_from(["before", "behind", "beside", "both", "choice"]))
    whole = {
        "before": lambda: sequence(goal(), problem.goal),
        "behind": lambda: sequence(problem.goal, goal(), goal()),
        "beside": lambda: parallel(goal(), goal()),
        "both": lambda: sequence(goal(), parallel(problem.goal, goal())),
        "choice": lambda: sequence(priority(goal(), problem.goal), goal()),
    }[shape]()
    few = replace(problem.settings, max_expansions=3_000, check_rest=False)
    return request(domain, problem.state, whole, few)


def description(plan):
    return {
        "tree": outline(plan.tree),
        "record": plan.record,
        "predicted": plan.predicted,
        "footprint": plan.footprint,
        "cost": plan.cost,
        "expansions": plan.expansions,
    }


def plans_of(search):
    """The first plans, None where there is a limit in the way."""
    found = []
    while len(found) < MOST_PLANS:
        status = search.advance()
        if status is SearchStatus.LIMIT:
            return None
        if status is not SearchStatus.SOLVED:
            break
        found.append(search.plan)
        search.reject()
    return found


@contextmanager
def gone_back_through():
    """Draw another problem for one whose goal ``achieve`` refuses, such as ``way[place, 'a']``.

    An action that writes only ``place`` is none that can be gone back through.
    """
    try:
        yield
    except DomainError as refused:
        assume([one.code for one in refused.diagnostics] != ["BT211"])
        raise


def look(problem, count):
    with gone_back_through():
        found = plans_of(HtnSearch.of(problem))
    assume(found is not None)
    expected = [description(plan) for plan in found]
    assert [description(one) for one in islice(Reference(problem).plans(), MOST_PLANS)] == expected
    for plan in found:
        seen = replay(plan, problem.state)
        assert seen.ok, f"{seen.where}: {seen.reason}"
        assert (seen.final, seen.record) == (plan.predicted, plan.record)
        assert (seen.footprint, seen.cost) == (plan.footprint, plan.cost)
        count.update(set(kinds_around_goals(plan)))
    count["no plan"] += not found


def kinds_around_goals(plan):
    """What the plan's goals have become, and what they stand in."""
    for _, node in preorder(plan.tree):
        if isinstance(node, ScopeNode) and node.task.origin == "achieve":
            steps = len(list(leaves(node.child)))
            yield f"{min(steps, 2)} steps"
        if isinstance(node, SuspendedNode) and "achieve" in str(node.rest[0]):
            yield "suspended"
        if isinstance(node, ParallelNode | PriorityNode):
            yield type(node).__name__


@given(mixed())
def test_every_planner_finds_the_same_plans_and_replay_agrees(problem):
    look(problem, Counter())


@given(mixed())
def test_with_the_rest_checked_a_plan_can_be_carried_out_too(problem):
    checked = replace(problem, settings=Settings(horizon=2, check_rest=True, max_expansions=3_000))
    search = HtnSearch.of(checked)
    with gone_back_through():
        status = search.advance()
    if status is SearchStatus.SOLVED:
        seen = replay(search.plan, problem.state)
        assert seen.ok, f"{seen.where}: {seen.reason}"
        assert (seen.final, seen.footprint) == (search.plan.predicted, search.plan.footprint)
