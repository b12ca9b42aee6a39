"""``bthtn new``: the example ``trees/starter`` as a character to begin with."""

from __future__ import annotations

import sys
from keyword import iskeyword
from pathlib import Path
from shutil import rmtree
from typing import Annotated, Final

from typer import Argument

from bthtn import examples
from bthtn.cli.handlers import postponed
from bthtn.cli.printing import say
from bthtn.errors import InputError, unwritable

EXAMPLE: Final = "starter"
"""The folder of the example, and the only word in its files that becomes another one."""


def new(
    name: Annotated[str, Argument(metavar="NAME", help="Name of the character: a new folder.")],
) -> None:
    """Write a small character to begin with: a domain, a tree, and tests that pass."""
    folder = Path(name)
    if not folder.name.isidentifier() or iskeyword(folder.name):
        hint = "its folder is imported: write letters, digits and _, as in night_guard"
        raise InputError("BT409", f"a character cannot be called '{folder.name}'", hint=hint)
    if folder.name in (*sys.stdlib_module_names, "bthtn", "py_trees"):
        message = f"a character cannot be called '{folder.name}', as a module that is needed is"
        raise InputError("BT409", message, hint=f"call it {folder.name}_guard")
    example = Path(examples.__path__[0], "trees", EXAMPLE)
    files = sorted(file for file in example.iterdir() if file.suffix in (".py", ".toml"))
    texts = {file.name: file.read_text("utf-8").replace(EXAMPLE, folder.name) for file in files}
    _write(folder, texts)
    say(f"wrote {', '.join(str(folder / file) for file in texts)}")
    say(f"next: bthtn run {folder}; bthtn check {folder}; bthtn test {folder}")


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
