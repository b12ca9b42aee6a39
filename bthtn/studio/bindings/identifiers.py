"""Identifiers: the names of a character as other languages can write them.

Any string is cut into words of ASCII letters and digits, and each language joins them in its own
form. What is no such letter becomes one if it is one with an accent, else the number of its
character; two names that become the same are numbered in their order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

NAMELESS: Final = "nameless"
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z\d]+")


def words(name: str) -> list[str]:
    """The words of a name: ``open gate`` for ``open_gate``, ``openGate`` and ``Open-Gate``."""
    plain = unicodedata.normalize("NFKD", name)
    spelled = "".join(
        letter if letter.isascii() else f" u{ord(letter):x} " if letter.isalnum() else ""
        for letter in plain
    )
    return [word.lower() for word in _WORD.findall(spelled)] or [NAMELESS]


def snake(name: str) -> str:
    return _begun("_".join(words(name)))


def constant(name: str) -> str:
    return snake(name).upper()


def pascal(name: str) -> str:
    return _begun("".join(word.capitalize() for word in words(name)))


def camel(name: str) -> str:
    first, *others = words(name)
    return _begun(first + "".join(word.capitalize() for word in others))


def _begun(identifier: str) -> str:
    """The identifier, which begins with no digit."""
    return f"_{identifier}" if identifier[0].isdigit() else identifier


class Scope:
    """The identifiers of one place, in which no two are the same and none is taken already.

    What is taken is given as words, any number of them in a text.
    """

    def __init__(self, form: Callable[[str], str], *taken: str) -> None:
        self._form = form
        self._taken = frozenset(" ".join(taken).split())
        self._given: set[str] = set()

    def add(self, name: str) -> str:
        """The identifier of one more name: with ``_`` behind a word that has another meaning."""
        plain = self._form(name)
        plain = f"{plain}_" if plain in self._taken else plain
        identifier, number = plain, 1
        while identifier in self._given:
            number += 1
            identifier = f"{plain}{number}"
        self._given.add(identifier)
        return identifier
