"""Beliefs: the state that one agent acts on, every write with its source.

A search starts from a snapshot, and beliefs change many times in a tick, so a snapshot must not
copy the state: it is made of the one before and the writes since. Any thread may ask for one, but
only one thread writes, and writes take no lock. A write therefore goes into the writes since the
latest snapshot a second time if a snapshot was made meanwhile: it may be counted twice, never be
lost.

A plan must not be woken by its own effects. So each change has a source, and a watch leaves out
those of its own, which are told apart by identity: two goals may have one name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

from bthtn.engine.world.diff import Change
from bthtn.engine.world.expression import Expression
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.state import FrozenState, State, snapshot
from bthtn.engine.world.succession import Carried, carried
from bthtn.engine.world.truth import Unknown

S = TypeVar("S", bound=State)
V = TypeVar("V")

_made: Final = tuple.__new__
"""Makes a Change in half the time that calling the class takes."""

SENSOR: Final = "sensor"
"""The source of a write that names none, outside of operators."""

_NO_BELIEF: Final = object()

_NOTHING: Final[frozenset[Fluent[Any]]] = frozenset()
"""Shared by all watches on nothing: each empty set takes 216 bytes."""


_NO_CHANGES: Final[Mapping[Fluent[Any], Change]] = MappingProxyType({})

_Place = Fluent[Any] | None
"""The place of a watch: a fluent, or None for all of them."""
_ON_ALL: Final[frozenset[_Place]] = frozenset({None})


class WriterName(str):
    """The name of a writer. Writers differ by identity: several may have the same name."""

    __slots__ = ()


class Beliefs(Unpicklable, Generic[S]):
    """The state that an agent believes in; its sensors and finished tasks write to it.

    Writing the value that a fluent has already is no change; one NaN is like another. ``version``
    counts changes. Each change is passed to ``on_change`` and to the watches on its fluent; a
    change without either costs little more than the write into a dictionary.
    """

    def __init__(self, state: S, on_change: Callable[[Change], None] | None = None) -> None:
        self._state_class = type(state)
        self._schema = self._state_class.__schema__
        self._known: set[Fluent[Any]] | None = None
        """Fluents that were written, and are those of the State class."""
        self._frozen = (0, _to_be_changed(state))
        self._values = dict(self._frozen[1].items())
        self._since: dict[Fluent[Any], Any] = {}
        """The writes since the latest snapshot."""
        self._lock = Lock()
        """Held while a snapshot is made: several threads may ask for one, but only one writes."""
        self.version = 0
        self._watched: dict[_Place, tuple[Watch, ...]] = {}
        self.writer: Callable[[Fluent[Any]], str] | None = None
        """The source of writes that name none; set while an operator runs."""
        self.before_change: Callable[[], None] | None = None
        """Called before every change; an exception prevents the change."""
        self.on_change = on_change

    @property
    def on_change(self) -> Callable[[Change], None] | None:
        return self._on_change

    @on_change.setter
    def on_change(self, on_change: Callable[[Change], None] | None) -> None:
        self._on_change = on_change
        self._is_heard = on_change is not None or None in self._watched

    @property
    def now(self) -> S:
        """The beliefs as a snapshot of the user's own State class."""
        return self._state_class.over(self.frozen())

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent, or UNKNOWN."""
        variable: Any = fluent  # it is a fluent; to say so with a cast would take time
        value: V | Unknown = self._values.get(variable, variable.default)
        return value

    def frozen(self) -> FrozenState:
        """A snapshot for a search to start from; the same object until something changes.

        May be called in any thread, as ``now`` and ``get``.
        """
        version, state = self._frozen
        if version != self.version:
            with self._lock:
                _, latest = self._frozen
                # First the version: whatever is written from now on counts as later, even if it
                # still comes into this snapshot.
                version, since, self._since = self.version, self._since, {}
                state = latest.changed(since.copy()) if since else latest
                self._frozen = (version, state)
        return state

    def write(self, fluent: Expression[V], value: V | Unknown, source: str | None = None) -> None:
        """Set the believed value of a fluent; ``source`` names the writer in the change.

        Without one it is the step whose operator is running, else "sensor". Raises StateError for
        a value of a wrong type, and for a fluent of another State class.
        """
        variable: Any = fluent
        try:
            kind = variable.plain_type
        except AttributeError:  # anything else than a fluent
            kind = self._schema.fluent(variable)
        if type(value) is not kind:
            variable.check_write(value)
        values = self._values
        before = values.get(variable, _NO_BELIEF)
        if before is _NO_BELIEF:
            before = self._default(variable)
        if before == value or (before != before and value != value):  # noqa: PLR0124 - NaN
            return
        if self.before_change is not None:
            self.before_change()
        since = self._since
        values[variable] = since[variable] = value
        while since is not self._since:  # a snapshot is made by now, perhaps without this write
            since = self._since
            since[variable] = value
        self.version += 1
        if variable in self._watched or self._is_heard:
            if source is None:
                source = SENSOR if self.writer is None else self.writer(variable)
            self._publish(_made(Change, (variable, before, value, source)), variable, source)

    def _default(self, variable: Fluent[Any]) -> Any:
        """The value of a fluent without a belief. Raises StateError for a foreign one."""
        known = self._known
        if known is None:
            known = self._known = set()
        if variable not in known:
            known.add(self._schema.fluent(variable))
        return variable.default

    def succeed(self, state: S) -> Carried:
        """Take over a newer version of the State class; values are carried by name and type.

        ``state`` has the values of new fluents. Watches hear of no changes.
        """
        found = carried(self._values, self._schema, state)
        self.replace(type(state).over(found.values))
        return found

    def replace(self, state: S) -> None:
        """Believe in another state, perhaps of another State class. Watches hear of no changes."""
        with self._lock:
            self._state_class = type(state)
            self._schema = self._state_class.__schema__
            self._known = None
            self.version += 1
            self._frozen = (self.version, _to_be_changed(state))
            self._values = dict(self._frozen[1].items())
            self._since = {}

    def check(self, fluent: Expression[V], value: V | Unknown) -> None:
        """Raise StateError if ``write`` would."""
        variable: Any = fluent
        is_known = variable in self._values or variable in (self._known or ())
        if is_known and type(value) is variable.plain_type:
            return  # as it is nearly always: it was written before
        self._schema.fluent(fluent).check_write(value)

    def _publish(self, change: Change, fluent: Fluent[Any], source: str) -> None:
        for place in (fluent, None):
            for watch in self._watched.get(place, ()):
                watch.note(fluent, source, change)
        if self._on_change is not None:
            self._on_change(change)

    def watch(self, *, own: str = "") -> Watch:
        """A new watch without fluents, which ignores changes from the source ``own``."""
        return Watch(self, own)

    def place(self, watch: Watch, places: Iterable[_Place]) -> None:
        """Called by a watch: pass changes of these fluents, or of all, to it, too."""
        for place in places:
            watches = self._watched.get(place, ())
            if watch not in watches:  # as it is after an interrupt
                self._watched[place] = (*watches, watch)
            if place is None:
                self._is_heard = True

    def remove(self, watch: Watch, places: Iterable[_Place]) -> None:
        """Called by a watch: pass changes of these fluents to it no longer."""
        for place in places:
            watches = self._watched.get(place, ())
            if watches == (watch,):
                del self._watched[place]
                if place is None:
                    self._is_heard = self._on_change is not None
            elif watch in watches:
                self._watched[place] = tuple(other for other in watches if other is not watch)

    @property
    def watched(self) -> int:
        """Number of watched fluents summed over all watches; a watch on everything counts one."""
        return sum(map(len, self._watched.values()))


def _to_be_changed(state: State) -> FrozenState:
    """The snapshot that a state shows, from which the next ones are made."""
    frozen = snapshot(state)
    frozen.lay_on_pages()
    return frozen


class Watch(Unpicklable):
    """Collects the changes of some fluents that come from sources other than its ``own``.

    Sources are compared by identity.

    Beliefs keep a reference to their watches, so a watch has to be closed when it is no longer
    needed. Writing a fluent without watches costs one extra look into a dictionary.
    """

    __slots__ = ("_beliefs", "_own", "changes", "fluents")

    def __init__(self, beliefs: Beliefs[Any], own: str) -> None:
        self._beliefs = beliefs
        self._own = own
        self.changes = _NO_CHANGES
        """The latest change of each fluent that changed, in the order of the first ones."""
        self.fluents: frozenset[Fluent[Any]] | None = _NOTHING
        """The watched fluents; None for all of them."""

    def over(self, fluents: Iterable[Fluent[Any]] | None) -> None:
        """Watch exactly these fluents, all fluents for None; collected changes are kept."""
        wanted, now = None if fluents is None else frozenset(fluents) or _NOTHING, self.fluents
        if wanted != now:
            old = _ON_ALL if now is None else now
            new = _ON_ALL if wanted is None else wanted
            # An interrupt leaves it with too many places rather than with too few.
            if added := new - old:
                self._beliefs.place(self, added)
            self.fluents = wanted
            if dropped := old - new:
                self._beliefs.remove(self, dropped)

    def also(self, fluents: Iterable[Fluent[Any]]) -> None:
        if self.fluents is not None:
            new = set(fluents) - self.fluents
            self._beliefs.place(self, new)
            self.fluents |= new

    def note(self, fluent: Fluent[Any], source: str, change: Change) -> None:
        """Called by the beliefs when a watched fluent changes."""
        if source is not self._own:
            noted: Any = self.changes or {}
            noted[fluent] = change
            self.changes = noted

    def forget(self) -> None:
        """Discard the changes collected so far."""
        self.changes = _NO_CHANGES

    def close(self) -> None:
        """Watch nothing any more."""
        self.over(())
        self.changes = _NO_CHANGES
