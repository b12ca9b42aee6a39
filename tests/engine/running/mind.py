"""What the running reference runs on: beliefs, operators, and a state on paper."""

from dataclasses import dataclass, field, replace

from py_trees.common import Status

from bthtn.engine.world.footprint import Footprint, RecordingView
from bthtn.engine.world.truth import UNKNOWN

RUNNING, SUCCESS, FAILURE, INVALID = Status.RUNNING, Status.SUCCESS, Status.FAILURE, Status.INVALID
OVER = (SUCCESS, FAILURE)


class Mind:
    """What an agent believes, who has changed it in which order, and what has happened."""

    def __init__(self, domain, state, operators):
        self.domain, self.state, self.operators = domain, state, operators
        self.changes, self.events, self.aborts, self.at_work = [], [], [], {}
        self.starts = 0

    def get(self, fluent):
        return self.state.get(fluent)

    def write(self, fluent, value, source):
        if self.get(fluent) != value:
            self.state = self.state.changed({fluent: value})
            self.changes.append((fluent, source))

    def changed_by_others(self, since, own):
        return {fluent for fluent, source in self.changes[since:] if source is not own}

    def occupant(self, uses):
        """The number of the step that occupies one of these resources, None if none does."""
        steps = self.at_work.items()
        return next((number for number, others in steps if others & uses), None)

    def tell(self, *event):
        self.events.append(event)

    def begin_tick(self):
        """Go on with the aborts that take more than a tick."""
        for abort in [*self.aborts]:
            if abort.run.tick() is not RUNNING:
                self.aborts.remove(abort)
                abort.finish()


class Simulated:
    """The operator of a task that has none: it takes the planned time."""

    def __init__(self, duration):
        self.left = duration

    def start(self):
        pass

    def tick(self):
        self.left -= 1
        return SUCCESS if self.left < 0 else RUNNING

    def abort(self):
        return SUCCESS


class Hiding:
    """A state in which some fluents are unknown."""

    def __init__(self, view, hidden):
        self.view, self.hidden = view, hidden

    def get(self, fluent):
        return UNKNOWN if fluent in self.hidden else self.view.get(fluent)


@dataclass(frozen=True)
class Paper:
    """The state that the rest of a plan leads to: the beliefs, and what it has written up to here.

    ``read`` has the fluents of which the beliefs were asked so far, ``by_others`` those that others
    have changed, ``lost`` the running steps whose precondition they have ended. What comes next
    ``is_open`` if it is not planned yet. ``done`` is what the innermost branch has done. Conditions
    are not asked, and nothing is broken, unless it ``is_asked``.
    """

    mind: Mind
    by_others: frozenset = frozenset()
    read: set = field(default_factory=set)
    lost: list = field(default_factory=list)
    written: dict = field(default_factory=dict)
    steps: int = 0
    is_choice: bool = False
    done: tuple[Footprint, ...] = ()
    is_open: bool = False
    is_asked: bool = True

    def get(self, fluent):
        """What is volatile is known before the first step only, and not inside of a choice."""
        if fluent in self.written:
            return self.written[fluent]
        if fluent.volatile and (self.steps > 0 or self.is_choice):
            return UNKNOWN
        self.read.add(fluent)
        return self.mind.get(fluent)

    def after(self, writes, done, **changes):
        values = {fluent: write.applied(fluent, self) for fluent, write in writes.items()}
        written, done = {**self.written, **values}, (*self.done, done)
        return replace(self, written=written, done=done, **changes)

    def after_branches(self, ends, writes, done):
        steps, is_open = max(end.steps for end in ends), any(end.is_open for end in ends)
        return self.after(writes, done, steps=steps, is_open=is_open)

    def written_in_branch(self):
        return {fluent: self.written[fluent] for done in self.done for fluent in done.writes}


class Broken(Exception):  # noqa: N818 - no error: a finding, on paper
    """A part of a plan that would not work, since a condition that has read these is false."""

    def __init__(self, part, at, reads=frozenset()):
        self.part, self.at, self.reads = part, at, reads
        super().__init__(str(part.node))


def demand(part, condition, view, at, hidden=()):
    """Raise Broken if a condition of a part is false. One that is unknown is no failure."""
    seen = RecordingView(view)
    if at.is_asked and condition.evaluate(Hiding(seen, hidden), part.node.args) is False:
        raise Broken(part, at, seen.reads)
