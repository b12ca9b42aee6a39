"""Texts for pytest about two states, or two plans, that are not equal."""

from __future__ import annotations

from bthtn.engine.plan.plan import Plan
from bthtn.engine.world.diff import difference
from bthtn.engine.world.state import FrozenState, State, snapshot
from bthtn.engine.world.truth import value_text
from bthtn.studio.testing.plan_difference import side_by_side


def comparison(left: object, right: object) -> list[str] | None:
    """How they differ, in lines below a summary; None where pytest knows it as well."""
    if isinstance(left, State | FrozenState) and type(right) is type(left):
        return _states(left, right)
    if isinstance(left, Plan) and isinstance(right, Plan):
        return _plans(left, right)
    return None


def _states(left: State | FrozenState, right: State | FrozenState) -> list[str]:
    changes = difference(snapshot(left), snapshot(right), "")
    lines = [
        f"{change.fluent}: {value_text(change.before)} != {value_text(change.after)}"
        for change in changes
    ]
    return [f"two states, {type(left).__name__}, that differ:", *lines]


def _plans(left: Plan, right: Plan) -> list[str] | None:
    lines = side_by_side(left.tree, right.tree, ("left", "right")).splitlines()
    is_said = any(line.startswith("✗") for line in lines)
    return [f"two plans, {left!r} and {right!r}, that differ:", *lines] if is_said else None
