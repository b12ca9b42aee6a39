"""Recordings and plans that were damaged at random are read or refused, and raise nothing else."""

import gc
import json
import random
import sys
import weakref
from collections import Counter
from contextlib import redirect_stdout
from copy import deepcopy
from io import StringIO
from time import process_time

import pytest

from bthtn import Domain, FluentFamily, State, fluents
from bthtn.engine.domain.task import CompoundTask
from bthtn.engine.planning.planner import find_plan
from bthtn.engine.text.plan_json import decoded, encoded
from bthtn.errors import BthtnError, InputError
from bthtn.kit.recording import Recording
from bthtn.studio.cli.run import play
from bthtn.studio.testing.locate import TargetKind, domain_of, resolve
from bthtn.studio.testing.recorded_scenario import scenario_of, tree_of
from bthtn.studio.views.behaviour_drawing import snapshot_dot
from bthtn.studio.views.html import html_page
from bthtn.studio.watch import recording_page
from tests.sizes import size

ODD = (
    *(None, True, -1, 0, 10**6, 10**400, 1.5, float("nan"), "", "x", "\x1b[31m", "../../etc"),
    *([], {}, [[]], [None], {"a": 1}, ["x", "y"], [1, 2]),
)
"""What is put in the place of something else."""
PIECES = (*(b"{}[],", b"{", b"]", b'"', b"\\", b"9" * 400), b"[" * 3_000, b"\xff", b"\n", b"null")
pytestmark = pytest.mark.filterwarnings(
    "ignore:(?s)Exception ignored in. <.*RecursionError:pytest.PytestUnraisableExceptionWarning"
)
# json reads a nested text by calling itself, up to Python's limit. Where Python 3.11 collects
# garbage at the last two levels, a callback of a weak reference, such as that with which a
# WeakValueDictionary drops an entry, has no level left to run at. Python says "Exception ignored
# in", and goes on; the entry is dead, and is looked up as if it was gone, which the last test of
# this file shows. Later versions collect garbage between instructions only, where there is room.
SECONDS = 5
"""The longest that one file may take."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A recording of a soldier, and its lines."""
    file = tmp_path_factory.mktemp("recorded") / "run.jsonl"
    with redirect_stdout(StringIO()):
        play("soldier", ticks=14, seed=3, as_json=True, record=file)
    return file.read_bytes()


@pytest.fixture(scope="module")
def plans():
    """Domains, each with the complete text of a plan of it."""
    found = []
    for name in ("combat", "guard", "ore", "troll", "club", "ammunition"):
        domain = domain_of(name)
        for task in domain.tasks.values():
            if isinstance(task, CompoundTask) and not task.parameters and not task.origin:
                plan = find_plan(domain, domain.state_class(), task())
                if plan is not None:
                    found.append((domain, encoded(plan, complete=True)))
    assert len(found) > 5
    return found


def damaged_value(value, draw):
    """Put something odd into a random place of a value of JSON, or leave a part of it out."""
    inside = value
    while True:
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        key = draw.choice(keys)
        below = inside[key]
        if not isinstance(below, dict | list) or not below or draw.random() < 0.1:
            break
        inside = below
    if isinstance(inside, dict) and draw.random() < 0.3:
        del inside[key]
    else:
        inside[key] = deepcopy(draw.choice(ODD))


def damaged(line, draw):
    """The text of a value of JSON with random changes, of its parts or of its letters."""
    if draw.random() < 0.7:
        value = json.loads(line)
        for _ in range(draw.randint(1, 2)):
            if value:
                damaged_value(value, draw)
        return json.dumps(value).encode()
    start = draw.randrange(len(line) + 1)
    end = min(len(line), start + draw.choice((0, 1, 1, 5, 40)))
    return line[:start] + draw.choice((*PIECES, b"", line[start:end] * 2)) + line[end:]


