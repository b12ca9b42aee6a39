"""The specification of running a plan: a goal that looks at everything anew in every tick.

A plan that runs is a tree of parts (``parts``). A part is a node of the plan, its status, and the
parts below; nothing else says how far the plan has come.

    a tick              ``Goal.go_on``: is there a plan that works, is another one better? Then
                        every part's ``tick``
    the rest works      every part's ``check``: what is left is carried out on paper
    a belief changes    ``Goal.review``: has the check, or the last search, read what was changed?
    a part breaks       ``Goal.repair``: another part in its place; all others stay as they are
    another plan        ``Goal.take_over``: running steps move to where that begins with them
    failures            ``failures.Failures``: what is avoided, and when the goal waits

Whatever else runs plans has to start, end and abort the same steps in the same ticks.
"""

from dataclasses import replace

from py_trees.behaviour import Behaviour
from py_trees.composites import Parallel as TreeParallel

from bthtn.engine.domain.network import NULL, SequenceNetwork
from bthtn.engine.domain.task import TaskCall
from bthtn.engine.plan.equivalence import comparable_record, followed_by, steps_outline
from bthtn.engine.plan.merge import conflict
from bthtn.engine.plan.nodes import HORIZON, ScopeNode, SequenceNode, SuspendedNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.walk import preorder, record_of, with_children
from bthtn.engine.planning.planner import Planner, search_for
from bthtn.engine.planning.protocol import DEFAULT_SETTINGS, PlanRequest
from bthtn.engine.planning.static_reads import static_reads
from bthtn.engine.world.expression import ALWAYS, Constant
from bthtn.engine.world.footprint import RecordingView, WriteKind
from bthtn.engine.world.truth import UNKNOWN
from tests.engine.running.cleanup import Cleanup
from tests.engine.running.failures import Failures
from tests.engine.running.mind import FAILURE, INVALID, RUNNING, SUCCESS, Broken, Hiding, Paper
from tests.engine.running.parts import (
    ALL,
    Parallel,
    Priority,
    Sequence,
    Step,
    Suspended,
    WithCleanup,
    forget,
    has_steps,
    made,
    reopen,
)

MOST_REPAIRS = 16
"""New parts that are checked before the whole goal is planned anew."""


