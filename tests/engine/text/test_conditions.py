"""Conditions written as text mean what the same conditions written in Python mean."""

from enum import Enum

import pytest

from bthtn import BthtnError, Fluent, FluentFamily, State, fluent, fluents
from bthtn.engine.text.conditions import (
    changes_from_text,
    condition_from_text,
    expression_from_text,
)
from bthtn.engine.world.expression import Parameter


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
    near: FluentFamily[tuple[str, int], bool] = fluents(default=False)
    goal: Fluent[str] = fluent(default="")
    wanted: Fluent[int] = fluent(default=2)
    heat: Fluent[float] = fluent(default=0.5)


COUNT = Parameter("count", 0, int)
PLACE = Parameter("place", 1, str, literals=("lake", "hill"))
ANY = Parameter("any", 2)
GIVEN = (COUNT, PLACE, ANY)


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
        ("eggs > 1 && !hot && eggs!=3", "eggs > 1 and not hot and eggs != 3"),
        ("hot||!(eggs == 1)", "hot or not (eggs == 1)"),
        ("hot or eggs != 0 | eggs == 2", "hot or eggs != 0 or eggs == 2"),
        ("hot and (eggs == 1 or eggs == 2)", "hot and (eggs == 1 or eggs == 2)"),
        ("not (hot or eggs == 1)", "not (hot or eggs == 1)"),
        ("on[b] == a", "on[b] == 'a'"),
        ("pair[a,b]", "pair[a,b]"),
        ('at == "the lake"', "at == 'the lake'"),
        ("at == ''", "at == ''"),
        ("at == \"'tis James'\"", "at == \"'tis James'\""),
        ("at == ann's", 'at == "ann\'s"'),
        ("hot == false", "hot == false"),
        ("mood > CALM", "mood > CALM"),
        ("eggs < wanted", "eggs < wanted"),
        ("at == goal", "at == goal"),
        ("at == 'goal'", "at == 'goal'"),
        ("at == eggs", "at == 'eggs'"),
        ("heat < eggs", "heat < eggs"),
        ("3 < eggs", "3 < eggs"),
        ("eggs + 1 > wanted * 2 - 3", "(eggs + 1) > ((wanted * 2) - 3)"),
        ("(eggs + 1) * 2 > 0.5", "((eggs + 1) * 2) > 0.5"),
        ("eggs // 2 == eggs % 2", "(eggs // 2) == (eggs % 2)"),
        ("eggs == -1", "eggs == -1"),
        ("eggs == -wanted", "eggs == (0 - wanted)"),
        ("at == -wanted", "at == '-wanted'"),
        ("(eggs > 1) == hot", "(eggs > 1) == hot"),
        ("(not hot) == hot", "(not hot) == hot"),
        ("true", "true"),
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
        ("at == 'the lake", "BT411", "a quote is never closed", 7),
        ('at == "', "BT411", "a quote is never closed", 7),
        ("hot )", "BT411", "behind the end", 5),
        ("hot eggs", "BT411", "behind the end", 5),
        ("hot and hot or hot", "BT411", "mixed", 13),
        ("eggs", "BT411", "'eggs' is int", 1),
        ("eggs ==", "BT411", "a value is missing", 8),
        ("at ==", "BT411", "a value is missing", 6),
        ("hot == unknown", "BT411", "a value is missing", 8),
        ("eggs == many", "BT106", "'eggs' cannot be 'many'", 9),
        ("hut", "BT102", "no fluent 'hut'", 1),
        ("hot and ] hot", "BT411", "']' cannot stand here", 8),
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


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("coun > 2", "did you mean 'count'?"),
        ("eggs > wantd", "did you mean 'wanted'?"),
        ("eggs > coutn", "did you mean 'count'?"),
        ("mood == ANGRi", "did you mean 'ANGRY'?"),
        ("eggs > count*2", "put spaces around the signs of arithmetic"),
        ("eggs > count / 2", "write * 0.5, or // for whole numbers"),
    ],
)
def test_a_word_that_means_nothing_is_answered_with_the_nearest_right_one(text, hint):
    with pytest.raises(BthtnError) as caught:
        condition_from_text(text, Cook.__schema__, GIVEN)
    (one,) = caught.value.diagnostics
    assert hint in one.hint


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("eggs >= count", "eggs >= count"),
        ("at == place", "at == place"),
        ("place == lake", "place == 'lake'"),
        ("count > 2 and any == lake", "count > 2 and any == 'lake'"),
        ("on[place] == any", "on[place] == any"),
        ("near[place, 3]", "near[place, 3]"),
        ("any", "any"),
    ],
)
def test_a_condition_may_mention_parameters(text, same):
    condition = condition_from_text(text, Cook.__schema__, GIVEN)
    assert condition.text().replace('"', "'") == same


