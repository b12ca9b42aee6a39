"""``bthtn list``: the available domains, with their variants, and trees; their sheets."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import asdict, dataclass
from pathlib import Path

from bthtn.errors import BthtnError
from bthtn.kit.formats.sheet import sheets_in
from bthtn.studio.cli.options import AsJson
from bthtn.studio.cli.printing import say, say_json
from bthtn.studio.testing.locate import Target, TargetKind, all_of, shown, variants_of


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of the list: a domain or a tree; ``error`` is why its file cannot be used."""

    name: str
    path: str
    summary: str
    variants: list[str]
    sheets: list[str]
    error: str

    def lines(self, width: int) -> list[str]:
        """The row as text, its name padded to a width."""
        error = f" (cannot be loaded: {self.error})" if self.error else ""
        first = f"  {self.name:{width}}  {self.summary}{error}".rstrip()
        margin = " " * (width + 4)
        below = textwrap.wrap(
            ", ".join([*self.variants, *self.sheets]),
            width=100,
            initial_indent=margin,
            subsequent_indent=margin,
            break_long_words=False,
        )
        return [first, *below]


def list_all(*, as_json: AsJson = False) -> None:
    """Print the names that other commands accept, each with its summary."""
    found = {kind: [_row(target) for target in all_of(kind)] for kind in TargetKind}
    if as_json:
        say_json({kind.folder: [asdict(row) for row in found[kind]] for kind in TargetKind})
        return
    for kind, rows in found.items():
        say(f"{kind.folder}:" if rows else f"no {kind.folder}")
        width = max((len(row.name) for row in rows), default=0)
        for row in rows:
            say("\n".join(row.lines(width)))


def _row(target: Target) -> Listed:
    assert target.file is not None, "named domains and trees have files"
    variants, error = [], ""
    if target.kind is TargetKind.DOMAIN:
        try:
            variants = variants_of(target)
        except BthtnError as fault:
            error = fault.diagnostics[0].message
    sheets = [file.name for file in sheets_in(target.file.parent)]
    return Listed(target.name, shown(target.file), summary(target.file), variants, sheets, error)


def summary(file: Path) -> str:
    """The first line of a module's docstring, or of the comment that begins a character's settings.

    No module is executed.
    """
    try:
        if file.suffix != ".py":
            first, *_ = [*file.with_name("character.toml").read_text("utf-8").splitlines(), ""]
            return first.removeprefix("#").strip() if first.startswith("#") else ""
        return (ast.get_docstring(ast.parse(file.read_bytes())) or "").partition("\n")[0]
    except (OSError, SyntaxError, ValueError):
        return ""
