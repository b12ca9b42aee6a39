"""parallelize: what has to keep its order does, and nothing else."""

from dataclasses import fields

import pytest

from bthtn import defer, method, null, parallel, pause, priority, sequence
from bthtn.engine.text.notation import normal
from bthtn.engine.text.plan_json import encoded
from bthtn.studio.analysis import makespan, parallelize
from bthtn.studio.testing.doubles import ticks
from tests.studio.analysis.camp import ARMS, LEGS, Author, Camp, running


@pytest.fixture
def author():
    return Author()


# what is put side by side


def test_independent_chains_run_side_by_side_in_the_order_they_were_written(author):
    step = author.step
    goal = step("a"), step("x"), step("b", needs="a"), step("y", needs="x"), step("c", needs="b")
    assert author.shown(*goal) == "parallel((a, b, c), (x, y))"


def test_steps_that_need_several_others_wait_for_all_of_them_at_a_join(author):
    step = author.step
    goal = step("a"), step("b"), step("c", needs="ab"), step("d", needs="c"), step("e", needs="c")
    assert author.shown(*goal) == "(parallel(a, b), c, parallel(d, e))"


def test_an_n_gets_one_ordering_more_than_it_needs(author):
    step = author.step
    goal = step("a"), step("b"), step("c", needs="ab"), step("d", needs="b")
    assert author.shown(*goal) == "(parallel(a, b), parallel(c, d))"


def test_an_n_is_cut_where_that_costs_the_least_time(author):
    step = author.step
    goal = (
        step("a", duration=9),
        step("b", duration=1),
        step("c", needs="ab", duration=1),
        step("d", needs="b", duration=8),
    )
    plan = author.plan(*goal)
    assert normal(parallelize(plan).tree) == "(parallel(a, (b, d)), c)"
    assert (makespan(plan.tree), makespan(parallelize(plan).tree)) == (19, 10)


def test_a_resource_is_occupied_by_one_step_at_a_time(author):
    step = author.step
    goal = step("a", uses=LEGS), step("b", uses=ARMS), step("c", uses=LEGS), step("d", uses=ARMS)
    assert author.shown(*goal) == "parallel((a, c), (b, d))"


def test_whole_numbers_are_added_side_by_side_and_read_afterwards(author):
    def dig(name):
        return author.bare(name, effects=Camp.ore.increases(1))

    smelt = author.step("smelt", precondition=Camp.ore >= 2, effects=[Camp.ore.decreases(2)])
    assert author.shown(dig("a"), dig("b"), smelt) == "(parallel(a, b), smelt)"


def test_floats_are_added_in_the_order_of_the_plan(author):
    first = author.bare("first", effects=Camp.warmth.increases(0.1))
    second = author.bare("second", effects=Camp.warmth.increases(0.2))
    assert author.shown(first, second) == "(first, second)"


def test_the_same_constant_may_be_written_twice_at_once_and_another_one_not(author):
    def write(name, value):
        return author.bare(name, effects=Camp.ore.becomes(value))

    assert author.shown(write("a", 3), write("b", 3), write("c", 4)) == "(parallel(a, b), c)"


def test_a_reader_comes_before_whoever_writes_afterwards(author):
    step = author.step
    reader = step("reader", precondition=Camp.ore == 0)
    writer = step("writer", effects=[Camp.ore.becomes(1)])
    assert author.shown(reader, writer, step("x")) == "parallel((reader, writer), x)"


# what keeps its place


def test_nothing_passes_a_suspended_part(author):
    step = author.step
    deferred = defer(step("later"), ensures=Camp.done["later"].becomes(True))
    shown = author.shown(step("a"), step("b"), deferred, step("c"), step("d"))
    assert shown == "(parallel(a, b), suspended(later), parallel(c, d))"


def test_nothing_passes_a_branch_that_is_planned_on_arrival(author):
    step = author.step
    beside = parallel((step("c"), pause(), step("e")), step("d"))
    shown = author.shown(step("a"), step("b"), beside)
    assert shown == "(parallel(a, b), parallel((c, suspended(e)), d))"


