"""Makes the trees and characters of resolved arguments; their files are executed for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bthtn.errors import BthtnError, InputError
from bthtn.studio.testing.domain_files import module_at, unusable
from bthtn.studio.testing.locate import Target, current_folder_importable

if TYPE_CHECKING:  # only characters need these, and domains none of py_trees
    from bthtn.behaviours import Character
    from bthtn.studio.testing.invariants import Invariants


def loaded_once(found: Target) -> Target:
    """The same tree, whose module has been executed and is not executed again for each character.

    A module that defines a character, and no function that makes one, still is. Raises BthtnError.
    """
    made = found.load()
    return replace(found, load=lambda: made) if callable(made) else found


def root_of(found: Target) -> Any:
    """Load the behaviour tree that a tree's module defines. Raises BthtnError."""
    from py_trees.behaviour import Behaviour  # noqa: PLC0415 - not for domains

    made = made_by(found, 0)
    root = getattr(made, "root", made)
    _check_class(root, Behaviour, "a behaviour tree", found)
    return root


def character_of(found: Target, seed: int, *running: Any) -> Character:
    """Load a tree's module and make its character, in the world of a running one if it is given.

    Raises BthtnError.
    """
    from bthtn.behaviours import Character  # noqa: PLC0415 - not for domains

    made: Character = made_by(found, seed, *running)
    _check_class(made, Character, "a character", found)
    return made


def invariants_of(found: Target) -> Callable[[Character], Invariants]:
    """The function that makes the invariants of a tree, with those of its module.

    Raises BthtnError.
    """
    from bthtn.studio.testing.invariants import Invariants  # noqa: PLC0415 - loads py_trees

    own = None
    if found.code is not None and found.code.is_file():
        with current_folder_importable():
            own = getattr(module_at(found.code), "invariants", None)
    if own is not None and not callable(own):
        message = f"'invariants' of '{found.name}' is {type(own).__name__}, not a function"
        hint = "write def invariants(character: Character) -> Iterator[str]"
        raise InputError("BT408", message, str(found.code), hint)
    return Invariants if own is None else partial(Invariants, own=own)


def made_by(found: Target, seed: int, *running: Any) -> Any:
    """The tree or character that a tree's module defines.

    A function is called with the seed, and with the running character if one is given.
    """
    from py_trees.behaviour import Behaviour  # noqa: PLC0415 - not for domains

    made = found.load()
    if running:
        _check_reloadable(made, found)
    try:
        is_function = callable(made) and not isinstance(made, Behaviour)
        return made(seed, *running) if is_function else made
    except BthtnError:
        raise
    except Exception as error:
        raise unusable(found.code or Path(found.name), error) from error


def _check_reloadable(made: Any, found: Target) -> None:
    """Raise InputError unless a tree's module makes its character again in a running world."""
    try:
        signature(made).bind(0, None)
    except (TypeError, ValueError):
        message = f"'{found.name}' cannot be reloaded: nothing makes it again in its running world"
        hint = "write def character(seed: int, running: Character | None = None) -> Character"
        raise InputError("BT432", message, str(found.file or ""), hint) from None


def _check_class(made: object, kind: type, wanted: str, found: Target) -> None:
    if not isinstance(made, kind):
        message = f"'{found.name}' is {type(made).__name__}, not {wanted}"
        raise InputError("BT408", message, hint="write def character(seed: int) -> Character")
