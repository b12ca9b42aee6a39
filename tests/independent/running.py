"""Do random characters do what they should, in worlds that move and in worlds that stand still?

``check`` draws one character by its seed, runs it, and returns its faults.
"""

import sys
from collections import Counter
from collections.abc import Callable
from random import Random
from types import FrameType
from typing import Any

from py_trees.common import Status

from bthtn import BthtnError, Settings, find_plan
from bthtn.behaviours import PlanGoal
from tests.independent import model
from tests.independent.brute_force import TooMuch, greedy
from tests.independent.build import Built, state_of
from tests.independent.characters import LEASES, Character
from tests.independent.planning import in_some_order

MOST_CALLS = 1_000_000
LONG = 700
"""Ticks in which a goal that can be reached is reached: longer than anything is avoided."""
LONGEST_WAIT = 20
"""Ticks between two steps of something that goes on."""
SHORT = 40
"""Ticks for a goal of which nobody knows whether it can be reached."""


class TooLong(BaseException):
    """A tick takes too many calls. No ``except Exception`` keeps it."""


class Calls:
    """Counts calls of functions, and raises TooLong where there are too many."""

    def __init__(self) -> None:
        self.count = self.most = 0

    def __call__(self, _frame: FrameType, event: str, _arg: Any) -> None:
        if event == "call":
            self.count += 1
            if self.count > MOST_CALLS:
                sys.setprofile(None)
                raise TooLong

    def tick(self, character: Character, goal: PlanGoal | None = None) -> None:
        """Tick the character, or this goal alone, and count the calls."""
        self.count = 0
        before = sys.getprofile()
        sys.setprofile(self)
        try:
            character.tick(goal)
        finally:
            sys.setprofile(before)
            self.most = max(self.most, self.count)


def check(seed: str, seen: Counter[str], show: Callable[[str], None] | None = None) -> list[str]:
    """The faults of the character of this seed. ``seen`` counts what was drawn and heard.

    ``show`` is called with every event as a line.
    """
    random = Random(f"{seed} ticks")  # noqa: S311 - to be the same everywhere is its purpose
    character, calls = Character(seed, seen), Calls()
    several, monitor = [character], character.monitor
    if random.random() < 0.3:
        seen["together"] += 1
        several.append(Character(f"{seed} other", seen, character.leases))
    monitor.show = show
    try:
        for _ in range(random.choice((20, 60, 150))):
            _tick(several, calls)
        for one in several:
            one.stand_still()
        for _ in range(60):
            _tick(several, calls)
        for other in several[1:]:
            other.close()
            monitor.faults += other.monitor.faults
            seen.update(events=other.monitor.events)
        for number, goal in enumerate(character.goals):
            character.root.stop(Status.INVALID)
            _reach(character, goal, character.builts[number], calls, seen)
            goal.stop(Status.INVALID)  # the tree has not begun it, so it would not stop it either
        character.close()
        monitor.faults += [f"{key} was kept" for key in character.has_kept()]
    except TooLong:
        monitor.faults.append(f"tick {monitor.tick}: more than {MOST_CALLS} calls")
    except Exception as error:  # noqa: BLE001 - nothing may leave a tick
        monitor.faults.append(f"tick {monitor.tick}: {type(error).__name__}: {error} left a tick")
    seen.update(events=monitor.events, characters=1, ticks=monitor.tick)
    seen.update(f"{'success' if won else 'failure'}" for (_, won) in monitor.ended.elements())
    seen["most calls"] = max(seen["most calls"], calls.most)
    return monitor.faults


def _tick(several: list[Character], calls: Calls) -> None:
    """Tick all characters that share leases, and note if there are too many holders."""
    for character in several:
        calls.tick(character)
        for key, most in LEASES.items():
            holders = list(map(str, character.leases.holders(key)))
            if len(holders) > most:
                character.monitor.faults.append(f"{key} is held by {holders}")


def _reach(
    character: Character, goal: PlanGoal, built: Built, calls: Calls, seen: Counter[str]
) -> None:
    """Tick one goal until it succeeds, and note if it does not although it can be reached."""
    monitor = character.monitor
    begun, wins = monitor.tick, monitor.ended[goal.name, True]
    beliefs = character.agent.beliefs
    possible, version = can_be_reached(character, goal, built), beliefs.version
    while monitor.tick < begun + LONG:
        calls.tick(character, goal)
        if monitor.ended[goal.name, True] > wins:
            seen["reached"] += 1
            return
        if goal.status is not Status.RUNNING and version != beliefs.version:
            possible, version = can_be_reached(character, goal, built), beliefs.version
        if not possible and monitor.tick > begun + SHORT:
            seen["not to be reached"] += 1
            return
    if len(character.agent.aborts) and monitor.latest > monitor.tick - LONGEST_WAIT:
        seen["endless cleanups"] += 1  # of another goal, whose steps go on and on
        return
    last = f"last step in tick {monitor.latest}, {goal.status.name}: {goal.feedback_message}"
    monitor.faults.append(f"tick {begun}: {goal.name} is not reached in {LONG} ticks; {last}")


def can_be_reached(character: Character, goal: PlanGoal, built: Built) -> bool:
    """Whether planning in parts, from the beliefs of now, leads to the goal."""
    beliefs, problem = character.agent.beliefs, built.problem
    settings = character.settings[goal]
    only_known_later = any(
        one.exec_only or one.expected or one.during for one in problem.primitives.values()
    )
    unsure = {"priority", model.ENSURING, "timeout", "cooldown"}
    if settings.anytime or only_known_later or problem.drawn & unsure:
        return False
    if problem.drawn & {"parallel", "random_of"}:
        if settings.horizon is not None:
            return False  # a part may begin cycles that a whole plan leaves out
        try:
            plan = find_plan(built.domain, beliefs.now, built.goal, Settings(max_expansions=2_000))
        except BthtnError:
            return False
        some = Random(0)  # noqa: S311 - to be the same everywhere is its purpose
        return plan is not None and in_some_order(plan.tree, problem, some, Counter())[1]
    try:
        parts = greedy(
            problem,
            state_of(beliefs),
            horizon=settings.horizon,
            suspends=not settings.check_rest,
        )
    except TooMuch:
        return False
    return parts is not None
