"""Notes: the source of the functions that make the entries of plans; records have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bthtn.planning.htn.expressions import Names
from bthtn.planning.htn.fastpath.items import Entry
from bthtn.planning.htn.fastpath.lines import tuple_source
from bthtn.planning.htn.fastpath.record_entries import is_action


class Notes:
    """The notes that one source records; equal ones have one name."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._notes: dict[str, str] = {}
        self._acting: dict[str, list[str]] = {}

    def item(self, entries: Sequence[Entry], names: Sequence[str]) -> str:
        """Source of the item that records these plan entries, given the values of ``names``."""
        note = self._note(entries, names)
        return tuple_source([note, *names]) if names else f"{note}_item"

    def _note(self, entries: Sequence[Entry], names: Sequence[str]) -> str:
        """Name of the note that makes the entries."""
        called = {name: f"a{n}" for n, name in enumerate(names)}
        made = tuple_source([self._tuple(entry, called) for entry in entries])
        line = f"lambda {', '.join(called.values())}: {made}"
        if line not in self._notes:
            self._notes[line] = self._names.new("e")
            called = {name: f"item[{n}]" for n, name in enumerate(names, 1)}
            acting = [self._tuple(entry, called) for entry in entries if is_action(entry[0])]
            if acting:
                self._acting[self._notes[line]] = acting
        return self._notes[line]

    def lines(self) -> Iterator[str]:
        """The source of all of them."""
        for line, name in self._notes.items():
            act = "None"
            if name in self._acting:
                act = f"{name}_act"
                added = [f"    made.append({entry})" for entry in self._acting[name]]
                yield "\n".join([f"def {act}(item, made):", *added])
            yield f"{name} = Note({line}, {act})"
            if line.startswith("lambda :"):
                yield f"{name}_item = ({name},)"

    def _tuple(self, entry: Entry, called: Mapping[str, str]) -> str:
        """Source of an entry in which variables are ``called`` otherwise."""
        what, given = entry
        args = [called.get(name, name) for name in given]
        return f"({self._names.of(what)}, {tuple_source(args) if args else '()'})"
