"""Generated functions plan nodes with branches, sensors and pauses as the search does."""

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    Resource,
    State,
    defer,
    fluent,
    method,
    null,
    parallel,
    pause,
    primitive,
    priority,
    sequence,
)
from bthtn.planning.htn.fastpath import accelerator
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import request
from bthtn.views.text import tree_text


class Guard(State):
    gate: Fluent[bool] = fluent(default=True)
    lamp: Fluent[bool] = fluent(default=False)
    coins: Fluent[int] = fluent(default=2)
    post: Fluent[str] = fluent(default="tower")
    rumour: Fluent[bool] = fluent(default=True)
    noise: Fluent[bool] = fluent(default=True, volatile=True)


HANDS = Resource("hands")


@pytest.fixture
def watch():
    domain = Domain("watch", Guard)
    tasks = {
        "close": domain.primitive("close", effects=Guard.gate.becomes(False), uses=HANDS),
        "light": domain.primitive("light", effects=Guard.lamp.becomes(True)),
        "spend": domain.primitive("spend", effects=Guard.coins.decreases(1)),
        "knock": domain.primitive("knock", uses=HANDS),
        "shout": domain.primitive("shout", precondition=Guard.noise),
        "count": domain.primitive("count", precondition=Guard.coins >= 0),
        "enter": domain.primitive("enter", precondition=~Guard.gate & Guard.lamp),
    }

    @domain.primitive
    def walk(to: str):
        return primitive(effects=Guard.post.becomes(to))

    return domain, {**tasks, "walk": walk}


def planned(watch, *methods, state=None):
    """The plan of generated functions, None if they leave it to the search, which agrees."""
    domain, _ = watch

    @domain.compound
    def act():
        yield from methods

    asked = request(domain, state or Guard(), act())
    ask = accelerator(asked.domain, asked.goal, asked.binding, asked.settings)
    plan = None if ask is None else ask(asked.state, 1_000)
    search = HtnSearch(asked)
    search.advance()
    if plan is not None:
        assert str(plan.record) == str(search.plan.record)
        assert plan.expansions == search.expansions
        assert plan.predicted == search.plan.predicted
        assert plan.actions == tuple((step.task, step.args) for step in plan.steps)
        assert tree_text(plan.tree) == tree_text(search.plan.tree)
    return plan


def left(plan):
    """What a plan leaves open, each with the cause."""
    return [(one.left, str(one.cause)) for one in plan.suspended]


def names(plan):
    return [task.name for task, _ in plan.actions]


def test_branches_begin_in_the_same_state_and_their_effects_come_together(watch):
    _, do = watch
    plan = planned(watch, method(parallel(do["close"](), do["light"]()), do["enter"]()))
    assert names(plan) == ["close", "light", "enter"]
    assert plan.predicted == Guard(gate=False, lamp=True).frozen()


def test_amounts_of_several_branches_add_up(watch):
    _, do = watch
    plan = planned(watch, method(parallel(do["spend"](), sequence(do["spend"](), do["spend"]()))))
    assert plan.predicted == Guard(coins=-1).frozen()


def test_where_branches_interfere_the_next_method_is_taken(watch):
    _, do = watch
    plan = planned(watch, method(parallel(do["close"](), do["knock"]())), method(do["knock"]()))
    assert list(plan.record) == [1]


def test_another_method_inside_a_branch_is_tried_before_another_one_around_it(watch):
    domain, do = watch

    @domain.compound
    def knock_or_light():
        yield method(do["knock"]())
        yield method(do["light"]())

    plan = planned(watch, method(parallel(knock_or_light(), do["close"]()), do["enter"]()))
    assert list(plan.record) == [0, 1]


def test_arguments_tell_ways_to_plan_a_branch_apart(watch):
    domain, do = watch

    @domain.compound
    def spread(one: str, other: str):
        yield method(parallel(do["walk"](one), do["light"]()), do["walk"](other))

    plan = planned(watch, method(spread("gate", "wall"), spread("bridge", "gate")))
    assert plan.actions == tuple(
        (task, args)
        for places in (("gate", "wall"), ("bridge", "gate"))
        for task, args in (
            (do["walk"], places[:1]),
            (do["light"], ()),
            (do["walk"], places[1:]),
        )
    )
    assert plan.predicted == Guard(lamp=True, post="gate").frozen()


