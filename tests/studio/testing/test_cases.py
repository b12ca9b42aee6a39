"""Cases: states and plans that testers write down, and everything that can be wrong there."""

import textwrap
from pathlib import Path

import pytest

from bthtn.errors import BthtnError, InputError
from bthtn.studio.testing.cases import fault_of, read_cases
from bthtn.studio.testing.domain_files import domain_at
from bthtn.studio.testing.locate import domain_of
from bthtn.studio.testing.scenario_files import read_scenario
from bthtn.testing import play

HOUSE = """
from enum import Enum
from bthtn import Domain, Fluent, FluentFamily, Primitive, State, fluent, fluents, method, primitive

class Hour(Enum):
    DAY = 1
    NIGHT = 2

class World(State):
    lit: Fluent[bool] = fluent(default=False)
    hour: Fluent[Hour] = fluent(default=Hour.DAY)
    heat: Fluent[float] = fluent(default=0.5)
    guest: Fluent[str | None] = fluent(default=None, type=str)
    seats: Fluent[tuple[str, ...]] = fluent(default=())
    on: FluentFamily[str, str] = fluents(default="table")

house = Domain("house", World)
light = house.primitive("light", effects=World.lit.becomes(True))
read = house.primitive("read", precondition=World.lit)

@house.primitive
def wait(ticks: int) -> Primitive:
    return primitive(duration=ticks)

@house.compound
def evening():
    yield method(read(), when=World.lit)
    yield method(light(), read(), when=World.hour == Hour.NIGHT)
"""


@pytest.fixture(name="house")
def house_fixture(tmp_path):
    return written(tmp_path, HOUSE)


def written(folder: Path, text: str, name: str = "domain.py") -> Path:
    file = folder / name
    file.write_text(textwrap.dedent(text), "utf-8")
    return file


def read_text(house: Path, text: str):
    domain = domain_at(house)
    return read_cases(written(house.parent, text, "cases.toml"), domain), domain


def faults(house: Path, text: str) -> list[str]:
    cases, _ = read_text(house, text)
    return [fault_of(case) for case in cases]


def mistakes(house: Path, text: str) -> list[tuple[str, str, str]]:
    """Code, message and place of everything that is wrong with the file."""
    with pytest.raises(InputError) as caught:
        read_text(house, text)
    folder = f"{house.parent}/"
    return [
        (one.code, one.message.replace(folder, ""), one.where.replace(folder, ""))
        for one in caught.value.diagnostics
    ]


@pytest.fixture(name="two_houses")
def two_houses_fixture(tmp_path):
    text = """
        from bthtn import Domain, Fluent, State, fluent, method

        class House(State):
            lit: Fluent[bool] = fluent(default=False)

        def built(name, way):
            domain = Domain(name, House)
            light = domain.primitive("light", precondition=~House.lit, cost=5)
            feel = domain.primitive("feel", cost=1)
            def enter():
                yield method({"light": light(), "feel": feel()}[way])
                yield method(feel())
            domain.compound(enter)
            return domain

        house = built("house", "light")
        dark = built("dark house", "feel")
    """
    return written(tmp_path, text)


def test_an_array_is_a_tuple(house):
    cases, _ = read_text(
        house, '[two]\ngiven = { seats = ["a", "b"] }\ntask = "evening"\nexpect = "no plan"'
    )
    assert str(cases[0].state) == "FrozenState(seats=('a', 'b'))"


def test_a_case_may_be_about_another_domain_of_the_file(two_houses):
    text = """
        [at_home]
        task = "enter"
        expect = "light"
        [in_the_dark]
        variant = "dark"
        task = "enter"
        expect = "feel"
        [at_home_again]
        task = "enter"
        expect = "feel"
    """
    cases = read_cases(
        written(two_houses.parent, text, "cases.toml"), domain_at(two_houses, "house")
    )
    assert [case.domain.name for case in cases] == ["house", "dark house", "house"]
    assert [bool(fault_of(case)) for case in cases] == [False, False, True]


def test_a_variant_that_is_not_there_is_the_only_thing_said_of_its_case(two_houses):
    text = """
        [in_the_dark]
        variant = "drak"
        task = "entre"
        expect = "feel"
    """
    with pytest.raises(InputError) as caught:
        read_cases(written(two_houses.parent, text, "cases.toml"), domain_at(two_houses, "house"))
    (one,) = caught.value.diagnostics
    assert (one.code, one.hint) == ("BT408", "did you mean 'dark'?")
    assert one.where == f"{two_houses.parent}/cases.toml:3, case 'in_the_dark', variant"


