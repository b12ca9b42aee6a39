"""docs/requirements.md is complete and true."""

import ast
import re
import tomllib
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "requirements.md"
# The last number of each document, with the numbers that were never given.
LAST = {"R000": 42, "R001": 16, "R003": 14, "R004": 7}
NEVER_GIVEN = {f"R000-{number:02}" for number in (7, 8, 9, 19, 27, 28, 29)}


def asked_for() -> list[str]:
    numbers = [f"{key}-{number:02}" for key in LAST for number in range(1, LAST[key] + 1)]
    return [number for number in numbers if number not in NEVER_GIVEN]


def rows(text: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| R0")
    ]


def faults(row: list[str]) -> list[str]:
    """What is not true in a line of the table."""
    number, what, lives, shown = row
    found = [] if what else [f"{number} says nothing"]
    tests, _, missing = shown.partition("not yet:")
    links = re.findall(r"\]\(([^)#]+)", lives)
    places = [*(PAGE.parent / link for link in links), *map(ROOT.joinpath, quoted(lives))]
    found += [f"{number}: there is no {place}" for place in places if not place.exists()]
    if not places and not missing:
        found.append(f"{number} lives nowhere")
    if not quoted(tests) and not missing:
        found.append(f"nothing shows {number}")
    found += [f"{number}: {one} {fault}" for one in quoted(tests) if (fault := unfit(one, number))]
    found += [f"{number}: {one} is built by now" for one in quoted(missing) if is_built(one)]
    return found


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def unfit(text: str, number: str) -> str:
    """What is wrong with a page, a test or a case that is to show a requirement, "" if nothing is.

    The suite runs every test and every case; here they are only looked for.
    """
    file, _, name = text.partition("::")
    path = ROOT / file
    if not path.is_file() or not name:
        return "" if path.is_file() and path.suffix == ".md" else "does not exist"
    found = (case_of if path.suffix == ".toml" else function_of)(path, name)
    if not found:
        return "does not exist"
    names = (number, number.lower().replace("-", "_"))  # the latter in the names of tests
    return "" if any(one in found for one in names) else "does not mention it"


def case_of(path: Path, name: str) -> str:
    """The text of a case with its comments, "" if there is none."""
    text = path.read_text("utf-8")
    if name not in tomllib.loads(text):
        return ""
    (found,) = re.findall(rf"(?m)^(?:#.*\n)*\[{name}\](?:.*\n(?!\[))*", text)
    return found


def function_of(path: Path, name: str) -> str:
    """The text of a test with its decorators and the comments above them, "" if there is none."""
    lines = path.read_text("utf-8").splitlines()
    for node in ast.parse("\n".join(lines)).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min(one.lineno for one in (node, *node.decorator_list)) - 1
            while lines[first - 1].startswith("#"):
                first -= 1
            return "\n".join(lines[first : node.end_lineno])
    return ""


def is_built(text: str) -> bool:
    """Whether a file, or a name in a module, exists."""
    if "/" in text:
        return (ROOT / text).exists()
    module, _, name = text.rpartition(".")
    return hasattr(import_module(module), name)


TABLE = rows(PAGE.read_text("utf-8"))


def test_every_requirement_has_a_line_and_every_line_a_requirement():
    assert [row[0] for row in TABLE] == asked_for()


def test_every_line_of_the_requirements_is_true():
    found = [fault for row in TABLE for fault in faults(row)]
    assert not found, "\n".join(found)
