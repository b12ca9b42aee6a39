"""Hooks: what a step wants done when a plan with it begins, and when it is over."""

from collections import Counter

import py_trees
import pytest
from py_trees.common import Status

from bthtn import Primitive, defer, method, parallel, primitive, priority
from bthtn.behaviours import OperatorFailed, Operators, PriorityGoals
from bthtn.engine.agent.events import (
    LeaseReturned,
    LeaseTaken,
    PlanAdopted,
    PlanFailed,
    PlanHookFailed,
    TaskAvoided,
)
from bthtn.engine.behaviours.hooks import PlanHooks
from bthtn.engine.behaviours.plan_run import PlanRefused
from bthtn.engine.planning.planner import find_plan
from bthtn.errors import DomainError, ExecutionError
from bthtn.studio.testing.doubles import ScriptedError, ticks
from bthtn.studio.testing.strategies import World


@pytest.fixture
def told():
    """What the hooks were called with, in order."""
    return []


def hooked(stage, told, name, *scripts, start=lambda agent: None, end=lambda agent: None, **said):
    """A step that follows a script and has hooks."""
    task = stage.task(name, *scripts, **said)

    @stage.operators.on_plan_start(task)
    def begin(agent):
        told.append(f"+{name}")
        start(agent)

    @stage.operators.on_plan_end(task)
    def over(agent):
        told.append(f"-{name}")
        end(agent)

    return task()


def test_they_are_called_before_the_first_step_and_behind_the_last(stage, told):
    note = stage.step("note", "S", at_tick=lambda: told.append("runs"))
    goal = stage.goal((note, hooked(stage, told, "a", "RS")))
    ticks(goal, 1)
    assert told == ["+a", "runs"]
    ticks(goal, 1)
    assert told == ["+a", "runs", "-a"]


def test_the_ends_come_in_the_opposite_order(stage, told):
    ticks(stage.goal((hooked(stage, told, "a", "S"), hooked(stage, told, "b", "S"))), 1)
    assert told == ["+a", "+b", "-b", "-a"]


def test_a_step_that_is_there_twice_is_told_twice(stage, told):
    step = hooked(stage, told, "a", "S")
    ticks(stage.goal((step, step)), 1)
    assert told == ["+a", "+a", "-a", "-a"]


def test_they_are_called_with_the_arguments_of_the_step(stage, told):
    @stage.domain.primitive
    def go(place: str) -> Primitive:
        return primitive()

    stage.operators.on_plan_start(go)(lambda agent, place: told.append((agent.name, place)))
    ticks(stage.goal((go("a"), go("b"))), 1)
    assert told == [("somebody", "a"), ("somebody", "b")]


def test_steps_that_may_never_run_count_as_well(stage, told):
    choice = priority(hooked(stage, told, "a", "S"), hooked(stage, told, "b", "S"))
    ticks(stage.goal(choice), 1)
    assert told == ["+a", "+b", "-b", "-a"]


@pytest.mark.parametrize("how", ["stop", "shutdown"])
def test_an_interrupted_plan_is_over(stage, told, how):
    goal = stage.goal(hooked(stage, told, "a", "R"))
    ticks(goal, 1)
    goal.stop(Status.INVALID) if how == "stop" else goal.shutdown()
    goal.stop(Status.INVALID)
    goal.shutdown()
    assert told == ["+a", "-a"]


def test_a_plan_that_failed_is_over_before_the_next_one_begins(stage, told):
    goal = stage.goal(hooked(stage, told, "a", "F", "S"))
    assert ticks(goal, 2) == "RS"
    assert told == ["+a", "-a", "+a", "-a"]


def test_a_plan_is_over_when_all_its_aborts_are_done(stage, told):
    goal = stage.goal(hooked(stage, told, "a", "R", abort_ticks=2))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    ticks(goal, 1)
    assert told == ["+a"]
    ticks(goal, 1)
    assert told == ["+a", "-a", "+a"]


def test_a_plan_that_is_taken_down_in_its_abort_is_over(stage, told):
    goal = stage.goal(hooked(stage, told, "a", "R", abort_ticks=2))
    ticks(goal, 1)
    goal.shutdown()
    assert told == ["+a", "-a"]


