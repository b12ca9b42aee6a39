"""Runs recorded while they run, and read again: every moment of them."""

import gzip
import json
import sys
from collections import Counter
from itertools import chain
from unittest.mock import patch

import pytest
from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel, Sequence
from py_trees.trees import BehaviourTree

from bthtn import Domain, Fluent, State, defer, fluent, method
from bthtn.behaviours import Agent, Character, ManualClock, Operators, PlanGoal, attach
from bthtn.engine.agent.events import BeliefChanged, LeafAborted, LeafEnded, LeafStarted
from bthtn.errors import InputError
from bthtn.kit.recording import Recorder, Recording, Snapshots
from bthtn.kit.recording.event_log import plain_value
from bthtn.kit.recording.known import Known
from bthtn.kit.recording.watched import Watched, beliefs_data
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.locate import TargetKind, all_of

TREES = {
    one.name: one
    for one in all_of(TargetKind.TREE)
    if one.name in ("soldier", "squad", "sentry", "brawler")
}


class Dog(State):
    bones: Fluent[int] = fluent(default=0)


yard = Domain("yard", Dog)
dig = yard.primitive("dig", effects=Dog.bones.increases(1), duration=2)


def dog(name, **options):
    return Agent(name, yard, Dog(), body=None, **options)


def digging(name, **options):
    return PlanGoal(f"dig {name}", dog(name, **options), dig())


def without_ids(node):
    below = [without_ids(child) for child in node["children"]]
    return {**node, "id": 0, "children": below}


def beliefs_of(agent, events):
    """What an agent believes of all fluents, those included that are as by default again."""
    changes = [e.change for e in events if e.agent == agent.name and isinstance(e, BeliefChanged)]
    values = {str(one.fluent): plain_value(agent.beliefs.get(one.fluent)) for one in changes}
    return json.loads(json.dumps(beliefs_data(agent) | values))


def steps_of(events, name):
    """The running steps of an agent, by all events so far."""
    running = {}
    for event in events:
        if event.agent == name:
            if isinstance(event, LeafStarted):
                running[event.leaf] = event.task
            elif isinstance(event, LeafEnded | LeafAborted):
                running.pop(event.leaf, None)
    return running


@pytest.mark.parametrize("name", TREES)
@patch.dict(sys.modules)
def test_every_moment_of_every_tree_is_as_it_was(name, tmp_path):
    file, character = tmp_path / "run.jsonl", character_of(TREES[name], 1)
    moments, events = {}, []
    with Recorder(file, character) as recorder:
        while not character.finished and character.ticks < 25:
            events += character.tick()
            recorder.tick()
            tree = json.loads(json.dumps(without_ids(Snapshots(character.root).whole())))
            for agent in character.agents.values():
                moments[character.ticks, agent.name] = (
                    beliefs_of(agent, events),
                    tree,
                    steps_of(events, agent.name),
                )
        character.stop()
        recorder.end(finished=character.finished)
    recording = Recording.read(file)
    assert recording.agents == tuple(character.agents)
    assert recording.end == {"end": character.ticks, "finished": character.finished, "reason": ""}
    for (tick, agent), (beliefs, tree, steps) in moments.items():
        moment = recording.at(tick, agent)
        assert (moment.tick, moment.agent, moment.beliefs) == (tick, agent, beliefs)
        assert without_ids(moment.tree) == tree
        assert {leaf: event["task"] for leaf, event in moment.steps.items()} == steps
    assert any(steps for _, _, steps in moments.values())


@patch.dict(sys.modules)
def test_a_moment_has_the_running_plan_and_the_events_of_its_tick(tmp_path):
    file, character = tmp_path / "run.jsonl", character_of(TREES["soldier"], 0)
    running = {}
    with Recorder(file, character) as recorder:
        while not character.finished:
            character.tick()
            recorder.tick()
            goal = next(node for node in character.root.iterate() if isinstance(node, PlanGoal))
            running[character.ticks] = bool(goal.children) and goal.status.name == "RUNNING"
        character.stop()
    recording = Recording.read(file)
    for tick, is_running in running.items():
        assert bool(recording.at(tick).plans) == is_running, tick
    assert Counter(running.values())[True] > 10
    adopted = recording.at(min(tick for tick, one in running.items() if one))
    assert adopted.plans["fight"]["plan"]["plan"] == "search_enemy"
    assert "plan_adopted" in [event["event"] for event in adopted.events]
    assert adopted.active == ("fight",)
    assert adopted.time == adopted.tick


