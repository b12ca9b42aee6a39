"""A domain in HDDL that is written in Python is the same domain, as one would write it."""

import subprocess
import sys

import pytest

from bthtn import BthtnError, find_plan
from bthtn.kit.formats.hddl import converted
from bthtn.kit.formats.hddl.lowering import planning_problem
from bthtn.studio.testing.domain_files import module_at
from tests.kit.formats.hddl.island_post import DOMAIN, PROBLEM, read

GIVEN = {
    "island": ["HQ", "north", "south", "east"],
    "boat": ["gull", "tern"],
    "raft": ["tern"],
    "parcel": ["ada", "bo"],
    "route": [("HQ", "north"), ("north", "HQ"), ("north", "south"), ("south", "north")],
    "light": ["tern"],
    "at": {("ada", "north"): True, ("bo", "east"): True, ("gull", "HQ"): True},
}


def written(tmp_path, text=DOMAIN):
    """The module that the domain becomes."""
    source, place = tmp_path / "post.hddl", tmp_path / "domain.py"
    source.write_text(text, "utf-8")
    place.write_text(converted(source), "utf-8")
    return module_at(place)


def test_a_written_domain_plans_what_the_read_one_plans(tmp_path):
    module = written(tmp_path)
    state = module.IslandPost(
        **GIVEN,
    ).frozen()
    plan = find_plan(module.island_post, state, module.deliver("ada", "south"))
    short = PROBLEM.replace(" (deliver bo hq)", "").partition("(:goal")[0] + ")"
    files = planning_problem(*read(problem=short))
    other = find_plan(files.domain, files.state, files.goal)
    assert list(map(str, plan.steps)) == list(map(str, other.steps))


def test_conditions_of_all_objects_are_functions_that_hold_as_they_should(tmp_path):
    module = written(tmp_path)
    given = {**GIVEN, "at": {("ada", "HQ"): True, ("gull", "HQ"): True}}
    full = module.IslandPost(**given, in_={("bo", "gull"): True})
    goal = module.load("ada", "gull", "HQ")
    assert find_plan(module.island_post, full, goal) is None
    assert find_plan(module.island_post, module.IslandPost(**given), goal) is not None


def test_written_code_is_formatted_and_says_what_types_there_are(tmp_path):
    text = converted(_file(tmp_path, DOMAIN))
    assert max(map(len, text.splitlines())) <= 105
    assert '"""p: parcel; to: island."""' in text
    assert "from_, b = one_of(IslandPost.island, IslandPost.boat)" in text


def test_names_that_python_has_are_changed(tmp_path):
    text = DOMAIN.replace("(:action sign", "(:action method").replace("(sign ?p)", "(method ?p)")
    module = written(tmp_path, text.replace("?from", "?class").replace("move", "one_of"))
    assert module.island_post.freeze().task("method_2")


def test_what_is_not_written_is_refused_with_its_line(tmp_path):
    text = DOMAIN.replace(":effect (delivered ?p)", ":effect (when (at ?p hq) (delivered ?p))")
    with pytest.raises(BthtnError, match="BT441"):
        converted(_file(tmp_path, text))


def test_the_same_is_written_in_every_process(tmp_path):
    file = _file(tmp_path, DOMAIN)
    ask = f"from pathlib import Path; print(converted(Path({str(file)!r})))"
    ask = f"from bthtn.kit.formats.hddl import converted; {ask}"
    seen = {
        subprocess.run(
            [sys.executable, "-c", ask],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(seen) == 1


def _file(tmp_path, text):
    file = tmp_path / "post.hddl"
    file.write_text(text, "utf-8")
    return file
