"""Who is ticked only when he is due, or is told something, does what his twin does in every frame.

The twins have the same random domain, goals and tree, in worlds in which the same happens: the
same beliefs are told, and the same steps end. One is ticked in every frame, the other one sleeps
as long as ``due_in`` lets him. All that they tell has to be the same, with the same times, and
after every frame the same nodes run.
"""

import json
from collections import Counter
from random import Random
from re import sub

from py_trees import decorators
from py_trees.behaviours import Running, Success, TickCounter
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel as TreeParallel
from py_trees.composites import Selector, Sequence

from bthtn import Settings, seconds
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    Completion,
    Cooldown,
    Delay,
    IfThenElse,
    ManualClock,
    OperatorFailed,
    Operators,
    Parallel,
    PlanGoal,
    PriorityGoals,
    Repeat,
    Replanning,
    RetryPolicy,
    RetryUntilSuccessful,
    RunOnce,
    StateMachineGoals,
    Switch,
    Timeout,
    UtilityGoals,
    WhileDoElse,
)
from bthtn.engine.domain.task import CompoundTask
from bthtn.kit.recording import event_data
from bthtn.studio.testing.doubles import ScriptedOperator
from bthtn.studio.testing.playground import World
from tests.engine.running.scenes import CONDITIONS, Drawn
from tests.properties.scenes import LIMITS
from tests.sizes import seeds


class DrawnInSeconds(Drawn):
    """Draws a scene in which things take seconds; in every tenth one, ticks."""

    def __init__(self, number):
        super().__init__(number)
        self.time = seconds if number % 10 else int


