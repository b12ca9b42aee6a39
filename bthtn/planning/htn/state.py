"""SearchState: everything that one search changes while it works, and how it goes back.

Backtracking restores lengths (trail, output, record) and pointers (agenda, path, frame).
The only thing it does not take back is ``reason``, the last thing that was impossible.
"""

from __future__ import annotations

from bthtn.planning.htn.frames import Agenda, Choice, Expand, Frame, Path
from bthtn.planning.htn.output import Output
from bthtn.planning.protocol import PlanRequest
from bthtn.planning.trace import SearchEvent, SearchListener
from bthtn.world.footprint import RecordingView
from bthtn.world.trail import WorkingState


class SearchState:
    """Owned by one search; nobody else sees it."""

    def __init__(self, request: PlanRequest, listener: SearchListener | None) -> None:
        self.domain = request.domain
        self.settings = request.settings
        self.has_volatile = request.domain.schema.has_volatile
        self.projected = WorkingState(request.state)
        self.output = Output()
        self.record: list[int] = []
        self.bound = request.bound
        self.ahead: int | None = None
        self.choices: list[Choice] = []
        self.agenda: Agenda | None = Agenda(Expand(request.goal, request.binding), None)
        self.path = Path()
        self.frame: Frame | None = None
        self.expansions = 0
        self.reason = ""
        self._listener = listener

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
