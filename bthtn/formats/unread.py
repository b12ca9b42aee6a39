"""Files that look as if bthtn should read them, and that are called otherwise.

A character's files are known by their names, so a slip in one makes a file that does nothing:

lotery.csv, attack_skills.csv, goals.CSV     nearly a kind of sheets
attacks.csv, with a column Weight            of a kind by its headings
Tasks.xml, operator.py                       nearly a file of the character
melee.xml, with trees                        no ``melee.template.xml``
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from bthtn.errors import BthtnError, Diagnostic, Severity
from bthtn.formats.columns import folded
from bthtn.formats.document import text_of
from bthtn.formats.sheet import KINDS, Kind, kind_of

_FILES: Final = ("character.toml", "tree.xml", "tasks.xml", "operators.py")
_TEMPLATE: Final = ".template.xml"
_TABLES: Final = ("csv", "tsv")
_ENDINGS: Final = (*_TABLES, "toml", "xlsx", "xls", "ods", "txt")
_KIND_BY_HEADING: Final[Mapping[str, Kind]] = {
    "template": "skills",
    "kind": "kinds",
    "weight": "lottery",
    "goal": "goals",
    "right": "groups",
    "role": "roles",
}
_NEAR: Final = 0.85


def unread_findings(folder: Path, *, is_of_files: bool = True) -> list[Diagnostic]:
    """Warnings of the files in a folder that are probably misnamed."""
    found = []
    for name, wanted in unread_files(folder, is_of_files=is_of_files):
        message, hint = "nothing reads this file", f"did you mean '{wanted}'?"
        found.append(Diagnostic("BT426", message, str(folder / name), hint, Severity.WARNING))
    return found


def unread_files(folder: Path, *, is_of_files: bool = True) -> Iterator[tuple[str, str]]:
    """The names of the files in a folder that are probably misnamed, each with the right one.

    Beside Python, which may read any file, these are only sheets that are nearly called as bthtn
    knows them. A file that another one mentions by its name is read by that.
    """
    files = sorted(folder.glob("[!.~]*")) if folder.is_dir() else []
    names = {file.name for file in files}
    for file in files:
        wanted = _wanted(file, is_of_files=is_of_files)
        if wanted and wanted not in names and not _is_mentioned(file, files):
            yield file.name, wanted


def _is_mentioned(file: Path, files: Sequence[Path]) -> bool:
    others = (
        other for other in files if other.suffix in (".py", ".toml", ".xml") and other != file
    )
    return any(file.name in _text(other) for other in others)


def _wanted(file: Path, *, is_of_files: bool) -> str:
    """The name by which a file would be known; empty for one that is, or that is none of these."""
    name = file.name
    if kind_of(file) is not None or name in _FILES or name.endswith(_TEMPLATE):
        return ""
    if is_of_files:
        for near in get_close_matches(name.casefold(), _FILES, 1, _NEAR):
            return near
        if file.suffix.casefold() == ".xml":
            return f"{name.partition('.')[0]}{_TEMPLATE}" if "<BehaviorTree" in _text(file) else ""
    return _wanted_sheet(file, is_of_files=is_of_files)


def _wanted_sheet(file: Path, *, is_of_files: bool) -> str:
    words = [word for word in re.split(r"[\W_]+", file.name.casefold()) if word]
    endings = [word for word in words if word in _ENDINGS]
    if not endings or endings == ["txt"]:
        return ""
    stem = [word for word in words if word not in _ENDINGS]
    near = {word: get_close_matches(word, KINDS, 1, _NEAR) for word in stem}
    kinds = [kind for word in stem for kind in near[word]]
    if not kinds and is_of_files and endings[0] in _TABLES:
        headings = map(folded, re.split(r"[,;\t]", _text(file).partition("\n")[0]))
        kinds = [_KIND_BY_HEADING[heading] for heading in headings if heading in _KIND_BY_HEADING]
    if not kinds:
        return ""
    rest = "_".join(word for word in stem if not near[word])
    ending = "toml" if endings[0] == "toml" else "csv"
    return f"{rest}{'.' if rest else ''}{kinds[0]}.{ending}"


def _text(file: Path) -> str:
    """The text of a file; empty for one that has none."""
    try:
        return text_of(file)
    except BthtnError:
        return ""