def test_what_alternatives_disagree_on_is_unknown_behind_them(watch):
    _, do = watch
    plan = planned(watch, method(priority(do["close"](), do["light"]()), do["spend"]()))
    assert plan.predicted == Guard(gate=UNKNOWN, lamp=UNKNOWN, coins=1).frozen()
    assert list(plan.record) == [0, 0, 0]
    assert names(plan) == ["close", "spend"]


def test_nodes_inside_one_another_keep_their_own_beginnings(watch):
    _, do = watch
    inner = priority(sequence(do["light"](), do["close"]()), do["close"]())
    plan = planned(watch, method(parallel(inner, do["spend"]()), do["count"]()))
    assert plan.predicted == Guard(gate=False, lamp=UNKNOWN, coins=1).frozen()
    assert names(plan) == ["light", "close", "spend", "count"]


def test_a_step_that_asks_for_what_is_unknown_then_is_suspended_with_all_that_follows(watch):
    _, do = watch
    either = priority(do["close"](), do["light"]())
    plan = planned(
        watch, method(either, do["count"](), do["enter"](), do["knock"](), do["spend"]())
    )
    assert names(plan) == ["close", "count"]
    assert left(plan) == [("enter", "unknown gate"), ("knock, spend", "unknown gate")]


def test_what_grows_from_an_unknown_value_stays_unknown(watch):
    _, do = watch
    either = priority(do["spend"](), do["light"]())
    plan = planned(watch, method(either, do["spend"](), do["count"]()))
    assert names(plan) == ["spend", "spend"]
    assert left(plan) == [("count", "unknown coins")]


def test_what_cannot_hold_whatever_is_unknown_fails(watch):
    domain, do = watch
    shut = domain.primitive("shut", precondition=Guard.lamp & Guard.gate & (Guard.coins > 5))
    plan = planned(
        watch,
        method(priority(do["close"](), do["light"]()), shut()),
        method(do["knock"]()),
    )
    assert list(plan.record) == [1]


def test_a_method_whose_condition_is_unknown_is_not_passed_over(watch):
    domain, do = watch

    @domain.compound
    def knock_or_light():
        yield method(do["knock"](), when=Guard.coins > 5)
        yield method(do["close"](), when=Guard.gate)
        yield method(do["light"]())

    plan = planned(watch, method(priority(do["close"](), do["light"]()), knock_or_light()))
    assert left(plan) == [("knock_or_light", "unknown gate")]


def test_an_argument_that_is_unknown_suspends_the_call(watch):
    domain, do = watch

    @domain.compound
    def hurry(to: str):
        yield method(do["walk"](to))

    either = priority(do["walk"]("gate"), do["light"]())
    plan = planned(watch, method(either, hurry(Guard.post), do["knock"]()))
    assert left(plan) == [("hurry(post)", "unknown post"), ("knock", "unknown post")]


def test_a_branch_that_is_suspended_ends_there_and_with_it_all_behind_the_node(watch):
    domain, do = watch

    @domain.compound
    def close_and_wait():
        yield method(sequence(do["close"](), pause(), do["knock"]()), null())

    both = parallel(do["spend"](), close_and_wait())
    plan = planned(watch, method(sequence(both, null()), do["light"]()))
    assert names(plan) == ["spend", "close"]
    assert left(plan) == [("knock, null", "pause"), ("null, light", "pause")]
    assert plan.predicted == Guard(gate=False, coins=1).frozen()


def test_a_deferred_task_is_suspended_in_the_branch_it_is_in(watch):
    _, do = watch
    inner = parallel(sequence(do["light"](), defer(do["knock"](), now=True)), do["spend"]())
    plan = planned(watch, method(priority(inner, do["close"]()), do["count"]()))
    assert left(plan) == [("knock", "defer"), ("count", "defer")]


