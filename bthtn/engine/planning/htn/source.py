"""Compilation of expressions and effects to Python functions, once for each task.

    def f0(S, a, view): …

``S`` holds the projected values by fluent, ``a`` the arguments of the task, ``view`` is the
``ProjectedState`` over ``S``. No text of a domain gets into the source: every object has a
numbered name in the namespace of the function. An expression that has no source of its own, a
plain function above all, is evaluated from inside the source.

An unknown value is POISON: whatever uses it raises UnknownRead, and the caller leaves the result to
evaluation, which implements three-valued logic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from itertools import count
from math import isfinite, isnan, nan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bthtn.engine.domain.task import PrimitiveTask, TaskCall
from bthtn.engine.planning.htn.generated import executed
from bthtn.engine.planning.htn.projected_state import ABSENT, POISON, unknown
from bthtn.engine.world.assignment import Assignment, FluentReference
from bthtn.engine.world.expression import (
    Arithmetic,
    Comparison,
    Condition,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
    Related,
    TupleOf,
)
from bthtn.engine.world.fluent import Fluent, FluentFamily, MemberOf
from bthtn.engine.world.operations import ordering
from bthtn.engine.world.truth import UNKNOWN
from bthtn.engine.world.value_type import ValueType

if TYPE_CHECKING:
    from bthtn.engine.planning.htn.translation.meaning import Assumption

Function = Callable[..., Any]

# Operators are copied from these tables, never from an expression, which could hold any text.
_COMPARISONS: Final = MappingProxyType(
    {symbol: symbol for symbol in ("==", "!=", "<", "<=", ">", ">=")}
)
_ARITHMETIC: Final = MappingProxyType({symbol: symbol for symbol in ("+", "-", "*", "//", "%")})
_ATTRIBUTES: Final = MappingProxyType(
    {name: name for name in ("__code__", "__defaults__", "cell_contents")}
)
_OPPOSITE: Final = MappingProxyType({"True": "False", "False": "True"})

DEEPEST: Final = 30
"""Expressions nested deeper are evaluated: Python's parser limits nested brackets."""
_LARGEST: Final = 2**62
"""Only numbers below it become literals: Python refuses to convert very long ones."""
MOST_MEMBERS: Final = 100_000
"""Size at which a table of members is emptied: in a long game most of them are gone."""


class MembersByIndex(dict[Any, Fluent[Any]]):
    """A cache of a family's members by index, from which compiled functions take them."""

    def __init__(self, family: FluentFamily[Any, Any]) -> None:
        super().__init__()
        self._family = family

    def __missing__(self, index: Any) -> Fluent[Any]:
        if len(self) >= MOST_MEMBERS:
            self.clear()
        member = self[index] = self._family.member(index)
        return member

    def exact(self, index: Any) -> Fluent[Any]:
        """Return the member by an index that may only be equal to one, as True is to 1."""
        return self._family.member(index)


Typed = Sequence[tuple[Parameter[Any], Parameter[Any]]]
"""Parameters, with others of whose type their values have to be."""


class Way:
    """What is to be known of a method, or of one of the results of a method that is a function.

    ``method`` is the index of the method. If it ``is_asked``, the ``condition`` is only what it
    needs at least. ``values`` come behind the arguments of the task in the binding of its body.
    ``args_typed`` and ``values_typed`` are what has to be of a type.
    """

    __slots__ = ("args_typed", "condition", "is_asked", "method", "values", "values_typed")

    def __init__(
        self,
        method: int,
        condition: Condition,
        values: Sequence[Expression[Any]] = (),
        args_typed: Typed = (),
        values_typed: Typed = (),
        *,
        is_asked: bool = False,
    ) -> None:
        self.is_asked = is_asked
        self.method = method
        self.condition = condition
        self.values = values
        self.args_typed = args_typed
        self.values_typed = values_typed


class Trusted(NamedTuple):
    """The row of a task some functions of which were translated, and what that rests on.

    A function that was made of them sees once in each search that this still is so.
    """

    row: Any
    assumed: Sequence[Assumption]


