"""Random plans with parts that are cleaned up after, in a world that interrupts and changes.

Whatever happens: every part of which a step has started is cleaned up exactly once for that, as
planned or afterwards; inner parts before outer ones; and nothing of the goal starts meanwhile.
"""

from collections import Counter

import py_trees
from hypothesis import event, given
from hypothesis import strategies as st
from py_trees.common import Status

from bthtn import method, parallel, pause, priority, retry, timeout, with_cleanup
from bthtn.behaviours import Replanning
from bthtn.engine.agent.events import (
    CleanupEnded,
    CleanupStarted,
    LeafAborted,
    LeafEnded,
    LeafStarted,
    PlanRepaired,
    PlanReplaced,
)
from bthtn.engine.behaviours.cleanup import OwedCleanup
from bthtn.studio.testing.strategies import World

# what is drawn

CONDITIONS = [*[None] * 4, World.lit, ~World.lit, World.open]
SENSED = [(variable, value) for variable in (World.lit, World.open) for value in (True, False)]
steps = st.fixed_dictionaries(
    {
        "script": st.sampled_from(["S", "RS", "RRS", "RRRS", "RRRRRS", "R", "F", "RF", "!"]),
        "abort_ticks": st.sampled_from([0, 0, 0, 1, 2]),
        "precondition": st.sampled_from(CONDITIONS),
    }
)
STEADY = {"script": "RRRRRS", "abort_ticks": 0, "precondition": None}


@st.composite
def networks(draw, depth=3):
    """Nested tuples of steps."""
    inner = ["guarded"] * 5 + ["choice"] * 3 + ["sequence", "parallel", "priority", "pause"]
    inner += ["retry", "timeout"]
    kind = draw(st.sampled_from(["step", *inner] if depth else ["step"]))
    if kind == "step":
        return ("step", draw(steps))
    parts = draw(st.lists(networks(depth - 1), min_size=1, max_size=3))
    return (kind, parts, draw(st.sampled_from(["all", "any", "primary"])), draw(steps))


def turning(one, other, described):
    """A part in which the world decides what is done behind its first step."""
    choice = ("choice", [one, other], "all", STEADY)
    return ("guarded", [choice], "all", described)


scenes = st.fixed_dictionaries(
    {
        "network": networks() | st.builds(turning, networks(2), networks(2), steps),
        "moments": st.lists(
            st.fixed_dictionaries(
                {
                    "sensed": st.lists(st.sampled_from(SENSED), max_size=2),
                    "urgent": st.sampled_from([False] * 5 + [True]),
                    "interrupt": st.sampled_from([False] * 9 + [True]),
                }
            ),
            min_size=8,
            max_size=16,
        ),
        "interrupt": st.sampled_from(["surprise", "surprise", "mtr", "any"]),
        "repair": st.sampled_from([True, True, False]),
    }
)


# how it is put on stage, and what is seen of it


class Part:
    """A part that is cleaned up after, as the events show it."""

    def __init__(self, name, inside):
        self.name = name
        self.inside = inside
        self.state = "closed"
        self.inner = []


