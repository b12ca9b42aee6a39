"""mypy accepts every right use in api.py, and refuses every wrong one as it says there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
IGNORE = re.compile(r"  # type: ignore\[([\w, -]+)\]")
ERROR = re.compile(r"^[^\n]+\.py:(\d+): error: [^\n]*  \[([\w-]+)\]$", re.MULTILINE)


def promised(source):
    """Lines that have to be wrong, each with the codes it gives."""
    return {
        (number, code)
        for number, line in enumerate(source.splitlines(), 1)
        for codes in IGNORE.findall(line)
        for code in codes.split(", ")
    }


def found(path):
    """What mypy says about a file, in the same form."""
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-pretty", "--no-color-output", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = {(int(number), code) for number, code in ERROR.findall(done.stdout)}
    assert errors, done.stdout + done.stderr
    assert len(errors) <= done.stdout.count(": error: "), done.stdout
    return errors


@pytest.mark.slow  # mypy looks at everything; `make static` holds api.py to its comments, too
def test_right_uses_pass_and_wrong_uses_fail_as_the_examples_say(tmp_path):
    source = (HERE / "api.py").read_text("utf-8")
    wrong = promised(source)
    assert len(wrong) > 60
    bare = tmp_path / "bare.py"
    bare.write_text(IGNORE.sub("", source), "utf-8")
    assert found(bare) == wrong
