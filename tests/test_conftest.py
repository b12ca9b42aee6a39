"""A failure says how to repeat it alone."""

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


DRAWS = """
from pathlib import Path
import pytest
from hypothesis import given, strategies as st

DRAWN = []

def test_imports_a_module_of_the_project():
    import constants

@pytest.mark.parametrize("kind", [int, str])
def test_draws(kind):
    @given(st.from_type(kind))
    def draws(value):
        DRAWN.append(value)
    draws()
    with Path("drawn").open("a") as file:
        print(kind.__name__, [ascii(value) for value in DRAWN], file=file)
    DRAWN.clear()
"""


@pytest.mark.slow
def test_quick_tests_draw_the_same_examples_whatever_was_imported(house, pytester):
    """Hypothesis also draws constants of the modules that are imported so far."""
    numbers = "\n".join(f"A{number} = {number * 7919 + 3}" for number in range(200))
    words = "\n".join(f"B{number} = 'word {number}'" for number in range(200))
    pytester.makepyfile(constants=f"{numbers}\n{words}")
    pytester.makepyfile(test_it=DRAWS)
    for order in ("2", "3"):  # the module is imported before the draws, and after them
        printed = house(
            f"PYTHONPATH=. {sys.executable} -m pytest --randomly-seed={order} test_it.py"
        )
        assert "3 passed" in printed, printed
    lines = (pytester.path / "drawn").read_text().splitlines()
    assert len(lines) == 4
    assert len(set(lines)) == 2
