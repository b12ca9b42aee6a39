"""Sensors: whose fluents, when they are read, and what happens when they fail."""

import threading
from functools import partial

import pytest

from bthtn import UNKNOWN, Domain, Fluent, FluentFamily, State, fluent, fluents
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.events import BeliefChanged, SensorFailed
from bthtn.engine.agent.sensors import Sensors
from bthtn.errors import ExecutionError, StateError
from bthtn.studio.testing.doubles import RecordingListener


class Guard(State):
    health: Fluent[int] = fluent(default=100)
    alarm: Fluent[bool] = fluent(default=False)
    foe: Fluent[str | None] = fluent(default=None, type=str)
    door: FluentFamily[str, bool] = fluents(default=False)


def guard(sensors, body=None, name="guard"):
    domain = Domain("yard", Guard)
    domain.primitive("wait")
    return Agent(name, domain, Guard(), body=body, sensors=sensors, listener=RecordingListener())


def counting(sensors, log, **options):
    """A sensor that writes down every reading."""

    @sensors.sensor(Guard.health, **options)
    def pulse(agent):
        log.append(agent.name)

    return pulse


def ticks_read(agent, log, count):
    """In which ticks the sensor was read."""
    read = []
    for tick in range(count):
        before = len(log)
        agent.sense()
        read += [tick] * (len(log) - before)
    return read


# what a sensor is


def test_what_a_sensor_says_is_believed_with_its_name_as_the_source():
    sensors = Sensors()

    @sensors.sensor(Guard.health, Guard.alarm)
    def skin(agent):
        return {Guard.health: agent.body, Guard.alarm: True}

    agent = guard(sensors, body=40)
    agent.sense()
    assert (agent.beliefs.now.health, agent.beliefs.now.alarm) == (40, True)
    changes = [event.change for event in agent.listener.of(BeliefChanged)]
    assert [(str(one.fluent), one.source) for one in changes] == [
        ("health", "skin"),
        ("alarm", "skin"),
    ]


def test_a_sensor_of_one_fluent_may_return_the_bare_value_and_none_means_nothing_new():
    sensors = Sensors()
    values = iter([30, None, 20])

    @sensors.sensor(Guard.health)
    def skin(agent):
        return next(values)

    agent = guard(sensors)
    seen = []
    for _ in range(3):
        agent.sense()
        seen.append(agent.beliefs.now.health)
    assert seen == [30, 30, 20]


def test_none_is_a_value_where_the_fluent_may_be_none():
    sensors = Sensors()
    values = iter(["wolf", None])

    @sensors.sensor(Guard.foe)
    def eyes(agent):
        return next(values)

    agent = guard(sensors)
    agent.sense()
    assert agent.beliefs.now.foe == "wolf"
    agent.sense()
    assert agent.beliefs.now.foe is None


def test_a_sensor_may_own_and_read_fluents_by_name():
    sensors = Sensors()

    @sensors.sensor("health", "door")
    def eyes(agent):
        return {"health": 3, "door[north]": True}

    agent = guard(sensors)
    agent.sense()
    assert agent.beliefs.now.health == 3
    assert agent.beliefs.now.door["north"]
    with pytest.raises(ExecutionError, match="'health' has a sensor already"):
        sensors.sensor(Guard.health)


def test_a_name_that_no_fluent_has_is_reported_by_the_agent():
    sensors = Sensors()
    sensors.sensor("helth", name="eyes")(lambda agent: 3)
    with pytest.raises(StateError, match="no fluent 'helth'") as caught:
        guard(sensors)
    assert "sensor 'eyes'" in str(caught.value)
    assert "did you mean 'health'" in str(caught.value)


def test_a_generator_goes_on_at_each_reading_and_begins_anew_at_its_end():
    sensors = Sensors()

    @sensors.sensor(Guard.health)
    def skin(agent):
        yield 1
        yield 2

    agent = guard(sensors)
    seen = []
    for _ in range(5):
        agent.sense()
        seen.append(agent.beliefs.now.health)
    assert seen == [1, 2, 1, 2, 1]


def test_a_class_is_made_into_one_object_for_each_agent():
    sensors = Sensors()

    @sensors.sensor(Guard.health)
    class Skin:
        def __init__(self, agent):
            self.readings = 0

        def sense(self):
            self.readings += 1
            return self.readings

    one, other = guard(sensors), guard(sensors)
    one.sense()
    one.sense()
    other.sense()
    assert (one.beliefs.now.health, other.beliefs.now.health) == (2, 1)


