"""Notes: the source of functions that make the entries of plans; records consist of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bthtn.planning.htn.expressions import Names
from bthtn.planning.htn.fastpath.items import Entry
from bthtn.planning.htn.fastpath.lines import tuple_source
from bthtn.planning.htn.fastpath.record_entries import is_action


class Notes:
    """The functions that one source records; those that are alike have one name.

    Beside each that makes actions stands a function which adds them alone to a list.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._functions: dict[str, str] = {}
        self._acting: dict[str, list[str]] = {}

    def item(self, entries: Sequence[Entry], names: Sequence[str]) -> str:
        """Source of the item that records these plan entries, given the values of ``names``."""
        function = self._function(entries, names)
        return tuple_source([function, *names]) if names else f"{function}_item"

    def _function(self, entries: Sequence[Entry], names: Sequence[str]) -> str:
        """Name of the function that makes the entries."""
        called = {name: f"a{n}" for n, name in enumerate(names)}
        made = tuple_source([self._tuple(one, called) for one in entries])
        line = f"({', '.join(called.values())}): return {made}"
        if line not in self._functions:
            self._functions[line] = self._names.new("e")
            called = {name: f"item[{n}]" for n, name in enumerate(names, 1)}
            acting = [self._tuple(one, called) for one in entries if is_action(one[0])]
            if acting:
                self._acting[self._functions[line]] = acting
        return self._functions[line]

    def lines(self) -> Iterator[str]:
        """The source of all of them."""
        acting = dict.fromkeys(self._functions.values(), "None")
        for line, name in self._functions.items():
            yield f"def {name}{line}"
            if line.startswith("()"):
                yield f"{name}_item = ({name},)"
            if name in self._acting:
                acting[name] = f"{name}_acting"
                added = [f"    made.append({one})" for one in self._acting[name]]
                yield "\n".join([f"def {acting[name]}(item, made):", *added])
        pairs = [f"{name}: {function}" for name, function in acting.items()]
        yield f"acting.update({{{', '.join(pairs)}}})"

    def _tuple(self, entry: Entry, called: Mapping[str, str]) -> str:
        """Source of an entry in which variables are ``called`` otherwise."""
        what, given = entry
        args = [called.get(one, one) for one in given]
        return f"({self._names.of(what)}, {tuple_source(args) if args else '()'})"