def test_a_step_that_changes_and_occupies_nothing_keeps_its_place(author):
    wait = author.bare("wait", duration=3)
    shown = author.shown(author.step("a"), author.step("b"), wait, author.step("c"))
    assert shown == "(parallel(a, b), wait, c)"


def test_what_is_only_asked_at_run_time_keeps_its_place_too(author):
    step = author.step
    asks = step("asks", exec_only=Camp.done["a"])
    assert author.shown(step("a"), step("x"), asks) == "parallel((a, asks), x)"


def test_what_only_comes_true_at_run_time_is_a_change(author):
    step = author.step
    knock = step("knock", actual=Camp.ore.becomes(Camp.number[1]))
    enter = step("enter", exec_only=Camp.ore > 0)
    count = step("count", effects=[Camp.number[1].becomes(2)])
    other = step("x")
    assert author.shown(knock, enter, other) == "parallel((knock, enter), x)"
    assert author.shown(knock, count, other) == "parallel((knock, count), x)"


@pytest.mark.parametrize("moment", ["on_start", "on_failure", "on_abort"])
def test_what_comes_true_at_any_moment_of_a_step_is_a_change(author, moment):
    step = author.step
    knock = step("knock", **{moment: Camp.ore.becomes(1)})
    enter = step("enter", during=Camp.ore > 0)
    assert author.shown(knock, enter, step("x")) == "parallel((knock, enter), x)"


@pytest.mark.parametrize(
    "hidden",
    [
        {"exec_only": lambda state: state.ore >= 0},
        {"exec_only": Camp.number[Camp.ore] == 0},
        {"during": lambda state: state.ore >= 0},
        {"actual": lambda state: None},
        {"on_start": lambda state: None},
        {"on_abort": Camp.number[Camp.ore].becomes(1)},
        {"actual": Camp.number[Camp.ore].becomes(1)},
    ],
)
def test_nothing_passes_a_step_whose_needs_cannot_be_told_before_it_runs(author, hidden):
    opaque = author.step("opaque", **hidden)
    shown = author.shown(author.step("a"), author.step("b"), opaque, author.step("c"))
    assert shown == "(parallel(a, b), opaque, c)"


@pytest.mark.parametrize("senses", [True, False])
def test_what_relies_on_sensors_is_not_put_behind_a_step(author, senses):
    """With b alone ahead, fewer steps would be ordered; but what was sensed holds now."""
    step = author.step
    first = step("a", precondition=Camp.light) if senses else step("a")
    rest = [step(name, needs="b", duration=5) for name in "vwx"]
    shown = author.shown(first, step("b"), step("c", needs="ab"), *rest)
    if senses:
        assert shown == "(parallel(a, b), parallel(c, v, w, x))"
    else:
        assert shown == "(b, parallel((a, c), v, w, x))"


def test_neither_is_a_branch_that_relies_on_sensors(author):
    step = author.step
    beside = parallel(step("b"), step("a", precondition=Camp.light))
    rest = [step(name, needs="b", duration=5) for name in "vwx"]
    shown = author.shown(beside, step("c", needs="ab"), *rest)
    assert shown == "(parallel(b, a), parallel(c, v, w, x))"


def test_a_plan_with_nothing_to_gain_is_returned_as_it_is(author):
    step = author.step
    plan = author.plan(author.compound("work", method(step("a"), step("b", needs="a"))))
    assert parallelize(plan) is plan


def test_a_plan_without_steps_is_returned_as_it_is(author):
    plan = author.plan(null())
    assert parallelize(plan) is plan


# methods


def test_a_method_is_still_chosen_where_its_condition_was_true(author):
    step = author.step
    attack = author.compound("attack", method(step("aim"), step("shoot"), when=Camp.done["hide"]))
    shown = author.shown(step("hide"), step("call"), attack)
    assert shown == "parallel((hide, parallel(aim, shoot)), call)"


def test_what_a_method_undoes_itself_does_not_order_its_steps(author):
    step = author.step
    take = step("take", effects=[Camp.ore.becomes(1)])
    fetch = author.compound("fetch", method(take, step("walk"), when=Camp.ore == 0))
    drop = step("drop", effects=[Camp.ore.becomes(0)])
    assert author.shown(drop, fetch) == "(drop, parallel(take, walk))"