def look_at(file):
    """All that commands do with a recording without running its tree."""
    recording = Recording.read(file)
    recording_page(file)
    recording.decisions()
    scenario_of(recording, tree_of(recording))
    for tick in (None, 5):
        moment = recording.at(tick)
        if moment.tree is not None:
            snapshot_dot(moment.tree)
            html_page("tree", {"tree": moment.tree})


def outcome_of(act):
    """Whether it was read or refused with one error, in time."""
    begin, refused = process_time(), None
    try:
        act()
    except BthtnError as error:
        refused = error
    assert process_time() - begin < SECONDS
    assert refused is None or (len(refused.diagnostics), len(str(refused)) < 2_000) == (1, True)
    return "read" if refused is None else "refused"


def check_recordings(recorded, folder, number, seed):
    draw, outcomes = random.Random(seed), Counter()  # noqa: S311 - the same every time
    file = folder / "run.jsonl"
    lines = recorded.splitlines()
    for _ in range(number):
        changed = list(lines)
        for _ in range(draw.randint(1, 2)):
            place = draw.randrange(len(changed)) if draw.random() < 0.8 else 0
            changed[place] = damaged(lines[place], draw)
        if draw.random() < 0.1:
            draw.shuffle(changed[1:])
        file.write_bytes(b"\n".join(changed) + b"\n")
        outcomes[outcome_of(lambda: look_at(file))] += 1
    assert min(outcomes["read"], outcomes["refused"]) > number // 20, outcomes
    return outcomes


def check_plans(plans, number, seed):
    draw, outcomes = random.Random(seed), Counter()  # noqa: S311 - the same every time
    for _ in range(number):
        domain, text = draw.choice(plans)
        changed = damaged(text.encode(), draw).decode("utf-8", "replace")
        outcomes[outcome_of(lambda text=changed, of=domain: decoded(text, of))] += 1
    assert outcomes["refused"] > number // 20, outcomes
    return outcomes


def test_a_damaged_recording_is_read_or_refused(recorded, tmp_path):
    check_recordings(recorded, tmp_path, size(quick=80, thorough=1_500, night=10_000), 1)


def test_a_damaged_plan_is_read_or_refused(plans):
    check_plans(plans, size(quick=200, thorough=4_000, night=20_000), 1)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_ten_thousand_damaged_recordings_and_plans(recorded, plans, tmp_path, seed):
    check_recordings(recorded, tmp_path, 1_000, 100 + seed)
    check_plans(plans, 1_000, seed)


def test_what_is_damaged_is_right_itself(recorded, plans, tmp_path):
    (tmp_path / "run.jsonl").write_bytes(recorded)
    look_at(tmp_path / "run.jsonl")
    for domain, text in plans:
        decoded(text, domain)
    assert resolve("soldier", TargetKind.TREE).name == "soldier"


class Heights(State):
    """A family whose members are not remembered: an index may be an int, too."""

    at: FluentFamily[float, bool] = fluents(default=False)


def test_garbage_that_is_collected_at_the_deepest_place_of_a_text_spoils_nothing():
    """Python cannot drop the entry of a member of a family there; the next one takes its place."""
    family, domain, before = Heights.at, Domain("d", Heights).freeze(), gc.get_threshold()
    kept = 0
    try:
        for number in range(600, 1_000):
            gc.disable()
            gc.collect(0)
            cycle = [family[1.5]]
            cycle.append(cycle)
            reference = weakref.ref(cycle[0])
            del cycle
            gc.set_threshold(number, 10**6, 10**6)
            gc.enable()
            with pytest.raises(InputError, match=r"BT406.*it is no JSON"):
                decoded("[" * 3_000, domain)
            kept += reference() is None and 1.5 in family._members.data
            assert family[1.5].text() == "at[1.5]"
            assert Heights().frozen().get(family[1.5]) is False
    finally:
        gc.set_threshold(*before)
        gc.enable()
    if sys.version_info < (3, 12):
        assert kept, "no garbage was collected at the deepest place"
