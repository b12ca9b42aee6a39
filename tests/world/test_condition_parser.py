"""Conditions written as text mean what the same conditions written in Python mean."""

from enum import Enum

import pytest

from bthtn import BthtnError, Fluent, FluentFamily, State, fluent, fluents
from bthtn.world.condition_parser import condition_from_text


class Mood(Enum):
    CALM = "calm"
    ANGRY = "angry"


class Cook(State):
    hot: Fluent[bool] = fluent(default=False)
    eggs: Fluent[int] = fluent(default=2)
    at: Fluent[str] = fluent(default="")
    mood: Fluent[Mood] = fluent(default=Mood.CALM)
    on: FluentFamily[str, str] = fluents(default="table")
    pair: FluentFamily[str, bool] = fluents(default=False)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("hot", "hot"),
        ("not hot", "not hot"),
        ("~hot", "not hot"),
        ("not not hot", "not not hot"),
        ("eggs=3", "eggs == 3"),
        ("eggs >= 3 and eggs<5", "eggs >= 3 and eggs < 5"),
        ("eggs > 1, eggs <= 4 & hot", "eggs > 1 and eggs <= 4 and hot"),
        ("hot or eggs != 0 | eggs == 2", "hot or eggs != 0 or eggs == 2"),
        ("hot and (eggs == 1 or eggs == 2)", "hot and (eggs == 1 or eggs == 2)"),
        ("not (hot or eggs == 1)", "not (hot or eggs == 1)"),
        ("on[b] == a", "on[b] == 'a'"),
        ("pair[a,b]", "pair[a,b]"),
        ('at == "the lake"', "at == 'the lake'"),
        ("at == ''", "at == ''"),
        ("hot == false", "hot == false"),
        ("mood > CALM", "mood > CALM"),
    ],
)
def test_a_condition_is_read(text, same):
    assert condition_from_text(text, Cook.__schema__).text() == same


def test_what_is_read_can_be_asked():
    condition = condition_from_text("on[b] == a and mood == ANGRY", Cook.__schema__)
    assert condition.evaluate(Cook(on={"b": "a"}, mood=Mood.ANGRY).frozen()) is True
    assert condition.evaluate(Cook(on={"b": "a"}).frozen()) is False


@pytest.mark.parametrize(
    ("text", "code", "said", "column"),
    [
        ("", "BT411", "a fluent is missing", 1),
        ("hot and", "BT411", "a fluent is missing", 8),
        ("hot and or hot", "BT411", "a fluent is missing", 9),
        ("== 3", "BT411", "a fluent is missing", 1),
        ("(hot", "BT411", "never closed", 5),
        ("hot )", "BT411", "behind the end", 5),
        ("hot eggs", "BT411", "behind the end", 5),
        ("hot and hot or hot", "BT411", "mixed", 13),
        ("eggs", "BT411", "'eggs' is int", 1),
        ("eggs ==", "BT106", "'eggs' cannot be ''", 8),
        ("at ==", "BT411", "a value is missing", 6),
        ("hot == unknown", "BT411", "a value is missing", 8),
        ("eggs == many", "BT106", "'eggs' cannot be 'many'", 9),
        ("hut", "BT102", "no fluent 'hut'", 1),
        ("hot and ! hot", "BT411", "'!' cannot stand here", 8),
        ("(" * 200 + "hot", "BT411", "nested deeper", 101),
    ],
)
def test_a_fault_has_a_column(text, code, said, column):
    with pytest.raises(BthtnError, match=code) as caught:
        condition_from_text(text, Cook.__schema__)
    (one,) = caught.value.diagnostics
    assert said in one.message
    assert one.where.endswith(f"column {column}")
    assert one.hint
