"""Plans as people write them down."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn.engine.domain.builder import Domain, Primitive, primitive
from bthtn.engine.domain.derive import derive
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import Methods, method
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.nodes import (
    HORIZON,
    NULL_NODE,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import PlanRequest
from bthtn.engine.text.notation import call_from, node_from, normal, notation
from bthtn.engine.world.declarations import fluent
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import value_text
from bthtn.errors import InputError
from bthtn.studio.testing.strategies import problems


class World(State):
    lit: Fluent[bool] = fluent(default=False)


class Spot:
    def __repr__(self) -> str:
        return "<spot>"


draft = Domain("house", World)
enter = draft.primitive("enter")
knock = draft.primitive("knock")
aim = draft.primitive("射線×")
odd = draft.primitive('hold (fire), "now"')
word = draft.primitive("parallel")


@draft.primitive
def wait(ticks: int) -> Primitive:
    return primitive()


@draft.primitive
def say(text: str, loud: bool) -> Primitive:
    return primitive()


@draft.primitive
def go(to: Spot) -> Primitive:
    return primitive()


@draft.primitive
def put(what, where) -> Primitive:
    return primitive()


@draft.compound
def visit() -> Methods:
    yield method(knock(), enter())


house = draft.freeze()
ENTER, KNOCK = TaskNode(enter), TaskNode(knock)


@pytest.mark.parametrize(
    "text",
    [
        "knock",
        "()",
        "null",
        "(knock, enter)",
        "(parallel((knock, enter), (wait(3), knock)), priority(射線×, enter))",
        "parallel(knock, enter, policy=any)",
        "parallel(knock, enter, policy=primary)",
        "priority(null, enter, reactive)",
        "say('a, (b', true)",
        "suspended(say('a', lit), put(lit, 1))",
        "go(<spot>)",
        "put(1.5, ('a', 2))",
        "put(HALL, '')",
        "suspended(visit, wait(3), defer(visit), pause, null, parallel(knock, priority(enter)))",
        "suspended(defer(visit, now), pause(now), knock)",
        "'parallel'",
        "'hold (fire), \"now\"'",
    ],
)
def test_what_is_written_is_what_is_read(text):
    assert notation(node_from(text, house)) == text


def test_a_fluent_in_a_suspended_task_is_read_as_that_fluent():
    waits = node_from("suspended(say(lit, lit), put(not lit, 'lit'), put(lit or, 2))", house)
    say, put, odd = (call.args for call in waits.rest)
    assert say == (World.lit, World.lit)
    assert put[0].evaluate(World(lit=True).frozen()) is False
    assert put[1].value == "lit"
    assert odd[0].text() == "lit or"


@pytest.mark.parametrize(
    ("written", "same"),
    [
        (" ( knock ,enter ) ", "(knock, enter)"),
        ("(knock, enter,)", "(knock, enter)"),
        ("((knock), (enter, null))", "(knock, enter)"),
        ("parallel(knock)", "knock"),
        ("parallel(null, knock, ())", "knock"),
        ("priority((knock))", "knock"),
        ("priority(null, knock)", "priority(null, knock)"),
        ("(null, ())", "null"),
        ('say("hi", TRUE)', "say('hi', true)"),
        (r"say('it\'s', true)", 'say("it\'s", true)'),
        ("say(hi, true)", "say('hi', true)"),
        ("wait( 3 )", "wait(3)"),
        ("suspended((knock, enter))", "suspended(knock, enter)"),
        ('"parallel"', "'parallel'"),
    ],
)
def test_the_normal_form_forgets_what_makes_no_difference(written, same):
    assert normal(node_from(written, house)) == same


def test_scopes_and_what_is_merged_away_do_not_show():
    inside = ScopeNode(visit, (), 0, SequenceNode((KNOCK, NULL_NODE, ENTER)))
    plan = SequenceNode((inside, ParallelNode((KNOCK, NULL_NODE), ParallelPolicy.ALL)))
    assert notation(plan) == "((knock, null, enter), parallel(knock, null))"
    assert normal(plan) == "(knock, enter, knock)"


def test_the_cause_of_a_suspension_and_lost_alternatives_do_not_show():
    choice = PriorityNode((KNOCK, ENTER), (0, 2))
    assert normal(choice) == "priority(knock, enter)"
    assert normal(SuspendedNode((visit(),), (), HORIZON)) == "suspended(visit)"


@pytest.mark.parametrize(
    ("text", "code", "where", "message", "hint"),
    [
        ("", "BT406", 1, "a task is missing before the end", "write a task"),
        ("(knock", "BT406", 7, "expected ',' or ')' before the end", "write a task"),
        ("(knock enter)", "BT406", 8, "expected ',' or ')' before 'enter'", "write a task"),
        ("(knock,, enter)", "BT406", 8, "a task is missing before ','", "write a task"),
        ("knock)", "BT406", 6, "')' stands behind the end", "remove it"),
        ("parallel", "BT406", 1, "parallel cannot stand here like this", "'parallel', in quotes"),
        ("reactive", "BT406", 1, "reactive cannot stand here like this", "'reactive', in quotes"),
        ("pause", "BT406", 1, "pause cannot stand here like this", "'pause', in quotes"),
        ("defer(visit)", "BT406", 1, "defer cannot stand here like this", "'defer', in quotes"),
        ("suspended(suspended(knock))", "BT406", 11, "suspended(…) cannot stand here", "write"),
        ("suspended(defer(knock, enter))", "BT406", 11, "defer(…) cannot stand here", "write"),
        ("priority()", "BT406", 1, "priority() has nothing in it", "write null for nothing"),
        ("parallel(knock, policy=ani)", "BT406", 17, "no parallel policy is called 'ani'", "any"),
        ("priority(knock, policy=any)", "BT406", 17, "policy cannot stand here", "in quotes"),
        ("wait(3", "BT406", 5, "this bracket is never closed", "add a ')'"),
        ("say('hi", "BT406", 5, "this quote is never closed", "add a '"),
        ("visit", "BT406", 1, "'visit' is a compound task", "primitive tasks"),
        ("(" * 200, "BT406", 101, "nested deeper than 100", "leave brackets out"),
        ("knokc", "BT101", 1, "no task is called 'knokc'", "did you mean 'knock'?"),
        ("(knock, wait)", "BT103", 9, "'wait' takes ticks; it is given 0", ""),
        ("knock(1)", "BT103", 1, "'knock' takes no values; it is given 1", ""),
        ("wait(x)", "BT103", 1, "'ticks' is int and cannot be x", "write a whole number"),
    ],
)
def test_a_mistake_is_told_with_its_column(text, code, where, message, hint):
    with pytest.raises(InputError) as caught:
        node_from(text, house)
    fault = caught.value.diagnostics[0]
    assert (fault.code, fault.where) == (code, f"column {where}")
    assert message in fault.message
    assert hint in fault.hint


def test_every_unknown_task_is_told_at_once():
    with pytest.raises(InputError) as caught:
        node_from("(knokc, parallel(wait(1), etner), suspended(vist))", house)
    assert [fault.where for fault in caught.value.diagnostics] == [
        "column 2",
        "column 27",
        "column 45",
    ]


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("visit", visit()),
        (" wait(3)", wait(3)),
        ('say("a, b", false)', say("a, b", loud=False)),
        ("put(hall, '3')", put("hall", "3")),
    ],
)
def test_a_call_is_read(text, call):
    read = call_from(text, house)
    values = [argument.text() for argument in read.args]
    assert (read.task, values) == (call.task, [argument.text() for argument in call.args])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("(knock, enter)", "BT406"),
        ("null", "BT406"),
        ("defer(visit)", "BT406"),
        ("go(<spot>)", "BT103"),
        ("vsiit", "BT101"),
    ],
)
def test_what_is_no_call_is_refused(text, code):
    with pytest.raises(InputError) as caught:
        call_from(text, house)
    assert caught.value.code == code


@pytest.fixture
def patrols():
    domain = Domain("patrols", World)

    @domain.primitive
    def look(rooms: int, speed: float = 1.5) -> Primitive:
        return primitive()

    return derive(domain, "hall", suffix="_hall", given={"rooms": 2})


@pytest.mark.parametrize(
    ("text", "args"),
    [("look_hall", (2, 1.5)), ("look_hall(3.0)", (2, 3.0)), ("look_hall(2, 3.0)", (2, 3.0))],
)
def test_a_call_may_leave_out_what_is_fixed_or_has_a_default(patrols, text, args):
    assert tuple(arg.value for arg in call_from(text, patrols).args) == args


@pytest.mark.parametrize(
    ("text", "said"),
    [("look_hall(3, 3.0)", "'rooms' of 'look_hall' is 2"), ("look_hall(2, 3, 4)", "given 3")],
)
def test_a_call_cannot_have_another_value_for_what_is_fixed(patrols, text, said):
    with pytest.raises(InputError, match=said):
        call_from(text, patrols)


@given(problems())
def test_the_plan_of_any_problem_can_be_written_down_and_read_again(problem: PlanRequest):
    search = HtnSearch.of(problem)
    search.advance()
    if search.plan is not None:
        text = normal(search.plan.tree)
        assert normal(node_from(text, problem.domain)) == text


def named(name: str) -> tuple[FrozenDomain, Node]:
    domain = Domain("one", World)
    task = domain.primitive(name)
    return domain.freeze(), TaskNode(task)


NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1)


@given(NAMES)
def test_a_task_of_any_name_can_be_written_down(name):
    domain, node = named(name)
    assert node_from(notation(node), domain).task is node.task


@given(st.text())
def test_a_value_that_is_a_text_can_be_written_down(text):
    node = TaskNode(say, (text, True))
    assert node_from(notation(node), house).args == (text, True)


@given(st.text("()'\", =\\knocaitw3nulprespdf", max_size=30))
def test_any_text_is_a_plan_or_a_mistake(text):
    with contextlib.suppress(InputError):
        node_from(text, house)


def test_a_plan_nested_ten_thousand_deep_is_written():
    node: Node = KNOCK
    for _ in range(10_000):
        node = PriorityNode((NULL_NODE, node), (0, 1))
    assert notation(node).count("priority(null, ") == 10_000
    assert value_text("x") == "'x'"
