"""A parser for scripts of BehaviorTree.CPP: changes and conditions.

    script     ::= change (";" change)* [";"]
    change     ::= key (":=" | "=" | "+=" | "-=" | "*=" | "/=") value
    condition  ::= both (("||" | "or") both)*
    both       ::= part (("&&" | "and") part)*
    part       ::= ("!" | "not") part | sum [(== | != | < | <= | > | >=) sum]
    sum        ::= product (("+" | "-") product)*
    product    ::= operand (("*" | "/") operand)*
    operand    ::= "-" operand | number | 'text' | true | false | key | "@" key | word
                 | "(" condition ")"
    value      ::= condition

as in ``tries += 1; state := 'tired'`` and ``tries > 3 && !(done || state == 'tired')``. ``@key`` is
the key of the main tree. A word that is no key is a constant, as the names of enums are in
BehaviorTree.CPP. A number is true unless it is 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce
from operator import and_, or_
from types import MappingProxyType
from typing import Any, Final

from bthtn.engine.text.conditions import DEEPEST, Parser
from bthtn.engine.world.assignment import Assignment, FluentReference
from bthtn.engine.world.expression import (
    Arithmetic,
    Comparison,
    Condition,
    Constant,
    Expression,
)
from bthtn.engine.world.expression_types import kind_of
from bthtn.engine.world.names import BRACKETS
from bthtn.engine.world.schema import StateSchema

_PIECE: Final = re.compile(
    r"""\s*(?P<piece>[:+*/-]=|[=!<>]=|&&|\|\||[-+*/=<>()!;]|"[^"]*"|'[^']*'"""
    rf"""|[@\w.]+({BRACKETS})?(?:\{{[^{{}}]*\}})?)"""
)
_ASSIGNING: Final = MappingProxyType(
    {":=": "", "=": "", "+=": "+", "-=": "-", "*=": "*", "/=": "/"}
)
_AND: Final = frozenset({"and", "&&"})
_OR: Final = frozenset({"or", "||"})


def script_from_text(text: str, schema: StateSchema) -> tuple[Assignment, ...]:
    """The changes of beliefs that a script makes. Raises InputError with the column."""
    parser = _Script(text, schema, ())
    return parser.whole(parser.script)


def script_condition_from_text(text: str, schema: StateSchema) -> Condition:
    """The condition that a script is. Raises InputError with the column of the fault."""
    parser = _Script(text, schema, ())
    return parser.whole(parser.condition)


def script_text(change: Assignment) -> str:
    """The text of a change, as ``script_from_text`` reads it."""
    sign = "+=" if change.grows else ":="
    return f"{change.target.text()} {sign} {_written(change.value)}"


def _written(value: Expression[Any]) -> str:
    if isinstance(value, Constant) and isinstance(value.value, str):
        return f"'{value.value}'"
    return value.text()


class _Script(Parser):
    piece_pattern = _PIECE
    products = frozenset({"*", "/", "//", "%"})
    deepest = DEEPEST // 2
    how = "write it like  tries += 1; state := 'tired'  or  tries > 3 && !done"

    def script(self) -> tuple[Assignment, ...]:
        """Changes one behind the other, with or without a sign behind the last one."""
        made: list[Assignment] = []
        while self._piece:
            made.append(self._change())
            if self._piece and self._taken() != ";":
                self._next -= 1
                break
        if not made:
            raise self._fault(0, "a change is missing")
        return tuple(made)

    def expression(self) -> Expression[Any]:
        """A condition or another value; ``&&`` binds more than ``||``."""
        return self._joined(_OR, or_, self._both)

    def _both(self) -> Expression[Any]:
        return self._joined(_AND, and_, self._part)

    def computable(self, symbol: str) -> tuple[type, ...]:
        return (*super().computable(symbol), *((str,) if symbol == "+" else ()))

    def _joined(
        self,
        signs: frozenset[str],
        join: Callable[[Any, Any], Any],
        read: Callable[[], Expression[Any]],
    ) -> Expression[Any]:
        at, first = self._at, read()
        if self._piece not in signs:
            return first
        parts = [self._checked(first, at)]
        while self._piece in signs:
            self._next += 1
            at = self._at
            parts.append(self._checked(read(), at))
        joined: Condition = reduce(join, parts)
        return joined

    def _operand(self, missing: str) -> Any:
        if self._piece == "-":
            self._next += 1
            at, number = self._at, self._meaning(super()._operand(missing))
            if kind_of(number) not in self.computable("-"):
                raise self._fault(at, f"'{number.text()}' is no number", "compute with numbers")
            if isinstance(number, Constant):
                return Constant(-number.value)
            return Arithmetic("-", Constant(0), number)
        return super()._operand(missing)

    def _change(self) -> Assignment:
        at = self._at
        target = self._meaning(super()._operand("a key is missing"))
        if not isinstance(target, FluentReference):
            raise self._fault(at, f"'{target.text()}' is no key")
        if self._piece not in _ASSIGNING:
            raise self._fault(self._at, "a change is missing")
        sign = _ASSIGNING[self._taken()]
        at = self._at
        value = self._given_to(target)
        if sign:
            value = Arithmetic(sign, target, value)
        if isinstance(value, Constant):
            value = self._within(at, value.value, target.becomes).value
        return Assignment(target, value)

    def _given_to(self, target: FluentReference[Any]) -> Expression[Any]:
        """The value behind the sign; a word alone may be a constant of the key's type."""
        behind = self._pieces[self._next + 1 : self._next + 2]
        if not behind or behind[0][0] == ";":
            return self._meaning(self._operand("a value is missing"), target)
        return self.expression()

    def _checked(self, found: Expression[Any], at: int) -> Condition:
        if kind_of(found) in (int, float, object) and not found.is_condition:
            return Comparison("!=", found, Constant(0))
        if isinstance(found, FluentReference) and kind_of(found) is object:
            return Comparison("!=", found, Constant(value=False))
        return super()._checked(found, at)
