"""Places where a planner that follows a well-known article or talk to the letter goes wrong."""

from collections import Counter
from itertools import product

import pytest

from bthtn import Domain, Fluent, State, find_plan, fluent, method
from bthtn.engine.text.notation import normal
from bthtn.errors import DomainError
from bthtn.examples.domains.blocks.domain import Table, blocks, literal
from bthtn.examples.domains.fps import domain as fps
from bthtn.examples.domains.fps.domain import Hunter
from bthtn.examples.domains.troll.domain import background, setting_off_once, tiring
from bthtn.examples.domains.troll.fighting import Tired, Whirling
from bthtn.examples.domains.troll.thumper import Range
from bthtn.examples.domains.troll.walking import Walking

# the talk's hunter


def hunt(hunter, **values):
    plan = find_plan(hunter, Hunter(**values), hunter.kill_target())
    return "no plan" if plan is None else normal(plan.tree)


def test_methods_in_another_order_change_what_the_hunter_prefers():
    assert hunt(fps.fps) == "(reload, move_to_shooting_point, shot)"
    assert hunt(fps.striking) == "(move_to_target, melee)"


def test_subtasks_in_another_order_need_preconditions_that_allow_it():  # R000-26
    assert hunt(fps.sight_first) == "(move_to_target, melee)"
    assert hunt(fps.unloaded) == "(move_to_shooting_point, reload, shot)"


# the talk's blocks


def tables(blocks):
    """Every table with these blocks, the hand empty or not; and what the hand holds."""
    for places in product(("table", "hand", *blocks), repeat=len(blocks)):
        on = dict(zip(blocks, places, strict=True))
        used = [place for place in places if place != "table"]
        if len(used) == len(set(used)) and all(stands(block, on) for block in blocks):
            held = next((block for block in blocks if on[block] == "hand"), "")
            top = {block: block not in places and block != held for block in blocks}
            yield Table(hand=held, on=on, is_top=top), held


def stands(block, on):
    """Whether something that is no block is below it, and not the hand below another."""
    for _ in on:
        if on[block] == "table":
            return True
        if on[block] == "hand":
            return block not in on.values()
        block = on[block]
    return False


def test_a_block_in_the_hand_stops_the_listing_of_the_talk_and_not_the_corrected_one():  # R000-25
    stopped, possible = Counter(), Counter()
    for table, held in tables("abc"):
        for to in ("table", "b"):
            hand = "empty" if not held else "a" if held == "a" else "another"
            assert find_plan(blocks, table, blocks.move("a", to)) is not None
            found = find_plan(literal, table, literal.move("a", to)) is not None
            (possible if found else stopped)[hand, to == "table"] += 1
    assert possible.keys() & stopped.keys() == {("a", False)}, "free and covered targets"
    assert {hand for hand, _ in possible} == {"empty", "a"}
    assert {hand for hand, _ in stopped} == {"a", "another"}


def test_from_an_empty_hand_the_listing_of_the_talk_does_what_the_corrected_one_does():
    goals = [(("a", "b"),), (("a", "b"), ("b", "c")), (("c", "a"), ("a", "table"))]
    compared = 0
    for table, held in tables("abc"):
        for goal in goals if not held else ():
            plans = [find_plan(one, table, one.achieve(goal)) for one in (blocks, literal)]
            assert len({normal(plan.tree) for plan in plans}) == 1
            compared += 1
    assert compared == 39


# the book's troll


def test_as_printed_the_troll_never_guards_his_face_and_mended_he_does():  # R001-14
    guarded = dict.fromkeys((background, setting_off_once), 0)
    for has_enemy, enemy_range, navigating, hit in product(
        (False, True), Range, (False, True), (False, True)
    ):
        state = Walking(
            has_enemy=has_enemy,
            enemy_range=enemy_range,
            navigating=navigating,
            hit_by_ranged_attack=hit,
        )
        for troll in guarded:
            plan = find_plan(troll, state, troll.be_trunk_thumper())
            guards = normal(plan.tree) == "guard_face_with_arm"
            assert not guards or (navigating and hit)
            guarded[troll] += guards and has_enemy
    assert guarded == {background: 0, setting_off_once: 2}


