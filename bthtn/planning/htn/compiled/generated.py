"""Generated source, and the only place in the package where source text is run.

Names, strings and docstrings of a domain never stand in it: they would be run with it. So a text
in which anything could be quoted or commented out is refused.

What is run stands in ``linecache`` under a name of its own, so that a traceback through a
generated function shows its line.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Mapping
from itertools import count
from types import CodeType
from typing import Any, Final

_NUMBERS: Final = count(1)
_WRITABLE: Final = re.compile(r"[A-Za-z0-9_ \n()\[\]:=<>!+\-*/%.,]*")


def executable(text: str) -> CodeType:
    """A generated source, compiled under a name of its own. Raises ValueError as ``evaluated``."""
    _check(text)
    file = f"<bthtn {next(_NUMBERS)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return compile(text, file, "exec")


def executed(code: CodeType, names: Mapping[str, Any]) -> dict[str, Any]:
    """What a generated source defines, where it can mention these names."""
    made = dict(names)
    exec(code, made)  # noqa: S102 - the source is our own
    return made


def evaluated(source: str, names: Mapping[str, Any]) -> Any:
    """The value of a generated expression that mentions nothing but these names.

    Raises ValueError for a source that has anything quoted in it, and what the expression raises.
    """
    _check(source)
    return eval(source, {"__builtins__": {}}, names)  # noqa: S307 - the source is our own


def _check(text: str) -> None:
    if not _WRITABLE.fullmatch(text):
        raise ValueError("generated source holds neither quotes nor comments nor other alphabets")
