"""Random problems in whose functions is what Python has: tables, loops, helpers, comprehensions.

They are those of ``written``, with more to draw from. Tables and variables around functions change
while a problem is asked again and again, by its ``change``.
"""

from importlib.util import find_spec

from tests.properties.written import HEAD, Author

HAS_NUMPY = find_spec("numpy") is not None

TABLES = """\
from collections import defaultdict
from types import MappingProxyType, SimpleNamespace

FARE = {"a": 1, "b": 2, "c": 0}
NEXT = {"a": "b", "b": "c"}
ROUTE = ["a", "b", "c"]
GRID = ((0, 1), (2, 3))
FIRST = ("c", "a")
SEEN = defaultdict(int, {"a": 1})
KNOWN = MappingProxyType({"a": 2, "b": 1, "c": 1})
LIMITS = []
NOWHERE, EVERYTHING = float("nan"), float("inf")
AT, COUNT, WEIGHT = Board.place, Board.count, Board.weight

class Town:
    size, gate = 2, "b"

    def is_near(self, place):
        return place != self.gate

    def __contains__(self, place):
        return place == self.gate

TOWN = Town()

def doubled(number, by=2):
    return number * by

def beside(place):
    return NEXT.get(place, "a")

def busy(s):
    return s.count + s.left

def change():
    global HOME, FEW, NEAR
    HOME, FEW, NEAR = ("b", 2, ("b", "c")) if FEW == 1 else ("a", 1, ("a", "b"))
    FARE.update(a=FARE["b"], b=FARE["c"], c=FARE["a"])
    NEXT["a"] = "c" if NEXT["a"] == "b" else "b"
    ROUTE.reverse()
    SEEN["b"] += 1
    Town.size, TOWN.gate = 3 - Town.size, "c" if TOWN.gate == "b" else "b"
    for limit in LIMITS:
        limit()
"""
NUMPY = """\
import numpy as np
WEIGHTS = np.array([0, 1, 2])
"""
LIMIT = """\
limit = 1
def other_limit():
    nonlocal limit
    limit = 3 - limit
LIMITS.append(other_limit)
"""

