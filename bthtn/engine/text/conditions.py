"""A parser for conditions, values and changes written as text.

    condition ::= part (("and" | "," | "&" | "&&") part)* | part (("or" | "|" | "||") part)*
    part      ::= value | value (== | = | != | < | <= | > | >=) value | ("not" | "~" | "!") part
    value     ::= term (("+" | "-") term)*
    term      ::= operand (("*" | "//" | "%") operand)*
    operand   ::= parameter | fluent | constant | "(" condition ")" | "at_start" "(" condition ")"
    changes   ::= change (("," | ";") change)*
    change    ::= fluent ("becomes" | ":=") value
                | fluent ("increases by" | "+=" | "decreases by" | "-=") value

as in ``on[b] == a and not (hot or ammo < 3)`` and ``ammo decreases by count * 2``. A constant is
written as on the command line, and quoted where it has spaces or signs in it. A word means the
parameter of this name, else the fluent if it has the type of what it is compared with, else a
constant. There are spaces on both sides of the signs of arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial, reduce
from operator import and_, or_
from types import MappingProxyType
from typing import Any, Final, TypeVar

from bthtn.engine.world.assignment import Assignment, FluentReference
from bthtn.engine.world.at_start import AT_START, AtStart
from bthtn.engine.world.expression import (
    Arithmetic,
    Comparison,
    Condition,
    Constant,
    Expression,
    Parameter,
)
from bthtn.engine.world.expression_types import are_comparable, kind_of, parser_of
from bthtn.engine.world.names import BRACKETS, comma_separated, typographic_quote
from bthtn.engine.world.relation import Relation
from bthtn.engine.world.schema import StateSchema
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import BthtnError, InputError
from bthtn.records import record

T = TypeVar("T")

DEEPEST: Final = 100
LONGEST: Final = 10_000
_AND: Final = frozenset({"and", ",", "&", "&&"})
_OR: Final = frozenset({"or", "|", "||"})
_NOT: Final = frozenset({"not", "~", "!"})
_SYMBOLS: Final = frozenset({"==", "=", "!=", "<", "<=", ">", ">="})
_SUMS: Final = frozenset({"+", "-"})
_PRODUCTS: Final = frozenset({"*", "//", "%"})
_CHANGES: Final = MappingProxyType(
    {
        **dict.fromkeys(("becomes", ":="), "becomes"),
        **dict.fromkeys(("increases", "+="), "increases"),
        **dict.fromkeys(("decreases", "-="), "decreases"),
    }
)
_BY: Final = frozenset({"increases", "decreases"})
_NO_WORDS: Final = _AND | _OR | _NOT | _SYMBOLS | {"(", ")", ";", ":=", "+=", "-="}
_TRUTHS: Final = MappingProxyType({"true": True, "false": False})
_NO_FLUENT: Final = "a fluent is missing"
_NO_VALUE: Final = "a value is missing"
_PIECE: Final = re.compile(
    r"""\s*(?P<piece>[:+-]=|==|!=|<=|>=|&&|\|\||[=<>(),;&|~!]|"[^"]*"|'[^']*'"""
    rf"""|(?:(?![:+-]=)[^\s=<>(),;&|~!\[\]])+({BRACKETS})?)"""
)
_NUMBER: Final = re.compile(r"-?(\d+(?P<fraction>\.\d+)?|\.\d+)")
_HOW: Final = "write it like  on[b] == a and not hot"
_HOW_TO_CHANGE: Final = "write it like  at becomes lake, ammo decreases by 1"


def condition_from_text(
    text: str, schema: StateSchema, parameters: Sequence[Parameter[Any]] = (), *, mark: bool = False
) -> Condition:
    """The condition that the text describes. Raises InputError with the column of the fault.

    With ``mark``, as in preconditions, parts of it may stand in ``at_start(…)``.
    """
    parser = Parser(text, schema, parameters)
    parser.mark = mark
    return parser.whole(parser.condition)


