"""Profile: where the time of a run goes, by a clock that only the code of these tests moves."""

from contextlib import suppress
from threading import Thread

import pytest
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from bthtn import Domain, Fluent, State, fluent, method
from bthtn.behaviours import Agent, Character, OperatorFailed, Operators, PlanGoal, Sensors
from bthtn.engine.behaviours.plan_behaviour import LeanBehaviour
from bthtn.errors import ExecutionError
from bthtn.studio.profile import Profile, Row
from bthtn.studio.profile.seams import seams


class Time:
    """A clock, which stands still unless somebody works."""

    def __init__(self):
        self.now = 1_000

    def __call__(self):
        return self.now

    def work(self, nanoseconds):
        self.now += nanoseconds
        return True


class Working(Behaviour):
    """A node that works so long in each tick, and then does ``what``."""

    def __init__(self, name, time, long, what=lambda: Status.SUCCESS):
        super().__init__(name)
        self.work = lambda: time.work(long)
        self.what = what

    def update(self):
        self.work()
        return self.what()


class Dog(State):
    bones: Fluent[int] = fluent(default=0)
    cat: Fluent[bool] = fluent(default=False)


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def profile(time):
    return Profile(clock=time)


def rows(profile):
    """Calls, total, own and longest time of each kind and name."""
    return {(row.kind, row.name): row[2:] for row in profile.rows}


def dog(time, dig=lambda: None):
    """A dog whose world, sensor, condition, effect, method, cost and operator take time."""
    yard = Domain("yard", Dog)
    digs = yard.primitive(
        "dig",
        precondition=is_safe(time),
        effects=[lambda state: time.work(3) and setattr(state, "bones", 1)],
        cost=lambda state: time.work(5) and 2,
    )

    @yard.compound
    def play():
        yield method(lambda state: time.work(7) and digs())

    sensors, operators = Sensors(), Operators()

    @sensors.sensor(Dog.cat)
    def eyes(agent):
        time.work(11)
        return False

    @operators.bind(digs)
    def digging(agent):
        time.work(13)
        yield
        time.work(17)
        dig()

    agent = Agent("Rex", yard, Dog(), body=None, sensors=sensors, operators=operators)
    goal = PlanGoal("play", agent, play())
    return Character(Sequence("root", memory=True, children=[goal]), agent, sense=world(time))


def is_safe(time):
    return lambda state: time.work(2) and not state.cat


def world(time):
    return lambda: time.work(19)


# what is measured


def test_time_counts_for_what_was_at_work(time, profile):
    character = dog(time)
    with profile:
        character.tick()
        character.tick()
    found = rows(profile)
    assert found["character", "Rex"] == (2, time.now - 1_000, 2 * 19, found["character", "Rex"][3])
    assert found["sensor", "eyes"] == (2, 22, 22, 11)
    assert found["operator", "dig"] == (3, 30, 30, 17)  # its start, and each of its ticks
    for kind, each in (("condition", 2), ("effect", 3), ("value", 5), ("method", 7)):
        ((calls, total, own, longest),) = (row for (of, _), row in found.items() if of == kind)
        assert calls > 0
        assert (total, own, longest) == (each * calls, each * calls, each)
    assert found["search", "play"][1] > found["search", "play"][2] == 0
    assert found["goal", "play"][0] == found["node", "root"][0] == 2
    assert sum(row.own for row in profile.rows) == time.now - 1_000


def test_own_time_is_without_what_was_at_work_inside(time, profile):
    leaf = Working("leaf", time, 5)

    class Slow(Sequence):
        def tick(self):
            time.work(3)
            yield from super().tick()
            time.work(2)

    root = Slow("slow", memory=True, children=[leaf])
    with profile:
        root.tick_once()
        time.work(100)  # nobody's
    assert rows(profile) == {("node", "leaf"): (1, 5, 5, 5), ("node", "slow"): (1, 10, 5, 10)}


def test_a_tick_is_one_call_in_however_many_steps_its_nodes_are_yielded(time, profile):
    leaves = [Working(name, time, 4) for name in "abc"]
    root = Sequence("root", memory=True, children=leaves)
    with profile:
        for _ in root.tick():
            time.work(50)  # a visitor's
    assert rows(profile)["node", "root"] == (1, 12, 0, 12)