PLACES = (
    *("NEXT[{p}]", "ROUTE[{n}]", "ROUTE[-1]", "NEXT[s.place]", "ROUTE[s.count]") * 2,
    *("AT", "ROUTE[1:][0]", "FIRST[1]", "'abc'[{n}]"),
    *("NEXT.get({p}, 'a')", "TOWN.gate", "{p}.lower()", "f'{{{p}}}'", "{p}[0:1]", "beside({p})"),
    *("max(ROUTE)", "(lambda one: one)({p})", "[*ROUTE][0]", "''.join(['c'])", "HOME"),
    *("({p} or HOME)", "(s.guest or {p})", "next(iter(ROUTE))", "sorted({{{p}, 'b'}})[0]"),
    *("[one for one in ROUTE if one != {p}][0]", "str({p})", "(spot := {p})"),
)
NUMBERS = (
    *(
        "s.fuel",
        "s.lit",
        "(s.lit + {n})",
        "({n} * {n})",
        "({n} % {n})",
        "s.fuel // 1",
        "s.fuel * {n}",
    ),
    *(
        "s.road['a', {p}]",
        "s.weight[{n}]",
        "-1",
        "1.0",
        "True",
        "(s.count == {n})",
        "(s.lit and s.open)",
    ),
    *("FARE[{p}]", "SEEN[{p}]", "KNOWN[{p}]", "GRID[1][{n}]", "FARE[s.place]") * 3,
    *("COUNT", "WEIGHT['a']", "len(ROUTE)", "len(ROUTE[:{n}])"),
    *("sum(FARE.values())", "FARE.get({p}, 1)", "TOWN.size", "Town.size", "doubled({n})"),
    *("busy(s)", "len(TOWN.gate)"),
    *("abs({n})", "min({n}, 2)", "ROUTE.index({p})", "limit", "(many := {n})", "int({n} > 1)"),
    *("len([one for one in ROUTE if one != {p}])", "sum(s.weight[one] for one in ROUTE)"),
    *("{{one: 1 for one in ROUTE}}[{p}]", "len({{one for one in ROUTE}})", "len(f'{{{p}}}')"),
    *("sum(1 for one in s.on if s.on[one] == {p})", "({n} or 1)", "({n} and 2)", "+{n}", "-{n}"),
    *("({n} ** 2)", "({n} & 1)", "round({n} / 2)", "(1 if {t} else 2)", "(True + {n})", "{n} // 1"),
    *("(lambda s: s.count)(s)", "getattr(s, 'left')", "SimpleNamespace(n={n}).n", "0x2", "1_0"),
)
ARRAYS = ("int(WEIGHTS[{n}])", "WEIGHTS[{n}]", "WEIGHTS[1:].sum()", "int(WEIGHTS.max())")
TRUTHS = (
    *("{n} < {n} == {n}", "s.place < s.guest", "{p} < {n}", "s.mood < Mood.ANGRY", "s.lit == 1"),
    *("(s.count, {n}) == (0, 1)", "s.lit < 2", "s.lit is True", "s.guest in ('b', None)"),
    *("s.fuel in (1.5, 2)", "s.lit in (1,)", "not {p}", "s.count and s.left", "{n} or s.lit"),
    *("s.fuel % 1", "{p} * 2 == 'aa'", "{n} * 'a' == ''", "s.guest == None", "{n} in (1, None)"),
    *(
        "s.guest",
        "s.mood",
        "s.count - {n}",
        "s.place + {p} == 'ab'",
        "(s.lit, s.open)",
        "{n} - 1.5",
    ),
    *("AT == {p}", "COUNT < {n}", "WEIGHT[{p}] == 1", "s.fuel == NOWHERE", "s.fuel < EVERYTHING"),
    *("{p} in FARE", "{p} in ROUTE", "{p} not in ROUTE[:1]", "{p} in 'ab'", "{n} in range(2)"),
    *("{p} in TOWN", "TOWN.is_near({p})", "{p}.startswith('a')", "f'{{{n}}}' == '1'"),
    *("any(one == {p} for one in ROUTE)", "all(s.weight[one] < 2 for one in ROUTE)", "FARE"),
    *("{{{p}}} & {{'a', 'b'}}", "[]", "FARE.get({p})", "{n} <= limit", "isinstance({n}, int)"),
    *("({p}, {n}) == ('a', 1)", "(many := {n}) and many > 0", "bool({n})", "{p} in s.on"),
    *("{p} > 'a'", "{n} <= {n} < 2", "({t} and {n})", "({t} or {p})", "not ROUTE", "''"),
    *("{n} != True", "ROUTE[{n}:]"),
    *("{n} == 1.0", "s.fuel == {n}", "{n} is not None", "type({n}) is int", "callable(beside)"),
    *("(lambda: {t})()", "{p} in {{'a': 1}}", "{p} in ['a', HOME]", "{p} in {{'a', 'b'}}"),
    *("{p} in NEAR + ('c',)", "(s.count, s.left) < (1, 2)", "s.mood.name == 'CALM'", "{t} is True"),
    *("s.mood.value > 1", "{n} in (0, limit)", "s.next[{p}] in NEXT", "hash({n}) == {n}"),
)
ARRAY_TRUTHS = ("WEIGHTS[{n}] > 0", "{n} in WEIGHTS", "(WEIGHTS > 0).any()", "WEIGHTS[:1]")
STATEMENTS = (
    "size_sum = 0\nfor one in ROUTE:\n    size_sum += s.weight[one]",
    "for place_found in ROUTE:\n    if {t}:\n        break\nelse:\n    place_found = HOME",
    "size_left = 3\nwhile size_left > max({n}, -1):\n    size_left -= 2",
    "try:\n    size_tried = 2 // {n}\nexcept ZeroDivisionError:\n    size_tried = 1",
    "try:\n    place_tried = NEXT[{p}]\nexcept KeyError as no:\n    place_tried = str(no.args[0])",
    "if (size_met := {n}) > 1:\n    size_met = 0",
    "size_added = {n}\nsize_added += 1",
    "place_one, size_two = {p}, {n}",
    "place_head, *others = ROUTE",
    "def place_of(one):\n    return one if {t} else HOME\nplace_made = place_of({p})",
    "size_then: int = {n}",
    "places = [one for one in ROUTE if one != {p}]\nplace_last = places[-1]",
    "assert {t}",
    "match {p}:\n    case 'a':\n        size_matched = 1\n    case _:\n        size_matched = {n}",
    "table = dict(FARE)\ntable[{p}] = {n}\nsize_looked = table[{p}]",
    "import math\nsize_floor = math.floor({n})",
    "{{}}[{p}] if False else None",
    "if not {t}:\n    raise ValueError({p})",
    "with open('/dev/null'):\n    size_with = {n}",
    "global FEW\nsize_few = FEW",
    "s.nothing if False else 1",
    "pass",
)
WRITES = (
    *(
        "s.lit += 1",
        "s.place += {p}",
        "s.place *= 2",
        "s.count //= {n}",
        "s.count %= 2",
        "s.fuel //= 1",
    ),
    *("s.guest += {p}", "s.weight[{p}] = {t}", "s.road[{p}, {p}] = {t}", "s.count = s.fuel"),
    *(
        "s.next[{p}] = s.next[s.next[{p}]]",
        "s.on[s.place] = s.place\ns.place = 'c'",
        "s.fuel = s.count",
    ),
    *("s.place = {p}\ns.on[s.place] = 'a'", "s.weight[{p}] = {n}\ns.count = s.weight[{p}]"),
    *(
        "s.count += s.fuel",
        "s.count = s.lit",
        "s.mood = {p}",
        "s.guest = s.place\ns.place = s.guest",
    ),
    *(
        "s.count = s.left\ns.left = s.count",
        "s.count -= -1",
        "s.count = s.count + True",
        "s.count = -{n}",
    ),
    *(
        "s.weight[{p}] = 2\ns.weight[{p}] -= 1",
        "s.left = s.left - s.count",
        "s.fuel += 1",
        "s.fuel -= {n}",
    ),
    *("s.fuel = NOWHERE", "s.fuel = EVERYTHING", "s.fuel -= s.fuel", "s.fuel *= 2"),
    *("s.weight[{p}] = FARE[{p}]", "s.place = NEXT[{p}]", "s.count = len(ROUTE[:1])"),
    *("s.place = ROUTE[{n}]", "s.count += KNOWN[{p}]", "s.count = int({t})", "s.lit = {p} in FARE"),
    *("s.place = f'{{{p}}}'", "s.place, s.count = {p}, {n}", "s.count = s.left = {n}"),
    *("s.on[beside({p})] = {p}", "setattr(s, 'count', {n})", "s.lit = bool({t})", "s.lit = {t}"),
    *("for one in ROUTE:\n    s.weight[one] = 1", "for one in s.on:\n    s.on[one] = ''"),
    *("if {t}:\n    s.count += 1", "if {t}:\n    s.lit = True\nelse:\n    s.open = False"),
    *("[s.weight.__setitem__(one, 0) for one in ROUTE]", "s.weight = {{{p}: {n}}}"),
    *("try:\n    s.place = NEXT[{p}]\nexcept KeyError:\n    s.place = 'a'", "s.left = TOWN.size"),
    *("s.count = {n}\ns.count += 1", "s.weight[{p}] += 1\ns.weight[{p}] -= 1", "s.fuel = {n} / 2"),
    *("if (many := {n}) > 0:\n    s.left = many", "s.mood = Mood(2)", "s.mood = Mood['CALM']"),
)
NETWORKS = (
    *("[{c} for _ in ROUTE[:{n}]]", "tuple({c} for _ in range(2))", "[*[{c}], {c}]"),
    *("{{True: [{c}], False: []}}[bool({t})]", "({t}) and {c} or None", "({t}) and [{c}]"),
    *("[{c}] * 2", "[{c}] + [{c}]", "({c}, {c})[:{n}]", "(lambda: {c})()", "[{c}, {c}][{n}]"),
    *("[{c}] if {p} in FARE else None", "[{c} if {t} else {c}]", "list(map(lambda _: {c}, 'a'))"),
    *("next(({c} for one in ROUTE if one == {p}), None)", "False if {t} else {c}", "iter([{c}])"),
)


