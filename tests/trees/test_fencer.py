"""The fencer: a character whose folder has no Python but operators and sensors."""

import re
import shutil
from pathlib import Path

import pytest

from bthtn import find_plan
from bthtn.behaviours import PlanGoal
from bthtn.engine.agent.events import AgentReloaded, LeafEnded, ReloadFailed
from bthtn.engine.plan.replay import replay
from bthtn.engine.text.notation import normal
from bthtn.errors import ExecutionError
from bthtn.examples.trees import fencer
from bthtn.studio.testing.locate import TargetKind, character_files, resolve

FOLDER = Path(fencer.__file__).parent


def files_in(folder):
    return character_files(resolve(str(folder), TargetKind.TREE))


@pytest.fixture(scope="module")
def files():
    return files_in(FOLDER)


@pytest.fixture
def copy(tmp_path):
    """A copy of the folder, with some files written anew, or taken away."""

    def copied(**texts):
        folder = tmp_path / "fencer"
        shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for name, text in texts.items():
            (folder / name.replace("__", ".")).write_text(text, "utf-8")
        return folder

    return copied


def fought(character, ticks=400):
    """The steps that succeeded, without their arguments, until the fight is over."""
    ended = []
    while not character.finished and character.ticks < ticks:
        events = character.tick()
        done = (one for one in events if isinstance(one, LeafEnded) and one.succeeded)
        ended += [one.task.partition("(")[0] for one in done]
    character.stop()
    return ended


def planned(files, task, **values):
    state = files.domain.state_class(**values)
    plan = find_plan(files.domain, state, files.domain.task(task)())
    assert replay(plan, state.frozen()).ok
    return normal(plan.tree)


@pytest.mark.parametrize("name", ["fencer", "comrade", "sentry", "swordsman"])
def test_only_operators_and_sensors_are_python(name):
    folder = FOLDER.with_name(name)
    assert {one.name for one in folder.glob("*.py")} == {"__init__.py", "operators.py"}


def test_slash_is_melee_with_its_own_reach_and_animation(files):
    """R003-04, R003-06: near is a Null, and each attack is the template with other values."""
    assert planned(files, "Slash", distance=2.5) == "strike_Slash('slash', 2.5, 8)"
    assert planned(files, "Jab") == (
        "(parallel(walk_Jab(1.5), can_hit_Jab(1.5), policy=any), strike_Jab('jab', 1.5, 4))"
    )


def test_the_kind_has_its_skills_and_no_others(files, copy):
    settings = (FOLDER / "character.toml").read_text("utf-8")
    recruit = files_in(copy(character__toml=settings.replace('"fencer"', '"recruit"', 1)))
    assert "strike_Slash" in files.domain.tasks
    assert "strike_Jab" in recruit.domain.tasks
    assert "strike_Slash" not in recruit.domain.tasks


def test_the_fight_goes_from_sheet_to_sword(files):
    """R003-05: the walk ends when the attack can hit, and the attacks are those of the sheets."""
    character = files.character(seed=1)
    ended = fought(character)
    assert character.finished
    assert any(name.startswith("can_hit_") for name in ended)
    assert "roar" in ended
    assert len({name for name in ended if name.startswith("strike_")}) > 3


def test_the_same_seed_is_the_same_fight(files):
    assert fought(files.character(seed=3)) == fought(files.character(seed=3))


def test_big_moves_are_done_in_rage_only(files):
    ended = fought(files.character(seed=1))
    big = [ended.index(one) for one in ("strike_FullSwing", "strike_Cleave") if one in ended]
    assert big
    assert all(place > ended.index("roar") for place in big)


@pytest.mark.slow
def test_fifty_attacks_of_one_sheet_all_act(copy):
    """R003-06: mass production, a row for each attack."""
    names = [f"Attack{number}" for number in range(50)]
    rows = [f"{name},melee,swing{number},{1 + number / 50},1" for number, name in enumerate(names)]
    drawn = [f"{name},10,10" for name in names]
    folder = copy(
        attacks__skills__csv="\n".join(["Skill,Template,Animation,Reach,Damage", *rows]),
        fighters__kinds__csv="Kind,Skills\nfencer," + '"' + ",".join(names) + '"',
        lottery__csv="\n".join(["ActionName,Weight,WeightInc", *drawn]),
    )
    files = files_in(folder)
    ended = fought(files.character(seed=1), ticks=4_000)
    strikes = [f"strike_{name}" for name in names]
    assert set(strikes) <= set(files.domain.tasks)
    for name in names:
        attack(files, name)
    assert len(set(strikes) & set(ended)) > 25


def attack(files, name):
    """Do one attack where it can hit at once."""
    arena = files.body(0)
    arena.distance = 0.5
    agent = files.agent(arena)
    agent.sense()
    goal = PlanGoal(name, agent, files.domain.task(name)())
    goal.tick_once()
    goal.tick_once()
    assert (goal.status.name, arena.foe_health) == ("SUCCESS", 99), name


def test_edited_files_are_taken_over_while_he_fights(copy):
    folder = copy()
    character, heard = files_in(folder).character(seed=1), []
    for _ in range(12):
        heard += character.tick()
    sheet, believed = folder / "attacks.skills.csv", character.agent.beliefs.now.foe_health
    assert 0 < believed < 100
    sheet.write_text(re.sub(r",\d+$", ",50", sheet.read_text("utf-8"), flags=re.MULTILINE), "utf-8")
    character.reload(lambda running: files_in(folder).character(1, running))
    (event,) = [one for one in character.tick() if isinstance(one, AgentReloaded)]
    assert not event.lost
    assert character.agent.beliefs.now.foe_health <= believed
    while not character.finished and character.ticks < 60:
        character.tick()
    assert character.agent.body.foe_health <= believed - 50


def test_a_broken_edit_leaves_him_fighting_and_names_file_and_line(copy):
    folder = copy()
    character = files_in(folder).character(seed=1)
    character.tick()
    tasks = folder / "tasks.xml"
    tasks.write_text(tasks.read_text("utf-8").replace('"stance ', '"stanse '), "utf-8")
    character.reload(lambda running: files_in(folder).character(1, running))
    (event,) = [one for one in character.tick() if isinstance(one, ReloadFailed)]
    assert "tasks.xml:29" in str(event)
    assert "did you mean 'stance'?" in str(event)
    assert "strike_FullSwing" in fought(character) or character.finished


def test_a_step_without_an_operator_is_an_error_and_never_simulated(copy):
    text = (FOLDER / "operators.py").read_text("utf-8")
    folder = copy(operators__py=text.replace('@operators.bind("strike")', ""))
    with pytest.raises(ExecutionError, match=r"BT311.*'strike_Jab' has no operator") as caught:
        files_in(folder)
    assert 'simulate = ["' in str(caught.value)
    settings = (folder / "character.toml").read_text("utf-8")
    (folder / "character.toml").write_text('simulate = ["strike"]\n' + settings, "utf-8")
    assert files_in(folder).operators.simulates(files_in(folder).domain.task("strike_Jab"))


def test_no_operators_at_all_is_an_error_too(copy):
    folder = copy()
    (folder / "operators.py").unlink()
    with pytest.raises(ExecutionError, match="'roar' has no operator"):
        files_in(folder)
