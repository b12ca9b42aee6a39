"""The planner of bthtn as an engine of Unified Planning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any, Final
from warnings import warn

from unified_planning.engines import (
    Engine,
    LogLevel,
    LogMessage,
    OptimalityGuarantee,
    PlanGenerationResult,
)
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.engines.mixins import OneshotPlannerMixin
from unified_planning.model import ProblemKind
from unified_planning.model.problem_kind_versioning import LATEST_PROBLEM_KIND_VERSION

from bthtn.engine.agent.clock import Clock
from bthtn.engine.planning.planner import Planner
from bthtn.engine.planning.protocol import DEFAULT_SETTINGS, RecordedSearch, SearchStatus, Settings
from bthtn.errors import BthtnError
from bthtn.kit.formats.hddl.lowering import planning_problem
from bthtn.kit.unified_planning.completeness import tries_everything
from bthtn.kit.unified_planning.plan_writer import written
from bthtn.kit.unified_planning.problem_reader import read

SUPPORTED: Final = (
    "ACTION_BASED", "HIERARCHICAL",
    "FLAT_TYPING", "HIERARCHICAL_TYPING",
    "NEGATIVE_CONDITIONS", "DISJUNCTIVE_CONDITIONS", "EQUALITIES",
    "EXISTENTIAL_CONDITIONS", "UNIVERSAL_CONDITIONS",
    "CONDITIONAL_EFFECTS", "FORALL_EFFECTS", "INCREASE_EFFECTS", "DECREASE_EFFECTS",
    "STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS", "FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "STATIC_FLUENTS_IN_NUMERIC_ASSIGNMENTS", "FLUENTS_IN_NUMERIC_ASSIGNMENTS",
    "STATIC_FLUENTS_IN_OBJECT_ASSIGNMENTS", "FLUENTS_IN_OBJECT_ASSIGNMENTS",
    "OBJECT_FLUENTS", "INT_FLUENTS", "REAL_FLUENTS", "BOUNDED_TYPES",
    "SIMPLE_NUMERIC_PLANNING", "GENERAL_NUMERIC_PLANNING",
    "ACTIONS_COST", "PLAN_LENGTH",
    "INT_NUMBERS_IN_ACTIONS_COST", "REAL_NUMBERS_IN_ACTIONS_COST",
    "STATIC_FLUENTS_IN_ACTIONS_COST", "FLUENTS_IN_ACTIONS_COST",
    "METHOD_PRECONDITIONS", "TASK_NETWORK_CONSTRAINTS", "INITIAL_TASK_NETWORK_VARIABLES",
    "TASK_ORDER_TOTAL", "TASK_ORDER_PARTIAL",
)  # fmt: skip
"""The features of problems that are planned."""
_SLICE: Final = 200
"""So many expansions are made between two looks at the clock."""


class BthtnPlanner(Engine, OneshotPlannerMixin):  # type: ignore[misc]  # which have no types
    """Plans for classical, numeric and hierarchical problems.

    ``settings`` are those of the search. Where the caller of ``OneshotPlanner`` requires an optimal
    plan, it is the cheapest. ``clock`` is what a timeout goes by.
    """

    def __init__(self, settings: Settings = DEFAULT_SETTINGS, clock: Clock = perf_counter) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        self._settings, self._clock = settings, clock

    @property
    def name(self) -> str:
        """``bthtn``."""
        return "bthtn"

    @staticmethod
    def supported_kind() -> ProblemKind:
        """The kind of a problem with all features that are planned."""
        return ProblemKind(SUPPORTED, LATEST_PROBLEM_KIND_VERSION)

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Whether all features of a problem are planned."""
        return bool(problem_kind <= BthtnPlanner.supported_kind())

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:  # noqa: ARG004 - both
        """True: plans are optimal where it is required."""
        return True

    def _solve(
        self,
        problem: Any,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: Any = None,
    ) -> PlanGenerationResult:
        return self._solve_with_params(problem, heuristic, timeout, output_stream)

    def _solve_with_params(
        self,
        problem: Any,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: Any = None,
        warm_start_plan: Any = None,
    ) -> PlanGenerationResult:
        for name, given in (
            ("heuristic", heuristic),
            ("output_stream", output_stream),
            ("warm_start_plan", warm_start_plan),
        ):
            if given is not None:
                warn(f"bthtn does not use the {name} that it is given", stacklevel=3)
        until = None if timeout is None else self._clock() + timeout
        try:
            return self._answer(problem, until)
        except BthtnError as error:
            return self._result(Status.UNSUPPORTED_PROBLEM, said=str(error))

    def _answer(self, problem: Any, until: float | None) -> PlanGenerationResult:
        # Whoever asks for an engine by its name is only warned that it does not support a problem.
        missing = sorted(problem.kind.features.difference(SUPPORTED))
        if missing:
            said = f"bthtn does not plan problems with {', '.join(missing)}"
            return self._result(Status.UNSUPPORTED_PROBLEM, said=said)
        reading = read(problem)
        is_complete = tries_everything(reading.domain, reading.problem)
        settings = self._settings
        if self.optimality_metric_required:
            if not is_complete:
                said = "no plan of this problem is known to be optimal: see completeness"
                return self._result(Status.UNSUPPORTED_PROBLEM, said=said)
            settings = replace(settings, cheapest=True)
        asked = planning_problem(reading.domain, reading.problem)
        search = Planner(asked.domain, asked.goal, settings).search(asked.state)
        ended = self._advanced(search, until)
        if search.plan is None:
            return self._without_plan(ended, is_complete=is_complete)
        is_optimal = ended is SearchStatus.SOLVED and settings.cheapest and is_complete
        has_metric = bool(problem.quality_metrics)
        status = Status.SOLVED_OPTIMALLY if is_optimal and has_metric else Status.SOLVED_SATISFICING
        return self._result(status, written(search.plan, problem, reading))

    def _advanced(self, search: RecordedSearch, until: float | None) -> SearchStatus:
        """The status of the search when it or the time has come to its end."""
        while search.status is SearchStatus.RUNNING:
            if until is None:
                search.advance()
            elif self._clock() >= until:
                break
            else:
                search.advance(_SLICE)
        return search.status

    def _without_plan(self, ended: SearchStatus, *, is_complete: bool) -> PlanGenerationResult:
        match ended:
            case SearchStatus.RUNNING:
                return self._result(Status.TIMEOUT)
            case SearchStatus.EXHAUSTED if is_complete:
                return self._result(Status.UNSOLVABLE_PROVEN)
            case SearchStatus.EXHAUSTED:
                said = "everything was tried, but for tasks inside themselves or some orders"
                return self._result(Status.UNSOLVABLE_INCOMPLETELY, said=said)
        said = f"the limit of {self._settings.max_expansions} expansions was reached"
        return self._result(Status.UNSOLVABLE_INCOMPLETELY, said=said)

    def _result(self, status: Status, plan: Any = None, said: str = "") -> PlanGenerationResult:
        messages = [LogMessage(LogLevel.INFO, said)] if said else []
        return PlanGenerationResult(status, plan, self.name, log_messages=messages)
