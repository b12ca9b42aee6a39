"""Source of the function that makes an accelerator: it runs the generated functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from bthtn.planning.htn.expressions import Names
from bthtn.planning.htn.fastpath.body import tuple_source
from bthtn.planning.htn.translation.meaning import Assumption

_ATTRIBUTES: Final = MappingProxyType(
    {one: one for one in ("__code__", "__defaults__", "cell_contents")}
)

ASKING: Final = """\
def asking(start, question, part_of):
    misses = waits = 0
    def ask(state, most, kept=None):
        nonlocal misses, waits
        if waits and not kept:
            waits -= 1
            return None
        least = -most
        try:
            if kept:
                {moment} = kept
            else:
                if state.has_unknown and asks_unknown(state):
                    return None
                if {unlike}:
                    return None
                n, cell = 0, start
                {given} = {empty}
{scalars}
            while cell and n >= least:
                {state} = cell[0]({given}, {state})
        except Exception:
            waits = misses
            misses = min(2 * misses + 1, 63)
            if kept:
                kept.clear()
            return None
        misses = 0
        if kept is not None:
            kept[:] = {moment}
        if cell is None:
            return -n if n > least else None
        if cell or n < least:
            return None
        plan = new(Plan)
        put_source(plan, (part_of, question, state, {end}))
        put_expansions(plan, -n)
        return plan
    return ask"""
"""Source of the function that makes an accelerator, with the loop that runs the cells.

It answers within ``most`` expansions, or not at all; in a list that it is given it keeps where it
was then, and goes on from there when it is called with the same list again. After several misses in
a row it leaves ever more requests to the search at once.
"""
_EMPTY: Final = MappingProxyType({"C": "[None]", "R": "[]", "T": "[]", "K": "[]"})
"""The stacks and lists that functions take, as they are at first."""


def asking(
    given: Sequence[str], scalars: Mapping[str, str], unlike: Sequence[str], *, keeps_end: bool
) -> str:
    """Source of ``asking``, which makes an accelerator.

    ``given`` are the names that all functions take. With the trail ``T``, the values in ``S``
    change, so they are a copy. ``scalars`` are the variables of fluents, with the sources of their
    first values; with ``keeps_end`` the plan keeps their last ones. ``unlike`` are tests whether
    something is not as translations assume it to be.
    """
    variables = [*scalars]
    values = "state.values.copy()" if "T" in given else "state.values"
    return ASKING.format(
        moment=", ".join(["n", "cell", *given, *variables]),
        unlike=" or ".join(unlike) or "False",
        given=", ".join(given),
        empty=", ".join([values, *(_EMPTY[one] for one in given[1:])]),
        scalars="\n".join(f"                {name} = {first}" for name, first in scalars.items()),
        state=", ".join(["cell", "n", *variables]),
        end=f"(R, {tuple_source(variables)})" if keeps_end else "R",
    )


def changed(assumed: Assumption, names: Names) -> str:
    """Source of a test whether something is not as a translation assumes it to be."""
    holder, found = names.of(assumed.holder), names.of(assumed.found)
    if assumed.is_item:
        return f"{holder}[{names.of(assumed.name)}] is not {found}"
    return f"{holder}.{_ATTRIBUTES[assumed.name]} is not {found}"
