"""The verifier of plans in HDDL accepts a right plan, and no other."""

import pytest

from tests.independent.hddl_plans import NotAPlan, verify
from tests.kit.formats.hddl.island_post import DOMAIN, PLAN, PROBLEM, read

WRONG = {
    "no plan is there": ("==>", ""),
    "a line means nothing": ("4 sign ada", "four sign ada"),
    "a number is there twice": ("4 sign ada", "3 sign ada"),
    "a task has two parents": ("root 20 21", "root 20 21 4"),
    "a task is missing": ("root 20 21", "root 20 22"),
    "a task hangs in the air": ("root 20 21", "root 20"),
    "a decomposition is before the root": (
        "root 20 21\n20 deliver ada south -> by-boat 10 1 11 3 4",
        "20 deliver ada south -> by-boat 10 1 11 3 4\nroot 20 21",
    ),
    "there are two roots": ("root 20 21", "root 20 21\nroot"),
    "an action does not exist": ("4 sign ada", "4 sing ada"),
    "an argument is missing": ("4 sign ada", "4 sign"),
    "an object is of another type": ("4 sign ada", "4 sign gull"),
    "a precondition is false": ("0 move gull hq north", "0 move gull north north"),
    "two steps are exchanged": (
        "1 load ada gull north\n2 move gull north south",
        "2 move gull north south\n1 load ada gull north",
    ),
    "a step is left out": ("4 sign ada\n", ""),
    "a method does not exist": ("-> stay", "-> stray"),
    "a method is another task's": ("12 sail tern east -> stay", "12 sail tern east -> is-there"),
    "the precondition of a method is false": ("-> direct 6", "-> stay 6"),
    "a method has other subtasks": ("-> by-boat 10 1 11 3 4", "-> by-boat 10 1 11 3"),
    "a subtask has other arguments": ("10 sail gull north", "10 sail gull south"),
    "subtasks are of one another's": (
        "by-boat 10 1 11 3 4",
        "by-boat 10 1 11 3 8",
    ),
    "the root has the tasks in another order": (
        "0 move gull hq north\n1 load ada gull north\n2 move gull north south\n"
        "3 unload ada gull south\n4 sign ada\n5 load bo tern east\n6 move tern east hq\n"
        "7 unload bo tern hq\n8 sign bo",
        "5 load bo tern east\n6 move tern east hq\n7 unload bo tern hq\n8 sign bo\n"
        "0 move gull hq north\n1 load ada gull north\n2 move gull north south\n"
        "3 unload ada gull south\n4 sign ada",
    ),
    "steps of two tasks are mixed": (
        "4 sign ada\n5 load bo tern east",
        "5 load bo tern east\n4 sign ada",
    ),
}


def test_a_right_plan_is_verified():
    assert verify(*read(), PLAN) == 9


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_plan_is_refused_where(fault):
    before, after = WRONG[fault]
    plan = PLAN.lower()
    assert before in plan
    with pytest.raises(NotAPlan):
        verify(*read(), plan.replace(before, after))


def test_a_plan_is_refused_that_does_not_reach_the_goal():
    further = PROBLEM.replace("(delivered ada)", "(delivered ada) (light gull)")
    with pytest.raises(NotAPlan, match="goal"):
        verify(*read(problem=further), PLAN)


def test_a_plan_is_refused_against_a_constraint_on_variables():
    text = PLAN.replace(
        "10 sail gull north -> direct 0", "10 sail gull north -> over 9 0\n9 sail gull hq -> stay"
    )
    assert verify(*read(), text) == 9
    forbidding = DOMAIN.replace("(not (= ?by ?to))", "(= ?by ?to)")
    with pytest.raises(NotAPlan):
        verify(*read(forbidding), text)


def test_a_precondition_of_a_method_may_hold_at_any_moment_that_its_order_allows():
    free = PROBLEM.replace(":ordered-subtasks", ":subtasks")
    steps = PLAN.split("root")[0].splitlines()[1:]
    first, second = steps[:5], steps[5:]
    mixed = "\n".join(["==>", *second[:3], *first, *second[3:]])
    text = PLAN.replace("\n".join(["==>", *steps]), mixed)
    assert verify(*read(problem=free), text) == 9
    with pytest.raises(NotAPlan):
        verify(*read(), text)


def test_effects_that_add_go_before_those_that_remove():
    both = DOMAIN.replace(
        ":effect (delivered ?p)", ":effect (and (delivered ?p) (not (delivered ?p)))"
    )
    assert verify(*read(both), PLAN) == 9


def test_effects_for_all_and_under_conditions_see_the_state_before():
    swapped = DOMAIN.replace(
        ":effect (delivered ?p)",
        ":effect (forall (?q - parcel) (when (at ?q hq) (delivered ?q)))",
    )
    only_bo = PROBLEM.replace("(delivered ada) ", "")
    assert verify(*read(swapped, only_bo), PLAN) == 9
    with pytest.raises(NotAPlan, match="goal"):
        verify(*read(swapped), PLAN)
