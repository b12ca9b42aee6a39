"""The text of a file in HDDL or PDDL, and the errors that name a place in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from bthtn.errors import InputError, nearest
from bthtn.kit.formats.document import text_of
from bthtn.records import record

MALFORMED: Final = "BT440"
UNSUPPORTED: Final = "BT441"
UNKNOWN_NAME: Final = "BT442"
NEW_LINE: Final = "\n"


@record(eq=False)
class Source:
    """A file and its text. A place in it is the index of a character."""

    path: Path
    text: str

    @classmethod
    def of(cls, path: Path) -> Source:
        """The file at a path. Raises InputError when it cannot be read."""
        return cls(path, text_of(path))

    def where(self, at: int) -> str:
        """A place as ``file:line:column``."""
        line = self.text.count("\n", 0, at) + 1
        return f"{self.path}:{line}:{at - self.text.rfind(NEW_LINE, 0, at)}"

    def spelled(self, word: str, at: int) -> str:
        """A word as it is written at this place: in ``forms`` all letters are small."""
        return self.text[at : at + len(word)]

    def malformed(self, at: int, message: str, hint: str = "") -> InputError:
        """The error of a text that does not follow the grammar."""
        return InputError(MALFORMED, message, self.where(at), hint)

    def unsupported(
        self, at: int, message: str, known: Iterable[str] = (), word: str = ""
    ) -> InputError:
        """The error of something that is not read, with the nearest word that is."""
        return InputError(UNSUPPORTED, message, self.where(at), nearest(word, known))

    def unknown(
        self, at: int, message: str, word: str = "", known: Iterable[str] = ()
    ) -> InputError:
        """The error of a name that means nothing here, with the nearest one that does."""
        return InputError(UNKNOWN_NAME, message, self.where(at), nearest(word, known))

    def unfitting(self, at: int, message: str, hint: str) -> InputError:
        """The error of a name that does not fit where it stands."""
        return InputError(UNKNOWN_NAME, message, self.where(at), hint)
