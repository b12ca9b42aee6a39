"""BthtnError and its children: every one carries a code, a place and a hint.

One class per reaction a caller can have, one code per cause. Each code is explained
on a page of its own, ``docs/errors/BTnnn.md``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from difflib import get_close_matches
from enum import Enum
from typing import Any, Final, Self

from bthtn.records import record


class Severity(Enum):
    """How much a diagnostic matters: an error stops the build, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


@record
class Diagnostic:
    """One finding: the fault, its place, and how to fix it."""

    code: str
    message: str
    where: str = ""
    hint: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        """The finding as people read it, at most three lines."""
        lines = [f"[{self.code}] {self.message}"]
        if self.where:
            lines.append(f"  where: {self.where}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def within(self, place: str) -> Diagnostic:
        """The finding at a place, in which its own place lies."""
        return replace(self, where=", ".join(filter(None, (place, self.where))))

    @property
    def order(self) -> tuple[bool, list[tuple[str, int, str]], str, str]:
        """Sort key: errors first, then by place (line 6 before line 26), code and text."""
        words = re.findall(r"(\D*)(\d*)", self.where)
        place = [(text, len(number), number) for text, number in words]
        return (self.severity is not Severity.ERROR, place, self.code, self.message)


class BthtnError(Exception):
    """A mistake that the user can fix; its diagnostics, errors first, say how."""

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, code: str, message: str, where: str = "", hint: str = "") -> None:
        self._set([Diagnostic(code, message, where, hint)])

    @classmethod
    def of(cls, diagnostics: Diagnostic | Iterable[Diagnostic]) -> Self:
        """The error for findings that are there already: one, or several."""
        error = cls.__new__(cls)
        error._set([diagnostics] if isinstance(diagnostics, Diagnostic) else diagnostics)
        return error

    @classmethod
    def raise_for(cls, diagnostics: Iterable[Diagnostic]) -> None:
        """Raise this error if there are findings."""
        if found := list(diagnostics):
            raise cls.of(found)

    @classmethod
    def require(
        cls, word: str, known: Collection[str], code: str, message: str, where: str = ""
    ) -> None:
        """Raise this error, with the nearest known word, unless the word is known."""
        if word not in known:
            raise cls(code, message, where, nearest(word, known))

    def _set(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(sorted(diagnostics, key=lambda diagnostic: diagnostic.order))
        assert self.diagnostics, "an error needs at least one diagnostic"
        self.args = ("\n".join(map(str, self.diagnostics)),)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self).of, (self.diagnostics,))

    @property
    def code(self) -> str:
        """Code of the first diagnostic."""
        return self.diagnostics[0].code

    def placed(self, where: str) -> Self:
        """This error; diagnostics without a place now have this one."""
        self._set([replace(fault, where=fault.where or where) for fault in self.diagnostics])
        return self

    def within(self, place: str) -> list[Diagnostic]:
        """The diagnostics at a place, in which their own places lie."""
        return [fault.within(place) for fault in self.diagnostics]


class DomainError(BthtnError):
    """The domain is not well made: fix it and build again."""


class StateError(BthtnError):
    """A state was given a fluent or a value that its schema does not have."""


class SymbolError(DomainError, TypeError):
    """A symbol, such as a fluent of a State class or a parameter, was used as a plain value."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__("BT107", message, hint=hint or SYMBOL_HINT)


class ArgumentError(DomainError, TypeError):
    """A function or class was called with arguments that it does not take."""


SYMBOL_HINT: Final = (
    "a symbol has no value yet: use it in a function of the state, lambda state: ..."
)


class PlanningError(BthtnError):
    """A user's function raised while a search was calling it; the search is over."""


class ExecutionError(BthtnError):
    """A plan cannot be run as it stands: an operator or a tree is not usable."""


class InputError(BthtnError):
    """A file, a name or an argument from outside is not usable."""


def exception_text(error: BaseException) -> str:
    """The class and message of an exception, which may be a user's that cannot be printed."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - its __str__ is the user's code, too
        text = "(its message cannot be printed)"
    return f"{type(error).__name__}: {text}"


def unwritable(place: object, error: OSError) -> InputError:
    """The error of a file, or other place, that cannot be written."""
    message = f"cannot write {place}: {error.strerror or error}"
    return InputError("BT404", message, hint="is there such a folder, and room in it?")


_LISTED: Final = 8


def nearest(word: str, known: Iterable[str]) -> str:
    """Hint that names the known word nearest to ``word``, or lists a few when none is near."""
    words = sorted(set(known))
    close = get_close_matches(word, words, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    folded = {known_word.casefold(): known_word for known_word in words}
    if word.casefold() in folded:
        return f"did you mean '{folded[word.casefold()]}'?"
    if not words:
        return ""
    return f"there is: {', '.join(words[:_LISTED])}" + (", …" if words[_LISTED:] else "")
