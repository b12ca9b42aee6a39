"""The public names of ``bthtn``: write ``from bthtn import Domain``. None needs py_trees.

Each is imported when it is first used: a script imports what it names, and what that needs.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.engine.domain.builder import Domain, Primitive, primitive
    from bthtn.engine.domain.condition import holds
    from bthtn.engine.domain.construct import (
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
    from bthtn.engine.domain.decorate import cooldown, force_success, invert, retry, timeout
    from bthtn.engine.domain.derive import derive
    from bthtn.engine.domain.merging import merge
    from bthtn.engine.domain.method import Methods, method
    from bthtn.engine.domain.network import (
        NetworkLike,
        defer,
        null,
        parallel,
        pause,
        priority,
        sequence,
    )
    from bthtn.engine.domain.number import seconds
    from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Resource, TaskCall
    from bthtn.engine.domain.variable import one_of
    from bthtn.engine.plan.plan import Plan
    from bthtn.engine.planning.apply import apply
    from bthtn.engine.planning.planner import Planner, find_plan
    from bthtn.engine.planning.protocol import Settings
    from bthtn.engine.planning.strips.achieve import achieve
    from bthtn.engine.world.at_start import at_start
    from bthtn.engine.world.declarations import fluent, fluents
    from bthtn.engine.world.expression import Condition, Expression
    from bthtn.engine.world.fluent import Fluent, FluentFamily
    from bthtn.engine.world.relation import Relation, relation
    from bthtn.engine.world.state import State
    from bthtn.engine.world.truth import UNKNOWN
    from bthtn.errors import BthtnError

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
    "Relation",
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
    "relation",
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
        "bthtn.engine.domain.builder": "Domain Primitive primitive",
        "bthtn.engine.domain.condition": "holds",
        "bthtn.engine.domain.construct": (
            "any_order first_of optional partial_order random_of repeat unordered until "
            "with_cleanup"
        ),
        "bthtn.engine.domain.decorate": "cooldown force_success invert retry timeout",
        "bthtn.engine.domain.derive": "derive",
        "bthtn.engine.domain.merging": "merge",
        "bthtn.engine.domain.method": "Methods method",
        "bthtn.engine.domain.network": "NetworkLike defer null parallel pause priority sequence",
        "bthtn.engine.domain.number": "seconds",
        "bthtn.engine.domain.task": "CompoundTask PrimitiveTask Resource TaskCall",
        "bthtn.engine.domain.variable": "one_of",
        "bthtn.errors": "BthtnError",
        "bthtn.engine.plan.plan": "Plan",
        "bthtn.engine.planning.apply": "apply",
        "bthtn.engine.planning.planner": "Planner find_plan",
        "bthtn.engine.planning.protocol": "Settings",
        "bthtn.engine.planning.strips.achieve": "achieve",
        "bthtn.engine.world.at_start": "at_start",
        "bthtn.engine.world.declarations": "fluent fluents",
        "bthtn.engine.world.expression": "Condition Expression",
        "bthtn.engine.world.fluent": "Fluent FluentFamily",
        "bthtn.engine.world.relation": "Relation relation",
        "bthtn.engine.world.state": "State",
        "bthtn.engine.world.truth": "UNKNOWN",
    },
)
