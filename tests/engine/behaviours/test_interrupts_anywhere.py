"""Ctrl-C, or no memory, at any line of a tick: every start has one end, and the next tick works."""

import logging
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel
from py_trees.decorators import Inverter
from py_trees.trees import BehaviourTree

import bthtn
from bthtn import Domain
from bthtn.behaviours import Agent, Believes, attach
from bthtn.engine.agent.events import LeafAborted, LeafEnded, LeafStarted
from bthtn.engine.agent.hearing import hear_too
from bthtn.studio.testing.characters import character_of, loaded_once
from bthtn.studio.testing.locate import TargetKind, resolve
from bthtn.studio.testing.strategies import World
from tests.sizes import size

ROOT = Path(__file__).resolve().parents[3]
OURS = os.path.dirname(bthtn.__file__)
KINDS = [KeyboardInterrupt, MemoryError]
TREES = ["soldier", "squad", "thumper", "arms_and_legs", "sentry", "guard", "fencer", "miner"]


class Interrupt:
    """Raises an exception at one line of bthtn, and counts the lines."""

    def __init__(self, kind, line=0):
        self.kind, self.line, self.count = kind, line, 0

    def __call__(self, frame, event, arg):
        file = frame.f_code.co_filename
        is_ours = file.startswith(OURS) and not file.startswith(os.path.join(OURS, "examples"))
        return self.look if is_ours else None

    def look(self, frame, event, arg):
        if event == "line":
            self.count += 1
            if self.count == self.line:
                raise self.kind
        return self.look

    def play(self, tick):
        """Tick, and be interrupted."""
        before = sys.gettrace()
        sys.settrace(self)
        try:
            tick()
        except (KeyboardInterrupt, MemoryError):
            assert self.line
        finally:
            sys.settrace(before)


def interrupted(name, seed, kind):
    """The faults of a character that was interrupted at a random line of a random tick."""
    draw = random.Random(f"{name} {seed}")  # noqa: S311 - the same every time
    tree = loaded_once(resolve(f"trees/{name}", TargetKind.TREE))
    ticks = draw.randrange(25)
    probe, character = (character_of(tree, seed % 7) for _ in range(2))
    heard = {agent.name: [] for agent in character.agents.values()}
    for agent in character.agents.values():
        hear_too(agent, heard[agent.name].append)
    for agent in probe.agents.values():
        hear_too(agent, lambda event: None)
    for one in (probe, character):
        for _ in range(ticks):
            one.tick()
    lines = Interrupt(kind)
    lines.play(probe.tick)
    Interrupt(kind, draw.randrange(1, lines.count + 1)).play(character.tick)
    for _ in range(draw.choice((0, 20))):
        character.tick()
    character.tree.root.stop(Status.INVALID)
    for _ in range(30):
        for agent in character.agents.values():
            agent.sense()
    faults = [fault for name in heard for fault in unbalanced(name, heard[name])]
    character.stop()
    for agent in character.agents.values():
        faults += [f"{agent.name} keeps a lease"] * len(agent.leases)
        faults += [f"{agent.name} keeps an abort"] * len(agent.aborts)
    return faults


def unbalanced(name, events):
    own = [event for event in events if event.agent == name]
    starts = [event.leaf for event in own if isinstance(event, LeafStarted)]
    ends = [event.leaf for event in own if isinstance(event, LeafEnded | LeafAborted)]
    odd = sorted(set(starts) ^ set(ends))
    twice = [leaf for leaf in set(ends) if ends.count(leaf) > 1]
    return [f"{name}: step #{leaf} has not one end for its start" for leaf in odd + twice]


