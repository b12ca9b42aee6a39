"""Python files that define domains: they are executed, as modules of their own."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final
from zlib import crc32

from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.errors import BthtnError, InputError, exception_text
from bthtn.kit.formats.document import text_of

DOMAIN: Final = (Domain, FrozenDomain)


def domain_at(path: Path, name: str = "") -> FrozenDomain:
    """The domain that a Python file defines: its only one, or the one called ``name``.

    Raises InputError if there is no such domain, and DomainError if it is invalid.
    """
    domains = list({id(domain): domain for domain in domains_in(path).values()}.values())
    if len(domains) > 1:
        domains = [domain for domain in domains if domain.name == name] or domains
    if len(domains) != 1:
        names = ", ".join(sorted(domain.name for domain in domains)) or "none"
        hint = f'write Domain("{name or path.stem}", …) at the top level of the file'
        raise InputError("BT408", f"{path} should define one domain; there is {names}", hint=hint)
    return frozen(domains[0])


def name_of(domain: Path) -> str:
    """The name of the main domain of a file that defines several."""
    return domain.parent.name if domain.name == "domain.py" else domain.stem


def domain_called(
    name: str, known: Mapping[str, Domain[Any] | FrozenDomain], missing: str
) -> FrozenDomain:
    """The domain of this name among those that are known.

    Raises InputError with the message ``missing`` and the nearest name if there is none, and
    DomainError if the domain is invalid.
    """
    InputError.require(name, known, "BT408", missing)
    return frozen(known[name])


def domains_in(path: Path) -> dict[str, Domain[Any] | FrozenDomain]:
    """The domains at the top level of a Python file, by their names there. Raises InputError."""
    return {
        name: value for name, value in vars(module_at(path)).items() if isinstance(value, DOMAIN)
    }


def module_at(path: Path) -> ModuleType:
    """Execute a Python file as a new module with a unique name. Raises InputError.

    Its folder is its package, so ``from .other import …`` works.
    """
    real = os.path.realpath(path)
    package = f"_bthtn_{crc32(os.fsencode(real)):08x}"
    text_of(path)  # raises where the file cannot be read
    for name in [name for name in sys.modules if name.startswith(package)]:
        del sys.modules[name]
    folder = sys.modules[package] = ModuleType(package)
    folder.__path__ = [os.path.dirname(real)]
    name = f"{package}.{path.stem.replace('.', '_')}"
    loader = _SourceLoader(name, str(path))
    module = sys.modules[name] = module_from_spec(ModuleSpec(name, loader, origin=str(path)))
    module.__file__ = str(path)
    try:
        loader.exec_module(module)
    except (BthtnError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise unusable(path, error) from error
    return module


class _SourceLoader(SourceFileLoader):
    """Loads a Python file and ignores cached bytecode."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - protocol
        return self.source_to_code(self.get_data(self.path), self.path)


def unusable(path: Path, error: BaseException, raised: str = "") -> InputError:
    """An exception that a Python file raised as an error with its line; ``raised`` says when.

    It is the line of a module that the file imports if that could not be executed.
    """
    frames = traceback.extract_tb(error.__traceback__)
    file, line = str(path), None
    for frame in frames:
        if frame.filename == str(path) or frame.name == "<module>":
            file, line = frame.filename, frame.lineno
    message = exception_text(error)
    if isinstance(error, SyntaxError):  # whose text has the place, too
        message = f"{type(error).__name__}: {error.msg}"
        file, line = error.filename or file, error.lineno
    hint = ""
    if isinstance(error, ModuleNotFoundError):
        hint = "is it installed where bthtn is?"
        if error.name and Path(file).with_name(f"{error.name}.py").is_file():
            hint = f"it is beside this file: write from .{error.name} import …"
    file = os.path.relpath(file) if file.startswith(os.path.join(os.getcwd(), "")) else file
    return InputError("BT402", raised + message, f"{file}:{line}" if line else file, hint)