def test_a_case_may_ask_for_the_cheapest_plan(two_houses):
    text = """
        [dear]
        task = "enter"
        expect = "light"
        [cheap]
        task = "enter"
        cheapest = true
        expect = "feel"
        record = [1]
    """
    cases = read_cases(
        written(two_houses.parent, text, "cases.toml"), domain_at(two_houses, "house")
    )
    assert [fault_of(case) for case in cases] == ["", ""]


def test_a_case_that_holds_has_no_fault(house):
    text = """
        [dark]
        given = { hour = "NIGHT", heat = 1, guest = "ann", "on[cup]" = "shelf" }
        task = "evening"
        expect = "(light, read)"
        record = [1]

        [bright]
        given.lit = true
        task = "evening"
        expect = "read"

        [day]
        task = "evening"
        expect = "no plan"
        because = "hour == NIGHT is false: hour = DAY"

        [nobody_knows]
        given = { lit = "unknown", guest = "none" }
        task = "evening"
        expect = "suspended(evening)"

        ["a step at a time"]
        given = { hour = "NIGHT" }
        task = "evening"
        horizon = 1
        expect = "(light, suspended(read))"

        [until_tea]
        task = "wait(3)"
        horizon_time = 2.5
        expect = "wait(3)"
    """
    assert faults(house, text) == [""] * 6


def test_a_fault_shows_what_was_expected_and_what_came(house):
    text = """
        [plan]
        given.lit = true
        task = "evening"
        expect = "(light, read)"

        [record]
        given.lit = true
        task = "evening"
        expect = "read"
        record = [1]

        [a_plan_after_all]
        given.lit = true
        task = "evening"
        expect = "no plan"

        [none_after_all]
        task = "evening"
        expect = "read"

        [another_reason]
        task = "evening"
        expect = "no plan"
        because = "it is too late"
    """
    nothing = (
        "actual    no plan, because\n"
        "evening, method 0: lit is false: lit = false\n"
        "evening, method 1: hour == NIGHT is false: hour = DAY"
    )
    trees = "  expected    actual\n✗ sequence    read\n    light\n    read"
    planned_from = (
        "planned from: lit = true\n"
        "evening, method 1: comes later, and does not work\n"
        "  hour == NIGHT is false: hour = DAY"
    )
    differs = f"actual    read\nactual record    [0]\n\n{trees}"
    assert faults(house, text) == [
        f"expected  (light, read)\n{differs}\n\n{planned_from}",
        f"expected record  [1]\nactual record    [0]\n\n{planned_from}",
        f"expected  no plan\nactual    read\nactual record    [0]\n\n{planned_from}",
        f"expected  read\n{nothing}",
        f"expected  no plan, because of 'it is too late'\n{nothing}",
    ]


def test_a_plan_may_be_expected_by_a_pattern(house):
    text = """
        [open]
        given.lit = true
        task = "evening"
        expect = "?step"

        [another]
        given.lit = true
        task = "evening"
        expect = "(*, read)"

        [none]
        task = "evening"
        expect = "*"
    """
    open_one, another, none = faults(house, text)
    assert open_one == ""
    assert another.startswith("expected  (*, read)\nactual    read\n")
    assert none.startswith("expected  *\nactual    no plan, because\n")
    with pytest.raises(InputError, match="there is no task 'raed'"):
        faults(house, '[misspelt]\ntask = "evening"\nexpect = "(*, raed)"')


def test_a_search_that_fails_is_a_fault(tmp_path):
    domain = """
        from bthtn import Domain, State, method
        broken = Domain("broken", State)
        broken.primitive("step", precondition=lambda state: 1 / 0)
    """
    text = '[x]\ntask = "step"\nexpect = "step"\n'
    (fault,) = faults(written(tmp_path, domain), text)
    assert fault.startswith("[BT201] ")
    assert "ZeroDivisionError" in fault


