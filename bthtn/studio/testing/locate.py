"""Resolves the DOMAIN and TREE arguments of commands.

    combat                    a name under ./domains or ./trees, then of a folder here, then among
                              bthtn's examples
    trees/ammunition          the same for one kind, where a domain and a tree have one name
    troll:tiring              a variant: another domain in the file of a named domain, or in a
                              file beside it that has cases
    path/to/folder, file.py   a folder with a domain.py, tree.py or tree.xml, or the file itself
    domain.hddl, domain.pddl  a domain in the field's own language
    domain.hddl:problem.hddl  a character that does what a problem asks for
    robot.xml, robot.xml:Dock a tree in XML alone: its main tree, or the one that is named
    package.module:attribute  an object in a module that can be imported

Modules are loaded on demand. They may import from the current folder, as in
``from domains.combat.domain import …``.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import Enum
from errno import ENOENT
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.text.values import shortened
from bthtn.errors import BthtnError, InputError, nearest
from bthtn.kit.formats.document import text_of, unreadable
from bthtn.kit.formats.hddl.problem import ENDINGS, PlanningProblem
from bthtn.kit.formats.unread import unread_files
from bthtn.studio.testing.case_files import SCENARIO, cases_file_of
from bthtn.studio.testing.domain_files import (
    DOMAIN,
    domain_at,
    domain_called,
    domains_in,
    module_at,
    name_of,
    unusable,
)

if TYPE_CHECKING:  # only characters need these, and domains none of py_trees
    from bthtn.kit.character_files import CharacterFiles
    from bthtn.kit.formats.mistakes import Mistakes


_XML: Final = (".xml", ".btproj")
"""The endings of trees in XML, and of Groot2's projects, which include some."""
_ENDINGS: Final = (".py", ".toml", *_XML, *ENDINGS)
"""The endings that say that a file is meant."""


class TargetKind(Enum):
    DOMAIN = "domain"
    TREE = "tree"

    @property
    def folder(self) -> str:
        return f"{self.value}s"

    @property
    def files(self) -> tuple[str, ...]:
        """The names that the file in the folder of a domain or tree may have."""
        return ("domain.py",) if self is TargetKind.DOMAIN else ("tree.py", "tree.xml")


@dataclass(frozen=True, slots=True)
class Target:
    """A resolved argument; ``load`` executes its module and returns the domain or tree."""

    kind: TargetKind
    name: str
    file: Path | None
    load: Callable[[], Any]
    part: str | None = None
    """Of a tree in XML alone, the ID of the tree, "" for the main one; else None."""

    @property
    def is_of_files(self) -> bool:
        """Whether it is a character whose tree is no Python file, but one of several files."""
        return self.part is None and self.file is not None and self.file.suffix == ".xml"

    @property
    def code(self) -> Path | None:
        """The Python file that is loaded, if there is one."""
        if self.part is not None or (self.file is not None and self.file.suffix in ENDINGS):
            return None
        if self.file is None or self.file.suffix == ".py":
            return self.file
        return self.file.with_name("operators.py")


def all_of(kind: TargetKind) -> list[Target]:
    """All named domains or trees, sorted; the current folder takes precedence over examples."""
    named, *examples_of = folders(kind)
    found: dict[str, Target] = {}
    for folder in (named, Path(), *examples_of):
        for file in (path for name in kind.files for path in folder.glob(f"*/{name}")):
            if folder != Path() or _is_ours(file):
                found.setdefault(file.parent.name, _in_file(kind, file))
    return [found[name] for name in sorted(found)]


def _is_ours(file: Path) -> bool:
    """Whether a file in any folder is about bthtn, as others have a ``domain.py``, too."""
    try:
        text = file.read_bytes()
    except OSError:
        return False
    return b"bthtn" in text or b"BTCPP_format" in text


def resolve(text: str, *kinds: TargetKind) -> Target:
    """Resolve an argument to one of these kinds. Raises InputError with the nearest name."""
    found = resolve_all(text, *kinds)
    if len(found) > 1:
        hint = f"write {' or '.join(map(_path_of, found))}"
        raise InputError("BT401", f"'{text}' is a domain and a tree", hint=hint)
    return found[0]


def listed(text: str, kind: TargetKind) -> Target | None:
    """The target of a name that ``bthtn list`` shows; None for paths and names of modules.

    Files that others wrote may name these alone: no other code is loaded because of a file.
    """
    name, colon, variant = text.removeprefix(f"{kind.folder}/").partition(":")
    for target in all_of(kind):
        if name == target.name and (not colon or kind is TargetKind.DOMAIN):
            return _variant(target, variant) if colon else target
    return None