def test_a_part_that_is_planned_on_arrival_begins_there_and_ends_with_the_plan(stage, told):
    step = hooked(stage, told, "a", "S")
    goal = stage.goal((stage.step("s", "RS"), defer(step, now=True), stage.step("t", "RS")))
    ticks(goal, 1)
    assert told == []
    ticks(goal, 1)
    assert told == ["+a"]
    ticks(goal, 1)
    assert told == ["+a", "-a"]


# a hook that cannot do what it is there for


def full(agent):
    raise OperatorFailed("no cover left")


def test_a_start_that_fails_fails_the_plan_before_it_is_adopted(stage, told):
    first = hooked(stage, told, "a", "S")
    second = hooked(stage, told, "b", "S", start=full)
    assert stage.play((first, second), 1) == "F"
    assert told == ["+a", "+b", "-a"]
    [failed] = stage.heard.of(PlanFailed)
    assert failed.reason == "on_plan_start of b: no cover left"
    assert stage.heard.of(PlanAdopted) == []
    assert stage.heard.lines() == []


def test_its_step_is_avoided_at_once_and_then_tried_again(stage, told):
    tries = []

    def full_at_first(agent):
        tries.append(1)
        if len(tries) == 1:
            full(agent)

    goal = stage.goal(hooked(stage, told, "a", "S", start=full_at_first))
    assert ticks(goal, 9) == "FFFFFFFFS"


def reserving(stage, told, **options):
    """Hides where it is open and the cover is not full, else runs."""
    cover = {"full": True}

    def enter(agent):
        if cover["full"]:
            full(agent)

    hide = hooked(stage, told, "hide", "R", start=enter)
    run = stage.step("run", "R")
    flee = stage.compound("flee", lambda: [method(hide, when=World.open), method(run)])
    return stage.goal(flee, **options), cover


def test_a_better_plan_that_cannot_start_leaves_the_running_one_alone(stage, told):
    goal, _ = reserving(stage, told, max_replans=0)
    ticks(goal, 2)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 100) == "R" * 100
    assert stage.heard.lines() == ["start run"]
    assert stage.heard.of(PlanFailed) == []
    assert 2 <= len(told) <= 8


def test_a_better_plan_that_could_not_start_starts_once_there_is_room(stage, told):
    goal, cover = reserving(stage, told)
    ticks(goal, 2)
    stage.actor.believe(World.open, True)
    ticks(goal, 9)
    cover["full"] = False
    ticks(goal, 64)
    assert stage.heard.lines() == ["start run", "aborted run", "start hide"]


def test_a_lower_goal_is_given_up_ever_more_seldom_for_a_higher_one_that_cannot_start(stage, told):
    hide, run = hooked(stage, told, "hide", "R", start=full), stage.step("run", "R")
    high, low = stage.goal(hide, name="high"), stage.goal(run, name="low")
    ticks(py_trees.composites.Selector("root", memory=False, children=[high, low]), 50)
    lines = stage.heard.lines()
    assert set(lines) == {"start run", "aborted run"}
    assert lines[-1] == "start run"  # what it gives up could be what the higher one has to reserve
    assert 2 <= len(told) <= 8


def test_a_goal_that_is_prepared_is_prepared_again_once_it_can_start(stage, told):
    room = []

    def enter(agent):
        if not room:
            full(agent)

    hide, run = hooked(stage, told, "hide", "R", start=enter), stage.step("run", "R")
    high, low = stage.goal(hide, name="high"), stage.goal(run, name="low")
    root = PriorityGoals("root", stage.actor, [high, low], period=1)
    ticks(root, 20)
    room.append(1)
    ticks(root, 64)
    assert stage.heard.lines()[-1] == "start hide"


def test_where_the_first_plan_cannot_start_the_next_method_is_taken(stage, told):
    goal, _ = reserving(stage, told, open=True, max_replans=1)
    assert ticks(goal, 3) == "RRR"
    assert stage.heard.lines() == ["start run"]
    [avoided] = stage.heard.of(TaskAvoided)
    assert (avoided.task, avoided.reason) == ("hide", "on_plan_start of hide: no cover left")


