"""A working state with its trail behaves like a stack of copied dicts."""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bthtn.engine.world.footprint import Write, WriteKind
from bthtn.engine.world.trail import WorkingState
from bthtn.engine.world.truth import UNKNOWN
from bthtn.studio.testing.playground import World
from bthtn.studio.testing.strategies import states

NUMBERS = [World.count, World.ammo]
TRUTHS = [World.open, World.seen, World.at["a"]]
FLUENTS = NUMBERS + TRUTHS

numbers = st.sampled_from([0, 1, 2, UNKNOWN])
truths = st.sampled_from([True, False, UNKNOWN])
writes = st.one_of(
    st.tuples(st.integers(0, 1).map(NUMBERS.__getitem__), numbers),
    st.tuples(st.integers(0, 2).map(TRUTHS.__getitem__), truths),
)


class CopiedDicts(RuleBasedStateMachine):
    """The twin: a save point is a copy of everything written so far."""

    @initialize(base=states())
    def begin(self, base):
        self.base = base
        self.state = WorkingState(base)
        self.written = {}
        self.saved = []

    def value(self, fluent):
        if fluent in self.written:
            return self.written[fluent]
        hidden = fluent.volatile and not self.state.foreseeable
        return UNKNOWN if hidden else self.base.get(fluent)

    @rule(write=writes)
    def put(self, write):
        fluent, value = write
        self.state.put(fluent, value)
        self.written[fluent] = value

    @rule(write=writes, kind=st.sampled_from([WriteKind.CONSTANT, WriteKind.COMPUTED]))
    def apply(self, write, kind):
        fluent, value = write
        self.state.apply(fluent, Write(kind, value))
        self.written[fluent] = value

    @rule(fluent=st.integers(0, 1).map(NUMBERS.__getitem__), amount=st.integers(-2, 2))
    def increase(self, fluent, amount):
        before = self.value(fluent)
        self.state.apply(fluent, Write(WriteKind.INCREASE, amount))
        self.written[fluent] = UNKNOWN if before is UNKNOWN else before + amount

    @rule(foreseeable=st.booleans())
    def look_ahead(self, foreseeable):
        self.state.foreseeable = foreseeable

    @rule()
    def mark(self):
        self.saved.append((self.state.mark(), dict(self.written)))

    @precondition(lambda self: self.saved)
    @rule(data=st.data())
    def undo(self, data):
        """Going back to a save point forgets those behind it, and may be done again."""
        place = data.draw(st.integers(0, len(self.saved) - 1))
        del self.saved[place + 1 :]
        mark, written = self.saved[place]
        self.state.undo(mark)
        self.written = dict(written)

    @invariant()
    def every_fluent_has_the_value_written_last(self):
        for fluent in FLUENTS:
            assert self.state.get(fluent) == self.value(fluent)

    @invariant()
    def a_snapshot_holds_everything_written(self):
        assert self.state.freeze() == self.base.changed(self.written)


TestWorkingState = CopiedDicts.TestCase
