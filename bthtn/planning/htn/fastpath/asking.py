"""Source of the function that makes an accelerator: it runs the generated functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from bthtn.planning.htn.expressions import Names
from bthtn.planning.htn.fastpath.excess import LARGEST
from bthtn.planning.htn.fastpath.lines import tuple_source
from bthtn.planning.htn.translation.meaning import Assumption

_ATTRIBUTES: Final = MappingProxyType(
    {name: name for name in ("__code__", "__defaults__", "cell_contents")}
)

ASKING: Final = """\
def asking(start, question, parts, actions):
    misses = waits = 0
    def ask(state, most, kept=None, avoiding=None, bound=None):
        nonlocal misses, waits
        if waits and not kept:
            waits -= 1
            return None
        try:
            if kept:
                {moment} = kept
            else:
                if state.has_unknown and asks_unknown(state):
                    return None
                if {unlike}:
                    return None
                n, cell = 0, start
{first}
{loop}
        except Exception:
            waits = misses
            misses = min(2 * misses + 1, 63)
            if kept:
                kept.clear()
            return None
        misses = 0
{ended}
        plan = OpenPlan()
        plan._source = parts, actions, question, state, {end}
        plan.expansions = n
        plan.__class__ = Plan
        return plan
    return ask"""
"""Source of the function that makes an accelerator, with the loop that runs the cells.

It answers within ``most`` expansions, or not at all; in a list that it is given it keeps where it
was then, and goes on from there when it is called with the same list again. After several misses in
a row it leaves ever more requests to the search at once.
"""
_LOOP = """\
            while cell and n <= most:
                {state} = cell[0]({given}, {state})"""
_BOUNDED_LOOP = """\
            while True:
                while cell and n <= most:
                    {state} = cell[0]({given}, {state})
                if cell != () or {equal} < 0:
                    break
                cell = C.pop()"""
"""The loop that runs the cells; a plan whose record does not beat the bound is none."""
_AT_FIRST = """\
        if cell is None and n < most:
            return n
        if cell or cell is None or n > most:
            if kept is not None:
                kept[:] = {moment}
            return None"""
_AT_BEST = """\
        if kept is not None:
            kept[:] = {moment}
        if n == most or n > most and kept is None:
            return None
        if len(B) == 1:
            return n
        _, n, R = B"""
"""What follows the loop: with the first plan it is over, or when there is none better."""
SOLVED: Final = """\
def solved({given}, cell, n, {state}):
    if {excess} < B[0]:
        if {excess} >= {largest}: raise Unforeseen
        B[:] = {excess}, n, R.copy()
    return C.pop(), n, {state}"""
_EMPTY: Final = MappingProxyType(
    {
        "C": "[None]",
        "R": "[]",
        "T": "[]",
        "K": "[]",
        "B": "[inf]",
        "X": "avoiding",
        "Y": "limits(bound)",
        "Z": "[]",
    }
)
"""What functions take, as it is at first. ``B`` is the best plan so far: its excess, the number
of expansions until it was found, and its record. ``Y`` has the limits of a bound."""


def asking(
    given: Sequence[str],
    scalars: Mapping[str, str],
    unlike: Sequence[str],
    equal: str | None,
    *,
    keeps_end: bool,
) -> str:
    """Source of ``asking``, which makes an accelerator.

    ``given`` are the names that all functions take. With the trail ``T``, the values in ``S``
    change, so they are a copy. ``scalars`` are the variables of fluents, with the sources of their
    first values; with ``keeps_end`` the plan keeps their last ones. ``unlike`` are tests whether
    something is not as translations assume it to be. ``equal`` is the variable that counts choices
    of the bound, if there is one.
    """
    variables = [*scalars]
    values = "state.values.copy()" if "T" in given else "state.values"
    first = {"S": values, **{name: _EMPTY[name] for name in given[1:]}, **scalars}
    moment = ", ".join(["n", "cell", *given, *variables])
    state = ", ".join(["cell", "n", *variables])
    loop = _LOOP if equal is None else _BOUNDED_LOOP
    return ASKING.format(
        moment=moment,
        unlike=" or ".join(unlike) or "False",
        first="\n".join(f"                {name} = {source}" for name, source in first.items()),
        loop=loop.format(state=state, given=", ".join(given), equal=equal),
        ended=(_AT_BEST if "B" in given else _AT_FIRST).format(moment=moment),
        end=f"(R, {tuple_source(variables)})" if keeps_end else "R",
    )


def solved(given: Sequence[str], scalars: Sequence[str], excess: str) -> str:
    """Source of the function at the end of a goal, which keeps the best plan and looks for more."""
    state = ", ".join(scalars)
    return SOLVED.format(given=", ".join(given), state=state, excess=excess, largest=LARGEST)


def changed(assumed: Assumption, names: Names) -> str:
    """Source of a test whether something is not as a translation assumes it to be."""
    holder, found = names.of(assumed.holder), names.of(assumed.found)
    if assumed.is_item:
        return f"{holder}[{names.of(assumed.name)}] is not {found}"
    return f"{holder}.{_ATTRIBUTES[assumed.name]} is not {found}"
