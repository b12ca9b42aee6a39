"""Brackets and words: the shape that HDDL and PDDL have in common with Lisp.

    form ::= ( part … )        part ::= form | word

Words are read in small letters, since their case has no meaning; comments go from ``;`` to the end
of the line.
"""

from __future__ import annotations

import re
from typing import Final

from bthtn.kit.formats.hddl.source import Source

DEEPEST: Final = 100
_SECTION: Final = 2
"""So many brackets are open in a section, which alone begins with a keyword; those that are open in
one that stands deeper are too many."""
LONGEST: Final = 200
"""So many letters has a word at most, as messages show it."""
_PIECE: Final = re.compile(r"[()]|;[^\n]*|\??[^\s();?]+|\?")
_UNFIT: Final = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
)


class Form:
    """The parts between two brackets. ``at`` is its place, ``places`` has those of the parts."""

    __slots__ = ("at", "parts", "places")

    def __init__(self, at: int) -> None:
        self.at = at
        self.parts: list[Form | str] = []
        self.places: list[int] = []


def form_of(source: Source) -> Form:
    """The one form that a file consists of. Raises InputError with the place of a fault."""
    unfit = _UNFIT.search(source.text)
    if unfit is not None:
        hint = "is it a text, and saved in UTF-8?"
        raise source.malformed(unfit.start(), f"the character {unfit[0]!r} means nothing", hint)
    whole = Form(0)
    form, outer = whole, list[Form]()
    unclosed: Form | None = None
    for found in _PIECE.finditer(_in_small_letters(source.text)):
        piece = found[0]
        if piece == "(":
            inner = Form(found.start())
            form.parts.append(inner)
            form.places.append(inner.at)
            outer.append(form)
            form = inner
            if len(outer) > DEEPEST:
                raise source.malformed(inner.at, f"nested deeper than {DEEPEST}")
        elif piece == ")":
            if not outer:
                raise source.malformed(found.start(), "this bracket closes none", "remove it")
            form = outer.pop()
        elif piece[0] != ";":
            if len(piece) > LONGEST:
                message = f"a word has more than {LONGEST} letters"
                raise source.malformed(found.start(), message, "is it a domain or a problem?")
            if piece[0] == ":" and not form.parts and len(outer) > _SECTION:
                unclosed = unclosed or outer[-1]
            form.parts.append(piece)
            form.places.append(found.start())
    if outer:
        at = (unclosed or form).at
        raise source.malformed(at, "this bracket is never closed", "write a ) at its end")
    first, *others = whole.parts or [""]
    if not isinstance(first, Form):
        raise source.malformed(
            whole.places[0] if first else 0,
            "a file begins with a bracket",
            "write (define (domain …",
        )
    if others:
        raise source.malformed(
            whole.places[1], "the file goes on behind its last bracket", "remove it"
        )
    return first


def _in_small_letters(text: str) -> str:
    """The text with A to Z in small letters; no other letter, so that all places stay the same."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
