"""Views: plans, behaviour trees, domains and runs as text and as pictures.

All functions return text, except ``picture``, which runs Graphviz. Colours on a terminal are
added by ``bthtn.cli``.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from bthtn.plan.notation import normal
from bthtn.views.event_log import event_data, line_of, log_listener
from bthtn.views.graphviz import picture
from bthtn.views.html import html_page
from bthtn.views.plan_decisions import PlanDecision, plan_decisions
from bthtn.views.plan_drawing import plan_dot, tree_dot
from bthtn.views.plan_nodes import plan_tree
from bthtn.views.search_nodes import search_tree
from bthtn.views.text import tree_text
from bthtn.views.timeline import Tick, lines, rows

if TYPE_CHECKING:
    from bthtn.views.behaviour_drawing import behaviour_dot
    from bthtn.views.domain_drawing import domain_dot, domain_tree
    from bthtn.views.snapshot import Snapshots, updated

__all__ = [
    "PlanDecision",
    "Snapshots",
    "Tick",
    "behaviour_dot",
    "domain_dot",
    "domain_tree",
    "event_data",
    "html_page",
    "line_of",
    "lines",
    "log_listener",
    "normal",
    "picture",
    "plan_decisions",
    "plan_dot",
    "plan_tree",
    "rows",
    "search_tree",
    "tree_dot",
    "tree_text",
    "updated",
]

_MODULE_OF: Final[Mapping[str, str]] = {
    "Snapshots": "snapshot",
    "behaviour_dot": "behaviour_drawing",
    "domain_dot": "domain_drawing",
    "domain_tree": "domain_drawing",
    "updated": "snapshot",
}


def __getattr__(name: str) -> Any:
    """Import names that need py_trees or networkx on first access: they are slow."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
