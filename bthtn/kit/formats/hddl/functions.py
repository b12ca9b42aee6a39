"""Which functions of a problem something reads, and which of these change.

What nothing reads is not planned with: mostly it is the cost of plans, where none is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from bthtn.kit.formats.hddl.syntax import (
    And,
    Atom,
    Calculation,
    Change,
    Compared,
    Condition,
    DomainFile,
    Exists,
    ForAll,
    Increase,
    Not,
    Or,
    ProblemFile,
    Value,
)


class Functions:
    """The functions of one problem. ``minimizes`` is the one that is the cost of plans, or ""."""

    def __init__(self, domain: DomainFile, problem: ProblemFile) -> None:
        self.minimizes = problem.minimizes if problem.minimizes in domain.functions else ""
        effects = [each for action in domain.actions.values() for each in action.effects]
        asked = [action.condition for action in domain.actions.values()]
        asked += [each.condition for each in effects] + [problem.goal]
        asked += [each for m in domain.methods for each in (m.condition, m.network.constraints)]
        asked += [problem.network.constraints] if problem.network else []
        compared = [
            [*_functions_in(each.left), *_functions_in(each.right)]
            for condition in asked
            for each in _comparisons_in(condition)
        ]
        changes = [each for each in effects if not isinstance(each, Change)]
        given = [
            list(_functions_in(each.amount if isinstance(each, Increase) else each.value))
            for each in changes
        ]
        read = frozenset(name for names in (*compared, *given) for name in names)
        self.changing = read.intersection(each.target.name for each in changes)
        """Functions that something reads and some action changes."""
        self.are_compared = any(
            len(names) > 1 and not self.changing.isdisjoint(names) for names in compared
        )
        """Whether a condition compares two functions, one of which some action changes."""


def _functions_in(value: Value) -> Iterator[str]:
    """The functions that a value is computed from."""
    if isinstance(value, Atom):
        yield value.name
    elif isinstance(value, Calculation):
        yield from (*_functions_in(value.left), *_functions_in(value.right))


def _comparisons_in(condition: Condition) -> Iterator[Compared]:
    match condition:
        case Compared():
            yield condition
        case Not(part) | ForAll(_, part) | Exists(_, part):
            yield from _comparisons_in(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _comparisons_in(part)
