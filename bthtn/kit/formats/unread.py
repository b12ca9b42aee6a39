"""Files that look as if bthtn should read them, and that are called otherwise.

A character's files are known by their names, so a slip in one makes a file that does nothing:

lotery.csv, attack_skills.csv, goals.CSV     nearly a kind of sheets
attacks.csv, with a column Weight            of a kind by its headings
Tasks.xml, operator.py, case.toml            nearly a file of the character
jabs.scenarios.toml                          nearly a scenario
melee.xml, with trees                        no ``melee.template.xml``
sheets/lottery.csv                           below the folder of the character
notes.toml, measured.csv                     of no kind
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from bthtn.errors import BthtnError, Diagnostic, Severity
from bthtn.kit.formats.columns import folded
from bthtn.kit.formats.document import text_of
from bthtn.kit.formats.sheet import KINDS, Kind, kind_of, sheet_text

_CASES: Final = "cases.toml"
_FILES: Final = ("character.toml", "tree.xml", "tasks.xml", "operators.py", _CASES)
_SCENARIO: Final = ".scenario.toml"
_TEMPLATE: Final = ".template.xml"
_TABLES: Final = ("csv", "tsv", "xlsx")
_ENDINGS: Final = (*_TABLES, "toml", "xls", "ods", "txt")
_DATA: Final = (*_TABLES, "toml", "xls", "ods")
_TESTS: Final = ("scenario", "cases")
_OF_ANOTHER: Final = ("domain.py", "tree.py", "tree.xml")
_KIND_BY_HEADING: Final[Mapping[str, Kind]] = {
    "template": "skills",
    "kind": "kinds",
    "weight": "lottery",
    "goal": "goals",
    "right": "groups",
    "role": "roles",
}
_NEAR: Final = 0.85
_ELSEWHERE: Final = "name it after what it is, as attacks.skills.csv, or keep it in another folder"


def unread_findings(folder: Path, *, is_of_files: bool = True) -> list[Diagnostic]:
    """Warnings of the files in a folder that nothing reads."""
    found = []
    for name, wanted in unread_files(folder, is_of_files=is_of_files):
        message = "nothing reads this file"
        hint = f"did you mean '{wanted}'?" if wanted else _ELSEWHERE
        found.append(Diagnostic("BT426", message, str(folder / name), hint, Severity.WARNING))
    return found


def unread_files(folder: Path, *, is_of_files: bool = True) -> Iterator[tuple[str, str]]:
    """The names of the files in a folder that nothing reads, each with the right one if it has one.

    Beside Python, which may read any file, these are only sheets, cases and scenarios that are
    nearly called as bthtn knows them. A file that another one mentions by its name is read by that.
    """
    files = sorted(folder.glob("[!.~]*")) if folder.is_dir() else []
    names = {file.name for file in files}
    for file in files:
        wanted = _wanted(file, is_of_files=is_of_files)
        is_free = wanted not in names or wanted == _CASES
        if wanted is not None and is_free and not _is_mentioned(file, files):
            yield file.name, wanted
    for below in filter(Path.is_dir, files) if is_of_files else ():
        if not any((below / name).is_file() for name in _OF_ANOTHER):
            for file in filter(_is_known, sorted(below.glob("[!.~]*"))):
                if file.suffix != ".py" and not _is_mentioned(file, files):
                    yield f"{below.name}/{file.name}", file.name


def _is_mentioned(file: Path, files: Sequence[Path]) -> bool:
    others = (
        other for other in files if other.suffix in (".py", ".toml", ".xml") and other != file
    )
    return any(file.name in _text(other) for other in others)


def _is_known(file: Path) -> bool:
    """Whether a file beside the tree of a character has a name by which it is read."""
    return kind_of(file) is not None or file.name in _FILES or file.name.endswith(_TEMPLATE)


def _wanted(file: Path, *, is_of_files: bool) -> str | None:
    """The name by which a file would be known, empty for one of no kind.

    None for a file that is known, and for one that is none of a character.
    """
    name = file.name
    if file.is_dir() or _is_known(file) or name.endswith(_SCENARIO):
        return None
    for near in get_close_matches(name.casefold(), _FILES if is_of_files else [_CASES], 1, _NEAR):
        return near
    if is_of_files and file.suffix.casefold() == ".xml":
        return f"{name.partition('.')[0]}{_TEMPLATE}" if "<BehaviorTree" in _text(file) else None
    wanted = _wanted_sheet(file, is_of_files=is_of_files)
    return wanted or ("" if is_of_files and file.suffix.casefold()[1:] in _DATA else None)


def _wanted_sheet(file: Path, *, is_of_files: bool) -> str:
    """The name of a sheet, or scenario, that a file seems to be; empty for other files."""
    words = [word for word in re.split(r"[\W_]+", file.name.casefold()) if word]
    endings = [word for word in words if word in _ENDINGS]
    if not endings or endings == ["txt"]:
        return ""
    stem = [word for word in words if word not in _ENDINGS]
    known = (*KINDS, *(_TESTS if endings[0] == "toml" else ()))
    near = {word: get_close_matches(word, known, 1, _NEAR) for word in stem}
    kinds = [kind for word in stem for kind in near[word]]
    if not kinds and is_of_files and endings[0] in _TABLES:
        headings = map(folded, re.split(r"[,;\t]", _text(file).lstrip().partition("\n")[0]))
        kinds = [_KIND_BY_HEADING[heading] for heading in headings if heading in _KIND_BY_HEADING]
    if not kinds:
        return ""
    if kinds[0] == "cases":  # beside Python they may belong to any file
        code = file.with_name(f"{file.stem.removesuffix('_cases')}.py")
        return "" if code.is_file() and not is_of_files else _CASES
    rest = "_".join(word for word in stem if not near[word])
    ending = endings[0] if endings[0] in ("toml", "xlsx") else "csv"
    return f"{rest}{'.' if rest else ''}{kinds[0]}.{ending}"


def _text(file: Path) -> str:
    """The text of a file; empty for one that has none."""
    try:
        return sheet_text(file) if file.suffix in (".csv", ".xlsx") else text_of(file)
    except BthtnError:
        return ""
