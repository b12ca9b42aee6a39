"""Execution of generated source; no other module of the package runs source text.

Names, strings and docstrings of a domain must never get into it, since they would be executed.
So a text with quotes or comments is refused.
"""

from __future__ import annotations

import re
from functools import lru_cache
from types import CodeType
from typing import Any, Final

_WRITABLE: Final = re.compile(r"[A-Za-z0-9_ \n()\[\]{}:=<>!+\-*/%^.,]*")


def executed(text: str, names: dict[str, Any]) -> dict[str, Any]:
    """Execute the source with these names, add what it defines to them, and return them.

    Raises ValueError for a text with quotes, comments or characters outside of a small set.
    """
    exec(code_of(text), names)  # noqa: S102 - the source is our own
    return names


@lru_cache(maxsize=256)
def code_of(text: str) -> CodeType:
    """Return the code of a text. Tasks that are alike have the same text, as names are numbered."""
    _check(text)
    return compile(text, "<bthtn>", "exec")


def _check(text: str) -> None:
    if not _WRITABLE.fullmatch(text):
        raise ValueError("generated source holds neither quotes nor comments nor other alphabets")
