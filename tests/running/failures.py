"""The specification of what a goal makes of its failures: what it avoids, and when it waits.

Both follow one schedule: after so many failures in a row something is left alone for a time, twice
as long each time after that. A change that can matter ends the time at once; where that was in
vain, the next change counts only after 1, 2, 4 … ticks.
"""

from dataclasses import dataclass


@dataclass
class Pause:
    """Something that is left alone from the tick ``since`` on, before the tick ``until``.

    ``reads`` is what it depends on, ``heard`` the number of changes that there were by then, and
    ``in_vain`` how often in a row a change has ended such a time for nothing.
    """

    since: int
    until: int = 0
    reads: frozenset = frozenset()
    heard: int = 0
    in_vain: int = 0
    has_changed: bool = False

    def end(self, has_changed):
        if not has_changed:
            return self.until
        delay = min(1 << (self.in_vain - 1), self.until) if self.in_vain else 0
        return min(self.until, self.since + 1 + delay)


@dataclass
class Count(Pause):
    """The failures of a step or method: ``count`` in a row, avoided ``times`` times before.

    Where a condition was false, it was ``refused``: then a change by the goal itself counts, too.
    """

    count: int = 0
    times: int = 0
    refused: bool = False


class Failures:
    """What one goal remembers of its failures."""

    def __init__(self, goal, mentioned, **policy):
        self.goal, self.mind, self.mentioned, self.policy = goal, goal.mind, mentioned, policy
        self.now, self.heard = 0, 0
        self.counts = {}
        self.attempts, self.wait, self.in_vain = 0, None, 0
        self.has_plan = self.had_plan = self.is_in_doubt = False
        self.reads, self.searched = frozenset(), {}

    def tick(self):
        """Another tick of the goal begins; what has changed until now is known in it."""
        changes = self.mind.changes[self.heard :]
        self.now, self.heard = self.now + 1, len(self.mind.changes)
        if self.wait is not None:
            later = changes[max(0, self.wait.heard - self.heard + len(changes)) :]
            self.wait.has_changed |= any(self.can_matter(fluent) for fluent, _ in later)

    def allowed(self):
        """Something may be planned again that was excluded for another reason."""
        if self.wait is not None:
            self.wait.has_changed = True

    def changed(self, pause, *, by_others):
        """The fluents of a pause that have changed since it began."""
        changes = self.mind.changes[pause.heard : self.heard]
        own = self.goal if by_others else None
        return {fluent for fluent, source in changes if source is not own} & pause.reads

    def note_doubt(self, reads):
        """Note that something has changed, in the very tick of a failure, on which that depends."""
        changes = self.mind.changes[self.heard :]
        self.is_in_doubt |= any(fluent in reads for fluent, _ in changes)

    # What is avoided.

    def part_failed(self, cause, name, reads, *, refused):
        """A step, or a method, is why a plan has failed."""
        self.reads |= reads
        self.note_doubt(reads)
        if self.policy["avoid_after"] is None:
            return
        entry = self.counts[cause] = self.counts.pop(cause, None) or Count(self.now)
        entry.since, entry.reads, entry.refused = self.now, reads, refused
        entry.heard, entry.count = len(self.mind.changes), entry.count + 1
        if entry.count >= self.policy["avoid_after"]:
            longest = self.policy["longest_cooldown"]
            length = min(self.policy["cooldown"] << entry.times, longest)
            entry.until, entry.times = self.now + 1 + length, entry.times + 1
            names = tuple(sorted(map(str, reads)))
            self.goal.tell("task avoided", name, entry.count, length, names)

    def step_succeeded(self, cause):
        self.counts.pop(cause, None)

    def avoided(self):
        """What plans must not use now."""
        oldest = self.now - self.policy["longest_cooldown"]
        for cause, entry in [*self.counts.items()]:
            if max(entry.since, entry.until) < oldest:
                del self.counts[cause]
            elif entry.until:
                has_changed = bool(self.changed(entry, by_others=not entry.refused))
                if self.now >= entry.end(has_changed):  # one more failure, and it is avoided again
                    entry.in_vain += has_changed
                    entry.since, entry.until, entry.heard = self.now, 0, self.heard
                    entry.count = min(entry.count, self.policy["avoid_after"] - 1)
        return {cause: "it has failed" for cause, entry in self.counts.items() if entry.until}

    # When the goal waits.

    def begin(self):
        """The goal begins another attempt."""
        self.reads, self.has_plan = frozenset(), False

    def found(self):
        """There is a plan; attempts without one are forgotten."""
        self.has_plan = True
        if not self.had_plan:
            self.succeeded()

    def succeeded(self):
        self.attempts, self.wait, self.in_vain = 0, None, 0

    def failed(self, searched):
        """An attempt has ended without success; ``searched`` is what its last search has read."""
        self.had_plan, self.searched = self.has_plan, searched
        self.attempts += 1
        before = self.attempts - self.policy["wait_after"]
        if before < 0 or not self.policy["wait"]:
            return
        until = self.now + 1 + min(self.policy["wait"] << before, self.policy["longest_wait"])
        ends = [
            entry.end(bool(self.changed(entry, by_others=not entry.refused)))
            for entry in self.counts.values()
            if entry.until > self.now
        ]
        if ends:
            until = min(until, max(min(ends), self.now + 1))
        reads = self.reads | searched.keys()
        self.note_doubt(reads.union(*(entry.reads for entry in self.counts.values())))
        self.wait = Pause(self.now, until, reads, len(self.mind.changes), self.in_vain)
        names = tuple(sorted(map(str, reads)))
        self.goal.tell("goal waits", self.attempts, until - self.now - 1, names)

    def waits(self):
        """Whether the goal may not begin in this tick."""
        if self.wait is not None:
            has_changed = self.wait.has_changed
            if self.now >= self.wait.end(has_changed):
                self.in_vain = self.in_vain + 1 if has_changed else 0
                self.wait = None
        return self.wait is not None

    def can_matter(self, fluent):
        """Whether the next attempt could end otherwise, since a fluent has changed."""
        failed = {read for entry in self.counts.values() for read in entry.reads}
        if fluent in self.reads | failed:
            return True
        if fluent not in self.searched:
            return False
        before, now = self.searched[fluent], self.mind.get(fluent)
        return self.mentioned is None or self.mentioned.differ(fluent, before, now)
