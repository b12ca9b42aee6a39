"""Hypothesis strategies: random states, and random problems with every construct.

    @given(problems())
    def test_every_plan_can_be_carried_out(problem: PlanRequest) -> None: ...

Problems are layered so that most have a plan worth testing: compound tasks mostly call tasks
of lower layers, and methods often fail, some of them late, so that searches backtrack.
Recursion occurs, and always ends: by the recursion check or the limit of depth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, reduce
from operator import and_, itemgetter, or_
from types import MappingProxyType
from typing import Any, Final, TypeVar

from hypothesis import note
from hypothesis import strategies as st

from bthtn.engine.domain import construct, network
from bthtn.engine.domain.builder import Domain, Primitive
from bthtn.engine.domain.condition import ConditionLike
from bthtn.engine.domain.method import Methods, WrittenMethod, method
from bthtn.engine.domain.network import NetworkLike, ParallelPolicy, network_text
from bthtn.engine.domain.number import NumberLike
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.engine.domain.variable import one_of
from bthtn.engine.planning.protocol import PlanRequest, Settings, request
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.relation import Relation
from bthtn.engine.world.state import FrozenState, State
from bthtn.engine.world.truth import UNKNOWN
from bthtn.studio.testing.playground import (
    JOINED,
    MEMBERS,
    PROMISES,
    TIMES,
    VALUES,
    WEIGHTS,
    World,
    conditions,
    effects,
)

T = TypeVar("T")

_VALUES: Final[Mapping[type, tuple[Any, ...]]] = MappingProxyType(
    {bool: (False, True), int: (0, 1, 2), float: (0.0, 0.5, 1.0), str: MEMBERS}
)
_MOST_TUPLES: Final = 6
# A value that is listed several times is drawn more often.
_TWO_IN_FIVE: Final = (True, True, False, False, False)
_ONE_IN_FIVE: Final = (False,) * 4 + (True,)
_ONE_IN_EIGHT: Final = (False,) * 7 + (True,)
_LEAVES: Final = ("call",) * 12 + ("defer", "defer", "pause", "null")
_INNER: Final = ("call",) * 6 + ("sequence", "sequence", "parallel", "priority", "construct")
_BODIES: Final = (
    *("sequence",) * 6,
    *("call", "call", "parallel", "parallel", "priority", "priority", "empty"),
    *("construct",) * 3,
)
_CONSTRUCTS: Final = (
    *("first_of", "first_of", "optional", "repeat", "repeat"),
    *("any_order", "any_order", "partial_order", "random_of", "random_of"),
)
_CONSTRAINTS: Final = ((), ("b < a",), ("c < a",), ("a < b", "a < c"), ("c < b < a",))
_TIME: Final = World.ammo * World.ammo  # ammo may be below zero, which no duration is
_POLICIES: Final = (*[ParallelPolicy.ALL] * 3, ParallelPolicy.ANY, ParallelPolicy.PRIMARY)


def _choice(draw: st.DrawFn, among: tuple[T, ...]) -> T:
    # By position: the values may be expressions, whose == builds an expression.
    return among[draw(_positions(len(among)))]


@cache
def _positions(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, count - 1)


@st.composite
def states(
    draw: st.DrawFn, state_class: type[State] = World, members: tuple[Any, ...] = MEMBERS
) -> FrozenState:
    """Random states of a State class, with small values, some of them unknown.

    ``Soldier.over(state)`` is one as an instance of its class. Families get values for the
    ``members`` that have the family's index type, and relations have tuples of those. Fluents
    whose type is not bool, int, float, str or an Enum keep their default.
    """
    schema = state_class.__schema__
    variables = [*schema.fluents.values()]
    for family in schema.families.values():
        keys = (key for key in members if family.indices.accepts(key))
        variables.extend(family.member(key) for key in keys)
    values: dict[Fluent[Any], Any] = {}
    for variable in variables:
        if isinstance(variable, Relation):
            values[variable] = variable.filled(draw(_tuples(variable, members)))
            continue
        described = variable.values
        known = _VALUES.get(described.kind) if not described.listed else None
        known = known or described.values() or (variable.default,)
        values[variable] = _choice(draw, (*known * 5, UNKNOWN))
    return FrozenState(values)


def _tuples(of: Relation[Any], members: tuple[Any, ...]) -> st.SearchStrategy[list[Any]]:
    """Tuples of a relation; none where nothing says which values it may have."""
    columns = [
        column.values() or tuple(filter(column.accepts, members)) or _VALUES.get(column.kind, ())
        for column in of.columns
    ]
    if not all(columns):
        return st.just([])
    each = st.tuples(*[st.sampled_from(column) for column in columns])
    whole = each if len(columns) > 1 else each.map(itemgetter(0))
    return st.lists(whole, max_size=_MOST_TUPLES)


@st.composite
def problems(draw: st.DrawFn) -> PlanRequest:
    """Random domains with a random state, goal and settings.

    Every construct of domains and task networks occurs. Settings bound the depth and the
    number of expansions, so that every search ends soon.
    """
    drawer = _DomainDrawer(draw)
    domain = drawer.domain.freeze()
    problem = request(domain, World.over(draw(states())), drawer.goal(), draw(_settings()))
    note(problem_text(problem))
    return problem


def problem_text(problem: PlanRequest) -> str:
    """The problem as readable text: state, goal, settings and all tasks."""
    lines = [f"state {problem.state}", f"goal {network_text(problem.goal)}", f"{problem.settings}"]
    for task in problem.domain.tasks.values():
        lines.append(f"{task}({', '.join(parameter.name for parameter in task.parameters)})")
        if isinstance(task, PrimitiveTask):
            lines.append(f"    if {task.precondition}")
            lines.extend(f"    {effect}" for effect in (*task.effects, *task.expected))
            lines.append(f"    uses {sorted(task.uses)}, duration {task.duration}")
        else:
            methods = problem.domain.methods[task]
            lines.extend(f"    if {method.condition!s}: {method.text()}" for method in methods)
    return "\n".join(lines)


@st.composite
def _settings(draw: st.DrawFn) -> Settings:
    horizon = _choice(draw, (None,) * 8 + (1, 2, 3))
    return Settings(
        horizon=horizon,
        horizon_time=_choice(draw, (None,) * 12 + (1, 2.5)) if horizon is None else None,
        check_rest=_choice(draw, _ONE_IN_EIGHT),
        strict_recursion=not _choice(draw, _ONE_IN_EIGHT),
        max_depth=8,
        max_expansions=2_000,
        seed=_choice(draw, (0, 0, 1, 2)),
    )


class _DomainDrawer:
    """Draws one random domain; draws methods late, when freezing calls the compound functions."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self.domain = Domain("random", World)
        self._primitives: list[PrimitiveTask[...]] = []
        self._compounds: list[CompoundTask[...]] = []
        for number in range(draw(st.integers(3, 5))):
            self._primitives.append(self._primitive(number))
        for number in range(draw(st.integers(3, 4))):
            self._compounds.append(self._compound(number))

    def goal(self) -> NetworkLike:
        """A random goal: mostly the task of the top layer."""
        if self._choose(_ONE_IN_EIGHT):
            return self._network(-1, "a", _BODIES)
        return self._compounds[0](*("b" for _ in self._compounds[0].parameters))

    def _choose(self, among: tuple[T, ...]) -> T:
        return _choice(self._draw, among)

    def _primitive(self, number: int) -> PrimitiveTask[...]:
        if not self._choose(_TWO_IN_FIVE):
            return self.domain.primitive(f"act_{number}", **self._description("a"))

        def describe(who: str) -> Primitive:
            return Primitive(**self._description(who))

        describe.__name__ = f"do_{number}"
        return self.domain.primitive(describe)

    def _description(self, who: str) -> dict[str, Any]:
        choose = self._choose
        return {
            "precondition": self._condition(who) if choose((False, True)) else None,
            "exec_only": self._condition(who) if choose(_ONE_IN_EIGHT) else None,
            "effects": [choose(effects(who)) for _ in range(choose((0, 1, 1, 1, 2)))],
            "expected": choose(effects(who)) if choose(_ONE_IN_EIGHT) else (),
            "actual": choose(effects(who)) if choose(_ONE_IN_EIGHT) else (),
            "uses": choose(((),) * 6 + (("legs",), ("arms",))),
            "duration": choose((0, 1, 1, 2, _TIME, lambda state: 2 if state.open else 1)),
            "cost": choose((1, 1, 1, 0, 3, lambda state: 2 if state.open else 1)),
        }

    def _compound(self, number: int) -> CompoundTask[...]:
        if not self._choose(_TWO_IN_FIVE):

            def define() -> Methods:
                yield from self._methods(number, "a")

            define.__name__ = f"plan_{number}"
            return self.domain.compound(define)

        def define_for(who: str) -> Methods:
            yield from self._methods(number, who)

        define_for.__name__ = f"manage_{number}"
        return self.domain.compound(define_for)

    def _methods(self, level: int, who: str) -> list[WrittenMethod]:
        return [self._method(level, who) for _ in range(self._choose((1, 2, 2, 3, 3)))]

    def _method(self, level: int, who: str) -> WrittenMethod:
        if self._choose(_ONE_IN_EIGHT):
            return method(self._plain(level, who))
        if self._choose(_ONE_IN_EIGHT):
            return self._joint(level)
        if self._choose(_ONE_IN_FIVE):
            values, key = self._choose(VALUES)
            variable = one_of(values, key=key, name="one")
            when = self._choose(
                (True, World.at[variable], ~World.at[variable], World.place != variable)
            )
            return method(self._network(level, variable, _BODIES), when=when)
        when = self._condition(who) if self._choose(_TWO_IN_FIVE) else True
        costs: tuple[NumberLike, ...] = (*[0] * 6, 1, 2, lambda state: 2 if state.lit else 0)
        return method(self._network(level, who, _BODIES), when=when, cost=self._choose(costs))

    def _joint(self, level: int) -> WrittenMethod:
        """A method whose variables are chosen at once, by a condition that may relate them."""
        one, other = one_of(*self._choose(JOINED))
        related = (
            World.way[one, other],
            World.way[other, one] & World.home[one],
            (World.place == one) & ~World.at[other],
            (one != other) & (World.at[one] | World.seen),
        )
        return method(self._network(level, other, _BODIES), when=self._choose(related))

    def _plain(self, level: int, who: str) -> Callable[[World], list[TaskCall] | None]:
        """A method in Python that reads the state and the parameter of its task."""
        first, second = self._call(level, who), self._call(level, who)

        def decide(state: World) -> list[TaskCall] | None:
            if state.at[who]:
                return None
            return [first, second] if state.lit else [second]

        return decide

    def _network(self, level: int, who: str, kinds: tuple[str, ...]) -> NetworkLike:
        match self._choose(kinds):
            case "call":
                return self._call(level, who)
            case "sequence":
                *parts, last = self._parts(level, who, kinds)
                if self._choose(_ONE_IN_FIVE):
                    return construct.with_cleanup(*parts, finally_=last)
                return network.sequence(*parts, last)
            case "parallel":
                policy = self._choose(_POLICIES)
                return network.parallel(*self._parts(level, who, kinds), policy=policy)
            case "priority":
                reactive = self._choose(_TWO_IN_FIVE)
                return network.priority(*self._parts(level, who, kinds), reactive=reactive)
            case "construct":
                return self._construct(self._parts(level, who, kinds))
            case "defer":
                ensures = self._choose(((), *PROMISES))
                return network.defer(self._call(level, who), ensures=ensures, now=level % 2 == 0)
            case "pause":
                # Without a draw, which would make problems smaller.
                return network.pause(now=level % 2 == 0)
            case _:
                return network.null()

    def _construct(self, parts: list[NetworkLike]) -> NetworkLike:
        match self._choose(_CONSTRUCTS):
            case "first_of":
                return construct.first_of(*parts)
            case "optional":
                return construct.optional(*parts)
            case "repeat":
                return construct.repeat(self._choose(TIMES), parts[0])
            case "any_order":
                return construct.any_order(*parts)
            case "partial_order":
                named = dict(zip("abc", parts, strict=False))
                order = [
                    constraint
                    for constraint in self._choose(_CONSTRAINTS)
                    if "c" in named or "c" not in constraint
                ]
                return construct.partial_order(*order, **named)
            case _:
                by: Any = self._choose((World.count, World.place, ()))
                return construct.random_of(
                    *((self._choose(WEIGHTS), part) for part in parts), by=by
                )

    def _parts(self, level: int, who: str, outside: tuple[str, ...]) -> list[NetworkLike]:
        """Two or three networks; fewer kinds of networks occur in inner ones."""
        kinds = _INNER if outside is _BODIES else _LEAVES
        return [self._network(level, who, kinds) for _ in range(self._choose((2, 3)))]

    def _call(self, level: int, who: str) -> TaskCall:
        """A call of a task of a lower layer; sometimes of any task, which makes recursion."""
        below = self._compounds if self._choose(_ONE_IN_EIGHT) else self._compounds[level + 1 :]
        among: tuple[Task, ...] = (*self._primitives * 2, *below * 3)
        task = self._choose(among)
        return task(*(self._choose((who, "a", "b", World.place)) for _ in task.parameters))

    def _condition(self, who: str) -> ConditionLike:
        if self._choose(_ONE_IN_EIGHT):
            return lambda state: state.count < 1 or state.open
        parts = [self._choose(conditions(who)) for _ in range(self._choose((1, 1, 1, 2)))]
        return reduce(self._choose((and_, or_)), parts)
