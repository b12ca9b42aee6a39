"""With ``check_rest``, planning bit by bit is planning at once (semantics 2.5.6–2.5.8).

For every problem: a partial plan exists exactly where a whole plan does, and in a world that
nobody else changes, what is done bit by bit is what would have been done at once, task by task,
branch by branch, alternative by alternative. The comparison is with a domain in which nothing
suspends planning: it is rewritten for that, so no code of partial plans is on that side.

What is left out, and counted: a part behind an unknown that is planned beside a branch which it
would disturb. At run time it waits; on paper nobody does.
"""

from dataclasses import dataclass, replace
from types import MappingProxyType

from hypothesis import given, note
from hypothesis import strategies as st

from bthtn import null, parallel, priority
from bthtn.engine.domain.effect import writes_of
from bthtn.engine.domain.method import PlainBody
from bthtn.engine.domain.network import (
    DeferNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
    network_text,
    sequence,
)
from bthtn.engine.plan.nodes import (
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    SuspensionKind,
    TaskNode,
)
from bthtn.engine.plan.walk import footprint, node_text, preorder
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.partial import go_on
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.engine.world.trail import WorkingState
from bthtn.studio.testing.strategies import problems

MOST_RESUMPTIONS = 30
FAILED = "failed"


class IncomparableError(Exception):
    """On paper nobody can say what is done first."""


class StoppedError(Exception):
    """What has to be done cannot be done."""


# the same problem without anything that suspends planning


def at_once(problem):
    return replace(
        problem,
        domain=domain_at_once(problem.domain),
        goal=rewritten(problem.goal),
        settings=replace(problem.settings, horizon=None, horizon_time=None, check_rest=False),
    )


def domain_at_once(domain):
    methods = {
        task: tuple(
            one if isinstance(one.body, PlainBody) else replace(one, body=rewritten(one.body))
            for one in several
        )
        for task, several in domain.methods.items()
    }
    return replace(domain, methods=MappingProxyType(methods))


def rewritten(network):
    match network:
        case SequenceNetwork(parts):
            return SequenceNetwork(tuple(map(rewritten, parts)))
        case ParallelNetwork(parts) | PriorityNetwork(parts):
            return replace(network, parts=tuple(map(rewritten, parts)))
        case DeferNetwork(call):
            return call
        case PauseNetwork():
            return null()
        case _:
            return network


# doing on paper what a plan says


@dataclass
class Journey:
    """Carries a problem out in a world that does what is planned, and writes down what is done.

    Branches are done one after the other, forwards or backwards. Every alternative is tried from
    the state at its node; then the first that worked is done.
    """

    problem: object
    backwards: bool = False

    def __post_init__(self):
        self.world = WorkingState(self.problem.state)
        self.beside = []
        self.resumptions = self.foreseen = self.afresh = self.searches = 0

    def story(self):
        """What is done, or why that cannot be told."""
        try:
            return self.go(self.problem.goal, self.problem.binding, None)
        except StoppedError as stop:
            return [str(stop)]

    def go(self, goal, binding, resumed):
        asked = replace(self.problem, state=self.world.freeze(), goal=goal, binding=binding)
        search = HtnSearch.of(asked)
        self.searches += 1
        if search.advance() is SearchStatus.LIMIT:
            raise IncomparableError
        if search.plan is None or stands_still(search.plan, resumed):
            raise StoppedError("no plan")
        return self.run(search.plan)

    def run(self, plan):
        if any(plan.footprint.conflict_with(footprint(tree)) for tree in self.beside):
            raise IncomparableError
        return list(self.do(plan.tree))

    def do(self, node):
        match node:
            case TaskNode():
                return self.step(node)
            case ScopeNode():
                return [f"{node}:", *self.do(node.child), "."]
            case SequenceNode(children):
                return [line for child in children for line in self.do(child)]
            case ParallelNode(children):
                return [(str(node), *self.side_by_side(children))]
            case PriorityNode(children, kept):
                return [(node_text(node), kept, *self.one_of(children))]
            case SuspendedNode():
                return self.arrive(node)
            case NullNode():
                return []

    def step(self, node):
        if node.task.precondition.evaluate(self.world, node.args) is not True:
            raise StoppedError(f"{node} refused")
        together = writes_of((*node.task.effects, *node.task.expected), self.world, node.args)
        for fluent, write in together.items():
            self.world.apply(fluent, write)
        return [str(node)]

    def side_by_side(self, children):
        order = list(enumerate(children))
        if self.backwards:
            order.reverse()
        stories = {}
        for place, (index, child) in enumerate(order):
            later = [other for _, other in order[place + 1 :]]
            self.beside += later
            stories[index] = self.do(child)
            del self.beside[len(self.beside) - len(later) :]
        return [stories[index] for index in range(len(children))]

    def one_of(self, children):
        stories = []
        for child in children:
            mark = self.world.mark()
            stories.append(self.attempted(child))
            self.world.undo(mark)
        chosen = next((i for i, story in enumerate(stories) if story[-1:] != [FAILED]), None)
        if chosen is None:
            raise StoppedError(f"every alternative {stories}")
        again = self.attempted(children[chosen])
        assert again == stories[chosen]
        return stories

    def attempted(self, child):
        beside = len(self.beside)
        try:
            return list(self.do(child))
        except StoppedError as stop:
            del self.beside[beside:]
            return [str(stop), FAILED]

    def arrive(self, node):
        self.resumptions += 1
        if self.resumptions > MOST_RESUMPTIONS:
            raise IncomparableError
        asked = self.problem
        plan = go_on(node, self.world.freeze(), asked.domain, asked.settings)
        if plan is not None:
            self.foreseen += 1
            return list(self.do(plan.tree))
        self.afresh += node.cause.kind is not SuspensionKind.UNKNOWN
        return self.go(sequence(*node.rest), node.binding, node)


