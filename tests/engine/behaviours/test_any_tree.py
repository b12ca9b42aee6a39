"""Random plans with random operators in a random world, interrupted at random.

Whatever happens: every start has exactly one end, no operator is ticked twice in a tick or at
all after its end, no tick raises, and beliefs change by sensors and finished steps alone.
"""

from collections import Counter

import py_trees
from hypothesis import event, given
from hypothesis import strategies as st
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence

from bthtn import UNKNOWN
from bthtn.engine.agent.events import BeliefChanged, LeafEnded, LeafStarted
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.behaviours.suspended import Suspended
from bthtn.studio.testing.strategies import World

# what is drawn

SENSED = [
    (World.open, True),
    (World.open, False),
    (World.lit, False),
    (World.lit, True),
    (World.count, 0),
    (World.count, 3),
    (World.armed, UNKNOWN),
    (World.armed, True),
]
CONDITIONS = [None] * 14 + [World.open, ~World.open, World.lit, World.count > 0, World.armed]
EFFECTS = [
    *[()] * 5,
    ((World.open, "becomes", True),),
    ((World.lit, "becomes", False),),
    ((World.count, "increases", 1),),
    ((World.count, "becomes", 0), (World.open, "becomes", False)),
]
SCRIPTS = ["S", "RS", "RRS", "RRRS", "RRRRRS", "R", "R", "R", "F", "RRF", "!", "RR!", "R?"]

TOP = 3
PROMISES = [(), (World.open.becomes(True),), (World.lit.becomes(True), World.count.becomes(3))]

leaves = st.fixed_dictionaries(
    {
        "scripts": st.lists(st.sampled_from(SCRIPTS), min_size=1, max_size=3),
        "form": st.sampled_from(["object", "object", "generator", "behaviour", "simulated"]),
        "raises": st.sampled_from([(), (), (), (), (), ("make",), ("start",), ("abort",)]),
        "precondition": st.sampled_from(CONDITIONS),
        "exec_only": st.sampled_from(CONDITIONS),
        "effects": st.sampled_from(EFFECTS),
        "uses": st.sampled_from(["", "legs", "arms"]),
        "senses": st.sampled_from([None, None, None, *SENSED]),
    }
)


ABOVE = ["sequence", "parallel", "parallel", "priority"]
BELOW = [*["leaf"] * 6, *ABOVE, *["defer"] * 6, "pause", "compound", "null"]


@st.composite
def networks(draw, depth=TOP):
    """A network as nested tuples: composites above, steps below."""
    kind = draw(st.sampled_from(ABOVE if depth == TOP else BELOW if depth else ["leaf"]))
    inner = networks(depth - 1)
    several = st.lists(inner, min_size=2, max_size=3)
    match kind:
        case "leaf":
            return draw(leaves)
        case "null":
            return ("null",)
        case "sequence" | "compound":
            return (kind, draw(several))
        case "parallel":
            return (kind, draw(several), draw(st.sampled_from(["all", "all", "any", "primary"])))
        case "priority":
            return (kind, draw(several), draw(st.booleans()))
        case "defer":
            return (kind, draw(inner), draw(st.sampled_from(PROMISES)))
        case _:
            return (kind, draw(inner))


moments = st.fixed_dictionaries(
    {
        "interrupt": st.sampled_from([False] * 6 + [True]),
        "urgent": st.sampled_from([False] * 6 + [True]),
        "sensed": st.lists(st.sampled_from(SENSED), max_size=2),
    }
)
scenes = st.fixed_dictionaries(
    {
        "first": networks(),
        "second": networks(1),
        "tree": st.sampled_from(["bare", "selector", "sequence", "both"]),
        "budget": st.sampled_from([None, None, 1, 3]),
        "horizon": st.sampled_from([None, None, 1, 2]),
        "check_rest": st.sampled_from([False, False, True]),
        "max_replans": st.sampled_from([0, 1, 5]),
        "moments": st.lists(moments, min_size=8, max_size=20),
    }
)


# how it is put on stage


class Urgent(py_trees.behaviour.Behaviour):
    """A branch that switches on and off."""

    def __init__(self, *, calm=Status.FAILURE, alarmed=Status.RUNNING):
        super().__init__("urgent")
        self.on = False
        self.answers = (calm, alarmed)

    def update(self):
        return self.answers[self.on]


def tree_of(kind, goals):
    """The goals in an authored tree, and what switches them off."""
    urgent = Urgent()
    if kind == "bare":
        return goals[0], urgent
    if kind == "selector":
        idle = py_trees.behaviours.Running("idle")
        return Selector("root", memory=False, children=[urgent, goals[0], idle]), urgent
    if kind == "sequence":
        urgent = Urgent(calm=Status.SUCCESS, alarmed=Status.FAILURE)
        return Sequence("root", memory=False, children=[urgent, goals[0]]), urgent
    both = Parallel("both", ParallelPolicy.SuccessOnAll(synchronise=False), goals)
    return Selector("root", memory=False, children=[urgent, both]), urgent


