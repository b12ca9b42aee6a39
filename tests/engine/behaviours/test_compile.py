"""Compiled: every plan node becomes the behaviour that the table says."""

import pytest
from py_trees.common import Status

from bthtn import UNKNOWN, defer, first_of, method, null, parallel, pause, priority
from bthtn.engine.agent.events import GoalEnded, LeafStarted, PlanFailed
from bthtn.engine.behaviours.branch import next_steps
from bthtn.engine.behaviours.compile import MOST_SCOPES, NothingToDo
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.behaviours.plan_run import names_of
from bthtn.engine.behaviours.priority import PlanPriority
from bthtn.engine.behaviours.sequence import PlanScope, PlanSequence
from bthtn.engine.behaviours.suspended import Suspended
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World

KINDS = {
    TaskLeaf: "leaf",
    PlanSequence: "sequence",
    PlanParallel: "parallel",
    PlanPriority: "priority",
    Suspended: "suspended",
    NothingToDo: "nothing",
}


def shape(node):
    """A behaviour tree as nested tuples."""
    name = node.name if isinstance(node, TaskLeaf | PlanScope) else KINDS[type(node)]
    return (name, *map(shape, node.children)) if node.children else name


def mounted(stage, network, **options):
    """The subtree of a goal whose steps all go on for ever."""
    goal = stage.goal(network, **options)
    goal.tick_once()
    [subtree] = goal.children
    return subtree


@pytest.fixture
def a(stage):
    return stage.step("a", "R")


@pytest.fixture
def b(stage):
    return stage.step("b", "R")


@pytest.fixture
def c(stage):
    return stage.step("c", "R")


def test_a_task_is_a_leaf(stage, a):
    assert shape(mounted(stage, a)) == "a"


def test_sequences_within_sequences_are_one(stage, a, b, c):  # R000-37
    assert shape(mounted(stage, ((a, (b, c)), first_of((a, b))))) == (
        "sequence",
        *("a", "b", "c", "a", "b"),
    )


def test_a_compound_task_is_a_sequence_with_its_name(stage, a, b, c):
    inner = stage.compound("inner", lambda: [method(a)])
    outer = stage.compound("outer", lambda: [method(inner, (c, inner))])
    subtree = mounted(stage, (outer, b))
    assert shape(subtree) == ("sequence", ("outer", ("inner", "a"), "c", ("inner", "a")), "b")
    leaf = subtree.children[0].children[0].children[0]
    assert list(names_of(leaf.path)) == ["inner m0", "outer m0"]


def test_a_compound_task_inside_of_itself_is_merged_with_it(stage, a, b):
    opens = stage.step("opens", "R", effects=World.open.becomes(True))
    more = stage.compound("more", lambda: [method(outer)])
    outer = stage.compound("outer", lambda: [method(b, when=World.open), method(a, opens, more)])
    assert shape(mounted(stage, outer)) == ("outer", "a", "opens", ("more", "b"))


def test_a_compound_task_with_nothing_to_do_leaves_nothing(stage, a):
    nothing = stage.compound("nothing", lambda: [method()])
    assert shape(mounted(stage, (nothing, a))) == "a"


def test_so_many_compound_tasks_below_each_other_are_nodes(stage, a):
    network = a
    for number in range(30):
        inner = network
        network = stage.compound(f"c{number}", lambda inner=inner: [method(inner)])
    deepest = list(mounted(stage, network).iterate())
    assert sum(isinstance(node, PlanScope) for node in deepest) == MOST_SCOPES
    assert deepest[0].name == "a"


def test_nothing_to_do_leaves_nothing_in_a_sequence(stage, a, b):
    assert shape(mounted(stage, (a, null(), b))) == ("sequence", "a", "b")


def test_nothing_to_do_alone_is_a_success(stage):
    stage.step("a")
    goal = stage.goal(null())
    assert ticks(goal, 1) == "S"
    assert shape(goal.children[0]) == "nothing"


def test_branches_are_leaves_or_sequences_of_a_parallel(stage, a, b, c):  # R000-37
    assert shape(mounted(stage, parallel((a, b), c))) == ("parallel", ("sequence", "a", "b"), "c")


def test_empty_branches_of_all_are_left_out(stage, a, b):
    assert shape(mounted(stage, parallel(a, null(), b))) == ("parallel", "a", "b")


def test_of_a_parallel_of_one_only_the_one_is_left(stage, a, b):
    assert shape(mounted(stage, (parallel((a, b), null()), a))) == ("sequence", "a", "b", "a")


@pytest.mark.parametrize("policy", ["any", "primary"])
def test_empty_branches_of_the_other_policies_decide_and_stay(stage, a, policy):
    goal = stage.goal(parallel(null(), a, policy=policy))
    assert ticks(goal, 1) == "S"
    assert shape(goal.children[0]) == ("parallel", "nothing", "a")


def test_alternatives_are_children_of_a_priority(stage, a, b, c):  # R000-37
    assert shape(mounted(stage, priority((a, b), c))) == ("priority", ("sequence", "a", "b"), "c")


