"""Random planning problems as plain data, from which a domain can be built, or a search made.

Nothing here knows bthtn. A problem has tasks over one world of truth values and small integers;
its goal is a network. What a value, a condition or an effect means is said by ``value`` and
``effects_in``; what a network means by ``brute_force``.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

FLAGS = ("a", "b", "c")
NUMBERS = ("n", "m", "place")
FAMILY = "lamp"
VOLATILE = "seen"
RESOURCES = ("legs", "arms", "voice")
SMALL = (0, 1, 2)
FLUENTS = (*((name, None) for name in (*FLAGS, *NUMBERS, VOLATILE)), *((FAMILY, i) for i in SMALL))

Key = tuple[str, int | None]
State = Mapping[Key, Any]
"""A value for every fluent, None where it is unknown."""


@dataclass(frozen=True)
class Term:
    """An expression: ``op`` over ``parts``, a fluent's ``name``, or a constant or place."""

    op: str
    parts: tuple["Term", ...] = ()
    name: str = ""
    number: Any = 0


@dataclass(frozen=True)
class Effect:
    """``name[index]`` becomes ``term``, or increases by it."""

    name: str
    term: Term
    index: Term | None = None
    increases: bool = False


@dataclass(frozen=True)
class Primitive:
    """A primitive task of so many integer parameters."""

    name: str
    parameters: int
    precondition: Term | None
    effects: tuple[Effect, ...]
    uses: tuple[str, ...]
    duration: int
    cost: int
    uninterruptible: bool
    exec_only: Term | None = None
    expected: tuple[Effect, ...] = ()
    during: Term | None = None


@dataclass(frozen=True, eq=False)
class Network:
    """A call of ``task``, or a construct called ``kind`` over ``parts``. Compared by identity."""

    kind: str
    parts: tuple["Network", ...] = ()
    task: str = ""
    args: tuple[Term, ...] = ()
    times: Term | None = None
    option: str = ""
    ensures: tuple[Effect, ...] = ()


@dataclass(frozen=True, eq=False)
class Method:
    """A condition and a body; with ``values``, for each value of one more parameter."""

    when: Term | None
    body: Network
    values: tuple[int, ...] = ()


@dataclass(frozen=True)
class Compound:
    """A compound task."""

    name: str
    parameters: int
    methods: tuple[Method, ...]


@dataclass(frozen=True)
class Problem:
    """Tasks by name, the state to begin with, and the goal."""

    primitives: Mapping[str, Primitive]
    compounds: Mapping[str, Compound]
    start: State
    goal: Network
    drawn: frozenset[str] = field(default_factory=frozenset)
    """The kinds of networks in it."""


def value(
    term: Term, read: Callable[[str, Any], Any], given: tuple, *, strict: bool = False
) -> Any:
    """The value, None if it is unknown. With ``strict`` the first unknown decides, as in code."""
    match term.op:
        case "constant":
            return term.number
        case "parameter":
            return given[term.number]
        case "opaque":
            return value(term.parts[0], read, given, strict=True)
    values = (value(part, read, given, strict=strict) for part in term.parts)
    if term.op in {"and", "or"}:
        deciding = term.op == "or"
        known = True
        for one in values:
            if one is deciding:
                return deciding
            if one is None and strict:
                return None
            known = known and one is not None
        return (not deciding) if known else None
    found = list(values)
    if None in found:
        return None
    match term.op:
        case "get":
            return read(term.name, found[0] if found else None)
        case "not":
            return not found[0]
        case "plus":
            return found[0] + found[1]
        case "equal":
            return found[0] == found[1]
        case "less":
            return found[0] < found[1]
    raise AssertionError(term.op)


def effects_in(task: Primitive, state: State, given: tuple) -> dict[Key, Any] | None:
    """What planning expects the task to write; None if it is unknown where it writes."""
    written: dict[Key, Any] = {}

    def read(name: str, index: Any) -> Any:
        return state.get((name, index), False)

    for effect in (*task.effects, *task.expected):
        index = None if effect.index is None else value(effect.index, read, given)
        if effect.index is not None and index is None:
            return None
        new = value(effect.term, read, given)
        if effect.increases:
            old = read(effect.name, index)
            new = None if old is None else old + new
        written[effect.name, index] = new
    return written


def mentions(term: Term | None, place: int) -> bool:
    """Whether the term has the parameter at this place."""
    if term is None:
        return False
    mine = term.op == "parameter" and term.number == place
    return mine or any(mentions(part, place) for part in term.parts)


