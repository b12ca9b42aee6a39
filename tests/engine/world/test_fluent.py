"""Fluents: typed, named variables, declared on a class and found again by name."""

from enum import Enum
from typing import Any
from weakref import ref

import pytest

from bthtn import UNKNOWN, Fluent, FluentFamily, State, fluent, fluents
from bthtn.engine.world.fluent import UnknownRead
from bthtn.errors import StateError, SymbolError


class Distance(Enum):
    NEAR = "near"
    FAR = "far"


class Person:
    """Objects of one's own can be values, as long as they can be hashed."""

    def __repr__(self):
        return "Person()"


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    health: Fluent[float] = fluent(default=1.0)
    target: Fluent[bool] = fluent(default=False)
    distance: Fluent[Distance] = fluent(default=Distance.NEAR)
    name: Fluent[str] = fluent(default="Joe")
    friend: Fluent[Person | None] = fluent(default=None, type=Person)
    path: Fluent[tuple[str, ...]] = fluent(default=())
    known: Fluent[frozenset[int]] = fluent(default=frozenset())
    noise: Fluent[bool] = fluent(default=False, volatile=True)
    seen: FluentFamily[str, bool] = fluents(default=False)
    steps: FluentFamily[int, float] = fluents(default=0.0, index=int, volatile=True)


# types of values


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        (Soldier.ammo, 3),
        (Soldier.health, 0.5),
        (Soldier.health, 1),
        (Soldier.target, True),
        (Soldier.distance, Distance.FAR),
        (Soldier.name, "Jim"),
        (Soldier.friend, Person()),
        (Soldier.friend, None),
        (Soldier.ammo, UNKNOWN),
        (Soldier.seen["enemy"], True),
    ],
    ids=str,
)
def test_a_fluent_takes_values_of_its_type_and_unknown(variable, value):
    variable.check(value)
    assert str(variable.becomes(value)).startswith(f"{variable} becomes")


@pytest.mark.parametrize(
    ("variable", "value", "complaint"),
    [
        (Soldier.ammo, "three", "'ammo' is int; 'three' is str"),
        (Soldier.ammo, 0.5, "'ammo' is int; 0.5 is float"),
        (Soldier.ammo, True, "'ammo' is int; true is bool"),
        (Soldier.health, True, "'health' is float; true is bool"),
        (Soldier.target, 1, "'target' is bool; 1 is int"),
        (Soldier.target, None, "'target' is bool; none is NoneType"),
        (Soldier.distance, "far", "'distance' is Distance; 'far' is str"),
        (Soldier.seen["enemy"], 1, r"'seen\[enemy\]' is bool; 1 is int"),
    ],
    ids=str,
)
def test_a_value_of_another_type_is_refused_where_it_is_written(variable, value, complaint):
    for write in (variable.check, variable.becomes):
        with pytest.raises(StateError, match=complaint) as caught:
            write(value)
        assert caught.value.code == "BT106"


def test_a_value_that_can_change_is_refused():
    class Bag(State):
        content: Fluent[tuple] = fluent(default=())

    Bag.content.check(("rope",))
    with pytest.raises(StateError, match="BT106") as caught:
        Bag.content.check((["rope"],))
    assert "hashable" in str(caught.value)


def test_the_type_of_a_fluent_is_that_of_its_default():
    assert Soldier.ammo.value_type is int
    assert Soldier.distance.value_type is Distance
    assert Soldier.seen.prototype.value_type is bool


@pytest.mark.parametrize("default", [None, UNKNOWN], ids=str)
def test_a_fluent_whose_default_tells_no_type_has_to_be_given_one(default):
    with pytest.raises(StateError, match="needs a type") as caught:

        class Untold(State):
            something = fluent(default=default)

    assert caught.value.code == "BT106"
    assert "type=..." in str(caught.value)


def test_a_default_has_to_be_of_the_stated_type():
    with pytest.raises(StateError, match="BT106"):
        fluent(default="no", type=int)
    with pytest.raises(StateError, match="BT106"):
        fluents(default="no", type=int)


def test_a_fluent_can_be_unknown_until_somebody_tells():
    class Rumour(State):
        true: Fluent[bool] = fluent(default=UNKNOWN, type=bool)

    assert Rumour().frozen().get(Rumour.true) is UNKNOWN
    assert Rumour(true=False).true is False


# families


def test_a_member_of_a_family_is_one_fluent_however_often_it_is_named():
    assert Soldier.seen["enemy"] is Soldier.seen["enemy"]
    assert Soldier.seen["enemy"] is not Soldier.seen["friend"]


