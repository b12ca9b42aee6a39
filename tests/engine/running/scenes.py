"""Random scenes for runs of plans: a domain, a goal, operators, and what others change when.

A scene is a function of its number. They are drawn so that plans take several ticks, break, and
can be mended: most conditions can become false and true again, and most tasks have another method.
"""

from random import Random
from typing import NamedTuple

from bthtn import (
    Domain,
    cooldown,
    defer,
    invert,
    method,
    parallel,
    pause,
    priority,
    retry,
    sequence,
    timeout,
    with_cleanup,
)
from bthtn.engine.domain.network import network_text
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.world.state import snapshot
from bthtn.studio.testing.playground import PROMISES, World

LENGTH = 25
"""Ticks of a scene."""

CHANGES = (
    *((one, value) for one in (World.open, World.lit, World.armed) for value in (True, False)),
    *((World.count, number) for number in (0, 1, 2)),
    *((World.ammo, number) for number in (0, 1, 3)),
    *((World.seen, value) for value in (True, False)),
)
CONDITIONS = (
    *(World.open, World.lit, World.armed, ~World.armed, World.open & World.lit),
    *(World.count > 0, World.count < 2, World.ammo > 0, World.seen),
)
EFFECTS = (
    *(World.open.becomes(True), World.open.becomes(False), World.lit.becomes(True)),
    *(World.armed.becomes(True), World.armed.becomes(False), World.lit.becomes(World.open)),
    *(World.count.increases(1), World.count.becomes(0)),
    *(World.ammo.decreases(1), World.ammo.becomes(2)),
)
MOMENTS = ("actual", "on_start", "on_failure", "on_abort")


class Scene(NamedTuple):
    """What happens is the same in every run, as long as the same steps are taken."""

    domain: object
    goals: list
    tree: str
    """Where two goals stand: one "beside" the other, or as a "choice" with a guard on the first."""
    state: object
    scripts: dict
    """For tasks with operators: the scripts of their starts, and how long their aborts take."""
    settings: dict
    replanning: dict
    retrying: dict
    max_replans: int
    changes: list
    """What others change before each tick."""

    def __str__(self):
        methods = [
            f"{task.name}: " + "; ".join(f"[{m.condition}] {network_text(m.body)}" for m in methods)
            for task, methods in self.domain.methods.items()
        ]
        about = ("precondition", "exec_only", "during", "effects", "uses", *MOMENTS)
        tasks = [
            f"{task.name}: {', '.join(f'{name} {getattr(task, name)}' for name in about)}"
            for task in self.domain.tasks.values()
            if isinstance(task, PrimitiveTask)
        ]
        return "\n".join([*methods, *tasks, *map(network_text, self.goals), *map(str, self[2:])])


def scene(number):
    """The scene of this number."""
    return Drawn(number).scene()