@pytest.fixture(autouse=True)
def quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def test_an_interrupt_at_any_line_leaves_every_start_with_one_end():
    """In a process of its own: which lines a tick has depends on what was made before it."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.behaviours.test_interrupts_anywhere"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (f"{3 * len(TREES)} interrupts\n", "")


@pytest.mark.slow  # other lines of the same trees
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TREES)
def test_so_do_many(name, kind):
    found = [(seed, interrupted(name, seed, kind)) for seed in range(3, 53)]
    assert [one for one in found if one[1]] == []


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupt_at_any_line_lets_every_generator_of_a_step_clean_up(new_stage, kind):
    """The first tick of an abort, in which the inner generator ends and the outer one yields."""
    line = count = 0
    while line <= count:
        stage, cleaned = new_stage(), []

        def brake(cleaned=cleaned):
            try:
                yield
            finally:
                yield
                cleaned.append("inner")

        def drive(agent, brake=brake, cleaned=cleaned):
            try:
                yield from brake()
            finally:
                yield
                cleaned.append("outer")

        goal = stage.goal(stage.run_by("drive", drive))
        goal.tick_once()
        goal.stop(Status.INVALID)
        lines = Interrupt(kind, line)
        lines.play(stage.actor.sense)
        for _ in range(3):
            stage.actor.sense()
        assert cleaned == ["inner", "outer"], f"interrupted at line {line}"
        assert stage.heard.of(LeafAborted)[0].error is None
        line, count = line + 1, max(count, lines.count)


class Standing:
    """An operator that answers RUNNING, and is interrupted right behind that."""

    def __init__(self, log):
        self.log = log

    def start(self):
        self.log.append("start")

    def tick(self):
        self.log.append("tick")
        return Status.RUNNING

    def abort(self):
        self.log.append("abort")


@pytest.mark.parametrize("kind", KINDS)
def test_at_every_line_of_a_tick_an_operator_that_started_is_aborted_once(stage, kind):
    """The quick tests interrupt every fourth line in one way, and others in the other."""
    lines = Interrupt(kind)
    play_standing(type(stage)(), lines)
    for line in range(1 + KINDS.index(kind), lines.count + 1, size(quick=4, thorough=1)):
        log = play_standing(type(stage)(), Interrupt(kind, line))
        assert log.count("start") == log.count("abort"), (line, log)
        assert "abort" not in log[:-1] or log[log.index("abort") + 1] == "start", (line, log)


def play_standing(stage, interrupt):
    """The first tick is interrupted; two more; then it is stopped."""
    log = []
    goal = stage.goal(stage.run_by("stand", lambda agent: Standing(log)))
    interrupt.play(goal.tick_once)
    for _ in range(2):
        goal.tick_once()
    goal.stop(Status.INVALID)
    assert stage.heard.faults() == stage.heard.running() == []
    return log


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupt_at_any_line_lets_an_attached_tree_be_ticked_again(kind):
    line = count = 0
    while line <= count:
        ann = Agent("ann", Domain("nothing", World), World(), body=None)
        tree = BehaviourTree(Believes("open?", ann, World.open))
        attach(tree, ann)
        lines = Interrupt(kind, line)
        lines.play(tree.tick)
        tree.tick()
        assert tree.root.status is Status.FAILURE
        line, count = line + 1, max(count, lines.count)


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_interrupted_first_tick_began_ends_though_nobody_above_it_runs(new_stage, kind):
    """At the end of a goal's tick: those above it do not run yet, and so would not stop it."""
    line, count = 0, None
    while count is None or line < 20:
        stage = new_stage()
        goal = stage.goal(stage.step("walk", "RRS"))
        above = Inverter("above", goal)
        policy = ParallelPolicy.SuccessOnAll(synchronise=False)
        tree = BehaviourTree(Parallel("root", policy, [above]))
        attach(tree, stage.actor)
        lines = Interrupt(kind, 0 if count is None else count - line)
        lines.play(tree.tick)
        count, line = (lines.count, 0) if count is None else (count, line + 1)
        tree.root.stop(Status.INVALID)
        assert stage.heard.faults() == stage.heard.running() == [], f"{line} lines before the end"


def main():
    """Interrupt each tree three times, in turn in two ways; print the faults, and how many."""
    logging.disable(logging.CRITICAL)
    cases = [
        (name, seed, KINDS[(number + seed) % 2])
        for number, name in enumerate(TREES)
        for seed in range(3)
    ]
    for case in cases:
        for fault in interrupted(*case):
            sys.stdout.write(f"{case} {fault}\n")
    sys.stdout.write(f"{len(cases)} interrupts\n")


if __name__ == "__main__":
    main()
