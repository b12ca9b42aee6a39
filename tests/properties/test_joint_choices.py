"""Choices of several variables give what nested loops give, whatever their conditions are."""

from hypothesis import given
from hypothesis import strategies as st

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Primitive,
    Relation,
    State,
    fluent,
    fluents,
    method,
    one_of,
    primitive,
    relation,
)
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.studio.testing.strategies import states
from tests.reference import Reference

NAMES = ("a", "b", "c")


class Map(State):
    """Relations of one, two and three columns, and fluents with the same values."""

    here: Fluent[str] = fluent(default="a")
    ends: Fluent[tuple[tuple[str, str], ...]] = fluent(default=(("b", "c"), ("a", "c"), ("a", "b")))
    at: FluentFamily[str, str] = fluents(default="a")
    on: FluentFamily[str, bool] = fluents(default=False)
    kind: Relation[str] = relation()
    road: Relation[tuple[str, str]] = relation()
    link: Relation[tuple[str, str, str]] = relation()


VALUES = (
    Map.kind,
    Map.road,
    Map.road[Map.here, ...],
    Map.link,
    Map.link[..., "b", ...],
    Map.ends,
    ("b", "a", "c", "a"),
    lambda state: (state.here, "c"),
)


@st.composite
def choices(draw):
    """Choices by ``one_of``, each with the values for it, and the conditions on what they give."""
    count = draw(st.integers(1, 2))
    chosen = [
        draw(st.lists(st.sampled_from(range(len(VALUES))), min_size=1, max_size=3))
        for _ in range(count)
    ]
    unpacks = draw(st.lists(st.booleans(), min_size=6, max_size=6))
    return chosen, unpacks


UNPACKED = (1, 3, 4, 5)
"""The values that are tuples."""


def variables(chosen, unpacks):
    """The variables for single values, and those that are tuples."""
    singles, tuples, unpacks = [], [], [*unpacks]
    for numbers in chosen:
        made = one_of(*[VALUES[number] for number in numbers])
        for number, variable in zip(numbers, made if len(numbers) > 1 else (made,), strict=True):
            if number not in UNPACKED:
                singles.append(variable)
            elif unpacks.pop():
                singles.extend(variable)
            else:
                tuples.append(variable)
    return singles, tuples


def conditions(draw, singles, tuples):
    def term():
        return draw(st.sampled_from(range(len(singles) * 3 + 3)))

    def value(of):
        if of < len(singles) * 2:
            return singles[of % len(singles)]
        if of < len(singles) * 3:
            return Map.at[singles[of % len(singles)]]
        return ("a", "b", Map.here)[of - len(singles) * 3]

    for _ in range(draw(st.integers(0, 4))):
        first, second, third = value(term()), value(term()), value(term())
        yield [
            Map.road[first, second],
            ~Map.road[first, second],
            Map.link[first, second, third],
            Map.kind[first],
            Map.on[first] | Map.kind[second],
            Map.here != second,
            Map.at[first] == second,
            Map.here == first,
        ][draw(st.integers(0, 7))]
    for whole in tuples[: draw(st.integers(0, 1))]:
        yield whole.is_in([("a", "b"), ("b", "c"), ("a", "b", "c")])


@given(st.data(), choices(), states(Map, NAMES))
def test_a_choice_gives_what_nested_loops_give(data, written, state):
    domain = Domain("maps", Map)

    @domain.primitive
    def say(what: object) -> Primitive:
        return primitive(precondition=Map.here != what)

    @domain.compound
    def task():
        singles, tuples = variables(*written)
        when = list(conditions(data.draw, singles, tuples)) if singles else []
        joined = when[0] if when else True
        for part in when[1:]:
            joined &= part
        yield method(*map(say, (*singles, *tuples)), when=joined)

    asked = request(domain, Map.over(state), task())
    search, count = HtnSearch.of(asked), 0
    reference = Reference(asked).plans()
    while count < 5:
        status = search.advance()
        expected = next(reference, None)
        assert (status is SearchStatus.SOLVED) is (expected is not None)
        if expected is None:
            break
        assert (search.plan.actions, search.plan.record) == (expected.actions, expected.record)
        search.reject()
        count += 1
