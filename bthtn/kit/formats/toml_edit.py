"""Changes values in a text of TOML; its comments and layout stay."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

from bthtn.kit.formats.document import lines_of

_STRINGS: Final = r""""(?:[^"\\\n]|\\.)*"|'[^'\n]*\'"""
_LONG: Final = r'"{3}.*?"{3}|\'{3}.*?\'{3}'
_LINE: Final = re.compile(
    rf"(?P<head>\s*(?:[\w.\s-]|{_STRINGS})+=\s*)(?P<value>(?:{_STRINGS}|[^\"'#])*?)(?P<rest>\s*(?:#.*)?)"
)
_TOKEN: Final = re.compile(rf"{_LONG}|{_STRINGS}|#[^\n]*", re.DOTALL)

Keys = tuple[str, ...]
"""The keys of a value as ``lines_of`` has them."""


def edited(text: str, values: Mapping[Keys, str | None]) -> tuple[str, list[Keys]]:
    """The text with other values, written in TOML, and the keys whose values it does not change.

    A value of None removes its line. Only a value that lies in the line of its key can be changed,
    and a string of a list of strings.
    """
    places = lines_of(text)
    lines: list[str | None] = [*text.split("\n")]
    table = tomllib.loads(text)
    left, in_lists = list[Keys](), dict[Keys, dict[int, str]]()
    for keys, value in values.items():
        *above, last = keys
        listed = _at(table, above)
        number = places.get(keys)
        found = None if number is None else _whole(lines[number - 1] or "")
        if number is not None and found is not None:
            lines[number - 1] = None if value is None else f"{found['head']}{value}{found['rest']}"
        elif value is not None and _is_of_strings(listed) and tuple(above) in places:
            in_lists.setdefault(tuple(above), {})[int(last)] = value
        else:
            left.append(keys)
    for keys, of_list in in_lists.items():
        first = places[keys] - 1
        rest = "\n".join(line for line in lines[first:] if line is not None)
        lines[first:] = _with_strings(rest, of_list).split("\n")
    return "\n".join(line for line in lines if line is not None), left


def _whole(line: str) -> re.Match[str] | None:
    """The parts of a line that has a key with all of its value."""
    found = _LINE.fullmatch(line)
    try:
        return found if found and tomllib.loads(f"x = {found['value']}") else None
    except tomllib.TOMLDecodeError:
        return None


def _at(value: Any, keys: list[str]) -> Any:
    for key in keys:
        match value:
            case dict():
                value = value.get(key)
            case list():
                value = value[int(key)]
            case _:
                return None
    return value


def _is_of_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _with_strings(text: str, values: Mapping[int, str]) -> str:
    """The text, which begins with a list of strings, with others at these places of the list."""
    number = -1

    def replaced(token: re.Match[str]) -> str:
        nonlocal number
        if token[0].startswith("#"):
            return token[0]
        number += 1
        return values.get(number, token[0])

    return _TOKEN.sub(replaced, text)