def test_a_troll_whose_recovery_is_called_by_another_name_is_refused():
    class Misspelt(Whirling):
        def do_whirlwind_trunk_attack(self):
            yield method(self.do_recover())

    with pytest.raises(DomainError) as refused:
        Misspelt("troll").freeze()
    (one,) = refused.value.diagnostics
    assert one.where.startswith(f"compound 'do_whirlwind_trunk_attack': {__file__}:")
    assert "'do_recover'" in one.message


def test_a_troll_who_recovers_whirls_after_every_third_slam():  # R001-13
    state, done = Tired(can_see_enemy=True), []
    for _ in range(8):
        plan = find_plan(tiring, state, tiring.be_trunk_thumper())
        done += [step.task.name for step in plan.steps]
        state = plan.predicted
    slam, whirl = ["do_trunk_slam", "do_recovery"], ["do_whirlwind_trunk_attack", "do_recovery"]
    assert done == 2 * (3 * slam + whirl)


# what remains after going back


class Toggle(State):
    a: Fluent[bool] = fluent(default=False)
    b: Fluent[bool] = fluent(default=False)


@pytest.fixture
def domain():
    return Domain("toggles", Toggle)


def planned(domain, goal):
    plan = find_plan(domain, Toggle(), goal)
    return "no plan" if plan is None else normal(plan.tree)


def test_tasks_still_to_be_done_are_not_consumed_by_an_attempt_that_fails(domain):
    # Alternatives that share lists of tasks must not take the tasks out of them.
    a = domain.primitive("a", effects=Toggle.a.becomes(True))
    b = domain.primitive("b", effects=Toggle.b.becomes(True))
    need_b = domain.primitive("need_b", precondition=Toggle.b)

    @domain.compound
    def t():
        yield method(a())
        yield method(b())

    assert planned(domain, (t(), need_b())) == "(b, need_b)"
    assert planned(domain, (t(), need_b())) == "(b, need_b)", "and neither by a whole search"


def test_a_method_that_failed_is_not_picked_again(domain):
    fail = domain.primitive("fail", precondition=Toggle.a)
    fine = domain.primitive("fine")

    @domain.compound
    def t():
        yield method(fail())
        yield method(fine(), fail())
        yield method(fine())

    plan = find_plan(domain, Toggle(), t())
    assert (normal(plan.tree), plan.record) == ("fine", (2,))


def test_the_state_is_restored_with_the_rest(domain):  # R001-07, R004-04
    # Two records of an attempt: its steps and its effects. Keeping either makes `q` come out wrong.
    p = domain.primitive("p", effects=Toggle.a.becomes(True))
    q = domain.primitive("q", precondition=~Toggle.a)

    @domain.compound
    def impossible():
        yield method(p(), when=Toggle.b)

    @domain.compound
    def t():
        yield method(p(), impossible())
        yield method(q())

    assert planned(domain, t()) == "q"


def test_a_task_that_failed_keeps_its_place_in_the_order(domain):  # R004-04
    first = domain.primitive("first", effects=Toggle.a.becomes(True))
    needs = domain.primitive("needs", precondition=Toggle.b)
    last = domain.primitive("last", precondition=Toggle.a)

    @domain.compound
    def middle():
        yield method(needs())
        yield method(first())

    assert planned(domain, (middle(), last())) == "(first, last)"


def test_a_goal_that_nothing_can_reach_has_no_plan_although_each_half_could_be_reached(domain):
    # Whoever works backwards and looks at effects only finds `a` here, which destroys nothing and
    # gives nothing of `b`.
    set_a = domain.primitive("set_a", precondition=~Toggle.b, effects=Toggle.a.becomes(True))

    @domain.compound
    def both():
        yield method(when=Toggle.a & Toggle.b)
        yield method(set_a(), both())

    assert planned(domain, both()) == "no plan"
    plan = find_plan(domain, Toggle(a=True, b=True), both())
    assert normal(plan.tree) == "null"
