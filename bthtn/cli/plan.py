"""``bthtn plan``: plan once, and show the plan, or why there is none."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from bthtn.cli.locate import domain_of
from bthtn.cli.output import (
    at,
    counted,
    is_unicode_screen,
    say,
    say_json,
    write,
    write_picture,
)
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, NetworkLike, network_from
from bthtn.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.errors import Diagnostic, InputError, PlanningError, nearest
from bthtn.plan.codec import encoded, goal_value, value_from
from bthtn.plan.notation import call_from
from bthtn.plan.plan import Plan
from bthtn.planning.explain import Explanation, Reason, explanation_text
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.planner import search_for
from bthtn.planning.protocol import (
    DEFAULT_SETTINGS,
    PlanRequest,
    Search,
    SearchStatus,
    Settings,
    request,
)
from bthtn.planning.strips.achieve import achieve
from bthtn.views.text import ASCII, UNICODE, one_line, tree_text
from bthtn.world.condition_parser import condition_from_text
from bthtn.world.state import FrozenState

STEP: Final = 5_000
MOST_REASONS: Final = 200
NO_PLAN_FORMAT: Final = "bthtn-no-plan/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be planned, as it was typed."""

    domain: str
    task: str
    args: Sequence[str] = ()
    given: Sequence[str] = ()
    horizon: int | None = None
    horizon_time: float | None = None
    check_rest: bool = False
    planner: str = "htn"
    parallelize: bool = False
    cheapest: bool = False
    anytime: bool = False
    max_expansions: int = DEFAULT_SETTINGS.max_expansions
    achieve: str = ""
    objects: Sequence[str] = ()
    forward: bool = False

    def request(self) -> PlanRequest:
        """The question with everything in it found. Raises BthtnError."""
        domain = domain_of(self.domain)
        state = state_from(self.given, domain)
        with at("--horizon, --horizon-time or --max-expansions"):
            settings = Settings(
                horizon=self.horizon,
                horizon_time=self.horizon_time,
                check_rest=self.check_rest,
                cheapest=self.cheapest,
                anytime=self.anytime,
                max_expansions=self.max_expansions,
            )
        return request(domain, state, self._goal(domain), settings)

    def _goal(self, domain: FrozenDomain) -> NetworkLike:
        if self.task and self.achieve:
            hint = "give a task, or --achieve with a condition"
            raise InputError(Diagnostic("BT409", "a task and --achieve are given", hint=hint))
        if self.task and (self.objects or self.forward):
            option = "--objects" if self.objects else "--forward"
            message = f"{option} says nothing about a task"
            raise InputError(Diagnostic("BT409", message, hint="it goes with --achieve"))
        if self.task:
            with at(f"task of domain '{domain.name}'"):
                return goal_from(self.task, self.args, domain)
        with at("--achieve"):
            condition = condition_from_text(self.achieve, domain.schema)
        objects = dict(objects_from(one, domain) for one in self.objects)
        with at("--achieve"):
            goal = achieve(condition, objects=objects, forward=self.forward)
            domain.with_goal(network_from(goal))
        return goal


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """How the plan is to be shown."""

    form: str = "tree"
    target: Path | None = None
    flat: bool = False
    scopes: bool = True
    legend: bool = False


def plan_once(question: Question, showing: Showing) -> int:
    """Plan and print; 0 with a plan, 1 without one."""
    asked = question.request()
    if question.planner == "reference":
        plan, expansions = _by_reference(asked)
    else:
        plan, expansions = _by_search(search_for(asked))
    if plan is None:
        _show_why_not(asked, expansions, as_json=showing.form == "json")
        return 1
    if question.parallelize:
        from bthtn.analysis import parallelize  # noqa: PLC0415 - brings networkx

        plan = parallelize(plan)
    _show(plan, showing)
    return 0


def show_source(question: Question, target: Path | None) -> int:
    """Print the Python source that expressions of the domain were compiled to; 0."""
    write(question.request().domain.derived(TaskTable).source(), target)
    return 0


def state_from(given: Sequence[str], domain: FrozenDomain) -> FrozenState:
    """The state in which ``fluent=value`` holds, and defaults hold otherwise. Raises BthtnError."""
    values = {}
    for text in given:
        parts = re.fullmatch(r"\s*([^=\[]+(?:\[[^\]]*\])?)\s*=(.*)", text, re.DOTALL)
        if parts is None:
            hint = "write --set fluent=value, such as --set ammo=false"
            raise InputError(Diagnostic("BT409", f"--set {text} sets nothing", hint=hint))
        with at(f"--set {text}"):
            fluent = domain.schema.variable(parts[1].strip())
            values[fluent] = fluent.parse(parts[2].strip())
    return FrozenState(values)


