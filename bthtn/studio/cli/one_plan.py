"""Plan once, and print the plan or the explanation of a failure."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from time import perf_counter
from typing import Final

from bthtn.engine.domain.network import Network, network_text
from bthtn.engine.domain.task import CompoundTask, TaskCall
from bthtn.engine.plan.plan import Plan, is_empty
from bthtn.engine.planning.explain import Explanation, Reason, explanation_text
from bthtn.engine.planning.planner import search_for
from bthtn.engine.planning.protocol import PlanRequest, Search, SearchStatus
from bthtn.engine.planning.recurring import unanswered
from bthtn.engine.planning.trace import SearchEvent
from bthtn.engine.text.plan_json import encoded, goal_value
from bthtn.engine.text.tree import ASCII, UNICODE, one_line, tree_text
from bthtn.engine.world.expression import Binding
from bthtn.studio.cli.plan_arguments import PlanArguments
from bthtn.studio.cli.printing import (
    counted,
    deliver,
    is_unicode_screen,
    note,
    say,
    say_json,
    say_written,
    write_picture,
)

STEP: Final = 5_000
MOST_REASONS: Final = 200
MOST_DRAWN: Final = 150
NO_PLAN_FORMAT: Final = "bthtn-no-plan/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """The arguments of the command that define the output."""

    form: str = "tree"
    output: Path | None = None
    flat: bool = False
    scopes: bool = True
    legend: bool = False


def plan_once(arguments: PlanArguments, options: OutputOptions, *, parallelize: bool) -> int:
    """Plan and print. Returns 0 if there is a plan, else 1. Raises BthtnError."""
    problem = arguments.request()
    events: list[SearchEvent] = []
    listener = events.append if options.form == "html" else None
    plan, expansions = _by_search(search_for(problem, listener), problem)
    if options.form == "html":
        _show_page(problem, plan, events, options.output)
    if plan is None:
        show_why_not(problem, expansions, as_json=options.form == "json")
        return 1
    if parallelize:
        from bthtn.studio.analysis import parallelize as parallelized  # noqa: PLC0415 - for few plans

        plan = parallelized(plan)
    if options.form != "html":
        _show(plan, options)
    if is_empty(plan):
        note("nothing has to be done for it: the plan has no steps")
    return 0


def _show_page(
    problem: PlanRequest, plan: Plan | None, events: Sequence[SearchEvent], output: Path | None
) -> None:
    """Write a page with the plan and the search for it, or with the search that found none."""
    from bthtn.studio.views.html import html_page  # noqa: PLC0415 - only for pictures
    from bthtn.studio.views.plan_nodes import plan_tree  # noqa: PLC0415 - only for pictures
    from bthtn.studio.views.search_nodes import search_tree  # noqa: PLC0415 - only for pictures

    goal = as_written(problem.goal, problem.binding)
    trees = {} if plan is None else {"plan": plan_tree(plan, problem.state)}
    if events or not trees:
        trees["search"] = search_tree(events, goal, found=plan is not None)
    place = output or Path(f"{_file_name(problem.domain.name, goal)}.html")
    deliver(html_page(f"{problem.domain.name}: {goal}", trees), place)


def _file_name(domain: str, goal: str) -> str:
    return re.sub(r"\W+", "-", f"{domain}-{goal}").strip("-")


def _by_search(search: Search, asked: PlanRequest) -> tuple[Plan | None, int]:
    started, printed = perf_counter(), False
    while search.advance(STEP) is SearchStatus.RUNNING:
        if sys.stderr.isatty() and perf_counter() - started > 1:
            printed = True
            print(f"\r{search.expansions:,} expansions …", end="", file=sys.stderr, flush=True)
    if printed:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if search.status is SearchStatus.LIMIT:
        if search.plan is None:
            raise unanswered(search.expansions, asked)
        tried = counted(search.expansions, "expansion")
        note(f"stopped after {tried}: this is the best so far, there may be better plans")
    return search.plan, search.expansions


def _show(plan: Plan, options: OutputOptions) -> None:
    if options.form == "json":
        deliver(f"{encoded(plan, flat=options.flat)}\n", options.output)
    elif options.form == "xml":
        from bthtn.kit.formats import xml_of  # noqa: PLC0415 - loads py_trees

        deliver(xml_of(plan), options.output)
    elif options.form == "ipc":
        from bthtn.kit.formats.hddl import plan_text  # noqa: PLC0415 - for such files only

        deliver(plan_text(plan), options.output)
    elif options.form == "tree":
        text = _text(plan, options)
        say(text) if options.output is None else deliver(f"{text}\n", options.output)
    else:
        from bthtn.studio.views.plan_drawing import plan_dot  # noqa: PLC0415 - only for pictures

        dot = plan_dot(
            plan,
            flat=options.flat,
            scopes=options.scopes,
            legend=options.legend,
            most=None if options.form == "dot" else MOST_DRAWN,
        )
        name = _file_name(plan.domain.name, plan.goal_text)
        say_written(write_picture(dot, options.form, options.output, name))


def _text(plan: Plan, options: OutputOptions) -> str:
    plain = options.output is None and not is_unicode_screen()
    root = plan.flat() if options.flat else plan.tree
    tree = tree_text(root, plan.domain, scopes=options.scopes, strokes=ASCII if plain else UNICODE)
    head = f"{plan.domain.name}: {as_written(plan.goal, plan.binding)}"
    value = f", value {number_text(plan.value)}" if plan.domain.has_values else ""
    tried = counted(plan.expansions, "expansion")
    facts = f"record {plan.record!r}, cost {number_text(plan.cost)}{value}, {tried}"
    return f"{one_line(head)}\n{facts}\n\n{tree}"


def number_text(value: float) -> str:
    """A cost or a value as text, with up to six digits."""
    try:
        return f"{value:g}"
    except OverflowError:  # a whole number beyond all floats
        return f"{Decimal(value):.6g}"


def as_written(goal: Network, binding: Binding) -> str:
    """The goal as the user wrote it; ``achieve`` conditions are anonymous tasks in the plan."""
    if isinstance(goal, TaskCall) and isinstance(goal.task, CompoundTask) and goal.task.origin:
        return goal.task.doc
    return network_text(goal, binding)


def show_why_not(problem: PlanRequest, expansions: int, *, as_json: bool) -> None:
    explanation = Explanation()
    search_for(problem, explanation.add).advance()
    reasons = explanation.reasons()
    goal = goal_value(problem.goal, problem.binding)
    if as_json:
        why = [{"depth": reason.depth, "text": reason.text} for reason in reasons]
        head = {"format": NO_PLAN_FORMAT, "domain": problem.domain.name, "task": goal}
        say_json({**head, "expansions": expansions, "why": why})
        return
    shown = [Reason(reason.depth, one_line(reason.text)) for reason in reasons[:MOST_REASONS]]
    wanted = one_line(as_written(problem.goal, problem.binding))
    say(f"{problem.domain.name}: no plan for {wanted}, because")
    say(explanation_text(shown) or "nothing was tried")
    if len(reasons) > MOST_REASONS:
        say(f"… and {len(reasons) - MOST_REASONS} lines more; --json has them all")
