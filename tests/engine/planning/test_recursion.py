"""Recursion: useful, cut where it goes in circles, and never bounded by Python's call stack.

(semantics 2.2.6 and 2.2.7)
"""

import inspect
import sys

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    Primitive,
    Settings,
    State,
    find_plan,
    fluent,
    method,
    parallel,
    primitive,
    priority,
)
from bthtn.engine.plan import leaves
from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.walk import outline
from bthtn.engine.planning.trace import MethodEntered, RecursionCut
from bthtn.engine.text.notation import normal
from bthtn.errors import PlanningError
from tests.sizes import size

MANY = size(quick=2_200, thorough=5_000, night=10_000)


class World(State):
    left: Fluent[int] = fluent(default=0)
    done: Fluent[int] = fluent(default=0)
    near: Fluent[bool] = fluent(default=False)
    enemy: Fluent[bool] = fluent(default=True)
    noise: Fluent[bool] = fluent(default=True, volatile=True)


@pytest.fixture
def domain():
    return Domain("recursion", World)


@pytest.fixture
def work(domain):
    return domain.primitive("work", effects=World.left.decreases(1))


def planned(domain, goal, settings=None, listener=None, **values):
    return find_plan(domain, World(**values), goal, settings or Settings(), listener)


def steps(domain, goal, settings=None, **values):
    plan = planned(domain, goal, settings, **values)
    return "no plan" if plan is None else normal(plan.tree)


# cut


def test_a_task_that_makes_progress_may_call_itself(domain, work):
    @domain.compound
    def finish():
        yield method(when=World.left == 0)
        yield method(work(), finish())

    plan = planned(domain, finish(), left=3)
    assert normal(plan.tree) == "(work, work, work)"
    assert plan.record == (1, 1, 1, 0)


def test_a_task_that_calls_itself_in_an_unchanged_state_gives_way_to_the_next_method(domain):
    # A troll whose way to the enemy never makes the enemy nearer would plan for ever.
    navigate = domain.primitive("navigate", effects=World.done.becomes(1))
    idle = domain.primitive("idle")

    @domain.compound
    def lower():
        yield method(navigate(), lower(), when=World.enemy & ~World.near)
        yield method(idle())

    cut = []
    plan = planned(
        domain,
        lower(),
        listener=lambda event: cut.append(event) if isinstance(event, RecursionCut) else None,
    )
    assert normal(plan.tree) == "(navigate, idle)"
    assert [(event.task, event.reason) for event in cut] == [
        ("lower", "entered again inside itself, with nothing changed")
    ]


def test_with_the_effect_that_was_forgotten_the_troll_arrives(domain):
    navigate = domain.primitive("navigate", expected=World.near.becomes(True))
    idle = domain.primitive("idle")

    @domain.compound
    def lower():
        yield method(navigate(), lower(), when=World.enemy & ~World.near)
        yield method(idle())

    assert steps(domain, lower()) == "(navigate, idle)"
    assert planned(domain, lower()).record == (0, 1)


def test_a_circle_through_other_tasks_is_cut_as_well(domain, work):
    @domain.compound
    def there():
        yield method(back())

    @domain.compound
    def back():
        yield method(there())
        yield method(work())

    assert steps(domain, there()) == "work"


def test_the_same_task_with_other_arguments_is_no_circle(domain, work):
    @domain.compound
    def count(down: int):
        yield method(count(0), when=World.enemy)
        yield method(work())

    plan = planned(domain, count(1))
    assert (normal(plan.tree), plan.record) == ("work", (0, 1))


def test_the_same_task_beside_itself_is_no_circle(domain, work):
    @domain.compound
    def twice():
        yield method(once(), once())

    @domain.compound
    def once():
        yield method(idle())

    idle = domain.primitive("idle")
    assert steps(domain, twice()) == "(idle, idle)"


@pytest.mark.parametrize("between", [1, 2_000])
def test_a_circle_is_cut_in_a_task_that_was_finished_before_many_others(domain, work, between):
    impossible = domain.primitive("impossible", precondition=World.near)

    @domain.compound
    def turn():
        yield method()
        yield method(turn())

    @domain.compound
    def work_off():
        yield method(work(), work_off(), when=World.left > 0)
        yield method(when=World.left == 0)

    heard = []
    goal = (turn(), work_off(), impossible())
    assert planned(domain, goal, listener=heard.append, left=between) is None
    told = [one for one in heard if isinstance(one, MethodEntered | RecursionCut)]
    assert [type(one) for one in told if one.task == "turn"] == [*[MethodEntered] * 2, RecursionCut]


