"""The trees that a file in the XML of BehaviorTree.CPP and its includes define.

A tree that is in none of them is looked for in the other files of their folders: in programs that
use BehaviorTree.CPP the code says which files there are.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from bthtn.errors import BthtnError, InputError, nearest
from bthtn.kit.formats.format_three import format_of
from bthtn.kit.formats.xml_document import Element, element_from, element_in

_INSIDE_ROOT: Final = ("BehaviorTree", "include", "TreeNodesModel")
_OF_ROOT: Final = ("BTCPP_format", "main_tree_to_execute", "project_name")
_MOST_BESIDE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Tree:
    """The outermost node of a tree, and the format of its document."""

    root: Element
    format: int


@dataclass(slots=True)
class Documents:
    """The trees and models that a file or a text, and the files it includes, define.

    ``trees`` are the trees by ID, ``models`` are the elements that describe nodes by ID, ``ports``
    the ports of the SubTrees among them, with their defaults, ``main`` is the ID of the main tree,
    "" if none is named.
    """

    source: Path | str
    trees: dict[str, Tree] = field(default_factory=dict)
    models: dict[str, Element] = field(default_factory=dict)
    ports: dict[str, dict[str, str | None]] = field(default_factory=dict)
    main: str = ""
    _is_begun: bool = False
    _read: set[str] = field(default_factory=set)
    """The paths of the files that were read."""
    _beside: dict[str, list[Path]] | None = None
    """The files in their folders that were not, by the trees in them; None until it is asked."""

    def __post_init__(self) -> None:
        """Read them all. Raises InputError."""
        if isinstance(self.source, str):
            if not self.source.lstrip("\ufeff \t\r\n").startswith("<"):
                hint = f"for a file, give Path({self.source[:40]!r})"
                raise InputError("BT412", "the text is not XML", hint=hint)
            self._add(element_from(self.source.lstrip("\ufeff"), "<text>"), None)
        else:
            self._add_files(self.source)

    def tree(self, name: str) -> Tree | None:
        """The tree with this ID, from here or from a file beside; None if there is none.

        Raises InputError if several files beside have one.
        """
        if name and name not in self.trees:
            if self._beside is None:
                self._beside = self._trees_beside()
            files = self._beside.get(name, ())
            if len(files) > 1:
                shown = " and ".join(file.name for file in files[:2])
                message = f"there is a tree '{name}' in {shown}"
                hint = f'say which: <include path="{files[0].name}"/>'
                raise InputError("BT414", message, str(self.source), hint)
            for file in files:
                self._add_from_beside(file)
        return self.trees.get(name)

    def _trees_beside(self) -> dict[str, list[Path]]:
        """The other files in the folders of those that were read, by the trees in them."""
        folders = dict.fromkeys(Path(file).parent for file in sorted(self._read))
        files = (file for folder in folders for file in sorted(folder.glob("*.xml")))
        found: dict[str, list[Path]] = {}
        for file in islice(files, _MOST_BESIDE):
            if os.path.realpath(file) not in self._read:
                with suppress(BthtnError):  # nobody has named it
                    for element in element_in(file).children:
                        if element.tag == "BehaviorTree":
                            found.setdefault(element.attributes.get("ID", ""), []).append(file)
        return found

    def _add_from_beside(self, path: Path) -> None:
        """Add what is new in a file, and in those that it includes. Raises InputError."""
        found = Documents("<root/>")
        found._add_files(path)
        self.trees = found.trees | self.trees
        self.models = found.models | self.models
        self.ports = found.ports | self.ports

    def chosen(self, name: str) -> str:
        """The ID, that of the main tree if it is empty. Raises InputError if there is no tree."""
        name = name or self.main or (next(iter(self.trees)) if len(self.trees) == 1 else "")
        if name in self.trees or self.tree(name) is not None:
            return name
        known = ", ".join(self.trees) or "none"
        if name:
            message, hint = f"there is no tree '{name}'", nearest(name, self.trees)
        else:
            message = f"nothing says which tree is the main one: there is {known}"
            hint = 'write main_tree_to_execute="…" in <root>'
            hint = hint if self.trees else 'write a <BehaviorTree ID="…"> into <root>'
        raise InputError("BT414", message, str(self.source)[:100], hint)

    def _add_files(self, path: Path) -> None:
        """Read a file and those that it includes, each of them once."""
        # A file stands below those that have included it until all of its own are read.
        above: list[str] = []
        waiting: list[tuple[Path, str] | None] = [(path, "")]
        while waiting:
            following = waiting.pop()
            if following is None:
                above.pop()
                continue
            file, where = following
            real = os.path.realpath(file)
            if real in above:
                message = f"{file.name} includes itself"
                raise InputError("BT414", message, where, "leave out this include")
            if real not in self._read:
                self._read.add(real)
                above.append(real)
                try:
                    included = self._add(element_in(file), file.parent)
                except InputError as error:
                    raise error.placed(where) from None
                waiting += [None, *reversed(included)]

    def _add(self, root: Element, folder: Path | None) -> list[tuple[Path, str]]:
        """Add the definitions of a document. Returns the files that it includes."""
        if root.tag != "root":
            message = f"the outermost element is <{root.tag}>"
            raise fault(root, message, 'write <root BTCPP_format="4">')
        version = format_of(root)
        for attribute in root.attributes.keys() - set(_OF_ROOT):
            hint = nearest(attribute, _OF_ROOT)
            if hint.startswith("did you mean"):
                raise fault(root, f"<root> has no '{attribute}'", hint)
        if not self._is_begun:  # only the outermost file says it
            self.main = root.attributes.get("main_tree_to_execute", "")
            self._is_begun = True
        included: list[tuple[Path, str]] = []
        for element in root.children:
            match element.tag:
                case "BehaviorTree":
                    self._add_tree(element, version)
                case "include":
                    included.append((_included(element, folder), element.where))
                case "TreeNodesModel":
                    self._add_models(element)
                case tag:
                    # BehaviorTree.CPP ignores all others.
                    hint = nearest(tag, _INSIDE_ROOT)
                    if hint.startswith("did you mean"):
                        raise fault(element, f"<root> has no <{tag}>", hint)
        return included

    def _add_tree(self, element: Element, version: int) -> None:
        name = element.attributes.get("ID", "")
        if not name and self.trees:
            raise fault(element, "the tree has no ID", 'write <BehaviorTree ID="…">')
        if name in self.trees:
            message = f"there are two trees '{name}'"
            raise fault(element, message, f"the other one is at {self.trees[name].root.where}")
        if len(element.children) != 1:
            message = f"tree '{name}' has {len(element.children)} nodes at its top"
            raise fault(element, message, "put them into one, such as a Sequence")
        self.trees[name] = Tree(element.children[0], version)

    def _add_models(self, element: Element) -> None:
        """Keep the models, and the ports of SubTrees."""
        for model in element.children:
            name = model.attributes.get("ID", "")
            self.models[name] = model
            if model.tag == "SubTree":
                ports = self.ports.setdefault(name, {})
                for port in model.children:
                    if port.tag.endswith("_port"):
                        ports[port.attributes.get("name", "")] = port.attributes.get("default")


def _included(element: Element, folder: Path | None) -> Path:
    """The file that an include names. Raises InputError."""
    if folder is None:
        raise fault(element, "a text cannot include a file", "read it as a file: give its Path")
    path = Path(element.attributes.get("path", ""))
    if not path.name or path.is_absolute() or "\0" in str(path):
        hint = 'write <include path="…"/>, relative to this file'
        raise fault(element, f"the include has the path '{path}'", hint)
    package = element.attributes.get("ros_pkg")
    return folder / path if package is None else _package(element, folder, package) / path


def _package(element: Element, folder: Path, name: str) -> Path:
    """The folder of a package of ROS around a folder, or beside one around it.

    Raises InputError.
    """
    for around in (folder.absolute(), *folder.absolute().parents):
        for found in (around, around / name):
            if found.name == name and (found / "package.xml").is_file():
                return found
    message = f"there is no package '{name}' around this file"
    raise fault(element, message, "write the path, relative to this file")


def fault(element: Element, message: str, hint: str) -> InputError:
    return InputError("BT414", message, element.where, hint)


def unkept(element: Element, what: str, hint: str) -> InputError:
    """The error for a part that no behaviour does exactly as BehaviorTree.CPP does it."""
    return InputError("BT415", f"{what} cannot be kept exactly", element.where, hint)
