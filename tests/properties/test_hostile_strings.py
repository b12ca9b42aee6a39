"""Strings are data: none is ever run, whatever is in it and wherever it stands in a domain.

A name that no line of text can hold is refused where it enters. All other strings are planned
with as every string is: each way to plan gives the plan that the specification gives.
"""

import builtins
import io
import tokenize
import unicodedata
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from types import new_class
from unittest.mock import patch

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from bthtn import (
    UNKNOWN,
    Domain,
    Planner,
    Settings,
    State,
    derive,
    find_plan,
    fluent,
    fluents,
    merge,
    method,
    parallel,
    primitive,
    priority,
    sequence,
)
from bthtn.engine.plan.nodes import SuspendedNode
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import outline, preorder
from bthtn.engine.planning.htn import generated
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.errors import BthtnError
from tests.reference import Reference
from tests.sizes import size

RUN = "__import__('builtins').hostile.append(1)"
BREAKS = ("\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
PAYLOADS = (
    *(f"a{one}{RUN}#" for one in BREAKS),
    *(f"a{one}    {RUN}{one}    #" for one in BREAKS),
    *(f"a{one}  b" for one in BREAKS),
    f"\0{RUN}",
    f"\ud800{RUN}",
    "\udcff",
    f"' + {RUN} + '",
    f'" + {RUN} + "',
    f"'''\n{RUN}\n'''",
    f'"""\nimport os; {RUN}\n"""',
    f"(r1 := {RUN})",
    f"#{RUN}",
    f"{{{RUN}}}",
    f"a\\\n{RUN}",
    "\\",
    "\\N{BULLET}",
    "{}",
    "{0!r}",
    "%s",
    "'",
    '"',
    "'''",
    "]",
    ")",
    "S",
    "None",
    "UNKNOWN",
    "def",
    "戦う",
    " ",
)
PIECES = (*BREAKS, *"\0\ud800'\"\\#{}()[]:; ", "'''", '"""', RUN, "a", "import os", "%s", "for")
STRINGS = st.one_of(
    st.sampled_from(PAYLOADS),
    st.lists(st.sampled_from(PIECES), max_size=6).map("".join),
    st.text(st.characters(), max_size=8),
)


def fits(name):
    """Whether a line of text can hold the name."""
    return all(unicodedata.category(one) not in UNFIT for one in name)


UNFIT = ("Cc", "Cs", "Zl", "Zp")
FITTING = st.one_of(
    st.sampled_from([one for one in PAYLOADS if fits(one)]),
    st.lists(st.sampled_from([one for one in PIECES if fits(one)]), max_size=6).map("".join),
    st.text(st.characters(exclude_categories=UNFIT), max_size=8),
)
BREAKING = st.builds(
    lambda before, one, after: before + one + after,
    STRINGS,
    st.sampled_from([*BREAKS, "\0", "\x1b", "\x7f", "\ud800", "\udfff"]),
    STRINGS,
)
PLACES = (
    *("domain", "state", "fluent", "family", "count", "moods", "simple", "go", "mark", "top"),
    *("later", "method", "other", "resource", "suffix", "renamed", "derived", "merged"),
)
"""Where names stand. Of each of them every world has one."""
KINDS = ("plain", "function", "branches", "chosen")
"""How the first task is decomposed: each has other functions generated for it."""


@contextmanager
def watched():
    """What strings that are run would leave behind, and all source that is generated."""
    builtins.hostile, sources = [], []
    check = generated._check
    generated.code_of.cache_clear()

    def noted(text):
        sources.append(text)
        check(text)

    with patch.object(generated, "_check", noted):
        yield builtins.hostile, sources
    ran = builtins.hostile
    del builtins.hostile
    assert not ran


def class_of(name, members):
    return new_class(name, (State,), exec_body=lambda space: space.update(members))


class World:
    """A domain with strings in every place where one can stand."""

    def __init__(self, names, values, kind):
        self.names, self.values, self.kind = names, values, kind
        self._declare()
        self.domain = Domain(names["domain"], self.state_class)
        self.simple = self.domain.primitive(
            names["simple"],
            precondition=(self.at == values[0]) | (self.at == values[1]),
            effects=[
                self.at.becomes(values[1]),
                self.seen[values[2]].becomes(values[3]),
                self.left.decreases(1),
            ],
            uses=[names["resource"]],
        )
        self.go, self.mark = self._primitives()
        self.later = self._compound("later", self._later)
        self.top = self._compound("top", self._top)

    def _declare(self):
        moods = Enum("Mood", {f"m{self.values[5]}": 1, f"n{self.names['moods']}": 2})
        self.calm, self.angry = moods
        self.at, self.left = fluent(default=self.values[0]), fluent(default=2)
        self.seen = fluents(default=self.values[4])
        self.mood = fluents(default=self.calm, index=moods)
        members = {self.names["fluent"]: self.at, self.names["family"]: self.seen}
        members |= {self.names["count"]: self.left, "mood": self.mood}
        self.state_class = class_of(self.names["state"], members)

    def _described(self, place, function):
        function.__name__, function.__doc__ = self.names[place], self.values[6]
        return function

    def _primitives(self):
        at, seen, mood, (here, there, index, other) = self.at, self.seen, self.mood, self.values[:4]

        def go(to: str, what):
            return primitive(
                precondition=(at != to) & (seen[index] == other),
                effects=[at.becomes(to), seen[to].becomes(at), mood[what].becomes(self.angry)],
                expected=[seen[there + to].becomes(index)],
            )

        def mark(to: str):
            return primitive(precondition=seen[to] == there, effects=seen[at + here].becomes(to))

        named = self._described("go", go), self._described("mark", mark)
        return map(self.domain.primitive, named)

    def _compound(self, place, methods):
        def one(to: str):
            yield from methods(to)

        def none():
            yield from methods()

        return self.domain.compound(self._described(place, none if place == "top" else one))

    def _later(self, to):
        body, calm = (self.go(to, self.calm), self.mark(to)), self.mood[self.calm]
        yield method(*body, when=self.at != to, name=self.names["method"])
        yield method(self.mark(to), when=calm == self.angry, name=self.names["other"])
        yield method(when=self.left <= 0)
        yield method(self.simple(), self.later(to), when=self.left > 0)

    def _top(self):
        (here, there, index, other), last = self.values[:4], self.values[7]
        yield method(self.mark(index), when=(self.at == other) & (self.left < 0))
        body = sequence(self.simple(), self.later(last), self.go(index, self.angry))
        match self.kind:
            case "function":
                yield method(lambda _: [self.simple(), self.later(last)])
            case "branches":
                yield method(parallel(self.simple(), priority(self.mark(here), sequence())))
            case "chosen":
                yield method(body, cost=self.left, when=self.at == here)
        yield method(body, when=self.at == here)
        yield method(self.later(there))

    def states(self):
        here, there, index, other = self.values[:4]
        yield self.state_class(**{self.names["fluent"]: here})
        yield self.state_class(**{self.names["family"]: {index: other, there: there}})

    def variants(self):
        """The domain, and what is made of it, each with its tasks."""
        yield self.domain, self.top
        other = derive(
            self.domain,
            self.names["derived"],
            rename={self.names["top"]: self.names["renamed"]},
            suffix=self.names["suffix"],
        )
        yield other, other.task(self.names["renamed"])
        both = merge(self.names["merged"], other, Domain("empty", self.state_class))
        yield both, both.task(self.names["renamed"])


def advanced(search, *slices):
    while search.status is SearchStatus.RUNNING:
        search.advance(*slices)
    return search.plan


def answer(plan):
    """What a plan is, down to its strings."""
    if plan is None:
        return None
    assert str(plan)
    assert plan.actions == tuple((step.task, step.args) for step in plan.steps)
    return plan.actions, outline(plan.tree), tuple(plan.record), plan.predicted


def by_reference(asked):
    return answer(Reference(asked).best())


def agree(domain, state, goal):
    """Ask in every way for a plan: all give the one that the specification gives."""
    asked = request(domain, state, goal)
    whole, expected = asked.domain, by_reference(asked)
    heard = []
    planner = Planner(whole, goal)
    answers = {
        "find": find_plan(domain, state, goal),
        "plan": planner.plan(state),
        "again": planner.plan(state),
        "heard": planner.plan(state, heard.append),
        "trace": planner.trace(state).plan,
        "slices": advanced(planner.search(state), 1),
        "in one go": advanced(planner.search(state)),
        "search": advanced(HtnSearch.of(asked)),
        "never over": find_plan(domain, state, goal, Settings(strict_recursion=False)),
        "shallow": find_plan(domain, state, goal, Settings(max_depth=50)),
    }
    assert {how: answer(plan) == expected for how, plan in answers.items()} == dict.fromkeys(
        answers, True
    )
    assert [str(one) for one in heard]
    if expected is not None and expected[2]:
        loose = replace(asked, bound=MethodTraversalRecord((expected[2][0] + 1,)))
        assert answer(advanced(HtnSearch.of(loose))) == expected
    for rare in (Settings(cheapest=True), Settings(check_rest=True, horizon=1)):
        advanced(Planner(whole, goal, rare).search(state), 3)
    suspended = find_plan(domain, state, goal, Settings(horizon=1))
    for _, node in preorder(suspended.tree) if suspended is not None else ():
        if isinstance(node, SuspendedNode):
            advanced(Planner.resuming(suspended.domain, node).search(suspended.predicted))
    return expected


def unsure(world):
    """The state in which it is not known what is seen, or where."""
    index = world.values[2]
    yield world.state_class(**{world.names["fluent"]: UNKNOWN})
    yield world.state_class(**{world.names["family"]: {index: UNKNOWN}})


def looked_at(sources):
    """Whether nothing but operators, numbers and names of ours is in the generated source."""
    for text in sources:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            assert token.type not in (tokenize.STRING, tokenize.COMMENT), token.string
            assert token.string.isascii(), token.string
            assert "hostile" not in token.string


def plan_all(world):
    """Plan with all that the world is, or can be made to; what the answers were."""
    found = []
    with watched() as (_, sources):
        for domain, top in world.variants():
            found += [agree(domain, state, top()) for state in world.states()]
        for state in unsure(world):
            found.append(agree(world.domain, state, world.top()))
            found.append(agree(world.domain, state, world.later(world.values[7])))
        for argument in world.values:
            goal = sequence(world.later(argument), parallel(world.simple(), sequence()))
            found.append(agree(world.domain, next(world.states()), goal))
    looked_at(sources)
    assert sources
    return found


def names_from(strings):
    """A name for every place; those of tasks and fluents differ."""
    return {place: f"{place} {text}" for place, text in zip(PLACES, strings, strict=True)}


def several(strings, count):
    return st.lists(strings, min_size=count, max_size=count)


@settings(max_examples=size(quick=8, thorough=30, night=5_000))
@given(several(FITTING, len(PLACES)), several(STRINGS, 8), st.sampled_from(KINDS))
def test_whatever_is_in_a_string_it_is_planned_with_and_never_run(names, values, kind):
    found = plan_all(World(names_from(names), values, kind))
    event(f"{kind}: {'a plan' if any(found) else 'no plan'}")


@given(st.sampled_from(sorted({*PLACES} - {"moods"})), BREAKING)
def test_a_name_that_no_line_can_hold_is_refused_once_and_clearly(place, text):
    is_class = place == "state"  # Python itself has no classes of some names
    assume(not (is_class and any(one == "\0" or "\ud800" <= one <= "\udfff" for one in text)))
    names = names_from([""] * len(PLACES)) | {place: f"{place}{text}"}
    with watched(), pytest.raises(BthtnError) as caught:
        plan_all(World(names, ["a", "b", "c", "d", "e", "f", "g", "h"], "plain"))
    (one,) = caught.value.diagnostics
    assert one.code == "BT125"
    assert fits(one.message + one.where + one.hint)
    assert all(fits(line) for line in str(one).split("\n"))


@pytest.mark.parametrize("place", sorted(set(PLACES) - {"moods", "method", "other", "suffix"}))
def test_a_name_may_not_be_empty(place):
    names = names_from([""] * len(PLACES)) | {place: ""}
    with pytest.raises(BthtnError, match=r"\[BT125\] .* empty"):
        plan_all(World(names, ["a", "b", "c", "d", "e", "f", "g", "h"], "plain"))


@pytest.mark.parametrize("text", ["a = 'b'", 'a = "b"', "a = 1  # b", "戦 = 1", "a = \\\n1", "a;b"])
def test_source_with_anything_in_it_that_could_be_quoted_is_not_run(text):
    with pytest.raises(ValueError, match="neither quotes nor comments"):
        generated.executed(text, {})