class Witness:
    """Makes the steps of a scene, and follows what becomes of its parts."""

    def __init__(self, stage):
        self.stage = stage
        self.parts = {}
        self.parts_of = {}
        self.faults = []
        self.counts = Counter()

    def network(self, drawn, inside=()):
        if drawn[0] == "step":
            return self.step(drawn[1], f"b{len(self.parts_of)}", inside)
        kind, parts, option, described = drawn
        if kind == "guarded":
            part = self.parts[f"c{len(self.parts)}"] = Part(f"c{len(self.parts)}", inside)
            for outer in inside:
                outer.inner.append(part)
            made = [self.network(one, (*inside, part)) for one in parts]
            return with_cleanup(*made, finally_=self.step(described, part.name))
        made = [self.network(one, inside) for one in parts]
        match kind:
            case "parallel":
                return parallel(*made, policy=option)
            case "priority":
                return priority(*made, reactive=option == "any")
            case "retry":
                return retry(2, *made)
            case "timeout":
                return timeout(3, *made)
            case "pause":
                return (made[0], pause(), *made[1:])
            case "choice":
                conditions = (World.lit, True, World.open)
                pairs = list(zip(made, conditions, strict=False))
                name = f"choice{len(self.stage.domain._tasks)}"
                chosen = self.stage.compound(name, lambda: (method(a, when=b) for a, b in pairs))
                return (self.step(described, f"b{len(self.parts_of)}", inside), chosen)
            case _:
                return tuple(made)

    def step(self, drawn, name, inside=None):
        if inside is not None:
            self.parts_of[name] = inside
        return self.stage.step(
            name,
            drawn["script"],
            abort_ticks=drawn["abort_ticks"],
            precondition=drawn["precondition"],
        )

    def owed(self):
        """The cleanups that wait or work, by the names of their steps."""
        unfinished = self.stage.actor.aborts._unfinished
        return [one.task for one in unfinished if isinstance(one, OwedCleanup)]

    def __call__(self, told):
        self.stage.heard(told)
        match told:
            case LeafStarted(_, task) if task in self.parts_of:
                if self.stage.actor.aborts._unfinished:
                    self.faults.append(f"{task} did not wait")
                for part in self.parts_of[task]:
                    part.state = "open"
            case LeafStarted(_, task) if task in self.parts:
                part = self.parts[task]
                if part.state == "closed":
                    self.faults.append(f"{task} was started once more")
            case LeafEnded(_, task) if task in self.parts:
                part = self.parts[task]
                if part.state == "open":
                    part.state = "closed"
                    self.counts["as planned"] += 1
            case LeafAborted(_, task) if task in self.parts:
                self.counts["interrupted"] += self.parts[task].state == "open"
            case PlanReplaced() | PlanRepaired():
                still = any(part.state == "open" for part in self.parts.values())
                self.counts[f"{type(told).__name__} while open"] += still
            case _:
                self.about_cleanups(told)

    def about_cleanups(self, told):
        match told:
            case CleanupStarted(_, task):
                self.expect(task, "open")
                if any(one.state != "closed" for one in self.parts[task].inner):
                    self.faults.append(f"{task} did not wait for those inside")
                self.parts[task].state = "at work"
                self.counts["nested"] += bool(self.parts[task].inner)
            case CleanupEnded(_, task, succeeded):
                self.expect(task, "open", "at work")
                self.parts[task].state = "closed"
                self.counts["afterwards"] += succeeded
                self.counts["in vain"] += not succeeded
                self.counts["cut off"] += getattr(told.error, "code", "") == "BT306"
                self.counts["no plan"] += told.reason == "there is no plan"

    def expect(self, task, *states):
        if self.parts[task].state not in states:
            self.faults.append(f"{task} is {self.parts[task].state}, not {states}")


class Urgent(py_trees.behaviour.Behaviour):
    """Takes over from what stands behind it, or lets it through."""

    on = False

    def update(self):
        return Status.RUNNING if self.on else Status.FAILURE


def play(stage, drawn):
    """Play a scene to its end, check everything, and count what came about."""
    witness = Witness(stage)
    network = witness.network(drawn["network"])
    stage.agent(lit=True, open=True).listener = witness
    replanning = Replanning(interrupt=drawn["interrupt"], repair=drawn["repair"])
    goal = stage.goal(network, replanning=replanning)
    urgent = Urgent("urgent")
    root = py_trees.composites.Selector("root", memory=False, children=[urgent, goal])
    for moment in drawn["moments"]:
        for variable, value in moment["sensed"]:
            stage.actor.believe(variable, value)
        urgent.on = moment["urgent"]
        root.tick_once()
        if moment["interrupt"]:
            root.stop(Status.INVALID)
        assert witness.faults == []
        if goal.status is not Status.RUNNING:
            open_ones = [one.name for one in witness.parts.values() if one.state != "closed"]
            assert sorted(open_ones) == sorted(witness.owed())
        if goal.status is Status.SUCCESS:
            assert witness.owed() == []
    root.stop(Status.INVALID)
    for node in list(root.iterate()):
        node.shutdown()
    assert witness.faults == stage.heard.faults() == []
    assert [one.name for one in witness.parts.values() if one.state != "closed"] == []
    assert len(stage.actor.aborts) == 0
    assert stage.heard.running() == []
    assert [fault for one in stage.code.values() for fault in one.faults] == []
    return witness.counts


@given(scenes)
def test_what_was_begun_is_cleaned_up_exactly_once(new_stage, drawn):
    for happened in +play(new_stage(), drawn):
        event(happened)
