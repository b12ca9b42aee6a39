"""Random plans of two goals, with everything that can happen to a step, interrupted at random.

Whatever happens: every operator that started ends exactly once, every lease comes back, every hook
that was called at the beginning of a plan is called at its end, no step starts while its
precondition is false, goes on while its `during` is, or starts beside an abort that is in its way.
"""

from collections import Counter

import py_trees
from hypothesis import event, given
from hypothesis import strategies as st
from py_trees.common import Status

from bthtn import defer, parallel, priority, retry, timeout
from bthtn.behaviours import Completion, OperatorFailed
from bthtn.engine.agent.events import (
    LeafAborted,
    LeafAborting,
    LeafEnded,
    LeafStarted,
    LeaseReturned,
    LeaseTaken,
    PlanAdopted,
)
from bthtn.studio.testing.doubles import ScriptedError, ScriptedOperator
from bthtn.studio.testing.strategies import World

# what is drawn

CONDITIONS = [*[None] * 8, World.open, ~World.open, World.count > 0, World.lit]
EFFECTS = [
    *[()] * 6,
    World.open.becomes(True),
    World.open.becomes(False),
    World.count.increases(1),
]
SENSED = [(World.open, True), (World.open, False), (World.count, 0), (World.lit, False)]
SENSED += [(World.lit, True)] * 2
MOMENTS = ("on_start", "on_failure", "on_abort")


def broken(state):
    raise ScriptedError


conditions, effects = st.sampled_from(CONDITIONS), st.sampled_from([*EFFECTS, broken])
steps = st.fixed_dictionaries(
    {
        "script": st.sampled_from(["S", "RS", "RRS", "RRRRS", "R", "R", "F", "RRF", "R!"]),
        "form": st.sampled_from(["object", "object", "generator", "completion"]),
        "raises": st.sampled_from([(), (), (), (), ("start",), ("abort",)]),
        "abort_ticks": st.sampled_from([0, 1, 2, 3]),
        "takes": st.sampled_from([None, None, "token", "spot"]),
        "hook": st.sampled_from([None, None, "plain", "takes", "takes", "raises"]),
        "described": st.fixed_dictionaries(
            {
                "precondition": conditions,
                "exec_only": conditions,
                "during": conditions,
                "uses": st.sampled_from(["", "legs", "arms"]).map(lambda one: one or ()),
                "uninterruptible": st.booleans(),
                "effects": st.sampled_from(EFFECTS),
                **dict.fromkeys(MOMENTS, effects),
            }
        ),
    }
)


@st.composite
def networks(draw, depth=2):
    """Nested tuples of steps."""
    kinds = ["sequence", "parallel", "parallel", "priority", "defer"] * 2 + ["retry", "timeout"]
    kind = draw(st.sampled_from(["step", *kinds] if depth else ["step"]))
    if kind == "step":
        return ("step", draw(steps))
    parts = draw(st.lists(networks(depth - 1), min_size=1, max_size=3))
    option = draw(st.sampled_from(["all", "any", "primary"]))
    return (kind, parts, option)


moments = st.fixed_dictionaries(
    {
        "sensed": st.lists(st.sampled_from(SENSED), max_size=2),
        "urgent": st.sampled_from([False, False, False, True]),
        "interrupt": st.sampled_from([False] * 5 + [True]),
        "calls": st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=2),
    }
)
scenes = st.fixed_dictionaries(
    {
        "networks": st.tuples(networks(), networks()),
        "moments": st.lists(moments, min_size=6, max_size=20),
    }
)


# how it is put on stage


class Player:
    """Builds the steps of a scene, and sees what is done to them."""

    def __init__(self, stage):
        self.stage = stage
        self.drawn = {}
        self.completions = []
        self.open_hooks = Counter()
        self.faults = []
        self.interrupted_giving_up = 0

    def network(self, drawn):
        if drawn[0] == "step":
            return self.step(drawn[1])
        kind, parts, option = drawn
        made = [self.network(one) for one in parts]
        match kind:
            case "parallel":
                return parallel(*made, policy=option)
            case "priority":
                return priority(*made, reactive=option == "all")
            case "retry":
                return retry(2, *made)
            case "timeout":
                return timeout(3, *made)
            case "defer":
                return tuple(defer(one) if _is_step(one) else one for one in made)
            case _:
                return tuple(made)

    def step(self, drawn):
        name = f"t{len(self.drawn)}"
        task = self.stage.domain.primitive(name, **drawn["described"])
        self.drawn[name] = drawn
        code = self.stage.code[name] = ScriptedOperator(
            drawn["script"],
            raises=drawn["raises"],
            abort_ticks=drawn["abort_ticks"],
            at_tick=lambda: self.ticked(name),
        )
        self.stage.operators.bind(task)(self.operator(code, drawn))
        if drawn["hook"] is not None:
            self.hook(task, name, drawn["hook"])
        return task()

    def operator(self, code, drawn):
        def operator(agent):
            if drawn["takes"] is not None and not agent.take(drawn["takes"]):
                raise OperatorFailed("somebody has it")
            if drawn["form"] == "generator":
                return generating(code(agent))
            if drawn["form"] == "completion":
                self.completions.append(Completion())
                return self.completions[-1]
            return code(agent)

        return operator

    def hook(self, task, name, kind):
        @self.stage.operators.on_plan_start(task)
        def begin(agent):
            if kind != "plain" and not agent.take(f"hook {name}"):
                raise OperatorFailed("somebody has it")
            if kind == "raises":
                raise ScriptedError
            self.open_hooks[name] += 1

        @self.stage.operators.on_plan_end(task)
        def end(agent):
            self.open_hooks[name] -= 1
            if self.open_hooks[name] < 0:
                self.faults.append(f"{name} ended before it began")

    def ticked(self, name):
        """An operator is being ticked."""
        first = self.stage.code[name].runs[-1].ticks == 1
        if not first and self.is_false(self.drawn[name]["described"]["during"]):
            self.faults.append(f"{name} went on")

    def is_false(self, condition):
        return condition is not None and condition.evaluate(self.stage.actor.beliefs) is False

    def __call__(self, told):
        """The listener of the agent, asked before the step's effects of the start are written."""
        self.stage.heard(told)
        if isinstance(told, LeafStarted):
            described = self.drawn[told.task]["described"]
            for asked in ("precondition", "exec_only"):
                if self.is_false(described[asked]):
                    self.faults.append(f"{told.task} started although {asked} is false")
            [goal] = [name for name, tasks in self.tasks_of.items() if told.task in tasks]
            uses = {self.drawn[name]["described"]["uses"] for name in self.busy(told)}
            if described["uses"] in uses - {()}:
                self.faults.append(f"{told.task} started although another one has its resource")
            if self.is_aborting(goal):
                self.faults.append(f"{told.task} did not wait")
        if isinstance(told, PlanAdopted) and self.is_aborting(told.goal):
            self.faults.append(f"a plan for {told.goal} did not wait")

    def busy(self, told):
        """The other steps that run."""
        return [name for name in self.stage.heard.running() if name != told.task]

    def is_aborting(self, goal):
        """Whether an abort of this goal is unfinished."""
        return any(one.holder.inside.name == goal for one in self.stage.actor.aborts._unfinished)