def test_the_longest_call_is_told(time, profile):
    lengths = iter([3, 9, 4])
    node = Working("node", time, 0, lambda: time.work(next(lengths)) and Status.SUCCESS)
    with profile:
        for _ in range(3):
            node.tick_once()
    assert rows(profile) == {("node", "node"): (3, 16, 16, 9)}


def test_something_inside_of_its_like_is_in_the_total_once(time, profile):
    leaf = Working("same", time, 5)
    with profile:
        Sequence("same", memory=True, children=[leaf]).tick_once()
    assert rows(profile) == {("node", "same"): (2, 5, 5, 5)}


def test_rows_are_sorted_by_their_own_time_then_by_name(time, profile):
    children = [Working("a", time, 2), Working("c", time, 7), Working("b", time, 2)]
    with profile:
        Sequence("root", memory=True, children=children).tick_once()
    assert [row.name for row in profile.rows] == ["c", "a", "b", "root"]


def test_a_profile_that_is_entered_again_goes_on(time, profile):
    node = Working("node", time, 5)
    for _ in range(2):
        with profile:
            node.tick_once()
        time.work(100)
        node.tick_once()
    assert profile.rows == (Row("node", "node", 2, 10, 10, 5),)


def test_the_table_has_a_column_for_each_number(time, profile):
    with profile:
        Working("node", time, 2_500_000).tick_once()
        Working("x", time, 50).tick_once()
    assert str(profile).splitlines() == [
        "kind  name  calls  total ms  own ms  mean µs  max µs",
        "node  node      1      2.50    2.50   2500.0  2500.0",
        "node  x         1      0.00    0.00      0.1     0.1",
    ]


def test_a_profile_of_nothing_is_a_heading(profile):
    assert profile.rows == ()
    assert str(profile) == "kind  name  calls  total ms  own ms  mean µs  max µs"


# the file of speedscope


def test_a_flame_graph_has_each_stack_with_its_own_time(time, profile):
    inner = Sequence("inner", memory=True, children=[Working("a", time, 5)])
    root = Selector("root", memory=False, children=[inner])
    with profile:
        root.tick_once()
        Working("b", time, 2).tick_once()
    written = profile.speedscope("dog")
    names = [frame["name"] for frame in written["shared"]["frames"]]
    (sampled,) = written["profiles"]
    stacks = [[names[number] for number in sample] for sample in sampled["samples"]]
    assert stacks == [["node root", "node inner", "node a"], ["node b"]]
    assert sampled["weights"] == [5, 2]