def test_a_part_that_is_planned_on_arrival_goes_on_without_what_could_not_be_reserved(stage, told):
    hide, run = hooked(stage, told, "hide", "R", start=full), stage.step("run", "RS")
    flee = stage.compound("flee", lambda: [method(hide), method(run)])
    goal = stage.goal((stage.step("look", "S"), defer(flee, now=True)))
    assert ticks(goal, 3) == "RRS"
    assert stage.heard.lines()[-2:] == ["start run", "done run"]


def test_an_end_that_raises_is_told_and_the_others_are_called(stage, told):
    def broken(agent):
        raise ScriptedError

    steps = hooked(stage, told, "a", "S"), hooked(stage, told, "b", "S", end=broken)
    assert ticks(stage.goal(steps), 1) == "S"
    assert told == ["+a", "+b", "-b", "-a"]
    [failed] = stage.heard.of(PlanHookFailed)
    assert (failed.goal, failed.hook, failed.task) == ("goal", "on_plan_end", "b")
    assert isinstance(failed.error, ScriptedError)
    assert "on_plan_end of b raised" in stage.heard.story()


def test_on_arrival_a_start_that_fails_fails_the_part(stage, told):
    broken = hooked(stage, told, "a", "S", start=full)
    choice = priority(defer(broken, now=True), stage.step("b", "S"))
    assert stage.play(choice, 1) == "S"
    assert stage.heard.lines() == ["start b", "done b"]


def test_what_ends_the_program_passes_through_and_nothing_is_called_twice(stage, told):
    def leave(agent):
        raise KeyboardInterrupt

    steps = hooked(stage, told, "a", "R"), hooked(stage, told, "b", "R", end=leave)
    goal = stage.goal(parallel(*steps))
    ticks(goal, 1)
    with pytest.raises(KeyboardInterrupt):
        goal.stop(Status.INVALID)
    goal.shutdown()
    goal.stop(Status.INVALID)
    assert told == ["+a", "+b", "-b", "-a"]


# what hooks take


def takes(agent):
    assert agent.take("cover")


def test_what_a_hook_takes_the_plan_has_until_it_is_over(stage, told):
    goal = stage.goal((hooked(stage, told, "a", "S", start=takes), stage.step("b", "RS")))
    ticks(goal, 1)
    assert [str(holder) for holder in stage.actor.leases.holders("cover")] == ["goal"]
    ticks(goal, 1)
    assert len(stage.actor.leases) == 0


def test_the_steps_of_the_plan_have_it_too(stage, told):
    def use(agent):
        if not agent.take("cover"):
            raise OperatorFailed

    reserved = hooked(stage, told, "a", "S", start=takes)
    goal = stage.goal((reserved, stage.run_by("use", use)))
    assert ticks(goal, 1) == "S"
    assert len(stage.heard.of(LeaseTaken)) == 1


def test_an_end_may_still_use_what_its_start_took(stage, told):
    def still_there(agent):
        told.append(len(agent.leases))

    ticks(stage.goal(hooked(stage, told, "a", "S", start=takes, end=still_there)), 1)
    assert told == ["+a", "-a", 1]
    assert len(stage.actor.leases) == 0


@pytest.mark.parametrize("end", [OperatorFailed, KeyboardInterrupt])
def test_a_start_that_fails_keeps_nothing(stage, told, end):
    def takes_and_fails(agent):
        takes(agent)
        raise end

    goal = stage.goal(hooked(stage, told, "a", "S", start=takes_and_fails), max_replans=0)
    try:
        ticks(goal, 1)
    except KeyboardInterrupt:
        goal.stop(Status.INVALID)
    assert told == ["+a"]
    assert len(stage.actor.leases) == 0


# a plan instead of another one


class Replaced:
    """Plans for tuples of steps, one instead of another."""

    def __init__(self, stage, told):
        self.stage, self.told = stage, told
        self.steps = {name: hooked(stage, told, name, start=takes) for name in "abc"}
        self.steps["full"] = hooked(stage, told, "full", start=full)
        self.actor = stage.agent()
        self.hooks = PlanHooks(self.actor, "goal")

    def adopt(self, names):
        self.told.clear()
        network = tuple(self.steps[name] for name in names)
        plan = find_plan(self.stage.domain, World(), network)
        self.hooks.adopt(plan.tree)
        self.hooks.release()
        return " ".join(self.told)