def test_everything_that_is_wrong_is_told_at_once_with_its_line(house):
    text = """\
        stray = 1
        [a]
        given = { litt = true, lit = 3, hour = "NOON" }
        task = "evning"
        expect = "(light, raed"
        recrd = [1]
        [b]
        given.lit = "yes"
        given.hour = "NIGHT"
        given."on[cup]" = 3
        given."in[cup]" = "x"
        task = "wait(soon)"
        expect = "(lihgt, raed)"
        [c]
        horizon = true
        record = [1, false]
        horizon_time = "x"
        task = 3
        [d]
        task = "evening"
        expect = "no plan"
        record = []
        horizon = 0
        [e]
        task = "evening"
        expect = "read"
        because = "it is dark"
        ["f.g".given]
        lit = 0.5
    """
    found = set(mistakes(house, text))
    assert found == {
        ("BT405", "'stray' stands outside of any case", "cases.toml:1, case 'stray'"),
        ("BT102", "World has no fluent 'litt'", "cases.toml:3, case 'a', given, litt"),
        ("BT106", "'lit' is bool; 3 is int", "cases.toml:3, case 'a', given, lit"),
        ("BT106", "'hour' cannot be 'NOON'", "cases.toml:3, case 'a', given, hour"),
        ("BT101", "no task is called 'evning'", "cases.toml:4, case 'a', task, column 1"),
        (
            "BT406",
            "expected ',' or ')' before the end",
            "cases.toml:5, case 'a', expect, column 13",
        ),
        ("BT405", "a case has no 'recrd'", "cases.toml:6, case 'a', recrd"),
        ("BT106", "'lit' is bool; 'yes' is str", "cases.toml:8, case 'b', given, lit"),
        ("BT106", "'on[cup]' is str; 3 is int", "cases.toml:10, case 'b', given, on[cup]"),
        ("BT102", "World has no fluent 'in[cup]'", "cases.toml:11, case 'b', given, in[cup]"),
        ("BT103", "'ticks' is int and cannot be soon", "cases.toml:12, case 'b', task, column 1"),
        ("BT101", "no task is called 'lihgt'", "cases.toml:13, case 'b', expect, column 2"),
        ("BT101", "no task is called 'raed'", "cases.toml:13, case 'b', expect, column 9"),
        ("BT405", "'horizon' is a whole number", "cases.toml:15, case 'c', horizon"),
        ("BT405", "'record' is a list of whole numbers", "cases.toml:16, case 'c', record"),
        ("BT405", "'horizon_time' is a number", "cases.toml:17, case 'c', horizon_time"),
        ("BT405", "'task' is a text", "cases.toml:18, case 'c', task"),
        ("BT405", "the case has no 'expect'", "cases.toml:14, case 'c'"),
        (
            "BT405",
            "'record' says nothing of a case without a plan",
            "cases.toml:22, case 'd', record",
        ),
        ("BT202", "horizon is 0", "cases.toml:23, case 'd', horizon"),
        (
            "BT405",
            "'because' says nothing of a case with a plan",
            "cases.toml:27, case 'e', because",
        ),
        ("BT106", "'lit' is bool; 0.5 is float", "cases.toml:29, case 'f.g', given, lit"),
        ("BT405", "the case has no 'task'", "cases.toml:28, case 'f.g'"),
        ("BT405", "the case has no 'expect'", "cases.toml:28, case 'f.g'"),
    }


def test_the_nearest_right_word_is_named(house):
    with pytest.raises(InputError) as caught:
        read_text(house, '[a]\ntask = "evning"\nexpct = "read"\ngiven = { litt = true }\n')
    hints = {one.hint for one in caught.value.diagnostics}
    assert {"did you mean 'evening'?", "did you mean 'expect'?", "did you mean 'lit'?"} <= hints


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[a\n", "cases.toml:1:3"),
        ("[a]\ntask = evening\n", "cases.toml:2:8"),
        ("[a]\n[a]\n", "cases.toml:2:3"),
        ("[a]\nx = 1\nx = 2\n", "cases.toml:3:6"),
        ('[a]\nexpect = """', "cases.toml"),
        ("x = " + "[" * 100_000, "cases.toml"),
    ],
)
def test_what_is_not_toml_is_told_with_its_place(house, text, where):
    ((code, message, place),) = mistakes(house, text)
    assert code == "BT405"
    assert message.startswith("not TOML: ")
    assert "at line" not in message
    assert place.startswith(where)


def test_keys_inside_of_long_values_are_not_mistaken_for_places(house):
    text = '''\
        [a]
        task = "evening"
        expect = """
        (light,
        task = 3
        [b]
        """
        record = [
        [1,
        2]]
    '''
    places = [where for _, _, where in mistakes(house, text)]
    assert places == [
        "cases.toml:3, case 'a', expect, column 14",
        "cases.toml:8, case 'a', record",
    ]


def test_a_file_without_cases_has_none(house):
    assert faults(house, "# nothing yet\n") == []


def test_a_file_that_cannot_be_read_is_told(house, tmp_path):
    domain = domain_at(house)
    for path in (tmp_path / "missing.toml", tmp_path):
        with pytest.raises(InputError, match="BT404"):
            read_cases(path, domain)
    (tmp_path / "latin.toml").write_bytes(b'[a]\nname = "\xe4"\n')
    with pytest.raises(InputError, match="not a text in UTF-8"):
        read_cases(tmp_path / "latin.toml", domain)


