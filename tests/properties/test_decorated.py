"""Decorated parts of random problems: planners and replay agree, and texts are read again."""

from collections import Counter

from hypothesis import event, given, settings
from hypothesis import strategies as st

from bthtn import (
    Planner,
    cooldown,
    force_success,
    invert,
    null,
    retry,
    timeout,
    until,
)
from bthtn.engine.domain.decorator import (
    RetryDecorator,
)
from bthtn.engine.plan.nodes import ScopeNode, SuspendedNode
from bthtn.engine.plan.walk import outline, preorder
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.text.notation import node_from, normal
from bthtn.engine.text.plan_json import decoded, encoded
from bthtn.studio.testing import strategies
from bthtn.studio.testing.playground import World
from tests.properties.test_replay import check
from tests.properties.test_search_and_reference import agree, description
from tests.sizes import size

WRAPPED = ["timeout", "retry", "cooldown", "force_success", "invert", "until"]


class Drawer(strategies._DomainDrawer):
    """Draws a domain in which every fifth network is decorated."""

    def _network(self, level, who, kinds):
        if not self._choose(strategies._ONE_IN_FIVE):
            return super()._network(level, who, kinds)
        kind = self._choose(tuple(WRAPPED))
        if kind == "invert":
            plain = [task for task in self._primitives if not (task.effects or task.expected)]
            if not plain:
                return null()
            task = self._choose(tuple(plain))
            return invert(task(*(self._choose((who, "a")) for _ in task.parameters)))
        part = super()._network(level, who, kinds)
        match kind:
            case "until":
                return until(self._condition(who), part)
            case "force_success":
                return force_success(part)
            case _:
                decorate = {"timeout": timeout, "retry": retry, "cooldown": cooldown}[kind]
                return decorate(self._choose((1, 2, 3)), part)


@st.composite
def problems(draw):
    """Random problems with decorated parts."""
    drawer = Drawer(draw)
    domain = drawer.domain.freeze()
    state = World.over(draw(strategies.states()))
    return request(domain, state, drawer.goal(), draw(strategies._settings()))


def decorators_in(plan):
    """How often each decorator is in a plan."""
    tasks = (node.task for _, node in preorder(plan.tree) if isinstance(node, ScopeNode))
    return Counter(type(one.decorator) for one in tasks if one.decorator is not None)


@settings(max_examples=size(quick=12, thorough=200, night=2_000))
@given(problems())
def test_all_planners_find_the_same_and_it_replays(problem):
    event(agree(problem))
    search = HtnSearch.of(problem)
    if search.advance() is SearchStatus.LIMIT:
        return
    again = Planner(problem.domain, problem.goal, problem.settings).plan(problem.state)
    assert (again is None) is (search.plan is None)
    if search.plan is not None:
        check(search.plan, problem)
        assert outline(again.tree) == outline(search.plan.tree)
        assert again.predicted == search.plan.predicted


@settings(max_examples=size(quick=12, thorough=200, night=2_000))
@given(problems())
def test_plans_are_read_again_from_their_texts(problem):
    search = HtnSearch.of(problem)
    if search.advance() is not SearchStatus.SOLVED:
        return
    plan = search.plan
    text = normal(plan.tree)
    if not any(isinstance(one, SuspendedNode) for _, one in preorder(plan.tree)):
        assert normal(node_from(text, plan.domain)) == text
        assert ("retry(" in text) <= (RetryDecorator in decorators_in(plan))
    read = decoded(encoded(plan, complete=True), problem.domain, goal=problem.goal)
    assert description(read) == description(plan)
