"""Random trees of goals: what is replaced is aborted first, for the reason that is told.

Goals with resources stand under every composite and decorator of py_trees and under those of
bthtn, nested, in a world that changes. Never do two steps of the agent have one resource; no step
starts before the aborts of the goals whose place its own goal takes; every start has one end; and
the reason of an interrupted goal is the decision of the behaviour that made it.

``pytest --hypothesis-profile night tests/properties/test_orders_of_starts.py`` is a million events.
"""

from collections import Counter

from hypothesis import event, given
from hypothesis import strategies as st
from py_trees import decorators
from py_trees.behaviour import Behaviour
from py_trees.behaviours import Running
from py_trees.common import OneShotPolicy, ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence

from bthtn import Domain, parallel, priority
from bthtn import behaviours as own
from bthtn.behaviours import (
    Agent,
    Operators,
    PlanGoal,
    PriorityGoals,
    StateMachineGoals,
    UtilityGoals,
)
from bthtn.engine.agent.events import (
    LeafAborted,
    LeafAborting,
    LeafEnded,
    LeafStarted,
    LeafWaits,
    PlanAborted,
)
from bthtn.studio.testing.doubles import RecordingListener, ScriptedOperator
from bthtn.studio.testing.strategies import World
from tests.sizes import size

CONDITIONS = {"always": True, "open": World.open, "lit": World.lit, "shut": ~World.open}

steps = st.tuples(
    st.just("step"),
    st.fixed_dictionaries(
        {
            "script": st.sampled_from(["S", "RS", "RRS", "RRRRRS", "F", "RF", "R"]),
            "uses": st.sampled_from([(), ("legs",), ("arms",), ("arms", "legs")]),
            "abort_ticks": st.sampled_from([0, 0, 0, 1, 3]),
            "precondition": st.sampled_from(list(CONDITIONS)),
        }
    ),
)
networks = st.recursive(
    steps,
    lambda parts: st.tuples(
        st.sampled_from(["sequence", "parallel", "priority", "reactive"]),
        st.lists(parts, min_size=2, max_size=3),
    ),
    max_leaves=3,
)

COMPOSITES = {
    "selector": lambda name, of: Selector(name, memory=False, children=of),
    "selector with memory": lambda name, of: Selector(name, memory=True, children=of),
    "sequence": lambda name, of: Sequence(name, memory=False, children=of),
    "sequence with memory": lambda name, of: Sequence(name, memory=True, children=of),
    "parallel": lambda name, of: Parallel(name, ParallelPolicy.SuccessOnAll(), of),
    "again": lambda name, of: Parallel(name, ParallelPolicy.SuccessOnAll(synchronise=False), of),
    "one": lambda name, of: Parallel(name, ParallelPolicy.SuccessOnOne(), of),
    "first": lambda name, of: Parallel(name, ParallelPolicy.SuccessOnSelected(of[:1]), of),
    "counting": lambda name, of: own.Parallel(name, of, success_count=1, failure_count=2),
    "if then else": lambda name, of: own.IfThenElse(name, *of[:3]),
    "while do else": lambda name, of: own.WhileDoElse(name, *of[:3]),
}
DECORATORS = {
    "inverter": decorators.Inverter,
    "failure is running": decorators.FailureIsRunning,
    "failure is success": decorators.FailureIsSuccess,
    "running is failure": decorators.RunningIsFailure,
    "running is success": decorators.RunningIsSuccess,
    "success is failure": decorators.SuccessIsFailure,
    "success is running": decorators.SuccessIsRunning,
    "pass through": decorators.PassThrough,
    "count": decorators.Count,
    "patient": lambda name, of: decorators.Timeout(name, of, duration=1e9),
    "impatient": lambda name, of: decorators.Timeout(name, of, duration=-1.0),
    "retry": lambda name, of: decorators.Retry(name, of, num_failures=2),
    "repeat": lambda name, of: decorators.Repeat(name, of, num_success=2),
    "one shot": lambda name, of: decorators.OneShot(name, of, OneShotPolicy.ON_COMPLETION),
    "condition": lambda name, of: decorators.Condition(name, of, Status.SUCCESS),
    "repeat at once": lambda name, of: own.Repeat(name, of, 2),
    "retry at once": lambda name, of: own.RetryUntilSuccessful(name, of, 2),
    "endless": lambda name, of: own.Repeat(name, of, -1),
    "two ticks": lambda name, of: own.Timeout(name, of, ticks=2),
    "delay": lambda name, of: own.Delay(name, of, ticks=1),
    "cooldown": lambda name, of: own.Cooldown(name, of, ticks=2),
    "run once": own.RunOnce,
}
OF_GOALS = ["priority", "utility", "states", "switch"]