def named_in(file: Path, text: str, kind: TargetKind) -> Target:
    """What a file names: a name that ``bthtn list`` shows, or a path in the file's own folder.

    A file may come from somebody else, and whoever reads it has not named other code. Raises
    InputError.
    """
    found = listed(text, kind)
    if found is not None:
        return found
    with suppress(OSError, ValueError):  # a name that no file can have
        folder, beside = file.parent.resolve(), (file.parent / text).resolve()
        if beside.is_relative_to(folder) and beside.exists():
            return resolve(str(beside), kind)
    hint = nearest(text, [target.name for target in all_of(kind)])
    if set(text) & {"/", ":", os.sep}:
        hint = f'put it beside its {kind.value}, and write {kind.value} = "{kind.value}.py"'
    message = f"there is no {kind.value} '{shortened(text)}' beside it, and bthtn list shows none"
    raise InputError("BT401", message, hint=hint)


def domain_named_in(file: Path, text: str) -> Target:
    """The domain that a file names, see ``named_in``: also that of a character of files."""
    try:
        return named_in(file, text, TargetKind.DOMAIN)
    except InputError:
        with suppress(InputError):
            tree = named_in(file, text, TargetKind.TREE)
            if tree.is_of_files:
                domain = TargetKind.DOMAIN
                return replace(tree, kind=domain, load=lambda: character_files(tree).domain)
        raise


def _path_of(found: Target) -> str:
    """The name for this target alone: a domain and a tree may have the same name."""
    named = Path(found.kind.folder, found.name)
    assert found.file is not None, "only files in folders have one name"
    is_named = found.file.parent.parent.name == found.kind.folder
    return str(named if is_named else shown(found.file))


def resolve_all(text: str, *kinds: TargetKind) -> list[Target]:
    """The same where a domain and a tree of one name or folder are both wanted."""
    named = [target for kind in kinds for target in all_of(kind)]
    same = [
        target for target in named if text in (target.name, f"{target.kind.folder}/{target.name}")
    ]
    if same:
        return same
    path = Path(text)
    file, dot, tree = text.rpartition(":")
    asked = Path(file) if dot and file.endswith((*_XML, *ENDINGS)) else path
    if asked.suffix in _ENDINGS and not os.path.exists(asked):
        raise unreadable(asked, FileNotFoundError(ENOENT, os.strerror(ENOENT)))
    if dot and file.endswith(_XML) and TargetKind.TREE in kinds:
        return [_tree_in(Path(file), tree)]
    if dot and file.endswith(ENDINGS) and TargetKind.TREE in kinds:
        return [_problem_in(Path(file), Path(tree))]
    if os.path.exists(text):
        return _at_path(path, kinds)
    module, colon, attribute = text.partition(":")
    if colon and module:
        for target in named:
            if target.kind is TargetKind.DOMAIN and module in (
                target.name,
                f"domains/{target.name}",
            ):
                return [_variant(target, attribute)]
        return [_in_module(module, attribute, kinds)]
    wanted = " or ".join(kind.value for kind in kinds)
    other = [target.name for kind in TargetKind if kind not in kinds for target in all_of(kind)]
    hint = nearest(text, [target.name for target in named])
    for kind in kinds if text and text not in other else ():
        if os.path.isdir(folder := Path(kind.folder, text)):
            raise _lacking(folder, kinds)
    if text in other:
        hint = f"'{text}' is a {'tree' if kinds == (TargetKind.DOMAIN,) else 'domain'}; {hint}"
    raise InputError("BT401", f"there is no {wanted} '{text}'", hint=hint)


def domain_of(text: str) -> FrozenDomain:
    """Resolve and load a domain, or that of a character of files. Raises BthtnError."""
    if text not in [target.name for target in all_of(TargetKind.DOMAIN)]:
        for tree in all_of(TargetKind.TREE):
            if tree.is_of_files and text in (tree.name, f"trees/{tree.name}"):
                return character_files(tree).domain
        file = Path(text) if Path(text).name == "tree.xml" else Path(text, "tree.xml")
        if os.path.isfile(file) and not os.path.isfile(file.with_name("domain.py")):
            return domain_in(file)
    domain: FrozenDomain = resolve(text, TargetKind.DOMAIN).load()
    return domain


def problem_at(domain: str, problem: str) -> PlanningProblem:
    """What a domain and a problem in the field's own language ask for. Raises BthtnError."""
    from bthtn.kit.formats.hddl import read_problem  # noqa: PLC0415 - for such files only

    return read_problem(Path(domain), Path(problem))


def domain_in(file: Path) -> FrozenDomain:
    """The main domain of a file; of a tree in XML, that of its character. Raises BthtnError."""
    if file.suffix in ENDINGS:
        from bthtn.kit.formats.hddl import read_domain  # noqa: PLC0415 - for such files only

        return read_domain(file)
    if file.suffix == ".xml":
        return character_files(_in_file(TargetKind.TREE, file)).domain
    return domain_at(file, name_of(file))


