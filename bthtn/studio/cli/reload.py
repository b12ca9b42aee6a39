"""``bthtn run --reload``: files that are edited while a tree runs are taken over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bthtn.behaviours import Character
from bthtn.errors import InputError
from bthtn.kit.formats.modules import folders_of_modules, reimported
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.locate import Target, TargetKind, folders, resolve

PACE: Final = 100
"""Milliseconds between two ticks, for somebody to watch."""


class Reloading:
    """Makes the character of a tree again, from its files and those of its domains.

    These are the modules in the folder of the tree, and in named domains and trees that were
    imported; all other files in their folders are watched as well.
    """

    def __init__(self, text: str, target: Target, seed: int) -> None:
        self._text = text
        self._seed = seed
        self._own = [] if target.file is None else [target.file.parent.resolve()]
        self._named = [folder.resolve() for kind in TargetKind for folder in folders(kind)]

    def make(self, running: Character) -> Character:
        """The character of the files as they are now, in the world of a running one.

        Raises BthtnError, with the modules of before in their places.
        """
        with reimported(*self._own, *self._named):
            target = resolve(self._text, TargetKind.TREE)
            return character_of(target, self._seed, running)

    def edits(self) -> Iterator[bool]:
        """Whether a file was edited since the last item; waits for the next tick.

        Raises InputError if the extra for it is not installed.
        """
        try:
            from watchfiles import watch  # noqa: PLC0415 - an extra, for this option alone
        except ImportError:
            message = "--reload needs the package watchfiles, which is not installed"
            hint = 'install it with the extra: pip install "bthtn[reload]"'
            raise InputError("BT433", message, hint=hint) from None
        found = folders_of_modules(*self._own, *self._named).difference(self._named)
        watched = sorted(found.union(self._own))
        changes = watch(
            *watched,
            step=20,
            rust_timeout=PACE,
            yield_on_timeout=True,
            recursive=Path.cwd().resolve() not in watched,  # which may have a whole environment
        )
        return map(bool, changes)