trees = st.recursive(
    st.one_of(st.tuples(st.just("goal"), networks), st.just(("if",)), st.just(("idle",))),
    lambda parts: st.one_of(
        st.tuples(st.sampled_from(list(COMPOSITES)), st.lists(parts, min_size=2, max_size=4)),
        st.tuples(st.sampled_from(OF_GOALS), st.lists(parts, min_size=2, max_size=3)),
        st.tuples(st.sampled_from(list(DECORATORS)), parts),
        st.tuples(st.just("guard"), parts),
    ),
    max_leaves=8,
)
changes = st.one_of(
    st.tuples(st.just("open"), st.booleans()),
    st.tuples(st.just("lit"), st.booleans()),
    st.just(("nothing", None)),
    st.just(("stop", None)),
)


class If(Behaviour):
    """Succeeds while the door is open."""

    def __init__(self, name, actor):
        super().__init__(name)
        self.actor = actor

    def update(self):
        return Status.SUCCESS if self.actor.beliefs.get(World.open) else Status.FAILURE


class Play:
    """Builds a tree, runs it, and writes down what must not happen."""

    def __init__(self, drawn):
        self.domain, self.operators = Domain("drawn", World), Operators()
        self.uses, self.goal_of, self.faults, self.events = {}, {}, [], 0
        self.networks, self.nodes, self.ticking, self.running = {}, [], [], {}
        self.started = []
        self.heard = RecordingListener()
        self.counts = Counter()
        self.prepare(drawn)
        self.actor = Agent(
            "he", self.domain, World(), body=None, operators=self.operators, listener=self.hear
        )
        self.root = self.node(drawn)

    # the tasks of all goals have to be there before the first goal is

    def prepare(self, drawn):
        kind, *more = drawn
        if kind == "goal":
            name = f"goal {len(self.networks)}"
            self.networks[id(drawn)] = (name, self.network(name, more[0]))
        elif more:
            for one in more[0] if isinstance(more[0], list) else more:
                self.prepare(one)

    def network(self, goal, drawn):
        kind, parts = drawn
        if kind == "step":
            return self.step(goal, **parts)
        made = [self.network(goal, one) for one in parts]
        if kind == "parallel":
            return parallel(*made, policy="any")
        return tuple(made) if kind == "sequence" else priority(*made, reactive=kind == "reactive")

    def step(self, goal, script, uses, abort_ticks, precondition):
        name = f"t{len(self.uses)}"
        self.uses[name], self.goal_of[name] = set(uses), goal
        task = self.domain.primitive(name, uses=uses, precondition=CONDITIONS[precondition])
        self.operators.bind(task)(ScriptedOperator(script, abort_ticks=abort_ticks))
        return task()

    # the tree

    def node(self, drawn):
        kind, *more = drawn
        name = f"{kind} {len(self.nodes)}"
        self.nodes.append(None)
        if kind == "goal":
            name, network = self.networks[id(drawn)]
            made = PlanGoal(name, self.actor, network, max_replans=1)
        elif kind == "if":
            made = If(name, self.actor)
        elif kind == "idle":
            made = Running(name)
        elif kind in DECORATORS:
            made = DECORATORS[kind](name, self.node(more[0]))
        elif kind == "guard":
            made = decorators.EternalGuard(
                name, self.node(more[0]), lambda: self.actor.beliefs.get(World.lit) is not False
            )
        else:
            made = self.composite(kind, name, [self.node(one) for one in more[0]])
        self.watch(made)
        self.nodes.append(made)
        return made

    def composite(self, kind, name, children):
        match kind:
            case "priority":
                return PriorityGoals(name, self.actor, children, period=1)
            case "utility":
                wanted = [lambda state: state.open, lambda state: state.lit, lambda state: 0.5]
                return UtilityGoals(name, self.actor, list(zip(children, wanted, strict=False)))
            case "switch":
                cases = dict(zip([True], children, strict=False))
                return own.Switch(name, self.actor, World.open, cases, children[1])
            case "states":
                return (
                    StateMachineGoals(
                        name,
                        self.actor,
                        World.open,
                        dict(zip([True, False], children, strict=False)),
                    )
                    if len(children) == 2
                    else PriorityGoals(name, self.actor, children, period=2)
                )
            case _:
                return COMPOSITES[kind](name, children)

    def watch(self, node):
        """Keep a stack of the behaviours that are being ticked."""
        ticked = node.tick

        def tick():
            running = ticked()
            while True:
                self.ticking.append(node)
                try:
                    told = next(running)
                except StopIteration:
                    return
                finally:
                    self.ticking.pop()
                yield told

        node.tick = tick

    # what happens

    def hear(self, told):
        self.heard(told)
        self.events += 1
        match told:
            case LeafStarted(number, task):
                for other in self.running.values():
                    if self.uses[other] & self.uses[task]:
                        self.faults.append(f"{task} started while {other} had its resource")
                self.running[number] = task
                self.started.append(self.goal_of[task])
            case LeafAborted(number) | LeafEnded(number):
                del self.running[number]
            case LeafAborting() | LeafWaits():
                self.counts[type(told).__name__] += 1
            case PlanAborted(goal, reason):
                self.judge(goal, reason)

    def judge(self, name, reason):
        """Whether the reason is the decision of the behaviour that is ticked now."""
        goal = next(one for one in self.nodes if one is not None and one.name == name)
        above = [one for one in self.ticking if one is not goal and goal in one.iterate()]
        if not above:
            self.expect(name, reason, {"the tree was stopped"})
            return
        decides = above[-1]
        self.counts[type(decides).__name__] += 1
        if isinstance(decides, decorators.Decorator):
            self.expect(name, reason, {f"'{decides.name}' stopped it"})
            return
        others = [one for one in decides.children if goal not in one.iterate()]
        verbs = {Status.FAILURE: "failed", Status.SUCCESS: "succeeded"}
        if not isinstance(decides, Parallel):
            verbs |= {status: "took over" for status in Status if status is not Status.FAILURE}
        wanted = {f"'{one.name}' {verbs[one.status]}" for one in others if one.status in verbs}
        self.expect(name, reason, wanted | {f"'{decides.name}' stopped it"})
        for one in others:
            if reason == f"'{one.name}' took over":
                self.counts["took over"] += 1
                inside = {node.name for node in one.iterate()}
                if early := inside.intersection(self.started):
                    self.faults.append(f"{early} started before '{name}' was aborted")

    def expect(self, name, reason, wanted):
        if reason not in wanted:
            self.faults.append(f"{name}: {reason}, and not one of {sorted(wanted)}")

    def play(self, moments):
        for fluent, value in moments:
            self.started.clear()
            if fluent == "stop":
                self.root.stop(Status.INVALID)
                continue
            if value is not None:
                self.actor.believe(getattr(World, fluent), value)
            self.root.tick_once()
        self.root.stop(Status.INVALID)
        for node in list(self.root.iterate()):
            node.shutdown()
        self.faults += self.heard.faults()
        if self.running or self.heard.running():
            self.faults.append(f"{self.running} did not end")


def played(drawn, changed):
    """What happened in a play, which was without a fault."""
    play = Play(drawn)
    play.play(changed)
    assert play.faults == []
    return play.counts + Counter(events=play.events)


# Half of the trees have an alarm: a branch that takes over while the door is open.
alarms = st.tuples(
    st.just("selector"),
    st.tuples(
        st.tuples(st.just("sequence"), st.tuples(st.just(("if",)), trees).map(list)), trees
    ).map(list),
)
scenes = st.one_of(trees, alarms, st.tuples(st.sampled_from(list(DECORATORS)), alarms))
moments = st.lists(
    changes,
    min_size=size(quick=8, thorough=8, night=60),
    max_size=size(quick=30, thorough=40, night=150),
)


@given(scenes, moments)
def test_what_is_replaced_is_aborted_before_what_replaces_it_starts(drawn, changed):
    for happened in played(drawn, changed):
        event(happened)
