"""Agent: beliefs with their sources, a domain, operators, and who is told."""

from functools import partial

import pytest

from bthtn import UNKNOWN, Domain, Fluent, State, fluent
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import ManualClock
from bthtn.engine.agent.events import (
    ActionsDrawn,
    BeliefChanged,
    CodeFailed,
    PlanAborted,
    SensorFailed,
)
from bthtn.engine.agent.hearing import hear_too
from bthtn.engine.agent.operators import Operators
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.agent.sensors import Sensors
from bthtn.engine.agent.telling import told_again
from bthtn.engine.world.diff import Change
from bthtn.errors import DomainError, ExecutionError, StateError
from bthtn.studio.testing.doubles import RecordingListener
from bthtn.studio.testing.strategies import World


@pytest.fixture
def domain():
    made = Domain("house", World)
    made.primitive("open_door")
    return made


@pytest.fixture
def heard():
    return RecordingListener()


@pytest.fixture
def agent(domain, heard):
    return Agent("keeper", domain, World(count=2), body="hands", listener=heard)


def test_an_agent_believes_what_it_was_given(agent):  # R004-01
    assert agent.beliefs.now == World(count=2)
    assert agent.beliefs.now.lit
    assert agent.body == "hands"


def test_what_it_believes_can_change_and_the_listener_is_told(agent, heard):
    agent.believe(World.count, 3)
    assert heard.events == [BeliefChanged(Change(World.count, 2, 3, "sensor"))]
    assert heard.changes() == ["count: 2 → 3 (by sensor)"]
    assert agent.beliefs.now.count == 3


def test_a_change_names_its_source(agent, heard):
    agent.believe(World.count, 3, "a friend")
    assert heard.changes() == ["count: 2 → 3 (by a friend)"]


def test_to_believe_the_same_again_is_no_change(agent, heard):
    before = agent.beliefs.version
    agent.believe(World.count, 2)
    assert agent.beliefs.version == before
    assert heard.events == []


def test_every_change_has_a_version(agent):
    versions = [agent.beliefs.version]
    for value in (3, 4, UNKNOWN, 4):
        agent.believe(World.count, value)
        versions.append(agent.beliefs.version)
    assert versions == sorted(set(versions))


def test_a_belief_may_become_unknown(agent):
    agent.believe(World.count, UNKNOWN)
    assert agent.beliefs.get(World.count) is UNKNOWN
    assert not agent.beliefs.now.is_known(World.count)


def test_members_of_a_family_are_believed_one_by_one(agent):
    agent.believe(World.at["a"], True)
    assert agent.beliefs.now.at["a"]
    assert not agent.beliefs.now.at["b"]


def test_a_value_of_a_wrong_type_is_refused_and_nothing_changes(agent, heard):
    with pytest.raises(StateError, match="BT106"):
        agent.believe(World.count, "many")
    assert agent.beliefs.now.count == 2
    assert heard.events == []


def test_a_snapshot_does_not_change_when_beliefs_do(agent):
    before = agent.beliefs.frozen()
    assert agent.beliefs.frozen() is before
    agent.believe(World.count, 9)
    assert before.get(World.count) == 2
    assert agent.beliefs.frozen().get(World.count) == 9


def test_the_state_it_was_given_is_not_its_own(domain):
    given = World(count=2)
    one, other = (Agent(name, domain, given, body=None) for name in "ab")
    one.believe(World.count, 5)
    assert given.count == other.beliefs.now.count == 2


def test_a_step_has_a_number_that_no_other_has(agent):
    numbers = [runtime_of(agent).next_step() for _ in range(5)]
    assert numbers == sorted(set(numbers))


def test_nobody_has_to_listen(domain):
    agent = Agent("deaf", domain, World(), body=None)
    agent.believe(World.count, 5)
    agent.emit(PlanAborted("goal", "no reason"))
    assert agent.beliefs.now.count == 5


