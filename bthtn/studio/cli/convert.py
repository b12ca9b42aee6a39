"""``bthtn convert``: a domain in HDDL or PDDL becomes one in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from bthtn.errors import InputError, unwritable
from bthtn.kit.formats.hddl import converted
from bthtn.kit.formats.hddl.problem import ENDINGS
from bthtn.studio.cli.printing import say


def convert(
    file: Annotated[Path, Argument(metavar="FILE", help="A domain: a .hddl or .pddl file.")],
    *,
    output: Annotated[
        Path | None, Option("--output", "-o", metavar="FOLDER", help="Folder for its domain.py.")
    ] = None,
) -> None:
    """Write the domain in Python, or print it. Raises InputError; no file is overwritten."""
    if file.suffix not in ENDINGS:
        message = f"{file} is no domain in HDDL or PDDL"
        raise InputError("BT409", message, hint=f"name a file that ends in {' or '.join(ENDINGS)}")
    text = converted(file)
    if output is None:
        say(text.removesuffix("\n"))
        return
    place = output / "domain.py"
    try:
        output.mkdir(parents=True, exist_ok=True)
        with place.open("x", encoding="utf-8") as written:
            written.write(text)
    except OSError as error:
        raise unwritable(place, error) from None
    say(f"wrote {place}")
    say(f"next: bthtn check {output}; bthtn render {output}")
