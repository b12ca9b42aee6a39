"""A parallelized plan keeps its promises in whatever order its branches take turns.

``pytest --hypothesis-profile night tests/properties/test_parallelize.py`` looks at 10,000
plans of each kind.
"""

from collections import Counter
from functools import reduce
from operator import and_

from hypothesis import given, note, settings
from hypothesis import strategies as st

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Primitive,
    State,
    find_plan,
    fluent,
    fluents,
    method,
    one_of,
    sequence,
)
from bthtn.engine.domain.task_effects import projected
from bthtn.engine.plan.nodes import ScopeNode, SequenceNode, TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import leaves, preorder
from bthtn.engine.planning.protocol import request
from bthtn.engine.text.notation import normal
from bthtn.engine.world.fluent import UnknownRead
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.trail import WorkingState
from bthtn.studio.analysis import makespan, parallelize
from bthtn.studio.testing.strategies import problems
from bthtn.testing import validate
from tests.properties.interleavings import (
    ImpossibleError,
    Notebook,
    carried_out,
    enter,
    interleavings,
    is_complete,
    is_fixed,
)
from tests.properties.test_interleavings import first_plans, side_by_side

SOME = 100
# An example is up to 200 runs of a plan, so by day fewer do than elsewhere.
NIGHT = 5_000
EXAMPLES = 10_000 if settings().max_examples >= NIGHT else settings().max_examples // 3


class Hall(State):
    """Lamps."""

    lit: FluentFamily[str, bool] = fluents(default=False)


class Shelf(State):
    """Numbers of both kinds."""

    whole: FluentFamily[int, int] = fluents(default=0, index=int)
    broken: FluentFamily[int, float] = fluents(default=0.0, index=int)
    first: Fluent[int] = fluent(default=1, volatile=True)


@st.composite
def long_plans(draw):
    """A plan of primitives one after the other, and what it was planned for.

    What a step reads it reads exactly: its precondition is the very value that it has in this
    order. Computed values tell each order of writers from every other.
    """
    width = draw(st.integers(3, 8))
    some = st.lists(st.integers(0, width - 1), max_size=1)
    domain, tasks = Domain("shelf", Shelf), []
    state = WorkingState(Shelf().frozen())
    for index in range(draw(st.integers(3, 14))):
        asked = {Shelf.whole[one]: state.get(Shelf.whole[one]) for one in draw(some)}
        conditions = [variable == value for variable, value in asked.items()]
        if index == 0 and draw(st.booleans()):
            conditions.append(Shelf.first == 1)
        effects = [draw(changes(draw(st.integers(0, width - 1)), width, index))]
        effects += [draw(changes(one, width, index)) for one in draw(some)]
        task = domain.primitive(
            f"t{index}",
            precondition=reduce(and_, conditions) if conditions else None,
            effects=effects,
            uses=draw(st.sampled_from(((), (), (), ("arms",), ("legs", "arms")))),
            duration=draw(st.sampled_from((0, 1, 1, 2, 5))),
        )
        step = projected(task, (), RecordingView(state))
        assert step.possible is True
        for variable, write in step.writes.items():
            state.apply(variable, write)
        tasks.append(TaskNode(task, (), step.footprint, step.duration, step.cost))
        state.foreseeable = False
    frozen, goal = domain.freeze(), sequence(*(node.task() for node in tasks))
    tree = SequenceNode(tuple(tasks))
    plan = Plan(frozen, goal, (), tree, MethodTraversalRecord(), state.freeze())
    return request(frozen, Shelf(), goal), plan


def changes(one, width, index):
    whole, broken = Shelf.whole[one], Shelf.broken[one]
    return st.sampled_from(
        (
            whole.increases(1),
            whole.increases(2),
            whole.becomes(5),
            whole.becomes(index),
            whole.becomes(Shelf.whole[(one + 1) % width] * 2 + 1),
            broken.increases(0.1 * (index + 1)),
        )
    )


def check(problem, plan, random, seen):
    """Hold every order against what was predicted; count what was seen."""
    better = parallelize(plan)
    note(f"before {normal(plan.tree)}")
    note(f"after {normal(better.tree)}")
    orders = interleavings(better.tree, random, SOME)
    for order in orders:
        final = carried_out(problem, order)
        if is_fixed(better.tree):
            assert final == plan.predicted, order
        for variable in plan.footprint.writes if final is not None else ():
            predicted = plan.predicted.get(variable)
            assert predicted in (UNKNOWN, final.get(variable)), (variable, order)
    seen["plans"] += 1
    seen["more than one order"] += len(orders) > 1
    seen["parallelized"] += better is not plan
    seen["faster"] += makespan(better.tree) < makespan(plan.tree)
    seen["orders"] += len(orders)
    return better


@settings(max_examples=EXAMPLES)
@given(long_plans(), st.randoms(use_true_random=False))
def test_a_long_plan_of_primitives_holds_in_every_order_of_its_branches(case, random):
    problem, plan = case
    better = check(problem, plan, random, Counter())
    judged = validate(better, problem.state)
    assert judged.ok, judged
    assert makespan(better.tree) <= makespan(plan.tree)


@settings(max_examples=EXAMPLES)
@given(st.one_of(problems(), side_by_side()), st.randoms(use_true_random=False))
def test_what_was_planned_for_a_random_problem_holds_in_every_order(problem, random):
    for plan in first_plans(problem, is_complete):
        better = check(problem, plan, random, Counter())
        judged = validate(better, problem.state)
        assert judged.ok, judged
        assert makespan(better.tree) <= makespan(plan.tree)


@settings(max_examples=EXAMPLES)
@given(problems())
def test_plans_with_suspended_parts_stay_valid(problem):
    for plan in first_plans(problem, lambda tree: not is_complete(tree)):
        judged = validate(parallelize(plan), problem.state)
        assert judged.ok, judged


@settings(max_examples=EXAMPLES)
@given(problems(), st.randoms(use_true_random=False))
def test_a_method_could_be_chosen_at_some_moment_before_its_steps(problem, random):
    for plan in first_plans(problem, is_fixed):
        hold_choices(problem, plan, random)


def test_so_could_a_value_of_a_variable():
    hall = Domain("hall", Hall)

    @hall.primitive
    def light(lamp: str) -> Primitive:
        return Primitive(effects=Hall.lit[lamp].becomes(True))

    @hall.compound
    def look():
        lamp = one_of(("left", "right"))
        yield method(light(lamp), light("door"), when=~Hall.lit[lamp])

    state = Hall(lit={"left": True})
    plan = find_plan(hall, state, look())
    assert plan.record == (0, 1)
    assert hold_choices(request(hall, state, look()), plan, None)  # so few orders are all held


def hold_choices(problem, plan, random):
    """Hold the choice of every method against every order; whether the plan has several."""
    better = parallelize(plan)
    if better is plan:
        return False
    scopes = [
        (scope, {id(step) for step in leaves(scope)})
        for _, scope in preorder(plan.tree)
        if isinstance(scope, ScopeNode)
    ]
    for order in interleavings(better.tree, random, SOME):
        waiting, notebook = list(scopes), Notebook(problem.state)
        for step in order:
            waiting = [one for one in waiting if not could_enter(problem, one[0], notebook)]
            for scope, steps in waiting:
                assert id(step) not in steps, (scope, order)
            notebook.do(step)
    return True


def could_enter(problem, scope, notebook):
    try:
        enter(problem, scope, notebook)
    except (ImpossibleError, UnknownRead):
        return False
    return True
