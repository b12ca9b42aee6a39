"""Draws plans, domains, goals and characters in notebooks, once that was asked for."""

from __future__ import annotations

from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.display import unicode_tree

from bthtn.behaviours import Character, PlanGoal
from bthtn.engine.domain.builder import Domain
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.plan.plan import Plan
from bthtn.engine.text.tree import tree_text
from bthtn.errors import InputError
from bthtn.notebooks import mimebundle
from bthtn.studio.views.behaviour_drawing import behaviour_dot
from bthtn.studio.views.domain_drawing import domain_dot
from bthtn.studio.views.graphviz import picture
from bthtn.studio.views.plan_drawing import plan_dot

MOST_NODES = 150


def show_in_notebooks() -> None:
    """From now on plans, domains, goals and characters are drawn where a cell ends with one.

    Without Graphviz they are text, as states always are.
    """
    mimebundle.register(Plan, _of_plan)
    mimebundle.register(Domain, _of_domain)
    mimebundle.register(FrozenDomain, _of_domain)
    mimebundle.register(PlanGoal, _of_tree)
    mimebundle.register(Character, lambda character: _of_tree(character.root))


def _of_plan(plan: Plan) -> dict[str, str]:
    text = f"{plan!r}\n{tree_text(plan.tree)}"
    return _bundle(text, plan_dot(plan, most=MOST_NODES))


def _of_domain(domain: Domain[Any] | FrozenDomain) -> dict[str, str]:
    return _bundle(repr(domain), domain_dot(domain))


def _of_tree(root: Behaviour) -> dict[str, str]:
    return _bundle(unicode_tree(root, show_status=True), behaviour_dot(root, status=True))


def _bundle(text: str, dot: str) -> dict[str, str]:
    try:
        svg = picture(dot, "svg").decode()
    except InputError:  # no Graphviz, or one that fails: there is the text
        return {"text/plain": text}
    return {"text/plain": text, "image/svg+xml": svg}
