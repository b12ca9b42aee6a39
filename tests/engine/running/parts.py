"""The parts of a plan that runs: nodes of the plan, each with its status and the parts below it.

tick      runs it
check     carries out on paper what is left of it; raises Broken if that does not work
place     moves a running step of another plan to where the part begins with it
"""

from dataclasses import replace

from bthtn.engine.domain.construct import FINALLY, WITH_CLEANUP
from bthtn.engine.domain.decorator import (
    CooldownDecorator,
    InvertDecorator,
    RetryDecorator,
    TimeoutDecorator,
)
from bthtn.engine.domain.effect import writes_of
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.equivalence import repeats_suspension
from bthtn.engine.plan.merge import after_parallel, after_priority, side_by_side
from bthtn.engine.plan.nodes import (
    NULL_NODE,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.walk import children_of, footprint, footprint_over, with_children
from bthtn.engine.planning.partial import go_on
from bthtn.engine.planning.planner import Planner
from bthtn.engine.world.expression import conjuncts
from bthtn.engine.world.fluent import UnknownRead
from bthtn.engine.world.footprint import Footprint, Write, WriteKind
from bthtn.engine.world.truth import UNKNOWN
from tests.engine.running.mind import (
    FAILURE,
    INVALID,
    OVER,
    RUNNING,
    SUCCESS,
    Broken,
    Paper,
    Simulated,
    demand,
)

ALL, ANY, PRIMARY = ParallelPolicy.ALL, ParallelPolicy.ANY, ParallelPolicy.PRIMARY


class Part:
    """A node of a plan that runs: its status, and the parts below it."""

    passed = ()
    """The decompositions around what is in it that were forgotten."""
    asked_before = None
    """For what stands for an alternative as it will be when it is asked again: as it is now."""

    def __init__(self, goal, node, above=None):
        self.goal, self.node, self.above = goal, node, above
        self.begin()

    def begin(self):
        """Be as if nothing in it had ever run."""
        self.status = INVALID
        self.children = [made(self.goal, node, self) for node in children_of(self.node)]

    def begin_if_ended(self):
        if self.status in OVER:
            self.begin()

    def stop(self):
        for child in self.children:
            if child.status is not INVALID:
                child.stop()
        self.begin()

    def put(self, old, new):
        """Put another part in the place of one below."""
        new.above = self
        self.children[self.children.index(old)] = new

    def parts(self):
        """All parts below it."""
        return [part for child in self.children for part in (child, *child.parts())]

    def leaves(self):
        """The steps and suspended parts in it."""
        return [leaf for child in self.children for leaf in child.leaves()]

    def running(self):
        leaves = self.leaves()
        return [leaf for leaf in leaves if isinstance(leaf, Step) and leaf.status is RUNNING]

    def around(self):
        """The parts around it, inner ones first."""
        return [] if self.above is None else [self.above, *self.above.around()]

    def scopes(self):
        """The decompositions around it, inner ones first."""
        found = []
        for part in self.around():
            found += [*part.passed, *([str(part.node)] if isinstance(part.node, ScopeNode) else [])]
        return found

    def cleanups(self):
        """The parts around it that have a cleanup."""
        return [part for part in self.around() if isinstance(part, WithCleanup)]

    @property
    def is_over(self):
        """Whether nothing in it will be run any more, whatever was."""
        return self.status in OVER

    @property
    def is_entered(self):
        """Whether something in it has begun, which it never has where there is nothing to do."""
        below = any(child.is_entered for child in self.children)
        return below or (self.is_over and has_steps(self.node))

    @property
    def has_begun(self):
        """Whether something in it has begun, or behind it in a sequence."""
        if self.is_entered or self.above is None:
            return self.is_entered
        return self.is_passed

    @property
    def is_passed(self):
        if self.above is None or self.asked_before is not None:
            return False
        behind = self.above.children[self.above.children.index(self) + 1 :]
        is_first = isinstance(self.above, Sequence) and any(part.is_entered for part in behind)
        return is_first or self.above.is_passed

    def left_to_run(self, *, again=False):
        """The steps and suspended parts that may still be run, or be run again."""
        left = [child for child in self.children if again or child.status not in OVER]
        return [leaf for child in left for leaf in child.left_to_run(again=again)]

    def open_leaves(self):
        """The steps and suspended parts that are not over; one that is planned stands for all."""
        return [] if self.is_over else [o for child in self.children for o in child.open_leaves()]

    def footprint_left(self):
        if self.is_over:
            return Footprint()
        return footprint_over(self.node, tuple(child.footprint_left() for child in self.children))

    def first_cleanups(self):
        """The parts with a cleanup that it begins with, inner ones first."""
        return []

    def is_same_call(self, other):
        return (self.node.task, self.node.args) == (other.node.task, other.node.args)

    def as_node(self):
        """The node by now: with the plans of what was suspended."""
        return with_children(self.node, [child.as_node() for child in self.children])

    def left(self):
        """The node without what is over."""
        if self.is_over:
            return NULL_NODE
        return with_children(self.node, [child.left() for child in self.children])

    def failed_part(self):
        """What made it fail. A choice fails as a whole."""
        return self

    def failed_leaf(self):
        """The step or suspended part that made it fail; of alternatives, the last one."""
        failed = [child for child in self.children if child.status is FAILURE]
        return failed[0].failed_leaf() if failed else self

    def place(self, running):
        """Move running steps to where it begins, if it begins with them. Returns whether it did."""
        return False

    def is_idle(self):
        """Whether a step that runs on may stand behind it."""
        return False


class Null(Part):
    """Nothing to do."""

    def tick(self):
        self.status = SUCCESS

    def check(self, at):
        return at

    def is_idle(self):
        return True

    @property
    def is_entered(self):
        return False


class Step(Part):
    """Runs a task. Each start has one end: success, failure, or an abort."""

    def begin(self):
        super().begin()
        self.run, self.number, self.waits_for = None, 0, None
        self.is_lost = self.is_giving_up = False

    def tick(self):
        self.begin_if_ended()
        self.status = self.next_status()

    def next_status(self):
        task, args, mind = self.node.task, self.node.args, self.goal.mind
        if self.is_giving_up:
            return self.given_up(self.run.tick())
        if self.run is None:
            replaced = self.replaced()
            if replaced and self.is_refused():
                return FAILURE
            for part in replaced:
                part.stop()
            if self.must_wait():
                return RUNNING
            if self.is_refused():
                return FAILURE
            self.start()
        elif self.is_lost or task.during.evaluate(mind, args) is False:
            self.is_giving_up = True
            answer = self.run.abort()
            if answer is RUNNING:
                mind.tell("aborting", self.number, str(self.node))
            return self.given_up(answer)
        answer = self.run.tick()
        if answer is RUNNING:
            return RUNNING
        if answer is SUCCESS:
            self.goal.finished(self, self.write(*task.effects, *task.actual))
        else:
            self.write(*task.on_failure)
        return self.ended(answer)

    @property
    def is_at_work(self):
        return self.run is not None and not self.is_giving_up

    def must_wait(self):
        """Whether an abort of the goal, or a step that has a resource of it, has to end first."""
        if self.goal.is_aborting():
            return True
        before, self.waits_for = self.waits_for, self.goal.mind.occupant(self.node.task.uses)
        if self.waits_for not in (None, before):
            self.goal.mind.tell("waits", str(self.node))
        return self.waits_for is not None

    def is_refused(self):
        task, mind = self.node.task, self.goal.mind
        conditions = (task.precondition, task.exec_only)
        is_refused = any(one.evaluate(mind, self.node.args) is False for one in conditions)
        if is_refused:
            mind.tell("refused", str(self.node))
        return is_refused

    def replaced(self):
        """The running alternatives of which it takes the place when it starts."""
        found, below = [], self
        for part in self.around():
            if isinstance(part, Priority) and part.chosen is not None:
                chosen = part.children[part.chosen]
                if chosen is not below and chosen.status is RUNNING:
                    found.append(chosen)
            below = part
        return found

    def start(self):
        mind, task = self.goal.mind, self.node.task
        make = mind.operators.get(task)
        self.run = make(mind, *self.node.args) if make else Simulated(self.node.duration)
        mind.starts += 1
        self.number = mind.starts
        mind.at_work[self.number] = task.uses
        self.goal.moves += 1
        mind.tell("start", self.number, str(self.node))
        for part in self.cleanups():
            part.is_open = True
        self.write(*task.on_start)
        self.run.start()
        self.goal.started(self)

    def write(self, *effects):
        """Write effects, one behind the other, and return the fluents."""
        mind = self.goal.mind
        paper = Paper(mind)
        for effect in effects:
            writes = writes_of((effect,), paper, self.node.args)
            paper = paper.after(writes, Footprint())
        for fluent, value in paper.written.items():
            mind.write(fluent, value, self.goal)
        return paper.written.keys()

    def given_up(self, answer):
        if answer is RUNNING:
            return RUNNING
        self.write(*self.node.task.on_failure)
        return self.ended(FAILURE)

    def ended(self, status):
        self.run = None
        self.goal.moves += 1
        self.goal.ended_at = self.goal.ticks
        how = "done" if status is SUCCESS else "failed"
        del self.goal.mind.at_work[self.number]
        self.goal.mind.tell(how, self.number, str(self.node))
        return status

    def stop(self):
        if self.run is not None:
            abort = Abort(self)
            if self.is_giving_up or self.run.abort() is RUNNING:
                if not self.is_giving_up:
                    abort.tell("aborting")
                self.goal.mind.aborts.append(abort)
            else:
                abort.finish()
        self.begin()

    def leaves(self):
        return [self]

    def open_leaves(self):
        return [] if self.is_over else [self]

    def left_to_run(self, *, again=False):
        return [self]

    def foreseen(self):
        return self.node.footprint

    @property
    def is_entered(self):
        return self.status in (RUNNING, SUCCESS)

    def check(self, at):
        if self.is_over:
            return at
        node, task, writes = self.node, self.node.task, self.node.footprint.writes
        if self.status is RUNNING:
            self.check_running(at)
        else:
            demand(self, task.precondition, at, at)
            try:
                writes = writes_of((*task.effects, *task.expected), at, node.args)
            except UnknownRead:
                writes = dict.fromkeys(writes, Write(WriteKind.COMPUTED, UNKNOWN))
        done = Footprint(node.footprint.reads, writes, node.footprint.uses)
        return at.after(writes, done, steps=at.steps + 1)

    def check_running(self, at):
        """Its precondition is asked where it is false and others have changed what it reads."""
        view = replace(at, steps=0, is_choice=False)
        *parts, during = self.needs()
        for condition, hidden in parts:
            try:
                demand(self, condition, view, at, hidden)
            except Broken as broken:
                if broken.reads & at.by_others:
                    at.lost.append(self)
                    raise
        condition, hidden = during
        demand(self, condition, view, at, hidden)

    def needs(self):
        """What it needs while it runs, each condition with the fluents that are unknown in it.

        They are those that it writes itself: its success may be seen before its end.
        """
        task = self.node.task
        at_end = {effect.target for effect in task.actual} | self.node.footprint.writes.keys()
        others = (*task.on_start, *task.on_failure, *task.on_abort)
        own = at_end | {effect.target for effect in others}
        return [*((part, own) for part in conjuncts(task.watched)), (task.during, at_end)]

    def place(self, running):
        same = [s for s in running if self.is_same_call(s) and self.has_place_for(s)]
        near = [step for step in same if step.scopes() == self.scopes()]
        if not same:
            return False
        step = (near or same)[0]
        running.remove(step)
        for new in self.around():
            for old in step.around():
                if isinstance(new, Decorated) and isinstance(old, Decorated):
                    new.go_on_from(old)
        reopen(step.cleanups(), self.cleanups())
        for part in self.cleanups() if step.run is not None else ():
            part.is_open = True
        step.node = self.node
        if step.above is not None:
            step.above.children.remove(step)
        self.above.put(self, step)
        return True

    def has_place_for(self, step):
        """Whether every open part with a cleanup around a running step is here, too."""
        opened = [part for part in step.cleanups() if part.is_open]
        return all(any(map(part.is_same_part, self.cleanups())) for part in opened)

    def is_idle(self):
        return self.goal.is_idle(self.node)


class Abort:
    """An aborted step, whose operator may not be done with it."""

    def __init__(self, step):
        self.goal, self.run, self.number = step.goal, step.run, step.number
        self.node, self.write = step.node, step.write

    def tell(self, how):
        self.goal.mind.tell(how, self.number, str(self.node))

    def finish(self):
        self.write(*self.node.task.on_abort)
        del self.goal.mind.at_work[self.number]
        self.tell("aborted")


class Sequence(Part):
    """Parts one after the other. A decomposition is one, too."""

    is_over = False  # what is in it says so

    def tick(self):
        self.begin_if_ended()
        self.status = RUNNING
        for child in self.children:
            if child.status is not SUCCESS:
                child.tick()
            if child.status is not SUCCESS:
                self.status = child.status
                return
        self.status = SUCCESS

    def check(self, at):
        if isinstance(self.node, ScopeNode) and not self.has_begun:
            method = self.goal.planner.domain.methods[self.node.task][self.node.method]
            demand(self, method.condition, at, at)
        for child in self.children:
            at = child.check(at)
            if at.is_open:
                break
        return at

    def failed_part(self):
        return next(child for child in self.children if child.status is FAILURE).failed_part()

    def first_cleanups(self):
        left = [
            child for child in self.children if child.status is RUNNING or has_steps(child.node)
        ]
        return left[0].first_cleanups() if left else []

    def place(self, running):
        for index, child in enumerate(self.children):
            if child.place(running):
                for before in self.children[:index]:
                    for passed in (before, *before.parts()):
                        passed.status = SUCCESS
                self.status = RUNNING
                return True
            if not child.is_idle():
                return False
        return False

    def is_idle(self):
        return all(child.is_idle() for child in self.children)


class WithCleanup(Sequence):
    """A sequence that owes its last part, the cleanup, if it does not come to its end.

    It ``is_open`` from the first start of a step in it.
    """

    def begin(self):
        super().begin()
        self.is_open = False

    def tick(self):
        super().tick()
        if self.status in OVER:
            was_open, self.is_open = self.is_open, False
            if was_open and self.status is FAILURE:
                self.goal.is_repairable = False
                if not self.has_failed_to_clean_up():
                    self.goal.owe(self)

    def has_failed_to_clean_up(self):
        part = self
        while part is self or isinstance(part.node, SequenceNode | SuspendedNode):
            failed = [child for child in part.children if child.status is FAILURE]
            if not failed:
                return False
            part = failed[0]
        return isinstance(part, Finally)

    def stop(self):
        was_open = self.is_open
        super().stop()
        if was_open:
            self.goal.is_repairable = False
            self.goal.owe(self)

    def open_leaves(self):
        left = super().open_leaves()
        return [self, *left] if left else []

    def first_cleanups(self):
        return [*super().first_cleanups(), self]

    def is_same_part(self, other):
        is_near = self.goal.is_same_course or self.scopes() == other.scopes()
        return is_near and self.is_same_call(other)

    def is_idle(self):
        return False


class Finally(Sequence):
    """The cleanup at the end of such a sequence."""

    def open_leaves(self):
        left = super().open_leaves()
        return [self, *left] if left else []


def reopen(old, new):
    """Open the new parts that stand for old ones, which are not open any more."""
    for part in old:
        same = [one for one in new if not one.is_open and part.is_same_part(one)]
        if part.is_open and same:
            same[0].is_open, part.is_open = True, False


class Decorated(Sequence):
    """A sequence of which a decorator makes another end."""

    def begin(self):
        super().begin()
        self.age, self.tries, self.has_failed_itself = None, 0, False
        self.has_nothing_to_do = not has_steps(self.node)

    @property
    def decorator(self):
        return self.node.task.decorator

    @property
    def is_over(self):
        return self.status in OVER

    @property
    def is_entered(self):
        return super().is_entered or self.tries > 0

    def tick(self):
        if self.has_nothing_to_do:
            super().tick()
            return
        self.begin_if_ended()
        is_first, self.age = self.age is None, 0 if self.age is None else self.age + 1
        is_new = is_first and self.status is not RUNNING  # else a step of another plan runs on
        match self.decorator:
            case CooldownDecorator() if is_new and (self.node.task, self.node.args) in (
                self.goal.cooldowns
            ):
                self.fail()
            case TimeoutDecorator(number) if self.age >= number:
                for child in self.children:
                    if child.status is RUNNING:
                        child.stop()
                self.fail()
            case _:
                super().tick()
                if self.status in OVER:
                    self.end()

    def end(self):
        match self.decorator:
            case RetryDecorator(number) if self.status is FAILURE and self.tries + 1 < number:
                age, tries = self.age, self.tries + 1
                self.begin()
                self.age, self.tries, self.status = age, tries, RUNNING
            case InvertDecorator() if self.status is SUCCESS:
                self.fail()
            case InvertDecorator():
                self.status = SUCCESS
            case CooldownDecorator(number) if self.status is SUCCESS:
                self.goal.cool_down(self.node, number)
            case _:
                pass

    def fail(self):
        self.status, self.has_failed_itself = FAILURE, True

    def go_on_from(self, other):
        """A step of the same part of another plan runs on in it: its time and tries count."""
        if (self.node.task, self.node.args) == (other.node.task, other.node.args):
            self.age, self.tries = other.age, other.tries

    @property
    def is_retry(self):
        return isinstance(self.decorator, RetryDecorator)

    def failed_part(self):
        return self if self.has_failed_itself else super().failed_part()

    def failed_leaf(self):
        return self if self.has_failed_itself else super().failed_leaf()

    def left_to_run(self, *, again=False):
        return super().left_to_run(again=again or (self.is_retry and self.status is RUNNING))

    def open_leaves(self):
        return [] if self.is_over else [self, *super().open_leaves()]

    def is_idle(self):
        return self.has_nothing_to_do


class Parallel(Part):
    """Branches side by side, until the policy ends them."""

    def first_cleanups(self):
        return [part for child in self.children for part in child.first_cleanups()]

    @property
    def alive(self):
        """The branches that have not failed without it."""
        return [child for child in self.children if child.status is not FAILURE]

    @property
    def is_entered(self):
        return super().is_entered or len(self.alive) < len(self.children)

    def open_leaves(self):
        left = super().open_leaves()
        return left if self.is_over or self.node.policy is ALL else [self, *left]

    def tick(self):
        self.begin_if_ended()
        self.status = RUNNING
        for index, child in enumerate(self.children):
            if child.status not in OVER:
                child.tick()
            if child.status is FAILURE and self.fails_with(index):
                break
        self.status = self.verdict([child.status for child in self.children])
        if self.status is SUCCESS or (self.status is FAILURE and not self.fails_plan()):
            for child in reversed(self.children):
                if child.status is RUNNING:
                    child.stop()

    def verdict(self, ends):
        if self.node.policy is PRIMARY:
            return ends[0]
        decisive, other = (SUCCESS, FAILURE) if self.node.policy is ANY else (FAILURE, SUCCESS)
        return decisive if decisive in ends else other if {*ends} == {other} else RUNNING

    def fails_with(self, index):
        return self.node.policy is ALL or (self.node.policy is PRIMARY and index == 0)

    def fails_plan(self):
        """Whether the goal's plan fails with it: then its steps may be of use to the next plan."""
        below = self
        for part in self.around():
            is_retry = isinstance(part, Decorated) and part.is_retry
            if (
                isinstance(part, Priority | WithCleanup)
                or is_retry
                or (isinstance(part, Parallel) and not part.fails_with(part.children.index(below)))
            ):
                return False
            below = part
        return True

    def check(self, at):
        if self.is_over:
            return at
        ends, failed = [], {}
        for index, child in enumerate(self.alive):
            try:
                ends.append(child.check(replace(at, done=())))
            except Broken as broken:
                ends.append(broken.at)
                failed[index] = broken
        for index, broken in failed.items():
            if self.fails_with(index) or len(failed) == len(ends):
                raise Broken(broken.part, at, broken.reads)
        prints = [Footprint.in_turn(end.done) for end in ends]
        writes = after_parallel(prints, self.node.policy, lambda index, f: ends[index].written[f])
        return at.after_branches(ends, writes, side_by_side(prints, self.node.policy))

    def left(self):
        if self.is_over:
            return NULL_NODE
        return replace(self.node, children=tuple(child.left() for child in self.alive))

    def footprint_left(self):
        if self.is_over:
            return Footprint()
        left = tuple(child.footprint_left() for child in self.alive)
        return footprint_over(self.node, left)

    def failed_part(self):
        failed = [child for child in self.children if child.status is FAILURE]
        return self if self.node.policy is ANY else failed[0].failed_part()

    def is_idle(self):
        """Of at most one branch with steps nothing is left but these."""
        with_steps = [child for child in self.children if has_steps(child.node)]
        is_left_out = self.node.policy is ALL and len(with_steps) <= 1
        return is_left_out and all(child.is_idle() for child in self.children)

    def place(self, running):
        placed = [child.place(running) for child in [*self.children]]
        self.status = RUNNING if any(placed) else INVALID
        return any(placed)


class Priority(Part):
    """Alternatives, the first of which is taken that does not fail when the tick gets there.

    ``in_vain`` are those for which another one was aborted, and that have failed then.
    """

    def begin(self):
        super().begin()
        self.chosen, self.in_vain = None, set()

    def tick(self):
        self.begin_if_ended()
        self.status = RUNNING
        every, running = range(len(self.children)), self.chosen
        if running is None:
            self.ask(every)
        elif not self.node.reactive:
            self.ask(every[running:])
        elif self.goal.is_interruptible(self.children[running]):
            self.ask([index for index in every if index not in self.in_vain])
        else:
            self.children[running].tick()  # all are asked in the next tick if it fails
            self.status = SUCCESS if self.children[running].status is SUCCESS else RUNNING

    def first_cleanups(self):
        first = 0 if self.chosen is None else self.chosen
        return self.children[first].first_cleanups()

    def ask(self, alternatives):
        before = self.chosen
        for index in alternatives:
            self.children[index].tick()
            if self.children[index].status is not FAILURE:
                self.in_vain = self.in_vain if index == before else set()
                self.chosen, self.status = index, self.children[index].status
                for later in self.children[index + 1 :]:
                    if later.status is RUNNING:
                        later.stop()
                return
            if before not in (None, index) and self.children[before].status is not RUNNING:
                self.in_vain.add(index)
        self.chosen, self.status = len(self.children) - 1, FAILURE

    @property
    def is_entered(self):
        return super().is_entered or any(child.status is FAILURE for child in self.children)

    def failed_leaf(self):
        return self.children[-1].failed_leaf()

    def ahead(self):
        """The alternatives that it may still run; of a reactive choice, others from their start."""
        if self.is_over:
            return []
        if self.status is not RUNNING or self.chosen is None:
            return self.children
        if not self.node.reactive:
            return self.children[self.chosen :]
        goes_on = self.children[self.chosen]
        return [c if c is goes_on and c.status is RUNNING else self.anew(c) for c in self.children]

    def as_node(self):
        is_asked_again = self.node.reactive and not self.is_over
        children = self.ahead() if is_asked_again else self.children
        return with_children(self.node, [child.as_node() for child in children])

    def anew(self, child):
        """An alternative as it will be when it is asked again."""
        fresh = made(self.goal, child.node, self)
        fresh.asked_before = child
        return fresh

    def open_leaves(self):
        left = [leaf for child in self.ahead() for leaf in child.open_leaves()]
        return left if self.is_over else [self, *left]  # its end need not be that of the last one

    def left_to_run(self, *, again=False):
        again = again or (self.node.reactive and self.status is RUNNING)
        left = self.children if again else self.ahead()
        return [leaf for child in left for leaf in child.left_to_run(again=again)]

    def footprint_left(self):
        left = [child.footprint_left() for child in self.ahead()]
        return footprint_over(self.node, tuple(left)) if left else Footprint()

    def check(self, at):
        if self.is_over:
            return at
        ends, failed = [], []
        ahead = self.ahead()
        for child in ahead:
            try:
                ends.append(child.check(replace(at, done=(), is_choice=True)))
            except Broken as broken:
                failed.append(broken)
        if not ends:
            if ahead[0].asked_before is not None:  # it can be repaired
                self.put(ahead[0].asked_before, ahead[0])
            raise Broken(failed[0].part, at, failed[0].reads)
        values = after_priority([end.written_in_branch() for end in ends], at.get)
        writes = {fluent: Write(WriteKind.COMPUTED, value) for fluent, value in values.items()}
        done = Footprint.one_of([Footprint.in_turn(end.done) for end in ends])
        return at.after_branches(ends, writes, done)

    def left(self):
        if self.is_over:
            return NULL_NODE
        children = self.ahead()
        kept = self.node.kept[len(self.node.kept) - len(children) :]
        below = tuple(child.left() for child in children)
        return replace(self.node, children=below, kept=kept)

    def place(self, running):
        for index, child in enumerate(self.children):
            if child.place(running):
                self.chosen, self.status = index, RUNNING
                return True
        return False


class Suspended(Part):
    """A part that is planned when the tick gets there; the part below it runs its plan."""

    is_over = False
    not_before, inside = 0, ()

    def begin(self):
        super().begin()
        self.plan = self.waits_for = None

    @property
    def is_entered(self):
        """Whether it was planned, and that was not replaced as a whole."""
        return bool(self.children)

    def tick(self):
        goal = self.goal
        self.begin_if_ended()
        if self.status is INVALID and goal.ended_at == goal.ticks and not self.node.cause.now:
            self.not_before = goal.ticks + 1  # planned from what is sensed by then
        self.status = RUNNING
        if not self.children and goal.ticks >= self.not_before:
            self.arrive()
        for child in self.children:
            child.tick()
            self.status = child.status

    def arrive(self):
        goal, mind, waited = self.goal, self.goal.mind, self.waits_for is not None
        if self.plan is None:
            self.version, self.planned_at = len(mind.changes), goal.ticks
            self.plan, self.reads = self.planned()
            if self.plan is None:
                self.status = FAILURE
                return
        self.waits_for = next(self.disturbed(), None)
        if self.waits_for is not None:
            self.status = RUNNING if can_move(self.waits_for, {self}) else FAILURE
            self.reads = self.reads if self.status is RUNNING else {}
        elif self.version != len(mind.changes) and (waited or not replay(self.plan, mind.state).ok):
            self.plan = None
            self.arrive()
        else:
            part = made(goal, self.plan.tree, self)
            inside = ((self.node, self.reads, goal.moves), *self.inside)
            for leaf in part.leaves():
                if isinstance(leaf, Suspended):
                    leaf.not_before, leaf.inside = self.planned_at + 1, inside
            self.children = [part]
            goal.resumed(self, self.plan)

    def planned(self):
        """A plan, and what the search for it has read."""
        goal, node = self.goal, self.node
        if self.goes_round():
            return None, self.inside[0][1]  # what the search for the part around it has read
        avoided, domain = goal.avoided(), goal.planner.domain
        plan = None if avoided else go_on(node, goal.mind.state, domain, goal.settings)
        reads = None
        if plan is None:
            planner = Planner.resuming(domain, node, goal.settings)
            search = planner.search(goal.mind.state, avoiding=avoided)
            search.advance()
            plan = search.plan
            reads = dict(search.reads)
        if plan is not None and repeats_suspension(plan, node):
            return None, reads
        return plan, reads

    def goes_round(self):
        """Whether it is reached inside of itself, with nothing done and nothing changed since."""
        get, moves = self.goal.mind.get, self.goal.moves
        for node, reads, moves_then in self.inside:
            is_same = moves_then == moves and reads is not None
            if not is_same or any(get(fluent) != value for fluent, value in reads.items()):
                return False
            if self.node.repeats(node):
                return True
        return False

    def disturbed(self):
        """The branches beside it that its plan would disturb."""
        below = self
        for part in self.around():
            for other in part.children if isinstance(part, Parallel) else ():
                if other is not below and other.status not in OVER:
                    left = [leaf.foreseen() for leaf in other.left_to_run()]
                    if Footprint.in_turn(left).conflict_with(self.plan.footprint):
                        yield other
            below = part

    def foreseen(self):
        """What it would read, write and use as far as that is known."""
        return footprint(self.node) if self.plan is None else Footprint()

    def leaves(self):
        return super().leaves() if self.children else [self]

    def open_leaves(self):
        return [self] if not self.children or super().open_leaves() else []

    def left_to_run(self, *, again=False):
        if not self.children:
            return [self]
        anew = [made(self.goal, self.node, self.above)] if again else []
        return anew if self.status in OVER else [*super().left_to_run(), *anew]

    def footprint_left(self):
        return self.children[0].footprint_left() if self.children else footprint(self.node)

    def as_node(self):
        return self.children[0].as_node() if self.children else self.node

    def left(self):
        return self.children[0].left() if self.children else self.node

    def check(self, at):
        if self.children:
            return self.children[0].check(at)
        is_open = not self.node.ensures
        done = Footprint(self.node.reads, self.node.ensures)
        return at.after(self.node.ensures, done, is_open=is_open)

    def failed_part(self):
        return self.children[0].failed_part() if self.children else self


def can_move(branch, seen):
    """Whether a branch can go on, now or behind those that it waits for."""
    active = [leaf for leaf in branch.leaves() if leaf.status is RUNNING and leaf not in seen]
    if not active:
        return not any(leaf in seen for leaf in branch.leaves())
    waited_for = [leaf.waits_for if isinstance(leaf, Suspended) else None for leaf in active]
    return any(other is None or can_move(other, seen | {*active}) for other in waited_for)


def has_steps(node):
    """Whether there is something to do, so that a decorator has something to decide about."""
    if isinstance(node, TaskNode | SuspendedNode | PriorityNode):
        return True
    is_race = isinstance(node, ParallelNode) and node.policy is not ALL
    return is_race or any(map(has_steps, children_of(node)))


KINDS = {
    TaskNode: Step,
    NullNode: Null,
    SuspendedNode: Suspended,
    ScopeNode: Sequence,
    SequenceNode: Sequence,
    ParallelNode: Parallel,
    PriorityNode: Priority,
}


def made(goal, node, above=None):
    if isinstance(node, ScopeNode) and node.task.decorator is not None:
        return Decorated(goal, node, above)
    if isinstance(node, ScopeNode) and node.task.origin == WITH_CLEANUP:
        return WithCleanup(goal, node, above)
    if isinstance(node, ScopeNode) and node.task.origin == FINALLY:
        return Finally(goal, node, above)
    return KINDS[type(node)](goal, node, above)


def forget(part):
    """Where all of a plan is over but one suspended part, the plan of this part takes its place.

    So a task that goes on by suspending itself does not grow.
    """
    for child in part.children:
        forget(child)
    if part.above is None or isinstance(part, Suspended):
        left = [leaf for child in part.children for leaf in child.open_leaves()]
        if len(left) == 1 and left[0].children:
            part.passed = left[0].scopes()[: len(left[0].scopes()) - len(part.scopes())]
            part.passed = [*left[0].passed, *part.passed]
            part.children = left[0].children
            part.children[0].above = part
            if part.above is None:
                part.node = SequenceNode((part.children[0].node,))
