"""Finding what a person means by DOMAIN or TREE.

    combat                    a name under ./domains or ./trees, then in those that come with bthtn
    troll:roaring             a variant: another domain in the file of a domain that has a name
    path/to/folder, file.py   a folder with a domain.py or tree.py, or the file itself
    package.module:attribute  an object in a module that can be imported

What is found is loaded when it is asked for. It may import from the folder that the command is
called in, as in ``from domains.combat.domain import …``.
"""

from __future__ import annotations

import ast
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

from bthtn import examples
from bthtn.domain.builder import frozen
from bthtn.domain.domain import FrozenDomain
from bthtn.errors import BthtnError, Diagnostic, InputError, nearest
from bthtn.formats.document import text_of
from bthtn.testing.cases import DOMAIN, domain_at, module_at, unusable, variant_at


class Kind(Enum):
    """What can be found."""

    DOMAIN = "domain"
    TREE = "tree"

    @property
    def folder(self) -> str:
        """The folder in which things of this kind lie."""
        return f"{self.value}s"

    @property
    def file(self) -> str:
        """The file in each thing's own folder."""
        return f"{self.value}.py"


@dataclass(frozen=True, slots=True)
class Found:
    """Something that was found; ``load`` runs the code that defines it."""

    kind: Kind
    name: str
    file: Path | None
    load: Callable[[], Any]


def all_of(kind: Kind) -> list[Found]:
    """Everything of a kind that has a name, sorted; what lies nearer hides what lies farther."""
    found: dict[str, Found] = {}
    for folder in _folders(kind):
        for file in folder.glob(f"*/{kind.file}"):
            found.setdefault(file.parent.name, _in_file(kind, file))
    return [found[name] for name in sorted(found)]


def located(text: str, *kinds: Kind) -> Found:
    """What the text means, of one of these kinds. Raises InputError with the nearest name."""
    named = [one for kind in kinds for one in all_of(kind)]
    same = [one for one in named if one.name == text]
    if len(same) > 1:
        hint = f"write {' or '.join(shown(one.file.parent) for one in same if one.file)}"
        raise InputError(Diagnostic("BT401", f"'{text}' is a domain and a tree", hint=hint))
    if same:
        return same[0]
    path = Path(text)
    if os.path.exists(text) or path.suffix == ".py":
        return _at_path(path, kinds)
    module, colon, attribute = text.partition(":")
    if colon and module:
        for one in named:
            if one.kind is Kind.DOMAIN and one.name == module and one.file is not None:
                return _variant(one.file, text, attribute)
        return _in_module(module, attribute, kinds)
    wanted = " or ".join(kind.value for kind in kinds)
    other = [one.name for kind in Kind if kind not in kinds for one in all_of(kind)]
    hint = nearest(text, [one.name for one in named])
    if text in other:
        hint = f"'{text}' is a {'tree' if kinds == (Kind.DOMAIN,) else 'domain'}; {hint}"
    raise InputError(Diagnostic("BT401", f"there is no {wanted} '{text}'", hint=hint))


def domain_of(text: str) -> FrozenDomain:
    """The domain that the text means. Raises BthtnError."""
    domain: FrozenDomain = located(text, Kind.DOMAIN).load()
    return domain


def summary(file: Path) -> str:
    """First line of a module's docstring, read without running the module."""
    try:
        return (ast.get_docstring(ast.parse(file.read_bytes())) or "").partition("\n")[0]
    except (OSError, SyntaxError, ValueError):
        return ""


def shown(path: Path) -> str:
    """A path as people see it: relative where that is shorter."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def root_of(found: Found) -> Any:
    """The behaviour tree that a tree's module offers. Raises BthtnError."""
    from py_trees.behaviour import Behaviour  # noqa: PLC0415 - not for domains

    made = found.load()
    try:
        made = made(0) if callable(made) and not isinstance(made, Behaviour) else made
    except BthtnError:
        raise
    except Exception as error:
        raise InputError(unusable(found.file or Path(found.name), error)) from error
    root = getattr(made, "root", made)
    if not isinstance(root, Behaviour):
        message = f"'{found.name}' is {type(root).__name__}, not a behaviour tree"
        hint = "write def character(seed: int) -> Character"
        raise InputError(Diagnostic("BT408", message, hint=hint))
    return root


def _folders(kind: Kind) -> Iterator[Path]:
    yield Path(kind.folder)
    yield from (Path(folder) / kind.folder for folder in examples.__path__)


def _in_file(kind: Kind, file: Path) -> Found:
    name = file.resolve().parent.name if file.name == kind.file else file.stem

    def load() -> Any:
        with _importing_from_here():
            if kind is Kind.DOMAIN:
                return domain_at(file, name)
            return _attribute(module_at(file), "character", str(file))

    return Found(kind, name, file, load)


def _variant(file: Path, text: str, name: str) -> Found:
    """A variant; the cases beside the file belong to the domain that it is a variant of."""

    def load() -> Any:
        with _importing_from_here():
            return variant_at(file, name)

    return Found(Kind.DOMAIN, text, None, load)


def _at_path(path: Path, kinds: tuple[Kind, ...]) -> Found:
    if path.is_dir():
        for kind in kinds:
            if (path / kind.file).is_file():
                return _in_file(kind, path / kind.file)
        wanted = " or ".join(kind.file for kind in kinds)
        raise InputError(Diagnostic("BT401", f"the folder {path} has no {wanted}"))
    if path.suffix != ".py":
        raise InputError(Diagnostic("BT401", f"{path} is no Python file"))
    likely = Kind.TREE if "def character(" in text_of(path) else Kind.DOMAIN
    return _in_file(likely if likely in kinds else kinds[0], path)


def _in_module(module: str, attribute: str, kinds: tuple[Kind, ...]) -> Found:
    with _importing_from_here():
        try:
            loaded = importlib.import_module(module)
        except BthtnError:
            raise
        except (Exception, SystemExit) as error:
            if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
                hint = "write package.module:attribute, as it would be imported from here"
                message = f"there is no module '{error.name}'"
                raise InputError(Diagnostic("BT401", message, hint=hint)) from None
            raise InputError(unusable(Path(module), error)) from error
    thing = _attribute(loaded, attribute, module)
    file = Path(loaded.__file__) if loaded.__file__ else None
    if isinstance(thing, DOMAIN) and Kind.DOMAIN in kinds:
        return Found(Kind.DOMAIN, thing.name, file, lambda: frozen(thing))
    if Kind.TREE not in kinds or isinstance(thing, DOMAIN):
        message = f"'{attribute}' of {module} is {type(thing).__name__}, not a {kinds[0].value}"
        known = [name for name, value in vars(loaded).items() if isinstance(value, DOMAIN)]
        raise InputError(Diagnostic("BT408", message, hint=nearest(attribute, known)))
    return Found(Kind.TREE, attribute, file, lambda: thing)


def _attribute(module: ModuleType, name: str, where: str) -> Any:
    if not hasattr(module, name):
        known = [known for known in vars(module) if not known.startswith("_")]
        raise InputError(
            Diagnostic("BT408", f"{where} defines no '{name}'", hint=nearest(name, known))
        )
    return getattr(module, name)


@contextmanager
def _importing_from_here() -> Iterator[None]:
    """Let modules in the folder that the command is called in be imported."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        yield
    finally:
        sys.path.remove(here)
