"""Reads text files and TOML, and reports where they are wrong."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from errno import EFBIG, EINVAL
from pathlib import Path
from typing import Any, Final

from bthtn.errors import BthtnError, Diagnostic, InputError, nearest

MOST_BYTES: Final = 64_000_000
"""Of a text: whatever is larger was written by no hand, and by no program that is meant here."""
_KINDS: Final[Mapping[type, str]] = {
    dict: "a table",
    str: "a text",
    list: "a list",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
_EXAMPLES: Final[Mapping[type, str]] = {
    dict: "{ … }",
    str: '"…"',
    list: "[…]",
    int: "4",
    float: "0.5",
    bool: "true",
}
_SPREADSHEETS: Final = (b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0")
"""How the files of spreadsheets begin that were renamed: ``.xlsx`` and ``.ods``, and ``.xls``."""
_KEY: Final = re.compile(r"""((?:[\w.\s-]++|"(?:[^"\\]|\\.)*+"|'[^']*+')++)=""")
_LONG_TEXT: Final = re.compile(r"(\"{3}|'{3}).*?\1", re.DOTALL)


class TomlFile:
    """A file in TOML, and the faults that its reader found, each with its line.

    Raises InputError when it cannot be read. One that need not be there is empty if it is not.
    """

    def __init__(self, path: Path, *, is_needed: bool = True) -> None:
        self.path = path
        text = text_of(path) if is_needed or path.exists() else ""
        self.tables = tables_in(text, path)
        self.lines = lines_of(text)
        self.faults: list[Diagnostic] = []

    def where(self, *keys: str) -> str:
        return f"{self.path}:{line_of(self.lines, *keys)}"

    def add(self, message: str, hint: str, *keys: str) -> None:
        self.faults.append(Diagnostic("BT405", message, self.where(*keys), hint))

    @contextmanager
    def at(self, *keys: str) -> Iterator[None]:
        """Note the diagnostics of an error raised inside as faults of this key."""
        try:
            yield
        except BthtnError as error:
            self.faults += error.within(self.where(*keys))

    def usable(
        self, table: Mapping[str, Any], kinds: Mapping[str, type], unknown: str, *keys: str
    ) -> dict[str, Any]:
        """The entries with known keys and values of the right kinds; notes the others."""
        found = {}
        for key, value in table.items():
            kind = kinds.get(key)
            if kind is None:
                self.add(unknown.format(key), nearest(key, kinds), *keys, key)
            elif type(value) is not kind and (type(value), kind) != (int, float):
                hint = f"write {key} = {_EXAMPLES[kind]}, not {value!r}"
                self.add(f"'{key}' is {_KINDS[kind]}", hint, *keys, key)
            else:
                found[key] = value
        return found


def text_of(path: Path) -> str:
    """The text of a file, without a byte order mark. Raises InputError when it cannot be read."""
    read = bytes_of_text(path)
    try:
        return read.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = place_after(decoded_before(error), path)
        raise InputError("BT404", "not a text in UTF-8", place, "save it in UTF-8") from None


def bytes_of_text(path: Path) -> bytes:
    """What ``bytes_of`` returns. Raises InputError, also for a spreadsheet under another name."""
    read = bytes_of(path)
    if read.startswith(_SPREADSHEETS):
        hint = "name it .xlsx if it is one, or save the sheet as CSV"
        raise InputError("BT404", "a spreadsheet or an archive, and no text", str(path), hint)
    return read


def bytes_of(path: Path) -> bytes:
    """The content of a file. Raises InputError when it cannot be read, or is too large."""
    try:
        if path.exists() and not path.is_file():  # a device or a pipe might never end
            raise unreadable(path, OSError(EINVAL, "it is no file"))
        with path.open("rb") as file:
            read = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise unreadable(path, error) from None
    if len(read) > MOST_BYTES:
        raise unreadable(path, OSError(EFBIG, f"it is larger than {MOST_BYTES:,} bytes"))
    return read


def decoded_before(error: UnicodeDecodeError) -> str:
    """The text before what could not be decoded."""
    return error.object[: error.start].decode(error.encoding)


def place_after(text: str, path: Path) -> str:
    """The line and column in a file behind this beginning of it."""
    lines = re.split(r"\r\n?|\n", text)
    return f"{path}:{len(lines)}:{len(lines[-1]) + 1}"


def unreadable(path: Path, error: OSError) -> InputError:
    """The error of a file that cannot be read, with the nearest name where there is no such one."""
    hint = "is the path right, and may it be read?"
    if not os.path.exists(path) and os.path.isdir(path.parent):  # of names that are too long, too
        siblings = sorted(file.name for file in path.parent.glob("*"))
        for near in get_close_matches(path.name, siblings, n=1):
            hint = f"did you mean '{path.with_name(near)}'?"
    return InputError("BT404", f"cannot read {path}: {error.strerror or error}", hint=hint)


def tables_in(text: str, path: Path) -> dict[str, Any]:
    """The tables of a text in TOML; ``path`` is for messages. Raises InputError with the place."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError
        place = re.search(r" \(at line (\d+), column (\d+)\)", str(error))
        where = f"{path}:{place[1]}:{place[2]}" if place else str(path)
        message = f"not TOML: {str(error).replace(place[0], '') if place else error}"
        is_twice = "Cannot " in message  # overwrite, declare twice
        hint = (
            "is the name there already?" if is_twice else "is a quote, a bracket or a '=' missing?"
        )
        raise InputError("BT405", message, where, hint) from None


def lines_of(text: str) -> dict[tuple[str, ...], int]:
    """The line of every table and key that begins a line, as tomllib reports no positions.

    The n-th table of an array, ``[[row]]``, has the keys ``("row", "n")``, counted from 0.
    """
    text = _LONG_TEXT.sub(lambda found: "\n" * found[0].count("\n"), text)
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        header = line.lstrip().startswith("[")
        key = _KEY.match(line.lstrip())
        try:
            found: Any = tomllib.loads(line if header else f"{key[1]} = 0" if key else "")
        except tomllib.TOMLDecodeError:  # a line inside a multi-line value
            continue
        keys: list[str] = []
        while isinstance(found, dict) and found:
            ((name, found),) = found.items()
            keys.append(name)
        if header and isinstance(found, list):
            counts[keys[0]] = counts.get(keys[0], -1) + 1
        if header and keys[0] in counts:
            keys.insert(1, str(counts[keys[0]]))
        path = tuple(keys) if header else (*table, *keys)
        table = path if header else table
        for length in range(1, len(path) + 1):
            lines.setdefault(path[:length], number)
    return lines


def line_of(lines: dict[tuple[str, ...], int], *keys: str) -> int:
    """The line of a key, or of the closest enclosing table that has a line of its own."""
    while keys and keys not in lines:
        keys = keys[:-1]
    return lines.get(keys, 1)