class Drawn:
    def __init__(self, number):
        self.dice = Random(number)  # noqa: S311 - not for secrets
        self.domain = Domain("random", World)

    def time(self, ticks):
        """A time of the scene, in ticks."""
        return ticks

    def maybe(self, chance, values, otherwise):
        return self.dice.choice(values) if self.dice.random() < chance else otherwise

    def scene(self):
        dice = self.dice
        steps = [self.step(number) for number in range(6)]
        calls = [step() for step in steps]
        for number in range(4):
            calls.append(self.compound(number, calls)())
        domain = self.domain.freeze()
        tree = dice.choice(["alone"] * 4 + ["beside", "choice"])
        goals = [self.goal(calls) for _ in range(1 if tree == "alone" else 2)]
        known = {fluent: value for fluent, value in CHANGES if dice.random() < 0.5}
        policy = {
            "after": dice.choice([1, 2, 2, 3, None]),
            "backoff": dice.choice([1, 2, 3, 4, 8]),
            "longest": dice.choice([4, 8, 16, 32]),
        }
        return Scene(
            domain,
            goals,
            tree,
            snapshot(World()).changed(known),
            {step: self.scripts() for step in steps if dice.random() < 0.4},
            {"horizon": self.maybe(0.3, [1, 2], None), "check_rest": dice.random() < 0.1},
            {
                "repair": dice.random() < 0.7,
                "interrupt": dice.choice(["surprise", "surprise", "mtr", "any"]),
                "minimum_commitment": self.maybe(0.2, [2, 3, 5], 0),
                "hysteresis": self.maybe(0.2, [1, 2], 0),
            },
            policy,
            dice.choice([0, 1, 3]),
            self.changes(dice.choice([0, 0.2, 0.4, 0.6])),
        )

    def goal(self, calls):
        if self.dice.random() < 0.1:
            return self.network(calls, 2)
        return sequence(*self.dice.choices(calls[7:], k=self.dice.choice([1, 1, 2])))

    def step(self, number):
        dice, effects = self.dice, [(effect,) for effect in EFFECTS]
        planned = self.maybe(0.8, EFFECTS, None)
        # It comes out otherwise than planned, or something happens beside it.
        others = [(one,) for one in EFFECTS if planned and one.target is planned.target]
        return self.domain.primitive(
            f"step_{number}",
            precondition=self.maybe(0.35, CONDITIONS, None),
            exec_only=self.maybe(0.1, CONDITIONS, True),
            during=self.maybe(0.2, CONDITIONS, True),
            effects=() if planned is None else planned,
            uses=self.maybe(0.2, ["legs", "arms"], ()),
            duration=self.time(dice.choice([0, 1, 2, 3, 4, 5])),
            uninterruptible=dice.random() < 0.1,
            actual=self.maybe(0.3, others or effects, ()),
            **{moment: self.maybe(0.1, effects, ()) for moment in MOMENTS[1:]},
        )

    def compound(self, number, calls):
        """A task that calls others; some, itself. The last method has mostly no condition."""
        dice = self.dice
        methods = []
        most = dice.randint(1, 3)
        for place in range(most):
            chance = 0.6 if place < most - 1 else 0.1
            empty = dice.random() < 0.08
            bodies = 0 if empty else dice.randint(1, 3)
            methods.append((self.maybe(chance, CONDITIONS, True), bodies))

        def define():
            among = [*calls[: 6 + number], *([own[0]()] if dice.random() < 0.1 else [])]
            for when, bodies in methods:
                yield method(*[self.network(among, 1) for _ in range(bodies)], when=when)

        define.__name__ = f"task_{number}"
        own = [self.domain.compound(define)]
        return own[0]

    def network(self, calls, depth):
        dice = self.dice
        kinds = ["call"] * 8 + ["pause", "defer"] * 2
        more = ["sequence", "parallel", "priority"] * 2 + ["decorated", "cleanup", "cleanup"]
        match dice.choice([*kinds, *more] if depth else kinds):
            case "call":
                return dice.choice(calls)
            case "pause":
                before = [dice.choice(calls)] if dice.random() < 0.5 else []
                return sequence(*before, pause(now=dice.random() < 0.2), dice.choice(calls))
            case "decorated":
                return self.decorated(calls, depth)
            case "cleanup":
                between = [pause()] if dice.random() < 0.2 else []
                last = sequence(dice.choice(calls[:6]), *between, dice.choice(calls[:6]))
                return with_cleanup(self.network(calls, depth - 1), finally_=last)
            case "defer":
                ensures, now = dice.choice(PROMISES), dice.random() < 0.2
                return defer(dice.choice(calls), ensures=ensures, now=now)
            case kind:
                parts = [self.network(calls, depth - 1) for _ in range(dice.randint(2, 3))]
        if kind == "sequence":
            return sequence(*parts)
        if kind == "parallel":
            return parallel(*parts, policy=dice.choice(["all", "all", "any", "primary"]))
        return priority(*parts, reactive=dice.random() < 0.5)

    def decorated(self, calls, depth):
        dice, part = self.dice, self.network(calls, depth - 1)
        match dice.choice(["timeout", "retry", "cooldown", "invert"]):
            case "timeout":
                return timeout(self.time(dice.randint(1, 4)), part)
            case "retry":
                return retry(dice.randint(2, 3), part)
            case "cooldown":
                return cooldown(self.time(dice.randint(2, 5)), part)
            case _:
                idle = [c for c in calls[:6] if not (c.task.effects or c.task.expected)]
                return invert(dice.choice(idle)) if idle else part

    def scripts(self):
        dice = self.dice
        scripts = [
            "R" * dice.randint(0, 4) + dice.choice("SSSF") for _ in range(dice.randint(1, 2))
        ]
        return scripts, dice.choice([0, 0, 0, 1, 2])

    def changes(self, rate):
        ticks = []
        for _ in range(LENGTH):
            changes = []
            while self.dice.random() < rate:
                changes.append(self.dice.choice(CHANGES))
            ticks.append(changes)
        return ticks