@pytest.fixture
def replaced(stage, told):
    return Replaced(stage, told)


def test_what_both_plans_have_is_neither_ended_nor_begun(replaced):
    assert replaced.adopt("ab") == "+a +b"
    assert replaced.adopt("bc") == "+c -a"
    assert replaced.adopt("bc") == ""


def test_the_new_plan_has_begun_before_what_the_old_one_has_alone_is_over(replaced):
    replaced.adopt("a")
    assert replaced.adopt("bc") == "+b +c -a"


def test_a_start_that_fails_leaves_the_old_plan_as_it_was(replaced):
    replaced.adopt("ab")
    with pytest.raises(PlanRefused):
        replaced.adopt(["b", "c", "full"])
    assert replaced.told == ["+c", "+full", "-c"]
    assert replaced.adopt("ab") == ""


@pytest.fixture
def bettered(stage, told):
    """A goal whose plan is replaced while its step takes two more ticks to be given up."""
    hide = hooked(stage, told, "hide", "R", start=takes, abort_ticks=2)
    rush = stage.step("rush", "R", precondition=World.open)
    goal = stage.goal(stage.compound("fight", lambda: [method(rush), method(hide)]))
    ticks(goal, 2)
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    return goal


def test_a_plan_that_was_replaced_keeps_its_leases_until_its_aborts_are_done(stage, told, bettered):
    assert stage.heard.lines()[-1] == "aborting hide"
    assert (told, len(stage.actor.leases)) == (["+hide"], 1)
    ticks(bettered, 1)
    assert (told, len(stage.actor.leases)) == (["+hide"], 1)
    ticks(bettered, 1)
    assert (told, len(stage.actor.leases)) == (["+hide", "-hide"], 0)
    assert stage.heard.lines()[-2:] == ["aborted hide", "start rush"]


def test_so_does_one_that_was_mended(stage, told):
    walk = stage.step("walk", "R")
    hide = hooked(stage, told, "hide", "R", start=takes, abort_ticks=1)
    stay, duck = stage.step("stay", "R", precondition=World.open), stage.step("duck", "R")
    cover = stage.compound("cover", lambda: [method(hide, stay), method(duck)])
    goal = stage.goal(parallel(walk, cover), open=True)
    ticks(goal, 2)
    stage.actor.believe(World.open, False)
    ticks(goal, 1)
    assert (told, len(stage.actor.leases)) == (["+hide"], 1)
    ticks(goal, 1)
    assert (told, len(stage.actor.leases)) == (["+hide", "-hide"], 0)


def test_steps_are_counted(replaced):
    replaced.adopt("aab")
    assert replaced.adopt("abb") == "+b -a"
    replaced.told.clear()
    replaced.hooks.close()
    replaced.hooks.close()
    assert Counter(replaced.told) == {"-a": 1, "-b": 2}


def test_a_lease_stays_while_a_step_of_the_plan_relies_on_it(replaced):
    replaced.adopt("ab")
    replaced.adopt("b")
    replaced.adopt("bc")
    assert len(replaced.actor.leases) == 1
    replaced.adopt("c")
    assert len(replaced.stage.heard.of(LeaseTaken)) == 1
    replaced.hooks.close()
    assert len(replaced.stage.heard.of(LeaseReturned)) == 1


# binding them


def test_a_task_has_one_hook_of_a_kind(stage):
    task = stage.task("a")
    operators = Operators(simulates_others=True)
    operators.on_plan_start(task)(takes)
    operators.on_plan_end(task)(takes)
    with pytest.raises(ExecutionError, match="'a' has an on_plan_start hook already") as info:
        operators.on_plan_start(task)
    assert info.value.code == "BT302"
    assert operators.tasks() == (task,)


def test_only_primitive_tasks_have_hooks(stage):
    compound = stage.compound("c", lambda: [method(stage.step("a"))]).task
    with pytest.raises(ExecutionError, match="BT301"):
        Operators(simulates_others=True).on_plan_end(compound)


def test_hooks_of_another_domain_s_tasks_are_refused(stage):
    operators = stage.operators
    other = type(stage)()
    operators.on_plan_end(other.task("a"))(takes)
    with pytest.raises((ExecutionError, DomainError), match="BT303"):
        stage.agent()
