"""Pictures from dot by Graphviz' ``dot``; the only view that starts a process."""

from __future__ import annotations

import shutil
import subprocess
from typing import Final

from bthtn.errors import Diagnostic, InputError

FORMATS: Final = ("svg", "png")
TIMEOUT: Final = 120.0
_INSTALL_HINT: Final = (
    "install Graphviz (apt install graphviz, brew install graphviz, or https://graphviz.org),"
    " or look at it in a browser: --format html draws without Graphviz"
)


def picture(dot: str, form: str, *, program: str = "dot", timeout: float = TIMEOUT) -> bytes:
    """Render dot as svg or png; ``timeout`` is in seconds.

    Raises InputError if Graphviz is missing, fails, or takes too long.
    """
    assert form in FORMATS, f"Graphviz is not asked for {form}"
    found = shutil.which(program)
    if found is None:
        raise _fault(f"a picture as {form} needs Graphviz, and there is no program '{program}'")
    try:
        done = subprocess.run(  # noqa: S603 - a program found by name, and no shell
            [found, f"-T{form}"],
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


def _fault(message: str) -> InputError:
    return InputError(Diagnostic("BT407", message, hint=_INSTALL_HINT))
