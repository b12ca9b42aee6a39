"""What a running plan does not read makes it look at nothing, what it reads makes it look once."""

from benchmarks.writes import Room, contestants, measured, reader, table
from bthtn.engine.agent.events import BeliefChanged, PlanKept


def test_ten_thousand_changes_that_a_plan_does_not_read_are_looked_at_by_nobody():
    told = []
    agent, goal = reader(told.append)
    told.clear()
    for number in range(1, 10_001):
        agent.believe(Room.flies, number)
        goal.tick_once()
    assert {type(event) for event in told} == {BeliefChanged}
    assert goal.verdict is None
    agent.believe(Room.lamp, 2)
    goal.tick_once()
    goal.tick_once()
    assert [event.change.fluent for event in told if isinstance(event, PlanKept)] == [Room.lamp]


def test_everybody_is_measured_against_the_attribute():
    head, yardstick, *others = table(measured(rounds=1))
    assert (head[-1], yardstick[-1]) == ("attribute = 1", "1.00")
    assert len(others) == len(contestants()) - 1
