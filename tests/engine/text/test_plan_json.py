"""Plans written completely, and read again."""

import json
from dataclasses import fields
from enum import Enum
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn import (
    UNKNOWN,
    CompoundTask,
    Domain,
    Fluent,
    FluentFamily,
    Settings,
    State,
    achieve,
    defer,
    find_plan,
    first_of,
    fluent,
    fluents,
    method,
    null,
    one_of,
    parallel,
    pause,
    primitive,
    priority,
    sequence,
)
from bthtn.engine.domain.network import Network, network_text
from bthtn.engine.plan.nodes import HORIZON, Dropped, Foreseen, Node, PriorityNode, SuspendedNode
from bthtn.engine.plan.walk import children_of, outline, preorder
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.text import plan_json
from bthtn.engine.text.notation import notation
from bthtn.errors import InputError
from bthtn.kit.formats import decoded, encoded
from bthtn.testing import problems, replay


class Gait(Enum):
    WALK = 1
    RUN = 2


class Errand(State):
    lit: Fluent[bool] = fluent(default=False)
    place: Fluent[str] = fluent(default="home")
    gait: Fluent[Gait] = fluent(default=Gait.WALK)
    near: FluentFamily[tuple[str, str], float] = fluents(default=0.0)
    seen: Fluent[bool] = fluent(default=True, volatile=True)


def errands(name="errands", **extra):
    """A domain with every kind of node; ``extra`` tasks are added."""
    domain = Domain(name, Errand)
    knock = domain.primitive("knock", cost=3)
    enter = domain.primitive("enter", precondition=Errand.lit)
    wait = domain.primitive("wait", duration=2, uses="legs")
    for more in extra:
        domain.primitive(more)

    @domain.primitive
    def go(to: str, gait: Gait):
        return primitive(
            effects=[Errand.place.becomes(to), Errand.gait.becomes(gait)],
            cost=lambda state: 2 if state.lit else 5,
        )

    @domain.compound
    def visit(who: str):
        yield method(go(who, Gait.RUN), priority(enter(), knock(), reactive=True), cost=7)

    @domain.compound
    def stroll():
        spot = one_of(("park", "inn"), name="spot")
        yield method(go(spot, Errand.gait), go(Errand.place, Gait.WALK))

    @domain.compound
    def tour():
        yield method(parallel(wait(), knock(), policy="any"), visit("ann"), stroll(), rest())

    @domain.compound
    def rest():
        yield method(
            defer(visit("bob"), ensures=Errand.lit.becomes(True)), pause(), visit(Errand.place)
        )

    @domain.compound
    def plain():
        yield method(lambda state: [wait(), pause(), go(Errand.place, Gait.RUN)])

    return domain


DOMAIN = errands()


def call(name, *args, domain=DOMAIN):
    return domain.freeze().task(name)(*args)


SOME = {"to": ("inn",), "gait": tuple(Gait)}


def plan_for(goal, state=None, domain=DOMAIN, **options):
    plan = find_plan(domain, state or Errand(), goal, Settings(**options))
    assert plan is not None
    return plan


def facts(value):
    """Everything that a part of a plan holds, except its children, as comparable data."""
    if isinstance(value, Foreseen):
        return [facts(getattr(value, one.name)) for one in fields(value) if one.name != "tree"] + [
            tree_facts(value.tree)
        ]
    if isinstance(value, dict):
        return sorted((str(key), facts(entry)) for key, entry in value.items())
    if isinstance(value, CompoundTask):  # that of a construct in a goal is made anew
        return value.name
    return value


def tree_facts(root):
    """Every field of every node, in pre-order, except the calls that are no part of the text."""
    return [
        (
            depth,
            type(node).__name__,
            len(children_of(node)),
            [
                # A parameter and its value mean the same: a plain function's networks have both.
                [network_text(part, node.binding) for part in node.rest]
                if one.name == "rest"
                else facts(getattr(node, one.name))
                for one in fields(node)
                if one.name not in ("child", "children")
                and (one.name not in ("call", "binding", "body") or isinstance(node, SuspendedNode))
            ],
        )
        for depth, node in preorder(root)
    ]


