"""In a world that nobody else changes, planning bit by bit does what planning at once does.

Not always: a suspended plan is committed to choices whose consequences nobody has looked at, where
planning at once would have come back to them (semantics 2.5). But wherever planning at once gives
nothing up - no task, method or alternative that it had begun with turns out to be impossible - the
two agree leaf by leaf, however often and for whatever reason planning is suspended on the way.

Suspended branches of a parallel node are left out: what is planned while a sibling runs may see
what the sibling did, and prefer another method for it.
"""

from dataclasses import replace
from types import MappingProxyType

from hypothesis import given, note
from hypothesis import strategies as st

from bthtn import null
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
    TaskNode,
)
from bthtn.engine.plan.walk import preorder
from bthtn.engine.planning import trace
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.engine.world.trail import WorkingState
from bthtn.studio.testing.strategies import problems

GIVING_UP = (
    trace.Backtracked,
    trace.RecursionCut,
    trace.BranchesConflict,
    trace.AlternativeDropped,
)
MOST_RESUMPTIONS = 30
MOST_EXPANSIONS = 2_000
LIMITS = (
    *({"horizon": 1}, {"horizon": 1}, {"horizon": 2}, {"horizon": None}),
    *({"horizon": None, "anytime": True, "max_expansions": few} for few in (2, 3, 5)),
)


class IncomparableError(Exception):
    """The journey is none about which the rule says anything."""


# the same problem, planned at once or bit by bit


def rewritten(network, leaf):
    """The network with other leaves."""
    match network:
        case SequenceNetwork(parts):
            return SequenceNetwork(tuple(rewritten(part, leaf) for part in parts))
        case ParallelNetwork(parts) | PriorityNetwork(parts):
            return replace(network, parts=tuple(rewritten(part, leaf) for part in parts))
        case _:
            return leaf(network)


def with_leaves(problem, leaf, **limits):
    methods = {
        task: tuple(
            one if isinstance(one.body, PlainBody) else replace(one, body=rewritten(one.body, leaf))
            for one in several
        )
        for task, several in problem.domain.methods.items()
    }
    return replace(
        problem,
        domain=replace(problem.domain, methods=MappingProxyType(methods)),
        goal=rewritten(problem.goal, leaf),
        settings=replace(problem.settings, **limits),
    )


def planned_at_once(problem):
    def leaf(network):
        if isinstance(network, DeferNetwork):
            return network.call
        return null() if isinstance(network, PauseNetwork) else network

    return with_leaves(problem, leaf, horizon=None, horizon_time=None)


def planned_bit_by_bit(problem, **limits):
    def leaf(network):
        return replace(network, ensures=()) if isinstance(network, DeferNetwork) else network

    return with_leaves(problem, leaf, **limits)


# carrying a plan out


class Journey:
    """Does what a plan says in a world that does what the plan foresees."""

    def __init__(self, problem, strict):
        self.problem = problem
        self.strict = strict
        self.world = WorkingState(problem.state)
        self.done = []
        self.resumptions = 0
        self.cut_short = 0

    def go(self, goal, binding):
        """Plan from the state that was reached, and do it."""
        events = []
        asked = replace(self.problem, state=self.world.freeze(), goal=goal, binding=binding)
        search = ListenedSearch(asked, events.append)
        while search.advance() is SearchStatus.LIMIT and search.plan is None:
            limit = asked.settings.max_expansions * 2
            if limit > MOST_EXPANSIONS:
                raise IncomparableError
            asked = replace(asked, settings=replace(asked.settings, max_expansions=limit))
            search = ListenedSearch(asked, events.append)
        self.cut_short += search.status is SearchStatus.LIMIT
        gave_up = self.strict and any(isinstance(event, GIVING_UP) for event in events)
        if gave_up or self.resumptions > MOST_RESUMPTIONS:
            raise IncomparableError
        if search.plan is None:
            return False
        for _, node in preorder(search.plan.tree):
            if isinstance(node, ParallelNode) and any(
                isinstance(below, SuspendedNode) for _, below in preorder(node)
            ):
                raise IncomparableError
        return self.do(search.plan.tree)

    def do(self, node):
        """Whether it succeeds."""
        match node:
            case TaskNode():
                return self.step(node)
            case ScopeNode():
                return self.do(node.child)
            case SequenceNode(children):
                return all(self.do(child) for child in children)
            case ParallelNode(children):
                needed = children if node.policy.value == "all" else children[:1]
                return all(self.do(child) for child in needed)
            case PriorityNode(children):
                return any(self.attempt(child) for child in children)
            case SuspendedNode():
                self.resumptions += 1
                return self.go(sequence(*node.rest), node.binding)
            case NullNode():
                return True

    def attempt(self, alternative):
        before = len(self.done)
        success = self.do(alternative)
        if not success and len(self.done) > before and self.strict:
            raise IncomparableError
        return success

    def step(self, node):
        if node.task.precondition.evaluate(self.world, node.args) is not True:
            return False
        together = writes_of((*node.task.effects, *node.task.expected), self.world, node.args)
        for fluent, write in together.items():
            self.world.apply(fluent, write)
        self.done.append(str(node))
        return True


def journey(problem, *, strict):
    """What is done for the goal, None when it fails; how often that was resumed, or cut short."""
    travel = Journey(problem, strict)
    success = travel.go(problem.goal, problem.binding)
    return travel.done if success else None, travel.resumptions, travel.cut_short


@st.composite
def errands(draw):
    """Some tasks of a random domain one after the other, and a limit that is soon reached."""
    problem = draw(problems())
    tasks = st.sampled_from([problem.domain.task(name) for name in problem.domain.authored])
    several = draw(st.lists(tasks, min_size=1, max_size=4))
    calls = [task(*("a" for _ in task.parameters)) for task in several]
    goal, limits = sequence(*calls), draw(st.sampled_from(LIMITS))
    note(f"Bit by bit, with {limits}: {network_text(goal)}")
    return replace(problem, goal=goal), limits


def compared(errand):
    """What is done when all is planned at once, what bit by bit, and with how many breaks."""
    problem, limits = errand
    whole, *_ = journey(planned_at_once(problem), strict=True)
    if whole is None:
        raise IncomparableError
    return whole, *journey(planned_bit_by_bit(problem, **limits), strict=False)


@given(errands())
def test_what_is_planned_bit_by_bit_is_what_would_have_been_planned_at_once(errand):
    try:
        at_once, bit_by_bit, *_ = compared(errand)
    except IncomparableError:
        return
    assert bit_by_bit == at_once
