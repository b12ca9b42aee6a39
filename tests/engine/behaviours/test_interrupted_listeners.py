"""Ctrl-C while a listener hears any of the events: every start has one end, and a goal goes on."""

from itertools import count

import pytest
from py_trees.common import Status

from bthtn import defer, method, parallel, pause, priority, with_cleanup
from bthtn.engine.agent.events import BeliefChanged, LeafEnded
from bthtn.studio.testing.strategies import World


class Interrupts:
    """Raises KeyboardInterrupt, once, before it passes the event of a number on."""

    def __init__(self, heard, number):
        self.heard, self.left = heard, number

    def __call__(self, event):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        self.heard(event)


def steps(stage):
    more = [World.count.increases(1), World.open.becomes(True)]
    return stage.step("a", "RS", effects=more), stage.step(
        "b", "S", effects=World.lit.becomes(True)
    )


def hooks(stage):
    task = stage.task("a", "RS")
    stage.operators.on_plan_start(task)(lambda agent: agent.believe(World.count, 4))
    stage.operators.on_plan_end(task)(lambda agent: agent.believe(World.count, 5))
    return task(), stage.step("b", "RF")


def cleanups(stage):
    inner = with_cleanup(stage.step("draw", "RS"), finally_=stage.step("holster", "RS"))
    return with_cleanup(inner, stage.step("hit", "RF"), finally_=stage.step("leave", "S"))


def parallels(stage):
    slow = stage.step("slow", "RRRR", abort_ticks=2)
    both = parallel(stage.step("fails", "RF"), slow)
    return parallel(both, stage.step("other", "RRRR", abort_ticks=1))


def primary(stage):
    both = parallel(stage.step("main", "RF"), stage.step("aside", "RRR"), policy="primary")
    return parallel(stage.step("first", "RRRR"), both, policy="primary")


def suspended(stage):
    tasks = stage.step("look", "RS"), stage.step("feel", "S")
    later = stage.compound("later", lambda: iter((method(tasks[0], pause(), tasks[1]),)))
    return stage.step("go", "S"), defer(later), stage.step("end", "RS")


def alternatives(stage):
    return priority(stage.step("best", "RF"), stage.step("worse", "RS"), reactive=True)


SCENES = (steps, hooks, cleanups, parallels, primary, suspended, alternatives)


def played(stage, scene, number):
    """Four ticks, of which one is interrupted at an event of this number, and the end."""
    goal = stage.goal(scene(stage), max_replans=1)
    agent, was_interrupted = stage.actor, False
    agent.listener = Interrupts(stage.heard, number)
    for _ in range(4):
        try:
            agent.sense()
            goal.tick_once()
        except KeyboardInterrupt:
            was_interrupted = True
    try:
        goal.stop(Status.INVALID)
    except KeyboardInterrupt:
        was_interrupted = True
        goal.stop(Status.INVALID)
    for _ in range(4):
        try:
            agent.sense()
        except KeyboardInterrupt:
            was_interrupted = True
    return was_interrupted


@pytest.mark.parametrize("scene", SCENES)
def test_an_interrupt_in_a_listener_at_any_event_leaves_every_start_with_one_end(stage, scene):
    for number in count(1):
        here = type(stage)()
        was_interrupted = played(here, scene, number)
        assert here.heard.faults() == here.heard.running() == [], number
        assert len(here.actor.aborts) == 0, number
        assert len(here.actor.leases) == 0, number
        if not was_interrupted:
            break
    assert number > 5


def test_an_interrupt_while_effects_are_written_leaves_them_written_all_and_once(stage):
    more = [World.count.increases(1), World.open.becomes(True)]
    goal = stage.goal(stage.step("a", "S", effects=more), max_replans=0, open=False)
    agent = stage.actor
    number = 1 + next(
        index
        for index, event in enumerate(events_of(type(stage)(), more))
        if isinstance(event, BeliefChanged)
    )
    agent.listener = Interrupts(stage.heard, number)
    with pytest.raises(KeyboardInterrupt):
        goal.tick_once()
    goal.stop(Status.INVALID)
    assert (agent.beliefs.now.count, agent.beliefs.now.open) == (1, True)
    assert len(stage.heard.of(LeafEnded)) == 1


def events_of(stage, effects):
    goal = stage.goal(stage.step("a", "S", effects=effects), max_replans=0, open=False)
    goal.tick_once()
    return stage.heard.events
