"""What can be found wrong with a domain without a state."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn.engine.domain.builder import Domain, Primitive, primitive
from bthtn.engine.domain.construct import any_order, first_of, partial_order
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import method
from bthtn.engine.domain.network import defer, null, parallel, pause, priority
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import PlanRequest, SearchStatus, request
from bthtn.engine.world.at_start import at_start
from bthtn.engine.world.declarations import fluent, fluents
from bthtn.engine.world.fluent import Fluent, FluentFamily
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import Severity
from bthtn.examples.domains.combat.domain import combat
from bthtn.studio.analysis.checks import CHECKS, findings
from bthtn.studio.analysis.endings import endless, is_certain
from bthtn.studio.analysis.graph import task_graph
from bthtn.studio.testing.strategies import problems


class World(State):
    lit: Fluent[bool] = fluent(default=False)


class Weather(State):
    lit: Fluent[bool] = fluent(default=False)
    wind: Fluent[int] = fluent(default=0, volatile=True)


class Doubt(State):
    lit: Fluent[bool] = fluent(default=UNKNOWN, type=bool)


def house(state=World, **compounds):
    """A domain with a task ``step`` and compounds; each is a function that lists its methods.

    The functions are given the tasks by name, so that they can be written in a line.
    """
    domain = Domain("house", state)
    tasks = {"step": domain.primitive("step", exec_only=state.lit)}
    for name, methods in compounds.items():

        def define(methods=methods):
            yield from methods(tasks)

        tasks[name] = domain.compound(_called(name, define))
    return domain.freeze()


def _called(name, define):
    def function():
        yield from define()

    function.__name__ = name
    return function


def codes(domain: FrozenDomain) -> list[str]:
    return [diagnostic.code for diagnostic in findings(domain)]


def test_a_domain_that_is_well_made_has_no_findings():
    assert findings(combat.freeze()) == ()


def test_findings_are_sorted_and_warn():
    domain = house(
        b=lambda t: [method(t["b"]())],
        a=lambda t: [method(), method(t["step"]())],
    )
    found = findings(domain)
    assert [(one.code, one.where) for one in found] == [
        ("BT152", "compound 'a', method 0"),
        ("BT151", "compound 'b'"),
    ]
    assert all(one.severity is Severity.WARNING and one.hint for one in found)


# BT151: what never ends


def test_a_task_that_only_leads_to_itself_is_found():
    (found,) = findings(house(patrol=lambda t: [method(t["step"](), t["patrol"]())]))
    assert found.code == "BT151"
    assert "'patrol' can never be planned to an end" in found.message
    assert "(patrol → patrol)" in found.message


def test_a_circle_is_told_once_and_what_leads_into_it_is_not_blamed():
    domain = house(
        before=lambda t: [method(t["ping"]())],
        ping=lambda t: [method(t["step"](), t["pong"](), when=World.lit), method(t["pong"]())],
        pong=lambda t: [method(t["ping"]())],
    )
    (found,) = findings(domain)
    assert found.where == "compound 'ping'"
    assert "(ping → pong → ping)" in found.message


@pytest.mark.parametrize(
    "methods",
    [
        lambda t: [method(t["step"](), t["patrol"](), when=World.lit), method(t["step"]())],
        lambda t: [method(t["step"](), defer(t["patrol"]()))],
        lambda t: [method(t["step"](), pause(), t["patrol"]())],
        lambda t: [method(parallel(t["step"](), (pause(), t["patrol"]())))],
        lambda t: [method(priority(t["patrol"](), t["step"]()))],
        lambda t: [method(null())],
        lambda t: [method(lambda state: [t["patrol"]()])],
        lambda t: [method(defer(t["patrol"](), ensures=World.lit.becomes(True)), t["step"]())],
    ],
)
def test_a_task_that_can_end_or_be_planned_later_is_not_blamed(methods):
    assert "BT151" not in codes(house(patrol=methods))


@pytest.mark.parametrize(
    "methods",
    [
        lambda t: [method(parallel(t["step"](), t["patrol"]()))],
        lambda t: [method(t["patrol"](), pause())],
        lambda t: [method(t["patrol"](), defer(t["step"]()))],
        lambda t: [method(parallel(pause(), t["patrol"]()))],
    ],
)
def test_what_comes_too_late_to_end_it_does_not_help(methods):
    assert "BT151" in codes(house(patrol=methods))


@pytest.mark.parametrize("state", [Weather, Doubt])
def test_where_fluents_can_be_unknown_a_condition_can_end_the_planning(state):
    asks = house(state, patrol=lambda t: [method(t["step"](), t["patrol"](), when=state.lit)])
    never_asks = house(state, patrol=lambda t: [method(t["step"](), t["patrol"]())])
    assert "BT151" not in codes(asks)
    assert "BT151" in codes(never_asks)


def test_the_precondition_of_a_task_can_end_the_planning_too():
    domain = Domain("house", Doubt)
    look = domain.primitive("look", precondition=Doubt.lit)

    @domain.compound
    def patrol():
        yield method(look(), patrol())

    assert endless(domain.freeze()) == []


@pytest.mark.parametrize(
    ("certain", "methods"),
    [
        (True, lambda t: [method(parallel(t["step"](), t["step"]()))]),
        (True, lambda t: [method(priority(t["step"]()))]),
        (False, lambda t: [method(priority(t["step"](), null()))]),
        (False, lambda t: [method(parallel(t["step"](), null(), policy="any"))]),
        (False, lambda t: [method(lambda state: None)]),
        (False, lambda t: [method(defer(t["step"](), ensures=World.lit.becomes(UNKNOWN)))]),
    ],
)
def test_what_makes_fluents_unknown_is_known(certain, methods):
    assert is_certain(house(x=methods)) is certain


def test_an_effect_in_python_may_make_fluents_unknown():
    domain = Domain("house", World)
    domain.primitive("forget", effects=lambda state: None)
    assert not is_certain(domain.freeze())


NAMES = ["a", "b", "c"]
leaves = st.sampled_from(["step", *NAMES, *(f"defer {name}" for name in NAMES), "pause", "null"])


def two_first(one, two):
    return partial_order("two < one", one=one, two=two)


MAKERS = [tuple, parallel, priority, first_of, any_order, two_first]
shapes = st.recursive(
    leaves,
    lambda inner: st.tuples(st.sampled_from(MAKERS), inner, inner),
    max_leaves=4,
)


def built(shape, tasks):
    """A network as drawn, of tasks by name."""
    if isinstance(shape, str):
        name = shape.removeprefix("defer ")
        if shape in ("pause", "null"):
            return pause() if shape == "pause" else null()
        return tasks[name]() if shape == name else defer(tasks[name]())
    make, *parts = shape
    networks = [built(part, tasks) for part in parts]
    return tuple(networks) if make is tuple else make(*networks)


@given(st.lists(st.lists(shapes, min_size=1, max_size=2), min_size=3, max_size=3))
def test_exactly_what_never_ends_has_no_plan(methods):
    domain = house(
        **{
            name: lambda t, several=several: [method(built(one, t)) for one in several]
            for name, several in zip(NAMES, methods, strict=True)
        }
    )
    blamed = {task.name for task in endless(domain)}
    for name in NAMES:
        search = HtnSearch.of(request(domain, World(), domain.tasks[name]()))
        search.advance()
        assert (search.status is SearchStatus.EXHAUSTED) is (name in blamed)


# BT152: what stands behind a method that does nothing


@pytest.mark.parametrize(
    ("found", "methods"),
    [
        (True, lambda t: [method(), method(t["step"]())]),
        (
            True,
            lambda t: [method(t["step"](), when=World.lit), method(null()), method(t["step"]())],
        ),
        (False, lambda t: [method(t["step"]()), method()]),
        (False, lambda t: [method(t["step"]()), method(t["step"]())]),
        (False, lambda t: [method(when=World.lit), method(t["step"]())]),
        (False, lambda t: [method(when=False), method(t["step"]())]),
        (False, lambda t: [method(lambda state: []), method(t["step"]())]),
    ],
)
def test_methods_behind_one_that_always_does_nothing_are_found(found, methods):
    assert ("BT152" in codes(house(x=methods))) is found


# BT153: tasks that nothing uses


def test_a_primitive_task_that_no_method_calls_is_found():
    (found,) = findings(house(x=lambda t: [method(when=World.lit)]))
    assert (found.code, found.where) == ("BT153", "primitive 'step'")


@pytest.mark.parametrize(
    "compounds",
    [
        {},
        {"x": lambda t: [method(defer(t["step"]()))]},
        {"x": lambda t: [method(lambda state: [t["step"]()])]},
        {"x": lambda t: [method(t["step"]())], "y": lambda t: [method(t["step"]())]},
    ],
)
def test_tasks_that_may_be_used_and_goals_of_their_own_are_not_blamed(compounds):
    assert "BT153" not in codes(house(**compounds))


# BT154: fluents that nothing mentions


class Rich(State):
    used: Fluent[bool] = fluent(default=False)
    argument: Fluent[int] = fluent(default=0)
    promised: Fluent[bool] = fluent(default=False)
    use: Fluent[bool] = fluent(default=False)
    on: FluentFamily[str, str] = fluents(default="table")
    off: FluentFamily[str, str] = fluents(default="table")


def rich(**description):
    domain = Domain("rich", Rich)
    step = domain.primitive("step", precondition=Rich.used & (Rich.on["a"] == "b"), **description)

    @domain.primitive
    def wait(ticks: int) -> Primitive:
        return primitive()

    @domain.compound
    def x():
        yield method(wait(Rich.argument), defer(step(), ensures=Rich.promised.becomes(True)))

    return domain.freeze()


def test_a_fluent_that_nothing_mentions_is_found():
    found = findings(rich())
    assert [(one.code, one.where) for one in found] == [
        ("BT154", "fluent 'off' of Rich"),
        ("BT154", "fluent 'use' of Rich"),
    ]


@pytest.mark.parametrize(
    "description",
    [
        {"effects": lambda state: None},
        {"exec_only": lambda state: True},
        {"during": lambda state: True},
        {"on_failure": lambda state: None},
        {"cost": lambda state: 1},
    ],
)
def test_plain_functions_may_use_any_fluent(description):
    assert findings(rich(**description)) == ()


def test_a_plain_method_may_use_any_fluent():
    domain = Domain("plain", Rich)

    @domain.compound
    def x():
        yield method(lambda state: [])

    assert findings(domain.freeze()) == ()


# BT155: methods in their own way


def in_the_way(
    first=Rich.used, effect=None, later=Rich.promised, others=(), failed=(), **described
):
    """A method that brings about what the one behind it waits for."""
    domain = Domain("way", Rich)
    go = domain.primitive("go", effects=effect or Rich.promised.becomes(True), **described)
    rest = domain.primitive("rest", effects=others, on_failure=failed)

    @domain.compound
    def via():
        yield method(go())

    @domain.compound
    def x():
        yield method(via(), when=first)
        yield method(rest(), when=later)
        yield method()

    return domain.freeze()


def ways(domain):
    return [one for one in findings(domain) if one.code == "BT155"]


def test_a_method_that_still_applies_when_it_has_begun_keeps_the_next_one_away():
    (found,) = ways(in_the_way())
    assert found.where == "compound 'x', method 0"
    assert "method 1 of 'x' waits for 'promised', which only method 0 brings about" in str(found)
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(
    "described",
    [
        {"effect": Rich.promised.becomes(False)},
        {"effect": Rich.argument.increases(1)},
        {"effect": Rich.promised.becomes(Rich.use)},
        {"effect": Rich.on["a"].becomes("b")},
        {"effect": lambda state: None},
    ],
)
def test_only_what_the_method_certainly_brings_about_counts(described):
    assert ways(in_the_way(**described)) == []


def test_a_method_that_ends_its_own_condition_is_in_nobodys_way():
    assert ways(in_the_way(first=Rich.used & ~Rich.promised)) == []
    assert ways(in_the_way(effect=[Rich.promised.becomes(True), Rich.used.becomes(False)])) == []


def test_methods_that_exclude_each_other_are_not_in_each_others_way():
    first = Rich.argument > 2
    assert ways(in_the_way(first=first, later=Rich.promised & (Rich.argument <= 2))) == []
    assert len(ways(in_the_way(first=first, later=Rich.promised & (Rich.argument > 2)))) == 1


def test_what_another_task_brings_about_as_well_may_come_from_there():
    assert ways(in_the_way(others=Rich.promised.becomes(True))) == []
    assert ways(in_the_way(others=lambda state: None)) == []
    assert len(ways(in_the_way(others=Rich.promised.becomes(False)))) == 1


def test_effects_at_the_start_and_the_end_of_a_step_count_as_well():
    assert ways(in_the_way(on_start=Rich.used.becomes(False))) == []
    assert ways(in_the_way(on_abort=lambda state: None)) == []
    assert ways(in_the_way(failed=Rich.promised.becomes(True))) == []
    assert len(ways(in_the_way(failed=Rich.promised.becomes(False)))) == 1


def test_what_holds_anyway_is_not_waited_for():
    domain = in_the_way(effect=Rich.promised.becomes(False), later=~Rich.promised)
    assert ways(domain) == []


def test_a_method_without_a_condition_is_what_comes_last():
    assert ways(in_the_way(first=True)) == []


@pytest.mark.parametrize(
    "later", [lambda state: state.promised, Rich.on["a"] == "b", ~Rich.promised]
)
def test_what_is_not_waited_for_for_certain_is_passed_over(later):
    assert ways(in_the_way(later=later)) == []


def test_what_the_later_method_asks_with_numbers_is_understood():
    domain = in_the_way(effect=Rich.argument.becomes(3), later=Rich.argument + 1 > 2)
    assert len(ways(domain)) == 1
    plain = Domain("plain", Rich)
    plain.compound(_called("x", lambda: [method(lambda state: [], when=Rich.used), method()]))
    assert ways(plain.freeze()) == []


# all of them


def test_every_check_stands_under_the_code_that_it_gives():
    domain = house(
        a=lambda t: [method(), method(t["a"]())],
        b=lambda t: [method(t["b"]())],
    )
    worse = Domain("worse", Rich)
    worse.primitive("unused", during=Rich.used, effects=Rich.used.becomes(False))
    worse.primitive("sit", precondition=Rich.used, effects=Rich.used.becomes(True))
    worse.compound(_called("x", lambda: [method()]))
    for code, check in CHECKS.items():
        found = [*check(domain), *check(worse.freeze()), *check(in_the_way())]
        assert {one.code for one in found} == {code}


def test_the_graph_has_a_node_for_every_task_and_method():
    graph = task_graph(combat.freeze())
    assert list(graph.successors("take_cover")) == [("take_cover", 0), ("take_cover", 1)]
    assert list(graph.successors(("take_cover", 1))) == ["move_to_cover", "cover"]
    assert graph.nodes["cover"]["kind"] == "primitive"


@given(problems())
def test_any_domain_can_be_checked(problem: PlanRequest):
    assert findings(problem.domain) == findings(problem.domain)


SCRIPT = """
from tests_of_order import domain
from bthtn.studio.analysis.checks import findings
print(*findings(domain), sep="\\n")
"""
DOMAIN = """
from bthtn import Domain, Fluent, State, fluent, method
class World(State):
    lit: Fluent[bool] = fluent(default=False)
