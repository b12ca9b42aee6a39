"""The mistakes of files that need each other, all at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from bthtn.errors import BthtnError, Diagnostic, ExecutionError, InputError, Severity
from bthtn.kit.formats.sheet import read_part

_QUOTED: Final = re.compile(r"'([^']*)'")


class Mistakes:
    """Collects the mistakes of files, of which each is read as far as the others allow.

    ``unsure`` are the names of what could not be read. A mistake about one of them probably only
    follows from that, and is left out until the first one is fixed.
    """

    def __init__(self) -> None:
        self.unsure: set[str] = set()
        self._found: dict[Diagnostic, None] = {}
        self._errors: list[BthtnError] = []

    def __bool__(self) -> bool:
        return any(fault.severity is Severity.ERROR for fault in self._found)

    @property
    def found(self) -> list[Diagnostic]:
        return list(self._found)

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
            raise next(has).of(self._found)

    def _follows(self, fault: Diagnostic) -> bool:
        quoted = _QUOTED.findall(fault.message)
        words = {*quoted, *re.findall(r"\w+", " ".join(quoted))}
        return any(f"_{word}".endswith(f"_{name}") for word in words for name in self.unsure)
