"""Random plans with decorated parts run as an interpreter of a few lines says."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from bthtn import force_success, invert, parallel, priority, retry, timeout
from bthtn.engine.agent.events import LeafAborted, LeafEnded, LeafStarted
from bthtn.engine.behaviours.branch import next_steps
from bthtn.studio.testing.doubles import ticks
from tests.sizes import size

SCRIPTS = st.lists(st.sampled_from(["S", "F", "RS", "RF", "RRS", "RRRRS"]), min_size=1, max_size=3)
leaves = st.tuples(st.just("leaf"), SCRIPTS)


def lists(parts, least, most):
    return st.lists(parts, min_size=least, max_size=most)


networks = st.recursive(
    leaves,
    lambda parts: st.one_of(
        st.tuples(st.sampled_from(["sequence", "priority", "parallel"]), lists(parts, 1, 3)),
        st.tuples(st.sampled_from(["timeout", "retry"]), lists(parts, 1, 2), st.integers(1, 3)),
        st.tuples(st.just("force_success"), lists(parts, 1, 2)),
        st.tuples(st.just("invert"), leaves),
    ),
    max_leaves=8,
)


def written(drawn, stage, name="t"):
    """The network; every leaf is a task of its own, called by its place."""
    kind, parts, *more = drawn
    if kind == "leaf":
        return stage.step(name, *parts)
    if kind == "invert":
        return invert(written(parts, stage, name))
    made = [written(part, stage, f"{name}{number}") for number, part in enumerate(parts)]
    match kind:
        case "sequence":
            return tuple(made)
        case "priority" | "parallel":
            return {"priority": priority, "parallel": parallel}[kind](*made)
        case "timeout" | "retry":
            return {"timeout": timeout, "retry": retry}[kind](*more, *made)
        case _:
            return force_success(*made)


class Interpreter:
    """Runs a drawn network by the rules: a generator that yields in every tick but the last."""

    def __init__(self):
        self.told = []
        self.starts = Counter()

    def run(self, drawn, name="t"):
        kind, parts, *more = drawn
        if kind == "leaf":
            return self.leaf(name, parts)
        if kind == "invert":
            return self.invert(self.leaf(name, parts[1]))
        inside = [
            lambda part=part, n=n: self.run(part, f"{name}{n}") for n, part in enumerate(parts)
        ]
        return getattr(self, kind)(inside, *more)

    def leaf(self, name, scripts):
        script = scripts[min(self.starts[name], len(scripts) - 1)]
        self.starts[name] += 1
        self.told.append(f"start {name}")
        try:
            for _ in script[:-1]:
                yield
        except GeneratorExit:
            self.told.append(f"abort {name}")
            raise
        self.told.append(f"{script[-1]} {name}")
        return script[-1]

    def invert(self, leaf):
        return "F" if (yield from leaf) == "S" else "S"

    def sequence(self, parts):
        for part in parts:
            if (yield from part()) == "F":
                return "F"
        return "S"

    def priority(self, parts):
        for part in parts:
            if (yield from part()) == "S":
                return "S"
        return "F"

    def force_success(self, parts):
        yield from self.sequence(parts)
        return "S"

    def parallel(self, parts):
        running = [part() for part in parts]
        while True:
            for one in list(running):
                try:
                    next(one)
                except StopIteration as end:
                    running.remove(one)
                    if end.value == "F":
                        for other in running:
                            other.close()
                        return "F"
            if not running:
                return "S"
            yield

    def timeout(self, parts, most):
        inside = self.sequence(parts)
        for _ in range(most):
            try:
                next(inside)
            except StopIteration as end:
                return end.value
            yield
        inside.close()
        return "F"

    def retry(self, parts, tries):
        for number in range(tries):
            if (yield from self.sequence(parts)) == "S":
                return "S"
            if number + 1 < tries:
                yield
        return "F"


def told_by(heard):
    """What a tick's events say of the steps, as the interpreter tells it."""
    told = []
    for one in heard.events:
        match one:
            case LeafStarted(task=task):
                told.append(f"start {task}")
            case LeafEnded(task=task):
                told.append(f"{'S' if one.succeeded else 'F'} {task}")
            case LeafAborted(task=task):
                told.append(f"abort {task}")
    heard.clear()
    return sorted(told)


def played(drawn, new_stage):
    """The letters and events of each tick, of the plan and of the interpreter."""
    stage, interpreter = new_stage(), Interpreter()
    goal = stage.goal(written(drawn, stage), max_replans=0)
    run = interpreter.run(drawn)
    while True:
        letter, expected = ticks(goal, 1), "R"
        try:
            next(run)
        except StopIteration as end:
            expected = end.value
        yield letter, expected, told_by(stage.heard), sorted(interpreter.told)
        interpreter.told.clear()
        if "R" not in (letter, expected):
            return


@settings(max_examples=size(quick=30, thorough=500, night=5_000))
@given(networks)
def test_plans_with_decorators_run_as_an_interpreter_says(new_stage, drawn):
    for number, (letter, expected, told, should) in enumerate(played(drawn, new_stage), 1):
        assert (letter, told) == (expected, should), f"tick {number} of {drawn}"


@settings(max_examples=size(quick=30, thorough=500, night=5_000))
@given(networks)
def test_the_next_steps_are_the_first_of_those_that_are_left(new_stage, drawn):
    stage = new_stage()
    goal = stage.goal(written(drawn, stage), max_replans=0)
    while ticks(goal, 1) == "R":
        [subtree] = goal.children
        found = list(next_steps(subtree))
        left = goal._mount.rest().unfinished()
        assert found == left[: len(found)]