def character_files(found: Target) -> CharacterFiles:
    """Read the files of a character whose tree is no Python file. Raises BthtnError."""
    files, mistakes = examined_files(found)
    if mistakes:
        from bthtn.kit.folder_reader import sketched  # noqa: PLC0415 - not for domains

        sketched(files, mistakes)
    mistakes.raise_all()
    assert files is not None, "there is no mistake in them"
    return files


def examined_files(found: Target) -> tuple[CharacterFiles | None, Mistakes]:
    """The files of such a character as far as they can be read, and the mistakes in them.

    Raises InputError for a domain that its settings name.
    """
    from bthtn.kit import folder_reader as kit  # noqa: PLC0415 - not for domains
    from bthtn.kit.formats.mistakes import Mistakes  # noqa: PLC0415 - likewise

    mistakes = Mistakes()
    assert found.file is not None, "a character of files has files"
    assert found.code is not None, "and a place for its operators"
    folder = found.file.parent
    with current_folder_importable():
        named = kit.domain_named_in(folder)
        try:
            settings = folder / kit.SETTINGS
            domain = named_in(settings, named, TargetKind.DOMAIN).load() if named else None
        except InputError as error:
            raise error.placed(f"{folder / kit.SETTINGS}") from None
        code = mistakes.read(module_at, found.code) if found.code.is_file() else None
        return kit.read_folder(folder, code, domain, mistakes), mistakes


def shown(path: Path) -> str:
    """A path as text, relative to the current folder if it lies below it."""
    try:
        return str(Path(os.path.realpath(path)).relative_to(_here()))
    except ValueError:
        return str(path)


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        message = f"the current folder cannot be read: {error.strerror}"
        raise InputError("BT404", message, hint="was it removed?") from None


def folders(kind: TargetKind) -> Iterator[Path]:
    yield Path(kind.folder)
    yield from map(Path, importlib.import_module(f"bthtn.examples.{kind.folder}").__path__)


def _in_file(kind: TargetKind, file: Path) -> Target:
    name = file.stem if file.name not in kind.files else Path(os.path.realpath(file)).parent.name

    def load() -> Any:
        if target.is_of_files:
            return character_files(target).character
        if file.suffix in ENDINGS:
            return domain_in(file)
        with current_folder_importable():
            if kind is TargetKind.DOMAIN:
                return domain_at(file, name)
            return _attribute(module_at(file), "character", str(file))

    return (target := Target(kind, name, file, load))


def variants_of(domain: Target) -> list[str]:
    """The names of the other domains of a named domain. Raises InputError.

    Executes the domain's file and those beside it that have cases.
    """
    found = _domains_beside(domain)
    own = [other for other in found.values() if other.name == domain.name]
    own = own or list(found.values())[:1]
    return sorted(f"{domain.name}:{name}" for name, other in found.items() if other not in own)


def _variant(domain: Target, name: str) -> Target:
    text, file = f"{domain.name}:{name}", _folder(domain) / f"{name}.py"
    if file in _files_beside(domain):  # the cases of a file belong to its main domain
        return replace(_in_file(TargetKind.DOMAIN, file), name=text)

    missing = f"'{domain.name}' has no variant '{name}'"
    return Target(
        TargetKind.DOMAIN, text, None, lambda: domain_called(name, _domains_beside(domain), missing)
    )


def _domains_beside(domain: Target) -> dict[str, Domain[Any] | FrozenDomain]:
    found: dict[str, Domain[Any] | FrozenDomain] = {}
    with current_folder_importable():
        for file in (_folder(domain) / "domain.py", *_files_beside(domain)):
            found = domains_in(file) | found
    if not found:
        raise InputError("BT408", f"{shown(_folder(domain))} defines no domain")
    return found


def _files_beside(domain: Target) -> list[Path]:
    """The other files with domains in the folder: those that have cases."""
    files = sorted(_folder(domain).glob("*.py"))
    return [file for file in files if file.name != "domain.py" and cases_file_of(file).is_file()]


def _folder(domain: Target) -> Path:
    assert domain.file is not None, "a named domain has a file"
    return domain.file.parent


