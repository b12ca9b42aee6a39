"""Functions that are translated into data plan as they do when they are called."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace

from hypothesis import event, given
from hypothesis import strategies as st

from bthtn.engine.domain.network import network_text
from bthtn.engine.plan.nodes import ScopeNode
from bthtn.engine.plan.walk import outline, preorder
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.htn.translation.translator import Translation
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import BthtnError
from tests.properties.test_search_and_reference import MOST_PLANS, agree
from tests.properties.written import from_seed, problem
from tests.sizes import seeds, size
from tests.translated import functions_called, kinds


def description(plan):
    """Everything that a plan says, in a form that can be compared."""
    nodes = [node for _, node in preorder(plan.tree)]
    return {
        "actions": plan.actions,
        "tree": outline(plan.tree),
        "record": plan.record,
        "predicted": plan.predicted,
        "footprints": [node.footprint for node in nodes if hasattr(node, "footprint")],
        "suspended": [(n.rest, n.binding, n.cause) for n in nodes if hasattr(n, "rest")],
        "calls": [(n.call.text(), n.binding, n.args) for n in nodes if hasattr(n, "call")],
        "bodies": [n.body and network_text(n.body) for n in nodes if isinstance(n, ScopeNode)],
        "expansions": plan.expansions,
    }


def found(asked):
    """The first plans, and all that a search says at its end."""
    search, plans, raised = HtnSearch.of(asked), [], None
    try:
        while len(plans) < MOST_PLANS and search.advance() is SearchStatus.SOLVED:
            plans.append(description(search.plan))
            search.reject()
    except BthtnError as error:
        raised = str(error)
    return plans, search.status, search.expansions, search.reads, raised


def compared(asked):
    """Hold a search against one that calls the functions, and against the reference."""
    with functions_called():
        expected = found(replace(asked, domain=replace(asked.domain)))
    translated = found(asked)
    plans, status, _, reads, raised = translated
    assert (plans, status, translated[2], raised) == (*expected[:3], expected[4])
    if raised is None and not asked.state.has_unknown:
        assert reads == expected[3]
    else:  # what a function read first of what it could not know, or made a mistake with
        assert reads.keys() >= expected[3].keys()
    if raised is None and status is not SearchStatus.LIMIT:
        agree(asked)
    return "solved" if plans else "raises" if raised else status.value


def with_unknowns(asked, choose):
    """The question from a state in which something may be unknown."""
    board = asked.domain.state_class
    fluents = (board.lit, board.count, board.place, board.fuel, board.weight.member("a"))
    unknown = {choose(fluents): UNKNOWN for _ in range(choose((1, 1, 2)))}
    return replace(asked, state=asked.state.changed(unknown))


@given(st.data())
def test_translated_functions_find_what_a_search_finds_that_calls_them(data):
    def choose(among):
        return among[data.draw(st.integers(0, len(among) - 1))]

    with problem(choose) as asked:
        event(compared(asked))
        event(compared(with_unknowns(asked, choose)))


def test_they_do_so_for_many_problems_and_most_functions_are_translated():
    seen = Counter()
    for seed in seeds(quick=60, thorough=1_500):
        with from_seed(seed) as asked:
            seen[compared(asked)] += 1
            seen.update(kinds(asked.domain))
    assert seen["translated"] > 1.5 * seen["called"]
    assert seen["solved"] > size(quick=2, thorough=80)
    assert seen["exhausted"] > size(quick=2, thorough=70)


def test_plans_are_what_was_found_when_functions_mean_something_else_by_then(monkeypatch):
    seen = Counter()
    for seed in seeds(quick=60, thorough=1_500):
        with from_seed(seed) as asked:
            search = HtnSearch.of(asked)
            with suppress(BthtnError):
                search.advance()
            if search.plan is None:
                continue
            with monkeypatch.context() as patch:
                patch.setattr(Translation, "holds", False)
                made = description(search.plan)
            expected = found(asked)[0][0]
            touched, like = made.pop("footprints"), expected.pop("footprints")
            assert made == expected
            for one, two in zip(touched, like, strict=True):
                assert one.reads == two.reads
                assert one.writes.keys() == two.writes.keys()
            seen.update(kinds(asked.domain))
    assert seen["translated"] > size(quick=8, thorough=200)
