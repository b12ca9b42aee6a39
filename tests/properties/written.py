"""Random problems in which all is written as functions, some of which cannot be translated.

The text of a whole module is drawn, with the habits and the mistakes of people who write functions:
variables, branches, divisions by zero, indices that are not declared, answers that are no answers.
"""

import linecache
from contextlib import contextmanager
from enum import Enum
from random import Random

from bthtn import Fluent, FluentFamily, Settings, State, fluent, fluents
from bthtn.engine.planning.protocol import request

PLACES = ("a", "b", "c")


class Mood(Enum):
    """How somebody feels."""

    CALM = 1
    ANGRY = 2


class Board(State):
    """Lamps, counters, somebody's place and mood, and a ring of places with things on them."""

    lit: Fluent[bool] = fluent(default=False)
    open: Fluent[bool] = fluent(default=True)
    count: Fluent[int] = fluent(default=0)
    left: Fluent[int] = fluent(default=2)
    fuel: Fluent[float] = fluent(default=1.5)
    place: Fluent[str] = fluent(default="a")
    guest: Fluent[str | None] = fluent(default=None)
    mood: Fluent[Mood] = fluent(default=Mood.CALM)
    next: FluentFamily[str, str] = fluents(default="a")
    on: FluentFamily[str, str] = fluents(default="", objects=PLACES)
    weight: FluentFamily[str, int] = fluents(default=1)
    road: FluentFamily[tuple[str, str], bool] = fluents(default=False)


HEAD = """\
from bthtn import Domain, Primitive, method
from tests.properties.written import Board, Mood

HOME, FEW, NEAR = "a", 1, ("a", "b")
domain = Domain("written", Board)
"""


