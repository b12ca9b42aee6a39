"""The trees that a file in the XML of BehaviorTree.CPP v4 and its includes define."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bthtn.errors import InputError, nearest
from bthtn.kit.formats.format_three import unsaid_format
from bthtn.kit.formats.xml_document import Element, element_from, element_in

_INSIDE_ROOT: Final = ("BehaviorTree", "include", "TreeNodesModel")


@dataclass(slots=True)
class Documents:
    """The trees and ports that a file or a text, and the files it includes, define.

    ``trees`` are the outermost nodes of trees by ID, ``ports`` the ports of those that have a
    SubTree model, with their defaults, ``main`` is the ID of the main tree, "" if none is named.
    """

    source: Path | str
    trees: dict[str, Element] = field(default_factory=dict)
    ports: dict[str, dict[str, str | None]] = field(default_factory=dict)
    main: str = ""
    _is_begun: bool = False

    def __post_init__(self) -> None:
        """Read them all. Raises InputError."""
        if isinstance(self.source, str):
            if not self.source.lstrip("\ufeff \t\r\n").startswith("<"):
                hint = f"for a file, give Path({self.source[:40]!r})"
                raise InputError("BT412", "the text is not XML", hint=hint)
            self._add(element_from(self.source.lstrip("\ufeff"), "<text>"), None)
        else:
            self._add_files(self.source)

    def chosen(self, name: str) -> str:
        """The ID, that of the main tree if it is empty. Raises InputError if there is no tree."""
        name = name or self.main or (next(iter(self.trees)) if len(self.trees) == 1 else "")
        if name in self.trees:
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
        known: set[str] = set()
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
            if real not in known:
                known.add(real)
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
        version = root.attributes.get("BTCPP_format")
        if version is None:
            raise InputError.of(unsaid_format(root))
        if version != "4":
            hint = "convert it with Groot2, or with BehaviorTree.CPP's convert_v3_to_v4.py"
            hint = hint if version == "3" else 'write <root BTCPP_format="4">'
            raise fault(root, f"format {version} of BehaviorTree.CPP is not read, only 4", hint)
        unknown = set(root.attributes) - {"BTCPP_format", "main_tree_to_execute", "project_name"}
        if unknown:
            hint = "write BTCPP_format and main_tree_to_execute"
            raise fault(root, f"<root> has no '{min(unknown)}'", hint)
        if not self._is_begun:  # only the outermost file says it
            self.main = root.attributes.get("main_tree_to_execute", "")
            self._is_begun = True
        included: list[tuple[Path, str]] = []
        for element in root.children:
            match element.tag:
                case "BehaviorTree":
                    self._add_tree(element)
                case "include":
                    included.append((_included(element, folder), element.where))
                case "TreeNodesModel":
                    self._add_models(element)
                case tag:
                    raise fault(element, f"<root> has no <{tag}>", nearest(tag, _INSIDE_ROOT))
        return included

    def _add_tree(self, element: Element) -> None:
        name = element.attributes.get("ID", "")
        if not name and self.trees:
            raise fault(element, "the tree has no ID", 'write <BehaviorTree ID="…">')
        if name in self.trees:
            message = f"there are two trees '{name}'"
            raise fault(element, message, f"the other one is at {self.trees[name].where}")
        if len(element.children) != 1:
            message = f"tree '{name}' has {len(element.children)} nodes at its top"
            raise fault(element, message, "put them into one, such as a Sequence")
        self.trees[name] = element.children[0]

    def _add_models(self, element: Element) -> None:
        """Keep the ports of SubTrees; all other models are for Groot2 alone."""
        for model in element.children:
            if model.tag == "SubTree":
                ports = self.ports.setdefault(model.attributes.get("ID", ""), {})
                for port in model.children:
                    if port.tag.endswith("_port"):
                        ports[port.attributes.get("name", "")] = port.attributes.get("default")


def _included(element: Element, folder: Path | None) -> Path:
    """The file that an include names. Raises InputError."""
    if folder is None:
        raise fault(element, "a text cannot include a file", "read it as a file: give its Path")
    if "ros_pkg" in element.attributes:
        raise fault(element, "ros_pkg is not known here", "write the path, relative to this file")
    path = Path(element.attributes.get("path", ""))
    if not path.name or path.is_absolute() or "\0" in str(path):
        hint = 'write <include path="…"/>, relative to this file'
        raise fault(element, f"the include has the path '{path}'", hint)
    return folder / path


def fault(element: Element, message: str, hint: str) -> InputError:
    return InputError("BT414", message, element.where, hint)


def unkept(element: Element, what: str, hint: str) -> InputError:
    """The error for a part that no behaviour does exactly as BehaviorTree.CPP does it."""
    return InputError("BT415", f"{what} cannot be kept exactly", element.where, hint)
