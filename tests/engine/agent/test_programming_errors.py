"""What users' code raises: logged once for each kind, counted, and raised by strict agents."""

import logging

import pytest
from py_trees.common import Status

from bthtn import UNKNOWN, Domain, Fluent, State, defer, fluent, method, primitive
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    OperatorFailed,
    Operators,
    PlanGoal,
    StateMachineGoals,
    UtilityGoals,
)
from bthtn.engine.agent.events import CodeFailed, GoalEnded, TaskAvoided
from bthtn.engine.agent.sensors import Sensors
from bthtn.errors import ExecutionError, PlanningError
from bthtn.studio.testing.doubles import RecordingListener, ticks


class Guard(State):
    health: Fluent[int] = fluent(default=100)
    alarm: Fluent[bool] = fluent(default=False)


yard = Domain("yard", Guard)
watch = yard.primitive("watch")
bark = yard.primitive("bark", precondition=Guard.alarm)


def guard(operator=None, *, task=watch, sensors=None, listener=None, strict=False, domain=yard):
    operators = Operators(simulates_others=True)
    if operator is not None:
        operators.bind(task)(operator)
    return Agent(
        "Rex",
        domain,
        Guard(),
        body=None,
        operators=operators,
        sensors=sensors,
        listener=listener,
        strict=strict,
    )


def broken(*_):
    return {}["bone"]


def told(caplog):
    return [record for record in caplog.records if record.name == "bthtn"]


def blind():
    sensors = Sensors()
    sensors.sensor(Guard.health, name="eyes")(broken)
    return sensors


# nothing fails in silence


def test_a_sensor_that_raises_in_every_tick_is_logged_once_and_counted(caplog):
    agent = guard(sensors=blind())
    for _ in range(50):
        agent.sense()
    [record] = told(caplog)
    assert record.levelno == logging.ERROR
    assert "sensor 'eyes' of agent 'Rex' raised KeyError: 'bone'" in record.getMessage()
    assert "Traceback" in caplog.text
    assert 'return {}["bone"]' in caplog.text
    assert list(agent.errors.values()) == [50]
    [kind] = agent.errors
    assert kind.startswith("sensor 'eyes': KeyError (test_programming_errors.py:")


def test_each_kind_of_error_is_logged_by_itself(caplog):
    errors = [KeyError("bone"), ValueError("cat"), KeyError("bone")]

    def operator(agent):
        raise errors.pop()

    agent = guard(operator)
    ticks(PlanGoal("watch", agent, watch(), max_replans=0), 3)
    assert len(told(caplog)) == 2
    assert sorted(agent.errors.values()) == [1, 2]


def test_errors_of_one_task_are_one_kind_whatever_its_arguments(caplog):
    domain = Domain("calls", Guard)

    @domain.primitive
    def call(name: str):
        return primitive()

    agent = guard(broken, task=call, domain=domain)
    for name in "abc":
        ticks(PlanGoal(name, agent, call(name), max_replans=0), 1)
    assert len(told(caplog)) == 1
    assert list(agent.errors.values()) == [3]


def guarding(agent):
    return Believes("guard", agent, broken)


def valued(agent):
    return UtilityGoals("choice", agent, [(watch(), broken)])


def in_state(agent):
    return StateMachineGoals("states", agent, broken, {True: watch()})


@pytest.mark.parametrize("tree", [guarding, valued, in_state])
def test_code_that_chooses_a_branch_is_told_by_an_event_and_in_the_log(tree, caplog):
    agent = guard(listener=(heard := RecordingListener()))
    root = tree(agent)
    assert ticks(root, 4) == "FFFF"
    assert "KeyError: 'bone'" in root.feedback_message
    assert len(heard.of(CodeFailed)) == 4
    assert len(told(caplog)) == 1
    assert list(agent.errors.values()) == [4]


def test_a_listener_that_raises_does_not_blind_its_character(caplog):
    def listener(event):
        raise KeyError("bone")

    agent = guard(listener=listener)
    character = Character(PlanGoal("watch", agent, watch()), agent)
    assert [type(event).__name__ for event in character.tick()][-1] == "GoalEnded"
    assert [type(event).__name__ for event in character.tick()][-1] == "GoalEnded"
    assert len(told(caplog)) == 1


def test_a_wrong_answer_of_an_operator_is_a_programming_error(caplog):
    class Code:
        def start(self):
            pass

        def tick(self):
            return "done"

        def abort(self):
            pass

    agent = guard(lambda agent: Code(), listener=(heard := RecordingListener()))
    assert ticks(PlanGoal("watch", agent, watch(), max_replans=0), 1) == "F"
    assert "BT304" in told(caplog)[0].getMessage()
    assert heard.of(TaskAvoided) == []