class Author:
    """Writes the text of a module. ``choose`` picks one of several."""

    head = HEAD

    def __init__(self, choose):
        self._choose = choose
        self._odds = ("odd", "odd") if choose((True, False, False, False)) else ()
        self._lines = [self.head]
        acts = [f"act_{n}" for n in range(choose((2, 3)))]
        goals = [f"task_{n}" for n in range(choose((1, 2, 3)))]
        kinds = ((), (), ("x",), ("n",), ("x", "n"))
        self._acts = {name: choose(kinds) for name in acts}
        self._goals = {name: choose(kinds) for name in goals}
        for name, given in self._acts.items():
            self._act(name, given)
        for name, given in self._goals.items():
            self._goal(name, given)

    @property
    def text(self):
        return "\n".join(self._lines)

    def goal(self, module):
        name = self._choose(tuple(self._goals))
        return module[name](*({"x": "b", "n": 2}[one] for one in self._goals[name]))

    # expressions

    def _place(self, known):
        own = [name for name in known if name.startswith(("x", "place"))]
        plain = (*own, *own, "s.place", "HOME", "'b'", "'c'")
        how = self._choose(("plain",) * 6 + ("s.next[{}]", "s.on[{}]"))
        place = self._choose(plain)
        return place if how == "plain" else how.format(place)

    def _number(self, known):
        own = [name for name in known if name.startswith(("n", "size"))]
        number = self._choose((*own, *own, "s.count", "s.left", "FEW", "0", "2", "-1"))
        how = self._choose(
            ("{}",) * 6 + ("({} + 1)", "({} - 1)", "({} % 2)", "(2 // {})", "s.weight[{}]")
        )
        return how.format(self._place(known) if "weight" in how else number)

    def _truth(self, known):
        match self._choose(("simple",) * 8 + ("and", "or", "not", "if", *self._odds)):
            case "and" | "or" as word:
                return f"({self._truth(known)} {word} {self._truth(known)})"
            case "not":
                return f"(not {self._truth(known)})"
            case "if":
                parts = [self._truth(known) for _ in range(3)]
                return "({} if {} else {})".format(*parts)
            case "odd":
                return self._choose(("bool(s.lit)", "s.guest", "s.mood", "None", "s.nothing"))
        place, number = self._place(known), self._number(known)
        return self._choose(
            (
                *("s.lit", "s.open", "s.count", "s.place", "s.fuel > 1", "s.fuel"),
                *(f"{number} < {self._number(known)}", f"0 <= {number} <= 2", f"{number} == 1"),
                *(f"{place} == {self._place(known)}", f"{place} != HOME", f"{place} in NEAR"),
                *(f"s.road[s.place, {place}]", f"{place} not in ('b', 'c')", f"{number}"),
                *("s.guest is None", "s.guest == s.place", "s.guest is not None"),
                *("s.mood is Mood.ANGRY", "s.mood == Mood.CALM", "s.mood in (Mood.CALM,)"),
            )
        )

    # functions

    def _variables(self, known):
        """Lines that set variables, and the names known after them."""
        lines = []
        for number in range(self._choose((0, 0, 0, 1, 2))):
            kind = self._choose(("place", "size", "sure"))
            name = f"{kind}{number}"
            make = {"place": self._place, "size": self._number, "sure": self._truth}[kind]
            lines.append(f"{name} = {make(known)}")
            known = (*known, name)
        return lines, known

    def _body(self, known, ending, deep=0):
        """The lines of a function, whose paths end as ``ending`` says."""
        lines, known = self._variables(known)
        sure = [name for name in known if name.startswith("sure")]
        if deep < 2 and self._choose((True, False, False)):
            test = self._choose((*sure, self._truth(known)))
            inside = self._body(known, ending, deep + 1)
            lines += [f"if {test}:", *(f"    {line}" for line in inside)]
            if self._choose((True, False)):
                lines.append("else:")
                lines += [f"    {line}" for line in self._body(known, ending, deep + 1)]
                return lines
        return [*lines, ending(known)]

    def _function(self, name, known, ending):
        if self._choose((True, False, False)):
            line = ending(known)
            if line.startswith("return "):
                return [f"{name} = lambda s: {line.removeprefix('return ')}"]
        default = self._choose(("", "", ", bonus=2"))
        known = (*known, "n_bonus") if default else known
        lines = ["n_bonus = bonus"] if default else []
        lines += self._body(known, ending)
        return [f"def {name}(s{default}):", *(f"    {line}" for line in lines)]

    def _answer(self, known):
        return f"return {self._truth(known)}"

    def _write(self, known):
        if self._choose((*[False] * 8, *self._odds)):
            return self._choose(("s.place = s.guest", "s.nothing = 1", "s.count = 'no number'"))
        place, number = self._place(known), self._number(known)
        return self._choose(
            (
                *("s.lit = True", "s.lit = not s.lit", "s.open = False", "s.open = s.lit"),
                *("s.count += 1", "s.left -= 1", f"s.count = {number}", f"s.count += {number}"),
                *("s.fuel -= 0.5", "s.fuel = 1", f"s.place = {place}", "s.mood = Mood.ANGRY"),
                *(f"s.on[{place}] = {self._place(known)}", f"s.weight[{place}] += 1"),
                *(f"s.road[s.place, {place}] = True", f"s.guest = {place}", "s.guest = None"),
            )
        )

    def _act(self, name, given):
        effects, known = self._variables(given)
        for _ in range(self._choose((1, 1, 1, 2, 3))):
            effects += self._write(known).splitlines()
        lines = [*self._function("possible", given, self._answer), "def change(s):"]
        lines += [f"    {line}" for line in effects]
        asks = self._choose((True, False))
        lines.append(f"return Primitive({'precondition=possible, ' if asks else ''}effects=change)")
        self._task("primitive", name, given, lines)

    # methods

    def _called(self, known):
        kinds = {**self._acts, **self._goals}
        name = self._choose((*self._acts, *self._acts, *self._goals))
        makers = {"x": self._place, "n": self._number}
        args = [makers[one](known) for one in kinds[name]]
        named = self._choose((False, False, True))
        shown = [
            f"{one}={arg}" if named else arg for one, arg in zip(kinds[name], args, strict=True)
        ]
        return f"{name}({', '.join(shown)})"

    def _network(self, known):
        calls = [self._called(known) for _ in range(self._choose((0, 1, 1, 2, 2, 3)))]
        shapes = ["({})", "[{}]"] if len(calls) != 1 else ["({},)", "[{}]", "{}"]
        network = self._choose(tuple(shapes)).format(", ".join(calls))
        test = self._truth(known)
        return self._choose(
            (network, network, network, "None", f"{network} if {test} else None",
             f"None if {test} else {network}")
        )  # fmt: skip

    def _goal(self, name, given):
        lines = []
        for number in range(self._choose((1, 2, 2, 3))):
            when = self._choose(("", "", f", when=lambda s: {self._truth(given)}"))
            lines += self._function(
                f"way_{number}", given, lambda known: f"return {self._network(known)}"
            )
            lines.append(f"yield method(way_{number}{when})")
        self._task("compound", name, given, lines)

    def _task(self, kind, name, given, lines):
        typed = ", ".join({"x": "x: str", "n": "n: int"}[one] for one in given)
        self._lines += [f"@domain.{kind}", f"def {name}({typed}):"]
        self._lines += [f"    {line}" for line in lines]


@contextmanager
def problem(choose):
    """A random problem whose functions have a source that can be found for so long."""
    author = Author(choose)
    name = "<written for a test>"
    linecache.cache[name] = (len(author.text), None, author.text.splitlines(keepends=True), name)
    try:
        module = {"__name__": "written"}
        exec(compile(author.text, name, "exec"), module)  # noqa: S102 - the text is our own
        yield request(
            module["domain"].freeze(), _state(choose), author.goal(module), _settings(choose)
        )
    finally:
        del linecache.cache[name]


def _state(choose):
    return Board(
        lit=choose((False, True)),
        count=choose((0, 1)),
        place=choose(PLACES),
        guest=choose((None, "b")),
        next={place: choose(PLACES) for place in PLACES},
        on={place: choose(("", *PLACES)) for place in PLACES},
        weight={"a": choose((0, 1, 2))},
    )


def _settings(choose):
    return Settings(
        strict_recursion=choose((True,) * 5 + (False,)),
        max_depth=choose((6, 40)),
        max_expansions=choose((40, 200)),
    )


def from_seed(seed):
    """A random problem, the same for the same seed."""
    return problem(Random(seed).choice)  # noqa: S311 - to be the same everywhere is its purpose
