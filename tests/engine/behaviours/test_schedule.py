"""One budget of expansions for many agents: never exceeded, everybody served, always the same."""

import gc
import weakref
from itertools import pairwise

import pytest
from py_trees.common import Status

from bthtn import Domain, Fluent, State, fluent, method
from bthtn.behaviours import Agent, PlanGoal
from bthtn.engine.planning.planner import Planner
from bthtn.engine.replanning.schedule import SLICE, Budget, PlanningSchedule
from bthtn.errors import ArgumentError, BthtnError, ExecutionError
from bthtn.studio.testing.doubles import ticks
from tests.sizes import size


class Counter(State):
    count: Fluent[int] = fluent(default=0)
    top: Fluent[int] = fluent(default=20)


counting = Domain("counting", Counter)
rest = counting.primitive("rest", duration=4)
step = counting.primitive("step", effects=Counter.count.increases(1))


def fails(state):
    raise ValueError("boom")


@counting.compound
def count():
    yield method(when=Counter.count >= Counter.top)
    yield method(step(), count())


@counting.compound
def broken():
    yield method(step(), when=fails)


CROWD = size(quick=300, thorough=1_000)
COST = Planner(counting, count()).plan(Counter()).expansions


def crowd(size, schedule, **state):
    return [
        PlanGoal(
            f"goal {number}",
            Agent(f"agent {number}", counting, Counter(**state), body=None),
            count(),
            budget=schedule,
        )
        for number in range(size)
    ]


def frames(schedule, goals, count, tick=lambda frame, goal: goal.status is not Status.SUCCESS):
    """Who was done in which frame; every frame is held against the budget."""
    done, most = [], 0
    for frame in range(count):
        schedule.next_frame()
        for goal in goals:
            if tick(frame, goal):
                goal.tick_once()
                if goal.plan is not None and goal.name not in dict(done):
                    done.append((goal.name, frame))
        assert 0 <= schedule.used <= schedule.budget
        most = max(most, schedule.used)
    return dict(done), most


