"""Character: an agent, its tree and its world, ticked together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from threading import get_ident
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.trees import BehaviourTree

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent, restorable
from bthtn.engine.agent.events import AgentEvent, AgentListener, BeliefChanged, ReloadFailed
from bthtn.engine.agent.hearing import hear_alone
from bthtn.engine.agent.programming_errors import text_of
from bthtn.engine.agent.reentrance import is_at_work, refuse_at_work
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.attach import attach
from bthtn.engine.behaviours.due import due_in
from bthtn.engine.behaviours.reloading import replace_root
from bthtn.engine.behaviours.saves import load, save
from bthtn.engine.behaviours.status import FAILURE, SUCCESS
from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import BthtnError, ExecutionError
from bthtn.notebooks import repr_mimebundle


class Character(Unpicklable):
    """Runs a tree in a world: at every tick the world advances, sensors are read, the tree acts.

    ``sense`` advances the world by a tick and may write into the agent's beliefs; then the
    agent's sensors are read. ``finished`` is whether the run is over; with ``once`` it is also over
    when the tree has succeeded or failed. Exceptions of these two functions leave the tick: they
    are the caller's world, not the agent. ``world`` is what is saved with the character: an object
    with ``save() -> JSON`` and ``load(saved)``.
    """

    _copy_hint = "character.save() is a running character as JSON"
    _repr_mimebundle_ = repr_mimebundle

    @checked
    def __init__(
        self,
        root: Behaviour,
        agent: Agent[Any, Any],
        *,
        sense: Callable[[], None] | None = None,
        finished: Callable[[], bool] = lambda: False,
        once: bool = False,
        world: object = None,
    ) -> None:
        self.root = root
        self.tree = BehaviourTree(root)
        self.agent = agent
        self.world = world
        self.ticks = 0
        self._sense = sense
        self._finished = finished
        self._once = once
        self._events: list[AgentEvent] = []
        self._listener: AgentListener | None = None
        # Of the calls of other threads the latest counts; its methods are atomic.
        self._to_make = deque[Callable[[Character], Character]](maxlen=1)
        # The agent of a running character is attached: this one is made to replace its parts.
        self._is_attached = not runtime_of(agent).is_attached
        if self._is_attached:
            self._attach()
        root.setup_with_descendants()

    def _attach(self) -> None:
        attach(self.tree, self.agent)
        self._is_attached = True
        before = self.agent.listener
        self._listener = None if before is None else hear_alone(self.agent, before)
        self.agent.listener = self._hear

    def _hear(self, event: AgentEvent) -> None:
        if event.tick != self.ticks:  # of an agent that is not attached, or of the world's move
            event = event.of(event.agent, self.ticks, event.time)
        if not self._events or event is not self._events[-1]:  # else an interrupt came before
            self._events.append(event)
        if self._listener is not None:
            self._listener(event)

    @property
    def agents(self) -> Mapping[str, Agent[Any, Any]]:
        """The agent, and the others that goals and conditions of the tree have, by their names."""
        nodes = (getattr(node, "agent", None) for node in self.root.iterate())
        found = (self.agent, *(node for node in nodes if isinstance(node, Agent)))
        return {agent.name: agent for agent in found}

    @property
    def finished(self) -> bool:
        """Whether the run is over."""
        return self.outcome is not None or self._finished()

    @property
    def outcome(self) -> Status | None:
        """The status with which the tree has ended, if that ends the run; else None."""
        status = self.root.status
        return status if self._once and status in (SUCCESS, FAILURE) else None

    def reload(self, make: Callable[[Character], Character]) -> None:
        """Call ``make(self)`` before the next tick, and go on with the character that it returns.

        That is a character in the same world, of newer code. Its agents are the running ones,
        each of which has taken over an agent made of newer code: ``running.reload(made)``. Its
        tree, ``sense``, ``finished`` and ``once`` replace those of this character; goals of the
        same name go on with their steps, see ``replace_root``. If ``make`` raises, nothing changes,
        and a ReloadFailed event says why. May be called in any thread; the latest call counts.
        """
        self._to_make.append(make)

    def save(self) -> dict[str, Any]:
        """The character and its world as JSON, between two ticks. Raises InputError."""
        return save(self.tree, *self.agents.values(), world=self.world)

    def load(self, saved: dict[str, Any], *, plans: bool = True) -> None:
        """Go on where a saved character was; this one was made anew, by the same code.

        Without ``plans`` its goals plan anew, from the saved beliefs in the saved world. Raises
        InputError and ExecutionError as ``load``.
        """
        load(saved, self.tree, *self.agents.values(), world=self.world, plans=plans)
        self.ticks = self.tree.count

    def tick(self) -> tuple[AgentEvent, ...]:
        """Run one tick; the events of it, in order. Raises ExecutionError in the middle of one."""
        refuse_at_work(self.agent, "is ticked")
        self._events.clear()
        self.ticks += 1
        if not self._is_attached:
            self._attach()
        if self._to_make:
            self._take_over(self._to_make.pop())
        if self._sense is not None:
            self._sense()
        self.tree.tick()
        return tuple(self._events)

    def due_in(self) -> float | None:
        """In how many seconds of the agent's clock after the latest tick the next one is needed.

        None if nothing but a change can make a tick do anything: a belief, a step that ends by a
        call-back, or anything else that the tree is told. 0 if the next tick may do something as
        it is, and where nobody can tell. Between ticks that are left out all is decided as it
        would be with them. Raises ExecutionError in the middle of a tick.
        """
        refuse_at_work(self.agent, "is asked when it is due")
        has_acted = any(not isinstance(event, BeliefChanged) for event in self._events)
        if has_acted or self._to_make or self._sense is not None:
            return 0.0
        return due_in(self.tree, self.agent)

    def stop(self) -> tuple[AgentEvent, ...]:
        """Stop and shut down the tree, in the middle of a tick at its end; the events of that."""
        if not is_at_work(self.agent):
            self._events.clear()
        self.tree.shutdown()
        return tuple(self._events)

    def _take_over(self, make: Callable[[Character], Character]) -> None:
        """Go on with a character of newer code, or report why there is none."""
        agents = self.agents
        for runtime in map(runtime_of, agents.values()):
            if runtime.thread is not None:  # the tick may be the first one in this thread
                runtime.thread = get_ident()
        try:
            with _all_or_nothing(agents.values()) as events:
                made = make(self)
                _check(made, agents)
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            found = error.diagnostics if isinstance(error, BthtnError) else ()
            reason = "; ".join(map(str, found)).replace("\n  ", "; ") or text_of(error)
            self.agent.emit(ReloadFailed(reason, error))
            return
        for agent, event in events:
            agent.emit(event)
        replace_root(self.tree, made.root)
        self.root, self._sense, self.world = made.root, made._sense, made.world
        self._finished, self._once = made._finished, made._once


@contextmanager
def _all_or_nothing(
    agents: Iterable[Agent[Any, Any]],
) -> Iterator[list[tuple[Agent[Any, Any], AgentEvent]]]:
    """Collect the events of agents that are reloaded inside; take all back after an exception."""
    events: list[tuple[Agent[Any, Any], AgentEvent]] = []
    with ExitStack() as listeners:
        restore = [restorable(agent) for agent in agents]
        for agent in agents:
            listeners.enter_context(_heard_by(agent, events))
        try:
            yield events
        except BaseException:
            for undo in restore:
                undo()
            raise


@contextmanager
def _heard_by(
    agent: Agent[Any, Any], events: list[tuple[Agent[Any, Any], AgentEvent]]
) -> Iterator[None]:
    """Collect an agent's events, in place of its listener unless that is replaced inside."""

    def note(event: AgentEvent) -> None:
        events.append((agent, event))

    listener, agent.listener = agent.listener, note
    try:
        yield
    finally:
        if agent.listener is note:
            agent.listener = listener


def _check(made: object, agents: Mapping[str, Agent[Any, Any]]) -> None:
    """Raise ExecutionError unless it is a character of the running agents."""
    if not isinstance(made, Character):
        message = f"the function returned {type(made).__name__} instead of a character"
        hint = "return the character of newer code: character.reload(lambda running: ...)"
        raise ExecutionError("BT431", message, hint=hint)
    for name, agent in agents.items():
        found = made.agents.get(name)
        if found is not agent:
            wrong = "is missing" if found is None else "was made anew"
            message = f"agent '{name}' {wrong} in the reloaded character"
            hint = f"let the running one go on: running.agents['{name}'].reload(made)"
            raise ExecutionError("BT431", message, hint=hint)