def assert_equal(plan, other):
    assert outline(plan.tree) == outline(other.tree)
    assert tree_facts(plan.tree) == tree_facts(other.tree)
    for name in ("goal_text", "binding", "record", "cost", "value", "expansions", "predicted"):
        assert getattr(plan, name) == getattr(other, name), name
    assert plan.footprint == other.footprint
    assert plan.actions == other.actions
    assert encoded(plan) == encoded(other)


@pytest.mark.parametrize("name", ["tour", "stroll", "rest", "plain", "knock"])
@pytest.mark.parametrize("options", [{}, {"horizon": 2}, {"horizon": 1, "check_rest": True}])
def test_every_kind_of_node_survives(name, options):
    plan = plan_for(call(name), **options)
    assert_equal(decoded(encoded(plan, complete=True), DOMAIN), plan)


def test_arguments_costs_and_the_predicted_state_survive():
    plan = plan_for(call("go", "inn", Gait.RUN), Errand(lit=True, near={("a", "b"): 0.5}))
    copy = decoded(encoded(plan, complete=True), DOMAIN)
    (step,) = copy.steps
    assert (step.args, step.cost, copy.cost) == (("inn", Gait.RUN), 2, 2)
    assert copy.predicted == plan.predicted


def test_a_goal_of_several_tasks_survives():
    plan = plan_for((call("knock"), parallel(call("visit", "eve"), call("wait")), pause()))
    assert_equal(decoded(encoded(plan, complete=True), DOMAIN), plan)


def test_goals_of_every_kind_of_network_survive():
    kinds = Domain("kinds", Errand)
    step = kinds.primitive("step")
    for goal in (
        parallel(step(), null()),
        priority(step(), step(), reactive=True),
        sequence(step(), pause(), step()),
        sequence(step(), pause(now=True)),
        sequence(step(), defer(step())),
    ):
        plan = find_plan(kinds, Errand(), goal)
        assert_equal(decoded(encoded(plan, complete=True), kinds), plan)


@pytest.mark.parametrize(
    "goal",
    [
        lambda: first_of(call("enter"), call("stroll")),
        lambda: sequence(call("go", Errand.place + "!", Gait.RUN), pause(), call("knock")),
        lambda: achieve(Errand.place == "inn", objects=SOME, forward=True),
    ],
)
def test_a_goal_that_is_no_plain_data_is_given_once_more(goal):
    goal = goal()
    plan = plan_for(goal)
    text = encoded(plan, complete=True)
    with pytest.raises(InputError, match="cannot be read from text"):
        decoded(text, DOMAIN)
    assert_equal(decoded(text, DOMAIN, goal=goal), plan)
    with pytest.raises(InputError, match="the plan is for"):
        decoded(text, DOMAIN, goal=call("knock"))


def test_what_was_read_can_be_replayed_and_its_suspended_parts_are_those_of_the_domain():
    state = Errand(lit=UNKNOWN)
    plan = plan_for(call("tour"), state)
    copy = decoded(encoded(plan, complete=True), DOMAIN)
    assert replay(copy, state.frozen()).ok
    parts = [[n for _, n in preorder(p.tree) if isinstance(n, SuspendedNode)] for p in (plan, copy)]
    assert parts[0]
    for one, other in zip(*parts, strict=True):
        assert all(a is b for a, b in zip(one.rest, other.rest, strict=True))


@given(problems())
def test_every_plan_is_equal_to_what_is_read_of_its_text(problem):
    search = HtnSearch.of(problem)
    search.advance()
    if search.plan is not None:
        text = encoded(search.plan, complete=True)
        copy = decoded(text, problem.domain, goal=problem.goal)
        assert_equal(copy, search.plan)
        assert replay(copy, problem.state).ok
        assert encoded(copy, complete=True) == text


def test_a_plan_deeper_than_python_can_recurse_survives():
    domain = Domain("deep", Errand)
    step = domain.primitive("step")

    @domain.primitive
    def tick(left: int):
        return primitive()

    @domain.compound
    def count(left: int):
        yield method(lambda state, left=left: [tick(left), count(left - 1)] if left else [step()])

    plan = find_plan(domain, Errand(), count(1_500), Settings(max_depth=10_000))
    assert plan is not None
    assert outline(decoded(encoded(plan, complete=True), domain).tree) == outline(plan.tree)


# plans of older versions

