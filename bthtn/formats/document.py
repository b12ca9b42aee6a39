"""Reads text files and TOML, and reports where they are wrong."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from bthtn.errors import Diagnostic, InputError


def text_of(path: Path) -> str:
    """The text of a file, without a byte order mark. Raises InputError when it cannot be read."""
    hint = "is the path right, and may it be read?"
    try:
        if path.exists() and not path.is_file():  # a device or a pipe might never end
            raise InputError(Diagnostic("BT404", f"cannot read {path}: it is no file", hint=hint))
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(
            Diagnostic("BT404", f"cannot read {path}: {error.strerror}", hint=hint)
        ) from None
    except UnicodeDecodeError as error:
        place = f"{path}, byte {error.start}"
        raise InputError(Diagnostic("BT404", "not a text in UTF-8", place)) from None


def tables_in(text: str, path: Path) -> dict[str, Any]:
    """The tables of a text in TOML; ``path`` is for messages. Raises InputError with the place."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = re.search(r" \(at line (\d+), column (\d+)\)", str(error))
        where = f"{path}:{place[1]}:{place[2]}" if place else str(path)
        message = f"not TOML: {str(error).replace(place[0], '') if place else error}"
        hint = "is a quote, a bracket or a '=' missing?"
        raise InputError(Diagnostic("BT405", message, where, hint)) from None
