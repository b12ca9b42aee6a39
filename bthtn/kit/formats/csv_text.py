"""The text of CSV, in the encodings in which spreadsheet programs write it.

A byte order mark says that it is UTF-8 or UTF-16. Any other encoding than UTF-8 has to be said in
the first line, in a cell that the program keeps:

    encoding=cp1252
    Name;Gewicht
    Stoß;50
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import Final
from unicodedata import category

from bthtn.engine.text.values import shortened
from bthtn.errors import InputError, nearest
from bthtn.kit.formats.document import bytes_of_text, decoded_before, place_after

ENCODINGS: Final = ("cp1252", "cp932", "cp1250", "cp1251", "cp936", "cp949", "cp950")
"""Those of Windows: of Western Europe and Japan, Central Europe, Cyrillic, China, Korea, Taiwan."""
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FIRST_LINES: Final = re.compile(
    r"\A[\r\n]*(?:sep=.[\r\n]+)?(?:encoding=(?P<encoding>[^\s,;]*)[,;\t ]*(?=[\r\n]|\Z))?",
    re.IGNORECASE,
)
"""Lines above the headings. By the first one some programs tell each other what separates cells."""
_BREAK: Final = re.compile(r"\r\n?|\n")
_LONGEST: Final = 1_000
"""Bytes in which the first lines are looked for."""
_SAVE: Final = 'save it as "CSV UTF-8"'
_NO_LETTERS: Final = ("Cc", "Co")


def csv_text(path: Path) -> str:
    """The text of a file, with empty lines for what stands above its headings.

    Raises InputError when it cannot be read, or its encoding is neither marked nor said.
    """
    read = bytes_of_text(path)
    marked = [(mark, name) for mark, name in _MARKS if read.startswith(mark)]
    mark, encoding = marked[0] if marked else (b"", _said(read, path) or "utf-8")
    try:
        text = read.removeprefix(mark).decode(encoding)
    except UnicodeDecodeError as error:
        name = encoding.upper().removesuffix("-LE").removesuffix("-BE")
        place = place_after(decoded_before(error), path)
        hint = _hint(read, error.start)
        raise InputError("BT404", f"not a text in {name}", place, hint) from None
    before, zero, _ = text.partition("\0")
    if zero:
        message, place = "a zero byte, as in UTF-16 without its mark", place_after(before, path)
        raise InputError("BT404", message, place, _SAVE)
    return _FIRST_LINES.sub(lambda found: "\n" * len(_BREAK.findall(found[0])), text, count=1)


def _said(read: bytes, path: Path) -> str:
    """The encoding in the first line, empty if there is none. Raises InputError."""
    found = _FIRST_LINES.match(read[:_LONGEST].decode("ascii", "replace"))
    said = found["encoding"] if found else None
    if said is None:
        return ""
    if said.casefold() not in ("utf-8", *ENCODINGS):
        hint = nearest(said.casefold(), ("utf-8", *ENCODINGS))
        raise InputError("BT404", f"there is no encoding '{said}'", f"{path}:1", hint)
    return said.casefold()


def _hint(read: bytes, place: int) -> str:
    """What to do about a text that is not in the expected encoding: what it could be."""
    start = max(read.rfind(end, 0, place) for end in (b"\n", b"\r", *b' \t,;"')) + 1
    word = re.match(rb'[^\s,;"]*', read[start:])
    readings: dict[str, str] = {}
    for encoding in ENCODINGS:
        try:
            text = read.decode(encoding)
            shown = shortened(word[0].decode(encoding)) if word else ""
        except UnicodeDecodeError:
            continue
        if not any(category(letter) in _NO_LETTERS for letter in set(text) - set("\r\n\t")):
            readings.setdefault(shown, encoding)
    if not readings:
        return _SAVE
    said = " or ".join(f"encoding={encoding} ('{shown}')" for shown, encoding in readings.items())
    return f"{_SAVE}, or write into the first line what it is: {said}"
