"""Names of a file as names in Python."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from keyword import iskeyword

_OTHER = re.compile(r"\W", re.ASCII)


def python_name(text: str, taken: Collection[str] = ()) -> str:
    """A name in Python that is like the text, and none of those that are taken."""
    name = _OTHER.sub("_", text.removeprefix("?"))
    if not name or name[0].isdigit() or name[0] == "_":
        name = f"x{name}"
    name += "_" * iskeyword(name)
    plain, number = name, 2
    while name in taken:
        name, number = f"{plain}_{number}", number + 1
    return name


def python_names(texts: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """A name in Python for each of the texts, all of them different."""
    named: dict[str, str] = {}
    used = set(taken)
    for text in texts:
        named[text] = python_name(text, used)
        used.add(named[text])
    return named
