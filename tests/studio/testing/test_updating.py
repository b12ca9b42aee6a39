"""Scenarios that are updated to what happens now; what cannot be is left, and told."""

import pytest

from bthtn.studio.testing.updating import update
from bthtn.testing import read_scenario

TREE = """
from bthtn import Domain, Fluent, State, fluent, method
from bthtn.behaviours import Agent, Character, Operators, PlanGoal, Sensors

class Cat(State):
    hungry: Fluent[bool] = fluent(default=True)
    mice: Fluent[int] = fluent(default=0)
    lives: Fluent[int] = fluent(default=9)

home = Domain("home", Cat)
sneak = home.primitive("sneak", duration=3)
eat = home.primitive("eat", effects=[Cat.hungry.becomes(False), Cat.mice.becomes(Cat.mice + 1)])

@home.compound
def hunt():
    yield method(sneak(), eat())

class World:
    roofs = 1
    def fall(self):
        raise ValueError("a gap")
    def step(self):
        if self.roofs == 0:
            self.fall()

def character(seed=0):
    world = World()
    tom = Agent("Tom", home, Cat(), body=None)
    return Character(PlanGoal("hunt", tom, hunt()), tom, sense=world.step, world=world)
"""
OLD = """\
# Tom hunts.
tree = "tree.py"
ticks = 6

[[expect]]
event = "plan (eat, sneak)"  # in order
within = 1

[[expect]]
event = "done sneak"   # takes a while
within = 1

[[expect]]
event = "mice = 2"

[[expect]]
event = "hunt failed"

[finally]
mice = 7  # he has eaten
hungry = false
"""
NEW = """\
# Tom hunts.
tree = "tree.py"
ticks = 6

[[expect]]
event = "plan (sneak, eat)"  # in order
within = 1

[[expect]]
event = "done sneak"   # takes a while
within = 3

[[expect]]
event = "mice = 1"

[[expect]]
event = "hunt succeeded"

[finally]
mice = 1  # he has eaten
hungry = false
"""


@pytest.fixture(name="update")
def update_fixture(tmp_path):
    """Updates a scenario of the cat; what became of it, and the text of its file."""
    (tmp_path / "tree.py").write_text(TREE)
    file = tmp_path / "cat.scenario.toml"

    def updated(text):
        file.write_text(text)
        return update(file, read_scenario(file)), file.read_text("utf-8")

    return updated


def test_plans_values_ends_ticks_and_last_beliefs_become_those_of_now(update):
    updated, text = update(OLD)
    assert updated.fault == ""
    assert text == NEW
    assert "-mice = 7  # he has eaten\n+mice = 1  # he has eaten" in updated.difference
    assert update(NEW)[0].difference == ""


def test_a_list_of_events_is_updated_in_its_lines(update):
    head = 'tree = "tree.py"\nticks = 6\n'
    updated, text = update(f'{head}expect = ["plan eat", # all\n "start sneak", "failed eat"]\n')
    assert updated.fault == ""
    assert text == (f'{head}expect = ["plan (sneak, eat)", # all\n "start sneak", "done eat"]\n')


def test_what_leaves_something_open_is_left_alone_and_told(update):
    updated, text = update(
        'tree = "tree.py"\nticks = 6\n[[expect]]\nevent = "plan (bark, *)"\n'
        '[[expect]]\nevent = "done s*"\nwithin = 1\n'.replace("bark", "eat")
    )
    assert "within = 4" in text, "it leaves no more open than its text"
    assert 'event = "plan (eat, *)"' in text
    assert "not updated, as it leaves something open: 'plan (eat, *)'" in updated.fault
    assert updated.fault.startswith("no 'plan (eat, *)' in 6 ticks")


def test_what_nothing_came_in_place_of_is_left_alone_and_told(update):
    updated, _ = update('tree = "tree.py"\nticks = 6\nexpect = ["start bark"]\n')
    assert updated.difference == ""
    assert "not updated, as nothing came in its place: 'start bark'" in updated.fault


def test_what_must_never_happen_is_left_alone_and_told(update):
    never = '[[never]]\nevent = "start eat"\n'
    updated, text = update(f"{OLD}\n{never}")
    assert updated.fault.startswith("'start eat' in tick ")
    assert updated.fault.endswith("\nnot updated: what must never happen")
    assert text == f"{NEW}\n{never}"


def test_values_that_share_a_line_are_left_alone_and_told(update):
    updated, _ = update('tree = "tree.py"\nticks = 6\nfinally = { mice = 3 }\n')
    assert updated.difference == ""
    assert updated.fault.startswith("at the end mice = 1, not 3")
    assert updated.fault.endswith("as it is not in a line of its own: finally.mice")


def test_a_world_that_raises_leaves_everything_as_it_is(update):
    updated, text = update(f"{OLD}\n[given]\nworld = {{ roofs = 0 }}\n")
    assert updated.fault.startswith("the world raised: ValueError: a gap")
    assert text.startswith(OLD)


def test_of_all_ways_the_one_with_the_fewest_changes_is_taken(update):
    """He eats a second mouse at the end: who waited for it would miss what else is expected."""
    text = 'tree = "tree.py"\nticks = 9\nexpect = ["mice = 2", "hunt succeeded", "mice = 2"]\n'
    updated, text = update(text)
    assert updated.fault == ""
    assert 'expect = ["mice = 1", "hunt succeeded", "mice = 2"]' in text
