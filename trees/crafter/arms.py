"""The arms of the experiment in Crafter: the castaway, and what is left of him without a part.

Each takes the castaway's own tree and puts something else in the place of its goals, so that all
that is not said here is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec, module_from_spec
from types import MappingProxyType, ModuleType
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite
from py_trees.decorators import Decorator

from bthtn import TaskCall
from bthtn.behaviours import Agent, Character, Operators, PlanGoal
from bthtn.examples.domains.crafter import domain

from .body import Body
from .level import Level
from .operators import operators
from .scripted import routine
from .senses import Castaways, Survivor
from .tree import castaway, living, survivor


def with_goals(tree: Behaviour, other: Callable[[PlanGoal], Behaviour]) -> Behaviour:
    """The tree with something else in the place of each goal."""
    for goal in [node for node in tree.iterate() if isinstance(node, PlanGoal)]:
        parent = goal.parent
        placed = other(goal)
        parent.children[parent.children.index(goal)] = placed
        placed.parent = parent
        if isinstance(parent, Decorator):
            parent.decorated = placed
    return tree
