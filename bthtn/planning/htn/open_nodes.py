"""The classes with which searches fill nodes before they are frozen: see ``unfrozen``."""

from __future__ import annotations

from typing import Final

from bthtn.plan.nodes import ScopeNode, SequenceNode, TaskNode
from bthtn.world.unfrozen import unfrozen

OpenTask: Final = unfrozen(TaskNode)
OpenScope: Final = unfrozen(ScopeNode)
OpenSequence: Final = unfrozen(SequenceNode)
