"""The paths through a function: the conditions on each, and the value returned at its end."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bthtn.engine.planning.htn.translation.terms import (
    Terms,
    always_evaluated,
    either,
    evaluated,
    may_raise,
)
from bthtn.engine.planning.htn.translation.written import Definition, NotTranslatable
from bthtn.engine.world.expression import Condition, Expression

MOST_PATHS: Final = 30
"""Functions with more paths are called."""

Variables = Mapping[str, Expression[Any]]
Due = tuple[Expression[Any], ...]
"""Expressions that a function has evaluated and that can fail: a translation does not skip them."""


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """The end of a path: the value returned if not None, the variables, and expressions due."""

    returned: ast.expr | None
    variables: Variables
    due: Due


@dataclass(frozen=True, slots=True, eq=False)
class Fork:
    """A condition, and how the function goes on where it holds and where not."""

    condition: Condition
    then: Path
    other: Path


Path = End | Fork


def paths(definition: Definition, terms: Terms) -> Path:
    """The paths through a function. Raises NotTranslatable for loops, calls and their like."""
    body = definition.body
    statements = [ast.Return(body)] if isinstance(body, ast.expr) else body
    return _Walk(terms).through(statements, terms.variables, ())


def undue(due: Due, these: Iterable[Expression[Any]]) -> Due:
    """The expressions still due when these have been evaluated."""
    done = {id(inside) for expression in these for inside in always_evaluated(expression)}
    return tuple(expression for expression in due if id(expression) not in done)


def with_due(due: Due, condition: Condition) -> Condition:
    """The condition, which evaluates all that is due."""
    return evaluated(undue(due, [condition]), condition)


def truth(definition: Definition, terms: Terms) -> Condition:
    """The condition under which a function answers with true. Raises NotTranslatable."""
    return _truth(paths(definition, terms), terms)


def _truth(path: Path, terms: Terms) -> Condition:
    if isinstance(path, End):
        if path.returned is None:
            raise NotTranslatable  # None is no truth value
        terms.variables = path.variables
        return with_due(path.due, terms.truth(path.returned))
    return either(path.condition, _truth(path.then, terms), _truth(path.other, terms))


class _Walk:
    """Walks through the statements of one function."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._left = MOST_PATHS

    def through(self, statements: Sequence[ast.stmt], variables: Variables, due: Due) -> Path:
        """How the function goes on from these statements."""
        for place, statement in enumerate(statements):
            rest = statements[place + 1 :]
            match statement:
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    pass
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=node)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as node)
                ):
                    self._terms.variables = variables
                    value = self._terms.value(node)
                    variables = {**variables, name: value}
                    due = (*due, value) if may_raise(value) else due
                case ast.If(test=test, body=body, orelse=orelse):
                    return self._fork(test, [*body, *rest], [*orelse, *rest], variables, due)
                case ast.Return(value=ast.IfExp(test=test, body=one, orelse=other)):
                    returns = [ast.Return(one)], [ast.Return(other)]
                    return self._fork(test, *returns, variables, due)
                case ast.Return(value=returned):
                    return self._end(returned, variables, due)
                case _:
                    raise NotTranslatable
        return self._end(None, variables, due)

    def _fork(
        self,
        test: ast.expr,
        then: Sequence[ast.stmt],
        other: Sequence[ast.stmt],
        variables: Variables,
        due: Due,
    ) -> Fork:
        self._terms.variables = variables
        condition = with_due(due, self._terms.truth(test))
        return Fork(
            condition, self.through(then, variables, ()), self.through(other, variables, ())
        )

    def _end(self, returned: ast.expr | None, variables: Variables, due: Due) -> End:
        self._left -= 1
        if self._left < 0:
            raise NotTranslatable
        is_none = isinstance(returned, ast.Constant) and returned.value is None
        return End(None if is_none else returned, variables, due)