class Goal(Behaviour):
    """Plans for a goal, and runs the plan for as long as it works and no other one is better."""

    def __init__(self, name, mind, goal, *, settings=DEFAULT_SETTINGS, max_replans=3, **options):
        super().__init__(name)
        self.mind, self.settings, self.max_replans = mind, settings, max_replans
        self.repairs, self.interrupt = options["repair"], options["interrupt"]
        self.commitment, self.hysteresis = options["minimum_commitment"], options["hysteresis"]
        self.planner = Planner(mind.domain, goal, settings)
        self.mentioned = static_reads(self.planner.domain, self.planner.goal)
        self.failures = Failures(self, self.mentioned, **options["retrying"])
        self.ticks, self.moves, self.ended_at = 0, 0, -1
        self.tree, self.record = None, ()
        self.awaited, self.waiting, self.ended = [], [], None
        self.is_repairable, self.is_same_course = True, False
        self.cooldowns = {}

    def update(self):
        return self.status

    def tell(self, *event):
        self.mind.tell(event[0], self.name, *event[1:])

    def is_aborting(self):
        return any(abort.goal is self for abort in self.mind.aborts)

    def is_idle(self, node):
        """Whether a step does nothing at all."""
        task = node.task
        acts = node.footprint.writes or task.actual or task.on_start or task.uses or node.duration
        is_free = task.exec_only is ALWAYS and task.during is ALWAYS
        return not acts and is_free and task not in self.mind.operators

    def owe(self, part):
        self.mind.aborts.append(Cleanup(self, part))

    @staticmethod
    def is_interruptible(part):
        return not any(
            step.node.task.uninterruptible and step.is_at_work for step in part.running()
        )

    def cool_down(self, node, ticks):
        """Do without a part for so many ticks."""
        self.cooldowns[node.task, node.args] = self.failures.now + ticks

    def avoided(self):
        """What plans must not have now."""
        methods = self.planner.domain.methods
        cooling = {(methods[task][0], args): "it cools down" for task, args in self.cooldowns}
        return {**self.failures.avoided(), **cooling}

    # A tick.

    def tick(self):
        self.status = self.ended or self.next_status()
        self.ended = None
        self.let_others_begin()  # it has kept its place
        yield self

    def next_status(self):
        self.failures.tick()
        over = [part for part, until in self.cooldowns.items() if until <= self.failures.now]
        for part in over:
            del self.cooldowns[part]
            self.failures.allowed()
        if self.status is not RUNNING:
            if self.failures.waits():
                return FAILURE
            self.failures.begin()
            self.tree, self.record, self.replans = None, (), 0
            self.is_broken, self.has_waited = False, False
            self.begin_search()
        self.status = RUNNING
        return self.go_on()

    def stop(self, new_status=INVALID):
        self.awaited = []
        if new_status is INVALID and self.status is RUNNING and self.ended is None:
            self.tell("plan aborted")
            self.record = ()
        if new_status is INVALID and self.tree is not None:
            self.tree.stop()
        self.status, self.ended = new_status, None
        self.let_others_begin()

    def go_on(self):
        has_plan = self.tree is not None and not self.is_broken
        is_done = has_plan and self.tree.status is SUCCESS  # but for its aborts
        answer = None if is_done else self.review() if has_plan else self.find()
        if answer is None:
            return self.run()
        if self.tree is not None and self.is_broken:
            self.run_on()
        return answer

    def run(self):
        """Tick the plan."""
        self.ticks += 1
        self.has_resumed = False
        if self.tree.status is not SUCCESS:
            self.tree.tick()
        if self.has_resumed and self.tree.status is RUNNING:
            forget(self.tree)
        if self.tree.status is RUNNING or (self.tree.status is SUCCESS and self.is_aborting()):
            return RUNNING
        if self.tree.status is SUCCESS:
            self.failures.succeeded()
            self.tell("goal ended", True)
            return SUCCESS
        failed = self.tree.failed_part()
        self.remember(failed)
        return self.plan_again(failed)

    def run_on(self):
        """Nothing of a broken plan goes on but its running steps."""
        running = self.tree.running()
        for step in running:
            step.tick()
        if self.tree.running() != running:
            self.begin_search()

    # Taking the place of another goal: py_trees stops what ran after it has ticked what takes over.

    def displaced(self):
        """The goals beside it, in branches of which one is run at a time."""
        below, found = self, []
        while below.parent is not None:
            beside = [] if isinstance(below.parent, TreeParallel) else below.parent.children
            for child in beside:
                found += [] if child is below else child.iterate()
            below = below.parent
        return [goal for goal in found if isinstance(goal, Goal)]

    def must_wait(self):
        """Whether one of them runs, or is not done with its aborts; twice it waits for none."""
        has_waited, self.awaited = bool(self.awaited), []
        for other in self.displaced():
            if other.is_aborting():
                self.has_waited = True
                return True
            if other.status is RUNNING and not has_waited:
                self.awaited.append(other)
                other.waiting.append(self)
        self.has_waited |= bool(self.awaited)
        return bool(self.awaited)

    def let_others_begin(self):
        waiting, self.waiting = self.waiting, []
        for other in waiting:
            if self in other.awaited:
                other.awaited.remove(self)
                if not other.awaited:
                    status = other.go_on()
                    other.ended = None if status is RUNNING else status

    # Finding a plan.

    def begin_search(self):
        self.search_from, self.avoiding = self.mind.state, self.avoided()
        self.searched_reads = {}

    def find(self):
        """Adopt a plan. Returns None if there is one, else the status of the goal."""
        if self.is_aborting():
            self.has_waited = True
            return RUNNING
        if self.has_waited:  # what was aborted may have changed the beliefs
            self.has_waited = False
            if self.search_from is not self.mind.state:
                self.begin_search()
        plan = self.searched()
        if plan is None:
            return self.fail()
        if self.must_wait():
            return RUNNING
        running = [] if self.tree is None else self.tree.running()
        if self.is_broken and not self.begins_with(plan.tree, running):
            self.give_up()
            self.has_waited = True
            return self.find()
        self.failures.found()
        works_in = self.mind.state  # a change by what is aborted now is one of its own
        self.take_over(plan)
        self.adopted(plan, self.search_from, works_in)
        self.tell("plan adopted", self.record)
        return None

    def searched(self):
        """The plan of the search that was begun; of another one if it does not work any more.

        In the state that it was searched for it works, though a replay may refuse it: that asks
        the methods, too, that were avoided.
        """
        plan, state = self.search_result(), self.mind.state
        if plan is not None and state != self.search_from and not replay(plan, state).ok:
            self.begin_search()
            plan = self.search_result()
        return plan

    def search_result(self):
        search = self.planner.search(self.search_from, avoiding=self.avoiding)
        search.advance()
        self.searched_reads = dict(search.reads)
        return search.plan

    def begins_with(self, node, running):
        """Whether a plan begins with one of the running steps."""
        return made(self, SequenceNode((node,))).place([Copy.of(step) for step in running])

    def take_over(self, plan, *, is_same=False):
        """Run this plan. The running steps that it begins with run on, all others are aborted."""
        self.is_same_course = is_same
        before, running = self.tree, [] if self.tree is None else self.tree.running()
        self.tree = made(self, SequenceNode((plan.tree,)))
        self.tree.place(running)
        self.abort(running)
        if before is not None:
            before.stop()
        self.is_repairable, self.is_same_course = True, False

    def abort(self, steps):
        for step in sorted(steps, key=lambda step: step.number, reverse=True):
            step.stop()

    def give_up(self):
        if self.tree is not None:
            self.abort(self.tree.running())
            self.tree.stop()
        self.tree, self.is_broken = None, False

    def plan_again(self, failed, *, repairs=True):
        """A plan has failed: repair it, or search for another one, in the next tick."""
        again = self.replans < self.max_replans
        repairs = repairs and again and not self.is_aborting()
        if repairs and self.repair(failed, frozenset()):
            self.replans += 1
            self.adopted(self.plan)
            self.tell("plan failed", again)
            self.tell("plan repaired", self.record)
            return RUNNING
        running = self.tree.running()
        self.abort([step for step in running if not again or step is failed])
        self.tell("plan failed", again)
        if not again:
            return self.fail()
        self.replans += 1
        if running:
            self.is_broken = True
        else:
            self.give_up()
        self.begin_search()
        return RUNNING

    def fail(self):
        self.give_up()
        self.tell("goal ended", False)
        self.failures.failed(self.searched_reads)
        return FAILURE

    def remember(self, failed, false=None):
        """Count a failure of a step, or else of the method around it.

        ``false`` is what a condition has read that would be false, if it has not come to that.
        """
        if isinstance(failed, Step):
            task, args = failed.node.task, failed.node.args
            depends = failed.node.footprint.reads
            for condition in (task.precondition, task.exec_only):
                seen = RecordingView(self.mind)
                if condition.evaluate(seen, args) is False and false is None:
                    false = seen.reads
                depends |= seen.reads
            cause, name = (task, args), str(failed.node)
        else:
            around = [part.node for part in (failed, *failed.around())]
            scope = next((node for node in around if isinstance(node, ScopeNode)), None)
            if scope is None:
                return
            leaf = failed.failed_leaf()  # a part without a plan, or one of other steps
            reads = leaf.reads or {} if isinstance(leaf, Suspended) else {}
            depends = frozenset(reads)
            method = self.planner.domain.methods[scope.task][scope.method]
            cause, name = (method, scope.args), str(scope)
        self.failures.part_failed(cause, name, depends if false is None else false)

    # Monitoring.

    def adopted(self, plan, found_in=None, works_in=None):
        """Watch a plan from now on, as if it had begun when the search for it has.

        While the beliefs are those in which it is known to work, it need not be looked at.
        """
        self.plan, self.record = plan, plan.record
        self.is_broken = False
        missed = () if found_in is None else self.differing(found_in, works_in)
        missed = {fluent for fluent in missed if self.is_mentioned(fluent)}
        before = {fluent: found_in.get(fluent) for fluent in missed}
        self.start, self.done = self.mind.state.changed(before), {}
        self.bound = comparable_record(plan)
        self.support = self.last_reads = None  # not known: anything may matter
        self.is_unchecked, self.unexpected = True, None
        self.avoided_then = self.avoided_last = self.avoided()
        self.heard = len(self.mind.changes)
        self.works_at = self.heard if works_in is self.mind.state else -1
        self.causes, self.is_free = missed, False
        self.age, self.better_since = 0, None

    @staticmethod
    def differing(state, other):
        fluents = {*state.values, *other.values}
        return {fluent for fluent in fluents if state.get(fluent) != other.get(fluent)}

    def is_mentioned(self, fluent):
        return self.interrupt != "surprise" or self.mentioned is None or fluent in self.mentioned

    def resumed(self, part, plan):
        """A suspended part has a plan."""
        self.has_resumed = True
        self.record = self.record.followed_by(plan.record)
        self.bound = followed_by(self.bound, plan)
        self.is_unchecked, self.support, self.last_reads, self.works_at = True, None, None, -1
        self.tell("plan resumed", str(part.node.cause), plan.record)

    def started(self, step):
        """What it needs while it runs belongs to the support."""
        if self.support is not None:
            seen = RecordingView(self.mind)
            for condition, hidden in step.needs():
                condition.evaluate(Hiding(seen, hidden), step.node.args)
            self.support |= seen.reads

    def finished(self, step, written):
        """What it has written belongs to the support; it is looked at if it was not planned."""
        self.failures.step_succeeded((step.node.task, step.node.args))
        writes = step.node.footprint.writes
        for fluent, write in writes.items():
            self.done[fluent] = self.end_of(fluent, write)
            is_known = write.kind is not WriteKind.INCREASE and write.value is not UNKNOWN
            if is_known and self.mind.get(fluent) != write.value:
                self.unexpected = fluent
        touched = {*written, *writes}
        if self.support is not None:
            self.support |= touched
        if self.last_reads is not None and touched & self.last_reads:
            self.last_reads = None

    def end_of(self, fluent, write):
        if write.kind is not WriteKind.INCREASE:
            return write.value
        before = self.done.get(fluent, self.start.get(fluent))
        return UNKNOWN if before is UNKNOWN else before + write.value

    def review(self):
        """Is there a better plan, or does the rest work? None if there is a plan to tick."""
        self.age += 1
        before, self.avoided_last = self.avoided_last, self.avoided()
        self.is_free |= self.can_be_better and not before.keys() <= self.avoided_last.keys()
        changed = self.mind.changed_by_others(self.heard, self)
        self.heard = len(self.mind.changes)
        relevant = changed if self.support is None else changed & self.support
        if self.works_at == self.heard:
            self.is_unchecked = False
        if self.improve(changed):
            return None
        if self.is_unchecked or relevant or self.unexpected is not None:
            return self.look(frozenset(relevant))
        return None

    def look(self, by_others):
        """Check the rest. Returns None if there is a plan to tick."""
        failed, self.is_unchecked, self.unexpected = None, False, None
        paper = Paper(self.mind, by_others)
        try:
            self.tree.check(paper)
        except Broken as broken:
            failed = broken
        self.support = {*paper.read}
        for step in paper.lost:
            step.is_lost = step.is_at_work
        if failed is None:
            return None
        part, is_own = failed.part, not failed.reads & by_others
        if is_own and part.status is RUNNING and isinstance(part, Step):
            return None  # it fails by itself, in this tick
        if is_own:
            self.remember(part, failed.reads)
        else:
            self.tell("plan broken", str(part.node))
        if (not is_own or self.replans < self.max_replans) and self.repair(part, by_others):
            self.replans += is_own
            self.adopted(self.plan)
            self.tell("plan repaired", self.record)
            return None
        if is_own:
            return self.plan_again(part, repairs=False)
        self.abort([step for step in self.tree.running() if step is part])
        self.is_broken = True
        self.begin_search()
        return self.find()

    # Repair.

    def repair(self, failed, by_others):
        """Plan the smallest part around what has failed anew, in its place."""
        if not self.repairs or not self.is_repairable or self.planner.minimizes:
            return False
        avoiding = self.avoided()
        around = [failed, *failed.around()]
        for part in around:
            if part.status is FAILURE:  # it is not over: it goes on if it can be mended
                part.status = INVALID if part is failed else RUNNING
        whole = next(part for part in reversed(around) if not is_wrapping(part))
        checks = 0
        for part in around:
            if not isinstance(part.node, ScopeNode) or part is whole:
                continue
            new, is_open = self.planned_anew(part, avoiding)
            if new is None or (is_open and self.has_more_behind(part)):
                continue
            above, has_place = part.above, self.has_place(part)
            above.put(part, new)
            is_tried = not self.is_disturbing(new)
            is_found = is_tried and self.works(by_others)
            if is_found and has_place:
                self.splice(part, new)
                return True
            checks += is_tried
            above.put(new, part)
            if is_found or checks == MOST_REPAIRS:
                break
        return False

    def works(self, by_others):
        """Whether the rest of the plan works."""
        try:
            self.tree.check(Paper(self.mind, by_others))
        except Broken:
            return False
        return True

    def planned_anew(self, part, avoiding):
        """Another plan for a part, and whether planning has stopped in it."""
        node, start = part.node, self.mind.state if part.has_begun else self.state_before(part)
        call = TaskCall(node.task, tuple(map(Constant, node.args)))
        goal = SequenceNetwork((call, NULL))  # the second is suspended if planning stops in it
        asked = PlanRequest(self.planner.domain, start, goal, (), self.settings, avoiding=avoiding)
        search = search_for(asked)
        search.advance()
        if search.plan is None or not isinstance(search.plan.tree.children[0], ScopeNode):
            return None, False
        found, end = search.plan.tree.children
        stops = [n for _, n in (*preorder(found), *preorder(end)) if isinstance(n, SuspendedNode)]
        is_open = any(not n.ensures and not (n is end and n.cause == HORIZON) for n in stops)
        return made(self, replace(found, call=node.call, binding=node.binding)), is_open

    def state_before(self, part):
        """The state to which the rest of the plan leads there, whether or not it works."""
        at, below = Paper(self.mind, is_asked=False), part
        for above, below in reversed([*zip(part.around(), [part, *part.around()], strict=False)]):
            if isinstance(above, Sequence):
                for child in above.children[: above.children.index(below)]:
                    at = child.check(at)
            elif isinstance(above, Priority) and not above.has_begun:
                at = replace(at, is_choice=True)
        fluents = [f for f in self.mind.state.values if f.volatile]
        hidden = {f: UNKNOWN for f in fluents if at.steps or at.is_choice}
        return self.mind.state.changed({**hidden, **at.written})

    @staticmethod
    def has_more_behind(part):
        """Whether a step behind a part is planned already."""
        below = part
        for above in part.around():
            if isinstance(above.node, SequenceNode):
                behind = above.children[above.children.index(below) + 1 :]
                if not all(isinstance(part, Suspended) and not part.children for part in behind):
                    return True
            below = above
        return False

    @staticmethod
    def has_place(part):
        """Whether it has steps, or is not the empty branch beside the only one that has."""
        below = part
        for above in part.around():
            if below.leaves() or isinstance(above, Priority):
                return True
            if isinstance(above, Parallel):
                with_steps = [child for child in above.children if has_steps(child.node)]
                if above.node.policy is not ALL or len(with_steps) > 1:
                    return True
                if any(child.leaves() for child in with_steps):
                    return False
            below = above
        return True

    @staticmethod
    def is_disturbing(part):
        """Whether it would disturb a branch beside it, or that one it."""
        nodes = [above for above in part.around() if isinstance(above, Parallel)]
        return any(conflict([c.footprint_left() for c in node.alive]) for node in nodes)

    def splice(self, old, new):
        """Run on with a new part. Its running steps run on if the new part begins with them."""
        tree = self.tree.children[0].as_node()
        self.plan = Plan(self.planner.domain, self.planner.goal, (), tree, record_of(tree), None)
        for part in new.around():  # which another try begins with
            if isinstance(part, Suspended):
                break
            part.node = with_children(part.node, [child.node for child in part.children])
        for part in new.around():  # nothing was left to do there, and now there is
            part.status = RUNNING if part.status is SUCCESS else part.status
        running = old.running()
        new.place(running)
        opened = [part for part in (*old.parts(), old) if isinstance(part, WithCleanup)]
        reopen(opened, new.first_cleanups())
        self.abort(running)
        old.stop()

    # A better plan.

    @property
    def can_be_better(self):
        """Whether some plan could beat the record."""
        is_first = self.interrupt == "surprise" and not any(self.bound[0])
        return not (self.planner.minimizes or is_first)

    def improve(self, changed):
        """Adopt a plan that is better, and a surprise. Returns whether there is one."""
        if not self.can_be_better:
            return False
        is_exact = self.interrupt == "surprise"
        watched = changed if self.last_reads is None else changed & self.last_reads
        self.causes |= set(filter(self.is_mentioned, watched))
        is_wanted = (self.causes or self.is_free) and self.age >= self.commitment
        if not is_wanted or not self.is_interruptible(self.tree):
            return False
        causes, is_free = self.causes, self.is_free
        self.causes, self.is_free = set(), False
        search = self.better_from(self.mind.state, self.avoided())
        if is_exact:
            self.last_reads = frozenset(search.reads)
            if not (is_free or causes & self.last_reads):
                return False
        plan = search.plan
        if plan is None or (is_exact and not self.is_surprise(plan)):
            self.better_since = None
            return False
        self.better_since = self.age if self.better_since is None else self.better_since
        if self.age - self.better_since < self.hysteresis:
            self.is_free = True  # it is looked for again
            return False
        left, found = self.tree.left(), plan.tree
        is_same = steps_outline(left, self.is_idle) == steps_outline(found, self.is_idle)
        if not is_same:
            self.tell("plan replaced")
        self.take_over(plan, is_same=is_same)
        self.adopted(plan)
        if not is_same:
            self.tell("plan adopted", self.record)
        return True

    def better_from(self, state, avoiding):
        bound = None if self.interrupt == "any" else self.bound[0]
        search = self.planner.search(state, avoiding=avoiding, bound=bound)
        search.advance()
        return search

    def is_surprise(self, plan):
        """Whether the running plan would not have led there by itself."""
        foreseen = self.better_from(self.predicted(), self.avoided_then).plan
        return foreseen is None or plan.record.beats(foreseen.record)

    def predicted(self):
        """The state at adoption, with the effects of the plan as far as they are seen."""
        done = self.start.changed(self.done)
        seen = {}
        for step in self.tree.running():
            for fluent, write in step.node.footprint.writes.items():
                now, end = self.mind.get(fluent), self.end_of(fluent, write)
                if now == end or is_between(done.get(fluent), now, end):
                    seen[fluent] = now
        return done.changed(seen)


def is_wrapping(part):
    """Whether there is nothing to it but one part: of a sequence, or a plan made on arrival."""
    is_wrapper = isinstance(part, Suspended) or isinstance(part.node, SequenceNode)
    return is_wrapper and len(part.children) == 1


def is_between(start, value, end):
    if not all(isinstance(number, int | float) for number in (start, value, end)):
        return False
    return start <= value <= end or end <= value <= start


class Copy:
    """Stands for a running step where it is only asked whether it has a place."""

    @classmethod
    def of(cls, step):
        copy = cls()
        copy.node, copy.scopes, copy.around, copy.cleanups = step.node, step.scopes, list, list
        copy.run = copy.above = None
        return copy
