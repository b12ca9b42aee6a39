"""Invariants: what holds in every run, each broken once."""

from functools import partial

from py_trees.behaviours import Failure
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel

from bthtn import Domain, Fluent, State, fluent, parallel, priority
from bthtn.behaviours import (
    NO_BACKOFF,
    Agent,
    Character,
    OperatorFailed,
    Operators,
    PlanGoal,
    Replanning,
)
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.events import (
    LeafAborted,
    LeafEnded,
    LeafStarted,
    LeaseReturned,
    LeaseTaken,
    SensorFailed,
)
from bthtn.studio.testing.invariants import MOST_IDLE, MOST_REPEATS
from bthtn.testing import Invariants, Scenario, play


class Dog(State):
    bones: Fluent[int] = fluent(default=0)


PATIENT, HASTY = Replanning(), Replanning(retrying=NO_BACKOFF)


def dog(operator=lambda agent: None, replanning=PATIENT, **task):
    """A character that digs, with this operator and this task."""
    yard = Domain("yard", Dog)
    dig = yard.primitive("dig", **task)
    operators = Operators()
    operators.bind(dig)(operator)
    rex = Agent("Rex", yard, Dog(), body=None, operators=operators)
    return Character(PlanGoal("play", rex, dig(), replanning=replanning), rex)


def fault(make, *, ticks=3, own=None):
    made = Invariants if own is None else lambda one: Invariants(one, own)
    played = play(Scenario("x", make, ticks=ticks, invariants=made))
    return played.fault.partition("\n")[0]


def said(*events):
    """What the invariants say of these events, and at the end."""
    character = dog()
    invariants = Invariants(character)
    for event in events:
        character.agent.emit(event)
    return [*invariants.after_tick(), *invariants.stop()]


START, END = LeafStarted(1, "dig", ""), LeafEnded(1, "dig", succeeded=True)


def test_a_character_without_a_fault_breaks_none():
    assert fault(dog, ticks=20) == ""
    assert said(START, END) == []


def test_every_start_has_one_end():
    assert said(START) == ["dig has not ended"]
    assert said(START, START, END) == ["dig has started twice"]
    assert said(START, END, LeafAborted(1, "dig")) == ["dig has ended twice"]
    assert said(END) == ["dig has ended, and was never started"]
    assert said(START, END, START, END) == ["dig has started twice", "dig has ended twice"]


def test_leases_of_steps_are_returned_and_those_of_the_agent_need_not_be():
    taken = LeaseTaken("fray", "dig", goal="play")
    assert said(taken) == ["dig has not returned 'fray'"]
    assert said(taken, LeaseReturned("fray", "dig", goal="play")) == []
    assert said(LeaseTaken("fray", "Rex")) == []


def test_preconditions_hold_when_steps_start(monkeypatch):
    start = TaskLeaf._start

    def eaten_before_it_starts(leaf):
        leaf._run.agent.believe(Dog.bones, 1)
        return start(leaf)

    monkeypatch.setattr(TaskLeaf, "_start", eaten_before_it_starts)
    hungry = partial(dog, precondition=Dog.bones == 0)
    assert fault(hungry) == ""
    monkeypatch.setattr(TaskLeaf, "_is_refused", lambda leaf: False)
    assert fault(hungry) == "dig has started, but bones == 0 is false: bones = 1, in tick 1"


def test_no_two_running_steps_use_a_resource(monkeypatch):
    yard = Domain("yard", Dog)
    dig, bark = (yard.primitive(one, uses={"mouth"}, duration=3) for one in ("dig", "bark"))

    def make():
        rex = Agent("Rex", yard, Dog(), body=None)
        goals = [PlanGoal("play", rex, dig()), PlanGoal("warn", rex, bark())]
        both = Parallel("both", ParallelPolicy.SuccessOnAll(), goals)
        return Character(both, rex)

    assert fault(make) == ""
    monkeypatch.setattr(TaskLeaf, "_must_wait", lambda leaf: False)
    assert fault(make) == "dig and bark use 'mouth' at the same time, in tick 1"


def test_users_code_raises_nothing_but_what_operators_answer():
    def fails(agent):
        raise OperatorFailed("no bone")

    def raises(agent):
        raise ValueError("no nose")

    assert fault(lambda: dog(fails)) == ""
    assert fault(lambda: dog(raises)).startswith("dig raised: ValueError: no nose")
    sensed = SensorFailed("nose", "no nose", ValueError("no nose"))
    assert said(sensed) == ["users' code raised: ValueError: no nose"]


def test_a_plan_that_is_adopted_for_ever_in_one_state_is_a_livelock():
    def fails(agent):
        raise OperatorFailed("no bone")

    hasty = partial(dog, fails, replanning=HASTY)
    assert fault(hasty, ticks=MOST_REPEATS) == ""
    expected = f"play has adopted dig {MOST_REPEATS + 1} times in one state, without progress"
    assert fault(hasty, ticks=100).startswith(expected)
    assert fault(lambda: dog(replanning=HASTY), ticks=100) == ""


def test_a_tree_that_only_fails_is_idle():
    def make():
        rex = Agent("Rex", Domain("yard", Dog), Dog(), body=None)
        return Character(Failure("nothing to do"), rex)

    assert fault(make, ticks=MOST_IDLE) == ""
    expected = f"nothing in the tree has wanted to run for {MOST_IDLE + 1} ticks"
    assert fault(make, ticks=MOST_IDLE + 1) == f"{expected}, in tick {MOST_IDLE + 1}"


def test_authors_add_their_own():
    def never_two(character):
        if character.ticks == 2:
            yield "it is tick 2"

    assert fault(dog, own=never_two) == "it is tick 2, in tick 2"


def test_statuses_of_a_plan_go_together():
    """Statuses are set by hand, for the engine sets none that do not."""
    yard = Domain("yard", Dog)
    dig, bark, nap = (yard.primitive(one, duration=2) for one in ("dig", "bark", "nap"))
    rex = Agent("Rex", yard, Dog(), body=None)
    goal = PlanGoal("play", rex, (parallel(dig(), bark()), nap()))
    character = Character(goal, rex)
    invariants = Invariants(character)
    character.tick()
    assert invariants.after_tick() == []
    steps = {node.name: node for node in goal.iterate()}
    both = steps["dig"].parent
    sequence = both.parent
    both.status, steps["dig"].status = Status.SUCCESS, Status.SUCCESS
    assert invariants.after_tick() == [
        f"{both.name} is over, and something below it runs",
        f"{both.name} has succeeded without all of its branches",
    ]
    both.status, sequence.status = Status.FAILURE, Status.SUCCESS
    assert invariants.after_tick() == [
        f"{sequence.name} has succeeded, and a step of it has failed"
    ]


def test_two_alternatives_of_a_priority_do_not_run_at_once():
    """Their statuses are set by hand, for the engine sets none that do not go together."""
    yard = Domain("yard", Dog)
    dig, bark = (yard.primitive(one, duration=2) for one in ("dig", "bark"))
    rex = Agent("Rex", yard, Dog(), body=None)
    goal = PlanGoal("play", rex, priority(dig(), bark()))
    character = Character(goal, rex)
    invariants = Invariants(character)
    character.tick()
    assert invariants.after_tick() == []
    later = next(node for node in goal.iterate() if node.name == "bark")
    later.status = Status.RUNNING
    assert invariants.after_tick() == [f"{later.parent.name} runs two of its alternatives"]
