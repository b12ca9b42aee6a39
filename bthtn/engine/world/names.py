"""Names: which strings can be names, and how other strings are shown in one line.

Names appear in plans, reports, files and on command lines, so they must fit in one line of text.
Values are data and may be any strings.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from bthtn.errors import Diagnostic

_UNFIT: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Categories of Unicode: control characters, lone surrogates, line and paragraph separators."""

_INSIDE_A_WORD: Final = r"""(?<=[^\s\[(,])["']"""
_QUOTED: Final = r""""(?:[^"\\]|\\.)*+"|'[^']*+'"""
BRACKETS: Final = rf"""\[(?:{_INSIDE_A_WORD}|{_QUOTED}|\[[^\]]*+\]|[^\]\["'])*+\]"""
"""The pattern of an index in its brackets: what is in quotes neither ends nor divides it."""
_IN_AN_INDEX: Final = re.compile(rf"{_INSIDE_A_WORD}|{_QUOTED}|.", re.DOTALL)
_DOUBLE, _SINGLE = r"\u201c-\u201f", r"\u2018-\u201b"
_NEEDS_QUOTES: Final = re.compile(rf"""[\[\]"'{_DOUBLE}{_SINGLE}]|^\s|\s$|^$""")
_DIVIDES: Final = re.compile(r"[,()]")
_TYPOGRAPHIC: Final = re.compile(
    rf"[{_DOUBLE}]|(?:^|(?<=[\s\[(,]))[{_SINGLE}]|[{_SINGLE}](?=[\s\]),]|$)"
)


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


def is_plain(text: str, *, is_part: bool) -> bool:
    """Whether an index, or a part of one, is read as it stands and needs no quotes."""
    if is_part and _DIVIDES.search(text):
        return False
    return text.isprintable() and _NEEDS_QUOTES.search(text) is None


def quoted(text: str) -> str:
    r"""The text in quotes as JSON has them, in one line: ``"a, b"``, ``"\u000a"``."""
    inside = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = (f"\\u{ord(letter):04x}" if _is_unfit(letter) else letter for letter in inside)
    return f'"{"".join(escaped)}"'


def unquoted(text: str) -> str | None:
    """The text inside of the quotes, None where it has none. Raises ValueError if one is open."""
    if not text.startswith(("'", '"')):
        return None
    if not re.fullmatch(_QUOTED, text, re.DOTALL):
        raise ValueError(text)
    inside: str = text[1:-1] if text[0] == "'" else json.loads(text, strict=False)
    return inside


def comma_separated(text: str) -> list[str]:
    """The parts between the commas that stand neither in quotes nor in brackets."""
    parts, depth = [""], 0
    for piece in _IN_AN_INDEX.findall(text):
        depth += (piece in "([") - (piece in ")]")
        if piece == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return [part.strip() for part in parts]


def typographic_quote(text: str) -> str:
    """The first quote such as “ that stands where quotes do outside of straight quotes, or ""."""
    found = _TYPOGRAPHIC.search(re.sub(rf"{_INSIDE_A_WORD}|{_QUOTED}", "x", text, flags=re.DOTALL))
    return found[0] if found else ""