# what must be true


class Witness:
    """Watches one scene and knows what its beliefs must be."""

    def __init__(self, player):
        self.stage = player.stage
        self.player = player
        self.state = self.stage.actor.beliefs.frozen()
        self.heard = 0
        self.written = {}

    def ticks(self):
        return {name: code.ticks for name, code in self.stage.code.items()}

    def in_order(self):
        """What has to hold between ticks."""
        heard, code = self.stage.heard, self.stage.code
        assert heard.faults() == []
        assert [fault for one in code.values() for fault in one.faults] == []
        scripted = [name for name in heard.running() if name in code]
        at_work = [
            name for name, one in code.items() for run in one.runs if run.starts and not run.over
        ]
        assert sorted(scripted) == sorted(at_work)
        self.follow(heard.events[self.heard :])
        self.heard = len(heard.events)
        assert not self.written, "beliefs were written by a step that did not succeed"
        assert self.state == self.stage.actor.beliefs.frozen()

    def follow(self, events):
        for one in events:
            match one:
                case BeliefChanged(change) if change.source == "sensor":
                    self.state = self.state.changed({change.fluent: change.after})
                case BeliefChanged(change):
                    assert change.source in ("first", "second")
                    self.written[change.fluent] = change.after
                case LeafEnded(_, task, True):
                    assert self.written == self.due(task)
                    self.state = self.state.changed(self.written)
                    self.written = {}
                case _:
                    assert not self.written, one

    def due(self, task):
        """What the task's effects change here."""
        values = {}
        for fluent, verb, value in self.player.effects[task]:
            before = self.state.get(fluent)
            values[fluent] = before + value if verb == "increases" else value
        return {fluent: new for fluent, new in values.items() if new != self.state.get(fluent)}


def phases(goals, heard):
    """In which phases of plans an interrupt would come now."""
    found = set()
    if heard.running():
        found.add("a running step")
    for goal in goals:
        if goal.status is not Status.RUNNING:
            continue
        if not goal.children:
            found.add("a planning goal")
        for node in goal.iterate():
            if node.status is Status.RUNNING:
                if isinstance(node, Suspended):
                    waits = node.feedback_message.startswith("waits for")
                    found.add("a waiting suspension" if waits else "a planning suspension")
                if isinstance(node, PlanParallel):
                    found.add("a parallel")
                if node.name == "code":
                    found.add("a behaviour of a step")
    return found


class Scene:
    """A drawn scene, ready to be played a moment at a time."""

    def __init__(self, player, drawn):
        self.stage = player.stage
        self.player = player
        self.drawn = drawn
        networks = {name: player.network(drawn[name]) for name in ("first", "second")}
        options = {key: drawn[key] for key in ("budget", "horizon", "check_rest", "max_replans")}
        self.goals = [self.stage.goal(net, name=name, **options) for name, net in networks.items()]
        self.root, self.urgent = tree_of(drawn["tree"], self.goals)
        self.witness = Witness(player)
        self.counts = Counter()

    def play(self):
        """Play it all, check everything, and count what came about."""
        for moment in self.drawn["moments"]:
            self.pass_a_tick(moment)
            if moment["interrupt"]:
                self.interrupt()
        for node in list(self.root.iterate()):
            node.shutdown()
        self.nothing_runs()
        self.counts.update(line.split()[0] for line in self.stage.heard.story())
        self.counts.update(type(one).__name__ for one in self.stage.heard.events)
        return self.counts

    def pass_a_tick(self, moment):
        for variable, value in moment["sensed"]:
            self.player.sense(variable, value)
        self.urgent.on = moment["urgent"] and self.drawn["tree"] != "bare"
        if self.urgent.on:
            self.count_phases()
        before, heard = self.witness.ticks(), len(self.stage.heard.events)
        self.root.tick_once()
        self.witness.in_order()
        now = self.witness.ticks()
        assert all(now[name] - before[name] <= 1 for name in now), "ticked twice in a tick"
        new = [one.task for one in self.stage.heard.events[heard:] if isinstance(one, LeafStarted)]
        assert len(new) == len(set(new)), "started twice in a tick"
        if self.urgent.on:
            self.nothing_runs()

    def interrupt(self):
        self.count_phases()
        before = self.witness.ticks()
        self.root.stop(Status.INVALID)
        self.root.stop(Status.INVALID)
        assert self.witness.ticks() == before, "ticked by an abort"
        self.nothing_runs()

    def nothing_runs(self):
        self.witness.in_order()
        assert self.stage.heard.running() == []

    def count_phases(self):
        self.counts.update(f"cut off: {phase}" for phase in phases(self.goals, self.stage.heard))


@given(scenes)
def test_whatever_happens_every_start_has_exactly_one_end(new_player, drawn):
    for happened in Scene(new_player(), drawn).play():
        event(happened)
