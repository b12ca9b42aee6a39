"""validity_of: names the first step of the rest that would break, and what the rest relies on."""

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Planner,
    at_start,
    defer,
    method,
    one_of,
    parallel,
    priority,
    random_of,
)
from bthtn.engine.plan import leaves
from bthtn.engine.plan.nodes import PriorityNode, SuspendedNode
from bthtn.engine.plan.walk import preorder
from bthtn.engine.replanning.validity import validity_of
from bthtn.studio.testing.strategies import World
from tests.rests import FAILURE, INVALID, RUNNING, SUCCESS, rest_of
from tests.sizes import size

MANY = size(quick=1_200, thorough=5_000, night=10_000)


@pytest.fixture
def domain():
    return Domain("watch", World)


def planned(domain, goal, **given):
    return Planner(domain, goal).plan(World(**given))


def seen(plan, *stages, passed=None, planned_for=None, **given):
    """The validity of a plan of which the steps are at these stages, the others ahead."""
    nodes = [*leaves(plan.tree)]
    steps = dict(zip(nodes, (*stages, *[INVALID] * len(nodes)), strict=False))
    rest = rest_of(plan.tree, steps, planned_for, passed)
    return validity_of(rest, plan.domain, World(**given).frozen())


def names(found):
    return sorted(map(str, found.support))


# steps


def test_the_first_step_that_would_break_is_named_with_the_values(domain):  # R001-09
    a = domain.primitive("a", precondition=World.lit)
    b = domain.primitive("b", precondition=World.count < 3)
    c = domain.primitive("c", precondition=World.lit)
    plan = planned(domain, (a(), b(), c()))
    found = seen(plan, count=5)
    assert (found.failure.what, found.failure.why) == ("b", "count < 3 is false: count = 5")
    assert found.failure.reads == {World.count}


def test_a_condition_ahead_has_to_hold_where_the_plan_leads(domain):
    a = domain.primitive("a", effects=World.count.increases(1))
    plan = planned(domain, (a(), a(), World.count == 2, World.lit))
    assert seen(plan, SUCCESS, count=1).failure is None
    assert seen(plan, SUCCESS, count=2).failure.why == "count == 2 is false: count = 3"
    assert seen(plan, RUNNING, lit=False).failure.why == "lit is false: lit = false"


def test_what_the_plan_brings_about_itself_supports_nothing(domain):
    a = domain.primitive("a", precondition=World.lit, effects=World.open.becomes(True))
    b = domain.primitive("b", precondition=World.open)
    plan = planned(domain, (a(), b()))
    found = seen(plan, RUNNING, lit=True)
    assert (found.failure, names(found)) == (None, ["lit"])
    assert names(seen(plan, INVALID)) == ["lit"]
    assert names(seen(plan, SUCCESS, open=True)) == ["open"]
    assert seen(plan, SUCCESS, open=False).failure.what == "b"


def test_expected_effects_count_as_long_as_the_step_is_not_over(domain):
    a = domain.primitive("a", expected=World.open.becomes(True))
    b = domain.primitive("b", precondition=World.open)
    plan = planned(domain, (a(), b()))
    assert seen(plan, RUNNING).failure is None
    assert seen(plan, SUCCESS).failure.what == "b"


def test_finished_and_failed_steps_are_not_asked(domain):
    a = domain.primitive("a", precondition=World.lit)
    plan = planned(domain, (a(), a()))
    assert seen(plan, SUCCESS, FAILURE, lit=False).failure is None


def test_the_precondition_is_asked_all_the_time_but_for_parts_at_the_start(
    domain,
):
    needed = at_start(World.lit) & World.open
    jump = domain.primitive("jump", precondition=needed, during=World.armed)
    plan = planned(domain, jump(), open=True)
    assert seen(plan, INVALID, lit=False, open=True).failure.why == (
        "lit and open is false: lit = false"
    )
    assert seen(plan, INVALID, lit=True, open=True, armed=False).failure is None
    assert seen(plan, RUNNING, lit=False, open=True, armed=True).failure is None
    assert seen(plan, RUNNING, lit=True, armed=True).failure.why == "open is false: open = false"
    asked = seen(plan, RUNNING, open=True, armed=False)
    assert asked.failure.why == "armed is false: armed = false"


def test_a_running_step_is_asked_but_not_about_what_it_changes_itself(domain):
    near = domain.primitive("go", during=~World.open & World.lit, effects=World.open.becomes(True))
    plan = planned(domain, near())
    assert seen(plan, RUNNING, open=True).failure is None
    broken = seen(plan, RUNNING, open=True, lit=False).failure
    assert broken.why == "not open and lit is false: open = true"