def stands_still(plan, resumed):
    """Whether the plan of a suspended part begins by suspending it again."""
    begins = (n for _, n in preorder(plan.tree) if isinstance(n, TaskNode | SuspendedNode))
    first = next(begins, None)
    return (
        resumed is not None
        and isinstance(first, SuspendedNode)
        and (first.rest, first.binding) == (resumed.rest, resumed.binding)
    )


@st.composite
def errands(draw):
    """A random problem in which planning is likely to be suspended."""
    problem = draw(problems())
    tasks = st.sampled_from([problem.domain.task(name) for name in problem.domain.authored])
    calls = st.builds(lambda task: task(*("a" for _ in task.parameters)), tasks)
    errand = st.lists(calls, min_size=2, max_size=3).map(lambda several: sequence(*several))
    goals = [
        st.just(problem.goal),
        errand,
        st.builds(parallel, errand, errand),
        st.builds(
            lambda one, other, last: sequence(priority(one, other), last), errand, errand, errand
        ),
    ]
    problem = replace(problem, goal=draw(st.one_of(goals)))
    horizon, time = draw(st.sampled_from([(1, None), (1, None), (2, None), (3, None), (None, 2)]))
    limits = replace(problem.settings, horizon=horizon, horizon_time=time, check_rest=True)
    note(f"With horizon {horizon}, {time}: {network_text(problem.goal)}")
    return replace(problem, settings=limits)


def first_plan(problem):
    search = HtnSearch.of(problem)
    return search.advance(), search.expansions, search.plan


def suspensions(plan):
    return [node for _, node in preorder(plan.tree) if isinstance(node, SuspendedNode)]


def texts(tree):
    return [str(node) for _, node in preorder(tree) if isinstance(node, TaskNode)]


@given(errands())
def test_a_partial_plan_exists_exactly_where_a_whole_plan_exists(problem):
    status, expansions, part = first_plan(problem)
    status_at_once, expansions_at_once, whole = first_plan(at_once(problem))
    assert (status, expansions) == (status_at_once, expansions_at_once)
    if part is not None:
        assert part.predicted == whole.predicted
        checked = [n for n in suspensions(part) if n.cause.kind is not SuspensionKind.UNKNOWN]
        assert all(node.foreseen is not None for node in checked)
        seen = [text for n in suspensions(part) if n.foreseen for text in texts(n.foreseen.tree)]
        assert sorted(texts(part.tree) + seen) == sorted(texts(whole.tree))


@given(errands())
def test_the_actions_of_a_cut_plan_are_its_steps_in_whatever_order_they_are_read(problem):
    _, _, plan = first_plan(problem)
    if plan is not None:
        actions = plan.actions
        assert actions == tuple((step.task, step.args) for step in plan.steps)
        assert plan.actions == actions


@given(errands(), st.booleans())
def test_what_is_done_bit_by_bit_is_what_would_have_been_done_at_once(problem, backwards):
    journey = Journey(problem, backwards)
    try:
        whole = Journey(at_once(problem), backwards).story()
        bit_by_bit = journey.story()
    except IncomparableError:
        return
    assert bit_by_bit == whole
    assert journey.afresh == 0, "in an unchanged world nothing is planned a second time"
