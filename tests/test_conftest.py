"""A failure says how to repeat it alone."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parent.parent
TESTS = """
import random, pytest
from hypothesis import given, strategies as st

def test_passes():
    random.random()

@pytest.mark.parametrize("word", ["it's"])
def test_draws(word):
    assert random.random() < 0

@given(st.integers())
def test_is_small(number):
    assert number < 10_000
"""
PAGE = """
```python
number = 1
```

```python
assert number == 2, "found only after the block above"
```
"""
AMONG_OTHERS = "--hypothesis-profile thorough -n 2 --dist loadscope"
REPEAT = re.compile(r"^-+ to repeat it -+\n(.+)$", re.MULTILINE)
FAULT = re.compile(r"^E +(.+)$", re.MULTILINE)


@pytest.fixture(name="house")
def house_fixture(pytester, monkeypatch):
    """A folder with our conftest.py and tests of which some fail; runs a command there."""
    monkeypatch.delenv("CI", raising=False)
    pytester.makeini("[pytest]\naddopts = --import-mode=importlib\n")
    pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text("utf-8"))
    pytester.makepyfile(test_it=TESTS)
    (docs := pytester.path / "docs").mkdir()
    (docs / "conftest.py").write_text((ROOT / "docs" / "conftest.py").read_text("utf-8"))
    (docs / "page.md").write_text(PAGE)

    def run(command):
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=pytester.path,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    return run


@pytest.mark.parametrize(
    ("before", "options"),
    [
        ("", ""),
        pytest.param(
            "CI=true ",
            " --hypothesis-profile thorough -n 2 --dist loadscope",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_the_command_below_a_failure_repeats_it(house, before, options):
    printed = house(f"{before}{sys.executable} -m pytest{options}")
    commands = REPEAT.findall(printed)
    assert len(commands) == 3, printed
    for command in commands:
        assert command.startswith(before)
        again = house(command)
        assert FAULT.findall(again)[0] in printed, again
        assert "1 failed" in again
        assert "passed" not in again or "page.md" in command
    assert ("thorough" in commands[0]) == ("thorough" in options)