class Source:
    """The source of several functions, with the namespace of the objects that it mentions."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.evaluates = False
        """Whether there is an expression in it that is evaluated, a plain function above all."""
        self._lines: list[str] = []
        self._functions = 0
        self._by_id: dict[int, str] = {}
        self._numbers = count()
        self._kept: list[Any] = []  # a name goes by the id of its object, which has to stay

    @property
    def text(self) -> str:
        """The source of all functions added so far."""
        return "\n".join(self._lines)

    def made(self) -> dict[str, Function]:
        """Execute the source and return its namespace: the functions by name."""
        return executed(self.text, _GIVEN | self.objects)

    # functions

    def first(self, ways: Sequence[Way], trusted: Trusted | None = None) -> str:
        """Add a function that finds the first usable way of a task; return the function's name.

        The function takes the index of the method to start at. It returns the number of the way, or
        NO_METHOD, or the result of ``to_ask`` where a method has to be asked. With ``trusted`` some
        functions were translated.
        """
        lines: list[str] = []
        for number, way in enumerate(ways):
            self.evaluates = False
            truth, found = self.truth(way.condition), str(number)
            if self.evaluates:
                truth = "True"
            if way.is_asked or self.evaluates:
                found = str(to_ask(way.method))
            elif way.args_typed:
                found += f" if {self._are_of(way.args_typed, 'a')} else unknown()"
            asked = f"start <= {way.method}" if way.method else "not start"
            lines.append(f"    if {_joined([asked, truth], decisive=False)}: return {found}")
        return self._function([*lines, "    return -1"], "S, a, view, start", trusted)

    def extended(self, way: Way) -> str:
        """Add a function for the arguments of a task and the values of a way; return its name."""
        names = [f"v{number}" for number in range(len(way.values))]
        lines = [f"    {v} = {self.known(of)}" for v, of in zip(names, way.values, strict=True)]
        lines.append(f"    b = (*a, {', '.join(names)},)")
        if way.values_typed:
            lines.append(f"    if not ({self._are_of(way.values_typed, 'b')}): unknown()")
        return self._function([*lines, "    return b"], tries=True)

    def _are_of(self, typed: Typed, args: str) -> str:
        """Return the source of whether arguments have the types of parameters."""
        tests = []
        for given, wanted in typed:
            value = f"{args}[{given.position:d}]"
            tests.append(f"type({value}) is {self._name(wanted.type)}")
            if wanted.literals:
                tests.append(f"{value} in {self._name(wanted.literals)}")
        return " and ".join(tests)

    def arguments(self, call: TaskCall) -> str:
        """Add a function for the tuple of a call's arguments; return its name."""
        values = [self.known(arg) for arg in call.args]
        given = ", ".join(values)
        return self._function([f"    return ({given}{',' if len(values) == 1 else ''})"])

    def step(
        self, task: PrimitiveTask[...], *, tracks: bool, trusted: Trusted | None = None
    ) -> str | None:
        """Add a function that plans a primitive task; return its name, None if it is evaluated.

        So are tasks with plain functions: what these have read is needed for the plan, and users
        do not expect to see them called twice. With ``trusted`` some were translated.

        The function applies the effects, appends what they overwrote to the trail ``T``, and
        returns True; it returns False if the precondition does not hold, EVALUATE if the task has
        to be evaluated in this state. With ``tracks``, it updates the fingerprint of the state.
        """
        amounts = (task.duration, task.cost)
        if not all(isinstance(amount, Constant | Parameter) for amount in amounts):
            return None
        effects = (*task.effects, *task.expected)
        value = self.value if trusted is None else self.known  # as a function would have to know it
        computed = [self._effect(number, effect, value) for number, effect in enumerate(effects)]
        if None in computed:
            return None
        truth = self.truth(task.precondition)
        if self.evaluates:
            return None
        lines = [] if truth == "True" else [f"    if not {truth}: return False"]
        lines += [line for of_one in computed for line in of_one or ()]
        for same in _possibly_same(effects):
            # Two effects on one fluent have a meaning together that evaluation knows.
            named = ", ".join(f"p{number}" for number in same)
            lines.append(f"    if len({{{named}}}) < {len(same)}: return EVALUATE")
        for position in {amount.position for amount in amounts if isinstance(amount, Parameter)}:
            given = f"a[{position:d}]"
            # Evaluation tells what is wrong with any other duration or cost.
            usual = f"type({given}) in (int, float) and {given} >= 0"
            lines.append(f"    if not ({usual}): return EVALUATE")
        if tracks and effects:
            for n in range(len(effects)):
                lines.append(f"    b{n} = S.get(p{n}, ABSENT)")
            moved = " ^ ".join(
                f"hash((p{n}, v{n})) ^ hash((p{n}, S.unread(p{n}) if b{n} is ABSENT else b{n}))"
                for n in range(len(effects))
            )
            lines.append(f"    view.fingerprint ^= {moved}")
        before = [f"b{n}" if tracks else f"S.get(p{n}, ABSENT)" for n in range(len(effects))]
        if effects:
            lines.append(f"    T += ({''.join(f'(p{n}, {b}), ' for n, b in enumerate(before))})")
        lines += [f"    S[p{n}] = v{n}" for n in range(len(effects))]
        return self._function([*lines, "    return True"], "S, a, view, T", trusted)

    def guard(self, needed: Condition) -> str | None:
        """Add a function in the place of ``step`` for a task that is evaluated where this holds.

        Returns its name, None if that has to be evaluated, too.
        """
        self.evaluates = False
        truth = self.truth(needed)
        if self.evaluates or truth == "True":
            return None
        lines = [f"    if not {truth}: return False", "    return EVALUATE"]
        return self._function(lines, "S, a, view, T")

    def _function(
        self,
        lines: list[str],
        given: str = "S, a, view",
        trusted: Trusted | None = None,
        *,
        tries: bool = False,
    ) -> str:
        """Add a function; if it ``tries``, it raises nothing but UnknownRead."""
        name = f"f{self._functions}"
        self._functions += 1
        if trusted is not None:
            row = self._name(trusted.row)
            unlike = " or ".join(map(self._unlike, trusted.assumed))
            lines = [
                f"    if {row} not in view.trusted:",
                f"        if {unlike}: {row}.distrust()",
                f"        view.trusted.add({row})",
                *lines,
            ]
        if trusted is not None or tries:
            lines = [
                "    try:",
                *(f"    {line}" for line in lines),
                "    except Exception: unknown()",
            ]
        self._lines += [f"def {name}({given}):", *lines]
        return name

    def _unlike(self, assumed: Assumption) -> str:
        """Return the source of whether something is not as it is assumed to be."""
        holder, found = self._name(assumed.holder), self._name(assumed.found)
        attribute = _ATTRIBUTES.get(assumed.name) if not assumed.is_item else None
        if attribute is None:
            return f"{holder}[{self._name(assumed.name)}] is not {found}"
        return f"{holder}.{attribute} is not {found}"

    def _effect(
        self, number: int, effect: Any, source_of: Callable[[Expression[Any]], str]
    ) -> list[str] | None:
        """Return the lines for fluent and value of one effect; None if it has to be evaluated."""
        if not isinstance(effect, Assignment) or is_volatile(effect.target):
            return None
        target = effect.target
        place = self._place(target, 0)
        if place is None:
            return None
        lines = [f"    p{number} = {place}", f"    v{number} = {source_of(effect.value)}"]
        if not _fits(effect.value, target):
            lines.append(f"    {self._type_check(effect.value, target, number)}")
        if effect.grows:
            lines.append(f"    v{number} = S[p{number}] + v{number}")
        if target.value_type in (float, object) and not isinstance(effect.value, Constant):
            lines.append(
                f"    if type(v{number}) is float and v{number} != v{number}: v{number} = NAN"
            )
        return lines

    def _type_check(self, value: Expression[Any], target: FluentReference[Any], number: int) -> str:
        """Return the source that raises StateError if a value is not of the type of its target."""
        tests = [] if isinstance(value, Parameter | Arithmetic) else [f"v{number} is not POISON"]
        if _prototype(target).plain_type is not None:
            tests.insert(0, f"type(v{number}) is not {self._name(target.value_type)}")
        check = f"p{number}.check(v{number})"
        return f"if {' and '.join(tests)}: {check}" if tests else check

    # expressions

    def truth(self, condition: Expression[Any], depth: int = 0) -> str:
        """Return the source of a condition's truth, which raises UnknownRead if it is unknown."""
        match condition:
            case Constant(value=bool()):
                return repr(condition.value)
            case _ if depth > DEEPEST:
                pass
            case Fluent() | MemberOf() if condition.value_type is bool:
                read = self._read(condition, depth)
                return read or self._evaluated(condition)
            case Comparison():
                return self._comparison(condition, depth) or self._evaluated(condition)
            case Related(relation=relation, values=values):
                listed = self._value(relation, depth + 1)
                given = [self.known(value, depth + 1) for value in values]
                if listed is None or "unknown()" in given:
                    return self._evaluated(condition)
                item = f"({', '.join(given)})" if len(given) > 1 else given[0]
                return f"({item} in {listed})"
            case Negation(operand=operand):
                inside = self.truth(operand, depth + 1)
                return _OPPOSITE.get(inside, f"(not {inside})")
            case Junction(parts=parts, decisive=decisive):
                truths = [self.truth(part, depth + 1) for part in parts]
                return _joined(truths, decisive=decisive)
            case _:
                pass
        return self._evaluated(condition)

    def value(self, expression: Expression[Any]) -> str:
        """Return the source of an expression's value, which may be POISON."""
        return self._value(expression, 0) or self._evaluated(expression)

    def known(self, expression: Expression[Any], depth: int = 0) -> str:
        """Return the source of an expression's value, which raises UnknownRead if it is unknown."""
        source = self._value(expression, depth)
        if source is None:
            return self._evaluated(expression)
        if source == "POISON":
            return "unknown()"
        return _guarded(source) if isinstance(expression, FluentReference) else source

    def _value(self, expression: Expression[Any], depth: int) -> str | None:
        if depth > DEEPEST:
            return None
        match expression:
            case Constant(value=value):
                return "POISON" if value is UNKNOWN else self._constant(value)
            case Parameter(position=position):
                return f"a[{position:d}]"
            case Fluent() | MemberOf():
                return self._read(expression, depth)
            case Arithmetic(symbol=symbol, left=left, right=right):
                if symbol not in _ARITHMETIC:
                    return None
                value_of = self._operand if _are_numbers(left, right) else self.known
                first, second = value_of(left, depth + 1), value_of(right, depth + 1)
                return f"({first} {_ARITHMETIC[symbol]} {second})"
            case TupleOf(parts=parts):
                return f"({''.join(f'{self.known(part, depth + 1)}, ' for part in parts)})"
            case Comparison() | Negation() | Junction():
                return f"bool({self.truth(expression, depth)})"
            case _:
                return None

    def _operand(self, expression: Expression[Any], depth: int) -> str:
        """Return the source of a value that raises UnknownRead by itself when it is used."""
        return self._value(expression, depth) or self._evaluated(expression)

    def _comparison(self, compared: Comparison, depth: int) -> str | None:
        symbol = _COMPARISONS.get(compared.symbol)
        if symbol is None:
            return None
        left, right = compared.left, compared.right
        if symbol in ("==", "!="):
            # The left side is asked first; POISON raises on the right if the left leaves it to it.
            right_of = self._operand if _is_plain(left) else self.known
            return f"({self._operand(left, depth + 1)} {symbol} {right_of(right, depth + 1)})"
        if _are_numbers(left, right):
            sides = self._operand(left, depth + 1), self._operand(right, depth + 1)
            return f"({sides[0]} {symbol} {sides[1]})"
        sides = self.known(left, depth + 1), self.known(right, depth + 1)
        return f"{self._name(ordering(symbol))}({sides[0]}, {sides[1]})"

    def _read(self, reference: FluentReference[Any], depth: int) -> str | None:
        place = self._place(reference, depth)
        if place is None:
            return None
        return f"view.sensed({place})" if is_volatile(reference) else f"S[{place}]"

    def _place(self, reference: FluentReference[Any], depth: int) -> str | None:
        """Return the source of the fluent itself, or None if the reference has to be evaluated."""
        if not isinstance(reference, MemberOf):
            return self._name(reference)
        if depth > DEEPEST:
            return None
        family = reference.family
        if _is_exact(reference.index, family.indices):
            return f"{self._name(family)}[{self._index(reference.index, depth + 1)}]"
        return f"{self._name(family)}.exact({self.known(reference.index, depth + 1)})"

    def _index(self, index: Expression[Any], depth: int) -> str:
        """Return the source of an index: to look it up raises UnknownRead if it is unknown."""
        if isinstance(index, TupleOf):
            return f"({''.join(f'{self._operand(part, depth)}, ' for part in index.parts)})"
        return self._operand(index, depth)

    def _evaluated(self, expression: Expression[Any]) -> str:
        """Return the source that evaluates an expression, and raises UnknownRead if unknown."""
        self.evaluates = True
        return f"evaluated({self._name(expression)}, view, a)"

    # names

    def _name(self, thing: Any) -> str:
        """Return the name of an object, always the same; a family's names its table of members."""
        known = self._by_id.get(id(thing))
        if known is None:
            known = self._by_id[id(thing)] = f"k{next(self._numbers)}"
            self._kept.append(thing)
            is_family = isinstance(thing, FluentFamily)
            self.objects[known] = MembersByIndex(thing) if is_family else thing
        return known

    def _constant(self, value: Any) -> str:
        """Return the source of a constant: a literal for a small number, else a name."""
        if type(value) in (bool, type(None)):
            return repr(value)
        if type(value) in (int, float) and isfinite(value) and abs(value) < _LARGEST:
            return f"({value!r})" if repr(value).startswith("-") else repr(value)
        return self._name(nan if type(value) is float and isnan(value) else value)


