"""Project: the modules of a folder, beside those of the same names from another folder."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from types import ModuleType

from bthtn.errors import InputError
from bthtn.kit.formats.document import unreadable
from bthtn.kit.formats.modules import library_prefixes, put_back

_EXAMPLES = "bthtn.examples"


class Project:
    """A folder in which trees and domains lie, with the modules that were imported from there.

    Two projects may have modules of the same names, such as an older and a newer version. One of
    them is open at a time in a process.
    """

    _one_at_a_time = Lock()

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._modules: dict[str, ModuleType] = {}

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Inside, it is as if the program had been started in the folder.

        Its ``domains`` and ``trees`` stand before those that ``bthtn.examples`` ships. Raises
        InputError where there is no such folder, as on the machine of a worker.
        """
        with self._one_at_a_time:
            here, others = os.getcwd(), _modules_of_projects()
            try:
                os.chdir(self.folder)
            except OSError as error:
                raise unreadable(Path(self.folder), error) from None
            try:
                _replace(others, self._modules)
                sys.path.insert(0, self.folder)
                if not self._modules:
                    self._overlay_examples()
                yield
            finally:
                with suppress(ValueError):  # a module took it away itself
                    sys.path.remove(self.folder)
                os.chdir(here)
                self._modules = _modules_of_projects()
                _replace(self._modules, others)

    def _overlay_examples(self) -> None:
        importlib.invalidate_caches()
        for kind in ("domains", "trees"):
            package = importlib.import_module(f"{_EXAMPLES}.{kind}")
            for file in Path(self.folder, kind).glob("*/*.py"):
                shipped = os.path.join(package.__path__[0], file.parent.name)
                if os.path.isdir(shipped) and not file.with_name("__init__.py").is_file():
                    message = f"{file.parent} would not be imported: it has no __init__.py"
                    raise InputError("BT401", message, hint="copy the whole folder")
            package.__path__.insert(0, os.path.join(self.folder, kind))

    def digest(self) -> str:
        """A digest of the files that its modules come from, and of all others beside them."""
        modules = (Path(_place(module)) for module in self._modules.values())
        folders = {file.parent if file.is_file() else file for file in modules}
        files = {file for folder in folders for file in folder.glob("*.*") if file.is_file()}
        found = sha256()
        for file in sorted(files):
            found.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
        return found.hexdigest()


@cache
def project_in(folder: str) -> Project:
    """The project in a folder, one for each process."""
    return Project(folder)


def _modules_of_projects() -> dict[str, ModuleType]:
    """The imported modules that belong to no library."""
    return {
        name: module for name, module in list(sys.modules.items()) if _is_of_project(name, module)
    }


def _is_of_project(name: str, module: ModuleType) -> bool:
    if name.startswith(f"{_EXAMPLES}."):
        return True
    place = _place(module)
    return bool(place) and name != "__main__" and not _is_of_library(place)


def _place(module: ModuleType) -> str:
    """The file of a module, or the first folder of a package without one."""
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) else next(iter(getattr(module, "__path__", ())), "")


@cache
def _is_of_library(place: str) -> bool:
    return os.path.realpath(place).startswith(library_prefixes())


def _replace(older: dict[str, ModuleType], newer: dict[str, ModuleType]) -> None:
    """Take modules off the list of imported ones, and put others on it."""
    for name in older:
        del sys.modules[name]
    put_back(newer)
