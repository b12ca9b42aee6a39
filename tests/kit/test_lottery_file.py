"""Lottery tables in CSV and TOML."""

from enum import Enum

import pytest

from bthtn import Fluent, FluentFamily, State, fluent, fluents
from bthtn.errors import InputError
from bthtn.kit import read_lottery


class Stance(Enum):
    CALM = "calm"
    RAGE = "rage"


class Fighter(State):
    stance: Fluent[Stance] = fluent(default=Stance.CALM)
    distance: Fluent[float] = fluent(default=2.0)
    hurt: FluentFamily[str, bool] = fluents(default=False)
    phase: Fluent[int] = fluent(default=1)


CSV = """\
ActionName,Priority,Weight,WeightInc,WeightGroup,stance,distance <=,hurt[leg]
Jab,1,50,50,,,3,false

FullSwing,2,10,2.5,big,RAGE,,
"""
TOML = """\
[[row]]
action = "Jab"
priority = 1
weight = 50
increment = 50
when = { "distance <=" = 3, "hurt[leg]" = false }

[[row]]
action = "FullSwing"
priority = 2
weight = 10
increment = 2.5
group = "big"
when = { stance = "RAGE" }
"""


@pytest.fixture
def read(tmp_path):
    def read_it(text, name="table.csv"):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return read_lottery(path, Fighter)

    return read_it


@pytest.mark.parametrize(("text", "name"), [(CSV, "table.csv"), (TOML, "table.toml")])
def test_a_table_is_read(read, text, name):  # R003-09
    jab, swing = read(text, name).rows.values()
    assert (jab.action, jab.priority, jab.weight, jab.increment, jab.group) == (
        "Jab",
        1,
        50,
        50,
        "",
    )
    assert (swing.priority, swing.increment, swing.group) == (2, 2.5, "big")
    assert jab.precondition.evaluate(Fighter(distance=3.0).frozen()) is True
    assert jab.precondition.evaluate(Fighter(distance=3.5).frozen()) is False
    assert jab.precondition.evaluate(Fighter(hurt={"leg": True}).frozen()) is False
    assert swing.precondition.evaluate(Fighter().frozen()) is False
    assert swing.precondition.evaluate(Fighter(stance=Stance.RAGE).frozen()) is True


@pytest.mark.parametrize("sign", ["", "==", "!=", "<", "<=", ">", ">="])
def test_every_comparison_can_be_asked(read, sign):
    (row,) = read(f"action,distance {sign}\nJab,2\n").rows.values()
    asked = [row.precondition.evaluate(Fighter(distance=float(at)).frozen()) for at in (1, 2, 3)]
    expected = {
        "": [False, True, False],
        "==": [False, True, False],
        "!=": [True, False, True],
        "<": [True, False, False],
        "<=": [True, True, False],
        ">": [False, False, True],
        ">=": [False, True, True],
    }
    assert asked == expected[sign]


@pytest.mark.parametrize(
    ("text", "name", "what"),
    [
        (
            "action,weight\nJab,heavy\n",
            "t.csv",
            r"Weight is 'heavy'\n.*t.csv:2, column weight\n.*a number",
        ),
        ("action,priority\nJab,1.5\n", "t.csv", r"a whole number"),
        ("action\tweight\nJab\t2,5\n", "t.csv", r"Weight is '2,5'\n.*:2, column weight\n.*as 2.5"),
        ("action,stanze\nJab,RAGE\n", "t.csv", r"a fluent is called 'stanze'\n.*\n.*'stance'"),
        (
            "action,wieght\nJab,3\n",
            "t.csv",
            r"a column nor .* 'wieght'\n.*:1, column wieght\n.*'Weight'",
        ),
        ("action,stance\nJab,RAGED\n", "t.csv", r"cannot be 'RAGED'\n.*\n.*'RAGE'"),
        ("action,weight\n,3\n", "t.csv", "there is no action"),
        ("action\nJab,3\n", "t.csv", "2 cells under the one heading"),
        ("action\nJab\nJab\n", "t.csv", r"two rows are for 'Jab'\n.*t.csv:3\n.*remove"),
        ("action,weight\nJab,-1\n", "t.csv", r"its weight is -1.0\n.*t.csv:2, row 'Jab'"),
        ("action\n", "t.txt", "t.txt is no sheet"),
        ("[[row]\n", "t.toml", "not TOML"),
        ("weight = 3\n", "t.toml", "'weight' stands outside of rows"),
        ("row = 3\n", "t.toml", "'row' stands outside of rows"),
        (
            "[[row]]\naction = 'Jab'\nwhen = 3\n",
            "t.toml",
            r"'3' is no condition\n.*t.toml:3, column when",
        ),
    ],
)
def test_mistakes_are_told_with_their_place(read, text, name, what):
    with pytest.raises(InputError, match=what):
        read(text, name)


