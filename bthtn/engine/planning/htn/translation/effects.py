"""Functions that are effects, as data."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from bthtn.engine.planning.htn.translation.paths import undue
from bthtn.engine.planning.htn.translation.terms import ARITHMETIC, Terms, may_raise
from bthtn.engine.planning.htn.translation.written import Definition, NotTranslatable
from bthtn.engine.world.assignment import Assignment, FluentReference
from bthtn.engine.world.expression import Arithmetic, Constant, Expression
from bthtn.engine.world.fluent import Fluent, MemberOf


def assignments(definition: Definition, terms: Terms) -> tuple[Assignment, ...]:
    """The assignments of a function, made all at once. Raises NotTranslatable.

    They are the same as one after the other as long as nothing is written twice. Where two
    members of one family might be the same, whoever applies the effects has to look.
    """
    if isinstance(definition, ast.Lambda):
        raise NotTranslatable
    walk = _EffectReader(terms)
    for place, statement in enumerate(definition.body):
        if isinstance(statement, ast.Return) and place == len(definition.body) - 1:
            if not (statement.value is None or _is_none(statement.value)):
                raise NotTranslatable
        else:
            walk.take(statement)
    evaluated = [part for effect in walk.made for part in _parts(effect)]
    if undue(tuple(walk.due), evaluated):
        raise NotTranslatable
    return tuple(walk.made)


class _EffectReader:
    """Takes the statements of one function: ``made`` are its assignments so far."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self.made: list[Assignment] = []
        self.due: list[Expression[object]] = []

    def take(self, statement: ast.stmt) -> None:
        """Take the next statement. Raises NotTranslatable for one that only a call can do."""
        terms = self._terms
        match statement:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=node):
                value = terms.value(node)
                terms.variables = {**terms.variables, name: value}
                if may_raise(value):
                    self.due.append(value)
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=node):
                self._write(target, terms.value(node))
            case ast.AugAssign(
                target=ast.Attribute() | ast.Subscript() as target, op=op, value=node
            ) if type(op) in ARITHMETIC:
                before = terms.value(target)
                self._write(target, Arithmetic(ARITHMETIC[type(op)], before, terms.value(node)))
            case _:
                raise NotTranslatable

    def _write(self, node: ast.Attribute | ast.Subscript, value: Expression[object]) -> None:
        terms = self._terms
        target: FluentReference[object]
        if isinstance(node, ast.Subscript):
            family = terms.declared(node.value)
            target = terms.member(family, terms.value(node.slice))
            terms.families_written.add(family)
        else:
            target = terms.declared(node)
            if not isinstance(target, Fluent) or target in terms.written:
                raise NotTranslatable
            terms.written[target] = value
        if isinstance(value, Constant) and not target.accepts(value.value):
            raise NotTranslatable
        self.made.append(Assignment(target, value))


def _parts(effect: Assignment) -> Sequence[Expression[object]]:
    """The expressions that are evaluated when an assignment is made."""
    index = [effect.target.index] if isinstance(effect.target, MemberOf) else []
    return [effect.value, *index]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
