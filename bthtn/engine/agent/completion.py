"""Completion: the outcome of a step whose operator runs elsewhere and calls back.

@operators.bind(move_to)
def walk(agent, spot):
    done = Completion(on_abort=agent.body.halt)
    agent.body.walk_to(spot, arrived=done.succeed, stuck=lambda: done.fail("stuck"))
    return done
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from bthtn.engine.world.sharing import Unpicklable


class Completion(Unpicklable):
    """The outcome of one start of a step, set by a call-back.

    ``succeed`` and ``fail`` may be called in any thread at any time. The first call counts, and
    the step sees it at its next tick; later calls, and calls after an abort, are only counted, in
    ``ignored``. ``on_abort`` is called when the step is aborted, in the thread that ticks.
    """

    def __init__(self, on_abort: Callable[[], object] | None = None) -> None:
        self.ignored = 0
        self._on_abort = on_abort
        self._claimed = False
        self._closed = False
        self._reason: str | None = None
        # Held for a few assignments, never while the user's code runs: it cannot deadlock.
        self._lock = Lock()

    def succeed(self) -> bool:
        """End the step with success. Returns False if the call was ignored."""
        return self._close("")

    def fail(self, reason: str = "the operator failed") -> bool:
        """End the step as failed. Returns False if the call was ignored."""
        return self._close(reason or "the operator failed")

    @property
    def on_abort(self) -> Callable[[], object] | None:
        """What is called when the step is aborted."""
        return self._on_abort

    @property
    def reason(self) -> str | None:
        """Why it failed, empty for a success, None while it is open."""
        with self._lock:
            return self._reason

    def claim(self) -> bool:
        """Called by the run time when a step starts. Returns False if another step has it."""
        with self._lock:
            first, self._claimed = not self._claimed, True
            return first

    def abandon(self) -> None:
        """Called by the run time when the step is aborted: later calls are ignored."""
        with self._lock:
            self._closed = True
        if self._on_abort is not None:
            self._on_abort()

    def _close(self, reason: str) -> bool:
        with self._lock:
            if self._closed:
                self.ignored += 1
                return False
            self._closed, self._reason = True, reason
            return True
