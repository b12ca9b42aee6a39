"""A plan that begins with what is running takes it over: no abort, no second start."""

import pytest
from py_trees.common import Status

from bthtn import Primitive, method, null, parallel, primitive, priority
from bthtn.engine.agent.events import LeafAborted, LeafStarted, PlanAdopted, PlanKept, PlanReplaced
from bthtn.engine.replanning.policy import Replanning
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


def tails(stage, head, *, count):
    """The head, and then the first of many tails that ``count`` allows."""
    ends = [
        stage.step(f"tail {n}", "R", precondition=World.count >= n) for n in range(count, 0, -1)
    ]
    end = stage.compound("end", lambda: [method(one) for one in (*ends, stage.step_last)])
    stage.step_last = stage.step("last", "R")
    return (head, end)


def running(stage):
    return sorted(stage.heard.running())


def test_a_hundred_replans_that_differ_in_the_tail_start_the_running_step_once(stage):
    walk = stage.step("walk", "R" * 101 + "S")
    goal = stage.goal(tails(stage, walk, count=100))
    goal.tick_once()
    for number in range(100):
        stage.actor.believe(World.count, number + 1)
        assert ticks(goal, 1) == "R"
    assert len(stage.heard.of(PlanReplaced)) == 100
    assert (stage.code["walk"].starts, stage.code["walk"].aborts) == (1, 0)
    assert stage.heard.lines() == ["start walk"]
    assert str(goal.plan.steps[-1]) == "tail 100"
    ticks(goal, 1)
    assert stage.heard.lines() == ["start walk", "done walk", "start tail 100"]
    goal.stop(Status.INVALID)
    assert stage.heard.faults() == []


@pytest.mark.parametrize("form", ["generator", "behaviour", "object"])
def test_it_does_not_matter_what_runs_the_step(stage, form, new_player):
    player = new_player()
    drawn = {
        "scripts": ["RRRRS"],
        "form": form,
        "raises": (),
        "precondition": None,
        "exec_only": None,
        "effects": (),
        "uses": (),
        "senses": None,
    }
    stage = player.stage
    walk = player.leaf(drawn)
    goal = stage.goal(tails(stage, walk, count=3))
    goal.tick_once()
    for number in range(3):
        stage.actor.believe(World.count, number + 1)
        goal.tick_once()
    assert ticks(goal, 1) == "R"
    assert stage.heard.lines() == ["start t0", "done t0", "start tail 3"]
    code = stage.code["t0"]
    assert (code.starts, code.ticks, code.ends, code.aborts) == (1, 5, 1, 0)


def test_its_effects_come_true_for_the_new_plan(stage):
    walk = stage.step("walk", "RRS", effects=World.place.becomes("b"))
    goal = stage.goal(tails(stage, walk, count=1))
    goal.tick_once()
    stage.actor.believe(World.count, 1)
    ticks(goal, 2)
    assert stage.believes(World.place) == "b"
    assert stage.heard.lines()[-1] == "start tail 1"


def test_branches_are_taken_over_one_by_one(stage):
    walk, look = stage.step("walk", "RRRRS"), stage.step("look", "RRRRS")
    sing = stage.step("sing", "RRRRRR")
    hum = stage.step("hum", "RRRRRR")
    voice = stage.compound("voice", lambda: [method(sing, when=World.open), method(hum)])
    goal = stage.goal((parallel(walk, voice, look), stage.step("end")))
    ticks(goal, 2)
    assert running(stage) == ["hum", "look", "walk"]
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    assert running(stage) == ["look", "sing", "walk"]
    assert [event.task for event in stage.heard.of(LeafAborted)] == ["hum"]
    assert stage.code["walk"].starts == stage.code["look"].starts == 1
    ticks(goal, 2)
    assert running(stage) == ["sing"]


def test_a_branch_that_is_a_single_step_and_a_plan_that_is_one_can_be_taken_over(stage):
    walk, look = stage.step("walk", "R"), stage.step("look", "R")
    both = stage.compound(
        "both", lambda: [method(parallel(walk, look), when=World.open), method(walk)]
    )
    other = stage.compound("other", lambda: [method(both)])
    goal = stage.goal(other)
    ticks(goal, 2)
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    assert stage.heard.lines() == ["start walk", "start look"]
    stage.heard.clear()
    goal.stop(Status.INVALID)
    assert stage.heard.lines() == ["aborted walk", "aborted look"]


def test_a_parallel_plan_gives_its_steps_to_a_longer_one(stage):
    walk, look = stage.step("walk", "R"), stage.step("look", "R")
    hum, sing = stage.step("hum", "S"), stage.step("sing", "R")
    voice = stage.compound("voice", lambda: [method(sing, when=World.open), method(null())])
    goal = stage.goal((parallel(walk, look, voice), hum))
    ticks(goal, 2)
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    assert stage.heard.lines() == ["start walk", "start look", "start sing"]


