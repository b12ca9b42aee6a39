"""The comrade: whatever is worth most."""

from dataclasses import replace
from pathlib import Path

import pytest

from bthtn.events import LeafAborted, PlanAdopted
from bthtn.examples.trees.comrade import operators
from bthtn.kit import read_character
from bthtn.testing import RecordingListener


@pytest.fixture(scope="module")
def files():
    return read_character(Path(operators.__file__).parent, operators)


def comrade_when(files, happens):
    return replace(files, body=lambda _: operators.Fight(happens)).character()


def lived(comrade):
    heard = RecordingListener()
    while not comrade.finished and comrade.ticks < 100:
        for event in comrade.tick():
            heard(event)
    return heard


def goals(heard):
    """The goals that were begun, without repetitions in a row."""
    begun = [event.goal for event in heard.of(PlanAdopted)]
    return [goal for goal, before in zip(begun, [None, *begun], strict=False) if goal != before]


def test_he_idles_kills_revives_and_kills_when_that_is_worth_most(files):  # R000-31
    heard = lived(files.character())
    assert goals(heard) == ["idle", "kill", "revive", "kill"]
    assert [event.task for event in heard.of(LeafAborted)] == [
        *("idle", "run_to('enemy')", "help_up"),
    ]


def test_a_friend_is_worth_more_than_a_small_danger(files):
    heard = lived(comrade_when(files, {1.0: (True, 30)}))
    assert goals(heard) == ["idle", "revive", "kill"]


def test_what_is_worth_a_little_more_interrupts_nobody(files):
    heard = lived(comrade_when(files, {1.0: (True, 30), 2.0: (True, 54)}))
    assert goals(heard) == ["idle", "revive", "kill"]
    assert [event.task for event in heard.of(LeafAborted)] == ["idle"]
