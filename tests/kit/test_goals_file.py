"""Lists of goals in sheets, by priority and by utility."""

import pytest

from bthtn import Domain, Fluent, Primitive, State, fluent, primitive
from bthtn.behaviours import Agent, PriorityGoals, UtilityGoals
from bthtn.errors import InputError
from bthtn.kit import read_goals
from bthtn.testing import ticks


class Guard(State):
    health: Fluent[int] = fluent(default=100)
    alarm: Fluent[bool] = fluent(default=False)
    mood: Fluent[str] = fluent(default="calm")


yard = Domain("yard", Guard)
rest = yard.primitive("rest", duration=50)
patrol = yard.primitive("patrol", duration=50)


@yard.primitive
def chase(whom: str) -> Primitive:
    return primitive(duration=50)


@pytest.fixture
def read(tmp_path):
    def read_it(text, name="t.csv"):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return read_goals(path, yard)

    return read_it


def rex():
    return Agent("Rex", yard, Guard(), body=None, strict=True)


PRIORITY = "Goal,When\nchase(cat),alarm and health > 20\nrest,health < 50\npatrol,\n"
UTILITY = """\
Name;Goal;When;Utility
hunt;chase(cat);alarm;90
nap;rest;;100 - health
walk;patrol;;30
"""
TOML = """\
[[row]]
name = "hunt"
goal = "chase(cat)"
when = "alarm"
utility = 90
[[row]]
name = "nap"
goal = "rest"
utility = "100 - health"
[[row]]
name = "walk"
goal = "patrol"
utility = 30
"""


def test_goals_by_priority_are_pursued_in_the_order_of_the_rows(read):
    agent = rex()
    root = read(PRIORITY).behaviour("Rex", agent, period=2)
    assert isinstance(root, PriorityGoals)
    pursued = []
    for changed in ({}, {Guard.health: 40}, {Guard.alarm: True}, {Guard.health: 10}):
        for fluent_, value in changed.items():
            agent.believe(fluent_, value)
        ticks(root, 2)
        pursued.append(root.tip().name)
    assert pursued == ["patrol", "rest", "chase('cat')", "rest"]


@pytest.mark.parametrize(("text", "name"), [(UTILITY, "t.csv"), (TOML, "t.toml")])
def test_goals_with_utilities_are_pursued_by_them(read, text, name):
    agent = rex()
    root = read(text, name).behaviour("Rex", agent)
    assert isinstance(root, UtilityGoals)
    pursued = []
    for changed in ({}, {Guard.health: 40}, {Guard.alarm: True}, {Guard.health: 5}):
        for fluent_, value in changed.items():
            agent.believe(fluent_, value)
        ticks(root, 1)
        pursued.append(root.current_child.name)
    assert pursued == ["walk", "nap", "hunt", "nap"]


def test_a_sheet_is_read_once_for_many_agents(read):
    table = read(UTILITY)
    trees = [table.behaviour(name, rex(), inertia=5) for name in ("a", "b")]
    assert [tree.inertia for tree in trees] == [5, 5]
    assert trees[0].children[0] is not trees[1].children[0]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Goal\nchace(cat)\n", r"'chace'\n.*t.csv:2, column Goal.*\n.*'chase'"),
        ("Goal\nchase\n", r"'chase' takes whom.*\n.*t.csv:2, column Goal"),
        ("Goal,When\nrest,alram\n", r"no fluent 'alram'\n.*t.csv:2, column When.*\n.*'alarm'"),
        ("Goal,When\nrest,health\n", r"'health' is int\n.*column When"),
        ("Goal,Utility\nrest,much\n", r"no fluent 'much'\n.*column Utility"),
        ("Goal,Utility\nrest,mood\n", r"Utility is 'mood'\n.*column Utility\n.*100 - health"),
        ("Goal,Utility\nrest,alarm\n", "Utility is 'alarm'"),
        (
            "Goal,Utility\nrest,1\npatrol,\n",
            r"without a utility .*: patrol\n.*t.csv\n.*all of them",
        ),
        ("Goal,When\n,alarm\n", r"the row has no Goal\n.*t.csv:2\n.*a task"),
        ("Goal\nrest\nrest\n", r"two rows are for 'rest'\n.*t.csv:3"),
        ("Goal,Wenn\nrest,alarm\n", r"no column 'Wenn'\n.*\n.*'When'"),
        ("Goal,When\nrest,__import__('os')\n", r"column When"),
        ("Goal,Utility\nrest,health ** 9\n", r"column Utility"),
    ],
)
def test_what_is_wrong_in_a_sheet_of_goals_is_reported_with_its_place(read, text, what):
    with pytest.raises(InputError, match=what):
        read(text)
