"""Views: plans, behaviour trees, domains and runs as text and as pictures.

All functions return text, except ``picture``, which runs Graphviz. Colours on a terminal are
added by ``bthtn.studio.cli``. Each public name is imported on first access: some need py_trees or
networkx, and a command needs few of them.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.engine.text.notation import normal
    from bthtn.engine.text.tree import tree_text
    from bthtn.studio.views.behaviour_drawing import behaviour_dot
    from bthtn.studio.views.domain_drawing import domain_dot, domain_tree
    from bthtn.studio.views.graphviz import picture
    from bthtn.studio.views.html import html_page
    from bthtn.studio.views.notebook import show_in_notebooks
    from bthtn.studio.views.plan_drawing import plan_dot, tree_dot
    from bthtn.studio.views.plan_nodes import plan_tree
    from bthtn.studio.views.search_nodes import search_tree
    from bthtn.studio.views.timeline import Tick, lines, rows

__all__ = [
    "Tick",
    "behaviour_dot",
    "domain_dot",
    "domain_tree",
    "html_page",
    "lines",
    "normal",
    "picture",
    "plan_dot",
    "plan_tree",
    "rows",
    "search_tree",
    "show_in_notebooks",
    "tree_dot",
    "tree_text",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "bthtn.engine.text.notation": "normal",
        "bthtn.studio.views.behaviour_drawing": "behaviour_dot",
        "bthtn.studio.views.domain_drawing": "domain_dot domain_tree",
        "bthtn.studio.views.graphviz": "picture",
        "bthtn.studio.views.html": "html_page",
        "bthtn.studio.views.notebook": "show_in_notebooks",
        "bthtn.studio.views.plan_drawing": "plan_dot tree_dot",
        "bthtn.studio.views.plan_nodes": "plan_tree",
        "bthtn.studio.views.search_nodes": "search_tree",
        "bthtn.engine.text.tree": "tree_text",
        "bthtn.studio.views.timeline": "Tick lines rows",
    },
)
