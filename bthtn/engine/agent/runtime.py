"""Runtime: internal state shared by the behaviours that act for one agent."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from typing import Any
from warnings import warn

from bthtn.engine.agent.events import AgentEvent, LeaseReturned, LeaseTaken
from bthtn.engine.agent.leases import Account, Holder, Leases, without
from bthtn.engine.agent.programming_errors import LOGGER, ProgrammingErrors
from bthtn.engine.world.beliefs import Beliefs
from bthtn.engine.world.fluent import Fluent
from bthtn.errors import Diagnostic

Writer = Callable[[Fluent[Any]], str]
"""The source of what is believed about a fluent without naming one."""


class Runtime:
    """The holder that acts for an agent, the leases of its steps, its ``errors``.

    Leases that user code takes belong to the innermost holder that is acting: a step while its
    operator runs, a plan while its hooks run, and otherwise the agent itself.
    """

    def __init__(
        self,
        agent: str,
        leases: Leases,
        emit: Callable[[AgentEvent], None],
        errors: ProgrammingErrors,
        beliefs: Beliefs[Any],
    ) -> None:
        self.errors = errors
        self.event_loop: Any = None
        """The asyncio loop of operators that are coroutines, where no other is running."""
        self.is_attached = False
        """Whether a tree calls the agent's ``sense`` in its ticks."""
        self.is_heard = False
        """Whether the agent has a listener."""
        self.is_sensed = False
        """Whether ``sense`` was ever called, or a warning has said that it is missing."""
        self.at_work: object = None
        """What is at work now, None if there is nothing; a hint to look at the stack."""
        self.is_ticked = False
        """Whether the tree that it is attached to is ticked now; such a hint, too."""
        self.thread: int | None = None
        """The thread that may change beliefs; any, for None."""
        self.unsensed = ""
        """The parts, such as sensors, that nothing reads unless ``sense`` is called, as a text."""
        self._agent = agent
        self._beliefs = beliefs
        self._leases = leases
        self._emit = emit
        self.account = self._own = Account(Holder(agent))
        """That of the innermost holder that is acting now, the agent's own outside of steps."""
        self._steps = self._plans = 0
        self._uses: dict[Holder, frozenset[str]] = {}

    @cached_property
    def closing(self) -> ExitStack:
        """The exit stack whose callbacks run when the agent is closed."""
        return ExitStack()

    @property
    def holder(self) -> Holder:
        """The innermost holder that is acting now."""
        return self.account.holder

    def acting(
        self, account: Account, writer: Writer | None = None
    ) -> AbstractContextManager[None]:
        """Within the ``with``, leases are taken for this account, and beliefs have this writer."""
        return _Acting(self, account, self._beliefs, writer)

    def working(self, worker: object) -> AbstractContextManager[None]:
        """Within the ``with``, something is ``at_work``."""
        return _Working(self, worker)

    def acting_as_now(self) -> Callable[[], AbstractContextManager[None]]:
        """A function that makes ``acting`` with the account and the writer of now."""
        account, writer = self.account, self._beliefs.writer
        return lambda: self.acting(account, writer)

    def act_again(self, account: Account, writer: Writer | None) -> None:
        """Let those act who did before; an interrupt may have kept others from leaving."""
        self.account, self._beliefs.writer = account, writer

    def warn_unread(self) -> None:
        """Warn, once, that nothing reads the agent's sensors or clock."""
        self.warn_unsensed(f"has {self.unsensed} never read", is_certain=True)

    def warn_unsensed(self, what: str, *, is_certain: bool) -> None:
        """Log, once, that the agent's ``sense`` is not called; warn as well if that is certain."""
        self.is_sensed = True
        hint = "write attach(tree, agent), or call agent.sense() at the beginning of every tick"
        text = str(Diagnostic("BT312", f"agent '{self._agent}' {what}", hint=hint))
        LOGGER.warning(text)
        if is_certain:
            warn(text, RuntimeWarning, stacklevel=2)

    def close(self) -> None:
        """Return the leases that the agent took itself, and close everything it has opened."""
        self.settle(self._own)
        if "closing" in vars(self):
            self.closing.close()

    def take(self, key: Hashable) -> bool:
        """Take a lease for the holder that is acting. Returns False if others have all places."""
        account = self.account
        by = account.holder
        if self._leases.has(key, by):
            account.shared += (key,)
            return True
        # An interrupt at any line leaves nothing taken that the account does not name.
        account.keys += (key,)
        if not self._leases.take(key, by):
            account.keys = without(key, account.keys)
            return False
        self._tell_of(LeaseTaken, key, by)
        return True

    def give_back(self, key: Hashable) -> bool:
        """Return a lease that the acting holder took itself. Returns whether it had."""
        return self._give_back(key, self.account)

    def settle(self, account: Account, heirs: Iterable[Account] = ()) -> None:
        """Return all leases of an account, the latest first, except those that an heir shares.

        Heirs are accounts of the same holder; the first one that shares a lease takes it over.
        """
        if not account.keys:
            return
        heirs = tuple(heirs)
        for key in reversed(account.keys):
            heir = next((other for other in heirs if key in {*other.shared}), None)
            if heir is None:
                self._give_back(key, account)
            else:
                heir.keys += (key,)
                heir.shared = without(key, heir.shared)
                account.keys = without(key, account.keys)

    def next_step(self) -> int:
        """Number a step that is about to start. No two steps of an agent share a number."""
        self._steps += 1
        return self._steps

    def next_plan(self) -> str:
        """The id of a plan that is about to start, such as ``Ann #3``. No two plans share it."""
        self._plans += 1
        return f"{self._agent} #{self._plans}"

    def occupy(self, step: Holder, uses: frozenset[str]) -> None:
        """A step has started; until ``vacate`` it occupies the resources that it uses."""
        if uses:
            self._uses[step] = uses

    def vacate(self, step: Holder) -> None:
        """The step is over."""
        if self._uses:
            self._uses.pop(step, None)

    def occupant(self, goal: Holder | None, uses: frozenset[str]) -> Holder | None:
        """The first step that occupies a resource which a step of this goal is about to use.

        The steps around the goal do not count: they occupy it for the goal.
        """
        for step, occupied in self._uses.items():
            around = goal is not None and goal.is_within(step)
            if not (around or occupied.isdisjoint(uses)):
                return step
        return None

    def tell(self, make: Callable[..., AgentEvent], *about: object, **named: object) -> None:
        """Emit an event, which is made if there is a listener, or an ``error`` to be counted."""
        if self.is_heard or named.get("error") is not None:
            self._emit(make(*about, **named))

    def _tell_of(self, kind: type[LeaseTaken | LeaseReturned], key: Hashable, by: Holder) -> None:
        if self.is_heard:
            self._emit(kind(key, by.name, goal=by.goal, plan_id=by.plan_id))

    def _give_back(self, key: Hashable, account: Account) -> bool:
        if key not in {*account.keys}:
            return False
        by = account.holder
        self._leases.give_back(key, by)
        account.keys = without(key, account.keys)
        self._tell_of(LeaseReturned, key, by)
        return True


