"""What a profile times: methods of the engine through which all that has a row is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, NamedTuple

from py_trees.behaviour import Behaviour

from bthtn.engine.agent.sensors import Sensing
from bthtn.engine.behaviours.character import Character
from bthtn.engine.behaviours.plan_goal import PlanGoal
from bthtn.engine.behaviours.step import StepRun
from bthtn.engine.domain.function import Computed, FunctionEffect, function_text
from bthtn.engine.domain.method import PlainBody
from bthtn.engine.replanning.schedule import Budget
from bthtn.studio.profile.stacks import Label


class Seam(NamedTuple):
    """A method that is timed. ``label`` is called with the arguments of a call, the object first.

    By its ``form``, that is one call of it, the ``steps`` of the iterator that it returns, or the
    ``block`` of a ``with`` whose context it returns.
    """

    owner: type
    method: str
    label: Callable[..., Label]
    form: Literal["call", "steps", "block"] = "call"


def seams() -> Iterator[Seam]:
    """The methods of the engine, and the ticks of all classes of behaviours that there are now."""
    yield from _ENGINE
    classes: list[type] = [Behaviour]
    for found in classes:  # which grows meanwhile
        below: list[type] = found.__subclasses__()
        classes += [derived for derived in below if derived not in classes]
        if "tick" in vars(found):
            yield Seam(found, "tick", _node, "steps")


def _node(node: Behaviour) -> Label:
    return Label("goal" if isinstance(node, PlanGoal) else "node", str(node.name))


def _function(computed: Computed[Any], *_: object) -> Label:
    return Label("condition" if computed.as_truth else "value", function_text(computed.function))


_ENGINE: Final = (
    Seam(Character, "tick", lambda character: Label("character", character.agent.name)),
    Seam(Sensing, "read", lambda _, sensor: Label("sensor", sensor.name)),
    Seam(Budget, "advance", lambda budget, _: Label("search", budget.client.name)),
    Seam(Computed, "evaluate", _function),
    Seam(FunctionEffect, "writes", lambda effect, *_: Label("effect", str(effect))),
    Seam(PlainBody, "network", lambda body, *_: Label("method", str(body))),
    Seam(StepRun, "acting", lambda step: Label("operator", step.node.task.name), "block"),
)
