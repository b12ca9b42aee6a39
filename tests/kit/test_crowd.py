"""Crowds: turns in frames of limited time, and fewer turns for those that matter less."""

import pytest

from bthtn import Domain, Fluent, State, fluent, method
from bthtn.behaviours import Agent, PlanGoal, PlanningSchedule
from bthtn.errors import ExecutionError
from bthtn.kit import Crowd, Detail


class Guard(State):
    distance: Fluent[int] = fluent(default=0)
    rounds: Fluent[int] = fluent(default=0)


yard = Domain("yard", Guard)
walk = yard.primitive("walk", effects=Guard.rounds.increases(1), duration=1)


@yard.compound
def patrol():
    yield method(walk(), walk())


class Clock:
    """A clock that goes on by a millisecond at each turn."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def by_distance(agent):
    return Detail() if agent.beliefs.get(Guard.distance) < 10 else Detail(every=4)


def a_crowd(number, *, budget=1_000, clock=None, **options):
    schedule = PlanningSchedule(budget, least=1)
    crowd = Crowd(schedule, by_distance, clock=clock, **options)
    turns = []
    for n in range(number):
        agent = Agent(f"guard {n}", yard, Guard(distance=n), body=None)
        goal = PlanGoal("patrol", agent, patrol(), budget=schedule)
        goal.tick_once = ticked(goal, turns, clock)
        crowd.add(agent, goal)
    return crowd, turns


def ticked(goal, turns, clock):
    tick = goal.tick_once

    def tick_once():
        turns.append(goal.agent.name)
        if clock is not None:
            clock.now += 0.001
        tick()

    return tick_once


def test_those_that_are_far_have_a_turn_in_every_fourth_frame():
    crowd, turns = a_crowd(12)
    assert [crowd.tick().ticked for _ in range(9)] == [12, 10, 10, 10, 12, 10, 10, 10, 12]
    assert turns.count("guard 0") == 9
    assert turns.count("guard 11") == 3


def test_when_the_time_is_over_the_others_come_first_in_the_next_frame():
    crowd, turns = a_crowd(10, clock=Clock(), milliseconds=4)
    assert [crowd.tick() for _ in range(3)] == [(4, 6), (4, 6), (4, 6)]
    names = [f"guard {n % 10}" for n in range(12)]
    assert turns == names


def test_under_any_load_everybody_has_as_many_turns():
    crowd, turns = a_crowd(10, clock=Clock(), milliseconds=3)
    for _ in range(100):
        crowd.tick()
    assert {turns.count(f"guard {n}") for n in range(10)} == {30}


def test_a_frame_that_is_late_from_the_start_gives_one_turn():
    crowd, _ = a_crowd(3, clock=Clock(), milliseconds=0.001)
    assert [crowd.tick() for _ in range(4)] == [(1, 2)] * 4


def test_goals_that_wait_for_expansions_keep_their_place_between_turns():
    crowd, _ = a_crowd(30, budget=2, clock=Clock(), milliseconds=7)
    goals = [member.tree for member in crowd._members.values()]
    for _ in range(200):
        crowd.tick()
    assert all(goal.agent.beliefs.get(Guard.rounds) >= 2 for goal in goals)
    assert crowd.schedule.load.limit == 2


def test_who_comes_closer_is_seen_to_after_its_next_turn():
    crowd, turns = a_crowd(12)
    far = next(agent for agent in crowd._members if agent.name == "guard 11")
    crowd.tick()
    far.believe(Guard.distance, 1)
    for _ in range(7):
        crowd.tick()
    assert turns.count("guard 11") == 1 + 4


def test_who_was_removed_has_no_turn_any_more():
    crowd, turns = a_crowd(3)
    crowd.tick()
    crowd.remove(next(iter(crowd._members)))
    assert len(crowd) == 2
    crowd.tick()
    assert turns.count("guard 0") == 1
    assert turns.count("guard 2") == 2


def test_after_an_exception_of_users_code_all_have_their_turns_again():
    crowd, turns = a_crowd(3)
    policy, crowd._detail = crowd._detail, lambda _: 1 / 0
    with pytest.raises(ZeroDivisionError):
        crowd.tick()
    crowd._detail = policy
    assert [crowd.tick() for _ in range(2)] == [(3, 0), (3, 0)]
    assert turns == ["guard 0", *("guard 1", "guard 2", "guard 0") * 2]


def test_a_crowd_is_not_ticked_in_the_middle_of_its_own_tick():
    crowd, _ = a_crowd(2)
    policy, crowd._detail = crowd._detail, lambda _: crowd.tick()
    with pytest.raises(ExecutionError, match=r"BT320.*a crowd is ticked"):
        crowd.tick()
    crowd._detail = policy
    assert crowd.tick() == (2, 0)


def test_a_limit_of_time_needs_a_clock():
    with pytest.raises(ExecutionError, match="BT316"):
        Crowd(PlanningSchedule(1, least=1), milliseconds=1)
