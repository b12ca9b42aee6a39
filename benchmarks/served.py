"""How long does a served character take for a tick, and a frame of a thousand who mostly wait?

    python -m benchmarks.served [--write-docs]

Requests and answers are JSON, as over a line; CPU time, the garbage collector's told apart. Each
guard is told six beliefs in every tick, of which three have changed; what he starts is over after
5 to 40 ticks. In the frame of a thousand, a hundred are told so, and nine hundred wait.
"""

import gc
import json
import sys
import time
from random import Random
from typing import Any

from py_trees.composites import Selector, Sequence

from benchmarks import page, report
from bthtn import Domain, Fluent, State, fluent, method, null
from bthtn.behaviours import Agent, Believes, Character, ManualClock, Operators, PlanGoal
from bthtn.kit import EngineHost

Told = dict[str, Any]


class Guard(State):
    """What a guard believes."""

    x: Fluent[float] = fluent(default=0.0)
    y: Fluent[float] = fluent(default=0.0)
    distance: Fluent[float] = fluent(default=50.0)
    health: Fluent[int] = fluent(default=100)
    sees: Fluent[bool] = fluent(default=False)
    ammo: Fluent[int] = fluent(default=3)
    in_cover: Fluent[bool] = fluent(default=False)


guards = Domain("guards", Guard)
aim = guards.primitive("aim")
shoot = guards.primitive("shoot", precondition=Guard.ammo > 0, effects=Guard.ammo.decreases(1))
reload = guards.primitive("reload", effects=Guard.ammo.becomes(3))
hide = guards.primitive("hide", effects=Guard.in_cover.becomes(True))
leave = guards.primitive("leave", effects=Guard.in_cover.becomes(False))
approach = guards.primitive("approach")
walk = guards.primitive("walk")


@guards.compound
def arm():
    yield method(null(), when=Guard.ammo > 0)
    yield method(reload())


@guards.compound
def near():
    yield method(null(), when=Guard.distance < 20.0)
    yield method(approach())


@guards.compound
def out():
    yield method(null(), when=~Guard.in_cover)
    yield method(leave())


@guards.compound
def fight():
    yield method(arm(), out(), near(), aim(), shoot())


@guards.compound
def recover():
    yield method(hide(), arm())


@guards.compound
def patrol():
    yield method(walk(), walk(), walk(), walk())


class World:
    """The time of a guard."""

    def __init__(self) -> None:
        self.clock = ManualClock()


def guard(_: int) -> Character:
    """A guard who hides when he is hurt, fights whom he sees, and patrols."""
    world, operators = World(), Operators(simulates_others=True)
    ann = Agent("guard", guards, Guard(), body=None, operators=operators, clock=world.clock)
    hurt = [Believes("hurt?", ann, Guard.health < 30), PlanGoal("recover", ann, recover())]
    enemy = [Believes("sees?", ann, Guard.sees), PlanGoal("fight", ann, fight())]
    branches = [Sequence("hurt", False, hurt), Sequence("enemy", False, enemy)]
    root = Selector("guard", False, [*branches, PlanGoal("patrol", ann, patrol())])
    return Character(root, ann, world=world)


class Game:
    """An engine with so many guards, who do what they are asked to."""

    def __init__(self, count: int) -> None:
        self._random = Random(1)  # noqa: S311 - dice, not secrets
        self._connection = EngineHost(guard, name="guard").connect()
        self._connection.answer({"hello": {"protocol": "bthtn-engine/1"}})
        self.names = [f"guard {number}" for number in range(count)]
        self._connection.answer({"spawn": [{"character": name} for name in self.names]})
        self._seen: dict[str, Told] = {name: dict(_SEEN) for name in self.names}
        self._over: dict[tuple[str, int], int] = {}
        self._now = 0

    def frame(self, told: list[str], *, steps: tuple[int, int], due: bool = False) -> float:
        """Tell these guards what they see; the seconds of CPU until all have answered."""
        self._now += 1
        items = {name: {"character": name, "beliefs": self._look(name)} for name in told}
        for name, step in [key for key, over in self._over.items() if over <= self._now]:
            del self._over[name, step]
            item = items.setdefault(name, {"character": name})
            item.setdefault("ended", {})[str(step)] = True
        line = json.dumps({"frame": list(items.values()), "seconds": 1 / 60, "due": due})
        began = time.process_time()
        answer = self._connection.answer(json.loads(line))
        json.dumps(answer)
        taken = time.process_time() - began
        for item in answer["frame"]:
            name = item["character"]
            for step in item["aborts"]:
                self._over.pop((name, step), None)
            for step in item["starts"]:
                self._over[name, step["step"]] = self._now + self._random.randint(*steps)
        return taken

    def _look(self, name: str) -> Told:
        """What a guard sees now."""
        dice, seen = self._random, self._seen[name]
        seen["x"] = round(seen["x"] + dice.uniform(-1, 1), 2)
        seen["y"] = round(seen["y"] + dice.uniform(-1, 1), 2)
        seen["distance"] = round(min(80.0, max(1.0, seen["distance"] + dice.uniform(-3, 3))), 2)
        if dice.random() < 0.003:
            seen["sees"] = not seen["sees"]
        if dice.random() < 0.006:
            seen["health"] = dice.choice([20, 60, 100])
        return seen


_SEEN = {"x": 0.0, "y": 0.0, "distance": 50.0, "health": 100, "sees": False, "in_cover": False}


class Collections:
    """Adds up the CPU time of the garbage collector."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._began = 0.0
        gc.callbacks.append(self._hear)

    def _hear(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._began = time.process_time()
        else:
            self.seconds += time.process_time() - self._began


def row(what: str, times: list[float], collected: float) -> list[str]:
    """Mean and percentile of some times, in microseconds, and the collector's share."""
    times = sorted(times)
    mean, p99 = sum(times) / len(times), times[int(len(times) * 0.99)]
    share = f"{100 * collected / sum(times):.1f} %"
    return [what, report.number(1e6 * mean), report.number(1e6 * p99), share]


def table(ticks: int = 20_000) -> list[list[str]]:
    """So many ticks of one character, of fifty in a frame, and of a thousand who mostly wait."""
    alone, collections = Game(1), Collections()
    gc.freeze()  # as bthtn serve does
    times = [alone.frame(alone.names, steps=(5, 40)) for _ in range(ticks)]
    heads = ["CPU of", "mean, µs", "p99, µs", "garbage collector"]
    rows = [heads, row("a character's tick, in a frame of its own", times, collections.seconds)]
    fifty, before = Game(50), collections.seconds
    times = [fifty.frame(fifty.names, steps=(5, 40)) / 50 for _ in range(ticks // 50)]
    share = (collections.seconds - before) / 50
    rows.append(row("a character's tick, in a frame of fifty", times, share))
    crowd, told = Game(1_000), {"steps": (60, 600), "due": True}
    for _ in range(30):
        crowd.frame(crowd.names[:100], **told)
    before = collections.seconds
    times = [crowd.frame(crowd.names[:100], **told) for _ in range(ticks // 50)]
    share = collections.seconds - before
    rows.append(row("a frame of a thousand, of whom 900 wait", times, share))
    return rows


if __name__ == "__main__":
    page.show({"served": table()}, sys.argv[1:])
