"""The public names of ``bthtn``: write ``from bthtn import Domain``. None needs py_trees.

Each is imported when it is first used: a script imports what it names, and what that needs.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.domain.builder import Domain, Primitive, primitive
    from bthtn.domain.condition import holds
    from bthtn.domain.construct import (
        any_order,
        first_of,
        optional,
        partial_order,
        random_of,
        repeat,
        unordered,
        until,
        with_cleanup,
    )
    from bthtn.domain.decorate import cooldown, force_success, invert, retry, timeout
    from bthtn.domain.derive import derive
    from bthtn.domain.merging import merge
    from bthtn.domain.method import Methods, method
    from bthtn.domain.network import NetworkLike, defer, null, parallel, pause, priority, sequence
    from bthtn.domain.number import seconds
    from bthtn.domain.task import CompoundTask, PrimitiveTask, Resource, TaskCall
    from bthtn.domain.variable import one_of
    from bthtn.errors import BthtnError
    from bthtn.plan.plan import Plan
    from bthtn.planning.apply import apply
    from bthtn.planning.planner import Planner, find_plan
    from bthtn.planning.protocol import Settings
    from bthtn.planning.strips.achieve import achieve
    from bthtn.world.at_start import at_start
    from bthtn.world.declarations import fluent, fluents
    from bthtn.world.expression import Condition, Expression
    from bthtn.world.fluent import Fluent, FluentFamily
    from bthtn.world.state import State
    from bthtn.world.truth import UNKNOWN

__all__ = [
    "UNKNOWN",
    "BthtnError",
    "CompoundTask",
    "Condition",
    "Domain",
    "Expression",
    "Fluent",
    "FluentFamily",
    "Methods",
    "NetworkLike",
    "Plan",
    "Planner",
    "Primitive",
    "PrimitiveTask",
    "Resource",
    "Settings",
    "State",
    "TaskCall",
    "achieve",
    "any_order",
    "apply",
    "at_start",
    "cooldown",
    "defer",
    "derive",
    "find_plan",
    "first_of",
    "fluent",
    "fluents",
    "force_success",
    "holds",
    "invert",
    "merge",
    "method",
    "null",
    "one_of",
    "optional",
    "parallel",
    "partial_order",
    "pause",
    "primitive",
    "priority",
    "random_of",
    "repeat",
    "retry",
    "seconds",
    "sequence",
    "timeout",
    "unordered",
    "until",
    "with_cleanup",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "bthtn.domain.builder": "Domain Primitive primitive",
        "bthtn.domain.condition": "holds",
        "bthtn.domain.construct": (
            "any_order first_of optional partial_order random_of repeat unordered until "
            "with_cleanup"
        ),
        "bthtn.domain.decorate": "cooldown force_success invert retry timeout",
        "bthtn.domain.derive": "derive",
        "bthtn.domain.merging": "merge",
        "bthtn.domain.method": "Methods method",
        "bthtn.domain.network": "NetworkLike defer null parallel pause priority sequence",
        "bthtn.domain.number": "seconds",
        "bthtn.domain.task": "CompoundTask PrimitiveTask Resource TaskCall",
        "bthtn.domain.variable": "one_of",
        "bthtn.errors": "BthtnError",
        "bthtn.plan.plan": "Plan",
        "bthtn.planning.apply": "apply",
        "bthtn.planning.planner": "Planner find_plan",
        "bthtn.planning.protocol": "Settings",
        "bthtn.planning.strips.achieve": "achieve",
        "bthtn.world.at_start": "at_start",
        "bthtn.world.declarations": "fluent fluents",
        "bthtn.world.expression": "Condition Expression",
        "bthtn.world.fluent": "Fluent FluentFamily",
        "bthtn.world.state": "State",
        "bthtn.world.truth": "UNKNOWN",
    },
)