EVALUATE: Final = "evaluate"
"""Returned by the step of a task that has to be evaluated."""
NO_METHOD: Final = -1
"""Returned in the place of an index, where no method is usable."""
TO_DECIDE: Final = -2
"""In the place of a method's index, where the methods have to be asked one by one."""


def to_ask(index: int) -> int:
    """Return what stands for the method with an index, where it has to be asked; and back."""
    return -3 - index


def evaluated(expression: Expression[Any], view: Any, args: tuple[Any, ...]) -> Any:
    """Return the expression's value. Raises UnknownRead if it is unknown."""
    value = expression.evaluate(view, args)
    return unknown() if value is UNKNOWN else value


_GIVEN: Final = MappingProxyType(
    {
        "ABSENT": ABSENT,
        "EVALUATE": EVALUATE,
        "NAN": nan,
        "POISON": POISON,
        "unknown": unknown,
        "evaluated": evaluated,
    }
)
"""The names available to every source."""


def _guarded(source: str) -> str:
    return f"(r if (r := {source}) is not POISON else unknown())"


def _joined(parts: list[str], *, decisive: bool) -> str:
    """Return the source of a junction, simplified where a part is constantly true or false."""
    known, word = repr(decisive), " or " if decisive else " and "
    if known in parts:
        parts = parts[: parts.index(known) + 1]
    left = [part for part in parts if part != _OPPOSITE[known]]
    if len(left) > 1:
        return f"({word.join(left)})"
    return left[0] if left else _OPPOSITE[known]