draft = Domain("order", World)
names = ["ping", "pong", "pang", "peng"]
tasks = {}
for name in names:
    def define(name=name):
        yield method(tasks[names[names.index(name) - 1]](), when=World.lit)
        yield method(tasks[names[names.index(name) - 2]](), when=~World.lit)
    define.__name__ = name
    define.__signature__ = __import__("inspect").Signature()
    tasks[name] = draft.compound(define)
domain = draft.freeze()
"""


@pytest.mark.slow
def test_findings_do_not_depend_on_the_hash_seed(tmp_path):
    (tmp_path / "tests_of_order.py").write_text(DOMAIN)
    said = set()
    for seed in ("0", "1", "2", "3"):
        path = ":".join([str(tmp_path), *sys.path])
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": path},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        said.add(done.stdout)
    assert len(said) == 1
    assert "BT151" in said.pop()


# BT156: a step that ends its own condition


def ended(effects, during):
    domain = Domain("cat", Rich)
    domain.primitive("jump", during=during, effects=effects)
    return [one for one in findings(domain.freeze()) if one.code == "BT156"]


def test_an_effect_that_ends_what_has_to_hold_while_the_step_runs_is_told():
    (found,) = ended(Rich.promised.becomes(False), Rich.promised & Rich.used)
    assert found.where == "primitive 'jump'"
    assert found.severity is Severity.WARNING


def test_an_effect_that_may_leave_the_condition_true_is_not():
    assert ended(Rich.promised.becomes(True), Rich.promised) == []
    assert ended(Rich.promised.becomes(False), Rich.promised | Rich.used) == []
    assert ended(Rich.promised.becomes(False), lambda state: state.used) == []
    assert ended(Rich.promised.becomes(False), None) == []


# BT157: a part of a precondition that is not watched


def untold(precondition, **described):
    domain = Domain("cat", Rich)
    domain.primitive("sit", precondition=precondition, **described)
    return [one for one in findings(domain.freeze()) if one.code == "BT157"]


@pytest.mark.parametrize(
    "written",
    [
        {"effects": Rich.promised.becomes(True)},
        {"on_start": Rich.promised.becomes(True)},
        {"on_abort": Rich.promised.becomes(False)},
    ],
    ids=lambda written: next(iter(written)),
)
def test_a_part_that_is_not_watched_and_that_the_step_leaves_true_is_told(written):
    (found,) = untold(Rich.used & Rich.promised, **written)
    assert (
        found.message
        == "'promised' is not watched while the step runs: it writes 'promised' itself"
    )
    assert (found.where, found.severity) == ("primitive 'sit'", Severity.WARNING)


def test_a_part_that_the_step_may_end_is_not_told():
    assert untold(Rich.promised, effects=Rich.promised.becomes(False)) == []
    assert untold(Rich.promised, effects=Rich.promised.becomes(Rich.used)) == []
    assert untold(Rich.promised, effects=lambda state: setattr(state, "promised", True)) == []


def test_a_part_that_is_asked_at_the_start_or_all_the_time_is_not_told():
    written = {"effects": Rich.promised.becomes(True)}
    assert untold(at_start(Rich.promised), **written) == []
    assert untold(Rich.promised, during=Rich.promised & Rich.used, **written) == []
    assert untold(Rich.used, **written) == []