def test_a_family_can_be_owned_and_its_members_be_written():
    sensors = Sensors()

    @sensors.sensor(Guard.door)
    def eyes(agent):
        return {Guard.door["north"]: True}

    agent = guard(sensors)
    agent.sense()
    assert agent.beliefs.get(Guard.door["north"]) is True


# whose fluents


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Guard.health, Guard.health),
        (Guard.door, Guard.door),
        (Guard.door, Guard.door["north"]),
        (Guard.door["north"], Guard.door),
    ],
)
def test_two_sensors_cannot_own_one_fluent(first, second):  # R001-03
    sensors = Sensors()
    sensors.sensor(first, name="eyes")(lambda agent: None)
    with pytest.raises(ExecutionError, match=r"\[BT308\] '.*' has a sensor already: 'eyes'"):
        sensors.sensor(second)


def test_members_of_a_family_may_have_different_sensors():
    sensors = Sensors()
    sensors.sensor(Guard.door["north"])(lambda agent: None)
    sensors.sensor(Guard.door["south"])(lambda agent: None)


@pytest.mark.parametrize(
    ("owned", "options", "code"),
    [
        ((), {}, "BT308"),
        ((Guard.health > 3,), {}, "BT110"),
        ((Guard.health,), {"every": 0}, "BT202"),
        ((Guard.health,), {"on_failure": "panic"}, "BT110"),
    ],
)
def test_a_sensor_that_cannot_be_is_refused_when_it_is_written(owned, options, code):
    with pytest.raises(ExecutionError) as refused:
        Sensors().sensor(*owned, **options)
    assert refused.value.code == code


@pytest.mark.parametrize("reading", [{Guard.alarm: True, Guard.health: 1}, {"health": 1}, 7])
def test_what_a_sensor_does_not_own_makes_the_whole_reading_fail(reading):
    sensors = Sensors()

    @sensors.sensor(Guard.alarm, Guard.foe)
    def eyes(agent):
        return reading

    agent = guard(sensors)
    agent.sense()
    (failed,) = agent.listener.of(SensorFailed)
    assert (failed.sensor, failed.error.code) == ("eyes", "BT309")
    assert agent.beliefs.version == 0


def test_a_value_of_a_wrong_type_makes_the_whole_reading_fail():
    sensors = Sensors()

    @sensors.sensor(Guard.alarm, Guard.health)
    def eyes(agent):
        return {Guard.alarm: True, Guard.health: "ill"}

    agent = guard(sensors)
    agent.sense()
    assert [one.error.code for one in agent.listener.of(SensorFailed)] == ["BT106"]
    assert agent.beliefs.version == 0


# when they are read


def test_a_sensor_is_read_in_the_first_tick_and_then_at_its_interval():
    sensors, log = Sensors(), []
    counting(sensors, log, every=3)
    first, second, *later = ticks_read(guard(sensors), log, 11)
    assert first == 0
    assert later == [second + 3, second + 6, second + 9][: len(later)]


def test_sensors_of_one_interval_take_turns():  # R001-03
    sensors, logs = Sensors(), [[], [], []]
    for log, owned in zip(logs, (Guard.health, Guard.alarm, Guard.foe), strict=True):
        sensors.sensor(owned, every=3)(lambda agent, log=log: log.append("read"))
    agent = guard(sensors)
    agent.sense()
    assert [len(log) for log in logs] == [1, 1, 1]
    for tick in range(1, 10):
        before = sum(map(len, logs))
        agent.sense()
        assert sum(map(len, logs)) == before + 1, tick


def test_agents_that_share_sensors_are_spread_over_the_ticks_by_their_names():
    sensors, log = Sensors(), []
    counting(sensors, log, every=4)
    crowd = [guard(sensors, name=f"g{number}") for number in range(100)]
    per_tick = []
    for _ in range(12):
        log.clear()
        for agent in crowd:
            agent.sense()
        per_tick.append(len(log))
    assert per_tick[0] == 100
    assert all(15 <= count <= 35 for count in per_tick[1:])
    assert sum(per_tick[1:5]) == 100


def test_an_agent_is_read_in_the_same_ticks_however_many_were_made_before():
    sensors, log = Sensors(), []
    counting(sensors, log, every=7)
    alone = ticks_read(guard(sensors), log, 30)
    for number in range(3):
        guard(sensors, name=f"other {number}")
    assert ticks_read(guard(sensors), log, 30) == alone


def test_a_triggered_sensor_is_read_in_the_next_tick_whatever_its_interval():
    sensors, log = Sensors(), []
    pulse = counting(sensors, log, every=None)
    agent = guard(sensors)
    assert ticks_read(agent, log, 3) == [0]
    agent.trigger(pulse)
    agent.trigger(pulse)
    assert ticks_read(agent, log, 3) == [0]


