"""The rows of a profile are told about once a second, by a clock that only these tests move."""

import math

from py_trees.behaviours import Success

from bthtn.studio.profile import Profile
from bthtn.studio.watch import Viewer
from bthtn.studio.watch.times import EVERY, MOST, Times
from bthtn.studio.watch.updates import Feed, Lines
from tests.studio.watch.scenes import guard
from tests.studio.watch.test_viewer import lines_of


class Time:
    """A clock that stands still."""

    now = 5

    def __call__(self):
        return self.now


def ticked(profile, *names):
    with profile:
        for name in names:
            Success(name).tick_once()


def rows_in(lines):
    return [line["profile"] for line in lines if "profile" in line]


def calls_of_ann(rows):
    return sum(row["calls"] for row in rows if (row["kind"], row["name"]) == ("character", "Ann"))


def test_rows_are_told_when_a_second_has_passed_since_they_were_told():
    clock, profile = Time(), Profile(clock=lambda: 0)
    times = Times(profile, clock=clock)
    assert rows_in(times.changes(at_once=False)) == [[]]
    ticked(profile, "leaf")
    clock.now += EVERY - 1
    assert rows_in(times.changes(at_once=False)) == []
    clock.now += 1
    row = {"kind": "node", "name": "leaf", "calls": 1, "total": 0, "own": 0, "longest": 0}
    assert rows_in(times.changes(at_once=False)) == [[row]]
    assert rows_in(times.changes(at_once=False)) == []


def test_rows_that_are_wanted_at_once_are_told():
    times = Times(Profile(), clock=Time())
    assert len(rows_in(times.changes(at_once=True))) == 1
    assert len(rows_in(times.changes(at_once=True))) == 1
    assert rows_in(times.changes(at_once=False)) == []


def test_only_the_rows_of_the_longest_own_times_are_told():
    ticks = iter(range(10_000))
    profile = Profile(clock=lambda: next(ticks) ** 2)  # each tick takes longer than the one before
    ticked(profile, *map(str, range(MOST + 5)))
    ((told),) = rows_in(Times(profile, clock=Time()).changes(at_once=True))
    assert [row["name"] for row in told] == [str(number) for number in range(MOST + 4, 4, -1)]


def test_without_a_profile_nothing_is_told():
    assert list(Times(None, clock=Time()).changes(at_once=True)) == []


def test_who_comes_later_is_told_the_latest_rows():
    character, profile = guard(), Profile()
    feed, lines = Feed([character], profile=profile), Lines("yard")
    for _ in range(2):
        with profile:
            character.tick()
        lines.of(feed.update(character.ticks, is_whole=False, is_seen=True, is_standing=True))
    (rows,) = rows_in(lines.whole())
    assert calls_of_ann(rows) == 2


def test_a_run_that_stands_still_shows_what_it_took_up_to_there(monkeypatch):
    monkeypatch.setattr("bthtn.studio.watch.times.EVERY", math.inf)
    character, profile = guard(), Profile()
    with Viewer(character, profile=profile) as viewer, profile:
        for _ in range(2):
            character.tick()
            viewer.tick()
        viewer.control.submit({"do": "pause"})
        viewer.control.submit({"do": "resume"})
        character.tick()
        viewer.tick()
        viewer.end("", finished=True)
        told = rows_in(lines_of(viewer))
    assert list(map(calls_of_ann, told)) == [0, 3]


def test_a_run_that_is_begun_again_has_times_of_its_own(monkeypatch):
    monkeypatch.setattr("bthtn.studio.watch.times.EVERY", math.inf)
    with Viewer(guard(), profile=Profile()) as viewer:
        other, again = guard(), Profile()
        viewer.begin(other, profile=again)
        with again:
            other.tick()
            viewer.tick()
        viewer.control.submit({"do": "again"})
        assert viewer.offer_again("enough", finished=True)
        viewer.end("", finished=True)
        told = rows_in(lines_of(viewer))
    assert list(map(calls_of_ann, told)) == [0, 1]
