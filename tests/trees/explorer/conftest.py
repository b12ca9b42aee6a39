"""Levels that a test draws, which show and do what MiniGrid shows and does."""

from types import SimpleNamespace

import pytest

from bthtn.examples.trees.explorer.body import COLOURS, DOORS, KINDS
from bthtn.examples.trees.explorer.level import Action, Level
from bthtn.examples.trees.explorer.tree import placed_in
from bthtn.kit.grids import EAST, HEADINGS, around, beside, moved
from bthtn.studio.testing.doubles import RecordingListener

MARKS = {
    "#": "wall",
    ".": "floor",
    ">": "floor",
    "k": "red key",
    "o": "blue ball",
    "x": "red box",
    "B": "grey box",
    "D": "closed red door",
    "L": "locked red door",
    "G": "green goal",
}
HIDING = ("wall", "closed red door", "locked red door")


class Drawn:
    """An environment that a test draws; ``>`` is the explorer, who looks to the east.

    There is a red key in a grey box. The first time that one of the ``jammed`` actions is tried,
    it comes to nothing. ``before`` is called before each action, and may change the world.
    """

    def __init__(self, drawing, mission, actions=7, jammed=(), before=lambda world, action: None):
        rows = enumerate(drawing.split())
        cells = {(x, y): mark for y, row in rows for x, mark in enumerate(row)}
        self.cells = {there: MARKS[mark] for there, mark in cells.items()}
        (self.at,) = [there for there, mark in cells.items() if mark == ">"]
        self.heading, self.carrying = EAST, "floor"
        self.mission = mission
        self.action_space = SimpleNamespace(n=actions)
        self.unwrapped = SimpleNamespace(max_steps=200)
        self.done = []
        self._jammed = set(jammed)
        self._before = before

    @property
    def front(self):
        return moved(self.at, self.heading)

    def reset(self, *, seed):
        return self.observation(), {}

    def step(self, action):
        self._before(self, Action(action))
        self.done.append(Action(action))
        hit = action == Action.FORWARD and self.cells[self.front] == "blue ball"
        if action in self._jammed:
            self._jammed.discard(action)
        else:
            getattr(self, f"_{Action(action).name.lower()}")()
        won = self.is_won()
        return self.observation(), float(won), won or hit, len(self.done) >= 200, {}

    def is_won(self):
        wanted = self.mission.split(" the ")[1].removesuffix(" square")
        return (
            self.carrying == wanted
            or self.cells[self.at] == wanted
            or ("open" in self.mission and any(w.startswith("open ") for w in self.cells.values()))
        )

    def _left(self):
        self.heading = moved((0, 0), self.heading, ahead=0, right=-1)

    def _right(self):
        self.heading = moved((0, 0), self.heading, ahead=0, right=1)

    def _forward(self):
        if self.cells[self.front] in ("floor", "green goal", "open red door"):
            self.at = self.front

    def _pick_up(self):
        if self.carrying == "floor" and self.cells[self.front].split()[-1] in (
            "key",
            "ball",
            "box",
        ):
            self.carrying, self.cells[self.front] = self.cells[self.front], "floor"

    def _put_down(self):
        if self.cells[self.front] == "floor":
            self.carrying, self.cells[self.front] = "floor", self.carrying

    def _toggle(self):
        what = self.cells[self.front]
        if what == "closed red door" or (what == "locked red door" and self.carrying == "red key"):
            self.cells[self.front] = "open red door"
        elif what == "grey box":
            self.cells[self.front] = "red key"

    def observation(self):
        visible = self._visible()
        image = [
            [
                encoded(self._shown(there) if there in visible else "unseen")
                for there in (
                    moved(self.at, self.heading, 6 - down, right - 3) for down in range(7)
                )
            ]
            for right in range(7)
        ]
        direction = HEADINGS.index(self.heading)
        return {"image": image, "direction": direction, "mission": self.mission}

    def _shown(self, there):
        return self.carrying if there == self.at else self.cells.get(there, "wall")

    def _visible(self):
        """What light reaches within the window."""
        dx, dy = self.heading
        visible, pending = set(), [self.at]
        while pending:
            here = pending.pop()
            (x, y), (ax, ay) = here, self.at
            ahead = (x - ax) * dx + (y - ay) * dy
            aside = abs((x - ax) * dy) + abs((y - ay) * dx)
            if here in visible or not 0 <= ahead <= 6 or aside > 3:
                continue
            visible.add(here)
            if self.cells.get(here, "wall") not in HIDING:
                pending.extend(around(here) if self.cells[here] == "floor" else beside(here))
        return visible


def encoded(what):
    *adjectives, kind = what.split()
    how = [DOORS.index(word) for word in adjectives if word in DOORS]
    colour = [COLOURS.index(word) for word in adjectives if word in COLOURS]
    return (KINDS.index(kind), *(colour or [0]), *(how or [0]))


class Trial:
    """An explorer in a drawn level, and everything that he tells."""

    def __init__(self, drawing, mission, **rest):
        self.world = Drawn(drawing, mission, **rest)
        self.heard = RecordingListener()
        self.character = placed_in(Level(self.world, seed=0))
        self.agent = self.character.agent
        tell, self.agent.listener = self.agent.listener, None

        def both(event):
            self.heard(event)
            tell(event)

        self.agent.listener = both

    @property
    def level(self):
        return self.agent.body.level

    def tick(self, count=1):
        for _ in range(count):
            self.character.tick()
            assert self.heard.faults() == []

    def play(self, limit=300):
        """Play to the end; whether it was won."""
        while not self.level.over and self.character.ticks < limit:
            self.tick()
        return self.level.won


@pytest.fixture
def trial():
    return Trial
