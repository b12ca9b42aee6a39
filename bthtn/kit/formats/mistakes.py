"""The mistakes of files that need each other, all at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from bthtn.errors import BthtnError, Diagnostic, ExecutionError, InputError, Severity
from bthtn.kit.formats.sheet import read_part

_QUOTED: Final = re.compile(r"'([^']*)'")
_NO_FLUENT: Final = re.compile(r".* has no fluent '[^']*'")


class Mistakes:
    """Collects the mistakes of files, of which each is read as far as the others allow.

    ``unsure`` are the names of what could not be read. A mistake about one of them probably only
    follows from that, and is left out until the first one is fixed. ``declared`` has the places
    of fluents: where one is missing at several places, its declaration may be what is misspelt.
    """

    def __init__(self) -> None:
        self.unsure: set[str] = set()
        self.declared: dict[str, str] = {}
        self._found: dict[Diagnostic, None] = {}
        self._errors: list[BthtnError] = []

    def __bool__(self) -> bool:
        return any(fault.severity is Severity.ERROR for fault in self._found)

    @property
    def found(self) -> list[Diagnostic]:
        """The mistakes; those about one missing fluent are one."""
        by_fluent: dict[object, list[Diagnostic]] = {}
        for fault in self._found:
            missing = _NO_FLUENT.fullmatch(fault.message)
            by_fluent.setdefault(fault.message if missing else fault, []).append(fault)
        return [self._joined(faults) for faults in by_fluent.values()]

    @property
    def is_input(self) -> bool:
        """Whether a file is not usable, so that nothing can be said of what it describes."""
        return any(isinstance(error, InputError) for error in self._errors)

    def read(self, function: Callable[..., Any], *args: Any, default: Any = None) -> Any:
        """The result of a function; the default if it raises a BthtnError, which is noted."""
        try:
            return function(*args)
        except BthtnError as error:
            self.add(error)
            return default

    def rows(self, function: Callable[..., Mapping[str, Any]], *args: Any) -> Mapping[str, Any]:
        """The rows of a sheet that could be read."""
        try:
            return function(*args)
        except BthtnError as error:
            self.add(error)
            rows, unread = read_part(error)
            self.unsure |= unread
            return rows

    def add(self, error: BthtnError) -> None:
        """Note the diagnostics of an error."""
        count = len(self._found)
        self.note(error.diagnostics)
        if len(self._found) > count:
            self._errors.append(error)

    def note(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Note diagnostics, except those that only follow from others."""
        self._found |= {fault: None for fault in diagnostics if not self._follows(fault)}

    def raise_all(self) -> None:
        """Raise one error with everything, if there are mistakes."""
        if self:
            kinds = (InputError, ExecutionError, type(self._errors[0]))
            has = (kind for kind in kinds if any(isinstance(error, kind) for error in self._errors))
            raise next(has).of(self.found)

    def _joined(self, faults: list[Diagnostic]) -> Diagnostic:
        """The first of some mistakes about one fluent, with the number of the others."""
        first, *others = sorted(faults, key=lambda fault: fault.order)
        if not others:
            return first
        more = f"and at {len(others)} more {'places' if others[1:] else 'place'}"
        near = next((name for name in _QUOTED.findall(first.hint) if name in self.declared), None)
        slip = f" that is at {self.declared[near]}" if near is not None else ""
        return replace(first, where=f"{first.where}, {more}", hint=f"{first.hint}{slip}")

    def _follows(self, fault: Diagnostic) -> bool:
        quoted = _QUOTED.findall(fault.message)
        words = {*quoted, *re.findall(r"\w+", " ".join(quoted))}
        return any(f"_{word}".endswith(f"_{name}") for word in words for name in self.unsure)
