"""What a running plan has read turns unknown: nothing is raised, and the goal goes on or ends."""

from itertools import product

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Settings,
    State,
    achieve,
    any_order,
    defer,
    first_of,
    fluent,
    fluents,
    method,
    one_of,
    optional,
    parallel,
    partial_order,
    pause,
    primitive,
    priority,
    random_of,
    repeat,
    sequence,
    with_cleanup,
)
from bthtn.behaviours import Agent, PlanGoal, Replanning
from bthtn.engine.agent.events import PlanAdopted
from bthtn.studio.testing.doubles import RecordingListener
from tests.sizes import size


class Numbers(State):
    n: Fluent[int] = fluent(default=1)
    m: Fluent[int] = fluent(default=2)
    done: Fluent[int] = fluent(default=0)
    ready: Fluent[bool] = fluent(default=True)
    some: FluentFamily[int, int] = fluents(default=1, index=int)


N, M, DONE, READY, SOME = Numbers.n, Numbers.m, Numbers.done, Numbers.ready, Numbers.some
FLUENTS = (N, M, DONE, READY, SOME[1], SOME[2])


def raised(state):
    state.done = state.done + state.n + state.some[1]


class Tasks:
    """A domain with a step for each thing that a step can compute."""

    def __init__(self):
        domain = self.domain = Domain("numbers", Numbers)
        self.wait = domain.primitive("wait", duration=1)
        self.add = domain.primitive("add", effects=DONE.increases(N + M), duration=1)
        self.take = self._step(effects=DONE.decreases(N), precondition=N + M > 0, exec_only=N < M)
        self.set = self._step(effects=[DONE.becomes(N + SOME[1]), SOME[M].becomes(DONE + N)])
        self.code = self._step(effects=raised, precondition=lambda state: state.n + state.m > 0)
        self.expect = self._step(expected=DONE.increases(M), actual=DONE.increases(N))
        self.moments = self._step(
            on_start=DONE.increases(N), on_failure=DONE.increases(M), on_abort=N.increases(M)
        )
        self.hold = self._step(during=(N + M > 0) & (SOME[1] > 0), effects=N.increases(1))
        self.priced = self._step(cost=N + M, duration=N + DONE)
        self.priced_by_code = self._step(cost=lambda state: state.n + state.m)
        self.put = domain.primitive(self.putting)

    @staticmethod
    def putting(n: int):
        return primitive(precondition=SOME[n] + N > 0, effects=SOME[n].increases(n + N), duration=1)

    def _step(self, **described):
        described.setdefault("duration", 1)
        return self.domain.primitive(f"step_{len(described)}_{len(vars(self))}", **described)

    def choosing(self, *methods):
        def choose():
            yield from methods

        return self.domain.compound(choose)()


def one_for_each_value(of):
    n = one_of(lambda state: range(state.n + state.m), key=lambda state, value: state.n - value)
    return of.choosing(method(of.put(n), of.add(), when=SOME[n] + N > 0, cost=N + n))


GOALS = {
    "increase": lambda of: of.add(),
    "decrease and conditions": lambda of: of.take(),
    "assignments to members": lambda of: of.set(),
    "functions": lambda of: of.code(),
    "expected and actual": lambda of: of.expect(),
    "moments": lambda of: of.moments(),
    "during": lambda of: of.hold(),
    "cost and duration": lambda of: (of.priced(), of.priced_by_code()),
    "arguments": lambda of: (of.put(N + M), of.put(SOME[N])),
    "methods": lambda of: of.choosing(
        method(of.add(), when=N + DONE > 9, cost=N + M),
        method(of.add(), of.put(N), when=N + M > 0, cost=lambda state: state.n + state.m),
    ),
    "values of methods": lambda of: of.choosing(
        method(of.add(), of.wait(), value=N + M),
        method(of.set(), of.add(), value=lambda state: state.n + state.some[1]),
    ),
    "plain methods": lambda of: of.choosing(
        method(lambda state: of.put(state.n + state.m) if state.some[1] > 0 else None)
    ),
    "variables": one_for_each_value,
    "draws": lambda of: random_of((N + M, of.add()), (SOME[1], of.take()), by=(N + DONE,)),
    "draws by functions": lambda of: random_of(
        (lambda state: state.n + state.m, of.add()), (2, of.take()), by=lambda state: state.done + 1
    ),
    "repetitions": lambda of: repeat(N + M, of.add()),
    "repetitions by functions": lambda of: repeat(lambda state: state.n + state.m, of.put(N)),
    "orders": lambda of: any_order(of.add(), of.put(N), of.hold()),
    "partial orders": lambda of: partial_order("a < b", a=of.add(), b=of.put(M), c=of.hold()),
    "choices": lambda of: (first_of(of.take(), of.add()), optional(of.put(N))),
    "branches": lambda of: parallel(of.add(), of.put(N), (of.add(), of.add())),
    "any branch": lambda of: (parallel(of.add(), of.add(), policy="any"), of.add()),
    "primary branch": lambda of: (parallel(of.add(), of.add(), policy="primary"), of.put(N)),
    "alternatives": lambda of: (priority(of.take(), of.add()), of.add()),
    "reactive alternatives": lambda of: priority(of.take(), (of.add(), of.hold()), reactive=True),
    "pauses": lambda of: (of.add(), pause(), of.put(N), pause(now=True), of.code()),
    "deferred": lambda of: (
        of.wait(),
        defer(of.put(N), ensures=(SOME[1].becomes(N + M), DONE.increases(N))),
        of.set(),
    ),
    "cleanups": lambda of: with_cleanup(of.add(), of.hold(), finally_=of.put(N + M)),
    "goals": lambda of: (of.wait(), achieve(DONE > N + M, actions=[of.add, of.set], forward=True)),
}
TICKS = range(size(quick=1, thorough=4))
SETTINGS = (
    Settings(),
    Settings(horizon=1),
    Settings(horizon_time=1.5),
    Settings(horizon=2, check_rest=True),
    Settings(anytime=True, max_expansions=5),
    Settings(cheapest=True),
)


@pytest.mark.parametrize("name", GOALS)
def test_nothing_is_raised_when_what_a_plan_reads_turns_unknown(name):
    adopted, of = 0, Tasks()
    goal = sequence(of.wait(), GOALS[name](of), of.add(), of.code())
    for run, (changed, tick) in enumerate(product(FLUENTS, TICKS)):
        heard = RecordingListener()
        actor = Agent("actor", of.domain, Numbers(), body=None, listener=heard, strict=True)
        replanning = Replanning(interrupt="any") if run % 2 else Replanning()
        settings = SETTINGS[run % len(SETTINGS) - run // len(SETTINGS)]
        tree = PlanGoal("goal", actor, goal, settings=settings, replanning=replanning)
        for number in range(12):
            if number == tick:
                actor.believe(changed, UNKNOWN)
            if number == tick + 3:
                actor.believe(changed, changed.default)
            tree.tick_once()
        assert not actor.errors
        tree.shutdown()
        assert heard.faults() == []
        adopted += len(heard.of(PlanAdopted))
    assert adopted
