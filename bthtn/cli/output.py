"""Where results go: the screen, or a file that is there completely or not at all."""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from bthtn.errors import BthtnError, Diagnostic, InputError

SCREEN: Final = Path("-")
_COLOURS: Final = (
    (r"(?m)^[ │├└─|`-]+", "dim"),
    (r"\b(sequence|parallel( \w+)?|priority( reactive)?)\b", "blue"),
    (r"suspended \(.*", "magenta"),
    (r", (method .*|chosen at run time)", "dim"),
    (r"✗ .*", "red dim"),
    (r"\[BT\d+\]", "bold"),
    (r"(?m)^error", "bold red"),
    (r"(?m)^warning", "bold yellow"),
)


def say(text: str) -> None:
    """Print for people: in colour where the screen has any, without breaking lines."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        print(text)
        return
    from rich.console import Console  # noqa: PLC0415 - only on a screen
    from rich.text import Text  # noqa: PLC0415 - only on a screen

    shown = Text(text)
    for pattern, style in _COLOURS:
        shown.highlight_regex(pattern, style)
    Console().print(shown, soft_wrap=True)


def say_json(value: Any) -> None:
    """Print for programs, on one line."""
    print(json.dumps(value))


def complain(error: BthtnError) -> None:
    """Tell what is wrong on stderr, where it disturbs no program that reads the results."""
    print(error, file=sys.stderr)


@contextmanager
def at(place: str) -> Iterator[None]:
    """What is wrong inside is wrong at this place, where it does not say so itself."""
    try:
        yield
    except BthtnError as error:
        several = [replace(one, where=one.where or place) for one in error.diagnostics]
        raise InputError(several) from None


def counted(number: int, word: str) -> str:
    """``no errors``, ``1 error``, ``2 errors``."""
    return f"{number or 'no'} {word}{'' if number == 1 else 's'}"


def is_unicode_screen() -> bool:
    """Whether the lines of a tree can be printed."""
    try:
        "├─└│✗…".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def write(content: str | bytes, target: Path | None) -> None:
    """Write to a file, whole or not at all; to the screen without one. Raises InputError."""
    data = content.encode() if isinstance(content, str) else content
    if target is None or target == SCREEN:
        _to_screen(data)
        return
    try:
        where = target.resolve()
        if where.exists() and not where.is_file():
            where.write_bytes(data)  # a device or a pipe; a folder refuses
        else:
            _replace(where, data)
    except OSError as error:
        message = f"cannot write {target}: {error.strerror}"
        raise InputError(Diagnostic("BT404", message, hint="is there such a folder?")) from None


def _to_screen(data: bytes) -> None:
    try:
        text = data.decode()
    except UnicodeDecodeError:  # a picture
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    else:
        print(text, end="" if text.endswith("\n") else "\n")


def _replace(where: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=where.parent, prefix=f".{where.name[:50]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        mode = stat.S_IMODE(where.stat().st_mode) if where.exists() else 0o666 & ~mask
        os.chmod(name, mode)
        os.replace(name, where)
    except BaseException:
        os.unlink(name)
        raise


def write_picture(dot: str, form: str, target: Path | None, name: str) -> Path | None:
    """Write dot, or the picture that Graphviz makes of it; where it lies, if in a file.

    Raises InputError without Graphviz, when the .dot has been written in its place.
    """
    if form == "dot":
        write(dot, target)
        return target
    from bthtn.views.graphviz import picture  # noqa: PLC0415 - only for pictures

    target = target or Path(f"{name}.{form}")
    try:
        write(picture(dot, form), target)
    except InputError as error:
        if error.code != "BT407" or target == SCREEN:
            raise
        instead = target.with_suffix(".dot")
        write(dot, instead)
        one = error.diagnostics[0]
        raise InputError(
            Diagnostic(one.code, f"{one.message}; wrote {instead} instead", hint=one.hint)
        ) from None
    return None if target == SCREEN else target
