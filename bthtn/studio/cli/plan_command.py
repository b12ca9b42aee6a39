"""``bthtn plan``: its options, and the plans that they ask for."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Argument, Option

from bthtn.engine.planning.htn.table import TaskTable
from bthtn.studio.cli import options as typed
from bthtn.studio.cli.one_plan import OutputOptions, plan_once
from bthtn.studio.cli.plan_arguments import PlanArguments, require_goal
from bthtn.studio.cli.printing import deliver


def plan(  # noqa: PLR0913 - one for each thing that can be typed
    context: typer.Context,
    domain: Annotated[str, Argument(metavar="DOMAIN", help=typed.TARGET)],
    task: typed.Task = "",
    args: typed.Args = None,
    *,
    given: typed.Given = None,
    form: Annotated[typed.PlanForm | None, typed.Format] = None,
    output: typed.Output = None,
    horizon: Annotated[int | None, Option(help="Tasks to plan ahead.")] = None,
    horizon_time: Annotated[float | None, Option(help="Time to plan ahead.")] = None,
    check_rest: typed.CheckRest = False,
    cheapest: typed.Cheapest = False,
    anytime: typed.Anytime = False,
    every: typed.All = False,
    limit: typed.Limit = 100,
    max_expansions: typed.MaxExpansions = 1_000_000,
    achieve: typed.Achieve = "",
    objects: typed.Objects = None,
    forward: typed.Forward = False,
    flat: typed.Flat = False,
    scopes: Annotated[bool, Option(help="Show the compound tasks of the steps.")] = True,
    parallelize: typed.Parallelize = False,
    show_compiled: typed.ShowCompiled = False,
    legend: typed.Legend = False,
    as_json: typed.AsJson = False,
) -> int:
    """Plan once, or list all plans. Returns 0 if there is a plan, else 1. Raises BthtnError."""
    require_goal(context, task or achieve, domain)
    arguments = PlanArguments(
        domain=domain,
        task=task,
        args=args or (),
        given=given or (),
        settings={
            "horizon": horizon,
            "horizon_time": horizon_time,
            "check_rest": check_rest,
            "cheapest": cheapest,
            "anytime": anytime,
            "max_expansions": max_expansions,
        },
        achieve=achieve,
        objects=objects or (),
        forward=forward,
    )
    if show_compiled:
        deliver(arguments.request().domain.derived(TaskTable).source(), output)
        return 0
    form_name = "json" if as_json else typed.form_of(form, output, typed.PlanForm.TREE).value
    shown = OutputOptions(form=form_name, output=output, flat=flat, scopes=scopes, legend=legend)
    if every:
        from bthtn.studio.cli.all_plans import list_plans  # noqa: PLC0415 - rarely

        return list_plans(arguments, shown, limit, parallelize=parallelize)
    return plan_once(arguments, shown, parallelize=parallelize)