@pytest.mark.slow
def test_a_crowd_of_agents_never_use_more_than_the_budget_and_are_all_served():
    schedule = PlanningSchedule(budget=5_000)
    done, most = frames(schedule, crowd(CROWD, schedule), 20)
    assert len(done) == CROWD
    assert 4_000 < most <= 5_000  # the budget is used, or the test would show nothing
    frames_needed = -(-CROWD * COST // 5_000)
    assert max(done.values()) <= 2 * frames_needed


def test_who_is_served_when_is_the_same_in_every_run():
    def run():
        schedule = PlanningSchedule(budget=300, least=20)
        goals = crowd(40, schedule)
        for number, goal in enumerate(goals):
            schedule.attend(goal.agent, priority=1 + number % 3, every=1 + number % 4)
        return list(frames(schedule, goals, 60)[0].items())

    first = run()
    assert len(first) == 40
    assert run() == first


def test_without_a_schedule_the_same_crowd_would_use_far_more_in_one_frame():
    goals = crowd(100, 1_000)
    for goal in goals:
        goal.tick_once()
    assert sum(goal.plan.expansions for goal in goals) == 100 * COST > 5_000 * 100 // 1_000


def test_small_budgets_serve_everybody_a_slice_at_a_time():
    schedule = PlanningSchedule(budget=30, least=10)
    done, most = frames(schedule, crowd(9, schedule), 40)
    assert len(done) == 9
    assert most == 30


def test_no_goal_waits_longer_than_a_round_of_all_that_wait():
    """Thirty agents that want more than there will ever be: each is served in every round."""
    schedule = PlanningSchedule(budget=100, least=10)
    goals = crowd(30, schedule, top=10**6)
    served = {goal: [] for goal in goals}
    for frame in range(31):
        schedule.next_frame()
        for goal in goals:
            before = schedule.used
            goal.tick_once()
            if schedule.used > before:
                served[goal].append(frame)
    for goal in goals[1:]:
        gaps = [b - a for a, b in pairwise(served[goal])]
        assert served[goal][0] <= 3
        assert max(gaps) <= 3
        assert len(gaps) >= 8


def test_what_one_goal_leaves_over_is_for_the_next_in_the_same_frame():
    schedule = PlanningSchedule(budget=10 * COST, least=5 * COST)
    done, _ = frames(schedule, crowd(10, schedule), 1)
    assert len(done) == 10


def test_what_a_frame_leaves_over_is_lost():
    schedule = PlanningSchedule(budget=100)
    for _ in range(5):
        schedule.next_frame()
    goals = crowd(1, schedule, top=10**6)
    goals[0].tick_once()
    assert schedule.used == 100


def test_the_urgent_come_first_and_the_others_all_the_same():
    schedule = PlanningSchedule(budget=COST, least=COST)
    goals = crowd(8, schedule)
    for goal in goals[4:]:
        schedule.attend(goal.agent, priority=3)
    schedule.next_frame()
    for goal in goals:  # everybody asks: the first is served at once
        goal.tick_once()
    done, _ = frames(schedule, goals[1:], 8)
    order = sorted(done, key=done.get)
    assert order[:4] == ["goal 4", "goal 5", "goal 6", "goal 7"]
    assert sorted(order[4:]) == ["goal 1", "goal 2", "goal 3"]


def test_the_urgent_cannot_starve_the_others():
    schedule = PlanningSchedule(budget=10, least=10)
    urgent, patient = crowd(5, schedule, top=10**6), crowd(1, schedule)
    for goal in urgent:
        schedule.attend(goal.agent, priority=4)
    done, _ = frames(schedule, [*urgent, *patient], 400)
    assert done.keys() == {"goal 0"}


def test_an_agent_asleep_plans_nothing_until_it_is_woken_and_keeps_its_place():
    schedule = PlanningSchedule(budget=1_000)
    (goal,) = crowd(1, schedule)
    schedule.sleep(goal.agent)
    done, most = frames(schedule, [goal], 5)
    assert (done, most) == ({}, 0)
    assert not schedule.is_due(goal.agent)
    assert schedule.waiting == 1
    schedule.wake(goal.agent)
    assert frames(schedule, [goal], 1)[0] == {"goal 0": 0}


def test_a_plan_that_runs_goes_on_while_its_agent_is_asleep():
    schedule = PlanningSchedule(budget=1_000)
    agent = Agent("agent", counting, Counter(), body=None)
    goal = PlanGoal("rest", agent, rest(), budget=schedule)
    schedule.next_frame()
    goal.tick_once()
    schedule.sleep(agent)
    statuses = ""
    for _ in range(4):
        schedule.next_frame()
        statuses += ticks(goal, 1)
    assert statuses == "RRRS"


def test_far_agents_plan_every_few_frames_and_take_turns():
    schedule = PlanningSchedule(budget=1_000, least=10)
    goals = crowd(12, schedule, top=10**6)
    for goal in goals:
        schedule.attend(goal.agent, every=4)
    served = []
    for _ in range(8):
        schedule.next_frame()
        assert sum(schedule.is_due(goal.agent) for goal in goals) == 3
        for goal in goals:
            before = schedule.used
            goal.tick_once()
            if schedule.used > before:
                served.append(goal.name)
    assert len(set(served)) == 12


def test_a_goal_that_gave_up_is_waited_for_no_longer():
    schedule = PlanningSchedule(budget=10, least=10)
    first, second = crowd(2, schedule, top=10**6)
    schedule.next_frame()
    first.tick_once()
    second.tick_once()
    assert schedule.waiting == 2
    first.stop(Status.INVALID)
    for _ in range(2):
        schedule.next_frame()
        second.tick_once()
    assert schedule.waiting == 1
    assert schedule.used == 10


def test_a_search_that_raises_gives_back_what_it_did_not_use():
    schedule = PlanningSchedule(budget=100)
    agent = Agent("agent", counting, Counter(), body=None)
    goal = PlanGoal("goal", agent, broken(), budget=schedule)
    schedule.next_frame()
    goal.tick_once()
    assert goal.status is Status.FAILURE
    assert schedule.used < 5
    assert schedule.waiting == 0


def test_a_number_or_none_is_a_budget_of_its_own():
    planner, goal = Planner(counting, count()), crowd(1, 10)[0]
    search = planner.search(Counter())
    Budget(3, goal).advance(search)
    assert search.expansions == 3
    Budget(None, goal).advance(search)
    assert search.plan is not None


def test_agents_that_are_gone_are_forgotten():
    schedule = PlanningSchedule(budget=10)
    agent = Agent("agent", counting, Counter(), body=None)
    schedule.attend(agent, every=3)
    gone = weakref.ref(agent)
    del agent
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: PlanningSchedule(budget=0),
        lambda: PlanningSchedule(budget=10, least=0),
        lambda: PlanningSchedule(budget=10).attend("agent", priority=0),
        lambda: PlanningSchedule(budget=10).attend("agent", every=0),
    ],
)
def test_numbers_that_allow_nothing_are_refused(make):
    with pytest.raises(ExecutionError) as refused:
        make()
    assert isinstance(refused.value, BthtnError)
    assert refused.value.code == "BT202"