def test_what_an_operator_says_about_the_world_is_no_error(caplog):
    def operator(agent):
        raise OperatorFailed("the door is locked")

    agent = guard(operator, strict=True)
    ticks(PlanGoal("watch", agent, watch()), 9)
    assert told(caplog) == []
    assert not agent.errors


def test_a_task_without_an_operator_fails_and_is_told(caplog):
    agent = guard()
    agent.operators = Operators()
    agent.operators.bind(bark)(lambda agent: None)
    assert ticks(PlanGoal("watch", agent, watch(), max_replans=0), 1) == "F"
    assert "[BT311] 'watch' has no operator" in told(caplog)[0].getMessage()


# strict


def test_a_strict_agent_raises_the_first_error_of_each_kind_at_the_end_of_the_tick():
    agent = guard(sensors=blind(), strict=True)
    with pytest.raises(KeyError, match="bone"):
        agent.sense()
    agent.sense()


def test_a_strict_agent_raises_what_an_operator_raised_when_everything_is_in_order():
    agent = guard(broken, strict=True, listener=(heard := RecordingListener()))
    goal = PlanGoal("watch", agent, watch(), max_replans=0)
    with pytest.raises(KeyError, match="bone"):
        goal.tick_once()
    assert goal.status is Status.FAILURE
    assert heard.faults() == []


@pytest.mark.parametrize("tree", [guarding, valued, in_state])
def test_a_strict_agent_raises_what_chooses_a_branch(tree):
    root = tree(guard(strict=True))
    with pytest.raises(PlanningError, match="raised KeyError: 'bone'"):
        root.tick_once()


# a mistake is no answer of the world


def two_ways(operator):
    domain = Domain("ways", Guard)
    one, two = domain.primitive("one"), domain.primitive("two")

    @domain.compound
    def go():
        yield method(one())
        yield method(two())

    heard = RecordingListener()
    agent = guard(operator, task=one, domain=domain, listener=heard)
    return PlanGoal("go", agent, go()), heard


def test_a_step_that_the_world_refuses_is_avoided_and_one_with_a_mistake_is_not():
    def refused(agent):
        raise OperatorFailed("the way is blocked")

    goal, heard = two_ways(refused)
    assert "S" in ticks(goal, 8)
    assert [one.task for one in heard.of(TaskAvoided)] == ["one"]
    goal, heard = two_ways(broken)
    assert "S" not in ticks(goal, 20)
    assert heard.of(TaskAvoided) == []
    reason = heard.of(GoalEnded)[-1].reason
    assert "KeyError: 'bone' (test_programming_errors.py:" in reason


# failure says why


def test_a_goal_without_a_plan_names_the_first_false_condition():
    agent = guard(listener=(heard := RecordingListener()))
    goal = PlanGoal("bark", agent, (watch(), bark()))
    assert ticks(goal, 1) == "F"
    why = "there is no plan: bark: alarm is false: alarm = false"
    assert goal.feedback_message == heard.of(GoalEnded)[0].reason == why
    assert goal.explain() == f"bark: {why}\nbark: alarm is false: alarm = false\nthere is no plan"
    agent.believe(Guard.alarm, True)
    assert goal.explain().endswith("there is a plan: watch, bark")


def test_a_goal_without_a_plan_names_what_is_avoided_since_when_and_why():
    def refused(agent):
        raise OperatorFailed("the door is locked")

    agent = guard(refused)
    goal = PlanGoal("watch", agent, watch())
    assert ticks(goal, 4) == "RRRF"
    why = "there is no plan: watch: avoided: it failed at tick 3 because the door is locked"
    assert goal.feedback_message.startswith(f"{why}; until tick ")
    assert "avoided: it failed at tick 3 because the door is locked" in goal.explain()


def test_a_part_without_a_plan_says_why_too():
    agent = guard(listener=(heard := RecordingListener()))
    assert ticks(PlanGoal("bark", agent, defer(bark()), max_replans=0), 1) == "F"
    assert "there is no plan: bark: alarm is false" in heard.of(GoalEnded)[0].reason


def test_an_agent_that_is_refused_names_every_task_without_an_operator():
    operators = Operators()
    operators.bind(watch)(broken)
    with pytest.raises(ExecutionError, match="'bark' has no operator"):
        Agent("Rex", yard, Guard(), body=None, operators=operators)


def test_an_explanation_says_what_is_not_known_yet():
    class Robot(State):
        pose: Fluent[int] = fluent(default=UNKNOWN)

    hall = Domain("hall", Robot)
    walk, grasp = hall.primitive("walk"), hall.primitive("grasp", precondition=Robot.pose > 0)
    agent = Agent("rob", hall, Robot(), body=None)
    goal = PlanGoal("fetch", agent, (walk(), grasp(), walk()))
    assert goal.explain().endswith("there is a plan: walk, suspended (unknown pose)")
    assert PlanGoal("take", agent, grasp()).explain().endswith(": suspended (unknown pose)")
