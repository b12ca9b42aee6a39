"""Notes: the source of functions that make the entries of plans; records consist of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bthtn.planning.htn.expressions import Names
from bthtn.planning.htn.fastpath.items import Entry
from bthtn.planning.htn.fastpath.lines import tuple_source
from bthtn.planning.htn.fastpath.record_entries import is_action


class Notes:
    """The functions that one source records; those that are alike have one name.

    Beside each stands what makes its actions of a recorded item, without the other entries.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._functions: dict[str, str] = {}
        self._actions: dict[str, str] = {}

    def function(self, entries: Sequence[Entry], names: Sequence[str]) -> str:
        """Name of the function that makes these plan entries from the values of ``names``."""
        called = {name: f"a{n}" for n, name in enumerate(names)}
        line = f"({', '.join(called.values())}): return {self._tuples(entries, called)}"
        if line not in self._functions:
            self._functions[line] = self._names.new("e")
            acting = [one for one in entries if is_action(one[0])]
            if acting:
                made = self._tuples(acting, {name: f"r[{n}]" for n, name in enumerate(names, 1)})
                self._actions[self._functions[line]] = f"lambda r: {made}" if names else made
        return self._functions[line]

    def lines(self) -> Iterator[str]:
        """The source of all of them."""
        for line, name in self._functions.items():
            yield f"def {name}{line}"
        acting = [f"{name}: {made}" for name, made in self._actions.items()]
        yield f"actions.update({{{', '.join(acting)}}})"

    def _tuples(self, entries: Sequence[Entry], called: Mapping[str, str]) -> str:
        """Source of the tuple of these entries, in which variables are ``called`` otherwise."""
        args = [tuple_source([called.get(one, one) for one in given]) for _, given in entries]
        made = [f"({self._names.of(what)}, {args[n]})" for n, (what, _) in enumerate(entries)]
        return tuple_source(made)
