"""A problem of ``model`` as a domain and a goal of bthtn, through its public names alone."""

from collections.abc import Callable, Iterable
from typing import Any

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    State,
    any_order,
    cooldown,
    defer,
    first_of,
    fluent,
    fluents,
    method,
    one_of,
    optional,
    parallel,
    partial_order,
    pause,
    primitive,
    priority,
    random_of,
    repeat,
    retry,
    sequence,
    timeout,
    until,
    with_cleanup,
)
from tests.independent import model


class World(State):
    """The fluents of ``model``."""

    a: Fluent[bool] = fluent(default=False)
    b: Fluent[bool] = fluent(default=False)
    c: Fluent[bool] = fluent(default=False)
    n: Fluent[int] = fluent(default=0)
    m: Fluent[int] = fluent(default=0)
    place: Fluent[int] = fluent(default=0)
    seen: Fluent[bool] = fluent(default=False, volatile=True)
    lamp: FluentFamily[int, bool] = fluents(default=False, index=int)


def fluent_of(key: model.Key) -> Any:
    """The fluent with this key."""
    name, index = key
    return getattr(World, name) if index is None else getattr(World, name)[index]


def world_of(state: model.State) -> World:
    """The state as bthtn has it."""
    plain = {name: _told(found) for (name, index), found in state.items() if index is None}
    lamps = {index: _told(found) for (_, index), found in state.items() if index is not None}
    return World(**plain, lamp=lamps)


def reader(beliefs: Any) -> Callable[[str, Any], Any]:
    """Reads beliefs, or a state, as ``model`` does."""

    def read(name: str, index: Any) -> Any:
        found = beliefs.get(fluent_of((name, index)))
        return None if found is UNKNOWN else found

    return read


def state_of(beliefs: Any, keys: Iterable[model.Key] = model.FLUENTS) -> dict[model.Key, Any]:
    """The state as ``model`` has it."""
    read = reader(beliefs)
    return {key: read(*key) for key in keys}


class Built:
    """The domain and the goal of a problem, and its primitive tasks by name."""

    def __init__(self, problem: model.Problem, name: str = "drawn") -> None:
        self.problem = problem
        self.domain = Domain(name, World)
        self.tasks: dict[str, Any] = {}
        for one in problem.primitives.values():
            self._add(self.domain.primitive, one, self._described)
        for compound in problem.compounds.values():
            self._add(self.domain.compound, compound, self._methods)
        self.goal = self._network(problem.goal, ())

    def _add(self, define: Any, one: Any, described: Any) -> None:
        def no_parameter():
            return described(one, ())

        def one_parameter(x: int):
            return described(one, (x,))

        function = (no_parameter, one_parameter)[one.parameters]
        function.__name__ = one.name
        self.tasks[one.name] = define(function)

    def _described(self, one: model.Primitive, given: tuple) -> Any:
        before, only = one.precondition, one.exec_only
        return primitive(
            precondition=None if before is None else self._term(before, given),
            exec_only=None if only is None else self._term(only, given),
            during=None if one.during is None else self._term(one.during, given),
            effects=[self._effect(effect, given) for effect in one.effects],
            expected=[self._effect(effect, given) for effect in one.expected],
            uses=one.uses,
            duration=one.duration,
            cost=one.cost,
            uninterruptible=one.uninterruptible,
        )

    def _effect(self, effect: model.Effect, given: tuple) -> Any:
        changed = getattr(World, effect.name)
        if effect.index is not None:
            changed = changed[self._term(effect.index, given)]
        term = self._term(effect.term, given)
        return changed.increases(term) if effect.increases else changed.becomes(term)

    def _methods(self, compound: model.Compound, given: tuple) -> Any:
        for one in compound.methods:
            inside = (*given, one_of(one.values)) if one.values else given
            body = self._network(one.body, inside)
            if one.when is None:
                yield method(body)
            else:
                yield method(body, when=self._term(one.when, inside))

    def _term(self, term: model.Term, given: tuple) -> Any:
        if term.op == "opaque":
            return _opaque(term)
        parts = [self._term(part, given) for part in term.parts]
        match term.op:
            case "constant":
                return term.number
            case "parameter":
                return given[term.number]
            case "get":
                found = getattr(World, term.name)
                return found[parts[0]] if parts else found
            case "not":
                return ~parts[0]
            case "and":
                return parts[0] & parts[1]
            case "or":
                return parts[0] | parts[1]
            case "plus":
                return parts[0] + parts[1]
            case "equal":
                return parts[0] == parts[1]
            case "less":
                return parts[0] < parts[1]
        raise AssertionError(term.op)

    def _network(self, network: model.Network, given: tuple) -> Any:
        parts = [self._network(part, given) for part in network.parts]
        match network.kind:
            case "call":
                args = [self._term(term, given) for term in network.args]
                return self.tasks[network.task](*args)
            case "repeat" | "repeat_computed":
                assert network.times is not None
                return repeat(self._term(network.times, given), *parts)
            case "partial_order":
                names = [f"part{number}" for number in range(len(parts))]
                order = f"{names[0]} < {names[-1]}"
                return partial_order(order, **dict(zip(names, parts, strict=True)))
            case "random_of":
                return random_of(*((2 + number, part) for number, part in enumerate(parts)))
            case "defer":
                ensured = tuple(self._effect(effect, given) for effect in network.ensures)
                return defer(*parts, ensures=ensured) if ensured else defer(*parts)
            case "parallel":
                return parallel(*parts, policy=network.option)  # type: ignore[arg-type]  # data of a problem, checked by its kind
            case "priority":
                return priority(*parts, reactive=network.option == "any")
            case "until":
                return until(self._term(network.times, given), *parts)  # type: ignore[arg-type]  # it has a condition
            case "timeout" | "retry" | "cooldown":
                decorate = {"timeout": timeout, "retry": retry, "cooldown": cooldown}
                return decorate[network.kind](2 + len(parts), *parts)
            case "cleanup":
                return with_cleanup(parts[0], finally_=parts[1])
        plain = {
            "sequence": sequence,
            "first_of": first_of,
            "optional": optional,
            "any_order": any_order,
            "pause": pause,
        }
        return plain[network.kind](*parts)


def _opaque(term: model.Term) -> Any:
    def asked(state: Any) -> bool:
        def read(name: str, index: Any) -> Any:
            found = getattr(state, name)
            return found if index is None else found[index]

        return model.value(term.parts[0], read, (), strict=True)

    return asked


def _told(found: Any) -> Any:
    return UNKNOWN if found is None else found
