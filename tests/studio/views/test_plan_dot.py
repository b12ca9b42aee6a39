"""Plan trees as pictures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn.engine.domain.builder import Domain
from bthtn.engine.domain.method import Methods, method
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan import leaves
from bthtn.engine.plan.nodes import (
    NULL_NODE,
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    TaskNode,
)
from bthtn.engine.plan.walk import children_of
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.planner import find_plan
from bthtn.engine.planning.protocol import PlanRequest, Settings
from bthtn.engine.text.labels import task_kind, task_tooltip
from bthtn.engine.text.tree import unrolled
from bthtn.engine.world.declarations import fluent
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import State
from bthtn.examples.domains.combat.domain import Soldier, combat, fight
from bthtn.studio.testing.strategies import problems
from bthtn.studio.views.plan_drawing import plan_dot, tree_dot
from tests.counting import lines_of
from tests.sizes import size

MANY = size(quick=1_200, thorough=5_000, night=10_000)


def plan_for(horizon=None, **state):
    return find_plan(combat, Soldier(target=True, **state), fight(), Settings(horizon=horizon))


def test_children_stand_in_the_order_in_which_they_are_done(read_dot, accepted):  # R004-06
    text = plan_dot(plan_for(cover=True, ammo=False))
    picture = read_dot(text)
    assert picture.children("→ sequence") == [
        "⇉ parallel\nuntil all are done",
        "? priority",
    ]
    assert picture.children("? priority") == ["no_line_of_fire", "shoot"]
    assert picture.graph["ordering"] == "out"
    assert picture.graph["label"] == "combat: fight    record [1,0,1,0,0,0]"
    accepted(text)


def test_scopes_are_frames_around_what_they_became(read_dot):
    picture = read_dot(plan_dot(plan_for(cover=True, ammo=False)))
    assert [frame["label"] for frame in picture.frames] == [
        "fight, method 1",
        "fight_from_cover, method 0",
        "take_cover, method 1",
        "prepare_combat, method 0",
    ]
    places = {picture.nodes[name]["label"]: held for name, held in picture.inside.items()}
    assert places["reload"] == (0, 1, 3)
    assert places["shoot"] == (0, 1)


@pytest.mark.parametrize("how", [{"scopes": False}, {"flat": True}])
def test_scopes_can_be_left_out(read_dot, how):
    plan = plan_for(cover=True, ammo=False)
    picture, whole = read_dot(plan_dot(plan, **how)), read_dot(plan_dot(plan))
    assert picture.frames == []
    assert picture.labels() == whole.labels()


def test_choices_are_dashed_and_numbered_as_they_were_written(read_dot):
    picture = read_dot(plan_dot(plan_for(cover=True)))
    choices = [edge for *_, edge in picture.edges if "style" in edge]
    assert [edge["label"] for edge in choices] == [" 1", " 2"]
    assert {edge["style"] for edge in choices} == {"dashed"}


def test_a_lost_alternative_says_why(read_dot):
    picture = read_dot(plan_dot(plan_for(cover=True, ammo=False, magazine=False)))
    lost = next(node for node in picture.nodes.values() if "dotted" in node["style"])
    assert lost["label"].startswith("✗ shoot\ntarget and ammo is false")
    assert lost["tooltip"] == (
        "not possible: target and ammo is false: target = true, ammo = false"
    )


def test_what_is_suspended_is_dashed_and_says_why(read_dot):
    picture = read_dot(plan_dot(plan_for(cover=True, ammo=False, horizon=1)))
    suspended = [node for node in picture.nodes.values() if "dashed" in node["style"]]
    assert [node["label"] for node in suspended] == [
        "… cover\n(horizon)",
        "… reload\n(horizon)",
        "… priority(no_line_of_fire,\nshoot)\n(horizon)",
    ]


def test_what_was_checked_says_so(read_dot):
    settings = Settings(horizon=2, check_rest=True)
    soldier = Soldier(target=True, cover=True, ammo=False)
    picture = read_dot(plan_dot(find_plan(combat, soldier, fight(), settings)))
    [suspended] = [node for node in picture.nodes.values() if "dashed" in node["style"]]
    assert suspended["label"].endswith("(horizon, checked)")


def test_a_question_to_the_world_looks_different_from_a_deed(read_dot):
    nodes = read_dot(plan_dot(plan_for(cover=True))).nodes.values()
    shapes = {node["label"]: node["shape"] for node in nodes}
    assert shapes["no_line_of_fire"] == "ellipse"
    assert shapes["shoot"] == shapes["do_nothing"] == "box"


def test_a_tooltip_tells_what_is_behind_a_task(read_dot):
    nodes = read_dot(plan_dot(plan_for(cover=True))).nodes.values()
    assert {node["label"]: node["tooltip"] for node in nodes}["shoot"] == (
        "shoot; needs: target and ammo; checks at run time: target_alive;"
        " then: target becomes false; uses: arms"
    )


def test_a_tooltip_tells_what_has_to_hold_while_a_task_runs():
    class Guard(State):
        awake: Fluent[bool] = fluent(default=True)

    domain = Domain("watch", Guard)
    watch = domain.primitive("watch", during=Guard.awake)
    assert task_tooltip(watch, ()) == "watch; needs all the time: awake"
    assert task_kind(watch) == "task"
    doze = domain.primitive(
        "doze", exec_only=Guard.awake, during=Guard.awake, effects=Guard.awake.becomes(False)
    )
    assert task_tooltip(doze, ()) == (
        "doze; checks at run time: awake; needs all the time: awake; then: awake becomes false"
    )


def test_a_task_that_changes_something_when_it_fails_is_more_than_a_check():
    class Guard(State):
        awake: Fluent[bool] = fluent(default=True)

    domain = Domain("watch", Guard)
    look = domain.primitive("look", exec_only=Guard.awake)
    listen = domain.primitive(
        "listen", exec_only=Guard.awake, on_failure=Guard.awake.becomes(False)
    )
    assert (task_kind(look), task_kind(listen)) == ("check", "task")


@pytest.mark.parametrize("policy", ParallelPolicy)
def test_a_parallel_node_says_when_it_ends(read_dot, policy):
    (label,) = read_dot(tree_dot(ParallelNode((), policy))).labels()
    words = {"all": "until all are done", "any": "until one is done"}
    assert label.endswith(words.get(policy.value, "until the first is done"))


def test_a_reactive_choice_and_nothing_at_all_are_drawn(read_dot):
    picture = read_dot(tree_dot(PriorityNode((NULL_NODE, NULL_NODE), (0, 3), reactive=True)))
    assert picture.labels() == ["? priority\nasked again at every tick", *["∅ nothing"] * 2]
    assert [edge["label"] for *_, edge in picture.edges] == [" 1", " 4"]


def shown(plan):
    """The nodes of a plan in pre-order, orders and repetitions as lists."""
    pending = [plan.tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ScopeNode):
            node = unrolled(node, plan.domain)
        yield node
        pending.extend(reversed(children_of(node)))


@given(problems(), st.booleans())
def test_the_plan_of_any_problem_can_be_drawn(read_dot, problem: PlanRequest, scopes):
    search = HtnSearch.of(problem)
    search.advance()
    if search.plan is None:
        return
    picture = read_dot(plan_dot(search.plan, scopes=scopes, legend=True))
    nodes = list(shown(search.plan))
    steps = [node for node in nodes if isinstance(node, TaskNode)]
    assert steps == [*leaves(search.plan.tree)], "no step is lost where orders are shown as lists"
    kept = [node for node in nodes if not isinstance(node, ScopeNode)]
    lost = sum(len(node.dropped) for node in nodes if isinstance(node, PriorityNode))
    assert len(picture.nodes) == len(kept) + lost
    assert len(picture.edges) == len(kept) + lost - 1
    assert len(picture.frames) == (len(nodes) - len(kept) if scopes else 0)


class World(State):
    lit: Fluent[bool] = fluent(default=False)


NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1)


@given(NAMES, st.text())
def test_tasks_and_values_of_any_name_can_be_drawn(read_dot, name, value):
    domain = Domain(name, World)
    task = TaskNode(domain.primitive(name), (value,))
    picture = read_dot(tree_dot(SequenceNode((task, task)), domain.freeze(), title=name))
    assert len(picture.nodes) == 3


def nested(depth: int) -> Node:
    task = Domain("deep", World).primitive("step")
    compound = combat.freeze().tasks["fight"]
    node: Node = TaskNode(task)
    for _ in range(depth):
        node = ScopeNode(compound, (), 0, SequenceNode((TaskNode(task), node, NullNode())))
    return node


def test_a_plan_of_twice_the_nodes_takes_twice_the_work(read_dot):
    few, many = (SequenceNode(tuple(nested(3) for _ in range(number))) for number in (20, 40))
    assert len(read_dot(tree_dot(many)).nodes) == 401
    assert lines_of(lambda: tree_dot(many)) < 2.1 * lines_of(lambda: tree_dot(few))


def test_thousands_of_scopes_below_each_other_are_drawn_without_recursion(read_dot):
    picture = read_dot(tree_dot(nested(MANY)))
    assert len(picture.nodes) == 3 * MANY + 1
    assert len(picture.frames) == 50


def test_a_choice_of_twice_the_alternatives_takes_twice_the_work():
    few, many = (
        PriorityNode(tuple(nested(0) for _ in range(number)), tuple(range(number)))
        for number in (100, 200)
    )
    assert tree_dot(many).count(" -> ") == 200
    assert lines_of(lambda: tree_dot(many)) < 2.1 * lines_of(lambda: tree_dot(few))


class Yard(State):
    swept: Fluent[bool] = fluent(default=False)


def plan_of_parts(parts):
    """A plan of so many compound tasks with seven steps each."""
    yard = Domain("yard", Yard)
    step = yard.primitive("step")

    @yard.compound
    def part() -> Methods:
        yield method(*[step()] * 7)

    @yard.compound
    def every() -> Methods:
        yield method(*[part()] * parts)

    return find_plan(yard, Yard(), every())


@pytest.mark.slow
def test_a_large_plan_is_folded_at_its_compound_tasks(read_dot, accepted):
    plan = plan_of_parts(40)
    text = plan_dot(plan, most=100)
    picture = read_dot(text)
    assert len(read_dot(plan_dot(plan)).nodes) == 1 + 40 * 8
    assert 60 <= len(picture.nodes) <= 120
    folded = [label for label in picture.labels() if "folded" in label]
    assert set(folded) == {"part\nmethod 0, folded: 7 steps"}
    assert len(picture.children("→ sequence")) == 40
    accepted(text)


def test_a_plan_that_is_small_enough_is_not_folded():
    plan = plan_of_parts(3)
    assert plan_dot(plan, most=25) == plan_dot(plan)