def _at_path(path: Path, kinds: tuple[TargetKind, ...]) -> list[Target]:
    if os.path.isdir(path):
        files = {
            kind: [path / name for name in kind.files if (path / name).is_file()] for kind in kinds
        }
        if any(files.values()):
            return [_in_file(kind, found[0]) for kind, found in files.items() if found]
        raise _lacking(path, kinds)
    if path.name == "tree.xml" and TargetKind.TREE in kinds:
        return [_in_file(TargetKind.TREE, path)]
    if path.suffix in ENDINGS and TargetKind.DOMAIN in kinds:
        return [_in_file(TargetKind.DOMAIN, path)]
    is_of_files = (path.parent / "character.toml").is_file()  # and its tree is tree.xml
    if path.suffix in _XML and TargetKind.TREE in kinds and not is_of_files:
        return [_tree_in(path, "")]
    if path.suffix in ENDINGS:
        hint = f"name a problem, too: {path} problem{path.suffix}"
        raise InputError("BT401", f"{path} is a domain, which has nothing to do yet", hint=hint)
    if path.suffix != ".py":
        is_scenario = path.name.endswith(SCENARIO)
        hint = (
            "bthtn run and bthtn test take it" if is_scenario else "name its folder, or a .py file"
        )
        raise InputError("BT401", f"{path} is no Python file", hint=hint)
    likely = TargetKind.TREE if "def character(" in text_of(path) else TargetKind.DOMAIN
    return [_in_file(likely if likely in kinds else kinds[0], path)]


def _tree_in(file: Path, tree: str, *, stub: bool = False) -> Target:
    """A tree in XML alone, see ``tree_file_character``."""

    def make(seed: int) -> Any:
        from bthtn.kit.tree_file import tree_file_character  # noqa: PLC0415 - not for domains

        return tree_file_character(file, seed, tree=tree, stub=stub)

    return Target(TargetKind.TREE, tree or file.stem, file, lambda: make, tree)


def _problem_in(domain: Path, problem: Path) -> Target:
    def make(_seed: int) -> Any:
        from bthtn.kit.problem_files import problem_character  # noqa: PLC0415 - not for domains

        return problem_character(domain, problem)

    return Target(TargetKind.TREE, problem.stem, domain, lambda: make)


def stubbed(found: Target) -> Target:
    """A tree in XML with stubs for its nodes and keys. Raises InputError for anything else."""
    if found.file is None or found.file.suffix not in _XML:
        message = f"'{found.name}' has no stubs"
        raise InputError("BT409", message, hint="--stub is for trees in XML")
    return _tree_in(found.file, found.part or "", stub=True)


def _lacking(folder: Path, kinds: tuple[TargetKind, ...]) -> InputError:
    """The error of a folder without a domain or a tree."""
    files = [name for kind in kinds for name in kind.files]
    misnamed = (file for file, wanted in unread_files(folder) if wanted in files)
    hints = [f"rename {name} to tree.xml" for name in misnamed]
    others = sorted(file for file in folder.iterdir() if file.suffix in ENDINGS)
    others.sort(key=lambda file: file.stem != "domain")
    hints += [f"a domain in HDDL or PDDL is named by its file, as {file}" for file in others]
    hint = next(iter(hints), "")
    return InputError("BT401", f"{folder} has no {' or '.join(files)}", hint=hint)


def _in_module(module: str, attribute: str, kinds: tuple[TargetKind, ...]) -> Target:
    with current_folder_importable():
        try:
            loaded = importlib.import_module(module)
        except (BthtnError, KeyboardInterrupt):
            raise
        except BaseException as error:
            if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
                hint = "write package.module:attribute, as it would be imported from here"
                raise InputError("BT401", f"there is no module '{error.name}'", hint=hint) from None
            raise unusable(Path(module), error) from error
    thing = _attribute(loaded, attribute, module)
    source = getattr(loaded, "__file__", None)  # a built-in module has none
    file = Path(source) if source else None
    if isinstance(thing, DOMAIN) and TargetKind.DOMAIN in kinds:
        return Target(TargetKind.DOMAIN, thing.name, file, lambda: frozen(thing))
    if TargetKind.TREE not in kinds or isinstance(thing, DOMAIN):
        message = f"'{attribute}' of {module} is {type(thing).__name__}, not a {kinds[0].value}"
        known = [name for name, value in vars(loaded).items() if isinstance(value, DOMAIN)]
        raise InputError("BT408", message, hint=nearest(attribute, known))
    return Target(TargetKind.TREE, attribute, file, lambda: thing)


def _attribute(module: ModuleType, name: str, where: str) -> Any:
    if not hasattr(module, name):
        known = [known for known in vars(module) if not known.startswith("_")]
        raise InputError("BT408", f"{where} defines no '{name}'", hint=nearest(name, known))
    return getattr(module, name)


@contextmanager
def current_folder_importable() -> Iterator[None]:
    """Put the current folder on the import path, unless it is there."""
    here = str(_here())
    if here in sys.path:
        yield
        return
    sys.path.append(here)
    try:
        yield
    finally:
        with suppress(ValueError):  # the module took it away itself
            sys.path.remove(here)