@patch.dict(sys.modules)
def test_moments_can_be_asked_for_in_any_order(tmp_path):
    file, character = tmp_path / "run.jsonl", character_of(TREES["soldier"], 0)
    with Recorder(file, character) as recorder:
        for _ in range(30):
            character.tick()
            recorder.tick()
        character.stop()
    recording, other = Recording.read(file), Recording.read(file)
    forward = [recording.at(tick) for tick in range(1, 31)]
    backward = [recording.at(tick) for tick in range(30, 0, -1)]
    assert forward == backward[::-1]
    assert recording == other


def test_a_loop_of_ones_own_is_recorded_with_several_trees(tmp_path):
    clock = ManualClock()
    trees = [BehaviourTree(digging(name, clock=clock)) for name in ("Ann", "Bob")]
    for tree in trees:
        attach(tree, tree.root.agent)
    lone = digging("Cid")
    with Recorder(tmp_path / "run.jsonl", *trees, lone, name="yard") as recorder:
        for _ in range(2):
            clock.advance(0.5)
            for tree in trees:
                tree.tick()
            lone.agent.sense()
            lone.tick_once()
            recorder.tick()
    recording = Recording.read(tmp_path / "run.jsonl")
    assert recording.end is None
    assert [recording.head[key] for key in ("name", "seed", "run")] == ["yard", None, None]
    assert recording.agents == ("Ann", "Bob", "Cid")
    for name in recording.agents:
        moment = recording.at(2, name)
        assert [step["task"] for step in moment.steps.values()] == ["dig"]
        assert moment.tree["name"] == f"dig {name}"
        assert moment.active == ("dig Ann", "dig Bob", "dig Cid")
        assert {event["agent"] for event in recording.at(1, name).events} == {name}


def test_agents_of_one_tree_are_all_recorded_each_event_once(tmp_path):
    first = digging("Ann")
    second = digging("Bob", listener=first.agent.emit)
    both = Parallel("both", policy=ParallelPolicy.SuccessOnAll(), children=[first, second])
    with Recorder(tmp_path / "run.jsonl", both) as recorder:
        both.tick_once()
        recorder.tick()
    (lines,) = Recording.read(tmp_path / "run.jsonl").ticks
    started = [line["agent"] for line in lines if line.get("event") == "leaf_started"]
    assert started == ["Ann", "Bob"]
    assert Recording.read(tmp_path / "run.jsonl").at(1, "Bob").tree["name"] == "both"


def test_listeners_hear_as_before_and_one_that_raises_does_not_end_the_recording(tmp_path):
    heard = []

    def hear(event):
        heard.append(event)
        raise ValueError("once")

    goal = digging("Ann", listener=hear)
    with Recorder(tmp_path / "run.jsonl", goal) as recorder:
        for _ in range(3):
            goal.tick_once()
            recorder.tick()
    assert len(heard) == 1
    events = [
        line.get("event")
        for lines in Recording.read(tmp_path / "run.jsonl").ticks
        for line in lines
    ]
    assert "code_failed" in events
    assert events.count("goal_ended") == 1


def test_after_the_end_the_listener_is_the_one_of_before(tmp_path):
    heard = []
    goal = digging("Ann", listener=heard.append)
    before = goal.agent.listener
    recorder = Recorder(tmp_path / "run.jsonl", goal)
    assert goal.agent.listener is not before
    recorder.end(finished=False)
    assert goal.agent.listener is before
    recorder.end(finished=False)
    goal.tick_once()
    assert len(Recording.read(tmp_path / "run.jsonl").ticks) == 0


def test_what_happens_while_the_run_is_stopped_comes_before_the_end(tmp_path):
    goal = digging("Ann")
    character = Character(goal, goal.agent)
    with Recorder(tmp_path / "run.jsonl", character) as recorder:
        character.tick()
        recorder.tick()
        character.stop()
        recorder.end(finished=False, reason="enough")
    recording = Recording.read(tmp_path / "run.jsonl")
    assert [lines[0]["tick"] for lines in recording.ticks] == [1]
    assert recording.stop[0] == {"stop": 1}
    assert "leaf_aborted" in [line.get("event") for line in recording.stop]
    assert recording.at(1).tree["status"] == "RUNNING"
    assert recording.end == {"end": 1, "finished": False, "reason": "enough"}