def test_an_empty_alternative_stays(stage, b, c):
    refused = stage.step("a", exec_only=World.open)
    goal = stage.goal(priority(refused, null(), b))
    assert ticks(goal, 1) == "S"
    assert shape(goal.children[0]) == ("priority", "a", "nothing", "b")


@pytest.mark.parametrize("reactive", [False, True])
def test_only_a_reactive_priority_has_no_memory(stage, a, b, reactive):
    assert mounted(stage, priority(a, b, reactive=reactive)).memory is not reactive


def test_an_alternative_that_cannot_be_planned_is_not_there(stage, a, b):
    barred = stage.step("barred", precondition=World.open)
    assert shape(mounted(stage, priority(a, barred, b))) == ("priority", "a", "b")


def test_what_is_suspended_is_there_and_says_why(stage, a, b, c):
    subtree = mounted(stage, (a, defer(b), pause(), c))
    assert shape(subtree) == ("sequence", "a", "suspended", "suspended")
    assert [node.name for node in subtree.children[1:]] == [
        "suspended (defer): b",
        "suspended (defer): pause, c",
    ]


def test_a_suspension_at_the_very_beginning_has_a_sequence_to_grow_in(stage, a, b):
    subtree = mounted(stage, defer(stage.compound("ab", lambda: [method(a, b)])))
    assert shape(subtree) == ("sequence", ("ab", "a", "b"))


def test_a_suspension_may_turn_out_to_be_a_parallel(stage, a, b):
    both = stage.compound("both", lambda: [method(parallel(a, b))])
    assert shape(mounted(stage, defer(both))) == (
        "sequence",
        ("both", ("parallel", "a", "b")),
    )


def test_a_suspension_may_turn_out_to_be_nothing(stage, a):
    nothing = stage.compound("nothing", lambda: [method()])
    assert shape(mounted(stage, (defer(nothing), a))) == ("sequence", "a")


def test_what_waits_for_an_unknown_names_it(stage, a, b):
    choose = stage.compound("choose", lambda: [method(b, when=World.open)])
    subtree = mounted(stage, (a, choose), open=UNKNOWN)
    assert subtree.children[1].name == "suspended (unknown open): choose"


def test_composites_are_called_what_the_plan_calls_them(stage, a, b):
    subtree = mounted(stage, parallel(priority(a, b, reactive=True), policy="primary"))
    assert [subtree.name, subtree.children[0].name] == ["parallel primary", "priority reactive"]


# how deep


def nested(step, depth, *, kind=priority):
    network = step
    for _ in range(depth):
        network = kind((step, network), step)
    return network


def spread(step, depth):
    """Parallels and sequences by turns: two behaviours for each level."""
    return nested(step, depth, kind=lambda *parts: parallel(*parts, policy="any"))


@pytest.mark.parametrize("build", [nested, spread])
def test_a_hundred_and_fifty_composites_deep_it_runs_and_stops(stage, build):
    goal = stage.goal(build(stage.step("a", "R"), 150), max_replans=0, budget=None)
    assert ticks(goal, 2) == "RR"
    assert list(goal.iterate())
    goal.stop(Status.INVALID)
    assert stage.heard.running() == stage.heard.faults() == []


@pytest.mark.parametrize("build", [nested, spread])
def test_deeper_is_refused_before_anything_runs(stage, build):
    goal = stage.goal(build(stage.step("a", "R"), 151), budget=None)
    assert ticks(goal, 1) == "F"
    [ended] = stage.heard.of(GoalEnded)
    assert ended.error.code == "BT305"
    assert "150 deep" in ended.reason
    assert stage.heard.of(LeafStarted) == []


@pytest.mark.parametrize(("outer", "inner", "letter"), [(70, 70, "R"), (100, 100, "F")])
def test_what_is_planned_on_arrival_counts_what_is_above_it(stage, outer, inner, letter):
    step = stage.step("a", "R")
    deep = stage.compound("deep", lambda: [method(nested(step, inner))])
    network = defer(deep)
    for _ in range(outer):
        network = priority(network)
    goal = stage.goal(network, max_replans=0, budget=None)
    assert ticks(goal, 1) == letter
    if letter == "F":
        assert "BT305" in stage.heard.of(PlanFailed)[0].reason


# the first steps


def test_the_next_steps_are_those_before_the_first_open_part_or_alternative(stage, a):
    def found(network):
        goal = stage.goal(network)
        goal.tick_once()
        [subtree] = goal.children
        return [str(step) for step in next_steps(subtree)]

    done, later = stage.step("done", "S"), stage.compound("later", lambda: [method(a)])
    many = [stage.step(f"s{n}", "R") for n in range(3)]
    assert found(many) == ["s0", "s1", "s2"]
    assert found(parallel(many, a)) == ["s0", "s1", "s2", "a"]
    assert found((parallel(done, many[0], (many[1], many[2])), a)) == ["s0", "s1", "s2", "a"]
    assert found((parallel(done, many[0], policy="any"), many[1], a)) == ["s1", "a"]
    assert found((many[0], priority(many[1], a), a)) == ["s0"]
    assert found((many[0], defer(later), a)) == ["s0"]
