"""``bthtn explain``: why a plan is as it is, and which changes would lead to another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.task import TaskCall
from bthtn.engine.plan.plan import Plan
from bthtn.engine.planning.planner import search_for
from bthtn.engine.planning.protocol import PlanRequest, SearchStatus
from bthtn.engine.planning.recurring import unanswered
from bthtn.engine.text.tree import one_line
from bthtn.errors import InputError
from bthtn.studio.cli import options
from bthtn.studio.cli.one_plan import as_written, show_why_not
from bthtn.studio.cli.plan_arguments import PlanArguments, goal_from, require_goal
from bthtn.studio.cli.printing import errors_at, refuse, say, say_json
from bthtn.studio.explanation import (
    better_plan,
    decomposition_table,
    methods_of,
    table_text,
    why,
    why_not,
)
from bthtn.studio.testing.locate import domain_of

EXPLANATION_FORMAT = "bthtn-explanation/1"


def explain(  # noqa: PLR0913 - one for each thing that can be typed
    context: typer.Context,
    domain: Annotated[str, Argument(metavar="DOMAIN", help=options.TARGET)],
    task: options.Task = "",
    args: options.Args = None,
    *,
    given: options.Given = None,
    step: Annotated[str, Option(metavar="STEP", help="Explain only this step.")] = "",
    method: Annotated[
        str,
        Option(
            metavar="TASK:NUMBER",
            help="Say why this method is not chosen, and what would change it.",
        ),
    ] = "",
    table: Annotated[bool, Option("--table", help="Print the decomposition as a table.")] = False,
    cheapest: options.Cheapest = False,
    max_expansions: options.MaxExpansions = 1_000_000,
    achieve: options.Achieve = "",
    recording: Annotated[
        Path | None, Option(metavar="FILE", help="Take the beliefs of an agent from a recording.")
    ] = None,
    tick: Annotated[
        int | None, Option(min=0, help="With --recording: the tick, by default the last.")
    ] = None,
    agent: Annotated[
        str, Option(metavar="NAME", help="With --recording: the agent, by default the first.")
    ] = "",
    replans: options.Replans = "",
    as_json: options.AsJson = False,
) -> int:
    """Plan, and explain one step, one method, ``task:number``, the table, or the whole plan.

    With ``replans`` the decisions about that goal instead. Returns 0 if there is a plan, else 1.
    Raises BthtnError.
    """
    require_goal(context, task or achieve, domain)
    recorded = [] if recording is None else _beliefs_at(recording, tick, agent, domain)
    arguments = PlanArguments(
        domain=domain,
        task=task,
        args=args or (),
        given=[*recorded, *(given or ())],
        settings={"cheapest": cheapest, "max_expansions": max_expansions},
        achieve=achieve,
    )
    parts = {"step": step, "method": method, "table": table, "replans": replans}
    for part in (name for name, value in parts.items() if value):
        others = {name: value for name, value in parts.items() if name != part}
        refuse(others, f"--{part}", f"leave it out, or leave out --{part}")
    if replans:
        return _explain_replans(arguments, recording, tick, agent, replans, as_json=as_json)
    return _explain_plan(arguments, step=step, method=method, table=table, as_json=as_json)


def _explain_plan(
    arguments: PlanArguments, *, step: str, method: str, table: bool, as_json: bool
) -> int:
    asked = arguments.request()
    chosen = _method(method, asked.domain) if method else None
    search = search_for(asked)
    if search.advance() is SearchStatus.LIMIT and search.plan is None:
        raise unanswered(search.expansions, asked)
    plan = search.plan
    if chosen is not None:
        _show_method(asked, *chosen, as_json=as_json)
    elif plan is None:
        show_why_not(asked, search.expansions, as_json=as_json)
    elif table:
        _show_table(plan, as_json=as_json)
    else:
        _show_plan(asked, plan, step, as_json=as_json)
    return int(plan is None)


def _beliefs_at(file: Path, tick: int | None, agent: str, domain: str) -> list[str]:
    """The beliefs of an agent at the end of a recorded tick, the last one if none is named.

    They are texts for ``--set``, of the fluents that the domain has: no plan of it depends on
    others. Raises InputError as ``Recording.at``.
    """
    from bthtn.kit.recording import Recording  # noqa: PLC0415 - loads py_trees

    beliefs = Recording.read(file).at(tick, agent).beliefs
    schema = domain_of(domain).schema
    known = (
        name for name in beliefs if name.partition("[")[0] in (*schema.fluents, *schema.families)
    )
    return [f"{name}={_as_typed(beliefs[name])}" for name in known]


def _explain_replans(
    arguments: PlanArguments,
    file: Path | None,
    tick: int | None,
    agent: str,
    goal: str,
    *,
    as_json: bool,
) -> int:
    """Print the decisions about a goal up to a tick, and whether a better plan is there then.

    The better plan is looked for with the ``arguments``, which have the beliefs of the tick, if a
    plan of the goal runs at its end. Returns 0. Raises BthtnError.
    """
    if file is None:
        message = "--replans says why a recorded goal got other plans, and there is no recording"
        raise InputError("BT409", message, hint="name its file: --recording FILE")
    from bthtn.kit.recording import Recording  # noqa: PLC0415 - loads py_trees

    recording = Recording.read(file)
    known = {decision.goal for decision in recording.decisions(agent)}
    message = f"no goal called '{goal}' had a plan in the recording"
    InputError.require(goal, known, "BT461", message)
    moment = recording.at(tick, agent)
    decisions = recording.decisions(agent, goal=goal, until=moment.tick)
    record = moment.records.get(goal)
    better = None if record is None else better_plan(arguments.request(), record)
    if as_json:
        data = {"decisions": [decision.data() for decision in decisions]}
        found = None if better is None else better.data()
        say_json({"format": EXPLANATION_FORMAT, **data, "better": found})
        return 0
    for decision in decisions:
        say(one_line(str(decision)))
    state = f"with the beliefs at the end of tick {moment.tick}"
    answer = f"no plan of {goal} runs" if better is None else str(better)
    say(_lines(f"\n{state}, {answer}"))
    return 0


def _as_typed(value: Any) -> str:
    """A value of a recording as one would type it."""
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value)


def _method(text: str, domain: FrozenDomain) -> tuple[TaskCall, int]:
    """The task and the number of ``fight:1``. Raises InputError."""
    task, colon, number = text.rpartition(":")
    if not colon or not number.strip().isdecimal() or len(number) > len("1000000"):
        hint = "write --method task:number, such as --method fight:1"
        raise InputError("BT409", f"--method {text} names no method", hint=hint)
    with errors_at(f"--method {text}"):
        return goal_from(task.strip(), (), domain), int(number)


def _show_method(asked: PlanRequest, task: TaskCall, method: int, *, as_json: bool) -> None:
    answer, changes = why_not(asked, task, method)
    if as_json:
        say_json({**_head(asked), **answer.data(), "changes": changes.data()})
        return
    say(_lines(str(answer)))
    if answer.is_chosen:
        return
    helps = "it would be chosen with" if changes.sets else "but"
    say(one_line(f"{helps} {changes}"))


def _show_table(plan: Plan, *, as_json: bool) -> None:
    rows = decomposition_table(plan)
    if as_json:
        say_json({"format": EXPLANATION_FORMAT, "table": [row.data() for row in rows]})
    else:
        say(_lines(table_text(rows)))


def _show_plan(asked: PlanRequest, plan: Plan, step: str, *, as_json: bool) -> None:
    reasons = why(plan, asked.state, step or None)
    answers = [] if step else [answer for answer in methods_of(asked) if not answer.is_chosen]
    if as_json:
        lists = {
            "why": [reason.data() for reason in reasons],
            "why_not": [answer.data() for answer in answers],
        }
        say_json({**_head(asked), **lists})
        return
    say(one_line(f"{asked.domain.name}: {as_written(plan.goal, plan.binding)}"))
    # A construct has no name of its own, and is only shown if it relies on something.
    shown = [reason for reason in reasons if reason.reliances or not reason.is_construct]
    say(_lines("\n".join(map(str, shown))))
    if answers:
        say("\nother methods")
        say(_lines("\n".join(map(str, answers))))


def _head(asked: PlanRequest) -> dict[str, Any]:
    return {"format": EXPLANATION_FORMAT, "domain": asked.domain.name}


def _lines(text: str) -> str:
    return "\n".join(map(one_line, text.split("\n")))
