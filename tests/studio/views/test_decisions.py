"""The decisions about plans: why an agent replanned, and why it did not."""

from bthtn import Domain, Fluent, State, fluent, method
from bthtn.behaviours import Agent, PlanGoal
from bthtn.engine.agent.events import PlanBroken
from bthtn.kit.recording import Recorder, Recording, event_data, plan_decisions
from bthtn.testing import RecordingListener


class Guard(State):
    noise: Fluent[bool] = fluent(default=False)
    arrows: Fluent[int] = fluent(default=1)


night = Domain("night", Guard)
walk, look, sleep = (night.primitive(name, duration=9) for name in ("walk", "look", "sleep"))


@night.compound
def watch():
    yield method(look(), when=Guard.noise)
    yield method(walk(), when=Guard.arrows > 0)
    yield method(sleep())


def live(tmp_path):
    """Ann walks, stays at it with another arrow, and looks around after a noise."""
    heard = RecordingListener()
    ann = Agent("Ann", night, Guard(), body=None, listener=heard)
    goal = PlanGoal("watch", ann, watch())
    with Recorder(tmp_path / "run.jsonl", goal) as recorder:
        for changed in ({}, {Guard.arrows: 2}, {Guard.noise: True}, {}):
            ann.sense()
            for variable, value in changed.items():
                ann.believe(variable, value)
            goal.tick_once()
            recorder.tick()
        recorder.end(finished=True)
    return heard.events


TOLD = [
    "tick 1: Ann #1 of watch adopted — the goal is new: walk",
    "tick 2: Ann #1 of watch kept, after arrows: 1 → 2 (by sensor) — there is nothing better",
    "tick 3: Ann #1 of watch replaced, after noise: false → true (by sensor)"
    " — it is better, and a surprise",
    "tick 3: Ann #2 of watch adopted — it is better, and a surprise: look",
]


def test_each_decision_names_the_plan_the_change_and_the_reason(tmp_path):
    events = live(tmp_path)
    found = list(plan_decisions(map(event_data, events)))
    assert [str(one) for one in found] == TOLD
    assert found[1].data() == {
        "tick": 2,
        "goal": "watch",
        "plan_id": "Ann #1",
        "decision": "kept",
        "reason": "there is nothing better",
        "change": "arrows: 1 → 2 (by sensor)",
        "plan": "",
    }


def test_a_recording_has_the_same_decisions_of_an_agent_a_goal_and_up_to_a_tick(tmp_path):
    live(tmp_path)
    recording = Recording.read(tmp_path / "run.jsonl")
    assert [str(one) for one in recording.decisions()] == TOLD
    assert recording.decisions("Ann", goal="watch") == recording.decisions()
    assert recording.decisions("Ann", goal="sleep") == recording.decisions("Ben") == ()
    assert [str(one) for one in recording.decisions(until=2)] == TOLD[:2]


def test_a_decision_about_no_known_plan_is_told_as_well():
    [found] = plan_decisions([event_data(PlanBroken("watch", "it is loud"))])
    assert str(found) == "tick 0: a plan of watch broken — it is loud"