def _is_step(network):
    return not isinstance(network, tuple) and hasattr(network, "task")


def generating(run):
    """A generator that does as a scripted operator does, also while it is being given up."""
    run.start()
    try:
        while (answer := run.tick()) is Status.RUNNING:
            yield
        if answer is not Status.SUCCESS:
            raise OperatorFailed(str(answer))
    finally:
        if not run.over:
            answer = run.abort()
            while answer is Status.RUNNING:
                yield
                answer = run.tick()


class Urgent(py_trees.behaviour.Behaviour):
    """Takes over from what stands behind it, or lets it through."""

    on = False

    def update(self):
        return Status.SUCCESS if self.on else Status.FAILURE


def play(stage, drawn):
    """Play a scene to its end, check everything, and count what came about."""
    player = Player(stage)
    made, player.tasks_of = [], {}
    for name, network in zip(("first", "second"), drawn["networks"], strict=True):
        before = set(player.drawn)
        made.append(player.network(network))
        player.tasks_of[name] = set(player.drawn) - before
    stage.agent().listener = player
    goals = [stage.goal(one, name=name) for one, name in zip(made, player.tasks_of, strict=True)]
    urgent = Urgent("urgent")
    above = py_trees.composites.Sequence("above", memory=False, children=[urgent, goals[0]])
    root = py_trees.composites.Selector("root", memory=False, children=[above, goals[1]])
    for moment in drawn["moments"]:
        pass_a_tick(stage, player, root, urgent, moment)
    root.stop(Status.INVALID)
    for node in list(root.iterate()):
        node.shutdown()
    for completion in player.completions:
        assert completion.reason is not None or not completion.succeed()
    assert_in_order(stage, player)
    assert stage.heard.running() == []
    assert len(stage.actor.aborts) == len(stage.actor.leases) == 0
    assert +player.open_hooks == Counter()
    return counted(stage, player)


def pass_a_tick(stage, player, root, urgent, moment):
    for variable, value in moment["sensed"]:
        stage.actor.believe(variable, value)
    for index, well in moment["calls"]:
        if index < len(player.completions):
            one = player.completions[-1 - index]
            one.succeed() if well else one.fail()
    urgent.on = moment["urgent"]
    root.tick_once()
    assert_in_order(stage, player)
    giving_up = len(stage.heard.of(LeafAborting)) - ended_late(stage) - len(stage.actor.aborts)
    if moment["interrupt"]:
        root.stop(Status.INVALID)
        assert_in_order(stage, player)
        assert len(stage.heard.running()) == len(stage.actor.aborts)
    player.interrupted_giving_up += giving_up * moment["interrupt"]


def ended_late(stage):
    """How many steps whose aborts took time have ended."""
    late = {one.leaf for one in stage.heard.of(LeafAborting)}
    ends = (*stage.heard.of(LeafEnded), *stage.heard.of(LeafAborted))
    return sum(one.leaf in late for one in ends)


def assert_in_order(stage, player):
    """What has to hold between ticks."""
    assert player.faults == []
    assert stage.heard.faults() == []
    assert [fault for one in stage.code.values() for fault in one.faults] == []
    held = len(stage.heard.of(LeaseTaken)) - len(stage.heard.of(LeaseReturned))
    assert held == len(stage.actor.leases)
    running = set(stage.heard.running())
    for key in ("token", "spot"):
        for holder in stage.actor.leases.holders(key):
            assert holder.name.split(" #")[0] in running


def counted(stage, player):
    counts = Counter(type(one).__name__ for one in stage.heard.events)
    counts["late calls"] = sum(one.ignored for one in player.completions)
    counts["interrupted giving up"] = player.interrupted_giving_up
    counts["during"] = sum(
        isinstance(one, LeafEnded) and " is false" in one.reason for one in stage.heard.events
    )
    counts["cut off"] = sum(
        getattr(one.error, "code", "") == "BT306" for one in stage.heard.of(LeafAborted)
    )
    counts["failed by its abort"] = sum(
        isinstance(one.error, ScriptedError) for one in stage.heard.of(LeafAborted)
    )
    return counts


@given(scenes)
def test_whatever_happens_what_was_begun_is_ended_and_given_back(new_stage, drawn):
    for happened in +play(new_stage(), drawn):
        event(happened)