def test_a_sensor_can_be_triggered_from_another_thread():
    sensors, log = Sensors(), []
    pulse = counting(sensors, log, every=None)
    agent = guard(sensors)
    agent.sense()
    thread = threading.Thread(target=agent.trigger, args=(pulse,))
    thread.start()
    thread.join()
    assert ticks_read(agent, log, 2) == [0]


def test_a_sensor_of_others_cannot_be_triggered():
    stranger = counting(Sensors(), [])
    with pytest.raises(ExecutionError, match="BT308"):
        guard(Sensors()).trigger(stranger)


async def later(agent): ...


async def again_and_again(agent):
    yield 1


class Asynchronous:
    def __init__(self, agent): ...
    async def sense(self): ...


@pytest.mark.parametrize("code", [later, again_and_again, Asynchronous, partial(later)])
def test_a_sensor_that_somebody_would_have_to_await_is_refused(code):
    with pytest.raises(ExecutionError, match=r"BT308.*which is never awaited"):
        Sensors().sensor("health")(code)


class WithoutAgent:
    def sense(self): ...


class WithoutSense:
    def __init__(self, agent): ...


class Stepwise:
    def __init__(self, agent): ...
    def sense(self):
        yield 1


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (3, "'int' is 3, which cannot be called"),
        (WithoutAgent(), "lambda agent: camera.sense()"),
        (WithoutAgent, r"is called with \(agent\): too many positional arguments"),
        (WithoutSense, "a class without a method 'sense'"),
        (Stepwise, "a generator function, which is never run through"),
        (lambda: 1, r"is called with \(agent\): too many positional arguments"),
        (lambda agent, more: 1, "missing a required argument: 'more'"),
    ],
)
def test_what_no_agent_could_read_is_refused_when_it_is_registered(code, said):
    sensors = Sensors()
    with pytest.raises(ExecutionError, match=rf"(?s)BT308.*{said}"):
        sensors.sensor("health")(code)
    assert not list(sensors)


# when they fail


@pytest.mark.parametrize(("on_failure", "health"), [("keep", 40), ("unknown", UNKNOWN)])
def test_a_sensor_that_raises_is_contained_and_read_again(on_failure, health):
    sensors = Sensors()
    script = iter([40, ValueError("lens is dirty"), 30])

    @sensors.sensor(Guard.health, on_failure=on_failure)
    def skin(agent):
        answer = next(script)
        if isinstance(answer, ValueError):
            raise answer
        return answer

    @sensors.sensor(Guard.alarm)
    def ears(agent):
        return True

    agent = guard(sensors)
    agent.sense()
    agent.sense()
    assert agent.beliefs.get(Guard.health) == health
    assert agent.beliefs.now.alarm
    [failed] = agent.listener.of(SensorFailed)
    assert failed.sensor == "skin"
    assert failed.reason.startswith("ValueError: lens is dirty (test_sensors.py:")
    agent.sense()
    assert agent.beliefs.now.health == 30


def test_members_of_a_family_that_a_failing_sensor_wrote_become_unknown():
    sensors = Sensors()

    @sensors.sensor(Guard.door, on_failure="unknown")
    def eyes(agent):
        yield {Guard.door["north"]: True, Guard.door["south"]: False}
        raise OSError

    agent = guard(sensors)
    agent.sense()
    agent.sense()
    assert agent.beliefs.get(Guard.door["north"]) is UNKNOWN
    assert agent.beliefs.get(Guard.door["south"]) is UNKNOWN
    assert agent.beliefs.get(Guard.door["east"]) is False


def test_a_generator_that_raised_begins_anew():
    sensors = Sensors()

    @sensors.sensor(Guard.health)
    def skin(agent):
        yield 1
        raise OSError

    agent = guard(sensors)
    seen = []
    for _ in range(3):
        agent.sense()
        seen.append(len(agent.listener.of(SensorFailed)))
    assert seen == [0, 1, 1]
    assert agent.beliefs.now.health == 1


def test_an_object_that_raised_is_made_anew():
    sensors, made = Sensors(), []

    @sensors.sensor(Guard.health)
    class Skin:
        def __init__(self, agent):
            made.append(self)

        def sense(self):
            if len(made) == 1:
                raise OSError
            return 7

    agent = guard(sensors)
    for _ in range(3):
        agent.sense()
    assert agent.beliefs.now.health == 7
    assert len(made) == 2


def test_an_agent_without_sensors_senses_nothing():
    agent = guard(None)
    agent.sense()
    assert agent.beliefs.version == 0