class FreeAuthor(Author):
    """Writes functions in which anything may be: ``odds`` of 0 to 9 that a part is of that kind."""

    head = HEAD + TABLES + NUMPY * HAS_NUMPY

    def __init__(self, choose):
        self._share = choose((0, 1, 1, 1, 2, 4))
        self._depth = 0
        super().__init__(choose)

    def _is_free(self):
        return self._depth < 3 and self._choose(range(10)) < self._share

    def _filled(self, shapes, known):
        self._depth += 1
        shape = self._choose(shapes)
        made = {
            "p": self._place(known) if "{p}" in shape or "{{{p}" in shape else "",
            "n": self._number(known) if "{n}" in shape else "",
            "t": self._truth(known) if "{t}" in shape else "",
            "c": self._called(known) if "{c}" in shape else "",
        }
        self._depth -= 1
        return shape.format(**made)

    def _place(self, known):
        return self._filled(PLACES, known) if self._is_free() else super()._place(known)

    def _number(self, known):
        if not self._is_free():
            return super()._number(known)
        return self._filled((*NUMBERS, *ARRAYS * HAS_NUMPY), known)

    def _truth(self, known):
        if not self._is_free():
            return super()._truth(known)
        return f"({self._filled((*TRUTHS, *ARRAY_TRUTHS * HAS_NUMPY), known)})"

    def _write(self, known):
        return self._filled(WRITES, known) if self._is_free() else super()._write(known)

    def _network(self, known):
        return self._filled(NETWORKS, known) if self._is_free() else super()._network(known)

    def _variables(self, known):
        lines, known = super()._variables(known)
        if self._is_free():
            made = self._filled(STATEMENTS, known)
            lines += made.splitlines()
            known = (*known, *(word for word in _names(made) if f"    {word}" not in made))
        return lines, known

    def _task(self, kind, name, given, lines):
        limit = [] if "limit" not in "\n".join(lines) else LIMIT.splitlines()
        super()._task(kind, name, given, [*limit, *lines])


def _names(text):
    """The variables that a statement sets, whose names say what they are: a place, or a size."""
    starts = (line.split()[0].rstrip(",:") for line in text.splitlines() if " = " in line)
    return [word for word in starts if word.startswith(("place_", "size_"))]
