"""What fails again and again backs off ever longer, until something changes that it has read."""

import pytest

from bthtn import Domain, Fluent, Planner, State, fluent, seconds
from bthtn.behaviours import NO_BACKOFF, Agent, RetryPolicy
from bthtn.engine.agent.events import GoalWaits, TaskAvoided
from bthtn.engine.behaviours.memory import MAX_REMEMBERED, FailureMemory
from bthtn.engine.plan.failure import Failure
from bthtn.engine.planning.exclusions import avoidable
from bthtn.engine.replanning.attribution import AttributedFailure
from bthtn.errors import ArgumentError, DomainError
from bthtn.studio.testing.doubles import RecordingListener


class Troll(State):
    sees: Fluent[bool] = fluent(default=False)
    health: Fluent[int] = fluent(default=3)
    mood: Fluent[int] = fluent(default=0)


CAVE = Domain("cave", Troll)
roar = CAVE.primitive("roar", precondition=Troll.sees)
slam = CAVE.primitive("slam", precondition=Troll.health > 2)
FROZEN = CAVE.freeze()
ROAR, SLAM = avoidable(FROZEN, roar), avoidable(FROZEN, slam)
BLIND = AttributedFailure(ROAR, Failure("sees is false", "roar", reads=frozenset({Troll.sees})))
MISSED = AttributedFailure(SLAM, Failure("it missed", "slam"))
POLICY = RetryPolicy(after=2, backoff=8, longest=32)
EVER_LONGER = RetryPolicy(after=1, backoff=8, longest=10_000)


class Remembering:
    """A memory, whose next tick begins in ``ticks``, of an agent with beliefs to be changed."""

    def __init__(self, policy=POLICY, goal=slam):
        self.heard, self.tick, self.now = RecordingListener(), 0, 0
        clock = (lambda: self.now) if policy.in_seconds else None
        self.agent = Agent("he", CAVE, Troll(), body=None, listener=self.heard, clock=clock)
        self.planner = Planner(CAVE, goal())
        self.memory = FailureMemory(self.agent, "goal", self.planner, policy)

    def change(self, belief):
        now = self.agent.beliefs.get(belief)
        self.agent.believe(belief, not now if belief is Troll.sees else now + 1)

    def ticks(self, count, changes=None, delta=1):
        """Begin ticks, with the beliefs changed before some; ``delta`` are their seconds."""
        for _ in range(count):
            self.tick += 1
            self.now = self.tick * delta
            self.agent.sense()
            for belief in (changes or {}).get(self.tick, ()):
                self.change(belief)
            self.memory.tick()
            yield self.now

    def fails(self, failure=BLIND):
        self.memory.remember(failure)

    def attempts(self, count, changes=None, delta=1):
        """The ticks, or seconds, of those in which the goal is tried, and there is no plan."""
        made = []
        for now in self.ticks(count, changes, delta):
            if self.memory.why_waiting() is None:
                made.append(now)
                self.memory.begin()
                search = self.planner.search(self.agent.beliefs.frozen())
                self.memory.searches(search)
                search.advance()
                self.memory.failed(Failure("there is no plan"))
        return made

    def tries(self, count, changes=None, delta=1, failure=BLIND):
        """The ticks, or seconds, of those in which a step is not avoided, is tried, and fails."""
        made = []
        for now in self.ticks(count, changes, delta):
            if failure.cause not in self.memory.avoided():
                made.append(now)
                self.fails(failure)
        return made


EVERY_TICK = {tick: [Troll.sees, Troll.health] for tick in range(1, 1_001)}
IN_SECONDS = RetryPolicy(after=2, backoff=seconds(2), longest=seconds(16))


def test_a_step_that_fails_again_and_again_is_avoided_twice_as_long_each_time_up_to_a_bound():
    assert Remembering().tries(150) == [1, 2, 10, 26, 58, 90, 122]


def test_and_so_does_a_goal():
    assert Remembering().attempts(150) == [1, 2, 10, 26, 58, 90, 122]


@pytest.mark.parametrize("delta", [1, 0.5, 0.1, 1 / 3])
def test_attempts_in_seconds_do_not_depend_on_how_long_a_tick_is(delta):
    made = Remembering(IN_SECONDS).attempts(int(70 / delta), delta=delta)
    from_second = [round(second - made[1], 6) for second in made[1:]]
    assert from_second == [0, 2, 6, 14, 30, 46, 62]
    assert made[1] - made[0] == pytest.approx(delta)


