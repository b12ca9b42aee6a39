"""Control: requests of pages are done between two ticks, in the thread that ticks.

    between_ticks    breakpoints are looked at and requests are done; returns when the next tick may
                     begin, which is at once unless the run is paused
    wait_for_again   when the run is over: requests are done until a page wants it again
    submit           called by the server's thread: a request and the future of its answer

A paused run waits inside ``between_ticks``; when the last page is closed it goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Final

from bthtn.engine.agent.events import AgentEvent
from bthtn.errors import BthtnError, Diagnostic, InputError
from bthtn.studio.watch.breakpoints import (
    Agents,
    Breakpoint,
    BreakpointKind,
    Breakpoints,
    is_reached,
)

SOURCE: Final = "viewer"
"""The source of beliefs that are set by hand."""

Request = Mapping[str, Any]
"""``do`` says what is to be done; the other keys are its arguments, texts or numbers."""


class Control:
    """Pauses, steps, breakpoints and beliefs set by hand, for one run.

    ``agents`` may grow. ``watch`` is called with the name of a tree that a page wants to see, and
    ``changed`` whenever there is something new to be sent.
    """

    def __init__(
        self,
        agents: Agents,
        *,
        watch: Callable[[str], None],
        changed: Callable[[], None],
        paused: bool = False,
    ) -> None:
        self.breakpoints = Breakpoints(agents)
        self.is_paused = paused
        self.reason = "paused at the start" if paused else ""
        self.is_attached = False
        """Whether a page is open; without one, breakpoints do not stop the run."""
        self.is_over = False
        """Whether the run has ended, and may be begun again."""
        self._agents = agents
        self._watch = watch
        self._changed = changed
        self._until: Breakpoint | None = None
        self._is_step = False
        self._requests: SimpleQueue[tuple[Request, Future[Any]] | None] = SimpleQueue()
        self._is_closed = False
        self._actions: dict[str, Callable[[Request], Any]] = {
            "pause": lambda _: self._pause("paused by hand"),
            "resume": lambda _: self._resume(),
            "step": lambda _: self._resume(step=True),
            "replan": lambda _: self._resume(until=Breakpoint(BreakpointKind.REPLAN, "")),
            "again": lambda _: self._begin_again(),
            "look": lambda _: self._changed(),
            "break": self._break,
            "unbreak": self._unbreak,
            "believe": self._believe,
            "watch": lambda request: self._watch(self._agent(request).name),
        }

    def submit(self, request: Request) -> Future[Any]:
        """A request to be done between ticks. May be called in any thread."""
        answer: Future[Any] = Future()
        self._requests.put((request, answer))
        return answer

    def attach(self, *, is_attached: bool) -> None:
        """Note whether a page is open. May be called in any thread."""
        self.is_attached = is_attached
        if not is_attached:
            self.submit({"do": "resume"})

    def close(self) -> None:
        """Never wait any more. May be called in any thread."""
        self._is_closed = True
        self._requests.put(None)

    def state(self) -> dict[str, Any]:
        """The state of the run as pages show it."""
        kinds = [
            {"number": number, "kind": point.kind.value, "text": point.text, "agent": point.agent}
            for number, point in self.breakpoints
        ]
        return {
            "paused": self.is_paused,
            "reason": self.reason,
            "over": self.is_over,
            "breakpoints": kinds,
        }

    def between_ticks(self, events: Iterable[AgentEvent], seconds: float = 0) -> None:
        """Pause if the tick has reached a breakpoint; do requests, and wait while paused.

        Waits at least so many ``seconds``, longer where requests come meanwhile.
        """
        reached = self._reached(list(events))
        if reached and self.is_attached and not self._is_closed:
            self._pause(reached)
        self._is_step = False
        while not self._is_closed:
            try:
                found = self._requests.get(
                    block=self.is_paused or seconds > 0,
                    timeout=None if self.is_paused else seconds or None,
                )
            except Empty:
                return
            if found is not None:
                self._answer(*found)

    def wait_for_again(self) -> bool:
        """The run is over: True when a page wants it again, False once this is closed."""
        self.is_over, self.is_paused = True, False
        self._changed()
        while self.is_over and not self._is_closed:
            found = self._requests.get()
            if found is not None:
                self._answer(*found)
        return not self.is_over

    def begin(self, agents: Agents) -> None:
        """Control a run of other agents, with the breakpoints that fit them."""
        points = [point for _, point in self.breakpoints]
        self._agents, self.breakpoints = agents, Breakpoints(agents)
        for point in points:
            with suppress(BthtnError):
                self.breakpoints.add(point)

    def _begin_again(self) -> None:
        if not self.is_over:
            hint = "a run can be begun again when it is over"
            raise InputError("BT452", "the run goes on", hint=hint)
        self.is_over = False

    def _reached(self, events: Sequence[AgentEvent]) -> str:
        """The reason to stop after the latest tick; empty if there is none."""
        if reached := self.breakpoints.reached(events):
            return f"breakpoint — {reached}"
        if self._is_step:
            return "one tick was made"
        until = self._until
        if until is not None:
            for event in events:
                if is_reached(until, event):
                    return f"another plan — {event.agent}"
        return ""

    def _answer(self, request: Request, answer: Future[Any]) -> None:
        if not answer.set_running_or_notify_cancel():
            return
        try:
            wanted = str(request.get("do"))
            InputError.require(wanted, self._actions, "BT452", f"cannot do {wanted!r}")
            answer.set_result(self._actions[wanted](request))
        except BthtnError as error:
            answer.set_exception(error)
        except Exception as error:  # noqa: BLE001 - whatever a page sends, the run goes on
            fault = Diagnostic("BT452", f"a request is not well made: {error!r}")
            answer.set_exception(InputError.of(fault))

    def _pause(self, reason: str) -> None:
        self.is_paused, self.reason, self._until = True, reason, None
        self._changed()

    def _resume(self, *, step: bool = False, until: Breakpoint | None = None) -> None:
        self.is_paused, self.reason = False, ""
        self._is_step, self._until = step, until
        if not step:
            self._changed()

    def _break(self, request: Request) -> int:
        kind = BreakpointKind(str(request["kind"]))
        new = Breakpoint(kind, str(request["text"]).strip(), str(request.get("agent", "")))
        number = self.breakpoints.add(new)
        self._changed()
        return number

    def _unbreak(self, request: Request) -> None:
        self.breakpoints.remove(int(request["number"]))
        self._changed()

    def _believe(self, request: Request) -> None:
        agent = self._agent(request)
        agent.believe(*agent.domain.schema.setting(str(request["set"])), SOURCE)
        self._changed()

    def _agent(self, request: Request) -> Any:
        name = str(request["agent"])
        InputError.require(name, self._agents, "BT451", f"no agent is called {name!r}")
        return self._agents[name]
