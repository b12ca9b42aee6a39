"""``bthtn plan --all``: the sorted list of all plans, from one state or from several."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import islice
from typing import Any, Final

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.plan.plan import Plan
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.least_cost import least_sums
from bthtn.engine.planning.protocol import PlanRequest, SearchStatus
from bthtn.engine.planning.recurring import unanswered
from bthtn.engine.text.notation import normal
from bthtn.engine.text.plan_json import encoded, goal_value
from bthtn.engine.text.tree import one_line
from bthtn.studio.cli.one_plan import OutputOptions, as_written, number_text, show_why_not
from bthtn.studio.cli.plan_arguments import PlanArguments
from bthtn.studio.cli.printing import WIDTH, counted, deliver, refuse, say

FORMAT: Final = "bthtn-plans/1"


def list_plans(
    arguments: PlanArguments, options: OutputOptions, limit: int, *, parallelize: bool
) -> int:
    """Print at most so many plans, each once, the most preferred first.

    Plans are in the order of their records; with values, or ``--cheapest``, in that of their sums.
    Returns 1 if there is none. Raises InputError for options that are about a single plan.
    """
    of_one = {
        f"format {options.form}": options.form not in ("tree", "json"),
        "parallelize": parallelize,
        "anytime": arguments.settings["anytime"],
    }
    refuse(of_one, "a list of plans", "leave it out, or leave out --all")
    asked = list(arguments.requests())
    first = asked[0]
    sums = least_sums(first.domain, cheapest=first.settings.cheapest)
    most = limit + 1 if sums is None else None
    found = [plan for request in asked for plan in islice(every_plan(request), most)]
    found.sort(key=lambda plan: (0 if sums is None else sums.value(plan), plan.record))
    plans = list({(plan.record, normal(plan.tree)): plan for plan in found}.values())
    if not plans:
        show_why_not(first, 0, as_json=options.form == "json")
        return 1
    shown, is_complete = plans[:limit], len(plans) <= limit
    if options.form == "json":
        deliver(f"{_json(first, shown, options, is_complete=is_complete)}\n", options.output)
    else:
        text = "\n".join(_lines(first, shown, limit, is_complete=is_complete))
        say(text) if options.output is None else deliver(f"{text}\n", options.output)
    return 0


def every_plan(asked: PlanRequest) -> Iterator[Plan]:
    """Every plan for a request, in the order of their records, whatever they cost.

    Raises PlanningError if the limit of expansions is reached.
    """
    settings = replace(asked.settings, cheapest=False)
    search = HtnSearch.of(replace(asked, domain=_unweighed(asked.domain), settings=settings))
    while search.advance() is SearchStatus.SOLVED:
        assert search.plan is not None, "a search that is solved has a plan"
        yield replace(search.plan, domain=asked.domain)
        search.reject()
    if search.status is SearchStatus.LIMIT:
        raise unanswered(search.expansions, asked)


class _UnweighedDomain(FrozenDomain):
    """A domain whose plans are not compared by the values of their methods."""

    __slots__ = ()

    @property
    def has_values(self) -> bool:
        """False: a search finds each plan, not only those of the least sum."""
        return False


def _unweighed(domain: FrozenDomain) -> FrozenDomain:
    if not domain.has_values:
        return domain
    given = {part.name: getattr(domain, part.name) for part in fields(domain) if part.init}
    return _UnweighedDomain(**given)


def _lines(
    asked: PlanRequest, plans: Sequence[Plan], limit: int, *, is_complete: bool
) -> Iterator[str]:
    yield one_line(f"{asked.domain.name}: {as_written(asked.goal, asked.binding)}")
    more = "" if is_complete else f"; there are more: --limit {limit * 10}"
    yield f"{counted(len(plans), 'plan')}, the most preferred first{more}"
    yield ""
    heads = ["record", "cost", *(["value"] if asked.domain.has_values else []), "plan"]
    rows = [heads, *(_row(plan) for plan in plans)]
    widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    for row in rows:
        margin = "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=False))
        room = max(WIDTH // 2, WIDTH - len(margin) - 2)
        first, *others = textwrap.wrap(row[-1], room) or [""]
        yield f"{margin}  {first}"
        yield from (f"{'':{len(margin)}}  {other}" for other in others)


def _row(plan: Plan) -> list[str]:
    value = [number_text(plan.value)] if plan.domain.has_values else []
    return [repr(plan.record), number_text(plan.cost), *value, one_line(normal(plan.tree))]


def _json(
    asked: PlanRequest, plans: Sequence[Plan], options: OutputOptions, *, is_complete: bool
) -> str:
    head: dict[str, Any] = {
        "format": FORMAT,
        "domain": asked.domain.name,
        "task": goal_value(asked.goal, asked.binding),
        "complete": is_complete,
    }
    texts = ", ".join(encoded(plan, flat=options.flat) for plan in plans)
    return f'{json.dumps(head)[:-1]}, "plans": [{texts}]}}'
