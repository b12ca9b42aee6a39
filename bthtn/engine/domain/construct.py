"""Choices and orders inside a network, as authors write them.

    network ::= … | first_of(network, …) | optional(network) | repeat(times, network)
              | until(condition, network, …)
              | any_order(network, …) | partial_order("a < b", …, a=network, …)
              | unordered(network, …)
              | random_of((weight, network), …) | with_cleanup(network, …, finally_=network)

All of them are decided while planning, and the search backtracks over them. The objects here only
hold the author's request; ``lowering`` turns them into tasks and methods.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from math import isfinite
from typing import Any, Final, cast

from bthtn.checked import checked
from bthtn.engine.domain.condition import ConditionLike
from bthtn.engine.domain.function import function_text
from bthtn.engine.domain.network import (
    NULL,
    Construct,
    Network,
    NetworkLike,
    listed_text,
    network_from,
    network_text,
    sequence,
    some_parts,
)
from bthtn.engine.world.expression import Binding, Constant, Expression, as_expression
from bthtn.errors import Diagnostic, DomainError, nearest
from bthtn.records import record

Amount = float | Expression[Any] | Callable[[Any], float]
"""Everything that users may write as a weight: a number, expression, or function of the state."""
Times = int | Expression[int] | Callable[[Any], int]
"""Everything that users may write as a number of times."""
Written = Expression[Any] | Callable[[Any], Any]

_NAME: Final = re.compile(r"\w+")
_PAIR: Final = 2

WITH_CLEANUP: Final = "with_cleanup"
"""The origin of a task that has a body and, as its last part, a cleanup."""
FINALLY: Final = "finally"
"""The origin of that last part."""


@record(eq=False)
class FirstOf(Construct):
    """The first part that can be planned; the others are tried in order when it cannot."""

    parts: tuple[Network, ...]
    word: str = "first_of"

    def text(self, binding: Binding | None = None) -> str:
        shown = self.parts[:1] if self.word == "optional" else self.parts
        return f"{self.word}({listed_text(shown, binding)})"


@record(eq=False)
class Repetition(Construct):
    """The part repeated; ``times`` is evaluated once, when the search reaches the construct."""

    times: Written
    parts: tuple[Network, ...]
    word: str = "repeat"

    def text(self, binding: Binding | None = None) -> str:
        return f"repeat({_written(self.times, binding)}, {network_text(self.parts[0], binding)})"


@record(eq=False)
class Until(Construct):
    """The part again and again, as long as the condition is false."""

    condition: ConditionLike
    parts: tuple[Network, ...]
    word: str = "until"

    def text(self, binding: Binding | None = None) -> str:
        part = network_text(self.parts[0], binding)
        return f"{self.word}({_written(self.condition, binding)}, {part})"


@record(eq=False)
class AnyOrder(Construct):
    """All parts, each as a block, in an order that can be planned.

    ``before`` holds pairs of positions, the first of which has to be done before the second.
    """

    parts: tuple[Network, ...]
    names: tuple[str, ...] = ()
    before: tuple[tuple[int, int], ...] = ()
    word: str = "any_order"

    def text(self, binding: Binding | None = None) -> str:
        if not self.names:
            return Construct.text(self, binding)
        shown = [
            repr(f"{self.names[first]} < {self.names[second]}") for first, second in self.before
        ]
        shown += [
            f"{name}={network_text(part, binding)}"
            for name, part in zip(self.names, self.parts, strict=True)
        ]
        return f"{self.word}({', '.join(shown)})"


@record(eq=False)
class Unordered(Construct):
    """All parts, planned in turns: a step of one may come between two steps of another."""

    parts: tuple[Network, ...]
    word: str = "unordered"


@record(eq=False)
class RandomOf(Construct):
    """The parts in an order drawn by weight: the first of them that can be planned."""

    weights: tuple[Written, ...]
    parts: tuple[Network, ...]
    by: tuple[Written, ...] = ()
    word: str = "random_of"

    def text(self, binding: Binding | None = None) -> str:
        pairs = zip(self.weights, self.parts, strict=True)
        shown = [
            f"({_written(weight, binding)}, {network_text(part, binding)})"
            for weight, part in pairs
        ]
        by = ", ".join(_written(expression, binding) for expression in self.by)
        return f"random_of({', '.join([*shown, *([f'by=({by})'] if by else [])])})"


@record(eq=False)
class WithCleanup(Construct):
    """The first part, then the second, which is also done if the first one fails or is aborted."""

    parts: tuple[Network, ...]
    word: str = WITH_CLEANUP

    def text(self, binding: Binding | None = None) -> str:
        body, cleanup = (network_text(part, binding) for part in self.parts)
        return f"{self.word}({body}, finally_={cleanup})"


def first_of(*parts: NetworkLike) -> Construct:
    """The first of the networks that can be planned; earlier ones are preferred."""
    return FirstOf(some_parts("first_of", parts))


def optional(*parts: NetworkLike) -> Construct:
    """The networks one after the other if they can be planned, else nothing."""
    return FirstOf((sequence(*some_parts("optional", parts)), NULL), "optional")


@checked
def repeat(times: Times, *parts: NetworkLike) -> Construct:
    """The networks in order, repeated; ``times`` is evaluated once, when planning reaches it.

    Zero and negative numbers mean that there is nothing to do. Raises DomainError for a number
    that is not whole.
    """
    if not _is_written(times) and (not isinstance(times, int) or isinstance(times, bool)):
        message = f"repeat cannot do something {times!r} times"
        raise DomainError("BT115", message, hint="write a whole number, or a fluent")
    body = sequence(*some_parts("repeat", parts))
    return Repetition(times if callable(times) else as_expression(times), (body,))


def until(condition: ConditionLike, *parts: NetworkLike) -> Construct:
    """The networks in order, again and again until the condition holds; nothing if it does.

    All cycles that the effects need are planned. With a ``pause`` at the end of the networks, each
    one but the first is planned when the one before is over.
    """
    return Until(condition, (sequence(*some_parts("until", parts)),))


def any_order(*parts: NetworkLike) -> Construct:
    """All networks, each as a block, in the first order that can be planned.

    Orders are tried lexicographically, beginning with the order as written.
    """
    return AnyOrder(some_parts("any_order", parts))


def partial_order(*constraints: str, **parts: NetworkLike) -> Construct:
    """All networks, each as a block, in the first order that satisfies the constraints.

        partial_order("walls < roof", "walls < wires", walls=…, roof=…, wires=…)

    ``"a < b < c"`` puts a before b and b before c. Raises DomainError for a name that no
    network has, a constraint that cannot be parsed, and constraints that form a cycle.
    """
    names = tuple(parts)
    networks = some_parts("partial_order", tuple(parts.values()))
    before = tuple(
        dict.fromkeys(pair for constraint in constraints for pair in _pairs(constraint, names))
    )
    circle = _circle(before, len(names))
    if circle:
        shown = " < ".join(names[position] for position in circle)
        message = f"nothing in this circle can come first: {shown}"
        hint = "leave out one of its constraints"
        raise DomainError("BT114", message, where="partial_order", hint=hint)
    return AnyOrder(networks, names, before, "partial_order")


def unordered(*parts: NetworkLike) -> Construct:
    """All networks, one after the other in any order, or else interleaved.

    Where no order of whole networks works, they take turns: each takes the first part of one
    network. A compound task is replaced by the body of one of its methods, anything else is
    planned as the next block. Turns are tried in the order of the networks.
    """
    return Unordered(some_parts("unordered", parts))


@checked
def random_of(
    *weighted: tuple[Amount, NetworkLike], by: Written | tuple[Written, ...] = ()
) -> Construct:
    """One of the networks, drawn by weight; the others, in drawn order, when it cannot be planned.

    The draw depends only on ``Settings.seed``, the place in the domain, the arguments there and
    the values of ``by``: expressions, or functions of the state. A drawn network is not preferred
    to the others: once it runs, it is not interrupted for one that another draw would give. If it
    fails, another one is drawn. Raises DomainError for a weight that is not above zero.
    """
    weights = tuple(map(_weight, weighted))
    parts = some_parts("random_of", tuple(part for _, part in weighted))
    varied = by if isinstance(by, tuple) else (by,)
    return RandomOf(
        weights,
        parts,
        tuple(
            expression if callable(expression) else as_expression(expression)
            for expression in varied
        ),
    )


@checked
def with_cleanup(*parts: NetworkLike, finally_: NetworkLike) -> Construct:
    """The networks in order, then ``finally_``, which is done also if they fail or are aborted.

    It is planned as a sequence. When the networks fail or are aborted after they have started,
    ``finally_`` is planned again from the beliefs at that time, and executed before the goal
    does anything else.
    """
    body = sequence(*some_parts("with_cleanup", parts))
    return WithCleanup((body, network_from(finally_)))


def _weight(pair: object) -> Written:
    if not isinstance(pair, tuple) or len(pair) != _PAIR:
        hint = "write random_of((3, a()), (1, b()))"
        message = f"{pair!r} is not a weight and a network"
        raise DomainError("BT115", message, where="random_of", hint=hint)
    written: Any = pair[0]
    if _is_written(written):
        return cast("Written", written)
    number = isinstance(written, int | float) and not isinstance(written, bool)
    if not number or not isfinite(written) or written <= 0:
        hint = "a weight is a number above zero; an expression may also come to zero"
        raise DomainError("BT115", f"{written!r} is not a weight", where="random_of", hint=hint)
    return Constant(written)


def _is_written(value: object) -> bool:
    return isinstance(value, Expression) or callable(value)


def _pairs(constraint: object, names: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """The pairs of neighbours in ``a < b < c``, as positions."""
    where = f"partial_order, {constraint!r}"
    words = constraint.split("<") if isinstance(constraint, str) else []
    chain = [word.strip() for word in words]
    if len(chain) < _PAIR or not all(map(_NAME.fullmatch, chain)):
        hint = 'write "walls < roof", or a chain: "walls < roof < paint"'
        raise DomainError("BT113", f"{constraint!r} is not an order", where, hint)
    DomainError.raise_for(
        Diagnostic("BT113", f"no part is called '{name}'", where, nearest(name, names))
        for name in chain
        if name not in names
    )
    places = [names.index(word) for word in chain]
    yield from pairwise(places)


def _circle(before: tuple[tuple[int, int], ...], count: int) -> list[int]:
    """Positions that form a cycle, the first one again at the end; empty if there is none."""
    order = {
        place: [first for first, second in before if second == place] for place in range(count)
    }
    try:
        TopologicalSorter(order).prepare()
    except CycleError as error:
        circle: list[int] = error.args[1]
        return circle
    return []


def _written(value: ConditionLike, binding: Binding | None) -> str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, Sequence):
        return " and ".join(_written(each, binding) for each in value)
    return value.text(binding) if isinstance(value, Expression) else function_text(value)
