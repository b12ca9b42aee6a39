"""Orders in which the steps of a plan can happen, and what they do then.

What a step needs and does is worked out here on a copied dict, without the planner's help.
"""

from itertools import islice

from bthtn import UNKNOWN
from bthtn.engine.domain.bindable import Bindable
from bthtn.engine.domain.effect import Assignment
from bthtn.engine.domain.network import ParallelPolicy
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
from bthtn.engine.world.footprint import RecordingView
from bthtn.studio.testing.playground import World

ALL_OF_THEM = 200
SOME_OF_THEM = 50


def is_complete(tree):
    """Whether nothing is left to be planned on arrival."""
    return not any(isinstance(node, SuspendedNode) for _, node in preorder(tree))


def is_fixed(tree):
    """Whether everything that will happen is planned, and only the order is open."""
    return is_complete(tree) and not any(
        isinstance(node, PriorityNode)
        or (isinstance(node, ParallelNode) and node.policy is not ParallelPolicy.ALL)
        for _, node in preorder(tree)
    )


# what may happen

IN_TURN, AT_ONCE, UNTIL_ANY, UNTIL_FIRST, ONE_OF = (
    *("in turn", "at once", "until any", "until first", "one of"),
)
DONE = (IN_TURN, ())
ORDER_OF = {
    ParallelPolicy.ALL: AT_ONCE,
    ParallelPolicy.ANY: UNTIL_ANY,
    ParallelPolicy.PRIMARY: UNTIL_FIRST,
}


def program(node):
    """What is to happen: a step, or an order and the parts that happen in it."""
    match node:
        case TaskNode():
            return node
        case NullNode():
            return DONE
        case ScopeNode():
            return composed(IN_TURN, (node, program(node.child)))
        case SequenceNode(children):
            return composed(IN_TURN, map(program, children))
        case ParallelNode(children, policy):
            return composed(ORDER_OF[policy], map(program, children))
        case PriorityNode(children):
            return (ONE_OF, tuple(map(program, children)))


def composed(order, parts):
    left = tuple(parts)
    if order in (IN_TURN, AT_ONCE):
        left = tuple(part for part in left if part != DONE)
    return DONE if all(part == DONE for part in left) else (order, left)


def moves(program):
    """Every step that may come next, with what is then still to happen; None is no step."""
    if not isinstance(program, tuple):
        yield program, DONE
        return
    order, parts = program
    if order == ONE_OF:
        yield from ((CHOSEN, composed(IN_TURN, (part, MADE))) for part in parts)
        return
    ended = parts[:1] if order == UNTIL_FIRST else parts
    if order in (UNTIL_ANY, UNTIL_FIRST) and DONE in ended:
        yield None, DONE
    heads = parts[:1] if order == IN_TURN else parts
    for place, head in enumerate(heads):
        for step, rest in moves(head):
            yield step, composed(order, (*parts[:place], rest, *parts[place + 1 :]))


CHOSEN, MADE = "an alternative begins", "an alternative ends"


def orders(program):
    if program == DONE:
        yield ()
    for step, rest in moves(program):
        for later in orders(rest):
            yield (step, *later)


def one_order(program, random):
    while program != DONE:
        step, program = random.choice(list(moves(program)))
        yield step


def interleavings(tree, random, some=SOME_OF_THEM):
    """All orders when they are few, some when they are many."""
    whole = program(tree)
    few = list(islice(orders(whole), ALL_OF_THEM + 1))
    if len(few) <= ALL_OF_THEM:
        return few
    return [list(one_order(whole, random)) for _ in range(some)]


# what a step does


class ImpossibleError(Exception):
    """A step was started although its precondition does not hold."""


class Notebook:
    """A copied state that can be read and written."""

    def __init__(self, state, values=()):
        self.state = state
        self.values = dict(values)

    def get(self, fluent):
        return self.values.get(fluent, self.state.get(fluent))

    def put(self, fluent, value):
        self.values[fluent] = value

    def frozen(self):
        return self.state.changed(self.values)

    def do(self, step):
        """Do a step; the effects of a task come true all at once."""
        if step.task.precondition.evaluate(self, step.args) is not True:
            raise ImpossibleError(str(step))
        before, added = Notebook(self.state, self.values), {}
        for effect in (*step.task.effects, *step.task.expected):
            if isinstance(effect, Assignment):
                self.assign(effect, before, step.args, added)
            else:
                page = Page(before)
                Bindable(effect.function).bound(step.args)(World.over(page))
                self.values.update(page.written)
                added.update(dict.fromkeys(page.written))

    def assign(self, effect, before, args, added):
        """Write; ``added`` is the sum of the increases so far, None behind another write."""
        fluent = effect.target.ground(before, args)
        value = effect.value.evaluate(before, args)
        if not effect.grows:
            added[fluent] = None
        elif added.get(fluent, 0) is None:
            value = total(self.get(fluent), value)
        else:
            added[fluent] = total(added[fluent], value) if fluent in added else value
            value = total(before.get(fluent), added[fluent])
        self.put(fluent, value)


def total(one, other):
    return UNKNOWN if UNKNOWN in (one, other) else one + other


class Page:
    """What a function effect sees: the state before, and what it wrote itself."""

    def __init__(self, before):
        self.before = before
        self.written = {}

    def get(self, fluent):
        return self.written.get(fluent, self.before.get(fluent))

    def put(self, fluent, value):
        self.written[fluent] = value


def enter(problem, scope, notebook):
    ways = problem.domain.decompositions(scope.task, scope.args, RecordingView(notebook))
    if scope.method >= len(ways):
        raise ImpossibleError(str(scope))
    condition = ways.method(scope.method).condition
    if (
        ways.name(scope.method) != scope.name
        or condition.evaluate(notebook, ways.binding(scope.method)) is not True
    ):
        raise ImpossibleError(str(scope))


def carried_out(problem, order):
    """The state after the steps; None when the choice that was made turns out to be none."""
    notebook, choices = Notebook(problem.state), 0
    for step in order:
        try:
            if isinstance(step, ScopeNode):
                enter(problem, step, notebook)
            elif isinstance(step, TaskNode):
                notebook.do(step)
        except ImpossibleError:
            if not choices:
                raise
            return None
        choices += {CHOSEN: 1, MADE: -1}.get(step, 0)
    return notebook.frozen()
