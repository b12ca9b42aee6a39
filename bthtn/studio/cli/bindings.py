"""``bthtn bindings``: a character as typed code of another language, with a client."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from typer import Argument, Option

from bthtn.errors import InputError
from bthtn.kit.engines import EngineHost
from bthtn.studio.bindings import LANGUAGES, interface_of
from bthtn.studio.cli.options import TARGET, Output
from bthtn.studio.cli.printing import deliver, note
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.locate import TargetKind, resolve


def bindings(  # noqa: PLR0913 - an option for each language
    tree: Annotated[str, Argument(metavar="TREE", help=TARGET)],
    *,
    csharp: Annotated[bool, Option("--csharp", help="C#: Unity, Godot, .NET.")] = False,
    cpp: Annotated[bool, Option("--cpp", help="C++17: Unreal, or your own engine.")] = False,
    gdscript: Annotated[bool, Option("--gdscript", help="Godot 4.")] = False,
    gdscript3: Annotated[bool, Option("--gdscript3", help="Godot 3.")] = False,
    typescript: Annotated[bool, Option("--typescript", help="Browsers, and Node.")] = False,
    output: Output = None,
) -> None:
    """Write a file with the beliefs and tasks of a tree, and a client for its ``bthtn serve``.

    Raises InputError, and BthtnError for a tree that cannot be loaded.
    """
    asked = {
        "csharp": csharp,
        "cpp": cpp,
        "gdscript": gdscript,
        "gdscript3": gdscript3,
        "typescript": typescript,
    }
    named = [name for name, is_asked in asked.items() if is_asked]
    if len(named) != 1:
        count = f"{len(named)} are" if named else "none is"
        message = f"bindings are for one language, and {count} named"
        hint = f"give one of {', '.join(f'--{name}' for name in LANGUAGES)}"
        raise InputError("BT409", message, hint=hint)
    target = resolve(tree, TargetKind.TREE)
    host = EngineHost(partial(character_of, target), name=target.name)
    try:
        interface = interface_of(host.hello)
    finally:
        host.close()
    deliver(LANGUAGES[named[0]](interface), output)
    if not any(kind.tasks for kind in interface.kinds):
        note(f"no task of {target.name} is left to an engine: all have operators in Python")
