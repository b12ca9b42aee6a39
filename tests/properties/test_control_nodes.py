"""Random trees of control nodes and decorators against an interpreter of a few lines.

The interpreter is one generator for each kind of node: it yields in every tick in which the node
is running, returns the letter of its end, and is closed by an abort. The statuses of the root,
and the order in which leaves are started, ticked and aborted, have to be the same.
"""

from collections import Counter

from hypothesis import event, given
from hypothesis import strategies as st
from py_trees import decorators
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from bthtn.behaviours import (
    Cooldown,
    Delay,
    IfThenElse,
    Parallel,
    Repeat,
    RetryUntilSuccessful,
    RunOnce,
    Timeout,
    WhileDoElse,
)
from bthtn.studio.testing.doubles import letter_of

STATUS = {"R": Status.RUNNING, "S": Status.SUCCESS, "F": Status.FAILURE}

leaves = st.tuples(st.just("leaf"), st.text("RSF", min_size=1, max_size=5))
COUNTED = ["repeat", "retry"]
TIMED = ["timeout", "delay", "cooldown"]


def lists(parts, least, most):
    return st.lists(parts, min_size=least, max_size=most)


trees = st.recursive(
    leaves,
    lambda parts: st.one_of(
        st.tuples(st.sampled_from(["sequence", "selector"]), lists(parts, 1, 3)),
        st.tuples(st.sampled_from(["if", "while"]), lists(parts, 2, 3)),
        st.tuples(
            st.just("parallel"), lists(parts, 2, 4), st.sampled_from([-1, 1, 2]), st.integers(1, 2)
        ),
        st.tuples(st.sampled_from(COUNTED), parts, st.sampled_from([-1, 1, 2, 3])),
        st.tuples(st.sampled_from(TIMED), parts, st.integers(1, 3)),
        st.tuples(st.just("once"), parts, st.sampled_from(["S", "F", None])),
        st.tuples(st.just("invert"), parts),
    ),
    max_leaves=10,
)
moments = lists(st.sampled_from(["tick", "tick", "tick", "tick", "stop"]), 5, 20)


class Leaf(Behaviour):
    """Follows its script from run to run."""

    def __init__(self, name, script, log):
        super().__init__(name)
        self.script, self.log, self.ticked = script, log, 0

    def initialise(self):
        self.log.append(f"start {self.name}")

    def update(self):
        letter = self.script[self.ticked % len(self.script)]
        self.ticked += 1
        self.log.append(f"{letter} {self.name}")
        return STATUS[letter]

    def terminate(self, new_status):
        if new_status is Status.INVALID and self.status is Status.RUNNING:
            self.log.append(f"abort {self.name}")


def built(drawn, name, log):
    """The tree of behaviours."""
    kind, parts, *more = drawn
    if kind == "leaf":
        return Leaf(name, parts, log)
    parts = parts if isinstance(parts, list) else [parts]
    children = [built(part, f"{name}{index}", log) for index, part in enumerate(parts)]
    match kind:
        case "sequence" | "selector":
            return {"sequence": Sequence, "selector": Selector}[kind](name, True, children)
        case "parallel":
            return Parallel(name, children, success_count=more[0], failure_count=more[1])
        case "timeout" | "delay" | "cooldown":
            made = {"timeout": Timeout, "delay": Delay, "cooldown": Cooldown}[kind]
            return made(name, *children, ticks=more[0])
        case "once":
            return RunOnce(name, *children, then=STATUS.get(more[0]))
        case _:
            made = {
                "if": IfThenElse,
                "while": WhileDoElse,
                "repeat": Repeat,
                "retry": RetryUntilSuccessful,
                "invert": decorators.Inverter,
            }
            return made[kind](name, *children, *more)


