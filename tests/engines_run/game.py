"""The games in Python: what each of the other languages has to do, too.

They speak the protocol without bindings. A game draws, in each tick, what its agents believe and
what becomes of their steps, and writes down what it is asked to do.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial

from bthtn.kit.engines import EngineHost
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.locate import TargetKind, resolve

TICKS = 2_000
SECONDS = 0.25
TREES = {"outpost": "tests/engines_run/outpost", "comrade": "comrade"}


class Draws:
    """Numbers that every language can compute."""

    def __init__(self) -> None:
        self._last = 1

    def draw(self, below: int) -> int:
        self._last = (self._last * 75 + 74) % 65537
        return self._last % below


class Puppet:
    """A character: what is told of it next, and its open steps."""

    def __init__(self, name: str, agents: list[str]) -> None:
        self.name = name
        self.agents = agents
        self.open: dict[int, dict] = {}
        self.told: dict[tuple[str, str], object] = {}
        self.untold: dict[tuple[str, str], object] = {}
        self.ended: dict[str, bool | str] = {}
        self.progress: dict[str, float | str] = {}
        self.last = "0 INVALID False 0"

    def tell(self, agent: str, fluent: str, value: object) -> None:
        self.untold.pop((agent, fluent), None)
        if json.dumps(value) != json.dumps(self.told.get((agent, fluent), ...), default=str):
            self.untold[agent, fluent] = value

    def end(self, number: int, outcome: bool | str) -> None:
        del self.open[number]
        self.ended[str(number)] = outcome

    def item(self, *, always: bool) -> dict | None:
        if not (always or self.untold or self.ended or self.progress):
            return None
        self.told |= self.untold
        beliefs: dict = {}
        for (agent, fluent), value in self.untold.items():
            own = beliefs if len(self.agents) == 1 else beliefs.setdefault(agent, {})
            own[fluent] = value
        item = {"character": self.name, "beliefs": beliefs}
        item |= {"ended": self.ended, "progress": self.progress}
        if self.ended:
            self.told.clear()
        self.untold, self.ended, self.progress = {}, {}, {}
        return item


class Game:
    """A tree whose characters are ticked; ``lines`` say what has happened."""

    def __init__(self, tree: str, aborts: Iterable[str] = ()) -> None:
        target = resolve(TREES[tree], TargetKind.TREE)
        self.connection = EngineHost(partial(character_of, target), name=tree).connect()
        self.aborts = list(aborts)
        self.draws = Draws()
        self.puppets: dict[str, Puppet] = {}
        self.lines: list[str] = []
        self.ask("hello", {"protocol": "bthtn-engine/1", "aborts": self.aborts})

    def ask(self, verb: str, value: object, **beside: object) -> list[dict]:
        return self.connection.answer({verb: value, **beside})[verb]

    def spawn(self, name: str) -> None:
        [item] = self.ask("spawn", [{"character": name, "seed": 7}])
        self.puppets[name] = Puppet(name, item["agents"])

    def dismiss(self, name: str) -> None:
        puppet = self.puppets.pop(name)
        [item] = self.ask("dismiss", [name])
        self.give_up(puppet, item["aborts"])

    def frame(self, *, all_of_them: bool) -> None:
        items = [puppet.item(always=all_of_them) for puppet in self.puppets.values()]
        beside = {} if all_of_them else {"due": True}
        told = [item for item in items if item is not None]
        for item in self.ask("frame", told, seconds=SECONDS, **beside):
            assert not item.keys() & {"error", "refused"}, item
            puppet = self.puppets[item["character"]]
            seconds = item.get("due", 0)  # which only frames with due have
            due = "never" if seconds is None else int(seconds * 1000 + 0.5)
            puppet.last = f"{item['tick']} {item['status']} {item['finished']} {due}"
            self.give_up(puppet, item["aborts"])
            for step in item["starts"]:
                puppet.open[step["step"]] = step
                args = "".join(f" {_shown(value)}" for value in step["args"].values())
                self.lines.append(f"start {step['step']} {step['agent']} {step['task']}{args}")

    def give_up(self, puppet: Puppet, numbers: list[int]) -> None:
        for number in numbers:
            step = puppet.open.get(number)
            if step is None:
                continue  # it ended in the same frame
            if step["task"] not in self.aborts:
                del puppet.open[number]
            self.lines.append(f"abort {number} {step['agent']} {step['task']}")

    def end_steps(self, puppet: Puppet) -> None:
        for number in sorted(puppet.open):
            match self.draws.draw(6):
                case 0:
                    puppet.progress[str(number)] = 0.5
                case 1:
                    puppet.progress[str(number)] = "so, so"
                case 2 | 3:
                    puppet.end(number, outcome=True)
                case 4:
                    puppet.end(number, outcome='no "luck" ✓')

    def pass_on(self, tick: int) -> None:
        self.frame(all_of_them=tick % 3 != 2)
        for puppet in self.puppets.values():
            self.lines.append(f"{tick} {puppet.name} {puppet.last}")


def _shown(value: object) -> str:
    """An argument; numbers in hundredths, which no language writes in another way."""
    if isinstance(value, list):
        return " ".join(map(_shown, value))
    if isinstance(value, float):
        return str(int(value * 100))
    return "none" if value is None else str(value)


def outpost() -> list[str]:
    """Two outposts; the second is given up and made anew every hundred ticks."""
    game = Game("outpost", aborts=["walk"])
    draw = game.draws.draw
    game.spawn("post 1")
    game.spawn("post 2")
    sectors = ["NORTH", "EAST", "SOUTH_EAST"]
    for tick in range(TICKS):
        for puppet in game.puppets.values():
            for guard in ("Ann", "Bob"):
                tell = partial(puppet.tell, guard)
                if draw(6) == 0:
                    tell("alarm", draw(2) == 0)
                if draw(6) == 0:
                    tell("enemy", [None, *sectors][draw(4)])
                if draw(6) == 0:
                    tell("watching", sectors[draw(3)])
                if draw(3) == 0:
                    tell("distance", draw(20) / 2)
                if draw(8) == 0:
                    tell("rounds", draw(3))
                if draw(20) == 0:
                    tell("rounds", "unknown")
                if draw(8) == 0:
                    tell("stance", ["standing", "lying down"][draw(2)])
                if draw(8) == 0:
                    tell("post", [draw(3), 1])
                if draw(8) == 0:
                    tell('trust["Zoë, 2nd"]', draw(10) / 10)
                if draw(8) == 0:
                    tell('seen["B", "EAST"]', draw(2) == 0)
            if draw(6) == 0:
                puppet.tell("Drone", "charge", draw(5) / 4)
            if draw(6) == 0:
                puppet.tell("Drone", "alarm", draw(2) == 0)
            game.end_steps(puppet)
        game.pass_on(tick)
        if tick % 100 == 99:
            game.dismiss("post 2")
            game.spawn("post 2")
    return game.lines


def comrade() -> list[str]:
    """Three comrades, who are made of files; the first is paused now and then.

    While he is, his steps go on, and he is ticked in a frame only if he is told something.
    """
    game = Game("comrade")
    draw = game.draws.draw
    for name in ("Al", "Bo", "Cy"):
        game.spawn(name)
    for tick in range(TICKS):
        if tick % 25 == 0:
            game.ask("pause" if tick % 50 == 0 else "resume", ["Al"])
        for puppet in game.puppets.values():
            tell = partial(puppet.tell, "comrade")
            if draw(12) == 0:
                tell("friend_is_down", draw(2) == 0)
            if draw(12) == 0:
                tell("danger", draw(4) * 30)
            if draw(6) == 0:
                tell("blows", draw(4))
            if puppet.name != "Al" or tick % 50 >= 25:
                game.end_steps(puppet)
        game.pass_on(tick)
    return game.lines


GAMES = {"outpost": outpost, "comrade": comrade}