def _possibly_same(effects: tuple[Any, ...]) -> Iterator[list[int]]:
    """Return the indices of effects on one fluent, or on members of one family."""
    named: dict[str, list[int]] = {}
    for number, effect in enumerate(effects):
        named.setdefault(_prototype(effect.target).name, []).append(number)
    return (numbers for numbers in named.values() if len(numbers) > 1)


def is_volatile(reference: Expression[Any]) -> bool:
    """Whether the reference names a volatile fluent."""
    if isinstance(reference, MemberOf):
        return reference.family.prototype.volatile
    return isinstance(reference, Fluent) and reference.volatile


def _prototype(reference: FluentReference[Any]) -> Fluent[Any]:
    """Return the fluent itself, or the prototype of its family."""
    if isinstance(reference, MemberOf):
        return reference.family.prototype
    assert isinstance(reference, Fluent), "there are no other references"
    return reference


def _fits(value: Expression[Any], target: FluentReference[Any]) -> bool:
    """Whether every value of the expression certainly has the target's type."""
    match value:
        case Constant():
            return True
        case Fluent() | MemberOf():
            same = value.value_type is target.value_type and not value.values.is_optional
            return same and _prototype(target).plain_type is not None
        case _:
            return _prototype(target).plain_type is int and _is_of(value, (int,))


