"""Sheets, trees and characters of files that somebody crafted: none runs code, each is refused."""

import os
from types import SimpleNamespace

import pytest

from bthtn import BthtnError, Domain, Fluent, FluentFamily, State, fluent, fluents
from bthtn.behaviours import Operators
from bthtn.kit import read_character, read_goals, read_lottery, read_roles

CODE = (
    "__import__('os').system('touch canary')",
    "open('canary', 'w')",
    "exec(\"open('canary', 'w')\")",
    "health.__class__.__mro__",
    "().__class__.__bases__[0].__subclasses__()",
    "(lambda: open('canary', 'w'))()",
    "[open('canary', 'w') for x in (1,)]",
    "{open('canary', 'w'): 1}",
    "f'{open(chr(99))}'",
    "health if open('canary', 'w') else 1",
    "=cmd|'/C touch canary'!A0",
    "health := open('canary', 'w')",
    "9 ** 9 ** 9 ** 9",
    "'x' * 10 ** 10",
)
"""Texts that would run code, or take long, for whoever evaluates them."""


class Enemy(State):
    health: Fluent[int] = fluent(default=100)
    near: Fluent[bool] = fluent(default=True)
    may_attack: FluentFamily[str, bool] = fluents(default=False)


melee = Domain("melee", Enemy)
melee.primitive("hit")

TREE = """<root BTCPP_format="4"><BehaviorTree ID="guard">
  <PlanGoal name="duty" goal="hit"/>
</BehaviorTree></root>"""
TASKS = """<root BTCPP_format="4"><BehaviorTree ID="hit"><Sequence>
  <ModifyState set="health += 1"/><Command name="go"/></Sequence></BehaviorTree></root>"""
SETTINGS = 'finished = "health >= 200"\n\n[beliefs]\nhealth = 100\n'


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def attribute(text):
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def toml(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def sheet(name, text, read):
    def act(folder):
        (folder / name).write_text(text, "utf-8")
        read(folder / name)

    return act


def files(**texts):
    """Reads a character of files, of which some are others."""

    def act(folder):
        for name, text in {"tree": TREE, "tasks": TASKS, "character": SETTINGS, **texts}.items():
            suffix = "toml" if name == "character" else "xml"
            (folder / f"{name}.{suffix}").write_text(text, "utf-8")
        operators = Operators(simulates_others=True)
        read_character(folder, SimpleNamespace(operators=operators)).character()

    return act


CRAFTED = {
    f"{where}: {text}": act
    for text in CODE
    for where, act in {
        "when of a lottery": sheet(
            "lottery.csv",
            f"Name,When\nJab,{quoted(text)}\n",
            lambda file: read_lottery(file, Enemy),
        ),
        "goal": sheet("goals.csv", f"Goal\n{quoted(text)}\n", lambda file: read_goals(file, melee)),
        "utility of a goal": sheet(
            "goals.csv",
            f"Goal,Utility\nhit,{quoted(text)}\n",
            lambda file: read_goals(file, melee),
        ),
        "fitness of a role": sheet(
            "roles.csv",
            f"Role,Count,Fitness\nfront,1,{quoted(text)}\n",
            lambda file: read_roles(file, Enemy),
        ),
        "end of a character": files(character=SETTINGS.replace('"health >= 200"', toml(text))),
        "assignment of a task": files(
            tasks=TASKS.replace('"health += 1"', f'"{attribute("health = " + text)}"')
        ),
        "goal of a tree": files(tree=TREE.replace('"hit"', f'"{attribute(text)}"')),
        "name of a node": files(
            tree=TREE.replace("<PlanGoal", f'<Action ID="{attribute(text)}"/><PlanGoal')
        ),
    }.items()
} | {
    "a class as a node": files(tree=TREE.replace("PlanGoal", "os.system")),
    "a document type": files(tree=f'<!DOCTYPE a [<!ENTITY b "x">]>{TREE}'),
    "entities of entities": files(
        tree='<!DOCTYPE a [<!ENTITY b "xxxx"><!ENTITY c "&b;&b;&b;">]><root>&c;</root>'
    ),
    "an entity that is a file": files(
        tree='<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><root>&b;</root>'
    ),
    "an include that is a device": files(
        tree=TREE.replace("<BehaviorTree", '<include path="/dev/zero"/><BehaviorTree', 1)
    ),
    "a tree that is too deep": files(tree="<a>" * 3_000 + "</a>" * 3_000),
    "a tree that is too large": files(tree=f"<root>{'<a/>' * 60_000}</root>"),
    "settings that are too deep": files(character="finished = " + "[" * 5_000),
    "a number that is too long": files(character=SETTINGS.replace("100", "9" * 9_000)),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_file_is_refused_and_runs_nothing(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = set(os.listdir(tmp_path))
    with pytest.raises(BthtnError) as refused:
        CRAFTED[name](tmp_path)
    assert len(refused.value.diagnostics) >= 1
    assert not {"canary", "c"} & (set(os.listdir(tmp_path)) - before)


def test_the_files_that_are_changed_are_right(tmp_path):
    files()(tmp_path)
