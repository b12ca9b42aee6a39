"""Small faults that can be put into a module: an operator flipped, a statement left out.

A fault is a piece of source text and what stands there instead, so the rest of the file stays as
it is, line for line.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

FLIPPED = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}
# Never changed are annotations and decorators, assertions of what cannot happen, and f-strings,
# inside which Python 3.11 does not know columns.
LEFT_ALONE = {"annotation", "returns", "decorator_list", "type_params"}


@dataclass(frozen=True)
class Fault:
    """One change of one file; lines count from 1, columns in bytes from 0."""

    kind: str
    line: int
    column: int
    end_line: int
    end_column: int
    instead: str

    def put_into(self, source: str) -> str:
        """The source with this fault in it."""
        before, _, after = self._around(source)
        return (before + self.instead.encode() + after).decode()

    def replaced(self, source: str) -> str:
        """The piece of the source in whose place the fault stands."""
        return self._around(source)[1].decode()

    def _around(self, source: str) -> tuple[bytes, bytes, bytes]:
        lines = source.encode().splitlines(keepends=True)
        start = sum(map(len, lines[: self.line - 1])) + self.column
        end = sum(map(len, lines[: self.end_line - 1])) + self.end_column
        whole = b"".join(lines)
        return whole[:start], whole[start:end], whole[end:]


def faults_in(source: str) -> list[Fault]:
    """All the faults that can be put into a module, in the order of its lines."""
    found = [
        Fault(kind, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, instead)
        for node in visited(ast.parse(source))
        for kind, instead in changes(node)
    ]
    return sorted(found, key=lambda fault: (fault.line, fault.column, fault.kind, fault.instead))


def visited(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one whose code is run for its result."""
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if name in LEFT_ALONE or not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.Assert | ast.JoinedStr):
                continue
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            yield child
            yield from visited(child)


def changes(node: ast.AST) -> Iterator[tuple[str, str]]:
    """What could stand in place of a node, with the kind of the change."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in FLIPPED:
            yield "comparison flipped", written(ast.Compare(left, [FLIPPED[type(op)]()], [right]))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in FLIPPED:
            yield "sum flipped", written(ast.BinOp(left, FLIPPED[type(op)](), right))
        case ast.BoolOp(op=op, values=values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "and, or flipped", written(ast.BoolOp(other, values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not removed", written(operand)
        case ast.Constant(value=bool(value)):
            yield "constant changed", str(not value)
        case ast.Constant(value=int(value)):
            yield "constant changed", str(value + 1)
        case ast.Return(value=value) if value is not None and ast.unparse(value) != "None":
            yield "returns None", "return None"
        case ast.Raise() | ast.Continue() | ast.Break() | ast.AugAssign():
            yield "statement deleted", "pass"
        case ast.Expr(value=ast.Call()) | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "statement deleted", "pass"


def written(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"