def test_where_a_suspended_branch_interferes_the_next_method_is_taken(watch):
    _, do = watch
    both = parallel(sequence(do["close"](), pause()), do["knock"]())
    plan = planned(watch, method(both), method(do["light"](), pause(), do["enter"]()))
    assert list(plan.record) == [1]
    assert left(plan) == [("enter", "pause")]


def test_a_goal_may_pause_itself_as_the_rest_of_a_plan_does(watch):
    domain, do = watch

    @domain.compound
    def close_or_light():
        yield method(do["close"](), when=Guard.lamp)
        yield method(do["light"]())

    goal = sequence(close_or_light(), do["spend"](), pause(), do["knock"](), pause())
    asked = request(domain, Guard(), goal)
    plan = accelerator(asked.domain, asked.goal, asked.binding, asked.settings)(asked.state, 1_000)
    assert names(plan) == ["light", "spend"]
    assert left(plan) == [("knock, pause", "pause")]


def test_behind_a_pause_nothing_has_to_be_writable(watch):
    domain, do = watch
    random = domain.primitive("random", precondition=lambda state: hash(state.post) % 2 == 0)
    plan = planned(watch, method(parallel(do["light"](), do["spend"]()), pause(), random()))
    assert left(plan) == [("random", "pause")]


def test_an_alternative_without_a_plan_is_left_to_the_search(watch):
    _, do = watch
    assert planned(watch, method(priority(do["enter"](), do["light"]()))) is None


def test_a_sensor_is_asked_before_the_first_step(watch):
    _, do = watch
    assert names(planned(watch, method(do["shout"](), do["close"](), when=Guard.noise))) == [
        "shout",
        "close",
    ]


def test_what_a_sensor_says_later_is_unknown(watch):
    _, do = watch
    assert left(planned(watch, method(do["close"](), do["shout"]()))) == [
        ("shout", "unknown noise")
    ]


def test_an_alternative_may_begin_with_what_a_sensor_decides_at_run_time(watch):
    _, do = watch
    plan = planned(watch, method(priority(do["shout"](), do["light"]()), do["count"]()))
    assert names(plan) == ["shout", "count"]
    assert not left(plan)


def test_so_it_may_in_a_branch_of_an_alternative(watch):
    _, do = watch
    plan = planned(watch, method(priority(parallel(do["spend"](), do["shout"]()), do["light"]())))
    assert names(plan) == ["spend", "shout"]
    assert not left(plan)


def test_only_its_first_step_may(watch):
    _, do = watch
    later = sequence(do["spend"](), do["shout"]())
    plan = planned(watch, method(priority(later, do["light"]()), do["count"]()))
    assert left(plan) == [("shout", "unknown noise"), ("count", "unknown noise")]


def test_behind_a_choice_without_steps_a_sensor_is_foreseen_again(watch):
    domain, do = watch

    @domain.compound
    def nothing():
        yield method()

    plan = planned(watch, method(priority(nothing(), nothing()), do["shout"]()))
    assert names(plan) == ["shout"]


def test_beside_a_branch_with_a_step_a_sensor_can_be_foreseen(watch):
    _, do = watch
    plan = planned(watch, method(parallel(do["close"](), do["shout"]())))
    assert names(plan) == ["close", "shout"]


def test_behind_branches_with_steps_it_cannot(watch):
    _, do = watch
    together = parallel(do["close"](), do["light"]())
    assert left(planned(watch, method(together, do["shout"]()))) == [("shout", "unknown noise")]


def test_an_unknown_value_that_no_task_asks_for_changes_nothing(watch):
    _, do = watch
    plan = planned(watch, method(do["close"](), do["count"]()), state=Guard(rumour=UNKNOWN))
    assert names(plan) == ["close", "count"]


def test_one_that_a_task_asks_for_is_left_to_the_search(watch):
    _, do = watch
    assert planned(watch, method(do["count"]()), state=Guard(coins=UNKNOWN)) is None
