"""The events of a search as a tree: the methods that were tried, chosen, rejected.

Methods that the search has left again, by backtracking, stay in the tree as rejected ones, with
all that was tried inside them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bthtn.engine.domain.method import numbered
from bthtn.engine.planning import trace
from bthtn.engine.planning.trace_walk import Entered, TraceWalk
from bthtn.studio.views.plan_nodes import StaticNode, static_node

MOST_NODES: Final = 3_000
_LEFT: Final = "tried, and left again"


def search_tree(
    events: Iterable[trace.SearchEvent], title: str, *, found: bool, most: int = MOST_NODES
) -> StaticNode:
    """The tree of a search; of a long one its beginning, at most so many nodes.

    ``found`` says whether the search has found a plan: then the methods entered last were chosen.
    """
    tree = _SearchTree(title, most)
    for event in events:
        tree.add(event)
    if not found:
        tree.leave(tree.entered)
    return tree.root


class _SearchTree:
    def __init__(self, title: str, most: int) -> None:
        self.root = static_node(1, "goal", title, "", "")
        self._most = most
        self._nodes = 1
        self._walk = TraceWalk()
        self._shown: dict[Entered | None, StaticNode] = {None: self.root}
        self._tasks: dict[Entered, StaticNode] = {}

    @property
    def entered(self) -> list[Entered]:
        return self._walk.entered

    def add(self, event: trace.SearchEvent) -> None:
        inside, left = self._walk.step(event)
        self.leave(left)
        if self._nodes >= self._most:
            self.root["below"] = "a long search: only its beginning is shown"
        else:
            self._append_event(self._shown.get(inside, self.root), event)

    def leave(self, methods: Iterable[Entered]) -> None:
        """Mark methods as left again."""
        for entered in methods:
            self._tasks.pop(entered, None)
            if entered in self._shown:
                self._shown[entered].update(kind="dropped", below=_LEFT, edge="dropped")

    def _append_event(self, above: StaticNode, event: trace.SearchEvent) -> None:
        match event:
            case trace.MethodEntered(task, method, name):
                task_node = self._task_node(above, task)
                made = self._append(task_node, "method", numbered(method, name))
                entered = self._walk.entered[-1]
                self._shown[entered], self._tasks[entered] = made, task_node
            case trace.MethodRejected(task, method, name, reason):
                label = numbered(method, name)
                self._append(self._task_node(above, task), "dropped", label, reason)
            case trace.TaskPlanned(task):
                self._append(above, "task", task)
            case trace.TaskRejected(task, reason) | trace.RecursionCut(task, reason):
                self._append(above, "dropped", task, reason.removeprefix(f"{task}: "))
            case trace.AlternativeDropped(alternative, text):
                self._append(above, "dropped", text, f"alternative {alternative} cannot be planned")
            case trace.BranchesConflict(first, second, over):
                both = f"branches {first} and {second}"
                self._append(above, "dropped", both, f"both touch {over}")
            case trace.PlanningSuspended(what, cause):
                self._append(above, "suspended", what, f"({cause})")
            case trace.Unachievable(reason):
                self._append(above, "dropped", "no way to the goal", reason)
            case _:
                pass  # the steps of a search from the goal are thousands, and no decompositions

    def _task_node(self, above: StaticNode, task: str) -> StaticNode:
        """The node of a task whose method is being chosen."""
        for node in reversed(above["children"]):
            is_chosen = any(chosen is node for chosen in self._tasks.values())
            if (node["kind"], node["name"]) == ("compound", task) and not is_chosen:
                same: StaticNode = node
                return same
        return self._append(above, "compound", task)

    def _append(self, above: StaticNode, kind: str, name: str, below: str = "") -> StaticNode:
        self._nodes += 1
        edge = "dropped" if kind == "dropped" else ""
        made = static_node(self._nodes, kind, name, below, below, edge=edge)
        above["children"].append(made)
        return made
