"""What has Unified Planning, the common library of planners, to do with bthtn?

    a problem ──problem_reader──► what HDDL would say ──► plan ──plan_writer──► its plan
    a domain, a state, a goal ──problem_writer──► a problem

``engine`` is a planner among its others. All of it needs the extra ``up``.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from bthtn.errors import InputError
from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.kit.unified_planning.engine import BthtnPlanner
    from bthtn.kit.unified_planning.problem_writer import to_unified_planning

__all__ = ["BthtnPlanner", "to_unified_planning"]

if find_spec("unified_planning") is None:
    message = "problems of Unified Planning need unified-planning, which is not installed"
    raise InputError("BT418", message, hint='pip install "bthtn[up]"')

__getattr__, __dir__ = late_names(
    __name__,
    {
        "bthtn.kit.unified_planning.engine": "BthtnPlanner",
        "bthtn.kit.unified_planning.problem_writer": "to_unified_planning",
    },
)
