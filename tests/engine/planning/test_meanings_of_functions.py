"""What Python means by odd expressions, a plan means too, whether or not a source was read."""

from enum import Enum, IntEnum

import pytest

from bthtn import Domain, Fluent, FluentFamily, State, find_plan, fluent, fluents, method
from bthtn.engine.domain.task import call_text
from bthtn.errors import BthtnError


class Mood(Enum):
    CALM = 1
    ANGRY = 2


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Alike(Enum):
    ONE = 1
    TWO = 2

    def __eq__(self, other):
        return True

    __hash__ = object.__hash__


class Odd(State):
    count: Fluent[int] = fluent(default=1)
    fuel: Fluent[float] = fluent(default=1.0)
    place: Fluent[str] = fluent(default="a")
    lit: Fluent[bool] = fluent(default=False)
    mood: Fluent[Mood] = fluent(default=Mood.CALM)
    level: Fluent[Level] = fluent(default=Level.LOW)
    alike: Fluent[Alike] = fluent(default=Alike.ONE)
    any: Fluent[object] = fluent(default=1)
    least: Fluent[int | None] = fluent(default=None)
    pair: Fluent[tuple[int, ...]] = fluent(default=(1, 2))
    of: FluentFamily[int, int] = fluents(default=0)
    by: FluentFamily[Mood, int] = fluents(default=0)


NAN, LOW = float("nan"), Level.LOW
NO_NUMBERS, PAIR = (NAN,), (1, "a")

CONDITIONS = (
    *(lambda s: (s.fuel, NAN) == (1.0, NAN), lambda s: NO_NUMBERS == (NAN,)),
    *(lambda s: NAN in NO_NUMBERS, lambda s: s.fuel == NAN, lambda s: NAN, lambda s: s.fuel < NAN),
    *(lambda s: s.level, lambda s: s.level < 2, lambda s: s.level is Level.LOW),
    *(lambda s: s.count == LOW, lambda s: s.count < LOW, lambda s: s.of[LOW] == 0),
    *(lambda s: s.alike is Alike.TWO, lambda s: s.alike == Alike.TWO, lambda s: s.alike == 3),
    *(lambda s: s.mood, lambda s: s.mood < Mood.ANGRY, lambda s: s.mood == s.level),
    *(lambda s: s.any, lambda s: s.any is True, lambda s: s.any == True, lambda s: s.any < 2),  # noqa: E712
    *(lambda s: s.least, lambda s: not s.least, lambda s: s.least == None, lambda s: s.least < 1),  # noqa: E711
    *(lambda s: s.least in (None, 7), lambda s: s.least + 1, lambda s: s.pair, lambda s: s.pair[0]),
    *(lambda s: (s.count, s.place) == PAIR, lambda s: (s.count, s.place) < PAIR, lambda s: ()),
    *(lambda s: s.of[s.count == 1], lambda s: s.of[s.fuel], lambda s: s.by[1]),
    *(lambda s: s.count and 0, lambda s: s.count or 1 // 0, lambda s: s.count == 0 and 1 // 0),
    *(lambda s: 1 // 0 and s.count == 0, lambda s: 1 < s.count < 0 // 0, lambda s: s.count // 0),
    *(lambda s: 0 < s.count < s.fuel, lambda s: s.count == 1 == s.fuel, lambda s: s.count < "a"),
    *(
        lambda s: s.lit + 1 == 1,
        lambda s: s.lit is False,
        lambda s: s.lit in (0, 7),
        lambda s: None,
    ),
    *(lambda s: s.place % 1, lambda s: s.place * s.count == "a", lambda s: s.place + "b" == "ab"),
    *(lambda s, x=NAN: s.fuel == x, lambda s, x=Odd.count: x == 1, lambda s: Odd.count == 1),
    *(lambda s: s.count == 10**400, lambda s: s.fuel * 1e400 > 5, lambda s: s.count > 1e400),
)
STATES = (
    Odd(),
    Odd(count=2, fuel=2.0, place="b", lit=True, mood=Mood.ANGRY, level=Level.HIGH, least=3),
    Odd(count=Level.LOW, any=1.0, least=0, alike=Alike.TWO),
)


def answer(domain, state, goal):
    try:
        return [call_text(*action) for action in find_plan(domain, state, goal).actions]
    except BthtnError as error:
        return str(error)


def asked(condition):
    """A domain that nobody has asked anything yet, and a goal for which the condition decides."""
    domain = Domain("odd", Odd)
    act = domain.primitive("act", precondition=condition, effects=Odd.count.increases(1))
    wait = domain.primitive("wait")

    @domain.compound
    def go():
        yield method(act())
        yield method(wait())

    return domain, go()


@pytest.mark.parametrize("number", range(len(CONDITIONS)))
def test_a_condition_means_what_it_means_when_it_is_called(number):
    called = []
    for state in STATES:  # the first answer of a domain comes from calls
        domain, goal = asked(CONDITIONS[number])
        called.append(answer(domain, state, goal))
    domain, goal = asked(CONDITIONS[number])
    for _ in range(3):
        assert [answer(domain, state, goal) for state in STATES] == called