SLIDE = """\
Name,ActionName,Phase,Stance,RangeMin,RangeMax,Priority,Weight,WeightInc,WeightGroup
Jab,Jab,,,,3,1,50,50,
Swing,FullSwing,,RAGE,2,5,1,10,10,big
"""


def holds(row, **values):
    return row.precondition.evaluate(Fighter(**values).frozen())


@pytest.mark.parametrize(
    "change", [str, str.upper, str.lower, lambda line: line.replace("A", " _a")]
)
def test_r003_09_the_columns_of_the_slide_are_read_in_any_case(read, change):
    headings, rows = SLIDE.split("\n", 1)
    jab, swing = read(f"{change(headings)}\n{rows}").rows.values()
    assert (jab.action, swing.action) == ("Jab", "FullSwing")
    assert (swing.priority, swing.weight, swing.increment, swing.group) == (1, 10, 10, "big")
    assert [holds(jab, distance=at) for at in (0.0, 3.0, 3.5)] == [True, True, False]
    rage = Stance.RAGE
    assert [holds(swing, stance=rage, distance=at) for at in (1.0, 2.0, 6.0)] == [
        False,
        True,
        False,
    ]
    assert holds(swing, stance=Stance.CALM) is False


def test_a_condition_on_nothing_is_a_mistake_though_all_its_cells_are_empty(read):
    with pytest.raises(InputError, match=r"'distanse'\n.*:1, column distanse <=\n.*'distance'"):
        read("ActionName,Weight,distanse <=\nJab,50,\nSwing,10,\n")


def test_the_name_of_a_row_is_its_action_where_there_is_no_other(read):
    assert list(read("Name,Weight\nJab,2\n").rows) == ["Jab"]


def test_columns_that_a_team_names_otherwise_are_mapped(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Aktion,Gewicht,Nah,Notiz\nJab,7,3,Werner\n", "utf-8")
    columns = {"aktion": "ActionName", "Gewicht": "Weight", "Nah": "distance <=", "Notiz": ""}
    (row,) = read_lottery(path, Fighter, columns=columns).rows.values()
    assert (row.action, row.weight) == ("Jab", 7)
    assert [holds(row, distance=at) for at in (3.0, 4.0)] == [True, False]


def test_what_a_range_compares_can_be_mapped_in_the_file(read):
    text = 'columns = { RangeMax = "hurt[leg]" }\n[[row]]\nname = "Jab"\nrange_max = true\n'
    (row,) = read(text, "t.toml").rows.values()
    assert [holds(row, hurt={"leg": hurt}) for hurt in (True, False)] == [True, False]


def test_a_condition_can_be_written_as_text(read):
    table = read("action;when\nJab;distance < 3 and not hurt[leg]\nKick;\n")
    jab, kick = table.rows.values()
    assert holds(jab) is True
    assert holds(jab, hurt={"leg": True}) is False
    assert holds(kick, hurt={"leg": True}) is True
    with pytest.raises(InputError, match=r"t?able.csv:2, column when, 'distance <', column 11"):
        read("action,when\nJab,distance <\n")


def test_everything_that_is_wrong_is_told_at_once(read):
    with pytest.raises(InputError) as caught:
        read("action,weight,stance\nJab,heavy,RAGED\nKick,light,\n")
    assert [one.code for one in caught.value.diagnostics] == ["BT410"] * 3


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        read_lottery(tmp_path / "nowhere.csv", Fighter)


def test_a_row_ends_where_a_line_ends_and_nowhere_else(read):
    table = read("action,weight\nJab\u00a0high,2\n")
    assert list(table.rows) == ["Jab\u00a0high"]
    with pytest.raises(InputError, match=r"\[BT125\] an action cannot be called 'Jab.u2028high'"):
        read("action,weight\nJab\u2028high,2\n")
    with pytest.raises(InputError, match=r"\[BT125\] an action cannot be called 'Jab.nhigh'"):
        read('action,weight\n"Jab\nhigh",2\n')


@pytest.mark.parametrize("cell", ["nan", "inf", "1e400"])
def test_a_condition_compares_with_a_finite_number(read, cell):
    with pytest.raises(InputError) as caught:
        read(f"action,distance <=\nJab,{cell}\n")
    (fault,) = caught.value.diagnostics
    assert fault.where.endswith("table.csv:2, column distance <=")