class _Acting:
    """Another account. A class, because a generator would slow down every step's tick."""

    __slots__ = ("_account", "_beliefs", "_outer", "_runtime", "_writer")

    def __init__(
        self, runtime: Runtime, account: Account, beliefs: Beliefs[Any], writer: Writer | None
    ) -> None:
        self._runtime = runtime
        self._account = account
        self._beliefs = beliefs
        self._outer = runtime.account, beliefs.writer
        self._writer = self._outer[1] if writer is None else writer

    def __enter__(self) -> None:
        self._runtime.account, self._beliefs.writer = self._account, self._writer

    def __exit__(self, *raised: object) -> None:
        self._runtime.account, self._beliefs.writer = self._outer


class _Working:
    """Something at work. A class for the same reason."""

    __slots__ = ("_outer", "_runtime", "_worker")

    def __init__(self, runtime: Runtime, worker: object) -> None:
        self._runtime = runtime
        self._worker = worker
        self._outer = runtime.at_work

    def __enter__(self) -> None:
        self._runtime.at_work = self._worker

    def __exit__(self, *raised: object) -> None:
        self._runtime.at_work = self._outer


def runtime_of(agent: Any) -> Runtime:
    """The runtime of an agent, for the behaviours that act for it."""
    runtime: Runtime = agent._runtime
    return runtime
