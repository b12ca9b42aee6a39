"""Prints what ticks import, compile and execute.

``python -m tests.engine.behaviours.loaded KIND [TREE…]``

KIND is "trees", "forms" of operators, and whatever else a character may have, or the same forms
"watched" by a recorder and a viewer, or "served" to an engine, beside a crowd. Characters are made
and set up first, then ticked, and only the ticks are looked at; in a process of its own, since
nothing is imported a second time.
"""

import re
import sys
from contextlib import ExitStack
from tempfile import TemporaryDirectory
from traceback import extract_stack

from py_trees.behaviours import Success
from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel, Sequence
from py_trees.decorators import FailureIsRunning

from bthtn import (
    Domain,
    Fluent,
    Methods,
    Primitive,
    State,
    defer,
    fluent,
    method,
    optional,
    parallel,
    primitive,
    repeat,
    seconds,
)
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    Completion,
    Cooldown,
    Leases,
    ManualClock,
    OperatorFailed,
    Operators,
    PlanGoal,
    PlanningSchedule,
    Repeat,
    Sensors,
    Timeout,
    UtilityGoals,
)

TICKS = 90
LEFT_OUT = ("planning/htn/generated.py", "planning/htn/translation/", "traceback.py")
"""Functions for the search, generated when it first needs them; and the tracebacks of errors."""


class Listening:
    """Notes what is loaded while it is on."""

    def __init__(self):
        self.is_on = False
        self.found = []
        sys.addaudithook(self.hear)
        compiled = re._compiler.compile  # no event tells of a pattern

        def compile_pattern(pattern, flags=0):
            self.hear("pattern", (pattern,))
            return compiled(pattern, flags)

        re._compiler.compile = compile_pattern

    def hear(self, event, given):
        if not self.is_on or event not in ("import", "compile", "exec", "pattern"):
            return
        stack = [frame for frame in extract_stack()[:-1] if "importlib" not in frame.filename]
        if not any(left_out in frame.filename for frame in stack for left_out in LEFT_OUT):
            self.found.append(f"{event} {given[0]!r} in {stack[-1].filename}:{stack[-1].lineno}")


class Body:
    """What the operators act with."""

    def __init__(self):
        self.calls = []

    def answer(self):
        for completion in self.calls:
            completion.succeed()
        self.calls.clear()


class Worker(State):
    light: Fluent[int] = fluent(default=0)
    tools: Fluent[int] = fluent(default=0)


work = Domain("work", Worker)
kinds = ("plain", "yields", "awaits", "calls", "has_methods", "is_tree", "fails", "waits")
tasks = {kind: work.primitive(kind, effects=Worker.tools.increases(1)) for kind in kinds}


@work.primitive
def take(tool: str) -> Primitive:
    return primitive(precondition=Worker.light >= 0, uses="hands", duration=seconds(0.5))


@work.compound
def all_day() -> Methods:
    steps = (tasks[kind]() for kind in kinds if kind != "fails")
    yield method(*steps, repeat(2, take("saw")), when=Worker.light > 3, name="by day")
    yield method(parallel(tasks["awaits"](), tasks["yields"]()), optional(tasks["fails"]()))


@work.compound
def all_night() -> Methods:
    yield method(lambda state: [take("axe")] if state.light > 5 else None)
    yield method(tasks["plain"](), defer(all_day()))


class Doing:
    """An operator with methods."""

    def start(self):
        pass

    def tick(self):
        return Success(name="done").update()

    def abort(self):
        pass


def operators():
    bound = Operators()
    bound.simulate(take)
    bound.bind(tasks["plain"])(lambda agent: agent.take("hammer") and None)
    bound.bind(tasks["has_methods"])(lambda agent: Doing())
    bound.bind(tasks["is_tree"])(lambda agent: Success(name="nod"))
    bound.on_plan_start(tasks["plain"])(lambda agent: agent.take("bench"))
    bound.on_plan_end(tasks["plain"])(lambda agent: None)

    @bound.bind(tasks["yields"])
    def yields(agent):
        yield
        yield seconds(0.3)

    @bound.bind(tasks["awaits"])
    async def awaits(agent):
        await within()

    async def within():
        agent_is_known = True
        assert agent_is_known

    @bound.bind(tasks["calls"])
    def calls(agent):
        agent.body.calls.append(completion := Completion())
        return completion

    @bound.bind(tasks["waits"])
    def waits(agent):
        yield seconds(0.1)

    @bound.bind(tasks["fails"])
    def fails(agent):
        raise OperatorFailed("it is broken")

    return bound


