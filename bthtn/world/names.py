"""Names: which strings can be names, and how other strings are shown in one line.

Names appear in plans, reports, files and on command lines, so they must fit in one line of text.
Values are data and may be any strings.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from bthtn.errors import Diagnostic

_UNFIT: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Categories of Unicode: control characters, lone surrogates, line and paragraph separators."""


def _is_unfit(letter: str) -> bool:
    return unicodedata.category(letter) in _UNFIT


def in_one_line(text: str) -> str:
    r"""The text with an escape such as ``\n`` for line breaks and other control characters."""
    if text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape").decode() if _is_unfit(letter) else letter for letter in text
    )


def name_faults(owner: str, name: str, where: str = "") -> Iterator[Diagnostic]:
    """Diagnostics for a string that cannot be the name of ``owner``, such as ``a task``."""
    if not name:
        yield Diagnostic("BT125", f"the name of {owner} is empty", where, "give it a name")
    elif not name.isprintable() and any(map(_is_unfit, name)):
        hint = "a name has no line breaks and no other control characters"
        yield Diagnostic("BT125", f"{owner} cannot be called {name!r}", where, hint)