def objects_from(text: str, domain: FrozenDomain) -> tuple[str, tuple[Any, ...]]:
    """A parameter and the values it can have, from ``block=a,b``. Raises BthtnError."""
    name, equals, values = text.partition("=")
    found = [
        parameter
        for task in domain.tasks.values()
        if isinstance(task, PrimitiveTask)
        for parameter in task.parameters
    ]
    named = [parameter for parameter in found if parameter.name == name.strip()]
    if not equals or not values.strip():
        hint = "write --objects parameter=value,value, such as --objects block=a,b"
        raise InputError(Diagnostic("BT409", f"--objects {text} names nothing", hint=hint))
    if not named:
        hint = nearest(name.strip(), [parameter.name for parameter in found])
        message = f"no primitive task has a parameter '{name.strip()}'"
        raise InputError(Diagnostic("BT121", message, f"--objects {text}", hint))
    with at(f"--objects {text}"):
        return name.strip(), tuple(value_from(one.strip(), named[0]) for one in values.split(","))


def goal_from(task: str, args: Sequence[str], domain: FrozenDomain) -> TaskCall:
    """The task with its arguments, each read as the parameter's type. Raises BthtnError."""
    if task not in domain.tasks and "(" in task and not args:
        return call_from(task, domain)
    found = domain.task(task)
    typed = [value_from(text, one) for text, one in zip(args, found.parameters, strict=False)]
    return found(*typed, *args[len(typed) :])


def _by_search(search: Search) -> tuple[Plan | None, int]:
    started, told = perf_counter(), False
    while search.advance(STEP) is SearchStatus.RUNNING:
        if sys.stderr.isatty() and perf_counter() - started > 1:
            told = True
            print(f"\r{search.expansions:,} expansions …", end="", file=sys.stderr, flush=True)
    if told:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if search.status is SearchStatus.LIMIT:
        if search.plan is None:
            message = f"no answer after {search.expansions} expansions"
            raise PlanningError(
                Diagnostic("BT203", message, hint="is there a recursion that never ends?")
            )
        print(
            f"stopped after {counted(search.expansions, 'expansion')}:"
            " this is the best so far, there may be better plans",
            file=sys.stderr,
        )
    return search.plan, search.expansions


def _by_reference(asked: PlanRequest) -> tuple[Plan | None, int]:
    from bthtn.planning.htn.reference import Reference  # noqa: PLC0415 - rarely asked

    reference = Reference(asked)
    try:
        wanted = reference.best()
    except RecursionError:
        message = "the reference planner is recursive, and this is nested too deep for it"
        raise InputError(Diagnostic("BT409", message, hint="use --planner htn")) from None
    return wanted, reference.expansions


def _show(plan: Plan, showing: Showing) -> None:
    if showing.form == "json":
        write(f"{encoded(plan, flat=showing.flat)}\n", showing.target)
    elif showing.form == "tree":
        text = _text(plan, showing)
        say(text) if showing.target is None else write(f"{text}\n", showing.target)
    else:
        from bthtn.views.plan_drawing import plan_dot  # noqa: PLC0415 - only for pictures

        dot = plan_dot(plan, flat=showing.flat, scopes=showing.scopes, legend=showing.legend)
        name = re.sub(r"\W+", "-", f"{plan.domain.name}-{plan.goal_text}").strip("-")
        place = write_picture(dot, showing.form, showing.target, name)
        if place is not None:
            say(f"wrote {place}")


def _text(plan: Plan, showing: Showing) -> str:
    plain = showing.target is None and not is_unicode_screen()
    root = plan.flat() if showing.flat else plan.tree
    tree = tree_text(root, plan.domain, scopes=showing.scopes, strokes=ASCII if plain else UNICODE)
    head = f"{plan.domain.name}: {_as_written(plan.goal, plan.goal_text)}"
    value = f", value {plan.value:g}" if plan.domain.has_values else ""
    tried = counted(plan.expansions, "expansion")
    facts = f"record {plan.record!r}, cost {plan.cost:g}{value}, {tried}"
    return f"{one_line(head)}\n{facts}\n\n{tree}"


def _as_written(goal: Network, text: str = "") -> str:
    """The goal as it was asked for: a condition has become a task without a name."""
    if isinstance(goal, TaskCall) and isinstance(goal.task, CompoundTask) and goal.task.origin:
        return goal.task.doc
    return text or str(goal)


def _show_why_not(asked: PlanRequest, expansions: int, *, as_json: bool) -> None:
    explanation = Explanation()
    search_for(asked, explanation.add).advance()
    reasons = explanation.reasons()
    goal = goal_value(asked.goal, asked.binding)
    if as_json:
        why = [{"depth": reason.depth, "text": reason.text} for reason in reasons]
        head = {"format": NO_PLAN_FORMAT, "domain": asked.domain.name, "task": goal}
        say_json({**head, "expansions": expansions, "why": why})
        return
    shown = [Reason(one.depth, one_line(one.text)) for one in reasons[:MOST_REASONS]]
    say(f"{asked.domain.name}: no plan for {one_line(_as_written(asked.goal))}, because")
    say(explanation_text(shown) or "nothing was tried")
    if len(reasons) > MOST_REASONS:
        say(f"… and {len(reasons) - MOST_REASONS} lines more; --json has them all")