def test_members_share_what_was_declared_for_the_family():
    member = Soldier.steps[3]
    assert str(member) == "steps[3]"
    assert member.volatile
    assert member.default == 0.0
    assert not Soldier.seen["enemy"].volatile


def test_an_index_of_another_type_is_refused():
    with pytest.raises(StateError, match="indexed by str; 3 is int") as caught:
        Soldier.seen[3]
    assert caught.value.code == "BT106"
    assert "index=int" in str(caught.value)


def test_an_index_that_can_change_is_refused():
    class Board(State):
        piece: FluentFamily[Any, bool] = fluents(default=False)

    for index in ([1], {"a": 1}, ([],)):
        with pytest.raises(StateError, match="BT106"):
            Board.piece[index]


# what people write


@pytest.mark.parametrize(
    ("variable", "text", "value"),
    [
        (Soldier.target, "true", True),
        (Soldier.target, "Yes", True),
        (Soldier.target, "false", False),
        (Soldier.target, "no", False),
        (Soldier.ammo, "3", 3),
        (Soldier.health, "0.5", 0.5),
        (Soldier.name, "Jim", "Jim"),
        (Soldier.distance, "FAR", Distance.FAR),
        (Soldier.ammo, "unknown", UNKNOWN),
        (Soldier.friend, "none", None),
        (Soldier.path, '["door", "yard"]', ("door", "yard")),
        (Soldier.known, "[1, 2]", frozenset({1, 2})),
    ],
    ids=str,
)
def test_values_can_be_read_from_text(variable, text, value):
    assert variable.parse(text) == value


@pytest.mark.parametrize(
    ("variable", "text", "hint"),
    [
        (Soldier.target, "maybe", "write true, false or unknown"),
        (Soldier.ammo, "three", r"write a number \(int\) or unknown"),
        (Soldier.ammo, "none", r"write a number \(int\) or unknown"),
        (Soldier.health, "", r"write a number \(float\) or unknown"),
        (Soldier.distance, "FARR", "did you mean 'FAR'?"),
        (Soldier.path, "door", r'write its elements as in \["a", "b"\]'),
        (Soldier.path, "[door]", r'write its elements as in \["a", "b"\]'),
        (Soldier.path, "[" * 100_000, r'write its elements as in \["a", "b"\]'),
        (Soldier.known, "[[1]]", r'write its elements as in \["a", "b"\]'),
        (Soldier.friend, "Jim", "objects of type Person cannot be written as text"),
    ],
    ids=str,
)
def test_text_that_is_no_value_is_refused_with_what_could_be_written(variable, text, hint):
    with pytest.raises(StateError, match=hint) as caught:
        variable.parse(text)
    assert caught.value.code == "BT106"
    assert f"'{variable}' cannot be {text!r}" in str(caught.value)


def test_a_member_can_be_named_by_text():
    schema = Soldier.__schema__
    assert schema.variable("ammo") is Soldier.ammo
    assert schema.variable("seen[enemy]") is Soldier.seen["enemy"]
    assert schema.variable("steps[3]") is Soldier.steps[3]
    with pytest.raises(StateError, match="BT106"):
        schema.variable("steps[three]")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("amo", "did you mean 'ammo'?"),
        ("AMMO", "did you mean 'ammo'?"),
        ("seen", r"did you mean 'seen\[…\]'?"),
        ("ammo[1]", "did you mean 'ammo'?"),
        ("xyz", "there is: ammo, distance, friend, health, known, name, noise"),
    ],
)
def test_a_fluent_that_does_not_exist_is_answered_with_the_nearest_that_does(text, hint):
    with pytest.raises(StateError, match=hint) as caught:
        Soldier.__schema__.variable(text)
    assert caught.value.code == "BT102"
    assert f"Soldier has no fluent '{text}'" in str(caught.value)


def test_a_schema_lists_its_fluents_in_order_of_declaration_inherited_ones_first():
    class Sergeant(Soldier):
        men: Fluent[int] = fluent(default=10)

    first, *_, last = Sergeant.__schema__.fluents
    assert (first, last) == ("ammo", "men")
    assert Sergeant.ammo is Soldier.ammo
    assert "men" not in Soldier.__schema__.fluents


def test_a_schema_knows_whether_anything_is_volatile():
    class Calm(State):
        ammo: Fluent[int] = fluent(default=0)

    assert Soldier.__schema__.has_volatile
    assert not Calm.__schema__.has_volatile


def test_a_fluent_must_not_hide_what_every_state_can_do():
    with pytest.raises(StateError, match="cannot be called 'frozen'") as caught:

        class Ice(State):
            frozen: Fluent[bool] = fluent(default=True)

    assert caught.value.code == "BT112"