def test_a_state_that_was_changed_and_changed_back_is_unchanged(domain):
    out = domain.primitive("out", effects=World.near.becomes(True))
    home = domain.primitive("home", effects=World.near.becomes(False))

    @domain.compound
    def wander():
        yield method(out(), home(), wander())
        yield method(out())

    assert steps(domain, wander()) == "(out, home, out)"


def test_a_count_that_was_lost_twice_is_lost_in_the_same_way_whatever_it_was(domain, work):
    forget = domain.primitive("forget", effects=World.left.becomes(UNKNOWN))
    start = domain.primitive("start", effects=World.left.becomes(0))

    @domain.compound
    def count_again():
        yield method(start(), work(), forget(), count_again())  # -1 is lost, and 0 before it
        yield method()

    for listener in (None, lambda event: None):  # not all searches are told of by the same code
        plan = planned(domain, count_again(), listener=listener)
        assert [step.task.name for step in plan.steps] == ["start", "work", "forget"]
        assert plan.expansions == 9


def test_losing_sight_of_a_volatile_fluent_is_a_change(domain):
    # Behind the first step nobody can tell the noise any more, so the second call is another one.
    step = domain.primitive("step")

    @domain.compound
    def listen():
        yield method(step(), listen(), when=World.noise)
        yield method(step())

    assert steps(domain, listen()) == "(step, suspended(listen))"


def test_a_task_that_begins_with_itself_is_cut_although_it_could_end_unless_that_is_allowed(domain):
    dig = domain.primitive("dig", effects=World.done.increases(1))
    fill = domain.primitive("fill", precondition=World.done > 0)

    @domain.compound
    def nest():
        yield method(nest(), fill())
        yield method(dig())

    assert steps(domain, nest()) == "dig"
    loose = Settings(strict_recursion=False, max_depth=4)
    assert steps(domain, nest(), loose) == "(dig, fill, fill, fill)"


def test_tasks_nested_deeper_than_allowed_are_cut(domain, work):
    @domain.compound
    def finish():
        yield method(when=World.left == 0)
        yield method(work(), finish())

    cut = []
    assert steps(domain, finish(), Settings(max_depth=4), left=3) == "(work, work, work)"
    assert planned(domain, finish(), Settings(max_depth=3), cut.append, left=3) is None
    reasons = [event.reason for event in cut if isinstance(event, RecursionCut)]
    assert reasons == ["nested deeper than 3"]


def test_so_is_a_task_that_never_comes_to_itself_inside_of_tasks_that_do(domain, work):
    @domain.compound
    def finish():
        yield method(work(), tidy(), when=World.left == 1)
        yield method(work(), finish())

    @domain.compound
    def tidy():
        yield method(rest())

    @domain.compound
    def rest():
        yield method()

    assert steps(domain, finish(), Settings(max_depth=4), left=2) == "(work, work)"
    assert planned(domain, finish(), Settings(max_depth=4), left=3) is None


def test_a_recursion_that_never_ends_reaches_the_limit_and_says_so(domain):
    more = domain.primitive("more", effects=World.done.increases(1))

    @domain.compound
    def for_ever():
        yield method(more(), for_ever())

    with pytest.raises(PlanningError, match=r"\[BT203\] no answer after 500 expansions") as caught:
        planned(domain, for_ever(), Settings(max_expansions=500))
    (told,) = caught.value.diagnostics
    assert told.message.endswith("'for_ever' recurs within itself")
    assert told.hint.startswith("no method of 'for_ever' ends it: add one")


