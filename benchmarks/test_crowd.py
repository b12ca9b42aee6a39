"""A crowd keeps to its budget, is served in the same order, and is seen whole by whoever looks."""

from benchmarks.crowd import fighters, large, live, memory, seconds_of_frames
from benchmarks.groups import Group, Groups, world
from benchmarks.seeing import watched
from bthtn.behaviours import ManualClock
from bthtn.kit.recording import Recorder, Recording


def test_a_crowd_keeps_to_its_budget_and_everybody_is_served_in_the_same_order():
    runs = [live(60, 40, budget=100, waves=4) for _ in range(2)]
    assert max(runs[0].expansions) <= 100
    assert set(runs[0].adopted) == set(range(60))
    assert runs[0].adopted == runs[1].adopted
    assert max(live(60, 1, budget=None, waves=1).expansions) > 100


def test_groups_in_processes_decide_as_one_group_in_one_process():
    alone = Group(range(30))
    with Groups(range(30), processes=2) as groups:
        for frame in range(12):
            seen = world(30, frame)
            assert groups.tick(seen) == dict(sorted(alone.tick(seen).items()))


def test_a_large_crowd_has_as_many_turns_as_there_is_time_for():
    found = large(300, 20, milliseconds=5)
    assert sum(found.ticked) < 300 * 20
    assert max(found.left_out) > 0
    assert len(found.seconds) == 20


def test_an_agent_that_runs_a_plan_keeps_less_than_12_kib():
    idle, running = memory(100)
    assert 0 < idle < running < 12


def test_a_page_gets_all_ticks_of_a_watched_crowd():
    seconds, dropped, lines = watched(30, 25)
    assert (len(seconds), dropped) == (25, 0)
    assert lines > 25


def test_a_recorded_crowd_is_recorded_whole(tmp_path):
    heard, clock = [], ManualClock()
    goals = fighters(30, clock, listener=lambda number: heard.append)
    with Recorder(tmp_path / "run.jsonl", *goals) as recorder:
        seconds_of_frames(goals, clock, 25, after=recorder.tick)
        recorder.end(finished=False)
    recording = Recording.read(tmp_path / "run.jsonl")
    blocks = (*recording.ticks, recording.stop)
    events = [line for lines in blocks for line in lines if "event" in line]
    assert len(events) == len(heard) > 200
    assert len(recording.ticks) == 25
