"""A parser for conditions written as text: ``on[b] == a and not (hot or ammo < 3)``.

    condition ::= part (("and" | "," | "&") part)* | part (("or" | "|") part)*
    part      ::= fluent | fluent (== | = | != | < | <= | > | >=) value
                | "not" part | "~" part | "(" condition ")"

A value is written as on the command line, and quoted where it has spaces or signs in it.
"""

from __future__ import annotations

import re
from functools import reduce
from operator import and_, or_
from typing import Any, Final

from bthtn.errors import BthtnError, Diagnostic, InputError
from bthtn.world.expression import Comparison, Condition, Constant
from bthtn.world.fluent import Fluent
from bthtn.world.schema import StateSchema
from bthtn.world.truth import UNKNOWN

DEEPEST: Final = 100
_AND: Final = frozenset({"and", ",", "&"})
_OR: Final = frozenset({"or", "|"})
_NOT: Final = frozenset({"not", "~"})
_SYMBOLS: Final = frozenset({"==", "=", "!=", "<", "<=", ">", ">="})
_PIECE: Final = re.compile(
    r"""\s*(?:(?P<piece>==|!=|<=|>=|[=<>(),&|~]|"[^"]*"|'[^']*'|[^\s=<>(),&|~!\[\]]+(\[[^\]]*\])?))"""
)
_HOW: Final = "write it like  on[b] == a and not hot"


def condition_from_text(text: str, schema: StateSchema) -> Condition:
    """The condition that the text describes. Raises InputError with the column of the fault."""
    return _ConditionParser(text, schema).whole()


class _ConditionParser:
    """A recursive-descent parser for one text."""

    def __init__(self, text: str, schema: StateSchema) -> None:
        self._text = text
        self._schema = schema
        self._pieces: list[tuple[str, int]] = []
        self._next = 0
        self._depth = 0

    def whole(self) -> Condition:
        """The condition that the whole text describes. Raises InputError."""
        at = 0
        while self._text[at:].strip():
            found = _PIECE.match(self._text, at)
            if found is None:
                raise self._fault(at, f"'{self._text[at:].strip()[0]}' cannot stand here")
            self._pieces.append((found["piece"], found.start("piece")))
            at = found.end()
        condition = self._condition()
        if self._piece:
            raise self._fault(self._at, f"'{self._piece}' stands behind the end")
        return condition

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

    def _condition(self) -> Condition:
        parts = [self._part()]
        joined = _OR if self._piece in _OR else _AND
        while self._piece in joined:
            self._next += 1
            parts.append(self._part())
        if self._piece in _AND | _OR:
            raise self._fault(self._at, "'and' and 'or' are mixed", "put brackets around one")
        return reduce(or_ if joined is _OR else and_, parts)

    def _part(self) -> Condition:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._fault(self._at, f"nested deeper than {DEEPEST}", "leave brackets out")
        part = self._inner()
        self._depth -= 1
        return part

    def _inner(self) -> Condition:
        if self._piece in _NOT:
            self._next += 1
            return ~self._part()
        if self._piece == "(":
            self._next += 1
            inside = self._condition()
            if self._taken() != ")":
                raise self._fault(len(self._text.rstrip()), "a bracket is never closed")
            return inside
        if self._piece in _AND | _OR or not re.match(r"\w", self._piece):
            raise self._fault(self._at, "a fluent is missing")
        return self._comparison()

    def _comparison(self) -> Condition:
        at = self._at
        fluent = self._within(at, self._taken(), self._schema.variable)
        assert isinstance(fluent, Fluent), "a schema knows fluents"
        if self._piece not in _SYMBOLS:
            if fluent.value_type is not bool:
                kind = fluent.value_type.__name__
                raise self._fault(at, f"'{fluent}' is {kind}", f"compare it: {fluent} == …")
            return fluent
        symbol = self._taken()
        at, written = self._at, self._taken()
        value = self._within(at, written.strip("'\""), fluent.parse)
        if not written or value is UNKNOWN:
            raise self._fault(at, "a value is missing", _HOW)
        return Comparison("==" if symbol == "=" else symbol, fluent, Constant(value))

    def _within(self, at: int, text: str, read: Any) -> Any:
        try:
            return read(text)
        except BthtnError as error:
            (one,) = error.diagnostics
            place = f"{self._text!r}, column {at + 1}"
            raise InputError(Diagnostic(one.code, one.message, place, one.hint)) from None

    def _fault(self, at: int, message: str, hint: str = _HOW) -> InputError:
        return InputError(Diagnostic("BT411", message, f"{self._text!r}, column {at + 1}", hint))