class Interpreter:
    """Runs a drawn tree by the text of BehaviorTree.CPP."""

    def __init__(self, log):
        self.log, self.time = log, 0
        self.ticked = Counter()  # of leaves; of cooldowns since their last success
        self.ended = {}  # how nodes that run once have ended

    def step(self, run):
        """The letter of a tick of a node."""
        try:
            next(run)
        except StopIteration as end:
            return end.value
        return "R"

    def run(self, drawn, name=""):
        kind, parts, *more = drawn
        if kind == "leaf":
            return self.leaf(name, parts)
        parts = parts if isinstance(parts, list) else [parts]
        make = [lambda n=n, part=part: self.run(part, f"{name}{n}") for n, part in enumerate(parts)]
        if kind in ("cooldown", "once"):
            return getattr(self, kind)(name, *make, *more)
        many = kind in ("sequence", "selector", "parallel", "if", "while")
        return getattr(self, f"{kind}_")(make, *more) if many else getattr(self, kind)(*make, *more)

    def leaf(self, name, script):
        self.log.append(f"start {name}")
        try:
            while True:
                letter = script[self.ticked[name] % len(script)]
                self.ticked[name] += 1
                self.log.append(f"{letter} {name}")
                if letter != "R":
                    return letter
                yield
        except GeneratorExit:
            self.log.append(f"abort {name}")
            raise

    def sequence_(self, parts, stop="F", end="S"):
        for part in parts:
            if (yield from part()) == stop:
                return stop
        return end

    def selector_(self, parts):
        return self.sequence_(parts, "S", "F")

    def parallel_(self, parts, successes, failures):
        runs, ends = [part() for part in parts], ["R"] * len(parts)
        successes = len(parts) if successes == -1 else successes
        try:
            while True:
                for n, run in enumerate(runs):
                    if ends[n] == "R":
                        ends[n] = self.step(run)
                    if ends.count("S") >= successes:
                        return "S"
                    if ends.count("F") >= failures or len(runs) - ends.count("F") < successes:
                        return "F"
                yield
        finally:
            for run in runs:
                run.close()

    def if_(self, parts):
        end = yield from parts[0]()
        if end == "F" and len(parts) == 2:
            return end
        return (yield from parts[1 if end == "S" else 2]())

    def while_(self, parts):
        condition, chosen, branch = None, None, None
        try:
            while True:
                condition = condition or parts[0]()
                end = self.step(condition)
                if end != "R":
                    condition = None
                    wanted = parts[1:][end == "F"] if end == "S" or len(parts) > 2 else None
                    if wanted is not chosen and branch:
                        branch.close()
                    if wanted is None:
                        return "F"
                    if wanted is not chosen:
                        chosen, branch = wanted, wanted()
                    if (end := self.step(branch)) != "R":
                        return end
                yield
        finally:
            for run in (condition, branch):
                if run:
                    run.close()

    def repeat(self, part, cycles, again="S"):
        end = again
        while cycles and end == again:
            begun = self.time
            end = yield from part()
            cycles -= cycles > 0
            if cycles == -1 and end == again and begun == self.time:
                yield  # a cycle without a tick is the last one of its tick
        return end

    def retry(self, part, cycles):
        return self.repeat(part, cycles, again="F")

    def timeout(self, part, ticks):
        run = part()
        try:
            for _ in range(ticks):
                if (end := self.step(run)) != "R":
                    return end
                yield
            return "F"
        finally:
            run.close()

    def delay(self, part, ticks):
        for _ in range(ticks):
            yield
        return (yield from part())

    def cooldown(self, name, part, ticks):
        self.ticked[name] -= 1
        if self.ticked[name] > 0:
            return "F"
        self.ticked[name] = 0
        end = yield from part()
        if end == "S":
            self.ticked[name] = ticks
        return end

    def once(self, name, part, then):
        if name in self.ended:
            return then or self.ended[name]
        self.ended[name] = yield from part()
        return self.ended[name]

    def invert(self, part):
        end = yield from part()
        return {"S": "F", "F": "S"}[end]


def of_behaviours(drawn, chosen):
    """The letters of the root and what happens to the leaves, by moments."""
    log = []
    root = built(drawn, "", log)
    for moment in chosen:
        if moment == "stop":
            root.stop(Status.INVALID)
        else:
            root.tick_once()
            log.append(letter_of(root.status))
    return log


def of_interpreter(drawn, chosen):
    """The same of the interpreter."""
    log = []
    interpreter = Interpreter(log)
    run = None
    for moment in chosen:
        if moment == "stop":
            if run:
                run.close()
            run = None
        else:
            interpreter.time += 1
            run = run or interpreter.run(drawn)
            log.append(interpreter.step(run))
            run = run if log[-1] == "R" else None
    return list(log)  # not the aborts of what is let go


def kinds(drawn):
    kind, parts, *_ = drawn
    below = [] if kind == "leaf" else parts if isinstance(parts, list) else [parts]
    return {kind}.union(*map(kinds, below))


@given(trees, moments)
def test_trees_do_what_the_semantics_say(drawn, chosen):
    happened = of_behaviours(drawn, chosen)
    assert happened == of_interpreter(drawn, chosen)
    for kind in kinds(drawn):
        event(kind)