def test_steps_without_a_place_are_aborted_newest_first(stage):
    steps = [stage.step(name, "R") for name in "abc"]
    best = stage.step("best", "R")
    choose = stage.compound(
        "choose", lambda: [method(best, when=World.open), method(parallel(*steps))]
    )
    goal = stage.goal(choose)
    ticks(goal, 2)
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    assert [event.task for event in stage.heard.of(LeafAborted)] == ["c", "b", "a"]


def test_inside_a_chosen_alternative_too(stage):
    shy, walk = stage.step("shy", "F"), stage.step("walk", "RRRS")
    goal = stage.goal(tails(stage, priority(shy, walk), count=1))
    ticks(goal, 2)
    stage.actor.believe(World.count, 1)
    ticks(goal, 1)
    assert len(stage.heard.of(PlanReplaced)) == 1
    assert (stage.code["shy"].starts, stage.code["walk"].starts) == (1, 1)
    ticks(goal, 1)
    assert stage.heard.lines()[-2:] == ["done walk", "start tail 1"]


def test_the_same_task_runs_on_below_another_decomposition(stage):
    walk = stage.task("walk", "R")
    calm = stage.compound("calm", lambda: [method(walk(), stage.rest)])
    alert = stage.compound("alert", lambda: [method(walk(), stage.shoot)])
    stage.rest, stage.shoot = stage.step("rest", "S"), stage.step("shoot", "S")
    choose = stage.compound("choose", lambda: [method(alert, when=World.open), method(calm)])
    goal = stage.goal(choose)
    ticks(goal, 2)
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    assert stage.heard.lines() == ["start walk"]
    assert [str(step) for step in goal.plan.steps] == ["walk", "shoot"]


def test_other_arguments_are_another_step(stage):
    @stage.domain.primitive
    def walk(place: str) -> Primitive:
        return primitive(duration=9)

    go = stage.compound(
        "go", lambda: [method(leg, walk("c"), when=World.open), method(leg, walk("d"))]
    )
    leg = stage.compound("leg", lambda: [method(walk("b"), when=World.lit), method(walk("a"))])
    goal = stage.goal(go, lit=False)
    ticks(goal, 2)
    stage.actor.believe(World.lit, True)
    ticks(goal, 1)
    assert stage.heard.lines() == ["start walk('a')", "aborted walk('a')", "start walk('b')"]


def test_the_same_task_with_equal_arguments_runs_on_by_another_method(stage):
    @stage.domain.primitive
    def walk(place: str) -> Primitive:
        return primitive(duration=9)

    leg = stage.compound(
        "leg", lambda: [method(walk("a"), walk("b"), when=World.lit), method(walk("a"))]
    )
    goal = stage.goal(leg, lit=False)
    ticks(goal, 2)
    stage.actor.believe(World.lit, True)
    ticks(goal, 1)
    assert stage.heard.lines() == ["start walk('a')"]
    assert [str(step) for step in goal.plan.steps] == ["walk('a')", "walk('b')"]


def test_of_two_places_the_one_below_the_same_decomposition_is_taken(stage):
    walk = stage.task("walk", "R")
    first = stage.compound("first", lambda: [method(walk())])
    second = stage.compound("second", lambda: [method(walk())])
    both = stage.compound(
        "both", lambda: [method(parallel(first, second), when=World.open), method(second)]
    )
    goal = stage.goal(both)
    ticks(goal, 2)
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    assert (len(stage.code["walk"].runs), stage.code["walk"].aborts) == (2, 0)


# plans that broke


def broken(stage, head, *, by_another_method=False, budget=1_000):
    """A goal whose plan, the head and then a fight, is broken while its head is running."""
    melee = stage.step("melee", precondition=World.lit)
    shoot = stage.step("shoot", "R")
    fight = stage.compound("fight", lambda: [method(melee), method(shoot)])
    attack = stage.compound("attack", lambda: [method(head, melee), method(head, shoot)])
    network = attack if by_another_method else (head, fight)
    goal = stage.goal(network, lit=True, budget=budget, replanning=Replanning(repair=False))
    while not stage.heard.lines():
        goal.tick_once()
    goal.tick_once()
    stage.actor.believe(World.lit, False)
    return goal


@pytest.mark.parametrize("by_another_method", [False, True])
def test_a_broken_plan_s_step_runs_on_if_the_next_plan_begins_with_it(stage, by_another_method):
    goal = broken(stage, stage.step("walk", "RRRRS"), by_another_method=by_another_method)
    assert ticks(goal, 3) == "RRR"
    assert stage.heard.lines() == ["start walk", "done walk", "start shoot"]
    assert len(stage.heard.of(PlanAdopted)) == 2