def expression_from_text(
    text: str, schema: StateSchema, parameters: Sequence[Parameter[Any]] = ()
) -> Expression[Any]:
    """The value that the text describes, such as ``reach * 0.5``. Raises InputError."""
    parser = Parser(text, schema, parameters)
    return parser.whole(parser.expression)


def changes_from_text(
    text: str, schema: StateSchema, parameters: Sequence[Parameter[Any]] = ()
) -> tuple[Assignment, ...]:
    """The changes of a state that the text describes. Raises InputError."""
    parser = Parser(text, schema, parameters)
    return parser.whole(parser.changes)


@record
class _Word:
    """A word in the place of a value; the other side of a comparison may say which."""

    text: str
    at: int


class Parser:
    """A recursive-descent parser for one text."""

    mark = False
    piece_pattern: re.Pattern[str] = _PIECE
    products: frozenset[str] = _PRODUCTS
    how = _HOW
    deepest = DEEPEST

    def __init__(
        self, text: str, schema: StateSchema, parameters: Sequence[Parameter[Any]]
    ) -> None:
        self._text = text
        self._schema = schema
        self._parameters = {parameter.name: parameter for parameter in parameters}
        self._pieces: list[tuple[str, int]] = []
        self._next = 0
        self._depth = 0

    def whole(self, read: Callable[[], T]) -> T:
        """The result of reading the whole text. Raises InputError."""
        if len(self._text) > LONGEST:
            raise InputError("BT411", f"a text of {len(self._text):,} letters", "", "divide it")
        at = 0
        while self._text[at:].strip():
            found = self.piece_pattern.match(self._text, at)
            if found is None:
                wrong = self._text[at:].strip()[0]
                hint = "close it, and quotes in it" if wrong == "[" else self.how
                raise self._fault(at, f"'{wrong}' cannot stand here", hint)
            piece, at = found["piece"], found.start("piece")
            if _is_quoted(piece) and (len(piece) == 1 or piece[-1] != piece[0]):
                raise self._fault(at, "a quote is never closed", f"close it: {piece[0]}…{piece[0]}")
            wrong = "" if _is_quoted(piece) else typographic_quote(piece)
            if wrong:
                raise self._fault(at, f"{wrong} is no quote here", 'write straight ones: "…"')
            self._pieces.append((piece, at))
            at = found.end()
        made = read()
        if self._piece == "/":
            raise self._fault(self._at, "there is no '/'", "write * 0.5, or // for whole numbers")
        if self._piece:
            raise self._fault(self._at, f"'{self._piece}' stands behind the end")
        return made

    def condition(self) -> Condition:
        """Parts that are joined by ``and``, or by ``or``."""
        at = self._at
        return self._checked(self.expression(), at)

    def expression(self) -> Expression[Any]:
        """A condition or another value; only conditions can be joined."""
        at, first = self._at, self._part()
        joined = _OR if self._piece in _OR else _AND
        if self._piece not in joined:
            return first
        parts = [self._checked(first, at)]
        while self._piece in joined:
            self._next += 1
            at = self._at
            parts.append(self._checked(self._part(), at))
        if self._piece in _AND | _OR:
            raise self._fault(self._at, "'and' and 'or' are mixed", "put brackets around one")
        return reduce(or_ if joined is _OR else and_, parts)

    def changes(self) -> tuple[Assignment, ...]:
        """Changes one behind the other."""
        made = [self._change()]
        while self._piece in {",", ";"}:
            self._next += 1
            made.append(self._change())
        return tuple(made)

    @property
    def _piece(self) -> str:
        """The next token, or "" at the end."""
        return self._pieces[self._next][0] if self._next < len(self._pieces) else ""

    @property
    def _at(self) -> int:
        """The index in the text of the next token."""
        is_left = self._next < len(self._pieces)
        return self._pieces[self._next][1] if is_left else len(self._text.rstrip())

    def _taken(self) -> str:
        piece = self._piece
        self._next += 1
        return piece

    def _part(self) -> Expression[Any]:
        self._depth += 1
        if self._depth > self.deepest:
            raise self._fault(self._at, f"nested deeper than {self.deepest}", "leave brackets out")
        if self._piece in _NOT:
            self._next += 1
            at = self._at
            part: Expression[Any] = ~self._checked(self._part(), at)
        else:
            part = self._comparison()
        self._depth -= 1
        return part

    def _comparison(self) -> Expression[Any]:
        left = self._meaning(self._value(_NO_FLUENT))
        if self._piece not in _SYMBOLS:
            return left
        symbol = self._taken()
        at = self._at
        right = self._meaning(self._value(_NO_VALUE), left)
        if isinstance(right, Constant):
            if right.value is UNKNOWN:
                raise self._fault(at, _NO_VALUE)
        elif not are_comparable(left, right):
            kinds = [f"'{side.text()}' is {kind_of(side).__name__}" for side in (left, right)]
            raise self._fault(at, " and ".join(kinds), "compare values of one type")
        return Comparison("==" if symbol == "=" else symbol, left, right)

    def _value(self, missing: str) -> Expression[Any] | _Word:
        at, value = self._at, self._term(missing)
        while self._piece in _SUMS:
            value = self._computed(value, at, self._term)
        return value

    def _term(self, missing: str) -> Expression[Any] | _Word:
        at, value = self._at, self._operand(missing)
        while self._piece in self.products:
            value = self._computed(value, at, self._operand)
        return value

    def _computed(
        self, left: Expression[Any] | _Word, at: int, operand: Callable[[str], Any]
    ) -> Expression[Any]:
        """The result of a sign of arithmetic between a value and the operand behind it."""
        symbol, right_at = self._taken(), self._at
        sides = [(left, at), (operand(_NO_VALUE), right_at)]
        meant = [self._meaning(side) for side, _ in sides]
        for value, (_, place) in zip(meant, sides, strict=True):
            if kind_of(value) not in self.computable(symbol):
                raise self._fault(place, f"'{value.text()}' is no number", "compute with numbers")
        return Arithmetic(symbol, *meant)

    def computable(self, symbol: str) -> tuple[type, ...]:  # noqa: ARG002 - scripts add texts
        """The types of the values that a sign of arithmetic combines."""
        return int, float, object

    def _operand(self, missing: str) -> Expression[Any] | _Word:
        at, piece = self._at, self._taken()
        if piece == AT_START and self._piece == "(":
            if not self.mark:
                raise self._fault(at, "only the precondition of a step has a start", "leave it out")
            return AtStart(self._checked(self._meaning(self._operand(missing)), at))
        if piece == "(":
            inside = self.expression()
            if self._taken() != ")":
                raise self._fault(len(self._text.rstrip()), "a bracket is never closed")
            return inside
        if not piece or piece in _NO_WORDS:
            raise self._fault(at, missing)
        return _Word(piece, at)

    def _change(self) -> Assignment:
        at = self._at
        target = self._meaning(self._operand(_NO_FLUENT))
        if not isinstance(target, FluentReference):
            raise self._fault(at, f"'{target.text()}' is no fluent", _HOW_TO_CHANGE)
        if self._piece not in _CHANGES:
            raise self._fault(self._at, "a change is missing", _HOW_TO_CHANGE)
        verb = self._taken()
        if verb in _BY and self._taken() != "by":
            raise self._fault(self._at, f"'by' is missing behind '{verb}'", _HOW_TO_CHANGE)
        at = self._at
        value = self._meaning(self._value(_NO_VALUE), target)
        given = value.value if isinstance(value, Constant) else value
        made: Assignment = self._within(at, given, getattr(target, _CHANGES[verb]))
        return made

    def _meaning(
        self, found: Expression[Any] | _Word, like: Expression[Any] | None = None
    ) -> Expression[Any]:
        """The expression itself, or the one that a word stands for beside ``like``."""
        if not isinstance(found, _Word):
            return found
        word = found.text[1:-1] if _is_quoted(found.text) else found.text
        named = self._named(found)
        parse = None if like is None else parser_of(like)
        if named is not None and (
            parse is None
            or like is None
            or isinstance(named, Parameter)
            or are_comparable(named, like)
        ):
            return named
        if parse is not None:
            return Constant(self._within(found.at, word, parse))
        number = _NUMBER.fullmatch(found.text)
        if number is not None:
            return Constant(float(word) if number["fraction"] else int(word))
        if word in _TRUTHS and word == found.text:
            return Constant(_TRUTHS[word])
        if word != found.text or isinstance(like, Parameter):
            return Constant(word)
        unknown: Expression[Any] = self._within(found.at, word, self._schema.variable)
        return unknown

    def _named(self, word: _Word) -> Expression[Any] | None:
        """The parameter or fluent that a word names, or None."""
        if word.text in self._parameters:
            return self._parameters[word.text]
        if word.text.startswith("-"):
            number = self._named(_Word(word.text[1:], word.at + 1))
            return None if number is None or kind_of(number) not in (int, float) else -number
        name, _, inside = word.text.partition("[")
        family = self._schema.families.get(name)
        is_tuple = family is not None and family.indices.kinds != (str,)
        texts = comma_separated(inside[:-1]) if is_tuple else [inside[:-1].strip()]
        relation = self._schema.fluents.get(name)
        if isinstance(relation, Relation) and inside:
            return self._related(relation, comma_separated(inside[:-1]), word)
        if family is None or self._parameters.keys().isdisjoint(texts):
            try:
                return self._schema.variable(word.text)
            except BthtnError:
                return None  # it may be a constant
        kinds = family.indices.parts or (family.indices,)
        if len(kinds) != len(texts):
            hint = family.indices.hint(inside[:-1])
            raise self._fault(word.at, f"'{name}' has no index '{inside[:-1]}'", hint)
        index = tuple(
            self._parameters[text]
            if text in self._parameters
            else self._within(word.at, text, partial(family.parsed, kind))
            for text, kind in zip(texts, kinds, strict=True)
        )
        return family[index if family.indices.parts else index[0]]

    def _related(self, of: Relation[Any], texts: list[str], word: _Word) -> Expression[Any]:
        """The condition that a relation lists the tuple that is written in the brackets."""
        if len(texts) != len(of.columns):
            hint = f"write one for each column: {of.name}[{of.values_text}]"
            raise self._fault(word.at, f"'{of.name}' relates {len(of.columns)}", hint)
        values = (
            self._parameters[text]
            if text in self._parameters
            else self._within(word.at, text, partial(of.parsed, column))
            for text, column in zip(texts, of.columns, strict=True)
        )
        found: Expression[Any] = of[tuple(values) if len(texts) > 1 else next(values)]
        return found

    def _checked(self, found: Expression[Any], at: int) -> Condition:
        if isinstance(found, FluentReference) and found.value_type is not bool:
            kind = found.value_type.__name__
            raise self._fault(at, f"'{found}' is {kind}", f"compare it: {found} == …")
        if not found.is_condition:
            raise self._fault(at, f"'{found.text()}' is no condition", "compare it with something")
        return found

    def _within(self, at: int, given: Any, read: Callable[[Any], Any]) -> Any:
        try:
            return read(given)
        except BthtnError as error:
            (fault,) = error.diagnostics
            place = f"{self._text!r}, column {at + 1}"
            is_value = fault.code == "BT106" and fault.hint.startswith("did you mean")
            is_value |= "has no index" in fault.message
            hint = self._hint(given) if isinstance(given, str) and not is_value else ""
            hint = hint or fault.hint
            raise InputError(fault.code, fault.message, place, hint) from None

    def _hint(self, word: str) -> str:
        """The hint for a word that means nothing here, "" if none is clear."""
        if re.search(r"\w[*/%+-]\w", word):
            return "put spaces around the signs of arithmetic: reach * 2"
        families = (f"{name}[…]" for name in self._schema.families)
        names = (*self._parameters, *self._schema.fluents, *families)
        near = get_close_matches(word, names, n=1)
        return f"did you mean '{near[0]}'?" if near else ""

    def _fault(self, at: int, message: str, hint: str = "") -> InputError:
        place = f"{self._text!r}, column {at + 1}"
        return InputError("BT411", message, place, hint or self.how)


def _is_quoted(piece: str) -> bool:
    return piece[0] in "'\""
