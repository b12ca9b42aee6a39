"""What the manual asks its readers to write, for the tests that run it."""

import contextlib
import io
import os
import re
from pathlib import Path

from bthtn.studio.testing.domain_files import module_at

DOCS = Path(__file__).parent
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOMAIN, TREE = Path("courier/domain.py"), Path("courier/tree.py")
FILE_OF = {"1": DOMAIN, "2": DOMAIN, "3": DOMAIN, "6": DOMAIN, "7": TREE, "8": TREE}


def program(file: Path, before: int) -> str:
    """What the chapters of the tutorial before this one put into a file; no sessions."""
    pages = [
        page.read_text("utf-8")
        for page in sorted((DOCS / "tutorial").glob("[0-9]-*.md"))
        if FILE_OF.get(page.name[0]) == file and int(page.name[0]) < before
    ]
    blocks = [text for page in pages for kind, text in BLOCK.findall(page) if kind == "python"]
    return "\n\n".join(text for text in blocks if not text.startswith(">>>"))


def write_files(before: int) -> None:
    """Make the reader's files as they are before a chapter."""
    DOMAIN.parent.mkdir(exist_ok=True)
    for file in (DOMAIN,) if before < 7 else (DOMAIN, TREE):
        file.write_text(program(file, before), "utf-8")


def begin(chapter: int, namespace: dict[str, object]) -> None:
    """Let the code of a chapter run where the reader writes it: at the end of a file."""
    write_files(chapter)
    file = TREE if chapter > 6 else DOMAIN
    namespace["__package__"] = module_at(file).__package__
    if str(chapter) in FILE_OF or file is DOMAIN:
        exec(program(file, chapter), namespace)  # noqa: S102 - the manual itself


def write_shown(page: str, kind: str, file: str) -> None:
    """Make a file that a page shows, in its only block of that kind; sessions do not count."""
    found = BLOCK.findall((DOCS / page).read_text("utf-8"))
    (text,) = (text for shown, text in found if shown == kind and not text.startswith(">>>"))
    Path(file).write_text(text, "utf-8")


def write_named(page: str) -> None:
    """Make the files that a page shows, in blocks with a title."""
    text = (DOCS / page).read_text("utf-8")
    for name, content in re.findall(r"""(?ms)^```\w+ title="([\w.]+)"\n(.*?)^```$""", text):
        Path(name).write_text(content, "utf-8")


def readme_example() -> tuple[str, str]:
    """What the example of README.md prints, and what README.md says that it prints."""
    blocks = BLOCK.findall((DOCS.parent / "README.md").read_text("utf-8"))
    example = next(text for kind, text in blocks if kind == "python")
    shown = next(text for kind, text in blocks if kind == "text")
    screen = io.StringIO()
    with contextlib.redirect_stdout(screen):
        exec(example, {"__name__": "__main__"})  # noqa: S102 - the manual itself
    return screen.getvalue(), shown


def error_rows() -> list[str]:
    """A row for each error code, with the title of its page."""
    titles = (page.read_text("utf-8").partition("\n")[0] for page in (DOCS / "errors").glob("*.md"))
    told = sorted(title.removeprefix("# ").partition(": ")[::2] for title in titles)
    return [f"| [{code}](errors/{code}.md) | {meaning} |" for code, meaning in told]


def outdated_error_rows() -> str:
    """The rows of the first page that are not those of the error codes; REDRAW writes them."""
    page, rows = DOCS / "index.md", error_rows()
    text = page.read_text("utf-8")
    shown = re.findall(r"(?m)^\| \[BT\d+\].*$", text)
    if os.environ.get("REDRAW") and shown != rows:
        page.write_text(text.replace("\n".join(shown), "\n".join(rows)), "utf-8")
        shown = rows
    return "\n".join(sorted({*shown} ^ {*rows}))


def rules_without_tests() -> list[str]:
    """Rules of semantics.md for which no test is named, or that share a number; missing tests."""
    faults: list[str] = []
    for part in re.split(r"(?m)^(?=##)", (DOCS / "semantics.md").read_text("utf-8")):
        rules = re.findall(r"(?m)^- \*\*([\d.]+)\*\*", part)
        shown = part.partition("\nShown by\n")[2]
        named = set(re.findall(r"\d+\.\d+\.\d+", shown))
        faults += [rule for rule in rules if rule not in named]
        faults += [f"two are {rule}" for rule in set(rules) if rules.count(rule) > 1]
        files = re.findall(r"`(tests/[\w/.]+)`", shown)
        faults += [file for file in files if not (DOCS.parent / file).is_file()]
    return faults
