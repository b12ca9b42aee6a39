"""The specification of what a goal makes of its failures: what it avoids, and when it waits.

What has failed ``after`` times in a row is left alone for ``backoff`` ticks, after each further
failure for twice as long, up to ``longest``. A change of something that it has read ends the
back-off, but not twice within an eighth of it. A goal waits, at most until the back-off of
something that it avoids is over.
"""

from dataclasses import dataclass
from math import ceil, inf


@dataclass
class Entry:
    """The ``count`` failures in a row of a step, of a method, or of the goal (the cause None).

    It has ``read`` something, and ``heard`` of so many changes; the last one that has ended a
    back-off did so at ``woken``.
    """

    count: int = 0
    since: int = 0
    until: int = 0
    woken: float = -inf
    read: frozenset = frozenset()
    heard: int = 0


class Failures:
    """What one goal remembers of its failures."""

    def __init__(self, goal, mentioned, **policy):
        self.goal, self.mind, self.mentioned, self.policy = goal, goal.mind, mentioned, policy
        self.now, self.entries = 0, {}
        self.has_plan = self.had_plan = self.is_in_doubt = False
        self.read, self.searched = frozenset(), {}

    def tick(self):
        """Another tick of the goal begins."""
        self.now += 1
        for cause, entry in self.entries.items():
            has_changed = self.has_changed(cause, entry)
            end = max(entry.woken + ceil(self.length(entry.count) / 8), self.now)
            if has_changed and entry.until > end:
                entry.until = entry.woken = end

    def has_changed(self, cause, entry):
        """Whether something has changed since the last failure on which it depends."""
        changed = {fluent for fluent, _ in self.mind.changes[entry.heard :]}
        entry.heard = len(self.mind.changes)
        return any(
            fluent in entry.read or (cause is None and self.can_tell(fluent)) for fluent in changed
        )

    def can_tell(self, fluent):
        """Whether another search could find another plan, as the last one has read the fluent."""
        if fluent not in self.searched:
            return False
        before, now = self.searched[fluent], self.mind.get(fluent)
        return self.mentioned is None or self.mentioned.differ(fluent, before, now)

    # What fails.

    def length(self, count):
        """How long something is left alone after so many failures."""
        after = self.policy["after"]
        if after is None or count < after:
            return 0
        return min(self.policy["backoff"] << (count - after), self.policy["longest"])

    def part_failed(self, cause, name, read):
        """A step, or a method, is why a plan has failed."""
        self.read |= read
        entry = self.count(cause, read)
        if entry.until > self.now:
            told = entry.count, entry.until - self.now, tuple(sorted(map(str, read)))
            self.goal.tell("task avoided", name, *told)

    def failed(self, searched):
        """An attempt has ended without success; ``searched`` is what its last search has read."""
        self.had_plan, self.searched = self.has_plan, searched
        entry = self.count(None, self.read)
        if entry.until > self.now:
            read = tuple(sorted(map(str, self.read | searched.keys())))
            self.goal.tell("goal waits", entry.count, self.end_of_wait() - self.now, read)

    def count(self, cause, read):
        entry = self.entries.pop(cause, Entry())
        if self.now - max(entry.since, entry.until) > self.policy["longest"]:
            entry = Entry()
        self.entries[cause] = entry
        entry.count, entry.since = entry.count + 1, self.now
        entry.until = self.now + self.length(entry.count)
        entry.read, entry.heard = read, len(self.mind.changes)
        return entry

    # What is left alone.

    def avoided(self):
        """What plans must not use now."""
        return {
            cause: "it has failed"
            for cause, entry in self.entries.items()
            if cause is not None and entry.until > self.now
        }

    def waits(self):
        """Whether the goal may not begin in this tick."""
        return None in self.entries and self.end_of_wait() > self.now

    def end_of_wait(self):
        goal = self.entries[None]
        ends = [entry.until for entry in self.entries.values() if entry.until > goal.since]
        return min([goal.until, *ends])

    def allowed(self):
        """The goal has waited long enough."""
        if None in self.entries:
            self.entries[None].until = min(self.entries[None].until, self.now)

    # What succeeds.

    def begin(self):
        """The goal begins another attempt."""
        self.allowed()
        self.read, self.has_plan = frozenset(), False

    def found(self):
        """There is a plan; attempts without one are forgotten."""
        self.has_plan = True
        if not self.had_plan:
            self.succeeded()

    def succeeded(self):
        self.entries.pop(None, None)

    def step_succeeded(self, cause):
        self.entries.pop(cause, None)