class Twin:
    """A character of the scene of this number, in a world of his own."""

    def __init__(self, number):
        self.dice = Random(number)  # noqa: S311 - not for secrets
        self.scene = DrawnInSeconds(number).scene()
        self.clock = ManualClock()
        self.open = []
        self.agent = Agent(
            "somebody",
            self.scene.domain,
            World.over(self.scene.state),
            body=None,
            operators=self.operators(),
            clock=self.clock,
        )
        tasks = self.scene.domain.tasks.values()
        compound = (task for task in tasks if isinstance(task, CompoundTask))
        self.calls = [task() for task in compound if not task.parameters]
        self.character = Character(self.node(3), self.agent)
        self.wakes = 0.0
        self.ticks = 0

    # what the steps do

    def operators(self):
        operators = Operators(simulates_others=True)
        for task, (scripts, abort_ticks) in self.scene.scripts.items():
            match self.dice.randrange(8):
                case 0:
                    operators.bind(task)(ScriptedOperator(*scripts, abort_ticks=abort_ticks))
                case 1 | 2:
                    operators.bind(task)(self.generator(scripts, abort_ticks))
                case _:
                    operators.bind(task)(self.completion(scripts))
        return operators

    def completion(self, scripts):
        starts = iter(scripts)

        def made(agent):
            script = next(starts, scripts[-1])
            ended = Completion(on_abort=lambda: self.open.remove(entry))
            entry = (agent.time() + len(script) - 1, ended, script[-1])
            self.open.append(entry)
            return ended

        return made

    def generator(self, scripts, abort_ticks):
        starts = iter(scripts)

        def made(agent):
            script = next(starts, scripts[-1])
            try:
                for _ in script[1:]:
                    yield seconds(1)
                if script[-1] == "F":
                    raise OperatorFailed("as drawn")
            finally:
                for _ in range(abort_ticks):
                    yield

        return made

    # the tree

    def node(self, depth):
        dice = self.dice
        leaves = ["goal"] * 6 + ["believes", "success", "running", "nap"]
        inner = ["selector", "sequence", "branches", "decorator", "decorator", "goals", "goals"]
        kind = dice.choice(inner + leaves[:2] if depth else leaves)
        match kind:
            case "goal":
                return self.goal()
            case "believes":
                return self.believes()
            case "success":
                return Success("success")
            case "running":
                counts = TickCounter("ticks", 3, Status.SUCCESS)
                return dice.choice([counts, *[Running("running")] * 6])
            case "nap":
                time = {"seconds": dice.randint(1, 4), "clock": self.agent.time}
                return Delay("nap", Success("success"), **time)
        parts = [self.node(depth - 1) for _ in range(dice.randint(1, 3))]
        match kind:
            case "selector" | "sequence":
                guards = [self.believes()] if dice.random() < 0.5 else []
                made = Selector if kind == "selector" else Sequence
                return made(kind, memory=dice.random() < 0.4, children=[*guards, *parts])
            case "branches":
                return self.branches(parts)
            case "decorator":
                return self.decorated(parts[0])
            case _:
                return self.goals(parts)

    def goal(self):
        dice, scene = self.dice, self.scene
        retrying = dict(scene.retrying)
        if dice.random() < 0.9:
            retrying |= {name: seconds(retrying[name]) for name in ("backoff", "longest")}
        return PlanGoal(
            f"goal {dice.randrange(1000)}",
            self.agent,
            dice.choice([*scene.goals, *self.calls]),
            settings=Settings(**scene.settings, **LIMITS),
            budget=dice.choice([None, None, 3]),
            max_replans=scene.max_replans,
            replanning=Replanning(**scene.replanning, retrying=RetryPolicy(**retrying)),
        )

    def believes(self):
        dice = self.dice
        until = dice.choice([None, None, dice.choice(CONDITIONS)])
        hold = dice.choice([0, 0, 2])
        return Believes("guard", self.agent, dice.choice(CONDITIONS), until=until, hold=hold)

    def branches(self, parts):
        dice = self.dice
        first, *others = parts
        match dice.choice(["own", "py_trees", "if", "while", "switch"]):
            case "own":
                return Parallel("own", parts, success_count=dice.choice([-1, 1]))
            case "py_trees":
                policy = ParallelPolicy.SuccessOnAll(synchronise=dice.random() < 0.5)
                return TreeParallel("both", policy, parts)
            case "if":
                return IfThenElse("if", self.believes(), first, *others[:1])
            case "while":
                return WhileDoElse("while", self.believes(), first, *others[:1])
            case _:
                return Switch("switch", self.agent, World.count, {1: self.goal()}, first)

    def decorated(self, part):
        dice = self.dice
        given = {"seconds": dice.randint(1, 6), "clock": dice.choice([self.clock, self.agent.time])}
        given = {"ticks": 3} if dice.random() < 0.05 else given
        match dice.choice(["delay", "timeout", "cooldown", "repeat", "retry", "once", "plain"]):
            case "delay":
                return Delay("delay", part, **given)
            case "timeout":
                return Timeout("timeout", part, **given)
            case "cooldown":
                return Cooldown("cooldown", part, **given)
            case "repeat":
                return Repeat("repeat", part, dice.choice([-1, 2]))
            case "retry":
                return RetryUntilSuccessful("retry", part, dice.choice([-1, 2]))
            case "once":
                return RunOnce("once", part)
            case _:
                names = ["Inverter", "SuccessIsRunning", "FailureIsRunning", "FailureIsSuccess"]
                return getattr(decorators, dice.choice(names))("plain", part)

    def goals(self, parts):
        dice = self.dice
        match dice.choice(["priority", "utility", "state"]):
            case "priority":
                when = [dice.choice([*CONDITIONS, True]) for _ in parts]
                return PriorityGoals("priority", self.agent, parts, when=when, period=3)
            case "utility":
                pairs = [(part, dice.choice([World.count, World.ammo, 1])) for part in parts]
                return UtilityGoals("utility", self.agent, pairs, inertia=dice.choice([0, 1]))
            case _:
                states = dict(enumerate(parts))
                return StateMachineGoals("state", self.agent, World.count, states)

    # his time

    def frame(self, delta, changes, *, sleeps):
        """What happens in a frame, which nodes run after it, and the status of the root."""
        self.clock.advance(delta)
        is_told = bool(changes)
        for fluent, value in changes:
            self.agent.believe(fluent, value)
        for entry in [entry for entry in self.open if entry[0] <= self.clock()]:
            self.open.remove(entry)
            is_told |= entry[1].succeed() if entry[2] == "S" else entry[1].fail("as drawn")
        told = []
        if not sleeps or is_told or (self.wakes is not None and self.clock() >= self.wakes):
            self.ticks += 1
            told = [told_by(event) for event in self.character.tick()]
            left = self.character.due_in()
            self.wakes = None if left is None else self.clock() + left
        root = self.character.root
        running = [node.name for node in root.iterate() if node.status is Status.RUNNING]
        return told, running, root.status


def told_by(event):
    """An event as text, without the number of its tick."""
    data = event_data(event)
    del data["tick"]
    return sub(r"tick \d+", "a tick", json.dumps(data))


def frames(number):
    """The seconds until each frame, and what is told in it."""
    dice = Random(number)  # noqa: S311 - not for secrets
    delta = dice.choice([0.1, 0.25, 0.5, 1.0])
    for changes in DrawnInSeconds(number).scene().changes:
        yield delta, changes
        for _ in range(dice.choice([0, 0, 3, 12])):
            yield delta, []


def first_fault(numbers, counts):
    """Where the twins of one of these scenes differ first; empty if they never do."""
    for number in numbers:
        awake, sleeper = Twin(number), Twin(number)
        for frame, (delta, changes) in enumerate(frames(number)):
            wanted = awake.frame(delta, changes, sleeps=False)
            found = sleeper.frame(delta, changes, sleeps=True)
            if wanted != found:
                return f"scene {number}, frame {frame}:\n{found}\nhas to be\n{wanted}"
        for twin in (awake, sleeper):
            twin.character.stop()
        counts["frames"] += awake.ticks
        counts["ticks"] += sleeper.ticks
    return ""


def test_who_sleeps_until_he_is_due_does_what_he_does_when_he_is_always_ticked():
    counts = Counter()
    fault = first_fault(seeds(quick=12, thorough=400, night=4_000), counts)
    assert not fault, fault
    assert counts["ticks"] < 0.7 * counts["frames"]  # else little was tried
