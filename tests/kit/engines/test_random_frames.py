"""An engine that writes and reads in any order: nothing waits, is lost, or ends twice."""

import json
import os
import signal
import socket
import sys
from collections import deque
from pathlib import Path
from random import Random
from subprocess import PIPE, Popen

import pytest

from tests.sizes import size

GUARD = """
from bthtn import Domain, Fluent, State, fluent, method, null
from bthtn.behaviours import Agent, Believes, Character, ManualClock, Operators, PlanGoal
from py_trees.composites import Selector, Sequence

class Guard(State):
    distance: Fluent[float] = fluent(default=50.0)
    health: Fluent[int] = fluent(default=100)
    sees: Fluent[bool] = fluent(default=False)
    ammo: Fluent[int] = fluent(default=1)

night = Domain("night", Guard)
shoot = night.primitive("shoot", precondition=Guard.ammo > 0, effects=Guard.ammo.decreases(1))
reload = night.primitive("reload", effects=Guard.ammo.becomes(2))
approach = night.primitive("approach", expected=Guard.distance.becomes(5.0))
hide = night.primitive("hide")
walk = night.primitive("walk")

@night.compound
def arm():
    yield method(null(), when=Guard.ammo > 0)
    yield method(reload())

@night.compound
def near():
    yield method(null(), when=Guard.distance < 20.0)
    yield method(approach())

@night.compound
def fight():
    yield method(arm(), near(), shoot())

class World:
    def __init__(self):
        self.clock = ManualClock()

    def save(self):
        return self.clock()

    def load(self, saved):
        self.clock.advance(saved)

def character(seed):
    world = World()
    operators = Operators(simulates_others=True)
    ann = Agent("Ann", night, Guard(), body=None, operators=operators, clock=world.clock)
    hurt = [Believes("hurt?", ann, Guard.health < 30), PlanGoal("hide", ann, hide())]
    enemy = [Believes("sees?", ann, Guard.sees), PlanGoal("fight", ann, fight())]
    hurt, enemy = Sequence("hurt", False, hurt), Sequence("enemy", False, enemy)
    root = Selector("guard", False, [hurt, enemy, PlanGoal("walk", ann, walk())])
    return Character(root, ann, world=world)
"""


LARGEST = size(quick=10, thorough=100)
"""How many characters a frame has, and how many requests are written before one is read."""


