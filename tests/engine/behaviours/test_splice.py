"""Where a new part goes into a plan that runs, and what beside it goes on."""

import pytest
from py_trees.common import Status

from bthtn import method, parallel, pause, priority
from bthtn.engine.agent.events import CodeFailed, PlanAdopted, PlanRepaired
from bthtn.engine.behaviours import mount
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


def ready(stage, name, condition):
    """A part with nothing to do while the condition holds, and with a step of this name."""
    step = stage.step(name, "RS")
    return stage.compound(f"ready_{name}", lambda: [method(when=condition), method(step)])


def told_after(stage, goal, **believed):
    """The lines of the tick after somebody has changed these beliefs."""
    stage.heard.clear()
    for name, value in believed.items():
        stage.actor.believe(getattr(World, name), value, "sensor")
    goal.tick_once()
    return stage.heard.lines()


def test_a_branch_that_had_nothing_to_do_gets_steps_beside_those_that_run(stage):
    one, two = stage.step("one", "RRRRS"), stage.step("two", "RRRRS")
    part = ready(stage, "take", World.armed)
    goal = stage.goal(stage.compound("go", lambda: [method(parallel(one, part, two))]), armed=True)
    assert ticks(goal, 1) == "R"
    assert told_after(stage, goal, armed=False) == ["start take"]
    assert len(stage.heard.of(PlanRepaired)) == 1
    assert ticks(goal, 3) == "RRS"


def test_beside_one_branch_alone_the_goal_is_planned_anew_and_that_runs_on(stage):
    one, part = stage.step("one", "RRRS"), ready(stage, "take", World.armed)
    goal = stage.goal(stage.compound("go", lambda: [method(parallel(one, part))]), armed=True)
    assert ticks(goal, 1) == "R"
    assert told_after(stage, goal, armed=False) == ["start take"]
    assert stage.heard.of(PlanRepaired) == []
    assert len(stage.heard.of(PlanAdopted)) == 1
    assert ticks(goal, 2) == "RS"


def test_a_step_runs_on_although_the_plan_itself_has_ended_its_precondition(stage):
    walk = stage.step("walk", "RRRS", precondition=World.lit)
    switch = stage.step("switch", "S", on_start=World.lit.becomes(False))
    take = ready(stage, "take", World.lit)
    go = stage.compound("go", lambda: [method(parallel(walk, switch), take)])
    goal = stage.goal(go, lit=True)
    assert ticks(goal, 5) == "RRRRS"
    assert len(stage.heard.of(PlanRepaired)) == 1
    assert stage.heard.lines() == [
        *("start walk", "start switch", "done switch", "done walk"),
        *("start take", "done take"),
    ]


def test_a_branch_whose_plan_on_arrival_had_nothing_to_do_gets_steps(stage):
    walk, part = stage.step("walk", "RRRRRS"), ready(stage, "take", World.armed)
    later = stage.compound("later", lambda: [method(pause(now=True), part)])
    go = stage.compound("go", lambda: [method(parallel(walk, later))])
    goal = stage.goal(go, armed=True)
    assert ticks(goal, 3) == "RRR"
    assert told_after(stage, goal, armed=False) == ["start take"]
    assert len(stage.heard.of(PlanRepaired)) == 1
    assert ticks(goal, 2) == "RS"


def test_an_alternative_that_had_nothing_to_do_gets_steps(stage):
    walk, look = stage.step("walk", "RRS"), stage.step("look", "S")
    parts = ready(stage, "take", World.armed), ready(stage, "light", World.lit)
    go = stage.compound("go", lambda: [method(walk, priority(*parts), look)])
    goal = stage.goal(go, armed=True, lit=True)
    assert ticks(goal, 1) == "R"
    assert told_after(stage, goal, armed=False, lit=False) == []
    assert len(stage.heard.of(PlanRepaired)) == 1
    assert ticks(goal, 2) == "RS"
    assert "start take" in stage.heard.lines()


@pytest.mark.parametrize("is_one_task", [True, False])
def test_a_plan_that_has_no_steps_left_gets_some(stage, is_one_task):
    def lose():
        stage.actor.believe(World.open, False, "sensor")

    hit = stage.step("hit", "F", at_tick=lose)
    attack = stage.compound("attack", lambda: [method(hit, when=World.open), method()])
    parts = attack, ready(stage, "take", World.armed)
    go = stage.compound("go", lambda: [method(*parts)])
    goal = stage.goal(go if is_one_task else parts, open=True, armed=True)
    assert ticks(goal, 1) == "R"
    assert stage.heard.lines() == ["start hit", "failed hit"]
    assert told_after(stage, goal, armed=False) == ["start take"]
    assert len(stage.heard.of(PlanRepaired)) == 1


def interrupted_in(goal, monkeypatch, place):
    """Tick a goal, and interrupt it where its mount calls a function of this name."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(mount, place, interrupt)
        with pytest.raises(KeyboardInterrupt):
            goal.tick_once()


def test_an_interrupt_in_the_middle_of_a_repair_leaves_nothing_running(stage, monkeypatch):
    walk, hit, stab = (stage.step(name, "RRRRR") for name in ("walk", "hit", "stab"))
    attack = stage.compound("attack", lambda: [method(hit, when=World.armed), method(stab)])
    aim = stage.step("aim", "R")
    go = stage.compound("go", lambda: [method(aim, attack)])
    goal = stage.goal(stage.compound("all", lambda: [method(parallel(walk, go))]), armed=True)
    assert ticks(goal, 1) == "R"
    stage.actor.believe(World.armed, False, "sensor")
    stage.heard.clear()
    interrupted_in(goal, monkeypatch, "splice")
    assert goal.status is Status.INVALID
    assert stage.heard.lines() == ["aborted walk", "aborted aim"]
    assert ticks(goal, 2) == "RR"


def test_an_interrupt_in_the_middle_of_a_handover_leaves_nothing_running(stage, monkeypatch):
    walk, run = stage.step("walk", "RRRRR"), stage.step("run", "RRRRR")
    go = stage.compound("go", lambda: [method(run, when=World.open), method(walk)])
    goal = stage.goal(go, open=False)
    assert ticks(goal, 1) == "R"
    stage.actor.believe(World.open, True, "sensor")
    stage.heard.clear()
    interrupted_in(goal, monkeypatch, "hand_over")
    assert goal.status is Status.INVALID
    assert stage.heard.lines() == ["aborted walk"]
    assert ticks(goal, 1) == "R"


def test_a_mistake_in_a_condition_that_a_repair_asks_is_told(stage):
    def bad(world):
        if not world.armed:
            raise ValueError("what now?")
        return True

    walk, stab = stage.step("walk", "RRRRR"), stage.step("stab", "RRRRR")
    hit = stage.step("hit", "RRRRR", precondition=World.armed)
    attack = stage.compound("attack", lambda: [method(hit), method(stab, when=bad)])
    go = stage.compound("go", lambda: [method(parallel(walk, attack)), method(walk)])
    goal = stage.goal(go, armed=True)
    assert ticks(goal, 1) == "R"
    stage.actor.believe(World.armed, False, "sensor")
    goal.tick_once()
    assert any("what now?" in told.reason for told in stage.heard.of(CodeFailed))
