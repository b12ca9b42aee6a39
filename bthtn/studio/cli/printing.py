"""Output of results: to the screen, or atomically to a file."""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from errno import EISDIR
from pathlib import Path
from typing import Any, Final, TypeVar

from bthtn.errors import BthtnError, InputError, unwritable
from bthtn.studio.cli.handlers import postponed

T = TypeVar("T")

SCREEN: Final = Path("-")
WIDTH: Final = 100
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
    """Print text without wrapping lines, in colour if stdout is a terminal."""
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
    print(json.dumps(value))


def note(text: str) -> None:
    """Print a line on stderr, beside the results."""
    print(text, file=sys.stderr, flush=True)


def with_progress(results: Generator[T], what: str, total: int) -> Iterator[T]:
    """The results, with a bar of progress if stderr is a terminal."""
    from rich.console import Console  # noqa: PLC0415 - only for long commands
    from rich.progress import track  # noqa: PLC0415 - only for long commands

    screen = Console(stderr=True)
    if not screen.is_terminal:
        return results
    return iter(track(results, what, total, console=screen, transient=True))


def complain(error: BthtnError) -> None:
    """Print an error to stderr, if that can be written to."""
    with suppress(OSError):
        print(error, file=sys.stderr, flush=True)


def refuse(options: Mapping[str, object], what: str, hint: str) -> None:
    """Raise InputError for the first of these options that is given."""
    for name in (name for name, value in options.items() if value):
        raise InputError("BT409", f"--{name} says nothing about {what}", hint=hint)


def check_name(file: Path, what: str, endings: tuple[str, ...]) -> None:
    """Raise InputError for a file to write that may be something else, by its ending."""
    if not file.name.endswith(endings):
        message = f"{file} is no name of a {what}"
        raise InputError("BT409", message, hint=f"let it end in {' or '.join(endings)}")


@contextmanager
def errors_at(place: str) -> Iterator[None]:
    """Locate the diagnostics of errors raised inside at this place, unless they have one.

    Raises InputError.
    """
    try:
        yield
    except BthtnError as error:
        where = place if len(place) <= WIDTH else f"{place[:WIDTH]}…"
        raise InputError.of(error.placed(where).diagnostics) from None


def counted(number: int, word: str) -> str:
    """``no errors``, ``1 error``, ``2 errors``."""
    return f"{number or 'no'} {word}{'' if number == 1 else 's'}"


def is_unicode_screen() -> bool:
    """Whether stdout can encode the characters that trees are drawn with."""
    try:
        "├─└│✗…".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def write(content: str | bytes, output: Path | None) -> None:
    """Write atomically to a file, or to stdout without one. Raises InputError."""
    # Surrogates stand for the bytes of a file's name that are no UTF-8.
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    if output is None or output == SCREEN:
        _to_screen(data)
        return
    try:
        mode = _mode(output)
        if mode is None or stat.S_ISREG(mode):
            with postponed():
                _replace(os.path.realpath(output), data, mode)
        else:
            output.write_bytes(data)  # a device or a pipe; a folder refuses
    except OSError as error:
        raise unwritable(output, error) from None


def deliver(content: str | bytes, output: Path | None) -> None:
    """Write to a file, and say so; or to stdout without one. Raises InputError."""
    write(content, output)
    say_written(output)


def say_written(output: Path | None) -> None:
    """Say of a file that it was written; of devices, pipes and stdout nothing."""
    if output is not None and output != SCREEN and output.is_file():
        say(f"wrote {output}")


def _mode(path: Path) -> int | None:
    """The type and permissions of a file; None if there is none."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _to_screen(data: bytes) -> None:
    try:
        text = data.decode()
    except UnicodeDecodeError:  # a picture
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    else:
        print(text, end="" if text.endswith("\n") else "\n")


def _replace(path: str, data: bytes, mode: int | None) -> None:
    folder, name = os.path.split(path)
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{name[:50]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask if mode is None else stat.S_IMODE(mode))
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write_picture(dot: str, form: str, output: Path | None, name: str) -> Path | None:
    """Write dot, XML or HTML, or a picture rendered by Graphviz. Returns the path; None for stdout.

    Raises InputError without Graphviz, after writing the .dot file instead.
    """
    if form in ("dot", "xml", "html"):
        write(dot, output)
        return None if output == SCREEN else output
    from bthtn.studio.views.graphviz import picture  # noqa: PLC0415 - only for pictures

    output = output or Path(f"{name}.{form}")
    if output.is_dir():
        raise unwritable(output, IsADirectoryError(EISDIR, os.strerror(EISDIR)))
    try:
        write(picture(dot, form), output)
    except InputError as error:
        if error.code != "BT407" or output == SCREEN:
            raise
        instead = output.with_suffix(".dot")
        write(dot, instead)
        fault = error.diagnostics[0]
        message = f"{fault.message}; wrote {instead} instead"
        raise InputError.of(replace(fault, message=message)) from None
    return None if output == SCREEN else output
