"""The guard at night: interrupted rounds, a burglar who runs, a battery that dies, a radio."""

import pytest

from bthtn.events import LeafAborted, LeafEnded, LeafStarted, PlanFailed
from bthtn.examples.domains.guard.domain import Room
from bthtn.examples.trees.guard.tree import guard_in
from bthtn.examples.trees.guard.world import Museum

NEVER = 1_000


def night(**museum):
    """The guard, and every event until he is done, at most 40 ticks."""
    character = guard_in(Museum(**museum))
    events = []
    while not character.finished and character.ticks < 40:
        events += character.tick()
    return character, events


def steps(kind, events):
    return [event.task.partition("(")[0] for event in events if isinstance(event, kind)]


def test_he_goes_from_his_round_to_the_noise_to_the_arrest():
    character, events = night(flees=NEVER, battery=NEVER)
    started = ["walk", "switch_on", "walk", "look_around", "call", "cuff", "switch_off"]
    assert steps(LeafStarted, events) == started
    assert steps(LeafAborted, events) == ["walk", "look_around"]
    assert character.finished
    assert not character.agent.body.lamp


def test_a_burglar_who_runs_is_followed_to_where_he_ran():
    character, events = night(battery=NEVER)
    assert character.finished
    assert character.agent.beliefs.now.at is Room.OFFICE
    assert steps(LeafStarted, events).count("cuff") == 2


def test_a_battery_that_dies_on_the_way_is_changed_and_the_way_begun_anew():
    character, events = night()
    assert character.finished
    started = steps(LeafStarted, events)
    broken = started.index("change_battery")
    assert started[broken - 1 : broken + 4] == [
        *("walk", "change_battery", "switch_on", "walk", "cuff"),
    ]
    assert character.agent.beliefs.now.spares == 0


def test_the_station_is_called_once_and_the_call_survives_a_change_of_plan():
    _, events = night()
    assert steps(LeafStarted, events).count("call") == 1
    assert "call" in steps(LeafEnded, events)


def test_a_call_that_nobody_answers_is_hung_up_and_made_again():
    """The burglar runs and the battery dies meanwhile: the time counts on in the new plans."""
    character, events = night(unanswered=1)
    kinds = [type(event) for event in events if getattr(event, "task", "") == "call"]
    assert kinds == [LeafStarted, LeafAborted, LeafStarted, LeafEnded]
    assert character.finished


def test_a_call_that_is_no_longer_needed_is_hung_up():
    character, events = night(flees=NEVER, battery=NEVER)
    assert character.agent.body.line
    character.stop()
    assert not character.agent.body.line
    assert not steps(PlanFailed, events)


@pytest.mark.parametrize("breaks_in", range(1, 12, 2))
@pytest.mark.parametrize("battery", range(1, 16, 4))
def test_he_is_caught_whenever_he_comes_and_however_long_the_battery_lasts(breaks_in, battery):
    character, _ = night(breaks_in=breaks_in, flees=breaks_in + 4, battery=battery)
    assert character.finished
    assert character.agent.errors == {}
