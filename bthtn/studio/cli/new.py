"""``bthtn new``: the example ``trees/starter``, or files, as a character to begin with."""

from __future__ import annotations

import re
import sys
from keyword import iskeyword
from pathlib import Path
from shutil import rmtree
from typing import Annotated, Final

from typer import Argument, Option

from bthtn.errors import InputError, unwritable
from bthtn.examples import trees
from bthtn.studio.cli.handlers import postponed
from bthtn.studio.cli.printing import say

EXAMPLE: Final = "starter"
"""The folder of the example, and the word in its files that becomes the character's name."""
_KIND: Final = re.compile(r"\b([Aa]) (camper)\b|\b(camper|Camper|camping)\b")
"""The words of the example that say what kind of character it is."""


def new(
    name: Annotated[str, Argument(metavar="NAME", help="Name of the character: a new folder.")],
    *,
    files: Annotated[bool, Option("--files", help="Write drawn tasks and no Python.")] = False,
) -> None:
    """Write a small character to begin with: a domain, a tree, and tests that pass."""
    folder = Path(name)
    if not folder.name.isidentifier() or iskeyword(folder.name):
        hint = "its folder is imported: write letters, digits and _, as in night_guard"
        raise InputError("BT409", f"a character cannot be called '{folder.name}'", hint=hint)
    if folder.name in (*sys.stdlib_module_names, "bthtn", "py_trees"):
        message = f"a character cannot be called '{folder.name}', as a module that is needed is"
        raise InputError("BT409", message, hint=f"call it {folder.name}_guard")
    texts = _drawn_for(folder.name) if files else _code_for(folder.name)
    _write(folder, texts)
    say(f"wrote {', '.join(str(folder / file) for file in texts)}")
    say(f"next: bthtn run {folder}; bthtn check {folder}; bthtn test {folder}")


def _code_for(name: str) -> dict[str, str]:
    """The files of the example, which are about a character of this name instead."""
    example = Path(trees.__path__[0], EXAMPLE)
    files = sorted(file for file in example.iterdir() if file.suffix in (".py", ".toml"))
    texts = {file.name: file.read_text("utf-8") for file in files}
    words = set(re.findall(r"\w+", " ".join(texts.values())))
    title = "".join(word.capitalize() for word in name.split("_") if word) or name
    kind = {
        "camper": _spoken(name),
        "Camper": title if title not in words else f"{title}Beliefs",
        "camping": name if name not in words else f"{name}_domain",
    }

    def instead(found: re.Match[str]) -> str:
        if found[1]:
            return _article(kind["camper"], found[1])
        return kind[found[3]]

    return {file: _KIND.sub(instead, text).replace(EXAMPLE, name) for file, text in texts.items()}


def _drawn_for(name: str) -> dict[str, str]:
    """The files of a character without Python that is called so."""
    from bthtn.studio.cli.new_files import FILES  # noqa: PLC0415 - not for Python

    begun, said = _article(_spoken(name), "A"), _spoken(name)
    return {
        file: text.replace("# STARTER", f"# {begun}")
        .replace("STARTER", said)
        .replace(EXAMPLE, name)
        for file, text in FILES.items()
    }


def _spoken(name: str) -> str:
    """A name as it is said: ``night guard``."""
    return name.replace("_", " ").strip() or name


def _article(word: str, a: str) -> str:
    return f"{a}{'n' if word[:1].lower() in 'aeiou' else ''} {word}"


def _write(folder: Path, texts: dict[str, str]) -> None:
    """Write all files into a new folder, or nothing. Raises InputError."""
    try:
        with postponed():
            folder.mkdir()
            try:
                for name, text in texts.items():
                    (folder / name).write_text(text, "utf-8")
            except BaseException:
                rmtree(folder)
                raise
    except FileExistsError:
        hint = "choose another name, or remove it first"
        raise InputError("BT404", f"{folder} is there already", hint=hint) from None
    except OSError as error:
        raise unwritable(folder, error) from None
