"""Rights of groups and roles in sheets."""

import pytest

from bthtn import Domain, Fluent, FluentFamily, State, fluent, fluents
from bthtn.behaviours import Agent
from bthtn.errors import InputError
from bthtn.kit import CombatUnits, grouped, read_groups, read_roles
from bthtn.kit.sheets import sheet_findings


class Soldier(State):
    health: Fluent[int] = fluent(default=100)
    medkit: Fluent[bool] = fluent(default=False)
    may_attack: FluentFamily[str, bool] = fluents(default=False)
    seen: FluentFamily[str, int] = fluents(default=0)


army = Domain("army", Soldier)
army.primitive("stand")

GROUPS = "Group,Right,Attackers,Term,Reach\nsquad,may_attack,1,3,5\npair,may_attack,,,\n"
ROLES = """\
Role,Count,When,Fitness
healer,1,medkit,100 - health
front,2,health > 30,health
"""


def soldier(name, **beliefs):
    return Agent(name, army, Soldier(**beliefs), body=None)


@pytest.fixture
def put(tmp_path):
    def put_it(text, name="t.csv"):
        (tmp_path / name).write_text(text, "utf-8")
        return tmp_path / name

    return put_it


def test_what_is_wrong_in_a_sheet_of_groups_is_found_among_all_sheets(put):
    sheets = [put(GROUPS, "groups.csv"), put(ROLES, "roles.csv")]
    assert sheet_findings(sheets, army.freeze(), {}) == []
    sheets[0] = put(GROUPS.replace("may_attack", "may_atack"), "groups.csv")
    first, second = sheet_findings(sheets, army.freeze(), {})
    assert "may_atack" in first.message
    assert (first.where, second.where) == tuple(
        f"{sheets[0]}:{line}, column Right" for line in (2, 3)
    )


def test_r003_14_a_group_grants_the_rights_of_its_row(put):
    groups = read_groups(put(GROUPS), Soldier)
    head = groups["squad"].coordinator()
    al, bo = soldier("Al"), soldier("Bo")
    for one in (al, bo):
        head.join(one)
        head.ask(one, "ogre")
    held = []
    for _ in range(5):
        head.step()
        held.append([one.name for one in (al, bo) if one.beliefs.now.may_attack["ogre"]])
    assert held == [["Al"], ["Al"], ["Al"], ["Bo"], ["Bo"]]
    assert (head.name, head.attackers, head.term) == ("squad", 1, 3)
    assert (groups["pair"].attackers, groups["pair"].term, groups["pair"].reach) == (2, None, 10)


def test_the_units_of_a_moving_group_are_coordinated_as_its_row_says(put):
    squad = read_groups(put(GROUPS), Soldier)["squad"]
    units = CombatUnits(squad.coordinator)
    al, bo, cy = (soldier(name) for name in ("Al", "Bo", "Cy"))
    units.regroup(grouped({al: (0, 0), bo: (4, 0), cy: (10, 0)}, squad.reach))
    shown = [(one.name, one.attackers, len(one.members)) for one in units.coordinators]
    assert shown == [("unit 1", 1, 2), ("unit 2", 1, 1)]


def test_r003_14_roles_go_to_the_fittest_who_can_have_them(put):
    roles = read_roles(put(ROLES), Soldier)
    head = read_groups(put(GROUPS, "g.csv"), Soldier)["squad"].coordinator()
    members = {
        "Al": {"health": 90, "medkit": True},
        "Bo": {"health": 40, "medkit": True},
        "Cy": {"health": 20},
        "Di": {"health": 50},
        "Ed": {"health": 45},
    }
    for name, beliefs in members.items():
        head.join(soldier(name, **beliefs))
    assigned = {one.name: role for one, role in roles.assign(head).items()}
    assert assigned == {"Al": "front", "Bo": "healer", "Di": "front"}


def test_who_cannot_say_how_fit_it_is_has_no_role(put):
    roles = read_roles(put("Role,Count,Fitness\nfront,1,100 // health\n"), Soldier)
    head = read_groups(put(GROUPS, "g.csv"), Soldier)["squad"].coordinator()
    head.join(soldier("Al", health=0))
    assert not roles.assign(head)
    head.join(bo := soldier("Bo", health=7))
    assert roles.assign(head) == {bo: "front"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Group,Right\nsquad,may_atack\n", r"called 'may_atack'\n.*t.csv:2, column Right\n.*'may_"),
        ("Group,Right\nsquad,seen\n", r"no family of true and false called 'seen'"),
        ("Group,Right\nsquad,medkit\n", r"no family of true and false called 'medkit'"),
        ("Group,Right\nsquad,\n", r"the row has no Right\n.*t.csv:2"),
        ("Group,Right,Attackers\na,may_attack,0\n", r"Attackers is '0'\n.*t.csv:2, column Attack"),
        ("Group,Right,Term\na,may_attack,2.5\n", r"Term is '2.5'\n.*\n.*a number of ticks above"),
        ("Group,Right,Reech\na,may_attack,2\n", r"no column 'Reech'\n.*\n.*'Reach'"),
    ],
)
def test_what_is_wrong_in_a_sheet_of_groups_is_reported_with_its_place(put, text, what):
    with pytest.raises(InputError, match=what):
        read_groups(put(text), Soldier)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Role,Count\nfront,many\n", r"Count is 'many'\n.*t.csv:2, column Count\n.*whole number"),
        ("Role,Count,When\nfront,1,healt > 3\n", r"no fluent 'healt'\n.*column When.*\n.*'health'"),
        ("Role,Count,Fitness\nfront,1,medkit\n", r"Fitness is 'medkit'\n.*column Fitness"),
        ("Role,Count\nfront,1\nfront,2\n", r"two rows are for 'front'\n.*t.csv:3"),
        ("Role\nfront\n", r"there is no column Count\n.*t.csv:1"),
    ],
)
def test_what_is_wrong_in_a_sheet_of_roles_is_reported_with_its_place(put, text, what):
    with pytest.raises(InputError, match=what):
        read_roles(put(text), Soldier)
