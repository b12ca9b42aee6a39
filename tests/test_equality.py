"""What is compared: no ``==`` of the library asks for the truth of a condition.

The ``==`` of a fluent and of every other expression makes a condition, which is no truth. So none
of them may stand in an ``__eq__`` that ``dataclass`` or a tuple generates.
"""

import importlib
import inspect
import pkgutil
import sys
import typing
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from itertools import product

import pytest

import bthtn
from bthtn import Domain, Fluent, FluentFamily, State, fluent, fluents
from bthtn.behaviours import Agent
from bthtn.engine.agent.events import BeliefChanged, LeaseTaken, PlanAdopted
from bthtn.engine.domain.number import Seconds
from bthtn.engine.plan.walk import preorder
from bthtn.engine.planning.strips.ground import conjunctions
from bthtn.engine.replanning import review
from bthtn.engine.world.diff import Change
from bthtn.engine.world.expression import Expression
from bthtn.examples.trees.explorer import tree as explorer
from bthtn.examples.trees.soldier import tree as soldier
from bthtn.records import equal_fields
from bthtn.studio.analysis.retriggering import Retriggering
from bthtn.studio.explanation import Changes, ValueUsed
from bthtn.studio.views.timeline import Tick, lines, rows


class World(State):
    at: FluentFamily[str, int] = fluents(default=0)
    calm: Fluent[bool] = fluent(default=False)


LATE = dict.fromkeys(("Assumption", "Character", "Scenario", "Updated"), typing.Any)
"""Names in annotations that are imported for type checkers only."""


def generated(module):
    """The classes of a module whose ``__eq__`` compares fields, and these fields."""
    for kind in vars(module).values():
        if not inspect.isclass(kind) or kind.__module__ != module.__name__:
            continue
        if "__dataclass_params__" in vars(kind):
            if vars(kind)["__dataclass_params__"].eq or kind.__eq__ is equal_fields:
                yield kind, [field.name for field in fields(kind) if field.compare]
        elif issubclass(kind, tuple) and "__eq__" not in vars(kind):
            yield kind, getattr(kind, "_fields", ())


def parts(hint):
    """The types whose objects are compared with those of a type; keys are found by hashes."""
    origin = typing.get_origin(hint)
    if origin is None or (inspect.isclass(origin) and issubclass(origin, Expression)):
        yield origin or hint
        return
    inside = typing.get_args(hint)
    if inspect.isclass(origin) and issubclass(origin, Mapping):
        inside = inside[1:]
    if (inspect.isclass(origin) and issubclass(origin, AbstractSet)) or "Callable" in str(origin):
        inside = ()
    for part in inside:
        yield from parts(part)


def faults(module):
    for kind, names in generated(module):
        hints = typing.get_type_hints(kind, localns=LATE) if names else {}
        for name in names:
            if any(inspect.isclass(p) and issubclass(p, Expression) for p in parts(hints[name])):
                yield f"{kind.__module__}.{kind.__name__}.{name}: {hints[name]}"


MODULES = [
    found.name
    for found in pkgutil.walk_packages(bthtn.__path__, "bthtn.")
    if not found.name.startswith(("bthtn.examples", "bthtn.__main__"))
]


def test_no_generated_equality_compares_expressions():
    assert len(MODULES) > 300
    assert [fault for name in MODULES for fault in faults(importlib.import_module(name))] == []


@dataclass(frozen=True)
class Bad:
    where: tuple[tuple[Fluent[int], int], ...]


class BadPair(typing.NamedTuple):
    left: Expression[bool]
    right: str


def test_the_rule_finds_bad_examples():
    assert [fault.split(": ")[0] for fault in faults(sys.modules[__name__])] == [
        f"{__name__}.Bad.where",
        f"{__name__}.BadPair.left",
    ]


A, B = World.at["a"], World.at["b"]
ATOMS = [one[0] for place in (A, B) for one in conjunctions(place == 1, ())]


@pytest.mark.parametrize(
    ("made", "others"),
    [
        (lambda: Change(A, 1, 2, "x"), [Change(B, 1, 2, "x"), Change(A, 1, 3, "x"), 1]),
        (lambda: BeliefChanged(Change(A, 1, 2, "x")), [BeliefChanged(Change(B, 1, 2, "x"))]),
        (lambda: LeaseTaken(A, "x"), [LeaseTaken(B, "x"), LeaseTaken("a", "x")]),
        (lambda: ValueUsed(A, 1, "x"), [ValueUsed(B, 1, "x"), ValueUsed(A, 2, "x")]),
        (lambda: Changes((((A, 1),),), 1, True), [Changes((((B, 1),),), 1, True)]),
        (lambda: Retriggering("t", 0, 1, A), [Retriggering("t", 0, 1, B)]),
        (lambda: Seconds(A), [Seconds(B), Seconds(1.5)]),
        (lambda: replace(ATOMS[0]), [ATOMS[1]]),
    ],
)
def test_what_has_a_fluent_is_equal_if_that_is_the_same(made, others):
    assert made() == made()
    assert hash(made()) == hash(made())
    for other in others:
        assert made() != other


def test_fluents_may_be_the_keys_of_leases():
    domain = Domain("any", World)
    agent = Agent("Ann", domain, World(), body=None)
    assert all(map(agent.take, (A, B)))
    assert agent.take(A)
    assert all(map(agent.give_back, (B, A)))


def kept_in(found, verdicts):
    """A method that yields verdicts and keeps them."""

    def keeping(*args):
        for verdict in verdicts(*args):
            found.append(verdict)
            yield verdict

    return keeping


def heard(character, ticks):
    for _ in range(ticks):
        if character.finished:
            return
        yield Tick(character.ticks, (), character.tick())


def test_all_that_is_told_of_long_runs_can_be_compared_and_hashed(monkeypatch):
    verdicts = []
    monkeypatch.setattr(review.Review, "verdicts", kept_in(verdicts, review.Review.verdicts))
    ticks = [*heard(soldier.character(1), 60), *heard(explorer.character(5), 60)]
    events = [event for tick in ticks for event in tick.events]
    plans = [event.plan for event in events if isinstance(event, PlanAdopted)]
    nodes = [node for plan in plans for _, node in preorder(plan.tree)]
    entries = [entry for row in rows(ticks) for entry in row.entries]
    told = [*events, *verdicts, *plans, *nodes, *entries]
    assert len(told) > 500
    assert len(verdicts) > 10
    for one, other in product(told, told):
        if one == other:
            assert hash(one) == hash(other)
    assert [str(line) for row in rows(ticks) for line in lines(row)]
