"""Functions that are conditions, as data."""

from __future__ import annotations

import ast

from bthtn.planning.htn.translation.paths import End, Path, paths, undue
from bthtn.planning.htn.translation.terms import Terms, either, kind_of
from bthtn.planning.htn.translation.written import Definition, NotTranslatable
from bthtn.world.expression import Condition


def _may_be_text(answer: ast.expr, terms: Terms) -> bool:
    """Whether a function with this answer may return a text that is not empty."""
    match answer:
        case ast.BoolOp(op=ast.Or(), values=parts):
            return any(_may_be_text(part, terms) for part in parts)
        case ast.BoolOp(values=parts):
            return _may_be_text(parts[-1], terms)
        case ast.IfExp(body=one, orelse=other):
            return _may_be_text(one, terms) or _may_be_text(other, terms)
        case ast.Compare() | ast.UnaryOp():
            return False
        case _:
            return kind_of(terms.value(answer)) is str


def truth(definition: Definition, terms: Terms) -> Condition:
    """The condition that a function answers with true. Raises NotTranslatable."""
    return _truth(paths(definition, terms), terms)


def _truth(path: Path, terms: Terms) -> Condition:
    if isinstance(path, End):
        if path.returned is None:
            raise NotTranslatable  # None is no truth value
        terms.variables = path.variables
        answer = terms.truth(path.returned)
        if _may_be_text(path.returned, terms):
            raise NotTranslatable  # nor is a text
        if undue(path.due, [answer]):
            raise NotTranslatable
        return answer
    return either(path.condition, _truth(path.then, terms), _truth(path.other, terms))
