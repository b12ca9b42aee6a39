"""Writes the end of a branch, which the next branch follows, or the rest behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bthtn.planning.htn.fastpath.body import BodyWriter
from bthtn.planning.htn.fastpath.bound import EQUAL
from bthtn.planning.htn.fastpath.items import Node
from bthtn.planning.htn.fastpath.join import Join
from bthtn.planning.htn.fastpath.lines import is_name, tuple_source


def end_branch(body: BodyWriter, node: Node, number: int, join: Join | None = None) -> None:
    """Write the lines that end a branch of a node, and go on with the next one or behind it.

    ``join`` joins the branches of a parallel node. Raises NotWritable.
    """
    opened, equal = node.node, body.where.get(EQUAL)
    # Choices go on counting, so what equals the bound is not taken back.
    scalars = ["_" if scalar == equal else scalar for scalar in body.of.scalars]
    planned = ["p"] if opened.is_choice else []
    body.write(f"{', '.join(['_', *node.names, *planned, 'w', '_', 'rest'])} = cell")
    if planned:
        body.write("p.append(True)")
    body.write(f"w = (*w, {body.moment})")
    if number + 1 < len(opened.branches):
        body.entries.append((body.of.mark(opened, number + 1), ()))
        body.write(f"{tuple_source(['_', *scalars])} = w[0]")
        body.leave()
        body.branch(node, number + 1, node.binding, [*node.names, "w"], "rest")
        return
    body.write("u = cause_in(w, R) if Z else None")
    if join is None:
        body.write(*_agreed(scalars, len(opened.branches)))
    else:
        _joined(body, node, join, scalars)
    body.entries = [(body.of.mark(opened, number + 1), ())]
    body.stop_if("u is not None", "u", "rest", "stopped_behind")
    body.parts(node.behind)


def _agreed(scalars: Sequence[str], alternatives: int) -> Iterator[str]:
    """Lines that set variables behind a choice: UNKNOWN if they depend on the alternative."""
    if not scalars:
        return
    first, *others = (f"w{number}" for number in range(alternatives))
    yield f"{', '.join(['_', first, *others])} = w"
    for place, name in enumerate(scalars, start=1):
        value = f"{first}[{place}]"
        same = [
            f"({value} is {variable}[{place}] or {value} == {variable}[{place}])"
            for variable in others
        ]
        yield f"{name} = {value} if {' and '.join(same) or 'True'} else UNKNOWN"


def _joined(body: BodyWriter, node: Node, join: Join, scalars: Sequence[str]) -> None:
    """Write the lines that join the branches of a parallel node, or fail."""
    given = [name if name in node.names or not is_name(name) else "None" for name in node.binding]
    binding = tuple_source(given) if given else "()"
    body.write(f"w = {body.of.names.of(join)}(w, R, {binding})")
    with body.block("if w is None:"):
        body.fail()
    if scalars:
        body.write(f"{tuple_source(scalars)} = w")
