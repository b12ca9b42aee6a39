"""The pictures beside the worked examples show what the examples do.

``make docs`` draws them anew, with Graphviz.
"""

import re
from pathlib import Path

import pytest

from bthtn import Settings, find_plan
from bthtn.examples.domains.ammunition.domain import Shooter, ammunition
from bthtn.examples.domains.blocks.domain import Table, blocks
from bthtn.examples.domains.club.domain import Fighter, persistent
from bthtn.examples.domains.combat.domain import Soldier, combat, fight
from bthtn.examples.domains.fps.domain import Hunter, fps, unloaded
from bthtn.examples.domains.melee.domain import Attacker, attack_main, melee
from bthtn.examples.domains.ore.domain import Miner, correct_ore, ore
from bthtn.examples.domains.travel.domain import Traveller, move, travel
from bthtn.examples.domains.troll.domain import following, paths, thumper, troll
from bthtn.examples.domains.troll.fighting import Careful
from bthtn.examples.domains.troll.walking import Enduring
from bthtn.studio.views.domain_drawing import domain_dot
from bthtn.studio.views.plan_drawing import plan_dot
from docs.drawn import outdated

ROOT = Path(__file__).resolve().parents[2]
CBA = Table(on={"a": "table", "b": "a", "c": "b"}, is_top={"c": True})
TOWER = (("a", "b"), ("b", "c"), ("c", "table"))


def plan(domain, state, goal, settings=Settings()):  # noqa: B008 - frozen
    return plan_dot(find_plan(domain, state, goal, settings), scopes=False)


PICTURES = {
    "ammunition": lambda: plan(ammunition, Shooter(), ammunition.win(), Settings(cheapest=True)),
    "blocks": lambda: plan(blocks, CBA, blocks.achieve(TOWER)),
    "club": lambda: plan(persistent, Fighter(), persistent.fight()),
    "combat": lambda: plan(combat, Soldier(target=True, cover=True, ammo=False), fight()),
    "fps": lambda: plan(fps, Hunter(), fps.kill_target()),
    "fps-unloaded": lambda: plan(unloaded, Hunter(), unloaded.kill_target()),
    "melee": lambda: plan(melee, Attacker(), attack_main()),
    "ore": lambda: plan(ore, Miner(), correct_ore()),
    "travel": lambda: plan(travel, Traveller(), move("fukuoka")),
    "troll": lambda: plan(
        troll, Careful(can_see_enemy=True, trunk_health=0), troll.be_trunk_thumper()
    ),
    "troll-paths": lambda: plan(
        paths, Enduring(can_see_enemy=True), paths.be_trunk_thumper(), Settings(horizon_time=3)
    ),
    "troll-thumper-domain": lambda: domain_dot(thumper.freeze()),
    "troll-following-domain": lambda: domain_dot(following.freeze()),
    "troll-domain": lambda: domain_dot(troll.freeze()),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_what_the_example_does(name):
    fault = outdated(name, PICTURES[name]())
    assert not fault, fault


def test_every_picture_is_shown_somewhere():
    pages = [ROOT / "README.md", *ROOT.glob("domains/*/README.md"), *ROOT.glob("docs/*.md")]
    shown = {
        name
        for page in pages
        for name in re.findall(r"\([\w./]*pictures/([\w-]+)\.svg\)", page.read_text("utf-8"))
    }
    assert shown >= PICTURES.keys()
