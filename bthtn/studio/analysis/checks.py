"""Checks of a domain: one function per diagnostic code, ``CHECKS`` is the registry."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, Final

from bthtn.engine.domain.choice import Key
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.effect import Effect
from bthtn.engine.domain.function import Computed, FunctionEffect
from bthtn.engine.domain.method import PlainBody
from bthtn.engine.domain.network import DeferNetwork, NullNetwork, calls_in, networks_in
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.domain.turns import TurnBody
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import (
    Condition,
    Constant,
    Expression,
    PartlyKnown,
    always_holds,
    conjuncts,
    leaves_of,
)
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.truth import Truth
from bthtn.errors import Diagnostic, Severity, nearest
from bthtn.studio.analysis.endings import endless
from bthtn.studio.analysis.retriggering import retriggering

Check = Callable[[FrozenDomain], Iterator[Diagnostic]]


def findings(domain: FrozenDomain, used: Collection[str] = ()) -> tuple[Diagnostic, ...]:
    """The diagnostics of all checks, errors first, then by place.

    Tasks and fluents with a name in ``used`` are used by something beside the domain.
    """
    checks: dict[str, Check] = {
        **CHECKS,
        "BT153": partial(unused_primitive, used=used),
        "BT154": partial(unused_fluent, used=used),
    }
    found = [diagnostic for check in checks.values() for diagnostic in check(domain)]
    return tuple(sorted(found, key=lambda diagnostic: diagnostic.order))


def never_ends(domain: FrozenDomain) -> Iterator[Diagnostic]:
    """Compound tasks that always lead back to themselves; one warning for each cycle."""
    names = {task.name: len(domain.methods[task]) for task in endless(domain)}
    if not names:
        return
    # Few domains have one, and to import networkx takes as long as all other checks.
    import networkx as nx  # noqa: PLC0415

    from bthtn.studio.analysis.graph import restricted, task_graph  # noqa: PLC0415

    methods = {(name, index) for name, count in names.items() for index in range(count)}
    graph = restricted(task_graph(domain), {*names, *methods})
    for circle in nx.strongly_connected_components(graph):
        if len(circle) == 1:
            continue
        inside = restricted(graph, circle)
        first = next(name for name in names if name in circle)
        rounds = [nx.shortest_path(inside, start, first) for start in inside.successors(first)]
        tasks = [first, *(node for node in min(rounds, key=len) if isinstance(node, str))]
        round_trip = f"it always leads back to itself ({' → '.join(tasks)})"
        message = f"'{first}' can never be planned to an end: {round_trip}"
        hint = f"give it a method that ends, or write defer({first}(…)) where it is to go on"
        yield _warning("BT151", message, f"compound '{first}'", hint)


def always_behind(domain: FrozenDomain) -> Iterator[Diagnostic]:
    """Methods after a method that always applies and does nothing.

    Methods after any other one are no mistake: that one may turn out to be impossible, and then
    they are tried.
    """
    for task, methods in domain.methods.items():
        if task.choice is not None:  # its methods are not tried in a fixed order
            continue
        idle = [
            index
            for index, method in enumerate(methods)
            if always_holds(method.condition) and isinstance(method.body, NullNetwork)
        ]
        if idle and idle[0] < len(methods) - 1:
            yield _warning(
                "BT152",
                f"method {idle[0]} of '{task.name}' always applies and does nothing: methods"
                " behind it are only tried when what follows cannot be planned otherwise",
                f"compound '{task.name}', method {idle[0]}",
                "put the method that does nothing last, or give it a condition",
            )


def unused_primitive(domain: FrozenDomain, used: Collection[str] = ()) -> Iterator[Diagnostic]:
    """Primitive tasks that no method calls; none if there are plain methods, which may call any."""
    bodies = [method.body for methods in domain.methods.values() for method in methods]
    # A turn of `unordered` has only bodies of other methods.
    plain = [body for body in bodies if isinstance(body, PlainBody) and type(body) is not TurnBody]
    if plain or not bodies:
        return
    written = (body for body in bodies if not isinstance(body, PlainBody))
    called = {call.task.name for body in written for call in calls_in(body)}
    for name, task in domain.tasks.items():
        is_used = name in used or name in called
        if isinstance(task, PrimitiveTask) and not is_used:
            hint = "remove it, unless it is a goal of its own"
            yield _warning("BT153", f"no method uses '{name}'", f"primitive '{name}'", hint)


def unused_fluent(domain: FrozenDomain, used: Collection[str] = ()) -> Iterator[Diagnostic]:
    """Fluents that nothing in the domain mentions; none if there are plain functions."""
    texts: list[str] = []
    for part in _parts(domain):
        if isinstance(part, Computed | FunctionEffect | PlainBody) or callable(part):
            return
        texts.append(part.text())
    mentioned = {*re.findall(r"\w+", " ".join(texts)), *used}
    schema = domain.schema
    for name in [*schema.fluents, *schema.families]:
        if name not in mentioned:
            message = f"no condition, effect or argument mentions '{name}'"
            hint = "remove it, unless sensors or a behaviour tree use it"
            yield _warning("BT154", message, f"fluent '{name}' of {schema.name}", hint)


def in_its_own_way(domain: FrozenDomain) -> Iterator[Diagnostic]:
    """Methods that make a later method's condition true, but prevent it from being chosen."""
    for found in retriggering(domain):
        yield _warning(
            "BT155",
            f"method {found.later} of '{found.task}' waits for '{found.fluent}', which only method"
            f" {found.method} brings about; that still applies then, and is chosen again",
            f"compound '{found.task}', method {found.method}",
            f"let '{found.fluent}' end the condition of method {found.method}, or put method"
            f" {found.later} before it",
        )