def test_it_runs_on_while_the_next_plan_is_searched_for(stage):
    goal = broken(stage, stage.step("walk", "R" * 9 + "S"), budget=1)
    goal.tick_once()
    assert len(stage.heard.of(PlanAdopted)) == 1
    ticks(goal, 5)
    assert stage.heard.lines() == ["start walk"]
    assert stage.code["walk"].ticks == 2 + 6
    assert [str(step) for step in goal.plan.steps] == ["walk", "shoot"]


def test_a_step_that_ends_meanwhile_is_not_forgotten(stage):
    walk = stage.step("walk", "RRRS", effects=World.place.becomes("b"))
    there = stage.compound("there", lambda: [method(null(), when=World.place == "b"), method(walk)])
    goal = broken(stage, there, budget=1)
    ticks(goal, 12)
    assert stage.heard.lines() == ["start walk", "done walk", "start shoot"]


def test_a_step_that_has_no_place_in_the_next_plan_is_aborted_before_that_begins(stage):
    walk, melee = stage.step("walk", "R"), stage.step("melee", precondition=World.lit)
    hide = stage.step("hide", "R")
    goal = stage.goal(
        stage.compound("fight", lambda: [method(walk, melee), method(hide)]), lit=True
    )
    ticks(goal, 2)
    stage.actor.believe(World.lit, False)
    ticks(goal, 1)
    assert stage.heard.lines() == ["start walk", "aborted walk", "start hide"]


def test_a_step_whose_own_conditions_broke_is_aborted_at_once(stage):
    walk = stage.step("walk", "R", during=World.lit)
    goal = stage.goal(
        stage.compound("go", lambda: [method(walk, when=World.lit), method(walk)]),
        lit=True,
        budget=1,
    )
    ticks(goal, 4)
    stage.heard.clear()
    stage.actor.believe(World.lit, False)
    ticks(goal, 1)
    assert stage.heard.lines() == ["aborted walk"]


def test_without_a_next_plan_it_is_aborted(stage):
    walk = stage.step("walk", "R")
    goal = stage.goal((walk, stage.step("melee", precondition=World.lit)), lit=True)
    ticks(goal, 2)
    stage.actor.believe(World.lit, False)
    assert ticks(goal, 1) == "F"
    assert stage.heard.lines() == ["start walk", "aborted walk"]
    assert stage.heard.faults() == []


# plans that can take over and others


def test_a_plan_that_cannot_be_run_does_not_take_over(stage):
    best, second = stage.step("best"), stage.step("second", "R")
    for _ in range(160):
        best = parallel(best, null(), policy="any")
    choose = stage.compound("choose", lambda: [method(best, when=World.open), method(second)])
    goal = stage.goal(choose)
    ticks(goal, 2)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 1) == "R"
    assert "BT305" in stage.heard.of(PlanKept)[-1].reason
    assert stage.heard.lines() == ["start second"]


# the same course


def on_the_way(stage):
    """From the root, the step that is already done would not be planned again."""
    rise = stage.step("rise", "RS", effects=World.open.becomes(True))
    walk, rest = stage.step("walk", "RRRRS"), stage.step("rest", "S")
    ready = stage.compound("ready", lambda: [method(when=World.open), method(rise)])
    return stage.compound("whole", lambda: [method(ready, walk, rest)])


@pytest.mark.parametrize("interrupt", ["any", "mtr_equal"])
def test_a_plan_that_is_only_the_rest_of_the_running_one_restarts_nothing(stage, interrupt):
    goal = stage.goal(on_the_way(stage), replanning=Replanning(interrupt=interrupt))
    ticks(goal, 2)
    assert stage.heard.lines()[-1] == "start walk"
    for number in range(3):
        stage.actor.believe(World.count, number + 1)
        goal.tick_once()
    assert list(goal.record) == [0, 0]
    assert stage.heard.of(PlanReplaced) == []
    assert stage.heard.of(PlanKept)[0].reason == "what was found is what is left of it"
    assert len(stage.heard.of(PlanAdopted)) == 1
    assert ticks(goal, 1) == "S"
    assert stage.heard.lines()[2:] == ["start walk", "done walk", "start rest", "done rest"]


def test_nothing_is_left_of_the_plans_that_were_replaced(stage):
    walk = stage.step("walk", "R")
    goal = stage.goal(tails(stage, walk, count=50))
    goal.tick_once()
    size = len(list(goal.iterate()))
    for number in range(50):
        stage.actor.believe(World.count, number + 1)
        goal.tick_once()
        assert len(list(goal.iterate())) == size
    assert len(stage.heard.of(LeafStarted)) == 1
    assert goal.tip().name == "walk"
    assert [node.status for node in goal.children[0].iterate()].count(Status.RUNNING) == 2