FIRST = """{"format": "bthtn-plan/1", "domain": "errands", "task": {"name": "tour", "args": []},
"record": [0, 0, 0], "cost": 16, "expansions": 6, "tree": {"node": "scope", "task": "tour",
"args": [], "method": "", "index": 0, "child": {"node": "sequence", "children": [
{"node": "parallel", "policy": "any", "children": [{"node": "task", "name": "wait", "args": []},
{"node": "task", "name": "knock", "args": []}]}, {"node": "scope", "task": "visit",
"args": ["ann"], "method": "", "index": 0, "cost": 7, "child": {"node": "sequence", "children": [
{"node": "task", "name": "go", "args": ["ann", "RUN"]}, {"node": "priority", "reactive": true,
"dropped": [{"alternative": 0, "task": "enter", "reason": "enter: lit is false"}],
"children": [{"node": "task", "name": "knock", "args": []}]}]}}, {"node": "suspended",
"cause": "horizon", "tasks": ["stroll", "rest"]}, {"node": "suspended", "cause": "unknown place",
"tasks": ["visit(place)"]}, {"node": "null"}]}}}"""


def test_a_plan_of_version_one_is_read_as_far_as_it_goes():
    plan = decoded(FIRST, DOMAIN)
    assert (plan.goal_text, plan.record, plan.expansions) == ("tour", (0, 0, 0), 6)
    assert notation(plan.tree) == (
        "(parallel(wait, knock, policy=any), (go('ann', RUN), priority(knock, reactive)),"
        " suspended(stroll, rest), suspended(visit(place)), null)"
    )
    walk = plan.steps[2]
    assert (walk.task.name, walk.args) == ("go", ("ann", Gait.RUN))
    (choice,) = [node for _, node in preorder(plan.tree) if isinstance(node, PriorityNode)]
    assert (choice.kept, choice.dropped) == ((1,), (Dropped(0, "enter", "enter: lit is false"),))
    waits, unknown = plan.suspended
    assert (waits.cause, str(unknown.cause)) == (HORIZON, "unknown place")
    assert unknown.rest[0].args == (Errand.place,)
    assert decoded(encoded(plan, complete=True), DOMAIN).suspended[1].rest == unknown.rest


@pytest.mark.parametrize("damage", [('"RUN"', '"FLY"'), ('"visit(place)"', "3"), ('"tree"', '"t"')])
def test_a_damaged_plan_of_version_one_is_refused(damage):
    with pytest.raises(InputError, match="BT406"):
        decoded(FIRST.replace(*damage), DOMAIN)


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ({"name": "go", "args": ["inn", "RUN"]}, "go('inn', RUN)"),
        ({"name": "(knock, defer(visit('eve')))", "args": []}, "(knock, defer(visit('eve')))"),
    ],
)
def test_the_goal_of_version_one_is_read_too(task, text):
    given = json.loads(FIRST) | {"task": task, "tree": {"node": "null"}}
    assert decoded(json.dumps(given), DOMAIN).goal_text == text
    with pytest.raises(InputError, match=r"the plan is for .*, not for wait"):
        decoded(json.dumps(given), DOMAIN, goal=call("wait"))


def test_a_goal_of_version_one_that_is_no_plain_data_is_given_once_more():
    goal = first_of(call("enter"), call("knock"))
    task = {"name": "first_of(enter, knock)", "args": []}
    text = json.dumps(json.loads(FIRST) | {"task": task, "tree": {"node": "null"}})
    with pytest.raises(InputError):
        decoded(text, DOMAIN)
    assert decoded(text, DOMAIN, goal=goal).goal_text == "goal.first_of_1"


def test_the_complete_format_of_older_versions_is_the_same():
    assert_equal(decoded(changed(format="bthtn-complete-plan/1"), DOMAIN), plan_for(call("tour")))


# what cannot be


def changed(**fields_):
    return json.dumps(json.loads(encoded(plan_for(call("tour")), complete=True)) | fields_)


def test_a_newer_version_is_refused():
    with pytest.raises(InputError, match="another version of bthtn"):
        decoded(changed(format="bthtn-plan/3"), DOMAIN)
    with pytest.raises(InputError, match=r"encoded\(plan\) is one"):
        decoded(changed(format="bthtn-recording/1"), DOMAIN)


def test_a_plan_of_another_domain_is_refused():
    with pytest.raises(InputError, match="a plan of domain 'errands', not of 'other'"):
        decoded(changed(), errands("other"))


