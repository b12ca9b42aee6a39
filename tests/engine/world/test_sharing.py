"""Copies and pickles of everything public are equal to it, or refused with a clear error."""

import copy
import importlib
import inspect
import pickle  # noqa: TID251 - what is tested
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from py_trees.behaviour import Behaviour

from bthtn import UNKNOWN, BthtnError, Domain, Planner, State, apply, find_plan, primitive
from bthtn.behaviours import OperatorFailed, PlainData
from bthtn.engine.domain.chance import SEED
from bthtn.engine.plan import TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning import Trace
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.protocol import PlanRequest
from bthtn.engine.planning.trace import SearchEvent
from bthtn.engine.world.declarations import fluent
from bthtn.engine.world.diff import Change
from bthtn.engine.world.fluent import Fluent, FluentFamily
from bthtn.engine.world.footprint import Footprint
from bthtn.engine.world.pages import FEW
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.engine.world.state import FrozenState
from bthtn.errors import StateError
from bthtn.studio.testing.playground import World
from bthtn.studio.testing.strategies import problems
from docs.site_hooks import PACKAGES

PUBLIC = {
    f"{package}.{name}": getattr(importlib.import_module(package), name)
    for package in PACKAGES
    for name in getattr(importlib.import_module(package), "__all__", ())
}
CLASSES = {
    name: kind
    for name, kind in PUBLIC.items()
    if isinstance(kind, type)
    and not inspect.isabstract(kind)
    and not getattr(kind, "_is_protocol", False)
    and not hasattr(kind, "__origin__")
}


def unpickled(one: Any, protocol: int = pickle.DEFAULT_PROTOCOL) -> Any:
    return pickle.loads(pickle.dumps(one, protocol))  # noqa: S301 - its own pickle


WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": unpickled,
    "the first pickle": lambda one: unpickled(one, 0),
}

yard = Domain("yard", World)


@yard.primitive
def dig(count: int):
    return primitive(effects=World.count.increases(count))


@dataclass
class Camp(PlainData):
    fires: int = 1


PLAN = find_plan(yard, World(), dig(2))
OBJECTS: Mapping[Any, object] = {
    BthtnError: StateError("BT102", "no fluent", hint="look"),
    BaseException: OperatorFailed("too deep"),
    State: World(count=3, at={"a": True}, seen=UNKNOWN),
    Domain: yard,
    PlanRequest: PlanRequest(yard.freeze(), World().frozen(), dig(2)),
    FluentFamily: World.at,
    Fluent: World.count,
    PlainData: Camp(fires=3),
    Trace: Planner(yard, dig(1)).trace(World()),
}
FIELDS: Mapping[Any, object] = {
    str: "dig",
    int: 3,
    float: 2.5,
    bool: True,
    tuple: ("dig",),
    Hashable: "key",
    Change: Change(World.at["a"], False, True, "sensor"),
    BaseException: ValueError("too deep"),
    Plan: PLAN,
    FrozenState: PLAN.predicted,
    MethodTraversalRecord: PLAN.record,
    Footprint: PLAN.footprint,
    Fluent: World.at["a"],
}


def same(one: object, other: object) -> bool:
    """Whether a copy is as good as the original."""
    if isinstance(one, BthtnError):
        return type(one) is type(other) and one.diagnostics == other.diagnostics
    if isinstance(one, BaseException):
        return type(one) is type(other) and one.args == other.args
    if isinstance(one, Domain):
        return type(one) is type(other) and one.freeze().tasks == other.freeze().tasks
    if type(one).__name__ == "BthtnPlanner":  # engines of Unified Planning have no equality
        return type(one) is type(other) and vars(one) == vars(other)
    return one is other or (type(one) is type(other) and bool(one == other))


def check(one: object) -> list[str]:
    """Copy it in all ways, and assert that what comes out is the same. Returns what was refused."""
    refused = []
    for way, made in WAYS.items():
        try:
            twin = made(one)
        except BthtnError:
            refused.append(way)
            continue
        assert same(one, twin), f"{way} of {one!r} gives {twin!r}"
    return refused


