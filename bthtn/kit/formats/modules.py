"""Python modules whose files were edited, imported once more while the program runs."""

from __future__ import annotations

import builtins
import importlib
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import EnumType
from functools import cache
from pathlib import Path
from sysconfig import get_path
from types import ModuleType
from typing import Any, Final

from bthtn.engine.world.state import State
from bthtn.engine.world.succession import keep_fluents

_LIBRARIES: Final = ("stdlib", "purelib", "platlib")
"""The names of the folders where libraries are installed."""


@contextmanager
def reimported(*folders: Path | str) -> Iterator[None]:
    """Inside, modules below these folders are imported anew, and their files are read again.

    Unchanged classes stay the same objects, so that objects from before fit to them: an
    Enum with the same members is the Enum of before, with the methods that it had, and a State
    class has the same fluents as far as they are declared alike. If an exception leaves it, the
    modules of before are put back.
    """
    older = dict(_below(folders))
    make_class = builtins.__build_class__

    def kept(*args: Any, **keywords: Any) -> Any:
        made = make_class(*args, **keywords)
        module = older.get(getattr(made, "__module__", ""))
        return made if module is None else _kept(made, getattr(module, made.__qualname__, None))

    # Only classes of the modules above are changed, whichever thread makes classes meanwhile.
    builtins.__build_class__ = kept
    try:
        for name, module in older.items():
            del sys.modules[name]
            # An edit of the same length within a second would not be seen behind the cache.
            with suppress(OSError):
                os.remove(getattr(module, "__cached__", None) or "")
        importlib.invalidate_caches()
        yield
    except BaseException:
        put_back(older)
        raise
    finally:
        builtins.__build_class__ = make_class


def folders_of_modules(*roots: Path | str) -> set[Path]:
    """The folders below these roots from which modules have been imported."""
    files = (str(module.__file__) for _, module in _below(roots))
    folders = {Path(os.path.realpath(file)).parent for file in files}
    return {folder for folder in folders if folder.is_dir()}


def _below(folders: Iterable[Path | str]) -> Iterator[tuple[str, ModuleType]]:
    """The imported modules whose files lie below one of these folders, with their names.

    Libraries that are installed below such a folder are left out.
    """
    roots = tuple(map(_as_prefix, folders))
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str):
            continue
        real = _real(file)
        if real.startswith(roots):
            inside = [folder for folder in (*roots, *library_prefixes()) if real.startswith(folder)]
            if max(inside, key=len) in roots:
                yield name, module


@cache
def _real(file: str) -> str:
    """Where a module's file lay when that was first asked: there are thousands of modules."""
    return os.path.realpath(file)


@cache
def library_prefixes() -> tuple[str, ...]:
    """The beginnings of the paths of all files of bthtn and of installed libraries."""
    package = str(Path(__file__).parents[2])
    paths = (package, *map(get_path, _LIBRARIES))
    return tuple(map(_as_prefix, paths))


def _as_prefix(folder: Path | str) -> str:
    """The beginning of the paths of all files below a folder."""
    return os.path.join(os.path.realpath(folder), "")


def put_back(older: dict[str, ModuleType]) -> None:
    """Make these the modules of their names again, also for their packages."""
    sys.modules.update(older)
    for name, module in older.items():
        package, _, last = name.rpartition(".")
        if package in sys.modules:
            setattr(sys.modules[package], last, module)


def _kept(made: Any, before: Any) -> Any:
    """The Enum of before if it has the same members; a State class with the fluents of before."""
    match made, before:
        case EnumType(), EnumType() if _members(made) == _members(before):
            return before
        case type(), type() if issubclass(made, State) and issubclass(before, State):
            keep_fluents(made, before)
    return made


def _members(kind: EnumType) -> tuple[Any, ...]:
    named: dict[str, Any] = dict(kind.__members__)
    return kind.__mro__[1:], [(name, member.value) for name, member in named.items()]
