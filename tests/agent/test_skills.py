"""Skills: which agent has which domains beside the common one."""

import pytest

from bthtn import Domain, Methods, State, find_plan, method
from bthtn.agent.skills import SkillTable
from bthtn.errors import DomainError


class Enemy(State):
    pass


enemy = Domain("enemy", Enemy)
wait = enemy.primitive("wait")


@enemy.extension_point
def attack_main() -> Methods:
    yield from ()


@enemy.compound
def battle() -> Methods:
    yield method(attack_main())
    yield method(wait())


def skill(name):
    domain = Domain(name, Enemy)
    act = domain.primitive(name)

    def attack_main() -> Methods:
        yield method(act())

    domain.extension_point(attack_main)
    return domain


JAB, SLAM = skill("jab"), skill("slam")
TABLE = SkillTable(enemy, {"rat": (), "goblin": (JAB,), "ogre": (SLAM, JAB)})


@pytest.mark.parametrize(("kind", "step"), [("rat", "wait"), ("goblin", "jab"), ("ogre", "slam")])
def test_each_kind_does_what_the_table_says(kind, step):
    (found,) = find_plan(TABLE.domain(kind), Enemy(), battle()).steps
    assert str(found) == step


def test_agents_with_the_same_skills_share_a_domain():
    assert TABLE.domain("goblin") is TABLE.with_skills([JAB.freeze()])
    assert TABLE.domain("rat") is TABLE.base is enemy.freeze()
    assert TABLE.domain("ogre") is not TABLE.with_skills([JAB.freeze(), SLAM.freeze()])


def test_an_unknown_kind_is_told():
    with pytest.raises(DomainError, match="did you mean 'goblin'") as caught:
        TABLE.domain("gobin")
    assert caught.value.code == "BT124"
    assert TABLE.kinds == ("rat", "goblin", "ogre")


def test_skills_that_clash_are_told_before_anybody_plans():
    with pytest.raises(DomainError, match="both have a task 'jab'"):
        SkillTable(enemy, {"goblin": (JAB, skill("jab"))})