def test_who_changes_what_a_method_asked_comes_behind_the_moment_it_asked(author):
    step = author.step
    ready = author.compound("ready", method(step("x"), when=Camp.done["a"] & ~Camp.done["b"]))
    assert author.shown(step("a"), ready, step("b")) == "(a, parallel(x, b))"


def test_a_method_decides_behind_the_one_that_led_to_it(author):
    step = author.step
    inner = author.compound("inner", method(step("x"), step("y")))
    outer = author.compound("outer", method(inner, when=Camp.done["a"]))
    assert author.shown(step("a"), outer, step("z")) == "parallel((a, parallel(x, y)), z)"


# composites in the plan


def test_parallel_nodes_are_taken_apart_to_be_put_together_again(author):
    step = author.step
    beside = parallel(step("a"), (step("b"), step("c")))
    shown = author.shown(beside, step("d", needs="a"))
    assert shown == "parallel((a, d), b, c)"


@pytest.mark.parametrize("policy", ["any", "primary"])
def test_a_race_stays_as_it_is(author, policy):
    step = author.step
    race = parallel((step("a"), step("b")), step("c"), policy=policy)
    shown = author.shown(race, step("d"))
    assert shown == f"parallel(parallel((a, b), c, policy={policy}), d)"


def test_a_priority_node_runs_beside_others_as_a_whole(author):
    step = author.step
    choice = priority(step("a"), step("b"))
    assert author.shown(choice, step("c")) == "parallel(priority(a, b), c)"


def test_the_last_alternative_keeps_its_first_step_first_and_earlier_ones_keep_all(author):
    step = author.step
    first = sequence(step("a"), step("b"), step("c"))
    last = sequence(step("x"), step("y"), step("z"))
    shown = author.shown(priority(first, last))
    assert shown == "priority((a, b, c), (x, parallel(y, z)))"


def test_alternatives_that_are_asked_again_at_every_tick_stay_as_they_are(author):
    step = author.step
    last = sequence(step("x"), step("y"), step("z"))
    plan = author.plan(priority(step("a"), last, reactive=True))
    assert parallelize(plan) is plan


def test_nothing_passes_a_choice_whose_guard_stopped_at_something_unknown(author):
    """It has not come to ask for ore while planning, and will at run time."""
    step = author.step
    guard = step("guard", precondition=lambda state: state.light and state.ore == 1)
    write = step("write", effects=[Camp.ore.becomes(1)])
    shown = author.shown(write, step("x"), priority(guard, step("other")), step("y"))
    assert shown == "(parallel(write, x), priority(guard, other), y)"


# what a result is


def test_everything_but_the_tree_is_kept(author):
    plan = author.plan(author.step("a"), author.step("b"))
    better = parallelize(plan)
    assert better.tree is not plan.tree
    kept = [part.name for part in fields(plan) if part.name not in ("tree", "_source")]
    assert [getattr(better, name) for name in kept] == [getattr(plan, name) for name in kept]


def test_the_same_plan_gives_the_same_bytes_and_a_second_time_changes_nothing(author):
    step = author.step
    names = "abcdefghij"
    goal = [step(one, needs=names[max(0, i - 3) : i : 2]) for i, one in enumerate(names)]
    once = parallelize(author.plan(*goal))
    assert encoded(once) == encoded(parallelize(author.plan(*goal)))
    assert parallelize(once) is once


def test_a_parallelized_plan_is_run_like_any_other_and_the_prediction_comes_true(author):
    step = author.step
    goal = (
        step("a", duration=2),
        step("x", duration=3),
        step("b", needs="a", duration=2),
        step("c", needs="bx", duration=1),
    )
    plan = parallelize(author.plan(*goal))
    agent, root = running(plan, author.state)
    assert ticks(root, 6) == "RRRRRS"
    assert makespan(plan.tree) == 5
    assert agent.beliefs.frozen() == plan.predicted
