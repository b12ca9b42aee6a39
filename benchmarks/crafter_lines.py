"""What the castaways of the experiment in Crafter took to write: lines, and decisions."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.report import NONE, Table

ROOT = Path(__file__).parent.parent
WRITTEN = {
    "common to all": [
        *("domains/crafter/beliefs.py", "trees/crafter/level.py", "trees/crafter/body.py"),
        *("trees/crafter/senses.py", "trees/crafter/operators.py", "trees/crafter/shelter.py"),
        "trees/crafter/steps.py",
        "trees/crafter/tree.py",
    ],
    "hybrid": ["domains/crafter/domain.py"],
    "scripted": ["trees/crafter/scripted.py", "trees/crafter/leaves.py"],
}
"""The files of each."""

BLANK = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    tokenize.ENDMARKER,
}
CHOICES = (ast.If, ast.IfExp, ast.For, ast.While, ast.match_case, ast.comprehension)
CHOOSING = {"method", "Believes", "Selector", "first", "If", "never", "lacks", "known"}
"""What is called where a domain or a tree goes one way or another."""


def lines(source: str) -> int:
    """Lines of code: no comments, docstrings and empty lines."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    code = {
        row
        for token in tokens
        if token.type not in BLANK
        for row in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                code -= set(range(node.lineno, node.end_lineno + 1))
    return len(code)


def decisions(source: str) -> int:
    """Places where it goes one way or another."""
    count = 0
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.BoolOp(values=values):
                count += len(values) - 1
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
                count += 1
            case ast.Call(func=ast.Name(id=name)):
                count += name in CHOOSING
            case _:
                count += isinstance(node, CHOICES)
    return count


def table(scores: Mapping[str, str]) -> Table:
    """A row for what is common, and for each arm that has files of its own."""
    made = [["written for", "files", "lines", "decisions", "Crafter score, %"]]
    for name, paths in WRITTEN.items():
        made.append(_row(name, paths, scores.get(name, NONE)))
    return made


def _row(name: str, paths: Iterable[str], score: str) -> list[str]:
    sources = [(ROOT / path).read_text("utf-8") for path in paths]
    files = ", ".join(Path(path).name for path in paths)
    return [name, files, str(sum(map(lines, sources))), str(sum(map(decisions, sources))), score]