def test_reading_an_unknown_fluent_as_a_value_says_what_to_do():
    with pytest.raises(UnknownRead, match="'ammo' is unknown; test `is_known`"):
        _ = Soldier(ammo=UNKNOWN).ammo


def test_asking_the_class_for_a_fluent_it_does_not_have_names_the_nearest():
    with pytest.raises(StateError, match="Soldier has no fluent 'amo'") as caught:
        _ = Soldier.amo
    assert caught.value.code == "BT102"
    assert "did you mean 'ammo'?" in str(caught.value)
    assert not hasattr(Soldier, "amo"), "to Python it is an attribute that is missing"
    assert not hasattr(Soldier, "__wrapped__")


class Yard(State):
    on: FluentFamily[str, str] = fluents(default="table", objects=("b", "a"))
    lit: FluentFamily[bool, bool] = fluents(default=False)
    seen: FluentFamily[int, bool] = fluents(default=False)


@pytest.mark.parametrize("family", [lambda: Yard.on, lambda: Yard(on={"a": "b"}).on])
def test_a_family_has_its_declared_objects_in_order(family):
    assert list(family()) == ["b", "a"]
    assert "a" in family()
    assert "c" not in family()
    assert list(Yard().lit) == [False, True]


def test_objects_that_nobody_has_declared_are_not_counted():
    for family in (Yard.seen, Yard().seen):
        with pytest.raises(StateError, match="nothing says which indices 'seen' has"):
            list(family)
        assert 3 in family
        assert "a" not in family


def test_whether_a_symbol_is_in_a_family_is_not_known_yet():
    with pytest.raises(SymbolError, match="no value yet"):
        assert Yard.on["a"] in Yard.on


# equal indices of another type


@pytest.mark.parametrize(("right", "wrong"), [(1, True), (0, False), (1, 1.0)])
def test_an_index_of_a_wrong_type_is_refused_whether_or_not_an_equal_one_is_in_use(right, wrong):
    with pytest.raises(StateError, match="is indexed by int"):
        Soldier.steps[wrong]
    used = Soldier.steps[right]
    with pytest.raises(StateError, match="is indexed by int"):
        Soldier.steps[wrong]
    assert Soldier.steps[right] is used


def test_so_is_one_with_a_part_of_a_wrong_type():
    class Map(State):
        road: FluentFamily[tuple[int, str], bool] = fluents(default=False)

    used = Map.road[1, "a"]
    for wrong in ((True, "a"), (1.0, "a")):
        with pytest.raises(StateError, match="is indexed by"):
            Map.road[wrong]
        with pytest.raises(StateError, match="is indexed by"):
            Map().road[wrong]
    assert Map.road[1, "a"] is used


def test_a_member_has_one_name_by_whichever_of_two_equal_indices_it_is_used_first():
    class Tank(State):
        full: FluentFamily[float, bool] = fluents(default=False)
        at: FluentFamily[tuple[float, str], bool] = fluents(default=False)

    for first, second in ((1, 1.0), (1.0, 1), (0.0, -0.0), (-0.0, 0.0), (0, -0.0)):
        used = Tank.full[first]
        assert str(used) == str(Tank.full[second]) == f"full[{abs(float(first))}]"
        del used
        assert Tank(full={second: True}).full[first]
        pair = Tank.at[first, "a"]
        assert Tank.at[second, "a"] is pair
        assert str(pair) == f"at[{abs(float(first))}, a]"
        del pair


class Shelf(State):
    weight: FluentFamily[int, int] = fluents(default=0, index=int)
    road: FluentFamily[tuple[str, str], bool] = fluents(default=False)


def test_an_index_that_only_equals_one_is_refused_also_where_that_was_read_before():
    shelf = Shelf(weight={1: 5})
    assert shelf.weight[1] == 5
    for index in (True, 1.0):
        with pytest.raises(StateError, match="BT106"):
            shelf.weight[index]
    assert shelf.weight[1] == 5


def test_members_with_two_indices_are_read_one_after_the_other():
    shelf = Shelf(road={("a", "b"): True})
    for _ in range(2):
        assert shelf.road["a", "b"]
        assert not shelf.road["b", "a"]
    with pytest.raises(StateError, match="BT106"):
        shelf.road["a", 1]


def test_members_of_several_families_are_read_in_turn():
    soldier = Soldier(seen={"enemy": True}, steps={1: 2.0})
    for _ in range(2):
        assert soldier.seen["enemy"] is True
        assert soldier.steps[1] == 2.0
        assert soldier.seen["friend"] is False


def test_a_state_that_members_were_read_from_is_released_at_once():
    soldier = Soldier(seen={"enemy": True})
    assert soldier.seen["enemy"]
    released = ref(soldier)
    del soldier
    assert released() is None
