"""A view of a run that raises is told of once and dropped; the run goes on as without it."""

import json
import os
import sys

import pytest

from bthtn import Domain, Fluent, State, fluent
from bthtn.behaviours import Agent, Character, PlanGoal, show_on_blackboard
from bthtn.engine.agent.events import BeliefChanged, CodeFailed
from bthtn.engine.agent.hearing import hear_too
from bthtn.kit.recording import Recorder, watched
from bthtn.studio.cli import album
from bthtn.studio.cli import run as run_command
from bthtn.studio.cli.main import run
from bthtn.studio.testing.doubles import RecordingListener
from bthtn.studio.watch import Viewer
from bthtn.studio.watch.breakpoints import Breakpoint, BreakpointKind


class Dog(State):
    bones: Fluent[int] = fluent(default=0)
    name: Fluent[str] = fluent(default="Rex")


yard = Domain("yard", Dog)
dig = yard.primitive("dig", actual=Dog.bones.increases(1), duration=1)


def digger(**options):
    agent = Agent("Rex", yard, Dog(), body=None, **options)
    return Character(PlanGoal("find bones", agent, dig()), agent)


def raises(*_, **__):
    raise RuntimeError("no view")


def errors(caplog):
    return [record.getMessage() for record in caplog.records]


def test_whoever_hears_first_and_raises_deafens_no_other():
    listener = RecordingListener()
    agent = Agent("Rex", yard, Dog(), body=None, listener=listener)
    hear_too(agent, raises)
    for count in (1, 2):
        agent.believe(Dog.bones, count)
    kinds = [type(event) for event in listener.events]
    assert kinds == [CodeFailed, BeliefChanged, BeliefChanged]
    assert agent.errors


def test_a_recording_that_raises_is_given_up(tmp_path, caplog, monkeypatch):
    character = digger()
    with Recorder(tmp_path / "run.jsonl", character) as recorder:
        character.tick()
        recorder.tick()
        monkeypatch.setattr(watched.Snapshots, "change", raises)
        for _ in range(3):
            character.tick()
            recorder.tick()
        recorder.end(finished=True)
    assert character.agent.beliefs.now.bones == 2
    (told,) = errors(caplog)
    assert told.startswith("the recording ")
    assert "is given up: RuntimeError: no view" in told
    assert isinstance(recorder.error, RuntimeError)
    lines = list(map(json.loads, (tmp_path / "run.jsonl").read_text().splitlines()))
    assert [line["tick"] for line in lines if "event" not in line and "tick" in line] == [1]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device")
def test_a_disk_that_is_full_ends_the_recording_and_not_the_run(caplog):
    character = digger()
    with Recorder("/dev/full", character) as recorder:
        for _ in range(20):
            character.tick()
            recorder.tick()
    assert character.ticks == 20
    (told,) = errors(caplog)
    assert "the recording /dev/full is given up: [BT404]" in told.replace("InputError: ", "")
    assert character.agent.listener == character._hear


@pytest.mark.parametrize("part", ["_feed.update", "_lines.of"])
def test_a_viewer_that_raises_is_given_up(part, caplog, monkeypatch):
    character = digger()
    with Viewer(character) as viewer:
        holder, name = part.split(".")
        monkeypatch.setattr(getattr(viewer, holder), name, raises)
        for _ in range(4):
            character.tick()
            viewer.tick()
            viewer._server.call(viewer._drain)
    assert character.agent.beliefs.now.bones == 2
    (told,) = errors(caplog)
    assert told.startswith("the viewer is given up: RuntimeError: no view")


def test_a_breakpoint_that_raises_is_given_up(caplog, monkeypatch):
    character = digger()
    with Viewer(character) as viewer:
        number = viewer.control.breakpoints.add(Breakpoint(BreakpointKind.CONDITION, "bones > 5"))
        condition = viewer.control.breakpoints._conditions[number]["Rex"]
        monkeypatch.setattr(type(condition), "evaluate", raises)
        viewer.tick()
        monkeypatch.undo()
        viewer.tick()
        assert list(viewer.control.breakpoints) == []
    (told,) = errors(caplog)
    assert told.startswith("the breakpoint 'condition bones > 5' is given up: RuntimeError")


@pytest.fixture
def bthtn(tmp_path, monkeypatch, capsys):
    """Calls ``bthtn`` in a folder of its own; exit code, output and complaints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(album, "picture", lambda dot, _: dot)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["bthtn", *arguments])
        with pytest.raises(SystemExit) as end:
            run()
        return end.value.code, *capsys.readouterr()

    return call


def test_a_timeline_that_raises_does_not_end_the_run(bthtn, monkeypatch, caplog):
    whole = bthtn("run", "soldier", "--seed", "1")
    ticks = whole[1].splitlines()[-1]
    monkeypatch.setattr(run_command, "rows", lambda ticks, **_: map(raises, ticks))
    code, out, _ = bthtn("run", "soldier", "--seed", "1")
    assert (code, out.splitlines()[-1]) == (whole[0], ticks)
    (told,) = errors(caplog)
    assert told.startswith("the timeline is given up: RuntimeError: no view")


def test_pictures_that_raise_do_not_end_the_run(bthtn, monkeypatch, caplog):
    monkeypatch.setattr(album.Album, "close", raises)
    assert bthtn("run", "soldier", "--seed", "1", "--out", "pictures")[0] == 0
    (told,) = errors(caplog)
    assert told.startswith("the album is given up: RuntimeError: no view")


def test_a_mirror_that_cannot_write_its_key_is_dropped():
    heard = RecordingListener()
    agent = Agent("Rex", yard, Dog(), body=None, listener=heard)
    stop = show_on_blackboard(agent, {"rex/bones": Dog.bones})
    mirror = type(stop.__self__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mirror, "_show", raises)
        agent.believe(Dog.bones, 1)
    agent.believe(Dog.bones, 2)
    assert agent.beliefs.now.bones == 2
    assert len(heard.of(CodeFailed)) == 1
    stop()
