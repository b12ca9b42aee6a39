"""What is imported when: a fresh process waits for what it uses only.

Modules and compiled texts are counted: they are the same on every machine. That ticks import
nothing is tested with the behaviours (`test_loaded_before`).
"""

import subprocess
import sys

from benchmarks.cold import PLAN_OF_BTHTN

GOAL_AND_PLANNER = """
from bthtn import Domain, Fluent, Planner, State, achieve, fluent, primitive
class Hall(State):
    lit: Fluent[bool] = fluent(default=False)
hall = Domain("hall", Hall)
hall.primitive(name="switch", effects=Hall.lit.becomes(True))
planner = Planner(hall, achieve(Hall.lit))
before = {*sys.modules}
assert [str(step) for step in planner.plan(Hall()).steps] == ["switch"]
"""


def printed(script):
    run = [sys.executable, "-c", "import sys\n" + script]
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout


def imported(script):
    """The modules of bthtn that a script imports."""
    return {name for name in printed(script + "\nprint(*sys.modules)").split() if "bthtn" in name}


def imported_late(script):
    """The modules that a script imports after it has set ``before``."""
    return printed(script + "\nprint(*{*sys.modules} - before)").split()


def test_a_game_that_plans_and_acts_needs_py_trees_and_no_other_package():
    """All else that is installed is hidden, but for what py_trees itself imports."""
    script = """
import py_trees, sys
allowed = {name.partition(".")[0] for name in sys.modules} | sys.stdlib_module_names | {"bthtn"}
class Hidden:
    def find_spec(self, name, *_):
        if name.partition(".")[0] not in allowed:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden())
from bthtn import Domain, Fluent, State, achieve, find_plan, fluent
from bthtn.behaviours import *
from bthtn.engine.planning import *
from bthtn.events import *
from bthtn.kit import *
class Hall(State):
    lit: Fluent[bool] = fluent(default=False)
hall = Domain("hall", Hall)
switch = hall.primitive("switch", effects=Hall.lit.becomes(True))
assert find_plan(hall, Hall(), achieve(Hall.lit)) is not None
agent = Agent("Ann", hall, Hall(), body=None)
goal = PlanGoal("light", agent, switch())
goal.tick_once()
print(goal.status.name, agent.beliefs.now)
"""
    assert printed(script).splitlines()[-1] == "SUCCESS Hall(lit=true)"


def test_who_describes_a_domain_waits_for_no_planner():
    modules = imported("from bthtn import Domain, State, fluent, method, primitive")
    assert not {name for name in modules if name.startswith("bthtn.engine.plan")}
    assert len(modules) < 55


def test_who_plans_tasks_waits_neither_for_goals_nor_for_explanations():
    modules = imported(PLAN_OF_BTHTN)
    unused = (
        "bthtn.engine.planning.strips",
        "bthtn.engine.planning.explain",
        "bthtn.engine.planning.apply",
    )
    assert not {name for name in modules if name.startswith(unused)}


def test_no_methods_are_written_for_what_describes_a_domain():
    """From Python 3.13 on, dataclass writes a text for no method, too, with nothing in it."""
    script = """
texts = []
def heard(event, about):
    text = bytes(about[0] or b"") if event == "compile" else b""
    if b"def __create_fn__" in text and text.count(b"def ") > 1:
        texts.append(text)
sys.addaudithook(heard)
from bthtn import Domain
print(len(texts))
"""
    assert int(printed(script)) < 20


def test_the_first_plan_of_a_goal_imports_nothing():
    assert imported_late(GOAL_AND_PLANNER) == []
