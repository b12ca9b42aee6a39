"""What the plans of a totally ordered problem are: every decomposition, most preferred first.

Written from docs/semantics.md alone, on the data of ``model``. ``Search.outcomes`` enumerates the
decompositions of a network; ``greedy`` plans in parts, as an agent does in a world that stands
still: plan, carry out, plan what was suspended, and so on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.independent.model import (
    VOLATILE,
    Compound,
    Method,
    Network,
    Primitive,
    Problem,
    State,
    effects_in,
    mentions,
    value,
)

Step = tuple[str, tuple[Any, ...]]
DEEPEST = 60


class TooMuch(Exception):  # noqa: N818 - not an error: the problem is passed over
    """The problem has too many decompositions for brute force."""


@dataclass(frozen=True)
class Begun:
    """The rest of a construct, a part of which was chosen: ``at`` says how far it is."""

    network: Network | Method
    at: Any


Part = Network | Begun


@dataclass(frozen=True)
class Frame:
    """Networks whose planning was suspended, with the parameters that they are planned with."""

    parts: tuple[Part, ...]
    given: tuple[Any, ...]


@dataclass(frozen=True)
class Moment:
    """A state on a path, behind so many steps, which take so long."""

    state: State
    steps: int = 0
    time: int = 0


@dataclass(frozen=True)
class Outcome:
    """A decomposition. ``rest`` is what was suspended, the innermost first; None for nothing."""

    steps: tuple[Step, ...]
    at: Moment
    record: tuple[int, ...] = ()
    rest: tuple[Frame, ...] | None = None


@dataclass(frozen=True)
class Place:
    """Where a network stands: parameters, the moment, and the open calls."""

    given: tuple[Any, ...]
    at: Moment
    above: tuple[Any, ...] = ()


class Search:
    """All decompositions in a problem; raises TooMuch after ``most`` calls."""

    def __init__(
        self,
        problem: Problem,
        *,
        horizon: int | None = None,
        horizon_time: int | None = None,
        suspends: bool = True,
        most: int = 2_000,
    ) -> None:
        self.problem = problem
        self.horizon = horizon if suspends else None
        self.horizon_time = horizon_time if suspends else None
        self.suspends = suspends
        self.left = most

    def outcomes(self, part: Part, place: Place) -> Iterator[Outcome]:
        """The decompositions of a network."""
        self.left -= 1
        if self.left < 0 or len(place.above) > DEEPEST:
            raise TooMuch
        if isinstance(part, Begun):
            yield from self._begun(part, place)
            return
        match part.kind:
            case "call":
                yield from self._call(part, place)
            case "sequence":
                yield from self._sequence(_flat(part), 0, place)
            case "pause":
                yield Outcome((), place.at, rest=() if self.suspends else None)
            case "defer" if self.suspends:
                yield _suspended(part.parts[0], place)
            case "defer":
                yield from self._call(part.parts[0], place)
            case "repeat":
                assert part.times is not None
                copies = part.parts * part.times.number
                yield from self._sequence(_flat(Network("sequence", copies)), 0, place)
            case "repeat_computed":
                times = self._value(part.times, place)
                if times is None:
                    yield _suspended(part, place)
                else:
                    yield from self.outcomes(Begun(part, times), place)
            case "any_order" | "partial_order":
                yield from self.outcomes(Begun(part, frozenset()), place)
            case _:
                yield from self.outcomes(Begun(part, None), place)

    def _begun(self, begun: Begun, place: Place) -> Iterator[Outcome]:
        """A task without a name, which a construct stands for."""
        network, at = begun.network, begun.at
        if isinstance(network, Method):
            yield from self._values(begun, network, place)
            return
        inside = self._entered((begun, place.given), place)
        if inside is None:
            return
        ways = self._ways(network, at, inside)
        if ways is None:
            yield _suspended(begun, place)
            return
        for index, way in ways:
            for one in self._sequence(_flat(Network("sequence", way)), 0, inside):  # type: ignore[arg-type]  # data of a problem, checked by its kind
                yield Outcome(one.steps, one.at, (index, *one.record), one.rest)

    def _ways(
        self, network: Network, at: Any, place: Place
    ) -> list[tuple[int, tuple[Part, ...]]] | None:
        """What may come next of a construct, with its number; None if that is unknown."""
        parts = network.parts
        match network.kind:
            case "first_of" | "random_of":
                return [(index, (one,)) for index, one in enumerate(parts)]
            case "optional":
                return [(0, parts), (1, ())]
            case "repeat_computed":
                return [(0, (*parts, Begun(network, at - 1)))] if at > 0 else [(1, ())]
            case "any_order" | "partial_order":
                due = [n for n in range(len(parts)) if n not in at and _is_due(network, n, at)]
                ways = [(index, (parts[index], Begun(network, at | {index}))) for index in due]
                return [*ways, (len(parts), ())] if len(at) == len(parts) else [*ways]
            case "timeout" | "retry" | "cooldown":
                return [(0, parts)]
            case "until":
                truth = self._value(network.times, place)
                again = [(0, ())] if truth else [(1, (*parts, Begun(network, None)))]
                return None if truth is None else [*again]
            case "cleanup" if at == "finally":
                return [(0, (parts[1],))]
            case "cleanup":
                return [(0, (parts[0], Begun(network, "finally")))]
        raise AssertionError(network.kind)

    def _values(self, begun: Begun, method: Method, place: Place) -> Iterator[Outcome]:
        inside = self._entered((begun, place.given), place)
        if inside is None:
            return
        for index, chosen in enumerate(method.values):
            way = Place((*place.given, chosen), inside.at, inside.above)
            if mentions(method.when, len(place.given)):
                truth = self._value(method.when, way)
                if truth is None:
                    yield _suspended(begun, place)
                    return
                if not truth:
                    continue
            for one in self.outcomes(method.body, way):
                yield Outcome(one.steps, one.at, (index, *one.record), one.rest)

    def _call(self, call: Network, place: Place) -> Iterator[Outcome]:
        args = tuple(self._value(term, place) for term in call.args)
        if None in args:
            yield _suspended(call, place)
        elif call.task in self.problem.primitives:
            yield from self._primitive(self.problem.primitives[call.task], args, call, place)
        else:
            yield from self._compound(self.problem.compounds[call.task], args, call, place)

    def _primitive(
        self, task: Primitive, args: tuple[Any, ...], call: Network, place: Place
    ) -> Iterator[Outcome]:
        at = Place(args, place.at)
        possible = True if task.precondition is None else self._value(task.precondition, at)
        if possible is False:
            return
        written = effects_in(task, self._known(place.at), args)
        if written is None or possible is None:
            yield _suspended(call, place)
            return
        at = place.at
        after = Moment({**at.state, **written}, at.steps + 1, at.time + task.duration)
        yield Outcome(((task.name, args),), after)

    def _compound(
        self, task: Compound, args: tuple[Any, ...], call: Network, place: Place
    ) -> Iterator[Outcome]:
        inside = self._entered((task.name, args), place)
        if inside is None:
            return
        inside = Place(args, inside.at, inside.above)
        for index, method in enumerate(task.methods):
            is_later = bool(method.values) and mentions(method.when, len(args))
            if method.when is not None and not is_later:
                truth = self._value(method.when, inside)
                if truth is None:
                    yield _suspended(call, place)
                    return
                if not truth:
                    continue
            body = Begun(method, None) if method.values else method.body
            for one in self.outcomes(body, inside):
                yield Outcome(one.steps, one.at, (index, *one.record), one.rest)

    def _sequence(self, parts: tuple[Part, ...], index: int, place: Place) -> Iterator[Outcome]:
        if index == len(parts):
            yield Outcome((), place.at)
            return
        far = self.horizon is not None and place.at.steps >= self.horizon
        long = self.horizon_time is not None and place.at.time >= self.horizon_time
        if index and (far or long):
            yield Outcome((), place.at, rest=(Frame(parts[index:], place.given),))
            return
        for first in self.outcomes(parts[index], place):
            if first.rest is not None:
                behind = parts[index + 1 :]
                frames = (Frame(behind, place.given),) if behind else ()
                yield Outcome(first.steps, first.at, first.record, first.rest + frames)
                continue
            for last in self._sequence(parts, index + 1, Place(place.given, first.at, place.above)):
                steps, record = first.steps + last.steps, first.record + last.record
                yield Outcome(steps, last.at, record, last.rest)

    def _entered(self, what: Any, place: Place) -> Place | None:
        """The place inside a call; None where it is open already in an equal state."""
        mark = (what, place.at.state, place.at.steps == 0)
        if mark in place.above:
            return None
        return Place(place.given, place.at, (*place.above, mark))

    def _known(self, at: Moment) -> State:
        """What planning may rely on: nothing volatile behind the first step."""
        return at.state if at.steps == 0 else {**at.state, (VOLATILE, None): None}

    def _value(self, term: Any, place: Place) -> Any:
        known = self._known(place.at)
        return value(term, lambda name, index: known.get((name, index), False), place.given)


def greedy(
    problem: Problem, state: State, *, horizon: int | None = None, suspends: bool = True
) -> tuple[tuple[Step, ...], State] | None:
    """The steps and the end of planning in parts while nothing else changes; None if it fails."""
    pending = [Frame((problem.goal,), ())]
    steps: tuple[Step, ...] = ()
    first = True
    for _ in range(100):
        if not pending:
            return steps, state
        frame = pending.pop(0)
        search = Search(problem, horizon=horizon, suspends=suspends)
        network = Network("sequence", frame.parts)  # type: ignore[arg-type]  # data of a problem, checked by its kind
        found = next(search.outcomes(network, Place(frame.given, Moment(state))), None)
        if found is None:
            return None
        if found.rest and not found.steps and found.rest[0] == frame and not first:
            return None
        first = False
        steps, state = steps + found.steps, found.at.state
        pending[:0] = found.rest or ()
    raise TooMuch


def _suspended(part: Part, place: Place) -> Outcome:
    return Outcome((), place.at, rest=(Frame((part,), place.given),))


def _is_due(network: Network, index: int, done: frozenset[int]) -> bool:
    """In a partial order the last part comes behind the first; all else is free."""
    return network.kind == "any_order" or index < len(network.parts) - 1 or 0 in done


def _flat(sequence: Network) -> tuple[Part, ...]:
    """The parts, those of nested sequences among them."""
    flat: list[Part] = []
    for part in sequence.parts:
        if isinstance(part, Network) and part.kind == "sequence":
            flat.extend(_flat(part))
        elif isinstance(part, Network) and part.kind == "repeat":
            assert part.times is not None
            copies = part.parts * part.times.number
            flat.extend(_flat(Network("sequence", copies)))
        else:
            flat.append(part)
    return tuple(flat)