def test_another_root_of_a_tree_is_written_as_a_whole(tmp_path):
    goal = digging("Ann")
    tree = BehaviourTree(goal)
    with Recorder(tmp_path / "run.jsonl", tree) as recorder:
        for root in (goal, Sequence("around", memory=True, children=[goal])):
            tree.root = root
            tree.tick()
            recorder.tick()
    recording = Recording.read(tmp_path / "run.jsonl")
    assert [recording.at(tick).tree["name"] for tick in (1, 2)] == ["dig Ann", "around"]


def test_a_reload_writes_the_beliefs_that_it_has_led_to(tmp_path):
    class Cat(State):
        bones: Fluent[int] = fluent(default=7)

    house = Domain("house", Cat)
    nap = house.primitive("nap")
    goal = digging("Ann")
    with Recorder(tmp_path / "run.jsonl", goal) as recorder:
        goal.agent.reload(Agent("Ann", house, Cat(bones=9), body=None))
        recorder.tick()
    assert nap.name == "nap"
    lines = Recording.read(tmp_path / "run.jsonl").ticks[0]
    now = beliefs_data(goal.agent)
    assert [line["beliefs"] for line in lines if "beliefs" in line] == [now]
    assert Recording.read(tmp_path / "run.jsonl").at(1).beliefs == now


def test_a_compressed_recording_has_the_same_lines_and_the_same_bytes_each_time(tmp_path):
    def run(file):
        goal = digging("Ann")
        with Recorder(file, goal, name="run") as recorder:
            for _ in range(3):
                goal.tick_once()
                recorder.tick()
        return file.read_bytes()

    plain = run(tmp_path / "a.jsonl")
    packed = run(tmp_path / "a.jsonl.gz")
    assert gzip.decompress(packed) == plain
    assert run(tmp_path / "b.jsonl.gz") == packed
    assert len(packed) < len(plain) / 2
    assert Recording.read(tmp_path / "a.jsonl.gz") == Recording.read(tmp_path / "a.jsonl")


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz"])
def test_a_large_file_goes_on_in_further_parts_that_are_read_together(tmp_path, ending):
    def run(name, most):
        goal = digging("Ann")
        with Recorder(tmp_path / f"{name}.{ending}", goal, max_bytes=most) as recorder:
            for _ in range(100):
                goal.tick_once()
                recorder.tick()
            recorder.end(finished=True)
        found = Recording.read(tmp_path / f"{name}.{ending}")
        return found.ticks, found.end

    whole, parted = run("whole", None), run("parted", 400 if ending == "jsonl.gz" else 2_000)
    assert parted == whole
    parts = sorted(tmp_path.glob(f"parted*.{ending}"))
    assert 4 <= len(parts) <= 40
    assert max(part.stat().st_size for part in parts) < 4_000
    with pytest.raises(InputError, match=r"BT460.*a further part; read the first"):
        Recording.read(tmp_path / f"parted.2.{ending}")
    assert run("parted", 10**9) == whole
    assert sorted(tmp_path.glob(f"parted*.{ending}")) == [tmp_path / f"parted.{ending}"]


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path):
    with pytest.raises(InputError, match=r"BT404.*cannot write .*no/run.jsonl"):
        Recorder(tmp_path / "no" / "run.jsonl", digging("Ann"))


def test_what_cannot_be_written_as_json_ends_the_recording_and_not_the_run(tmp_path):
    goal = digging("Ann")
    with Recorder(tmp_path / "run.jsonl", goal, run={"made by": object()}) as recorder:
        for _ in range(3):
            goal.agent.sense()
            goal.tick_once()
            recorder.tick()
    assert isinstance(recorder.error, TypeError)
    assert goal.agent.beliefs.now.bones == 1


def test_only_the_trees_that_are_shown_are_looked_at():
    watched = Watched([digging("Ann"), digging("Bob")])
    assert [line["agent"] for line in watched.changes(1, {"Bob"})] == ["Bob"]
    assert [line["agent"] for line in watched.changes(2)] == ["Ann"], "Bob's has not changed"


def test_who_reads_on_from_a_line_knows_leases_and_the_latest_draws():
    known = Known({"agent": "Ann", "beliefs": {}})
    taken = {"event": "lease_taken", "agent": "Ann", "key": "cover", "holder": "Ann"}
    other = {**taken, "key": "path"}
    drawn = {"event": "actions_drawn", "agent": "Ann", "goal": "fight", "actions": ["bite"]}
    for line in (
        taken,
        other,
        drawn,
        {**taken, "event": "lease_returned"},
        {**taken, "agent": "Bob"},
    ):
        known.add(line)
    again = {**drawn, "actions": ["claw"]}
    known.add(again)
    assert known.line()["since"] == [other, again]
    assert Known(known.line()).rights == known.rights


