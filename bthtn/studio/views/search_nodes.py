"""The events of a search as a tree: the methods that were tried, chosen, rejected.

An event at depth d belongs to the method that was entered last at depth d - 1. Methods that the
search has left again, by backtracking, stay in the tree as rejected ones, with all
that was tried inside them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bthtn.engine.domain.method import numbered
from bthtn.engine.planning import trace
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
        tree.leave(0)
    return tree.root


@dataclass(frozen=True, slots=True)
class _Entered:
    """A method that has been entered and not been left: of which task, and its node."""

    event: trace.MethodEntered
    task_node: StaticNode
    node: StaticNode


class _SearchTree:
    """Builds the tree event by event."""

    def __init__(self, title: str, most: int) -> None:
        self.root = static_node(1, "goal", title, "", "")
        self._most = most
        self._nodes = 1
        self._entered: list[_Entered] = []
        self._back_to: str | None = None

    def add(self, event: trace.SearchEvent) -> None:
        if isinstance(event, trace.Backtracked):
            self._back_to = event.to
            return
        if self._back_to is not None:
            self._return(self._back_to, event)
            self._back_to = None
        if self._nodes >= self._most:
            self.root["below"] = "a long search: only its beginning is shown"
            return
        if isinstance(event, trace.AlternativeDropped):
            self._return(event.text, event)
        self._append_event(self._inside(event.depth), event)

    def _inside(self, depth: int) -> StaticNode:
        """The node of the method that an event at this depth belongs to."""
        nodes = (entered.node for entered in reversed(self._entered) if entered.event.depth < depth)
        return next(nodes, self.root)

    def _return(self, task: str, event: trace.SearchEvent) -> None:
        """Leave all methods since the choice of a method for ``task``, which is made anew."""
        assert not isinstance(event, trace.Backtracked), "what comes next is an event of the choice"
        method = (
            event.method if isinstance(event, trace.MethodEntered | trace.MethodRejected) else None
        )
        for index in reversed(range(len(self._entered))):
            choice = self._entered[index].event
            is_later = method is None or choice.method < method
            if (choice.task, choice.depth) == (task, event.depth) and is_later:
                self.leave(index)
                return

    def leave(self, index: int) -> None:
        """Mark the methods that have been entered since this one, and it, as left again."""
        while len(self._entered) > index:
            self._entered.pop().node.update(kind="dropped", below=_LEFT, edge="dropped")

    def _append_event(self, above: StaticNode, event: trace.SearchEvent) -> None:
        match event:
            case trace.MethodEntered(task, method, name):
                task_node = self._task_node(above, task)
                made = self._append(task_node, "method", numbered(method, name))
                self._entered.append(_Entered(event, task_node, made))
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
            is_chosen = any(entered.task_node is node for entered in self._entered)
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