def test_a_state_of_many_members_is_copied_and_pickled():
    assert check(World(at=dict.fromkeys(map(str, range(2 * FEW)), True)).frozen()) == []


def sample(kind: Any) -> object:
    """An object of the class; if it is none of the known ones, with fields by their annotations."""
    for known, one in OBJECTS.items():
        if issubclass(kind, known):
            return one
    if issubclass(kind, Enum):
        return next(iter(kind))
    if issubclass(kind, Unpicklable):
        return kind.__new__(kind)
    hints = get_type_hints(kind)
    described = inspect.signature(kind.__init__).parameters
    names = getattr(kind, "__match_args__", ()) or tuple(inspect.signature(kind).parameters)
    given = {}
    for name in names:
        if name in described and described[name].default is not inspect.Parameter.empty:
            continue
        fitting = (one for known, one in FIELDS.items() if known.__name__ in str(hints.get(name)))
        given[name] = next(fitting, "dig")
    return kind(**given)


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_what_is_public_can_be_copied_and_pickled_or_says_that_it_cannot(name):
    kind = CLASSES[name]
    one = sample(kind)
    refused = check(one)
    if isinstance(one, Shared):
        assert not {"copy", "deepcopy"} & set(refused)
    elif isinstance(one, Unpicklable) and not isinstance(one, Domain):
        assert refused == [*WAYS]
    if isinstance(one, Behaviour):
        assert refused == [*WAYS]


@given(problems())
def test_what_takes_part_in_planning_is_equal_to_its_copies(problem):
    events: list[SearchEvent] = []
    search = ListenedSearch(problem, events.append)
    search.advance()
    for one in (problem, problem.state, problem.goal, problem.domain, problem.settings, *events):
        check(one)
    assert not check(World.over(problem.state))
    assert not check(problem.state)
    if search.plan is not None:
        assert check(search.plan) == ["pickle", "the first pickle"]
        assert not check(search.plan.predicted)
        assert not check(search.plan.record)
        check(search.plan.footprint)


def test_a_fluent_that_comes_out_of_a_pickle_is_the_one_that_went_in():
    for one in (World.count, World.at, World.at["a"]):
        assert unpickled(one) is one
    assert unpickled(SEED) is SEED
    assert unpickled({World.at["a"]: 3}) == {World.at["a"]: 3}


def test_a_fluent_that_no_class_declares_cannot_be_pickled():
    with pytest.raises(BthtnError, match="Fluent cannot be pickled"):
        pickle.dumps(fluent(default=1))


class Inherited(World):
    more: Fluent[int] = fluent(default=1)


def test_a_state_of_a_derived_class_keeps_its_class_and_its_values():
    state = Inherited(more=2, count=4, at={"a": True})
    again = unpickled(state)
    assert type(again) is Inherited
    assert (again, again.more, again.count) == (state, 2, 4)


def test_a_state_that_a_search_still_changes_is_neither_copied_nor_pickled():
    seen = []
    wild = Domain("wild", World)

    def look(state):
        for copied in WAYS.values():
            with pytest.raises(StateError, match="still changing"):
                copied(state)
            seen.append(copied)

    watch = wild.primitive("watch", effects=look)
    apply(wild, World(), watch())
    assert seen == [*WAYS.values()]


def test_what_is_neither_copied_nor_pickled_says_what_to_do():
    with pytest.raises(BthtnError, match=r"\[BT127\] Plan cannot be pickled\n  hint: .*encoded"):
        pickle.dumps(PLAN)
    with pytest.raises(BthtnError, match=r"\[BT127\] Planner cannot be copied or pickled"):
        copy.copy(Planner(yard, dig(1)))
    assert copy.deepcopy([PLAN, PLAN])[1] is PLAN
    assert isinstance(copy.deepcopy(PLAN.tree), TaskNode)
