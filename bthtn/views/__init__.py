"""Views: plans, behaviour trees, domains and runs as text and as pictures.

All functions return text, except ``picture``, which runs Graphviz. Colours on a terminal are
added by ``bthtn.cli``. Each public name is imported on first access: some need py_trees or
networkx, and a command needs few of them.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.text.notation import normal
    from bthtn.views.behaviour_drawing import behaviour_dot
    from bthtn.views.decisions import PlanDecision, plan_decisions
    from bthtn.views.domain_drawing import domain_dot, domain_tree
    from bthtn.views.event_log import event_data, line_of, log_listener
    from bthtn.views.graphviz import picture
    from bthtn.views.html import html_page
    from bthtn.views.plan_drawing import plan_dot, tree_dot
    from bthtn.views.plan_nodes import plan_tree
    from bthtn.views.search_nodes import search_tree
    from bthtn.views.snapshot import Snapshots, updated
    from bthtn.views.text import tree_text
    from bthtn.views.timeline import Tick, lines, rows

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

__getattr__, __dir__ = late_names(
    __name__,
    {
        "bthtn.text.notation": "normal",
        "bthtn.views.behaviour_drawing": "behaviour_dot",
        "bthtn.views.domain_drawing": "domain_dot domain_tree",
        "bthtn.views.event_log": "event_data line_of log_listener",
        "bthtn.views.graphviz": "picture",
        "bthtn.views.html": "html_page",
        "bthtn.views.decisions": "PlanDecision plan_decisions",
        "bthtn.views.plan_drawing": "plan_dot tree_dot",
        "bthtn.views.plan_nodes": "plan_tree",
        "bthtn.views.search_nodes": "search_tree",
        "bthtn.views.snapshot": "Snapshots updated",
        "bthtn.views.text": "tree_text",
        "bthtn.views.timeline": "Tick lines rows",
    },
)