def test_a_change_of_something_that_it_has_read_ends_the_back_off():
    noticed = {50: [Troll.mood], 51: [Troll.sees, Troll.health]}
    assert Remembering().tries(80, noticed) == [1, 2, 10, 26, 51]
    blocked = Remembering(goal=roar)
    assert blocked.attempts(80, {50: [Troll.health], 51: [Troll.sees]}) == [1, 2, 10, 26, 51]


def test_the_change_that_has_ended_a_back_off_is_known_until_the_next_failure():
    remembering = Remembering()
    remembering.tries(2)
    assert remembering.memory.ended_by(ROAR) is None
    for tick in remembering.ticks(2, {3: [Troll.health], 4: [Troll.sees]}):
        assert tick == 4 or ROAR in remembering.memory.avoided()
    assert ROAR not in remembering.memory.avoided()
    assert remembering.memory.ended_by(ROAR).fluent is Troll.sees
    remembering.fails()
    assert remembering.memory.ended_by(ROAR) is None


def test_but_no_two_changes_end_back_offs_within_an_eighth_of_the_second_one():
    soon = {tick: [Troll.sees] for tick in (28, 29)}
    assert Remembering().tries(40, soon) == [1, 2, 10, 26, 28, 32]
    assert Remembering(goal=roar).attempts(40, soon) == [1, 2, 10, 26, 28, 32]
    assert Remembering().tries(40, soon | {40: [Troll.sees]}) == [1, 2, 10, 26, 28, 32, 40]