def test_an_unknown_task_is_named_with_the_nearest_and_its_place():
    text = encoded(plan_for(call("tour")), complete=True).replace('"knock"', '"knok"')
    with pytest.raises(InputError) as caught:
        decoded(text, DOMAIN)
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.message) == ("BT101", "no task is called 'knok'")
    assert fault.hint == "did you mean 'knock'?"
    assert fault.where.startswith("node ")


def test_a_value_that_cannot_be_made_again_is_refused_when_it_is_written():
    class Thing:
        def __repr__(self):
            return "<thing>"

    domain = Domain("things", Errand)

    @domain.primitive
    def take(what: object):
        return primitive()

    with pytest.raises(InputError, match="<thing> cannot be written into a complete plan"):
        encoded(plan_for(take(Thing()), domain=domain), complete=True)


@pytest.mark.parametrize(
    "value",
    [
        10**4_000,
        float("inf"),
        float("-inf"),
        -0.0,
        None,
        True,
        "\ud800\n",
        (1, ("a",)),
        frozenset({1}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_of_every_plain_kind_survive(value):
    domain = Domain("things", Errand)

    @domain.primitive
    def take(what: object):
        return primitive()

    plan = plan_for(take(value), domain=domain)
    (step,) = decoded(encoded(plan, complete=True), domain).steps
    assert (step.args, type(step.args[0])) == ((value,), type(value))


WHOLE = json.loads(encoded(plan_for(call("tour"), horizon=2, check_rest=True), complete=True))


def paths(data, above=()):
    yield above
    inside = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in inside:
        yield from paths(value, (*above, key))


PATHS = [path for path in paths(WHOLE) if path]
JUNK = st.sampled_from(
    [
        None,
        True,
        -1,
        99,
        1.5,
        "x",
        [],
        {},
        [[]],
        {"place": ["", 0, 99]},
        {"enum": "Gait", "name": "FLY"},
    ]
)


@given(st.sampled_from(PATHS), JUNK)
def test_a_damaged_plan_is_read_or_refused_with_one_clear_error(path, junk):
    data = json.loads(json.dumps(WHOLE))
    *above, last = path
    here = data
    for key in above:
        here = here[key]
    here[last] = junk
    found = ""
    try:
        decoded(json.dumps(data), DOMAIN)
    except InputError as error:
        found = str(error)
    assert found.count("[BT") <= 1
    assert len(found) < 1_000


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ((1, "below"), 99, "there are no 99 nodes below it"),
        ((3, "below"), 1, "there are nodes below a leaf"),
        ((3, "name"), "tour", "'tour' is a compound task"),
        ((0, "task"), "knock", "'knock' is a primitive task"),
        ((7, "args"), [], "'go' takes 2 arguments"),
        ((8, "foreseen", "nodes", 0, "kept"), [0, 1], "2 alternatives are kept, and there are 1"),
        ((3, "cost"), {"place": ["visit", 0, 99]}, "a value cannot be read"),
        ((7, "args", 1), {"enum": "Gait"}, "a value cannot be read"),
    ],
)
def test_damage_is_named_with_its_node(path, value, fault):
    data = json.loads(json.dumps(WHOLE))
    here = data["nodes"]
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    with pytest.raises(InputError) as caught:
        decoded(json.dumps(data), DOMAIN)
    assert fault in str(caught.value)
    assert f"node {path[0]}" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "3",
        "{",
        "[" * 100_000,
        '{"format": ' + "9" * 5_000 + "}",
        '{"format": "' + "x" * 9_999 + '"}',
    ],
    ids=range(7),
)
def test_what_is_no_plan_at_all_is_refused_in_few_words(text):
    with pytest.raises(InputError) as caught:
        decoded(text, DOMAIN)
    assert len(str(caught.value)) < 500


def test_values_and_networks_nested_too_deep_are_refused():
    deep = '{"tuple": [' * 5_000 + "1" + "]}" * 5_000
    text = changed(binding=["deep"]).replace('"deep"', deep)
    with pytest.raises(InputError, match=r"nested too deep|recursion"):
        decoded(text, DOMAIN)


def test_every_kind_of_node_and_of_network_has_a_row():
    assert {shape.kind for shape in plan_json._NODES.values()} == {*get_args(Node)}
    assert {shape.kind for shape in plan_json._NETWORKS.values()} == {*get_args(Network)}
