"""Source of the function that makes an accelerator: it runs the generated functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bthtn.planning.htn.fastpath.body import tuple_source

ASKING: Final = """\
def asking(start, question, part_of):
    misses = waits = 0
    def ask(state, most):
        nonlocal misses, waits
        if waits:
            waits -= 1
            return None
        try:
            if state.has_unknown and asks_unknown(state):
                return None
            n, C, R{0} = most, [None], []{1}
            S = state.values{2}
            cell = start
{3}
            while cell and n >= 0:
                {4} = cell[0]({5}, {4})
        except Exception:
            waits = misses
            misses = min(2 * misses + 1, 63)
            return None
        misses = 0
        if cell is None:
            return most - n if n > 0 else None
        if cell or n < 0:
            return None
        plan = new(Plan)
        put_source(plan, (part_of, question, state, {6}))
        put_expansions(plan, most - n)
        return plan
    return ask"""
"""Source of the function that makes an accelerator, with the loop that runs the cells.

After several misses in a row it leaves ever more requests to the search at once.
"""


def asking(given: Sequence[str], scalars: Mapping[str, str], *, keeps_end: bool) -> str:
    """Source of ``asking``, which makes an accelerator.

    ``given`` are the names that all functions take; those behind ``R`` are lists, empty at first.
    With the trail ``T``, the values in ``S`` change, so they are a copy. ``scalars`` are the
    variables of fluents, with the sources of their first values; with ``keeps_end`` the plan keeps
    their last ones.
    """
    variables, extra = [*scalars], given[3:]
    return ASKING.format(
        "".join(f", {one}" for one in extra),
        ", []" * len(extra),
        ".copy()" if "T" in extra else "",
        "\n".join(f"            {name} = {first}" for name, first in scalars.items()),
        ", ".join(["cell", "n", *variables]),
        ", ".join(given),
        f"(R, {tuple_source(variables)})" if keeps_end else "R",
    )
