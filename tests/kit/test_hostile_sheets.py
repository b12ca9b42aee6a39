"""Sheets that were broken at random are read or refused, and never raise anything else."""

import random
from collections import Counter
from typing import Literal

import pytest

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    State,
    fluent,
    fluents,
    method,
    primitive,
)
from bthtn.errors import InputError
from bthtn.kit import (
    read_goals,
    read_groups,
    read_lottery,
    read_roles,
    read_skill_table,
    read_skills,
)
from bthtn.kit.sheets import sheet_findings
from tests.sizes import size

MUTATIONS = size(quick=600, thorough=14_000, night=100_000)


class Enemy(State):
    distance: Fluent[float] = fluent(default=2.0)
    health: Fluent[int] = fluent(default=100)
    stance: Fluent[Literal["calm", "rage"]] = fluent(default="calm")
    near: Fluent[bool] = fluent(default=True)
    may_attack: FluentFamily[str, bool] = fluents(default=False)


melee = Domain("melee", Enemy)


@melee.primitive
def strike(animation: Literal["slash", "bash"], reach: float, times: int) -> Primitive:
    return primitive(precondition=Enemy.distance < reach)


@melee.compound
def attack(animation: Literal["slash", "bash"], reach: float, times: int) -> Methods:
    yield method(strike(animation, reach, times))


READERS = {
    "lottery": lambda path: read_lottery(path, Enemy),
    "skills": lambda path: read_skills(path, melee),
    "kinds": lambda path: read_skill_table(path, Domain("enemy", Enemy), {"melee": melee}),
    "goals": lambda path: read_goals(path, melee),
    "groups": lambda path: read_groups(path, Enemy),
    "roles": lambda path: read_roles(path, Enemy),
}
SHEETS = {
    "lottery.csv": """\
Name,ActionName,Stance,RangeMin,RangeMax,Priority,Weight,WeightInc,WeightGroup,may_attack[x],When
Jab,Jab,,,3,1,50,50,,true,
Swing,FullSwing,rage,2,5,1,10.5,10,big,,near and not health < 3
""",
    "skills.csv": "Skill;Template;Animation;Reach;Times\nSlash;attack;slash;2.5;1\nB;attack;;;\n",
    "kinds.csv": 'Kind\tSkills\nrat\t\nogre\tmelee\nimp\t"melee, "\n',
    "goals.csv": 'Name,Goal,When,Utility\nhit,"attack(slash, 2, 1)",near,100 - health\n'
    "hit2,\"attack('bash', 2.5, 1)\",(near or health > 3),7\n",
    "groups.csv": "Group,Right,Attackers,Term,Reach\nsquad,may_attack,2,20,12.5\n",
    "roles.csv": "Role,Count,When,Fitness\nfront,2,health > 30,health * 2\nhealer,1,near,\n",
    "lottery.toml": """\
columns = { Gewicht = "Weight", Notiz = "" }
[[row]]
name = "Jab"
Gewicht = 50
Notiz = "x"
when = { "distance <=" = 3, "may_attack[x]" = true }
[[row]]
name = "Swing"
priority = 2
when = "stance == rage"
""",
    "skills.toml": '[[row]]\nskill = "A"\ntemplate = "attack"\nreach = 3\nanimation = "bash"\n',
    "kinds.toml": '[[row]]\nkind = "ogre"\nskills = ["melee"]\n[[row]]\nkind = "rat"\n',
    "goals.toml": '[[row]]\ngoal = "attack(slash, 2, 3)"\nwhen = "near"\nutility = "health // 2"\n',
    "groups.toml": '[[row]]\ngroup = "squad"\nright = "may_attack"\nattackers = 1\n',
    "roles.toml": 'row = [{ role = "a", count = 2 }, { role = "b", count = 1, when = "near" }]\n',
}
PIECES = (
    *",;\t\"'\n\r=<>!()[]{}|&~#+-*/%.\\\0\ufeff\u2028é",
    *("", " ", "9" * 30, "9" * 5_000, "nan", "-1", "0", "1e999", "true", "none", "unknown", '"""'),
    *("[[row]]", "sheet = 'x.csv'", "columns = 3", "not ", " and ", "((((", "[" * 2_000, "(" * 200),
    *("near", "health", "stance", "attack", "melee", "a = 1", "{a = {b = [1]}}", "1979-05-27"),
)


def mutated(text, draw):
    """The text with up to three random changes."""
    for _ in range(draw.randint(1, 3)):
        start = draw.randrange(len(text) + 1)
        end = min(len(text), start + draw.choice((0, 0, 1, 1, 2, 5, 20)))
        piece = draw.choice((draw.choice(PIECES), text[start:end] * 2, ""))
        text = text[:start] + piece + text[end:]
    return text


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_with_random_changes_is_read_or_refused(name, tmp_path):
    draw = random.Random(name)  # noqa: S311 - the same every time
    path, read = tmp_path / name, READERS[name.partition(".")[0]]
    outcomes = Counter()
    for _ in range(MUTATIONS // len(SHEETS)):
        text = mutated(SHEETS[name], draw)
        path.write_bytes(text.encode())
        outcome, faults = "read", ()
        try:
            read(path)
        except InputError as error:
            outcome, faults = "refused", error.diagnostics
        except Exception as error:
            raise AssertionError(text) from error
        assert all(str(tmp_path) in one.where + one.message for one in faults), text
        outcomes[outcome] += 1
    assert min(outcomes["read"], outcomes["refused"]) > MUTATIONS // len(SHEETS) // 40, outcomes


@pytest.mark.parametrize("name", SHEETS)
def test_the_sheets_that_are_changed_are_right(name, tmp_path):
    path = tmp_path / name
    path.write_text(SHEETS[name], "utf-8")
    READERS[name.partition(".")[0]](path)


def test_a_file_of_another_name_is_no_sheet(tmp_path):
    (tmp_path / "notes.csv").write_text("broken", "utf-8")
    assert not list(sheet_findings([tmp_path / "notes.csv"], melee.freeze(), {}))