@pytest.mark.parametrize("is_mutual", [False, True])
def test_a_recursion_that_does_not_come_to_its_end_is_told_with_it(domain, is_mutual):
    more = domain.primitive("more", effects=World.done.increases(1))

    @domain.compound
    def work():
        yield method(more(), when=World.done < 0, name="home")
        yield method(more(), again() if is_mutual else work())

    @domain.compound
    def again():
        yield method(more(), work())

    with pytest.raises(PlanningError, match=r"expansions: 'work' recurs within itself") as caught:
        planned(domain, work(), Settings(max_expansions=500))
    hint = caught.value.diagnostics[0].hint
    assert hint.startswith("it ends by method 0 'home' when done < 0: let that come true")


# long and deep


@pytest.fixture
def limit():
    """What follows would be quite impossible with Python's call stack."""
    assert sys.getrecursionlimit() < MANY / 2


@pytest.mark.usefixtures("limit")
def test_a_plan_may_have_thousands_of_steps(domain, work):
    plan = planned(domain, tuple(work() for _ in range(MANY)), left=MANY)
    assert len(plan.steps) == MANY
    assert plan.predicted == World().frozen()
    assert len(outline(plan.tree)) == MANY + 1
    assert plan.cost == MANY
    assert replay(plan, World(left=MANY).frozen()).ok


def recursive_at_the_end(domain, work):
    @domain.compound
    def finish():
        yield method(when=World.left == 0)
        yield method(work(), finish())

    return finish


def recursive_in_the_middle(domain, work):
    rest = domain.primitive("rest")

    @domain.compound
    def finish():
        yield method(when=World.left == 0)
        yield method(work(), finish(), rest())

    return finish


@pytest.mark.usefixtures("limit")
@pytest.mark.parametrize("recursive", [recursive_at_the_end, recursive_in_the_middle])
def test_tasks_may_be_decomposed_thousands_deep(domain, work, recursive):
    plan = planned(domain, recursive(domain, work)(), left=MANY)
    assert len(plan.record) == MANY + 1
    assert plan.predicted == World().frozen()
    assert len(outline(plan.tree)) > 3 * MANY
    assert normal(plan.tree).count("work") == MANY
    assert plan.footprint.reads == {World.left}
    seen = replay(plan, World(left=MANY).frozen())
    assert seen.ok
    assert seen.record == plan.record


@pytest.mark.usefixtures("limit")
def test_the_search_goes_back_thousands_of_choices(domain, work):
    impossible = domain.primitive("impossible", precondition=World.near)

    @domain.compound
    def finish():
        yield method(work(), finish(), when=World.left > 0)
        yield method(impossible())

    assert steps(domain, finish(), left=MANY) == "no plan"


@pytest.mark.parametrize("construct", [parallel, priority])
def test_branches_may_be_nested_deeper_than_python_can_call(domain, work, construct, shallow):
    idle = domain.primitive("idle")

    @domain.compound
    def spread():
        yield method(when=World.left == 0)
        yield method(work(), construct(spread(), idle()))

    plan = planned(domain, spread(), left=shallow)
    assert len([*leaves(plan.tree)]) == 2 * shallow
    assert normal(plan.tree).count("work") == shallow
    assert replay(plan, World(left=shallow).frozen()).ok


@pytest.mark.parametrize("construct", [parallel, priority])
def test_branches_may_be_nested_as_deep_before_the_first_step(domain, construct, shallow):
    idle = domain.primitive("idle", precondition=World.enemy)

    @domain.compound
    def spread(depth: int):
        yield method(when=World.done == depth)
        yield method(construct(spread(depth - 1), idle()))

    plan = planned(domain, spread(shallow))
    assert len([*leaves(plan.tree)]) == shallow
    assert replay(plan, World().frozen()).ok


@pytest.fixture
def shallow():
    """Leave Python so little of its call stack that this many calls do not fit."""
    before, levels = sys.getrecursionlimit(), size(quick=200, thorough=300)
    sys.setrecursionlimit(len(inspect.stack(0)) + levels)
    yield levels
    sys.setrecursionlimit(before)


@pytest.mark.usefixtures("limit")
def test_thousands_of_undecided_steps_are_suspended_as_one(domain, work):
    @domain.primitive
    def go(to: int) -> Primitive:
        return primitive(precondition=World.near)

    plan = planned(domain, (work(), *(go(i) for i in range(MANY))), near=UNKNOWN, left=1)
    first, second, rest = plan.tree.children
    assert (str(first), len(second.rest), len(rest.rest)) == ("work", 1, MANY - 1)