def test_a_case_may_have_a_condition_in_place_of_a_task(tmp_path):
    domain = domain_at(
        written(
            tmp_path,
            """
            from bthtn import Domain, Fluent, State, fluent


            class Lamp(State):
                lit: Fluent[bool] = fluent(default=False)


            lamp = Domain("lamp", Lamp)
            lamp.primitive("light", effects=Lamp.lit.becomes(True))
            """,
            "domain.py",
        )
    )
    text = """
        [dark]
        achieve = "lit"
        expect = "light"

        [wrong]
        achieve = "lit"
        expect = "null"
        """
    right, wrong = read_cases(written(tmp_path, text, "cases.toml"), domain)
    assert fault_of(right) == ""
    assert "actual    light" in fault_of(wrong)
    alone = 'domain = "domain.py"\nachieve = "lit"\nforward = true\nexpect = "light"\n'
    assert fault_of(read_scenario(written(tmp_path, alone, "one.scenario.toml"))) == ""
    both = '[a]\nachieve = "lit"\ntask = "light"\nexpect = "light"\n[b]\nachieve = "lti"\n'
    with pytest.raises(BthtnError) as caught:
        read_cases(written(tmp_path, both, "cases.toml"), domain)
    said = [(one.code, one.message) for one in caught.value.diagnostics]
    assert ("BT405", "the case has a 'task' and something to 'achieve'") in said
    assert any(code == "BT102" and "lti" in message for code, message in said)


# a scenario that names a domain is a case


def read_alone(house: Path, text: str):
    return read_scenario(written(house.parent, text, "one.scenario.toml"))


HOLDS = """
given = { hour = "NIGHT" }
task = "evening"
expect = "(light, read)"
record = [1]
"""


@pytest.mark.parametrize(
    "table",
    [
        HOLDS,
        HOLDS.replace("[1]", "[0]"),
        HOLDS.replace("(light, read)", "(*, light)"),
        'task = "evening"\nexpect = "no plan"\nbecause = "it is too late"\n',
        'given.lit = true\ntask = "evening"\nhorizon = 1\nexpect = "read"\n',
    ],
)
def test_a_scenario_of_a_domain_says_what_the_same_table_says_among_cases(house, table):
    alone = read_alone(house, f'domain = "domain.py"\n{table}')
    (fault,) = faults(house, f"[one]\n{table}")
    assert alone.name == "one"
    assert (play(alone).fault, play(alone).ticks) == (fault, ())


@pytest.mark.parametrize(
    ("name", "task"),
    [("combat", "fight"), ("domains/combat", "fight"), ("troll:sketch", "attack_enemy")],
)
def test_a_scenario_may_name_a_domain_or_a_variant_that_is_listed(house, name, task):
    case = read_alone(house, f'domain = "{name}"\ntask = "{task}"\nexpect = "*"\n')
    assert case.domain.name == domain_of(name).name
    assert fault_of(case) == ""


def test_what_is_wrong_in_a_scenario_of_a_domain_is_told_at_once_with_its_line(house):
    text = """\
        domain = "domain.py"
        given = { litt = true }
        task = "evning"
        ticks = 3
        record = ["x"]
    """
    with pytest.raises(InputError) as caught:
        read_alone(house, text)
    found = {
        (one.code, one.message, one.where.replace(f"{house.parent}/", ""))
        for one in caught.value.diagnostics
    }
    assert found == {
        ("BT102", "World has no fluent 'litt'", "one.scenario.toml:2"),
        ("BT101", "no task is called 'evning'", "one.scenario.toml:3, column 1"),
        ("BT405", "a case has no 'ticks'", "one.scenario.toml:4"),
        ("BT405", "'record' is a list of whole numbers", "one.scenario.toml:5"),
        ("BT405", "the case has no 'expect'", "one.scenario.toml:1"),
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('task = "evening"\n', "it names no domain"),
        ('tree = "soldier"\ntask = "fight"\n', "a case has no 'tree'"),
        ('domain = "combt"\ntask = "fight"\n', "did you mean 'combat'?"),
        ('domain = "../domain.py"\ntask = "evening"\n', "there is no domain '../domain.py'"),
        ('domain = "soldier"\ntask = "fight"\n', "there is no domain 'soldier'"),
    ],
)
def test_a_plan_needs_a_domain_that_the_file_may_name(house, text, words):
    (house.parent / "below").mkdir()
    file = written(house.parent / "below", text + 'expect = "*"\n', "one.scenario.toml")
    with pytest.raises(InputError) as caught:
        read_scenario(file)
    assert words in str(caught.value)
