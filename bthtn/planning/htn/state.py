"""SearchState: everything that one search changes while it works, and how it goes back.

Backtracking restores lengths (trail, output, record) and pointers (agenda, path, frame).
The only thing it does not take back is ``reason``, the last thing that was impossible.
"""

from __future__ import annotations

from typing import Any, Literal

from bthtn.domain.network import Network
from bthtn.domain.task import CompoundTask, Task, TaskCall, call_text
from bthtn.errors import PlanningError
from bthtn.planning.htn.duplicates import EVERYTHING, Duplicates
from bthtn.planning.htn.frames import Agenda, Choice, Continue, Expand, Frame, Item, Path
from bthtn.planning.htn.output import Output
from bthtn.planning.least_cost import below_zero, least_sums
from bthtn.planning.protocol import PlanRequest
from bthtn.planning.trace import SearchEvent, SearchListener
from bthtn.world.footprint import RecordingView
from bthtn.world.trail import WorkingState


class SearchState:
    """Owned by one search; nobody else sees it.

    While ``is_closing``, every task that is reached is suspended: there is no budget for more.
    """

    def __init__(self, request: PlanRequest, listener: SearchListener | None) -> None:
        self.domain = request.domain
        self.settings = request.settings
        self.has_volatile = request.domain.schema.has_volatile
        self.projected = WorkingState(request.state)
        self.output = Output()
        self.record: list[int] = []
        self.bound = request.bound
        self.avoiding = request.avoiding
        self.ahead: int | None = None
        self.choices: list[Choice] = []
        self.agenda: Agenda | None = None
        self.path = Path()
        self.frame: Frame | None = None
        self.expansions = 0
        self.is_closing = False
        self.reason = ""
        self.cheaper_than: float | None = None
        self.costs = least_sums(request.domain, cheapest=self.settings.cheapest)
        self.duplicates: Duplicates | None = None
        if self.domain.prunes_duplicates and self.costs is None and self.bound is None:
            self.duplicates = Duplicates()
        self._listener = listener
        self.push(Expand(request.goal, request.binding))

    def push(self, item: Item) -> None:
        """Put something in front of the agenda."""
        rest, least = self.agenda, 0.0
        if self.costs is None and self.duplicates is None:
            self.agenda = Agenda(item, rest)
            return
        if self.costs is not None:
            least = 0.0 if rest is None else rest.least
            if isinstance(item, Expand):
                least += self.costs.of(item.network)
            elif isinstance(item, Continue):
                least += item.least[item.index]
        number = 0
        if self.duplicates is not None and self.frame is None:
            number = self.duplicates.number(item, rest.number if rest is not None else EVERYTHING)
        self.agenda = Agenda(item, rest, least, number)

    def is_known_to_fail(self, agenda: Agenda, network: Network) -> bool:
        """Whether all was tried in vain when this was left to do in this state (semantics 2.6.8).

        Told where a task is to be decomposed, outside of branches.
        """
        decomposes = isinstance(network, TaskCall) and isinstance(network.task, CompoundTask)
        if self.duplicates is None or self.frame is not None or not decomposes:
            return False
        self.foresee()
        settings, path = self.settings, self.path
        key = (
            agenda.number,
            self.projected.fingerprint,
            self.projected.foreseeable or not self.has_volatile,
            path.steps if settings.horizon is not None else None,
            path.elapsed if settings.horizon_time is not None else None,
        )
        state, mark = self.projected.changes(), self.projected.mark()
        return self.duplicates.meet(key, state, len(self.choices), mark)

    def here(self) -> tuple[Agenda | None, Path, Frame | None, int, int, int]:
        """What a choice point remembers."""
        lengths = self.projected.mark(), len(self.output), len(self.record)
        return (self.agenda, self.path, self.frame, *lengths)

    def restore(self, choice: Choice) -> None:
        """Everything as it was when the choice was met."""
        self.projected.undo(choice.mark)
        self.output.truncate(choice.output)
        del self.record[choice.record :]
        if self.ahead is not None and self.ahead >= choice.record:
            self.ahead = None
        self.agenda, self.path, self.frame = choice.agenda, choice.path, choice.frame

    def may_beat(self, entry: int) -> bool:
        """Whether a plan whose record goes on with this entry can beat the bound."""
        if self.bound is None or self.ahead is not None:
            return True
        left = len(self.bound) - len(self.record)
        return left > 0 and (entry, 1) < (self.bound[-left], left)

    def choose(self, entry: int) -> bool:
        """Put a choice into the record; False, and nothing done, when that cannot beat the bound.

        ``ahead`` is where the record is smaller than the bound. Behind that place everything
        is allowed; before there is one, record and bound are equal as far as the record goes.
        """
        if self.bound is not None and self.ahead is None:
            if not self.may_beat(entry):
                return False
            if entry < self.bound[len(self.record)]:
                self.ahead = len(self.record)
        self.record.append(entry)
        return True

    @property
    def beats_bound(self) -> bool:
        """Whether the record, as it is, beats the bound; without one, every record does."""
        return self.bound is None or self.ahead is not None

    @property
    def is_too_dear(self) -> bool:
        """Whether nothing that can still come of this is cheaper than the plan that there is.

        Never in an alternative: giving up there would look as if it were impossible.
        """
        if self.cheaper_than is None or self.guard is not None:
            return False
        ahead = self.agenda.least if self.agenda is not None else 0
        around = self.frame.outside if self.frame is not None else 0
        return self.path.cost + ahead + around >= self.cheaper_than

    def price(self, cost: float, value: float, task: Task, args: tuple[Any, ...]) -> float:
        """What counts of a task or method where the least sum is looked for.

        Raises PlanningError for a number that makes adding up meaningless.
        """
        if self.costs is None:
            return 0
        price = self.costs.pick(cost, value)
        if not price >= 0:
            word: Literal["cost", "value"] = self.costs.pick("cost", "value")
            raise PlanningError(below_zero(price, call_text(task, args), word))
        return price

    def least(self, *networks: Network) -> float:
        """What the networks cost at least, 0 where nobody asks for costs."""
        return 0 if self.costs is None else sum(map(self.costs.of, networks))

    def view(self) -> RecordingView:
        """The projected state, as far as it can be foreseen from here."""
        self.foresee()
        return RecordingView(self.projected)

    def foresee(self) -> None:
        """Volatile fluents can be told only before the first step, and never in a choice."""
        self.projected.foreseeable = self.path.steps == 0 and self.guard is None

    @property
    def guard(self) -> int | None:
        """Steps at which the innermost priority alternative begins, None outside of one."""
        return self.frame.guard if self.frame is not None else None

    @property
    def at_horizon(self) -> bool:
        """Whether nothing behind this moment is planned now."""
        if self.settings.check_rest:
            return False
        steps, time = self.settings.horizon, self.settings.horizon_time
        return (steps is not None and self.path.steps >= steps) or (
            time is not None and self.path.elapsed >= time
        )

    @property
    def wants_reasons(self) -> bool:
        """Whether anybody will ask why something was impossible."""
        return self._listener is not None or self.frame is not None

    @property
    def is_watched(self) -> bool:
        """Whether anybody listens; no event is made for nobody."""
        return self._listener is not None

    def tell(self, event: SearchEvent) -> None:
        """Tell the listener."""
        if self._listener is not None:
            self._listener(event)