def test_so_noise_lets_it_be_tried_ever_more_rarely():
    tried = Remembering(EVER_LONGER).tries(300, EVERY_TICK)
    assert tried == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert Remembering(EVER_LONGER, goal=roar).attempts(300, EVERY_TICK) == tried
    some = RetryPolicy(after=1, backoff=seconds(2), longest=seconds(1_000))
    assert Remembering(some).tries(200, EVERY_TICK, delta=0.25)[:7] == [
        *(0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
    ]


def test_a_value_that_a_search_cannot_tell_from_the_last_is_no_change_for_a_goal():
    bleeding = Remembering(goal=slam)
    bleeding.agent.believe(Troll.health, -9)
    noise = {tick: [Troll.health] for tick in range(3, 12)}
    assert bleeding.attempts(12, noise) == [1, 2, 10]
    bleeding.agent.believe(Troll.health, 3)
    assert bleeding.attempts(4) == [13]


def test_what_changed_before_the_failure_is_no_change():
    troll = Remembering(RetryPolicy(after=1))
    for _ in troll.ticks(3):
        troll.fails(BLIND)
        troll.change(Troll.sees)
        troll.fails(BLIND)
    troll.memory.tick()
    assert ROAR in troll.memory.avoided()


def test_what_changes_after_the_failure_of_another_lets_a_goal_that_fails_then_begin_again():
    troll = Remembering(RetryPolicy(after=1, backoff=50, longest=50))
    for _ in troll.ticks(1):
        troll.fails(BLIND)
    for _ in troll.ticks(1):
        troll.memory.begin()
        troll.change(Troll.sees)
        troll.fails(MISSED)
        troll.memory.failed(Failure("gave up"))
    assert troll.memory.why_waiting() is not None
    next(troll.ticks(1))
    assert troll.memory.why_waiting() is None


def test_a_success_in_between_clears_it():
    node = Planner(CAVE, slam()).plan(Troll()).tree
    troll = Remembering()
    for _ in troll.ticks(1):
        troll.fails(MISSED)
    troll.memory.step_succeeded(node)
    assert troll.tries(9, failure=MISSED) == [2, 3]
    goal = Remembering()
    goal.attempts(10)
    goal.memory.succeeded()
    assert goal.attempts(9) == [11, 12]


def test_a_plan_clears_attempts_without_any_but_not_those_with_plans_that_failed():
    troll = Remembering()
    troll.attempts(9)
    for _ in troll.ticks(2):
        troll.memory.begin()
        troll.memory.found()
        troll.memory.failed(Failure("gave up"))
    assert [event.failures for event in troll.heard.of(GoalWaits)] == [2, 2]


def test_things_are_avoided_each_for_itself_and_it_is_told_why_and_for_how_long():
    troll = Remembering()
    for tick in troll.ticks(4):
        troll.fails(BLIND if tick < 3 else MISSED)
    assert troll.memory.avoided() == {
        ROAR: "it failed at tick 2 because sees is false; until tick 10, or a change of sees",
        SLAM: "it failed at tick 4 because it missed; until tick 12",
    }
    assert troll.heard.of(TaskAvoided) == [
        TaskAvoided("goal", "roar", 2, "sees is false", 8, ("sees",)),
        TaskAvoided("goal", "slam", 2, "it missed", 8, ()),
    ]
    troll.change(Troll.sees)
    next(troll.ticks(1))
    assert list(troll.memory.avoided()) == [SLAM]


def test_a_goal_that_waits_says_how_often_it_failed_why_how_long_and_for_what():
    troll = Remembering(goal=roar)
    troll.attempts(3)
    assert str(troll.memory.why_waiting()) == (
        "in vain 2 times: there is no plan; waits 7 more ticks, or for a change of sees"
    )
    assert troll.heard.of(GoalWaits) == [
        GoalWaits("goal", 2, "there is no plan", 8, ("sees",), in_seconds=False)
    ]


def test_a_goal_waits_no_longer_than_something_that_it_has_to_avoid():
    for changes, tried in (({}, 21), ({15: [Troll.sees]}, 15)):
        troll = Remembering()
        assert troll.attempts(12) == [1, 2, 10]
        for _ in troll.ticks(1):
            troll.fails(BLIND)
            troll.fails(BLIND)
        assert troll.attempts(12, changes)[0] == tried < 26


def test_it_waits_for_changes_of_what_its_failed_steps_have_read():
    troll = Remembering(RetryPolicy(after=2, backoff=50, longest=50))
    for _ in troll.ticks(2):
        troll.memory.begin()
        troll.fails(BLIND)
        troll.memory.failed(Failure("gave up"))
    assert troll.heard.of(GoalWaits)[0].fluents == ("sees",)
    tried = [tick for tick in troll.ticks(20, {15: [Troll.sees]}) if not troll.memory.why_waiting()]
    assert tried[0] == 15
    assert troll.memory.avoided() == {}


def test_what_failed_long_ago_is_forgotten():
    troll = Remembering()
    next(troll.ticks(1))
    troll.fails()
    assert list(troll.ticks(33))[-1] == 34
    troll.fails()
    assert troll.memory.avoided() == {}
    next(troll.ticks(1))
    troll.fails()
    assert list(troll.memory.avoided()) == [ROAR]


def test_of_very_many_failures_the_oldest_is_forgotten():
    troll = Remembering(RetryPolicy(after=1))
    for number in range(MAX_REMEMBERED + 1):
        troll.fails(AttributedFailure((roar, (number,)), Failure("nobody heard", "roar")))
    assert len(troll.memory.avoided()) == MAX_REMEMBERED
    assert (roar, (0,)) not in troll.memory.avoided()


def test_it_can_be_turned_off():
    assert Remembering(NO_BACKOFF).tries(5) == [1, 2, 3, 4, 5]
    assert Remembering(NO_BACKOFF).attempts(5) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"backoff": seconds(1)}, "BT128"),
        ({"backoff": seconds(-1), "longest": seconds(1)}, "BT202"),
        ({"after": "never"}, "BT126"),
        ({"after": 0}, "BT202"),
        ({"backoff": 0}, "BT202"),
        ({"longest": -1}, "BT202"),
        ({"backoff": seconds("1"), "longest": seconds(1)}, "BT110"),
    ],
)
def test_the_numbers_of_a_policy_are_times_both_in_seconds_or_both_in_ticks_and_a_count(
    wrong, code
):
    with pytest.raises(DomainError, match=code):
        RetryPolicy(**wrong)


def test_who_writes_the_earlier_name_of_the_back_off_is_told_the_present_one():
    with pytest.raises(ArgumentError, match=r"no argument 'rest'\n.*\n.*did you mean 'backoff'\?"):
        RetryPolicy(rest=4)
