"""The classes with which searches fill nodes before they are frozen: see ``unfrozen``."""

from __future__ import annotations

from typing import Final

from bthtn.plan.nodes import ParallelNode, PriorityNode, ScopeNode, SequenceNode, TaskNode
from bthtn.world.unfrozen import quickly, unfrozen

OpenTask: Final = unfrozen(TaskNode)
OpenScope: Final = unfrozen(ScopeNode)
OpenSequence: Final = unfrozen(SequenceNode)
parallel_node: Final = quickly(ParallelNode)
priority_node: Final = quickly(PriorityNode)