def test_an_event_names_its_agent_the_tick_and_the_time(domain, heard):
    clock = ManualClock()
    agent = Agent("keeper", domain, World(), body=None, listener=heard, clock=clock)
    for count in (5, 6):
        clock.advance(0.5)
        agent.sense()
        agent.believe(World.count, count)
    places = [(event.agent, event.tick, event.time) for event in heard.events]
    assert places == [("keeper", 1, 0.5), ("keeper", 2, 1.0)]


def test_events_of_another_agent_are_passed_on_as_they_are(domain, heard):
    head = Agent("head", domain, World(), body=None, listener=heard)
    other = Agent("other", domain, World(), body=None, listener=head.emit)
    other.emit(CodeFailed("guard", "bad", ValueError("bad")))
    assert [event.agent for event in heard.events] == ["other"]
    assert list(other.errors.values()) == [1]
    assert not head.errors


def test_where_it_happened_does_not_make_two_events_different():
    one = PlanAborted("goal", "no reason", agent="a", tick=1, time=0.5)
    assert one == PlanAborted("goal", "no reason")
    assert repr(one) == repr(PlanAborted("goal", "no reason"))


def test_a_listener_may_come_later_and_go_again(domain, heard):
    agent = Agent("keeper", domain, World(), body=None)
    agent.believe(World.count, 5)
    agent.listener = heard
    agent.believe(World.count, 6)
    agent.listener = None
    agent.believe(World.count, 7)
    assert heard.changes() == ["count: 5 → 6 (by sensor)"]


async def later(event): ...


def one_by_one(event):
    yield


@pytest.mark.parametrize("listener", [3, RecordingListener, later, one_by_one])
def test_what_cannot_hear_events_is_refused_as_a_listener(domain, listener):
    with pytest.raises(ExecutionError, match=r"\[BT110\] the listener of agent 'keeper' is "):
        Agent("keeper", domain, World(), body=None, listener=listener)


def test_a_listener_that_raises_disturbs_nobody_and_is_told_no_more(domain, caplog):
    told = []

    def broken(event):
        told.append(event)
        raise ZeroDivisionError

    agent = Agent("keeper", domain, World(), body=None, listener=broken)
    agent.believe(World.count, 5)
    agent.believe(World.count, 6)
    assert len(told) == 1
    assert agent.beliefs.now.count == 6
    assert "listener of agent 'keeper' raised ZeroDivisionError" in caplog.text
    assert list(agent.errors.values()) == [1]


def test_an_event_that_is_emitted_again_happens_again_and_stays_as_it_was_heard(domain, heard):
    agent = Agent("keeper", domain, World(), body=None, listener=heard)
    event = SensorFailed("eyes", "dazzled", ValueError("dazzled"))
    for _ in range(2):
        agent.sense()
        agent.emit(event)
    first, second = heard.of(SensorFailed)
    assert (first.tick, second.tick) == (1, 2)
    assert sum(agent.errors.values()) == 2


def test_who_hears_beside_a_listener_goes_on_when_that_raises(domain):
    def broken(event):
        raise ZeroDivisionError

    agent = Agent("keeper", domain, World(), body=None, listener=broken)
    heard = RecordingListener()
    assert hear_too(agent, heard) is agent.listener
    for count in (1, 2):
        agent.believe(World.count, count)
    kinds = [type(one) for one in heard.events]
    assert kinds == [BeliefChanged, CodeFailed, BeliefChanged]


class Ears:
    """Hears events; an interrupt comes upon it the first time."""

    def __init__(self, interrupt):
        self.heard, self.interrupt = [], interrupt

    def __call__(self, event):
        if self.interrupt is not None:
            raised, self.interrupt = self.interrupt, None
            raise raised
        self.heard.append(event)

    def hear(self, event, _more=None):
        self(event)


LISTENERS = {
    "a method": lambda ears: ears.hear,
    "an object": lambda ears: ears,
    "a partial": lambda ears: partial(ears.hear, _more=1),
}