def test_what_a_running_step_changes_only_in_the_end_counts_as_its_own(domain):
    near = domain.primitive("go", precondition=~World.open, actual=World.open.becomes(True))
    assert seen(planned(domain, near()), RUNNING, open=True).failure is None


def test_unknown_is_no_failure(domain):
    a = domain.primitive("a", precondition=World.armed, effects=World.count.becomes(World.ammo))
    b = domain.primitive("b", precondition=World.count < 9)
    plan = planned(domain, (a(), b()), armed=True, ammo=1)
    assert seen(plan, armed=UNKNOWN, ammo=UNKNOWN).failure is None


def test_a_condition_that_raises_breaks_the_plan_and_not_the_tick(domain):
    a = domain.primitive("a", precondition=lambda state: 1 // state.count)
    plan = planned(domain, a(), count=1)
    broken = seen(plan, count=0).failure
    assert broken.what == "a"
    assert "ZeroDivisionError" in broken.why


def test_effects_that_cannot_be_told_any_more_leave_their_fluents_unknown(domain):
    def move(state):
        state.place = "b" if state.armed else "c"

    a = domain.primitive("a", effects=move)
    b = domain.primitive("b", precondition=World.place == "b")
    plan = planned(domain, (a(), b()), armed=True)
    assert seen(plan, armed=False).failure.what == "b"
    assert seen(plan, armed=UNKNOWN).failure is None


def test_effects_that_raise_break_the_plan_and_not_the_tick(domain):
    def divide(state):
        state.ammo = 1 // state.count

    a = domain.primitive("a", effects=divide)
    broken = seen(planned(domain, a(), count=1), count=0).failure
    assert broken.what == "a"
    assert "ZeroDivisionError" in broken.why


# methods


def test_the_condition_of_a_method_counts_until_it_has_begun(domain):
    a = domain.primitive("a")

    @domain.compound
    def hide():
        yield method(a(), a(), when=World.lit)

    plan = planned(domain, hide())
    broken = seen(plan, lit=False).failure
    assert (broken.what, broken.why) == ("hide m0", "lit is false: lit = false")
    assert seen(plan, RUNNING, lit=False).failure is None


def test_a_plain_method_that_does_not_apply_any_more_breaks(domain):
    a = domain.primitive("a")

    @domain.compound
    def hide():
        yield method(lambda state: [a()] if state.lit else None)

    plan = planned(domain, hide())
    assert seen(plan).failure is None
    assert "does not apply any more" in seen(plan, lit=False).failure.why


def test_a_plain_method_that_cannot_tell_is_no_failure_and_one_that_raises_is(domain):
    a = domain.primitive("a")

    @domain.compound
    def hide():
        yield method(lambda state: [a()] if 1 // state.count else None)

    plan = planned(domain, hide(), count=1)
    assert seen(plan, count=UNKNOWN).failure is None
    assert "ZeroDivisionError" in seen(plan, count=0).failure.why


def test_what_was_drawn_belongs_to_the_plan(domain):
    a, b = domain.primitive("a"), domain.primitive("b")
    plan = planned(domain, random_of((World.count, a()), (World.ammo, b())), count=9, ammo=1)
    assert seen(plan, count=1, ammo=9).failure is None


def test_a_value_that_was_chosen_counts_wherever_it_stands_by_now(domain):
    a = domain.primitive("a")
    order = {"now": ("b", "a")}

    @domain.compound
    def choose():
        spot = one_of(lambda state: order["now"], name="spot")
        yield method(a(), when=~World.at[spot])

    plan = planned(domain, choose())
    assert seen(plan, at={"a": True}).failure is None
    order["now"] = ("a", "b")
    assert seen(plan, at={"a": True}).failure is None
    assert "at['b'] is false" in seen(plan, at={"b": True}).failure.why.replace("[b]", "['b']")
    order["now"] = ("a",)
    assert "is no choice any more" in seen(plan).failure.why


# branches


def test_branches_are_carried_out_from_one_state_and_merged(domain):
    a = domain.primitive("a", effects=World.open.becomes(True))
    b = domain.primitive("b", during=World.lit)
    c = domain.primitive("c", precondition=World.open & World.lit)
    plan = planned(domain, (parallel(a(), b()), c()))
    assert seen(plan, RUNNING, RUNNING).failure is None
    assert names(seen(plan, RUNNING, RUNNING)) == ["lit"]
    assert seen(plan, RUNNING, SUCCESS, lit=False).failure.what == "c"
    assert seen(plan, RUNNING, RUNNING, lit=False).failure.what == "b"


@pytest.mark.parametrize(
    ("policy", "breaks"),
    [("all", [True, True]), ("any", [False, False]), ("primary", [True, False])],
)
def test_a_policy_says_which_branches_have_to_work(domain, policy, breaks):
    a = domain.primitive("a", precondition=World.lit)
    b = domain.primitive("b", precondition=World.count < 3)
    plan = planned(domain, parallel(a(), b(), policy=policy))
    assert [
        seen(plan, lit=False).failure is not None,
        seen(plan, count=5).failure is not None,
    ] == breaks
    assert seen(plan, lit=False, count=5).failure.what == "a"


def test_increases_of_a_choice_and_of_a_branch_beside_it_add_up_as_in_planning(domain):
    a, b, c = (domain.primitive(name, effects=World.count.increases(1)) for name in "abc")
    needs = domain.primitive("needs", precondition=World.count > 1)
    plan = planned(domain, (parallel(priority(a(), b()), c()), needs()))
    assert seen(plan).failure is None
    assert seen(plan, count=-1).failure.why == "count > 1 is false: count = 1"


def test_one_alternative_that_works_is_enough_and_those_that_were_passed_do_not_count(domain):
    a = domain.primitive("a", precondition=World.lit)
    b = domain.primitive("b", precondition=World.count < 3, during=World.count < 3)
    plan = planned(domain, priority(a(), b()))
    assert seen(plan, count=5).failure is None
    assert seen(plan, lit=False).failure is None
    (choice,) = (node for _, node in preorder(plan.tree) if isinstance(node, PriorityNode))
    assert seen(plan, INVALID, RUNNING, passed={choice: 1}, count=5).failure.what == "b"


def test_behind_a_choice_only_that_counts_on_which_the_alternatives_agree(domain):
    a = domain.primitive("a", precondition=World.lit, effects=World.open.becomes(True))
    b = domain.primitive("b", effects=World.open.becomes(True))
    c = domain.primitive("c", precondition=World.open)
    plan = planned(domain, (priority(a(), b()), c()))
    assert seen(plan, lit=False).failure is None
    assert names(seen(plan)) == ["lit"]


def test_volatile_fluents_count_where_nothing_comes_before(domain):
    a = domain.primitive("a", precondition=World.seen)
    b = domain.primitive("b")
    plan = planned(domain, (b(), priority(a(), b())), seen=True)
    assert seen(plan, RUNNING, seen=False).failure is None
    now = planned(domain, a(), seen=True)
    assert seen(now, INVALID, seen=False).failure.what == "a"


def test_a_step_that_runs_is_asked_about_volatile_fluents_wherever_it_stands(domain):
    a = domain.primitive("a", precondition=World.seen, during=World.seen)
    plan = planned(domain, priority(a()), seen=True)
    assert seen(plan, INVALID, seen=False).failure is None
    assert seen(plan, RUNNING, seen=False).failure.what == "a"


# suspended parts


def test_what_nobody_has_planned_yet_is_the_end(domain):
    a = domain.primitive("a", effects=World.open.becomes(True))
    b = domain.primitive("b", precondition=World.open)
    plan = planned(domain, (a(), defer(b())))
    assert seen(plan, open=False).failure is None
    part = next(node for _, node in preorder(plan.tree) if isinstance(node, SuspendedNode))
    rest = planned(domain, b(), open=True)
    left = rest_of(plan.tree, {rest.steps[0]: INVALID}, {part: rest.tree})
    assert validity_of(left, plan.domain, World(open=False).frozen()).failure.what == "b"


def test_behind_a_deferred_task_counts_what_it_ensures(domain):
    a = domain.primitive("a", effects=World.open.becomes(True))
    b = domain.primitive("b", precondition=World.open & World.lit)
    plan = planned(domain, (defer(a(), ensures=World.open.becomes(True)), b()))
    assert seen(plan).failure is None
    assert seen(plan, lit=False).failure.what == "b"


def test_a_plan_thousands_of_decompositions_deep_is_no_problem(domain):
    a = domain.primitive("a", precondition=World.count > 0, effects=World.count.decreases(by=1))

    @domain.compound
    def down():
        yield method(a(), down(), when=World.count > 0)
        yield method()

    plan = planned(domain, down(), count=MANY)
    assert seen(plan, count=MANY).failure is None
    assert seen(plan, count=MANY - 1).failure.why == "count > 0 is false: count = 0"
