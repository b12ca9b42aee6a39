"""Equal questions have equal answers, whatever was asked, kept or collected before."""

import gc
from itertools import product
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Planner,
    Settings,
    State,
    find_plan,
    fluent,
    fluents,
    method,
    primitive,
)
from bthtn.engine.plan.walk import outline
from bthtn.errors import BthtnError
from tests.sizes import size

FEW = Settings(max_expansions=60, max_depth=40)


def world():
    """A domain and its State class, of which nobody has asked anything yet."""

    class Board(State):
        count: Fluent[int] = fluent(default=1)
        fuel: Fluent[float] = fluent(default=1.0)
        seen: Fluent[object] = fluent(default=None)
        lit: FluentFamily[int, bool] = fluents(default=False)
        full: FluentFamily[float, float] = fluents(default=0.0)
        road: FluentFamily[tuple[int, str], int] = fluents(default=0)

    domain = Domain("board", Board)

    @domain.primitive
    def note(what):
        def noted(s):
            s.seen = what

        return primitive(precondition=lambda s: s.count <= 9 or s.seen == what, effects=noted)

    @domain.primitive
    def light(number):
        lamp = Board.lit[number]
        return primitive(precondition=~lamp, effects=lamp.becomes(True))

    @domain.primitive
    def pave(number):
        return primitive(effects=Board.road[number, "a"].increases(1))

    @domain.primitive
    def fill(amount):
        return primitive(effects=(Board.fuel.becomes(amount), Board.full[0.5].becomes(amount)))

    @domain.primitive
    def pour(amount: float):
        return primitive(effects=Board.full[amount].becomes(1))

    @domain.compound
    def pouring(amount: float):
        yield method(pour(amount))

    @domain.compound
    def noting(what):
        yield method(note(what))

    @domain.compound
    def lighting(number):
        yield method(light(number), when=Board.count == 1)
        yield method(light(0))

    @domain.compound
    def lighting_as_compared():
        yield method(light(Board.count == 1))

    @domain.compound
    def paving(number):
        yield method(lambda s: [pave(number)] if s.road[number, "a"] == 0 else None)

    @domain.compound
    def filling(amount):
        yield method(fill(amount), filling(amount))
        yield method(note("full"))

    return domain.freeze(), Board


NUMBERS = (0, 1, True, False, 1.0, 0.0, -0.0, nan, float("nan"), (1,), (True,), (1.0,), "1", None)
GOALS = ("noting", "lighting", "paving", "filling", "pouring", "lighting_as_compared")
QUESTIONS = (*product(GOALS[:-1], NUMBERS), (GOALS[-1], None))
WAYS = ("find_plan", "Planner", "in slices")


class Askers:
    """Those who answer questions about one domain, and keep what they like."""

    def __init__(self):
        self.domain, self.state_class = world()
        self._kept = {}

    def answer(self, way, goal, value):
        """The plan as what can be compared, or the codes of the error."""
        task = self.domain.tasks[goal]
        try:
            call = task(value) if task.parameters else task()
            plan = self._plan(way, (way, goal, id(value)), call)
        except BthtnError as error:
            return type(error), str(error)
        return plan and (repr(plan.actions), repr(plan.predicted), outline_of(plan))

    def _plan(self, way, key, call):
        state = self.state_class()
        if way == "find_plan":
            return find_plan(self.domain, state, call, FEW)
        if key not in self._kept:
            self._kept[key] = Planner(self.domain, call, FEW)
        if way != "in slices":
            return self._kept[key].plan(state)
        search = self._kept[key].search(state)
        while search.status.value == "running":
            search.advance(2)
        return search.plan


def outline_of(plan):
    return [repr(part) for part in outline(plan.tree)]


EXPECTED = {}


def expected(goal, value):
    """The answer of somebody who was asked nothing before."""
    key = goal, id(value)
    if key not in EXPECTED:
        EXPECTED[key] = Askers().answer("find_plan", goal, value)
    return EXPECTED[key]


ASKED = st.tuples(st.sampled_from(WAYS), st.sampled_from(QUESTIONS), st.booleans())


@given(st.lists(ASKED, min_size=1, max_size=12))
def test_equal_questions_have_equal_answers_in_every_order(asked):
    askers = Askers()
    for way, (goal, value), collects in asked:
        for _ in range(2):
            assert askers.answer(way, goal, value) == expected(goal, value)
        if collects:
            gc.collect()


@pytest.mark.parametrize("way", WAYS)
def test_each_question_is_answered_after_all_others_as_before_them(way):
    askers, first = Askers(), {}
    for turn in range(size(quick=3, thorough=6)):
        questions = QUESTIONS if turn % 2 else QUESTIONS[::-1]
        for goal, value in questions:
            answer = askers.answer(way, goal, value)
            assert answer == first.setdefault((goal, id(value)), expected(goal, value))