ORDERED = ("first_of", "optional", "repeat", "repeat_computed", "any_order", "partial_order")
SUSPENDING = ("pause", "defer")
ENSURING = "ensures"
SIDE_BY_SIDE = ("parallel", "priority")
DECORATED = ("timeout", "retry", "cooldown")
OTHERS = ("random_of", "cleanup", "until", *DECORATED)
EVERYTHING = (*ORDERED, *SUSPENDING, ENSURING, *SIDE_BY_SIDE, *OTHERS)


class Author:
    """Draws a problem. ``kinds`` are the constructs that it may use."""

    def __init__(
        self, random: Random, kinds: tuple[str, ...], prefix: str = "", *, deepest: int = 2
    ) -> None:
        self.random = random
        self.kinds = kinds
        self.prefix = prefix
        self.deepest = deepest
        self.exec_only = random.choice((0, 0, 0, 0.3))
        self.expected = random.choice((0, 0, 0, 0.3))
        self.during = random.choice((0, 0, 0, 0.3))
        self.compounds: dict[str, int] = {}
        self.primitives: dict[str, Primitive] = {}
        self.drawn: set[str] = set()

    def problem(self) -> Problem:
        """A problem: primitive tasks, compound tasks that call all of them, a start and a goal."""
        random = self.random
        for number in range(random.randint(3, 6)):
            one = self.primitive(f"{self.prefix}p{number}")
            self.primitives[one.name] = one
        for number in range(random.randint(1, 4)):
            self.compounds[f"{self.prefix}t{number}"] = random.choice((0, 0, 1))
        compounds = {name: self.compound(name) for name in self.compounds}
        goal = self.network(0, random.randint(self.deepest - 2, self.deepest))
        return Problem(self.primitives, compounds, self.start(), goal, frozenset(self.drawn))

    def start(self) -> State:
        """A state."""
        random = self.random
        state: dict[Key, Any] = {(name, None): random.random() < 0.5 for name in (*FLAGS, VOLATILE)}
        state |= {(name, None): random.choice(SMALL) for name in NUMBERS}
        state |= {(FAMILY, index): random.random() < 0.5 for index in SMALL}
        if random.random() < 0.25:
            self.drawn.add("unknown")
            state[random.choice(list(state))] = None
        return state

    def number(self, given: int) -> Term:
        """An integer expression."""
        random = self.random
        match random.randrange(5):
            case 0 | 1 if given:
                return Term("parameter", number=random.randrange(given))
            case 0 | 1 | 2:
                return Term("constant", number=random.choice(SMALL))
            case 3:
                return Term("get", name=random.choice(NUMBERS))
            case _:
                less = Term("constant", number=random.choice((-1, 1)))
                return Term("plus", (self.number(given), less))

    def flag(self, given: int) -> Term:
        """A fluent that is true or false."""
        which = self.random.randrange(8)
        if which == 0:
            return Term("get", name=VOLATILE)
        if which <= 2:
            return Term("get", (self.number(given),), name=FAMILY)
        return Term("get", name=self.random.choice(FLAGS))

    def condition(self, given: int) -> Term:
        """A condition, as data or, now and then, as code."""
        written = self._condition(given, 2)
        return Term("opaque", (written,)) if not given and self.random.random() < 0.15 else written

    def _condition(self, given: int, depth: int) -> Term:
        match self.random.randrange(8 if depth else 5):
            case 0 | 1:
                return self.flag(given)
            case 2:
                return Term("not", (self.flag(given),))
            case 3 | 4:
                # A constant alone is no condition, so a fluent stands on the left.
                left = Term("get", name=self.random.choice(NUMBERS))
                return Term(self.random.choice(("equal", "less")), (left, self.number(given)))
            case 5:
                return Term("not", (self._condition(given, depth - 1),))
            case _:
                parts = (self._condition(given, depth - 1), self._condition(given, depth - 1))
                return Term(self.random.choice(("and", "or")), parts)

    def effects(self, given: int) -> Iterator[Effect]:
        """Effects on different fluents."""
        random = self.random
        for name in random.sample((*FLAGS, *FLAGS, *NUMBERS, FAMILY), random.choice((0, 1, 1, 2))):
            if name in NUMBERS:
                if random.random() < 0.5:
                    by = Term("constant", number=random.choice((-1, 1, 1)))
                    yield Effect(name, by, increases=True)
                else:
                    yield Effect(name, self.number(given))
            else:
                index = self.number(given) if name == FAMILY else None
                truth = Term("constant", number=random.random() < 0.6)
                yield Effect(name, self.flag(given) if random.random() < 0.1 else truth, index)

    def primitive(self, name: str) -> Primitive:
        """A primitive task."""
        random = self.random
        given = random.choice((0, 0, 1))
        effects = {one.name: one for one in self.effects(given)}
        expects = random.random() < self.expected
        more = {one.name: one for one in self.effects(given) if expects and one.name not in effects}
        self.drawn.update(["expected"] if more else [])
        return Primitive(
            name,
            given,
            self.condition(given) if random.random() < 0.5 else None,
            tuple(effects.values()),
            tuple(random.sample(RESOURCES, random.choice((0, 0, 0, 1, 1, 2)))),
            random.choice((0, 0, 1, 2, 4)),
            random.choice((0, 1, 1, 3)),
            uninterruptible=random.random() < 0.1,
            exec_only=self.condition(given) if random.random() < self.exec_only else None,
            expected=tuple(more.values()),
            during=self.condition(given) if random.random() < self.during else None,
        )

    def compound(self, name: str) -> Compound:
        """A compound task."""
        given = self.compounds[name]
        methods = tuple(self.method(given) for _ in range(self.random.randint(1, 3)))
        return Compound(name, given, methods)

    def method(self, given: int) -> Method:
        """A method."""
        random = self.random
        values = tuple(random.sample(SMALL, random.randint(1, 3))) if random.random() < 0.2 else ()
        given += bool(values)
        if values:
            self.drawn.add("one_of")
        when = self.condition(given) if random.random() < 0.6 else None
        body = self.network(given, random.choice((0, 1, 1, 2)))
        if values and not _uses(body, given - 1):
            some = Term("parameter", number=given - 1)
            body = Network("sequence", (self.call(given, only=some), body))
        return Method(when, body, values)

    def network(self, given: int, depth: int) -> Network:
        """A network."""
        random = self.random
        if depth == 0:
            return self.call(given)
        kind = random.choice(("sequence", "sequence", "sequence", *self.kinds))
        self.drawn.add(kind)
        match kind:
            case "pause":
                parts = [self.network(given, depth - 1) for _ in range(2)]
                return Network("sequence", (parts[0], Network("pause"), parts[1]))
            case "defer":
                return Network("defer", (self.call(given),))
            case "ensures":
                ensured = Effect(random.choice(FLAGS), Term("constant", number=True))
                later = Network("defer", (self.call(given),), ensures=(ensured,))
                return Network("sequence", (later, self.network(given, depth - 1)))
            case "optional":
                return Network(kind, (self.network(given, depth - 1),))
            case "until":
                part = self.network(given, depth - 1)
                return Network(kind, (part,), times=self.condition(given))
            case "repeat" | "repeat_computed":
                times = Term("constant", number=random.choice((0, 1, 2, 3)))
                if kind == "repeat_computed":
                    times = Term("get", name=random.choice(NUMBERS))
                return Network(kind, (self.network(given, depth - 1),), times=times)
        most = 2 if kind == "cleanup" else random.choice((1, 2, 2, 3))
        least = 2 if kind in {"cleanup", "partial_order"} else most
        parts = tuple(self.network(given, depth - 1) for _ in range(max(most, least)))
        return Network(kind, parts, option=random.choice(("all", "all", "any", "primary")))

    def call(self, given: int, only: Term | None = None) -> Network:
        """A call of any task."""
        random = self.random
        names = [*self.primitives, *self.primitives, *self.compounds]
        if only is not None:
            taking = [name for name in names if self._parameters(name)]
            if not taking:
                name = f"{self.prefix}q{len(self.primitives)}"
                effect = Effect("place", Term("parameter", number=0))
                self.primitives[name] = Primitive(name, 1, None, (effect,), (), 1, 1, False)
                taking = [name]
            return Network("call", task=random.choice(taking), args=(only,))
        name = random.choice(names)
        args = tuple(self.number(given) for _ in range(self._parameters(name)))
        return Network("call", task=name, args=args)

    def _parameters(self, name: str) -> int:
        one = self.primitives.get(name)
        return self.compounds[name] if one is None else one.parameters


def _uses(network: Network, place: int) -> bool:
    return any(mentions(term, place) for term in network.args) or any(
        _uses(part, place) for part in network.parts
    )
