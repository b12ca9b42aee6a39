"""State classes that are declared in TOML."""

import tomllib

import pytest

from bthtn import UNKNOWN
from bthtn.errors import InputError
from bthtn.kit.formats.beliefs_table import state_class_from


def read(text):
    return state_class_from("Enemy", tomllib.loads(text), lambda entry: f"enemy.toml, {entry}")


def test_a_default_value_gives_the_type():
    enemy = read('ammo = 6\nreach = 2.5\nnear = true\nroom = "hall"')
    assert enemy.__name__ == "Enemy"
    assert [one.value_type for one in enemy.__schema__.fluents.values()] == [int, float, bool, str]
    assert (enemy().ammo, enemy(ammo=3).ammo, enemy().room) == (6, 3, "hall")
    assert (enemy.ammo > 3).evaluate(enemy().frozen()) is True


def test_a_type_may_be_given_and_be_a_list_of_words():
    enemy = read(
        'reach = { type = "float", default = 2 }\n'
        'stance = { type = ["calm", "rage"], default = "calm" }\n'
        'target = { type = "str", default = "unknown", volatile = true }'
    )
    assert enemy.reach.value_type is float
    assert enemy.stance.values.listed == ("calm", "rage")
    assert enemy().frozen().get(enemy.target) is UNKNOWN
    assert enemy.target.volatile
    with pytest.raises(Exception, match="'stance' is str; 'rag' is none of its values"):
        enemy(stance="rag")


def test_an_index_makes_a_family():
    enemy = read(
        'value = { index = "str", default = 10.0 }\n'
        'seen = { index = ["north", "south"], default = false }\n'
        'count = { index = "int", default = 0 }'
    )
    state = enemy(value={"jab": 0.0}, seen={"north": True}, count={3: 1})
    assert (state.value["jab"], state.value["cut"], state.seen["north"]) == (0.0, 10.0, True)
    assert enemy.seen.indices.listed == ("north", "south")
    with pytest.raises(Exception, match=r"'seen\[…\]' is indexed by str"):
        enemy(seen={"east": True})


@pytest.mark.parametrize(
    ("text", "code", "said", "hint"),
    [
        ("ammo = []", "BT421", "'ammo' has no type that is known: 'list'", "did you mean 'int'"),
        ('ammo = { type = "it", default = 1 }', "BT421", "known: 'it'", "did you mean 'int'?"),
        ("ammo = { type = [], default = 1 }", "BT421", "known: []", "write distance"),
        ('ammo = { type = "int" }', "BT421", "'ammo' has no default", "write distance"),
        ("ammo = { defalt = 1 }", "BT421", "'ammo' has a 'defalt'", "did you mean 'default'?"),
        ('ammo = { type = "int", default = 1.5 }', "BT106", "1.5 is float", "int"),
        ('ammo = { type = ["a", "b"], default = "c" }', "BT106", "'c' is none", "a, b"),
        ("ammo = { default = 1, volatile = 1 }", "BT421", "'volatile' of 'ammo' is 1", "true"),
        ('ammo = { default = 1, index = "strr" }', "BT421", "known: 'strr'", "did you mean 'str'?"),
        ('"am-mo" = 1', "BT421", "a fluent cannot be called 'am-mo'", "letters"),
        ("__slots__ = 1", "BT421", "cannot be called '__slots__'", "letters"),
        ("not = 1", "BT421", "cannot be called 'not'", "no keyword"),
        ('mood = "unknown"', "BT421", "'mood' is unknown, and of no type", 'type = "str"'),
        ("frozen = 1", "BT112", "cannot be called 'frozen'", "choose another"),
        ("ammo = 2020-01-01", "BT421", "known: 'date'", "int"),
    ],
)
def test_a_slip_has_its_place_and_a_hint(text, code, said, hint):
    with pytest.raises(InputError) as caught:
        read(text)
    (one,) = caught.value.diagnostics
    assert (one.code, one.where) == (code, f"enemy.toml, {next(iter(tomllib.loads(text)))}")
    assert said in one.message
    assert hint in one.hint or "there is" in one.hint


def test_all_slips_are_reported():
    with pytest.raises(InputError) as caught:
        read("one = []\ntwo = {}\nthree = 3")
    assert len(caught.value.diagnostics) == 2
