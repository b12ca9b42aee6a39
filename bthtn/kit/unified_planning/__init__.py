"""What has Unified Planning, the common library of planners, to do with bthtn?

    a problem ──problem_reader──► what HDDL would say ──► plan ──plan_writer──► its plan

``engine`` is a planner among its others. It needs the extra ``up``.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from bthtn.errors import InputError
from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.kit.unified_planning.engine import BthtnPlanner

__all__ = ["BthtnPlanner"]

if find_spec("unified_planning") is None:
    message = "problems of Unified Planning need unified-planning, which is not installed"
    raise InputError("BT418", message, hint='pip install "bthtn[up]"')

__getattr__, __dir__ = late_names(__name__, {"bthtn.kit.unified_planning.engine": "BthtnPlanner"})