def ends_itself(domain: FrozenDomain) -> Iterator[Diagnostic]:
    """Primitive tasks with an effect that makes their own ``during`` condition false."""
    for task in domain.tasks.values():
        if not isinstance(task, PrimitiveTask):
            continue
        for effect in (*task.on_start, *task.effects, *task.expected, *task.actual):
            match effect:
                case Assignment(target=Fluent() as fluent, value=Constant(value=value)) if (
                    not effect.grows and _is_false(task.during, {fluent: value})
                ):
                    message = f"'{effect}' ends '{task.during}', which has to hold while it runs"
                    hint = "make it the precondition, which is not asked of what the step writes"
                    yield _warning("BT156", message, f"primitive '{task.name}'", hint)


def unwatched(domain: FrozenDomain) -> Iterator[Diagnostic]:
    """Parts of preconditions that are not watched, although no effect of the step makes them false.

    Where an effect may end a part, `during` would not do either: its success may be seen early.
    """
    for task in domain.tasks.values():
        if not isinstance(task, PrimitiveTask):
            continue
        said = {part.text() for part in conjuncts(task.during)}
        for part in conjuncts(task.watched):
            own = {leaf for leaf in map(str, leaves_of(part)) if leaf in _own_texts(task)}
            if own and part.text() not in said and _stays_true(part, task):
                yield _warning(
                    "BT157",
                    f"'{part}' is not watched while the step runs: it writes '{min(own)}' itself",
                    f"primitive '{task.name}'",
                    "write it as during=, too, if others may end it; else as at_start(…)",
                )


def value_of_no_action(
    domain: FrozenDomain, values: str, actions: Collection[str]
) -> Iterator[Diagnostic]:
    """Members of the family ``values``, which a lottery writes, whose index is no action."""
    for task, methods in domain.methods.items():
        for index, method in enumerate(methods):
            for leaf in chain(leaves_of(method.condition), leaves_of(method.value)):
                if not isinstance(leaf, Fluent) or leaf.name != values:
                    continue
                if leaf.index not in actions:
                    message = f"'{leaf}' is the value of an action that there is not"
                    where = f"compound '{task.name}', method {index}"
                    yield _warning("BT425", message, where, nearest(str(leaf.index), actions))


CHECKS: Final[Mapping[str, Check]] = {
    "BT151": never_ends,
    "BT152": always_behind,
    "BT153": unused_primitive,
    "BT154": unused_fluent,
    "BT155": in_its_own_way,
    "BT156": ends_itself,
    "BT157": unwatched,
}


def _own_texts(task: PrimitiveTask[...]) -> set[str]:
    """The fluents that effects of the task write, as far as they are data."""
    return {str(effect.target) for effect in task.all_effects if isinstance(effect, Assignment)}


def _stays_true(part: Condition, task: PrimitiveTask[...]) -> bool:
    """Whether no effect that may be seen while the step runs can make the part false."""
    for effect in (*task.on_start, *task.effects, *task.expected, *task.actual):
        match effect:
            case Assignment(target=Fluent() as fluent, value=Constant(value=value), grows=False):
                if _truth(part, {fluent: value}) in (False, None):
                    return False
            case Assignment(target=target):
                if any(str(target) == str(leaf) for leaf in leaves_of(part)):
                    return False
            case _:  # a function
                return False
    return True


def _is_false(condition: Condition, values: Mapping[Any, Any]) -> bool:
    """Whether a condition is false wherever these fluents have these values."""
    return _truth(condition, values) is False


def _truth(condition: Condition, values: Mapping[Any, Any]) -> Truth | None:
    """What a condition is wherever these fluents have these values; None if nobody can say."""
    try:
        return condition.evaluate(PartlyKnown(values))
    except Exception:  # noqa: BLE001 - a plain function, or an argument that is not known
        return None


def _warning(code: str, message: str, where: str, hint: str) -> Diagnostic:
    return Diagnostic(code, message, where, hint, Severity.WARNING)


def _parts(domain: FrozenDomain) -> Iterator[Expression[Any] | Effect | PlainBody | Key]:
    """All expressions, effects and functions of the domain."""
    for task in domain.methods:
        if task.choice is not None:
            yield from task.choice.asks
    for primitive in domain.tasks.values():
        if isinstance(primitive, PrimitiveTask):
            yield from (primitive.precondition, primitive.exec_only, primitive.during)
            yield from (primitive.duration, primitive.cost)
            yield from primitive.all_effects
    for methods in domain.methods.values():
        for method in methods:
            if isinstance(method.body, TurnBody):
                continue  # which has only what the other methods have
            yield from (method.condition, method.cost, method.value)
            if isinstance(method.body, PlainBody):
                yield method.body
                continue
            deferred = (
                inner for inner in networks_in(method.body) if isinstance(inner, DeferNetwork)
            )
            yield from chain.from_iterable(network.ensures for network in deferred)
            yield from chain.from_iterable(call.args for call in calls_in(method.body))