def test_nothing_to_record_and_two_agents_of_one_name_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"BT462.*there is no agent"):
        Recorder(tmp_path / "run.jsonl", Sequence("empty", memory=True))
    with pytest.raises(InputError, match=r"BT462.*two agents are called 'Ann'"):
        Recorder(tmp_path / "run.jsonl", digging("Ann"), digging("Ann"))
    both = Sequence("both", memory=True, children=[digging("Ann"), digging("Ann")])
    with pytest.raises(InputError, match=r"BT462.*two agents are called 'Ann'"):
        Recorder(tmp_path / "run.jsonl", both)
    assert list(tmp_path.iterdir()) == []


HOSTILE = ["<script>", "\"'\\", "a\nb\r\u2028c", "x" * 10_000, "\u202eabc", "\ud800", "", "🐕"]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_and_values_are_read_as_they_were_written(tmp_path, text):
    class Named(State):
        name: Fluent[str] = fluent(default="")

    domain = Domain("any", Named)
    work = domain.primitive("work")
    agent = Agent(
        f"Ann {text}", domain, Named(), body=None, operators=Operators(simulates_others=True)
    )
    goal = PlanGoal(f"goal {text}", agent, work())
    with Recorder(tmp_path / "run.jsonl", goal, name=f"run {text}") as recorder:
        agent.believe(Named.name, text)
        recorder.tick()
        goal.tick_once()
        recorder.tick()
    for line in (tmp_path / "run.jsonl").read_bytes().split(b"\n")[:-1]:
        json.loads(line)
    recording = Recording.read(tmp_path / "run.jsonl")
    assert recording.head["name"] == f"run {text}"
    assert recording.agents == (f"Ann {text}",)
    assert recording.at(1).beliefs == {"name": text}
    assert recording.at(1).tree["name"] == f"goal {text}"
    ended = [one["goal"] for one in recording.at(2).events if one["event"] == "goal_ended"]
    assert ended == [f"goal {text}"]


def test_a_recording_that_begins_in_the_middle_knows_what_runs_already(tmp_path):
    goal = digging("Ann")
    goal.agent.sense()
    goal.tick_once()
    with Recorder(tmp_path / "run.jsonl", goal) as recorder:
        goal.agent.sense()
        goal.tick_once()
        recorder.tick()
        goal.agent.sense()
        goal.tick_once()
        recorder.tick()
    recording = Recording.read(tmp_path / "run.jsonl")
    moment = recording.at(1)
    assert moment.plans["dig Ann"]["reason"] == "it runs already"
    assert [step["task"] for step in moment.steps.values()] == ["dig"]
    assert recording.at(2).plans == recording.at(2).steps == {}, "both have ended"


class Cave(State):
    dark: Fluent[bool] = fluent(default=False)


cave = Domain("cave", Cave)
walk = cave.primitive("walk")
look, feel = cave.primitive("look", duration=5), cave.primitive("feel", duration=5)


@cave.compound
def explore():
    yield method(walk(), defer(search()))


@cave.compound
def search():
    yield method(look(), when=~Cave.dark)
    yield method(feel())


def test_the_record_of_a_plan_goes_on_with_that_of_a_part_that_was_suspended(tmp_path):
    operators = Operators(simulates_others=True)
    agent = Agent("Ann", cave, Cave(dark=True), body=None, operators=operators)
    goal = PlanGoal("explore", agent, explore())
    records = []
    with Recorder(tmp_path / "run.jsonl", goal) as recorder:
        for _ in range(4):
            agent.sense()
            goal.tick_once()
            recorder.tick()
            records.append(goal.record)
    recording = Recording.read(tmp_path / "run.jsonl")
    assert [recording.at(tick).records["explore"] for tick in (1, 2, 3, 4)] == records
    assert (records[0], records[-1]) == ((0,), (0, 1))
    assert recording.at(4).plans["explore"]["plan"]["record"] == [0]
    known = Known(recording.head["agents"][0])
    for line in chain(*recording.ticks):
        known.add(line)
    assert Known(known.line()).records == {"explore": (0, 1)}, "which a late reader gets"
    with Recorder(tmp_path / "late.jsonl", goal) as recorder:
        agent.sense()
        goal.tick_once()
        recorder.tick()
    assert Recording.read(tmp_path / "late.jsonl").at().records == {"explore": (0, 1)}
