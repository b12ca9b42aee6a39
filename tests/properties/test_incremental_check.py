"""A check that is repeated only where a change makes a difference says what a new check would say.

Plans for random problems, some steps of which are over, are checked in one state after another.
Half of the problems are made for it: their plans rely on much, and most changes leave them valid.
"""

from typing import Any, NamedTuple

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from bthtn import (
    UNKNOWN,
    Domain,
    first_of,
    method,
    one_of,
    parallel,
    primitive,
    priority,
    sequence,
)
from bthtn.engine.plan import leaves
from bthtn.engine.plan.nodes import ParallelNode, PriorityNode
from bthtn.engine.plan.walk import preorder
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import PlanRequest, request
from bthtn.engine.replanning.incremental_check import IncrementalCheck
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.replanning.unconditional import asks_nothing
from bthtn.engine.replanning.validity import Validity, validity_of
from bthtn.studio.testing.playground import World
from bthtn.studio.testing.strategies import problems, states
from tests.rests import INVALID, RUNNING, SUCCESS, rest_of

VARIABLES = [*World.__schema__.fluents.values(), World.at["a"], World.at["b"]]

post = Domain("post", World)
step = post.primitive
STEPS = tuple(
    step(name, precondition=when, effects=effects)
    for name, when, effects in (
        ("up", True, World.count.increases(1)),
        ("down", World.count > 0, World.count.increases(-1)),
        ("shoot", (World.ammo > 0) & (World.count < 7), World.ammo.increases(-1)),
        ("load", World.ammo < 5, World.ammo.becomes(3)),
        ("copy", World.ammo >= 0, World.count.becomes(World.ammo)),
        ("add", True, World.ammo.increases(World.count)),
        ("enter", World.open | World.lit | World.armed, World.open.becomes(True)),
        ("leave", True, (World.open.becomes(False), World.count.increases(1))),
        ("peek", ~World.seen | World.lit, ()),
        ("ask", lambda state: state.open or state.count >= 0, ()),
    )
)


@step
def go(where: str):
    return primitive(precondition=World.count < 6)


@post.compound
def visit(where: str):
    yield method(STEPS[0](), go(where))


@post.compound
def approach():
    yield method(
        go(one_of(lambda state: ("a", "b") if state.lit else ("b",))), when=World.count < 6
    )


@post.compound
def plainly():
    yield method(lambda state: (STEPS[0](), go(state.place)))


@post.compound
def choose():
    yield method(STEPS[2](), when=World.count > 2)
    yield method(STEPS[6](), when=World.lit)
    yield method(STEPS[8]())


LEAVES = (
    *(one() for one in STEPS * 2),
    *(go(World.place), visit(World.place), approach(), plainly(), choose(), choose()),
)
NETWORKS = st.recursive(
    st.lists(st.sampled_from(LEAVES), min_size=1, max_size=6).map(lambda some: sequence(*some)),
    lambda inner: st.one_of(
        *(
            st.tuples(inner, inner).map(lambda parts, join=join: join(*parts))
            for join in (sequence, sequence, sequence, priority, parallel, first_of)
        )
    ),
    max_leaves=4,
)
CHANGES = st.one_of(
    st.tuples(st.sampled_from((World.count, World.ammo)), st.integers(1, 5)),
    st.tuples(st.sampled_from((World.open, World.lit, World.armed, World.seen)), st.booleans()),
    st.tuples(st.just(World.place), st.sampled_from("ab")),
    st.tuples(st.sampled_from((World.count, World.lit, World.place)), st.just(UNKNOWN)),
)


@st.composite
def posts(draw):
    """A problem in which most things work, and changes that often leave it so."""
    state = World(count=draw(st.integers(0, 4)), ammo=draw(st.integers(1, 4)))
    return request(post, state, draw(NETWORKS)), draw(st.lists(CHANGES, min_size=12, max_size=25))


@st.composite
def random_problems(draw):
    """Any problem, and any changes."""
    drawn = [(draw(states()), draw(st.sampled_from(VARIABLES))) for _ in range(12)]
    return draw(problems()), [(variable, other.get(variable)) for other, variable in drawn]


class Scene(NamedTuple):
    """A plan that has come so far, and the states in which it is checked."""

    problem: PlanRequest
    rest: Rest
    states: list[Any]

    def told(self):
        """What a check that goes on says in each state, None where it cannot tell, with the truth.

        As in a review, another check begins where it cannot tell, and none goes on from a failure.
        """
        rest, domain, check = self.rest, self.problem.domain, None
        for now in self.states:
            goes_on = check is not None and check.still(now)
            if not goes_on:
                check = IncrementalCheck(rest, domain, now)
            yield goes_on, check.validity, validity_of(rest, domain, now)
            if check.validity.failure is not None:
                check = None


@st.composite
def scenes(draw):
    """Plans at their start, or with some of the steps of a sequence over, and changing states."""
    problem, changes = draw(posts() | random_problems())
    search = HtnSearch.of(problem)
    search.advance()
    assume(search.plan is not None and search.plan.steps)
    tree, now = search.plan.tree, problem.state
    steps = [*leaves(tree)]
    branches = any(isinstance(node, ParallelNode | PriorityNode) for _, node in preorder(tree))
    done = 0 if branches else draw(st.integers(0, len(steps) - 1))
    statuses = [SUCCESS] * done + [draw(st.sampled_from((RUNNING, INVALID)))]
    rest = rest_of(tree, dict(zip(steps, statuses, strict=False)) | _ahead(steps[done + 1 :]))
    seen = [now]
    for variable, value in changes:
        now = now.changed({variable: value})
        seen.append(now)
    return Scene(problem, rest, seen)


def _ahead(steps):
    return dict.fromkeys(steps, INVALID)


def _written(validity):
    failure = validity.failure
    return failure and (failure.why, failure.what, failure.node, failure.reads), validity.support


@given(scenes())
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_a_check_that_goes_on_says_what_a_new_one_says(scene):
    for _, said, truth in scene.told():
        assert _written(said) == _written(truth)


@st.composite
def nearly_done(draw):
    """Plans of which nothing is left to be started, and states."""
    scene = draw(scenes())
    tree = scene.rest.tree
    statuses = st.sampled_from((SUCCESS, SUCCESS, RUNNING))
    rest = rest_of(tree, {step: draw(statuses) for step in leaves(tree)})
    return Scene(scene.problem, rest, scene.states)


@given(nearly_done())
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_where_a_check_would_ask_nothing_it_would_find_nothing(scene):
    asks = not asks_nothing(scene.rest)
    event(f"asks: {asks}")
    for now in scene.states:
        found = validity_of(scene.rest, scene.problem.domain, now)
        assert asks or found == Validity(None, frozenset())
