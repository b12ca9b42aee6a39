"""Plans in the form of the International Planning Competition, with their decomposition.

==>
0 drive truck a b
root 1
1 deliver package b -> m_deliver 0
<==
"""

from __future__ import annotations

from itertools import count

from bthtn.engine.plan.nodes import Node, ScopeNode, TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import fold


def plan_text(plan: Plan) -> str:
    """The plan: its steps in order, the tasks of the goal, and what each is decomposed into."""
    numbers = count()
    steps: list[str] = []
    tasks: list[str] = []

    def written(node: Node, below: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
        inside = tuple(number for numbers in below for number in numbers)
        if isinstance(node, TaskNode):
            number = next(numbers)
            steps.append(" ".join(map(str, (number, node.task.name, *node.args))))
            return (number,)
        if isinstance(node, ScopeNode) and not node.task.origin and node.task.name != "htn":
            number = next(numbers)
            head = " ".join(map(str, (number, node.task.name, *node.args, "->", node.name)))
            tasks.append(" ".join((head, *map(str, inside))))
            return (number,)
        return inside

    root = fold(plan.tree, written)
    return "\n".join(["==>", *steps, " ".join(("root", *map(str, root))), *tasks, "<==", ""])