def _is_exact(index: Expression[Any], indices: ValueType) -> bool:
    """Whether an index that equals one that is valid certainly is valid itself."""
    kind = indices.kind
    match index:
        case TupleOf(parts=parts) if len(parts) == len(indices.parts):
            return all(map(_is_exact, parts, indices.parts))
        case _ if kind in (str, object) or (issubclass(kind, Enum) and not issubclass(kind, int)):
            return True
        case Constant(value=value):
            return type(value) is kind
        case Parameter():
            return index.type is kind
        case Fluent() | MemberOf():
            return index.value_type is kind
        case _:
            return _is_of(index, (int,)) and kind is int


def _are_numbers(*expressions: Expression[Any]) -> bool:
    """Whether every value of the expressions is certainly a number, or POISON."""
    return all(_is_of(expression, (int, float)) for expression in expressions)


def _is_of(expression: Expression[Any], kinds: tuple[type, ...]) -> bool:
    match expression:
        case Constant(value=value):
            return type(value) in kinds
        case Fluent() | MemberOf():
            return expression.value_type in kinds and not expression.values.is_optional
        case Arithmetic(left=left, right=right):
            return _is_of(left, kinds) and _is_of(right, kinds)
        case _:
            return False


def _is_plain(expression: Expression[Any]) -> bool:
    """Whether its values leave it to POISON to be compared with it."""
    match expression:
        case Constant(value=value):
            return type(value) in _PLAIN or isinstance(value, Enum)
        case Fluent() | MemberOf():
            kind = expression.value_type
            return kind in _PLAIN or (issubclass(kind, Enum) and kind.__eq__ is object.__eq__)
        case Arithmetic():
            return _are_numbers(expression)
        case _:
            return False


_PLAIN: Final = frozenset({bool, int, float, str, type(None)})
