"""Objects of frozen dataclasses that are filled before they are frozen."""

from copy import copy, deepcopy
from dataclasses import FrozenInstanceError, fields

import pytest

from bthtn.engine.agent.events import GoalEnded, LeafEnded, LeafStarted
from bthtn.engine.plan.nodes import NULL_NODE, ParallelNode, ScopeNode, SequenceNode, TaskNode
from bthtn.engine.world.footprint import Footprint, Write, WriteKind
from bthtn.engine.world.unfrozen import quickly, unfrozen

OPEN = unfrozen(Footprint)


def frozen(made, **values):
    for name, value in values.items():
        setattr(made, name, value)
    made.__class__ = Footprint
    return made


def touched():
    write = Write(WriteKind.CONSTANT, 1)
    return {"reads": frozenset("a"), "writes": {"b": write}, "uses": frozenset("c")}


def test_an_object_that_was_filled_is_one_of_the_frozen_class():
    made = frozen(OPEN(), **touched())
    assert type(made) is Footprint
    assert made == Footprint(**touched())
    assert repr(made) == repr(Footprint(**touched()))
    with pytest.raises(FrozenInstanceError):
        made.reads = frozenset()
    with pytest.raises(FrozenInstanceError):
        del made.reads


def test_it_is_copied_as_any_other():
    made = frozen(OPEN(), **touched())
    assert copy(made) == made
    assert deepcopy(made) == made
    assert type(deepcopy(made)) is Footprint


@pytest.mark.parametrize("kind", [TaskNode, ScopeNode, SequenceNode, ParallelNode])
def test_a_node_is_compared_by_identity_and_its_own_copy(kind):
    one, other = unfrozen(kind)(), unfrozen(kind)()
    for node in (one, other):
        for part in fields(kind):
            setattr(node, part.name, NULL_NODE)
        node.__class__ = kind
    assert type(one) is kind
    assert one != other
    assert len({one, other, one}) == 2
    with pytest.raises(FrozenInstanceError):
        setattr(one, fields(kind)[0].name, None)
    assert deepcopy(one) is one


@pytest.mark.parametrize(
    ("kind", "given", "named"),
    [
        (LeafStarted, (1, "shoot"), {"path": "fight", "plan_id": "Ann #3"}),
        (LeafEnded, (1, "shoot"), {"succeeded": False, "reason": "no ammo"}),
        (GoalEnded, ("fight",), {"succeeded": True}),
    ],
)
def test_an_object_that_was_made_quickly_is_as_its_class_makes_it(kind, given, named):
    made, usual = quickly(kind)(*given, **named), kind(*given, **named)
    assert type(made) is kind
    assert [getattr(made, one.name) for one in fields(kind)] == [
        getattr(usual, one.name) for one in fields(kind)
    ]
    with pytest.raises(FrozenInstanceError):
        made.plan_id = ""
    with pytest.raises(TypeError, match="missing"):
        quickly(kind)()


def test_what_is_not_given_is_made_anew_for_each_object():
    one, other = quickly(Footprint)(frozenset("a")), quickly(Footprint)()
    assert (one, other) == (Footprint(frozenset("a")), Footprint())
    assert one.writes is not other.writes
