"""The planning problem that is typed for ``bthtn plan`` and ``bthtn explain``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import typer

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import NetworkLike, network_from
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.engine.planning.protocol import PlanRequest, Settings, request
from bthtn.engine.planning.strips.achieve import achieve
from bthtn.engine.text.conditions import condition_from_text
from bthtn.engine.text.notation import call_from
from bthtn.engine.text.values import value_from
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState
from bthtn.errors import InputError, nearest
from bthtn.kit.formats.hddl.problem import ENDINGS, PlanningProblem
from bthtn.studio.cli.printing import errors_at, refuse
from bthtn.studio.testing.locate import domain_of, problem_at


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanArguments:
    """The arguments of the command that define the planning problem, unparsed.

    ``settings`` are those of the search by their names.
    """

    domain: str
    task: str
    args: Sequence[str] = ()
    given: Sequence[str] = ()
    settings: Mapping[str, Any]
    achieve: str = ""
    objects: Sequence[str] = ()
    forward: bool = False

    def request(self) -> PlanRequest:
        """A request to the planner: of several values of a fluent, with the last one."""
        *_, last = self.requests()
        return last

    def requests(self) -> Iterator[PlanRequest]:
        """A request for each combination of the values of fluents. Raises BthtnError."""
        problem = self._problem()
        domain = problem.domain
        values = values_from(self.given, domain)
        with errors_at("--horizon, --horizon-time or --max-expansions"):
            settings = Settings(**self.settings)
        for chosen in product(*values.values()):
            state = problem.state.changed(dict(zip(values, chosen, strict=True)))
            yield request(domain, state, problem.goal, settings)

    def _problem(self) -> PlanningProblem:
        """The domain, the state and the goal before values are set."""
        if not self.domain.endswith(ENDINGS):
            domain = domain_of(self.domain)
            return PlanningProblem(domain, FrozenState({}), self._goal(domain))
        others = {
            "achieve": self.achieve,
            "objects": self.objects,
            "forward": self.forward,
        }
        refuse(others, "a problem in a file", "leave it out: the file has objects and a goal")
        if self.args:
            message = f"{self.task} is a problem, and '{self.args[0]}' stands behind it"
            hint = "leave that out: the file has the goal; an option takes one word, or quotes"
            raise InputError("BT409", message, hint=hint)
        return problem_at(self.domain, self.task)

    def _goal(self, domain: FrozenDomain) -> NetworkLike:
        if self.task and self.achieve:
            hint = "give a task, or --achieve with a condition"
            raise InputError("BT409", "a task and --achieve are given", hint=hint)
        if self.task and (self.objects or self.forward):
            option = "--objects" if self.objects else "--forward"
            message = f"{option} says nothing about a task"
            raise InputError("BT409", message, hint="it goes with --achieve")
        if self.task:
            with errors_at(f"task of domain '{domain.name}'"):
                return goal_from(self.task, self.args, domain)
        with errors_at("--achieve"):
            condition = condition_from_text(self.achieve, domain.schema)
        objects = dict(objects_from(text, domain) for text in self.objects)
        with errors_at("--achieve"):
            goal = achieve(condition, objects=objects, forward=self.forward)
            domain.with_goal(network_from(goal))
        return goal


def values_from(given: Sequence[str], domain: FrozenDomain) -> dict[Fluent[Any], list[Any]]:
    """The values that ``fluent=value`` settings give each fluent. Raises BthtnError."""
    values: dict[Fluent[Any], list[Any]] = {}
    for text in given:
        with errors_at(f"--set {text}"):
            fluent, value = domain.schema.setting(text)
        values.setdefault(fluent, []).append(value)
    return values


def objects_from(text: str, domain: FrozenDomain) -> tuple[str, tuple[Any, ...]]:
    """A parameter's name and its values, parsed from ``block=a,b``. Raises BthtnError."""
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
        raise InputError("BT409", f"--objects {text} names nothing", hint=hint)
    if not named:
        hint = nearest(name.strip(), [parameter.name for parameter in found])
        message = f"no primitive task has a parameter '{name.strip()}'"
        raise InputError("BT121", message, f"--objects {text}", hint)
    with errors_at(f"--objects {text}"):
        return name.strip(), tuple(
            value_from(value.strip(), named[0]) for value in values.split(",")
        )


def goal_from(task: str, args: Sequence[str], domain: FrozenDomain) -> TaskCall:
    """The call of a task with arguments parsed by parameter type. Raises BthtnError."""
    if task not in domain.tasks and "(" in task and not args:
        return call_from(task, domain)
    found = domain.task(task)
    typed = [
        value_from(text, parameter) for text, parameter in zip(args, found.parameters, strict=False)
    ]
    return found(*typed, *args[len(typed) :])


def require_goal(context: typer.Context, goal: str, domain: str) -> None:
    """Raise BadParameter, with the domain's tasks, if neither a task nor a condition is given."""
    if not goal and domain.endswith(ENDINGS):
        message = f"say which problem: bthtn {context.info_name} {domain} problem{domain[-5:]}"
        raise typer.BadParameter(message, ctx=context, param_hint="'PROBLEM'")
    if not goal:
        found = domain_of(domain)
        goals = [name for name in found.authored if isinstance(found.tasks[name], CompoundTask)]
        there_is = nearest("", goals or found.authored)
        message = f"say what is to be done, or give --achieve with a condition; {there_is}"
        raise typer.BadParameter(message, ctx=context, param_hint="'TASK'")