def test_a_parameter_has_the_value_of_the_call():
    condition = condition_from_text("on[place] == any and eggs < count", Cook.__schema__, GIVEN)
    state = Cook(on={"lake": "b"}).frozen()
    assert condition.evaluate(state, (3, "lake", "b")) is True
    assert condition.evaluate(state, (2, "lake", "b")) is False


def test_a_value_is_read():
    value = expression_from_text("wanted * 2 - count", Cook.__schema__, GIVEN)
    assert value.evaluate(Cook(wanted=5).frozen(), (3, "lake", 0)) == 7
    assert expression_from_text("'the lake'", Cook.__schema__).text() == "'the lake'"


def test_a_text_of_any_length_is_refused_at_once():
    with pytest.raises(BthtnError, match="a text of 3,000,003 letters"):
        condition_from_text("hot and " * 375_000 + "hot", Cook.__schema__)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("eggs becomes 3", ["eggs becomes 3"]),
        (
            "eggs := wanted - count; hot := true",
            ["eggs becomes wanted - count", "hot becomes true"],
        ),
        (
            "eggs increases by count, at becomes place",
            ["eggs increases by count", "at becomes place"],
        ),
        ("eggs -= 1", ["eggs decreases by 1"]),
        ("eggs decreases by count", ["eggs increases by count * -1"]),
        ("eggs:=3", ["eggs becomes 3"]),
        ("on[place] := unknown", ["on[place] becomes unknown"]),
        ("hot := (eggs > 2)", ["hot becomes eggs > 2"]),
    ],
)
def test_changes_are_read(text, same):
    assert [one.text() for one in changes_from_text(text, Cook.__schema__, GIVEN)] == same


@pytest.mark.parametrize(
    ("read", "text", "code", "said", "column"),
    [
        (condition_from_text, "eggs < at + 1", "BT411", "'at' is no number", 8),
        (condition_from_text, "eggs < heat and eggs == place", "BT411", "'place' is str", 25),
        (condition_from_text, "place == sea", "BT106", "'place' cannot be 'sea'", 10),
        (condition_from_text, "near[place] and hot", "BT411", "has no index 'place'", 1),
        (condition_from_text, "near[place, far]", "BT106", "'near' has no index 'far'", 1),
        (condition_from_text, "eggs +", "BT411", "a value is missing", 7),
        (condition_from_text, "eggs + 1", "BT411", "'eggs + 1' is no condition", 1),
        (condition_from_text, "cnt > 1", "BT102", "no fluent 'cnt'", 1),
        (changes_from_text, "", "BT411", "a fluent is missing", 1),
        (changes_from_text, "count := 1", "BT411", "'count' is no fluent", 1),
        (changes_from_text, "eggs 3", "BT411", "a change is missing", 6),
        (changes_from_text, "eggs increases 3", "BT411", "'by' is missing", 17),
        (changes_from_text, "eggs := lots", "BT106", "'eggs' cannot be 'lots'", 9),
        (changes_from_text, "eggs := place", "BT106", "'eggs' is int", 9),
        (changes_from_text, "at += 1", "BT106", "cannot grow", 7),
        (changes_from_text, "eggs := 3; hut := 1", "BT102", "no fluent 'hut'", 12),
        (changes_from_text, "eggs := 3 4", "BT411", "behind the end", 11),
    ],
)
def test_a_fault_of_what_has_parameters_has_a_column(read, text, code, said, column):
    with pytest.raises(BthtnError, match=code) as caught:
        read(text, Cook.__schema__, GIVEN)
    (one,) = caught.value.diagnostics
    assert said in one.message
    assert one.where.endswith(f"column {column}")


@pytest.mark.parametrize(
    "text", ["at == “lake”", "“at” == lake", "at == \u2018lake\u2019", "pair[“a”]"]
)
def test_typographic_quotes_are_refused_with_the_straight_ones_to_write(text):
    with pytest.raises(BthtnError) as caught:
        condition_from_text(text, Cook.__schema__)
    (fault,) = caught.value.diagnostics
    assert fault.message.endswith("is no quote here")
    assert fault.hint == 'write straight ones: "…"'


@pytest.mark.parametrize("text", ["at == ann’s", "at == 'the “lake”'"])
def test_typographic_marks_in_a_word_and_in_straight_quotes_are_text(text):
    assert condition_from_text(text, Cook.__schema__).text()


def test_an_index_in_quotes_is_the_text_in_them():
    assert condition_from_text('pair["a"]', Cook.__schema__) is Cook.pair["a"]
    assert condition_from_text("pair['a]']", Cook.__schema__) is Cook.pair["a]"]


def test_an_index_in_quotes_is_no_parameter():
    found = condition_from_text('near["place", count]', Cook.__schema__, GIVEN)
    assert found.text((3, "lake")) == "near[place, 3]"


def test_an_index_whose_quote_is_never_closed_is_refused():
    with pytest.raises(BthtnError, match="cannot stand here") as caught:
        condition_from_text('pair["a]', Cook.__schema__)
    assert caught.value.diagnostics[0].hint == "close it, and quotes in it"