class Engine:
    """Writes up to so many requests before it reads, and holds what it hears to be true."""

    def __init__(self, file, token, random):
        self.file, self.random = file, random
        self.asked = deque()
        self.steps = {}
        """Of each character: the steps that run, how others have ended, and the latest one."""
        self.saves = {}
        self.ticks = self.number = 0
        self.ask({"hello": {"protocol": "bthtn-engine/1", "token": token}})
        self.read_all()

    def ask(self, request):
        self.number += 1
        self.file.write(json.dumps({**request, "id": self.number}).encode() + b"\n")
        self.asked.append(self.number)

    def read(self):
        self.file.flush()
        number = self.asked.popleft()
        answer = json.loads(self.file.readline())
        assert answer["id"] == number, "answers come in the order of requests"
        assert "error" not in answer, answer
        for item in answer.get("frame", ()):
            self.hear(item)
        for item in answer.get("dismiss", ()):
            self.steps.pop(item["character"], None)
        for item in answer.get("save", ()):
            self.saves[item["character"]] = item["saved"]

    def read_all(self):
        while self.asked:
            self.read()

    def hear(self, item):
        self.ticks += 1
        name = item["character"]
        running, ended, latest = self.steps[name]
        for step in item["starts"]:
            assert step["step"] == latest + 1, "each step is heard of once, in order"
            latest += 1
            running.add(latest)
        for number in item["aborts"]:
            assert number <= latest, "nothing is aborted that was not started"
            assert number in running or ended.get(number) == "told", "no step ends twice"
            running.discard(number)
            ended[number] = "aborted"
        self.steps[name] = (running, ended, latest)

    def frame(self):
        """A frame of any characters, with news that may be wrong."""
        names = list(self.steps)
        items = []
        for _ in range(self.random.randint(1, LARGEST)):
            name = self.random.choice(names)
            running, ended, _ = self.steps[name]
            over = [number for number in running if self.random.random() < 0.3]
            for number in over:
                running.discard(number)
                ended[number] = "told"
            items.append({"character": name, "beliefs": self.beliefs()})
            items[-1]["ended"] = {str(one): self.random.choice([True, "missed"]) for one in over}
        self.ask({"frame": items, "seconds": 0.1, "due": self.random.random() < 0.5})

    def beliefs(self):
        random = self.random
        beliefs = {"distance": random.choice([5.0, 10, 50.0, 50.0])}
        if random.random() < 0.2:
            beliefs["sees"] = random.random() < 0.5
        if random.random() < 0.1:
            beliefs["health"] = random.choice([20, 100, "much", "unknown"])
        return beliefs

    def spawn(self, name):
        self.ask({"spawn": [{"character": name}]})
        self.steps[name] = (set(), {}, 0)

    def play(self, ticks):
        """Frames and changes of who there is, with answers read now or a hundred requests later."""
        until = self.ticks + ticks
        while self.ticks < until:
            if self.random.random() < 0.02:
                self.read_all()
                name = self.random.choice(list(self.steps))
                self.ask({"dismiss": [name]})
                self.read_all()
                self.spawn(name)
            for _ in range(self.random.choice([1, 1, 2, 10, LARGEST])):
                self.frame()
            for _ in range(self.random.randint(1, len(self.asked))):
                self.read()
        self.read_all()

    def open_steps(self):
        """The open steps of all characters, as bthtn lists them."""
        self.file.flush()
        self.file.write(b'{"list": []}\n')
        self.file.flush()
        listed = json.loads(self.file.readline())["list"]
        return {one["character"]: {step["step"] for step in one["steps"]} for one in listed}


@pytest.fixture
def serve(tmp_path):
    """Starts ``bthtn serve``, and connects to it."""
    (tmp_path / "guard.py").write_text(GUARD, "utf-8")
    children = []

    def served(seed):
        command = [sys.executable, "-m", "bthtn", "serve", "guard.py", "--tcp", "0"]
        child = Popen(command, cwd=tmp_path, stdout=PIPE, text=True)
        children.append(child)
        told = json.loads(child.stdout.readline())
        port = int(told["tcp"].rpartition(":")[2])
        connection = socket.create_connection(("127.0.0.1", port), timeout=120)
        with connection:
            dice = Random(seed)  # noqa: S311 - dice, not secrets
            return child, Engine(connection.makefile("rwb"), told["token"], dice)

    yield served
    for child in children:
        child.kill()
        child.communicate()


def memory_of(child):
    """Kilobytes of memory that a process has."""
    lines = Path(f"/proc/{child.pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def test_whatever_an_engine_writes_and_reads_when_it_wants_is_answered(serve):
    child, engine = serve(1)
    ticks = size(quick=1_000, thorough=20_000, night=1_000_000)
    for name in "abcdefgh":
        engine.spawn(name)
    engine.play(ticks // 4)
    before = memory_of(child)
    engine.play(ticks - ticks // 4)
    assert engine.open_steps() == {name: known[0] for name, known in engine.steps.items()}
    assert memory_of(child) < before * 1.1 + 10_000
    engine.file.close()


def test_after_kill_the_characters_go_on_from_their_saves_in_another_process(serve):
    child, engine = serve(2)
    for name in "abc":
        engine.spawn(name)
    engine.play(LARGEST * 5)
    engine.ask({"save": list("abc")})
    engine.read_all()
    os.kill(child.pid, signal.SIGKILL)
    engine.file.close()
    _, other = serve(3)
    other.ask({"load": [{"character": name, "saved": engine.saves[name]} for name in "abc"]})
    other.read_all()
    other.steps = engine.steps
    other.play(LARGEST * 5)
    assert other.open_steps() == {name: known[0] for name, known in other.steps.items()}
    other.file.close()