def test_the_file_keeps_the_rules_of_speedscopes_format(time, profile):
    character = dog(time)
    with profile:
        character.tick()
    written = profile.speedscope()
    assert written["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert set(written) == {"$schema", "name", "exporter", "shared", "profiles"}
    frames = written["shared"]["frames"]
    assert all(set(frame) == {"name"} for frame in frames)
    (sampled,) = written["profiles"]
    assert set(sampled) == {
        *("type", "name", "unit", "startValue", "endValue", "samples", "weights"),
    }
    assert (sampled["type"], sampled["unit"]) == ("sampled", "nanoseconds")
    assert len(sampled["samples"]) == len(sampled["weights"]) > 5
    assert {number for sample in sampled["samples"] for number in sample} == {*range(len(frames))}
    assert all(sampled["samples"])
    passed = sampled["endValue"] - sampled["startValue"]
    assert passed == sum(sampled["weights"]) == time.now - 1_000


# what is left as it was


def test_every_method_is_back_afterwards(profile):
    before = {(seam.owner, seam.method): vars(seam.owner)[seam.method] for seam in seams()}
    with suppress(KeyError), profile:
        during = {(seam.owner, seam.method): vars(seam.owner)[seam.method] for seam in seams()}
        raise KeyError
    after = {(seam.owner, seam.method): vars(seam.owner)[seam.method] for seam in seams()}
    assert all(during[place] is not before[place] for place in before)
    assert all(after[place] is before[place] for place in before)


def test_a_character_does_the_same_while_it_is_measured(time, profile):
    def told(character):
        return [[repr(event) for event in character.tick()] for _ in range(3)]

    plain = told(dog(time))
    with profile:
        assert told(dog(time)) == plain


def test_an_exception_is_that_of_the_users_code(time, profile):
    def tired():
        raise ValueError("tired")

    with profile:
        with pytest.raises(ValueError, match="tired") as raised:
            Sequence("root", True, children=[Working("node", time, 5, tired)]).tick_once()
        Working("next", time, 3).tick_once()
    assert raised.traceback[-1].name == "tired"
    assert rows(profile)["node", "next"] == (1, 3, 3, 3)
    assert [len(stack) for stack in profile.speedscope()["profiles"][0]["samples"]] == [2, 1]


@pytest.mark.parametrize("error", [OperatorFailed("no bone"), ValueError("no bone")])
def test_a_failure_is_told_as_without_a_profile(time, profile, error):
    def dig():
        raise error

    def reasons(character):
        events = [event for _ in range(2) for event in character.tick()]
        return [event.reason for event in events if getattr(event, "reason", "")]

    plain = reasons(dog(time, dig))
    with profile:
        assert reasons(dog(time, dig)) == plain != []


def test_the_time_of_other_threads_does_not_count(time, profile):
    node = Working("node", time, 5)
    other = Thread(target=node.tick_once)
    with profile:
        other.start()
        other.join()
    assert node.status is Status.SUCCESS
    assert profile.rows == ()


def test_a_second_profile_is_refused_and_the_first_one_goes_on(time, profile):
    with profile:
        with pytest.raises(ExecutionError, match=r"\[BT321\] a profile is being measured"):
            Profile().__enter__()
        Working("node", time, 5).tick_once()
    assert rows(profile) == {("node", "node"): (1, 5, 5, 5)}
    with Profile():
        pass


def test_a_name_that_raises_ends_nothing(time, profile):
    class Nobody:
        def __str__(self):
            raise RuntimeError("who am I?")

    node = Working("node", time, 5)
    node.name = Nobody()
    with profile:
        node.tick_once()
    assert rows(profile) == {("node", "Working"): (1, 5, 5, 5)}


# ticks that do not go straight through


def test_a_tick_that_is_given_up_is_left(time, profile):
    root = Sequence("root", memory=True, children=[Working("a", time, 5), Working("b", time, 6)])
    with profile:
        steps = root.tick()
        next(steps)
        steps.close()
        Working("c", time, 3).tick_once()
    assert rows(profile) == {
        ("node", "a"): (1, 5, 5, 5),
        ("node", "c"): (1, 3, 3, 3),
        ("node", "root"): (1, 5, 0, 5),
    }


def test_a_tick_inside_of_a_tick_counts_for_both(time, profile):
    other = Working("other", time, 5)
    node = Working("node", time, 2, lambda: other.tick_once() or other.status)
    with profile:
        node.tick_once()
    assert rows(profile) == {("node", "node"): (1, 7, 2, 7), ("node", "other"): (1, 5, 5, 5)}


def test_a_profile_may_begin_and_end_in_the_middle_of_a_tick(time, profile):
    begin = Working("begin", time, 5, lambda: profile.__enter__() and Status.SUCCESS)
    middle = Working("middle", time, 7)
    end = Working(
        "end", time, 11, lambda: profile.__exit__() or (time.work(100) and Status.SUCCESS)
    )
    last = Working("last", time, 13)
    root = Sequence("root", memory=True, children=[begin, middle, end, last])
    root.tick_once()
    assert rows(profile) == {("node", "middle"): (1, 7, 7, 7), ("node", "end"): (1, 11, 11, 11)}


def test_the_ticks_of_all_classes_of_nodes_are_timed_once():
    owners = [seam.owner for seam in seams() if seam.method == "tick"]
    assert {Behaviour, Sequence, PlanGoal, LeanBehaviour} <= set(owners)
    assert len(owners) == len(set(owners))


def test_a_profile_that_is_left_and_entered_in_the_middle_of_a_call_goes_on_with_it(time, profile):
    def pause():
        profile.__exit__()
        time.work(100)
        profile.__enter__()
        time.work(3)
        return Status.SUCCESS

    with profile:
        Working("node", time, 5, pause).tick_once()
    assert rows(profile) == {("node", "node"): (1, 8, 8, 8)}