def sensors():
    made = Sensors()

    @made.sensor(Worker.light)
    def eyes(agent):
        while True:
            yield from (light for light in (8, 0) for _ in range(20))

    return made


def worker(name="Ann"):
    """A character with everything."""
    clock, body = ManualClock(), Body()
    agent = Agent(
        name,
        work,
        Worker(),
        body=body,
        operators=operators(),
        sensors=sensors(),
        clock=clock,
        leases=Leases({"hammer": 1}),
    )
    schedule = PlanningSchedule(budget=500)
    day = PlanGoal("day", agent, all_day(), budget=schedule)
    night = PlanGoal("night", agent, all_night(), budget=schedule)
    choice = UtilityGoals("choice", agent, [(day, Worker.light), (night, 4)])
    guarded = Timeout("timeout", choice, seconds=20, clock=agent.time)
    lit = Cooldown("cooldown", Believes("lit", agent, Worker.light > 2), ticks=2)
    policy = ParallelPolicy.SuccessOnAll(synchronise=False)
    root = Parallel(
        "all", policy, children=[Repeat("again", guarded, -1), FailureIsRunning("or", lit)]
    )

    def sense():
        clock.advance(0.1)
        body.answer()
        agent.believe_soon(Worker.tools, 1)

    return Character(Sequence("root", memory=False, children=[root]), agent, sense=sense)


def shipped(name):
    from bthtn.studio.testing.characters import character_of  # noqa: PLC0415 - only here
    from bthtn.studio.testing.locate import TargetKind, resolve  # noqa: PLC0415 - only here

    return character_of(resolve(name, TargetKind.TREE), 1)


def watchers(character, files):
    from bthtn.kit.recording import Recorder  # noqa: PLC0415 - only here
    from bthtn.studio.watch import Viewer  # noqa: PLC0415 - only here

    folder = files.enter_context(TemporaryDirectory())
    recorder = files.enter_context(Recorder(f"{folder}/run.jsonl", character))
    return [recorder, files.enter_context(Viewer(character))]


class Served:
    """A character whose steps an engine does, and a crowd, ticked as one."""

    finished = False

    def __init__(self):
        from bthtn.kit import Crowd, EngineHost  # noqa: PLC0415 - only here

        schedule = PlanningSchedule(budget=100)
        host = EngineHost(lambda seed: plain("served", Operators()), name="served")
        self.connection = host.connect()
        self.connection.answer({"hello": {"protocol": "bthtn-engine/1"}})
        self.connection.answer({"spawn": [{"character": "Bob"}]})
        self.crowd = Crowd(schedule)
        walker = plain("in a crowd", Operators(simulates_others=True), budget=schedule)
        self.crowd.add(walker.agent, walker.root)
        self.starts = []

    def tick(self):
        ended = {str(start["step"]): True for start in self.starts}
        told = {"character": "Bob", "beliefs": {"light": len(ended)}, "ended": ended}
        self.starts = self.connection.answer({"frame": [told], "seconds": 0})["frame"][0]["starts"]
        self.crowd.tick()

    def stop(self):
        self.connection.answer({"dismiss": ["Bob"]})


def plain(name, code, **options):
    agent = Agent(name, work, Worker(), body=None, operators=code, clock=ManualClock())
    root = PlanGoal("day", agent, (tasks["plain"](), tasks["waits"]()), **options)
    return Character(root, agent, world=agent)


def characters_of(kind, names):
    if kind == "served":
        return [Served()]
    return [shipped(name) for name in names] or [worker()]


def main(kind, *names):
    characters = characters_of(kind, names)
    with ExitStack() as files:
        watching = [watchers(one, files) if kind == "watched" else [] for one in characters]
        before, listening = set(sys.modules), Listening()
        for character, others in zip(characters, watching, strict=True):
            listening.is_on = True
            for _ in range(TICKS):
                character.tick()
                for other in others:
                    other.tick()
                if character.finished:
                    break
            listening.is_on = False
        new = sorted(set(sys.modules) - before)
    lines = (*dict.fromkeys(listening.found), *(f"module {name}" for name in new))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    for character in characters:
        character.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