@pytest.mark.parametrize("kind", LISTENERS)
def test_a_listener_upon_which_an_interrupt_comes_hears_the_event_before_that_goes_on(domain, kind):
    ears = Ears(KeyboardInterrupt())
    agent = Agent("keeper", domain, World(), body=None)
    agent.listener = listener = LISTENERS[kind](ears)
    with pytest.raises(KeyboardInterrupt):
        agent.believe(World.count, 5)
    agent.believe(World.count, 6)
    assert [event.change.after for event in ears.heard] == [5, 6]
    assert agent.listener is listener


def test_a_listener_that_has_no_memory_left_for_a_moment_hears_the_event(domain):
    for hear in (lambda agent, ears: setattr(agent, "listener", ears), hear_too):
        ears = Ears(MemoryError())
        agent = Agent("keeper", domain, World(), body=None)
        hear(agent, ears)
        agent.believe(World.count, 5)
        assert [event.change.after for event in ears.heard] == [5]
        assert not agent.errors


def test_a_listener_that_never_has_enough_memory_is_told_no_more(domain, caplog):
    def full(event):
        raise MemoryError

    agent = Agent("keeper", domain, World(), body=None, listener=full)
    agent.believe(World.count, 5)
    assert agent.listener is None
    assert "listener of agent 'keeper' raised MemoryError" in caplog.text


def test_an_interrupt_before_a_listener_is_called_is_no_fault_of_it():
    ears = Ears(None)
    for error in (KeyboardInterrupt(), MemoryError()):
        with pytest.raises(type(error)):
            told_again(ears, PlanAborted("goal", "no reason"), error)
    assert ears.heard == []


def test_after_an_interrupt_in_a_sensor_the_agent_goes_on(domain, heard):
    looks = iter([KeyboardInterrupt(), None])
    sensors = Sensors()

    @sensors.sensor(World.count)
    def look(agent):
        if (error := next(looks)) is not None:
            raise error
        return 7

    agent = Agent("keeper", domain, World(), body=None, sensors=sensors, listener=heard)
    with pytest.raises(KeyboardInterrupt):
        agent.sense()
    agent.sense()
    agent.believe(World.lit, False)
    assert heard.changes() == ["count: 0 → 7 (by look)", "lit: true → false (by sensor)"]


def test_a_builtin_that_does_not_tell_its_arguments_is_not_refused_beforehand(domain):
    operators = Operators(simulates_others=True)
    knock = domain.primitive("knock")
    operators.bind(knock)(iter)
    agent = Agent("keeper", domain, World(), body=None, operators=operators)
    assert agent.operators.find(knock) is iter


def test_an_agent_needs_a_domain_to_plan_with(agent):
    before = agent.domains
    with pytest.raises(DomainError, match=r"BT105.*'keeper' has no domain"):
        agent.plan_with([])
    assert agent.domains == before


def test_what_was_drawn_says_with_which_weights():
    assert ActionsDrawn("fight", ("bite", "claw"), (2.0, 0.5)).reason == "bite (2.0), claw (0.5)"
    assert ActionsDrawn("fight", (), ()).reason == "nothing"


def test_operators_of_tasks_that_the_domain_does_not_have_are_refused(domain):
    stranger = Domain("elsewhere", World).primitive("open_door")
    operators = Operators(simulates_others=True)
    operators.bind(stranger)(lambda agent: None)
    with pytest.raises(ExecutionError, match="'open_door' has an operator but is no task") as info:
        Agent("keeper", domain, World(), body=None, operators=operators)
    assert info.value.code == "BT303"
    assert "agent 'keeper'" in str(info.value)


def test_a_domain_that_is_not_well_made_is_refused():
    broken = Domain("broken", World)
    broken.compound(empty)
    with pytest.raises(DomainError, match="BT105"):
        Agent("keeper", broken, World(), body=None)


def empty():
    """A task without methods."""
    yield from ()


def test_beliefs_of_another_kind_of_world_are_refused(domain):
    class Moon(State):
        dust: Fluent[int] = fluent(default=0)

    with pytest.raises(DomainError, match="Moon"):
        Agent("keeper", domain, Moon(), body=None)


def test_an_agent_is_shown_with_its_beliefs(agent):
    assert repr(agent) == "<agent keeper: World(count=2)>"