@pytest.mark.parametrize(
    "make",
    [
        lambda: PlanningSchedule(budget="10"),
        lambda: PlanningSchedule(budget=float("nan")),
        lambda: PlanningSchedule(budget=10, milliseconds="4", clock=Slow()),
        lambda: PlanningSchedule(budget=10).attend("agent", priority="high"),
    ],
)
def test_what_is_no_number_is_refused(make):
    with pytest.raises(ArgumentError, match="BT126"):
        make()


class Slow:
    """A clock by which each expansion takes a millisecond: one for each time it was asked."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def works(self, state):
        self.now += 0.001
        return state.count < state.top


@pytest.fixture
def slow():
    return Slow()


def slow_crowd(slow, number, schedule, top=20):
    domain = Domain("slow counting", Counter)
    one = domain.primitive("step", effects=Counter.count.increases(1))

    @domain.compound
    def slowly():
        yield method(one(), slowly(), when=slow.works)
        yield method()

    frozen = [Agent(f"agent {n}", domain, Counter(top=top), body=None) for n in range(number)]
    return [PlanGoal(one.name, one, slowly(), budget=schedule) for one in frozen]


def test_a_schedule_with_a_limit_of_time_stops_searches_at_the_clock(slow):
    schedule = PlanningSchedule(budget=10_000, least=10, milliseconds=40, clock=slow)
    goals = slow_crowd(slow, 30, schedule, top=60)
    for _ in range(60):
        schedule.next_frame()
        for goal in goals:
            goal.tick_once()
        assert schedule.load.milliseconds <= 40 + SLICE
    assert all(goal.plan is not None for goal in goals)


def test_a_search_does_not_go_on_when_the_time_is_just_up():
    times = iter([0.0, 0.04])
    schedule = PlanningSchedule(
        budget=10_000, least=10_000, milliseconds=40, clock=lambda: next(times)
    )
    [goal] = crowd(1, schedule, top=10**6)
    schedule.next_frame()
    goal.tick_once()
    assert schedule.load.milliseconds == 40
    assert next(times, None) is None


def test_after_the_first_frame_the_budget_is_what_there_is_time_for_and_all_get_a_part(slow):
    schedule = PlanningSchedule(budget=10_000, least=10, milliseconds=40, clock=slow)
    goals = slow_crowd(slow, 30, schedule, top=1_000)
    for _ in range(12):
        schedule.next_frame()
        for goal in goals:
            goal.tick_once()
        assert schedule.frame == 1 or schedule.load.limit < 200
    assert schedule.load.longest < 12
    served = [goal for goal in goals if goal._search._current.expansions]
    assert len(served) > 20


def test_the_load_tells_what_goals_had_to_do_without():
    schedule = PlanningSchedule(budget=40, least=20)
    goals = crowd(5, schedule, top=10**6)
    loads = []
    for _ in range(3):
        schedule.next_frame()
        for goal in goals:
            goal.tick_once()
        loads.append(schedule.load)
    assert loads[0] == (40, 40, 0.0, 5, 4, 0)
    assert [one.unserved for one in loads] == [4, 3, 3]
    assert [one.longest for one in loads] == [0, 1, 2]


def test_a_goal_whose_tree_is_skipped_keeps_its_place():
    schedule = PlanningSchedule(budget=20, least=10)
    first, second = crowd(2, schedule, top=10**6)
    schedule.next_frame()
    first.tick_once()
    second.tick_once()
    assert schedule.waiting == 2
    schedule.next_frame()
    first.tick_once()
    schedule.only([first.agent])
    schedule.next_frame()
    assert schedule.waiting == 2
    first.tick_once()
    schedule.next_frame()
    assert schedule.waiting == 1


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"milliseconds": 4}, "BT316"),
        ({"clock": Slow()}, "BT316"),
        ({"milliseconds": 0, "clock": Slow()}, "BT202"),
    ],
)
def test_a_limit_of_time_needs_a_clock_and_some_time(given, code):
    with pytest.raises(ExecutionError) as error:
        PlanningSchedule(100, **given)
    assert error.value.code == code
