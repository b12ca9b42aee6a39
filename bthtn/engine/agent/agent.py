"""Agent: beliefs, domains, operators, sensors and a body."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import chain, islice
from threading import get_ident
from typing import Any, Final, Generic, Self, TypeVar

from bthtn.checked import checked, read_annotations
from bthtn.engine.agent.aborts import Aborts
from bthtn.engine.agent.callables import check_listener
from bthtn.engine.agent.clock import Clock, TickClock
from bthtn.engine.agent.code_types import AnyBody
from bthtn.engine.agent.events import (
    AgentEvent,
    AgentListener,
    AgentReloaded,
    BeliefChanged,
    ClockSetBack,
)
from bthtn.engine.agent.leases import Leases
from bthtn.engine.agent.operators import Operators
from bthtn.engine.agent.programming_errors import ProgrammingErrors, code_failed
from bthtn.engine.agent.reentrance import is_at_work, refuse_at_work, work
from bthtn.engine.agent.runtime import Runtime
from bthtn.engine.agent.sensors import Sensor, Sensors
from bthtn.engine.agent.telling import told_again
from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.decorator import CooldownDecorator, TimeoutDecorator
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.network import Network, calls_in, with_tasks
from bthtn.engine.domain.number import Seconds
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task
from bthtn.engine.world.beliefs import SENSOR, Beliefs
from bthtn.engine.world.diff import Change
from bthtn.engine.world.expression import Expression
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import Unknown
from bthtn.engine.world.unfrozen import quickly
from bthtn.errors import Diagnostic, DomainError, ExecutionError

S = TypeVar("S", bound=State)
B = TypeVar("B")
V = TypeVar("V")

_belief_changed = quickly(BeliefChanged)

_RELOADED: Final = (
    *("domains", "operators", "clock"),
    *("reloads", "_state_class", "_sensing"),
)
"""The attributes that a reload replaces."""


class Agent(Unpicklable, Generic[S, B]):
    """A character or robot that plans and acts: the owner of its beliefs.

    ``body`` is whatever the operators act with: a game character, a robot, a simulation.
    ``domain`` may be several domains over one State class, for parts of a body that are planned
    for separately. ``listener`` is called with every event. ``sensors`` refresh the beliefs when
    ``sense`` is called. ``leases`` is the table of the leases that agents compete for; agents
    without a common table do not compete. ``aborts`` are the aborts and cleanups that are not done
    yet. ``clock`` is a function that returns seconds since any beginning, such as a ManualClock;
    whatever lasts seconds needs one.

    Exceptions of users' code are contained. The first of each kind is logged with its traceback, by
    the logger "bthtn", and all are counted in ``errors``. A ``strict`` agent, for tests, raises the
    first of each kind at the end of the tick. An OperatorFailed is no such error.
    """

    _copy_hint = "save(tree, agent) of bthtn.behaviours is a running tree and its agent as JSON"

    @checked
    def __init__(  # noqa: PLR0913 - everything after the beliefs is given by name
        self,
        name: str,
        domain: Domain[S] | FrozenDomain | Sequence[Domain[S] | FrozenDomain],
        beliefs: S,
        *,
        body: B,
        operators: Operators[B] | Operators[AnyBody] | None = None,
        listener: AgentListener | None = None,
        leases: Leases | None = None,
        sensors: Sensors[B] | Sensors[AnyBody] | None = None,
        clock: Clock | None = None,
        strict: bool = False,
    ) -> None:
        """Raises DomainError and ExecutionError as ``plan_with``.

        Raises ExecutionError for a clock that cannot be read.
        """
        read_annotations()  # here, and not in a tick
        self.name = name
        self.clock = None if clock is None else TickClock(clock, name)
        self._state_class = type(beliefs)
        self.operators = operators if operators is not None else Operators()
        self.plan_with(domain)
        self.beliefs: Beliefs[S] = Beliefs(beliefs)
        # Not a method: sensors write at every tick, and this saves a call each time.
        self.believe = self.beliefs.write
        """Write a value into the beliefs: ``believe(fluent, value, source="…")``.

        Without a source it is "sensor"; in an operator, the step. A belief of a step's operator
        of a fluent that the step writes is part of its effects. Raises ExecutionError in any other
        thread than the one that calls ``sense``; there ``believe_soon`` does it."""
        self.body = body
        self.leases = leases if leases is not None else Leases()
        self.aborts = Aborts()
        self._errors = ProgrammingErrors(name, strict=strict)
        self._runtime = Runtime(name, self.leases, self.emit, self._errors, self.beliefs)
        self.listener = listener
        self._sensing = (sensors if sensors is not None else Sensors()).for_agent(self)
        self._runtime.unsensed = self._unsensed
        self._ticks = 0
        self._version: int | None = None
        """That of the beliefs at the end of the latest ``sense``."""
        self.reloads = 0
        """How many times ``reload`` was called."""
        self._believed_soon: list[tuple[Expression[Any], object, str]] = []
        self.beliefs.before_change = self._in_its_thread

    @property
    def listener(self) -> AgentListener | None:
        """Called with every event, or None."""
        return self._listener

    @listener.setter
    def listener(self, listener: AgentListener | None) -> None:
        if listener is not None:
            check_listener(listener, self.name)
        self._listener = listener
        self._runtime.is_heard = listener is not None
        self.beliefs.on_change = None if listener is None else self._changed

    @property
    def errors(self) -> Mapping[str, int]:
        """How many exceptions users' code has raised, by kind: the code that ran, class, line."""
        return self._errors.counts

    @property
    def domain(self) -> FrozenDomain:
        """The domain, the first one if there are several."""
        return self.domains[0]

    def plan_with(
        self, domain: Domain[S] | FrozenDomain | Sequence[Domain[S] | FrozenDomain]
    ) -> None:
        """Plan with this domain, or these, from the next search on.

        Running plans go on, and are replaced if this domain has a better one. A goal whose tasks
        are of another domain is planned with the tasks of the same names. Raises DomainError for a
        bad domain, or for one over another State class, and ExecutionError for operators of other
        tasks, for tasks without one, and for simulated tasks that last seconds if the agent has no
        clock, with nothing changed.
        """
        given = domain if isinstance(domain, Sequence) else (domain,)
        if not given:
            raise DomainError("BT105", f"agent '{self.name}' has no domain to plan with")
        domains = tuple(map(frozen, given))
        for whole in domains:
            if not issubclass(self._state_class, whole.state_class):
                own, its = self._state_class.__name__, whole.state_class.__name__
                message = (
                    f"the beliefs of '{self.name}' are a {own}; '{whole.name}' plans with {its}"
                )
                hint = f"give it a {its}(...), or a class derived of it"
                raise DomainError("BT110", message, hint=hint)
        faults = list(self.operators.faults(domains, self.name))
        if self.clock is None:
            faults.extend(islice(self._untimed(domains), 1))
        if faults:
            raise ExecutionError.of(faults)
        self.domains = domains

    def reload(self, made: Agent[Any, Any]) -> Self:
        """Take over domains, operators, sensors and cache of an agent made of newer code.

        Its clock is taken over by an agent that has none.

        Beliefs are carried over by the name and type of their fluents; an AgentReloaded event
        names those that were lost or have another value now. Body, listener and leases stay. Steps
        that run, and unfinished aborts, go on with the operators they were started with. In its
        next tick, a goal plans anew; its steps run on if the next plan begins with them.

        Call it between ticks, in the thread that ticks the agent; ``made`` is not used any more.
        Returns the agent itself. Raises ExecutionError in another thread, and in an operator or
        hook, with nothing changed.
        """
        self._in_its_thread()
        if self._runtime.holder.inside is not None or is_at_work(self):
            message = f"agent '{self.name}' is reloaded in the middle of its own tick"
            hint = "reload it between ticks; character.reload(make) does so, from anywhere"
            raise ExecutionError("BT430", message, hint=hint)
        carried = self.beliefs.succeed(made.beliefs.now)
        self.domains, self.operators = made.domains, made.operators
        self._state_class = made._state_class
        self._sensing = made._sensing.for_agent(self)
        self.clock = made.clock if self.clock is None else self.clock
        self._runtime.unsensed = self._unsensed
        self.reloads += 1
        names = tuple(domain.name for domain in self.domains)
        self.emit(AgentReloaded(self.name, names, carried.lost, carried.defaulted))
        return self

    @work
    def sense(self) -> None:
        """Begin a tick: read the clock, continue aborts, apply ``believe_soon``, read sensors due.

        Call it once at the beginning of every tick; ``attach`` lets a BehaviourTree do so. From
        then on the agent belongs to the calling thread. Raises ExecutionError in the middle of a
        tick.
        """
        runtime = self._runtime
        if runtime.at_work is not None:
            refuse_at_work(self, "begins a tick", but_one=True)
        runtime.at_work, account, writer = self, runtime.account, self.beliefs.writer
        try:
            runtime.thread, runtime.is_sensed = get_ident(), True
            self._ticks += 1
            if self.clock is not None:
                self._read(self.clock)
            self.aborts.begin_tick()
            self._write_believed_soon()
            self._sensing.refresh()
            self._version = self.beliefs.version
        except BaseException:
            runtime.act_again(account, writer)
            raise
        finally:
            runtime.at_work = None
        self._errors.raise_first()

    def _write_believed_soon(self) -> None:
        """Write what there is by now; other threads may append meanwhile."""
        written = 0
        try:
            for told in self._believed_soon[:]:
                written += 1
                self.beliefs.write(*told)
        finally:
            del self._believed_soon[:written]

    @property
    def is_waiting(self) -> bool:
        """Whether ``sense`` does nothing until something changes, and no belief has since then."""
        return (
            self._version == self.beliefs.version
            and not (self._believed_soon or len(self.aborts))
            and not self._sensing.is_polling
        )

    def _read(self, clock: TickClock) -> None:
        try:
            before, now = clock.now, clock.read()
        except Exception as error:  # noqa: BLE001 - no time passes; contained and reported
            self.emit(code_failed("clock", error))
        else:
            if now < before:
                self.emit(ClockSetBack(before, now))

    def time(self) -> float:
        """The seconds of the agent's clock at the beginning of the tick: the latest ``sense``.

        Raises ExecutionError for an agent without a clock.
        """
        if self.clock is None:
            raise ExecutionError.of(_no_clock(f"agent '{self.name}' is asked for the time"))
        return self.clock.now

    def time_in_tree(self) -> float:
        """``time`` for the nodes of a tree, which warns if nothing reads the clock in its ticks."""
        if not self._runtime.is_sensed:
            self._runtime.warn_unread()
        return self.time()

    def believe_soon(self, fluent: Expression[V], value: V | Unknown, source: str = SENSOR) -> None:
        """Write a value into the beliefs at the next ``sense``. May be called in any thread.

        Raises StateError as ``believe``.
        """
        self.beliefs.check(fluent, value)
        self._believed_soon.append((fluent, value, source))

    @work
    def close(self) -> None:
        """End all that is left of the agent when its tree was taken down.

        Unfinished aborts are cut off; leases that the agent took itself are returned; generators
        of sensors, mirrors on a blackboard and the event loop of its operators are closed. An
        agent that is ticked again begins anew. Raises ExecutionError in the middle of a tick.
        """
        refuse_at_work(self, "is closed", but_one=True)
        with self._runtime.working(self):
            self.aborts.cut_off(self._runtime.holder, "the agent was closed")
            self._sensing.close()
            self._runtime.close()
        self._runtime.thread = None

    def trigger(self, sensor: Sensor) -> None:
        """Read the sensor in the next tick, whatever its interval. May be called in any thread.

        Raises ExecutionError for a sensor that the agent does not have.
        """
        self._sensing.trigger(sensor)

    def take(self, key: Hashable) -> bool:
        """Take a lease. Returns False if others have all of its places.

        In an operator, the step holds it until its end; in an ``on_plan_start`` hook, the plan
        holds it until its end; anywhere else, the agent holds it until ``give_back``.
        """
        return self._runtime.take(key)

    def give_back(self, key: Hashable) -> bool:
        """Return a lease early. Returns False for one that the step, plan or agent did not take."""
        return self._runtime.give_back(key)

    def emit(self, event: AgentEvent) -> None:
        """Call the listener with an event, which names the agent, its tick and its time.

        An event of another agent is passed on as it is, so that ``emit`` may be the listener of
        others. One that was emitted before is copied: it stays as it was heard. A listener that
        raises is removed, and its error logged. One that an interrupt (Ctrl-C, MemoryError) ends is
        called again with the same event, before that goes on.
        """
        if event.agent == self.name:
            event = event.of("", 0, None)
        is_own = not event.agent
        if is_own and getattr(event, "error", None) is not None:
            self._errors.note(event)
        if self._listener is None:
            return
        if is_own:
            time = None if self.clock is None else self.clock.now
            event.fill_in(self.name, self._ticks, time)
        listener = self._listener
        try:
            listener(event)  # the last line, behind which no interrupt comes
        except BaseException as error:  # noqa: BLE001 - contained, or raised again
            raised = told_again(listener, event, error)
            if raised is not None:  # it must not disturb the agent
                self.listener = None
                self.emit(code_failed("listener", raised))

    def _untimed(self, domains: Sequence[FrozenDomain]) -> Iterator[Diagnostic]:
        """A mistake for each simulated task, and each decorator, that lasts seconds."""
        for task in (task for domain in domains for task in domain.tasks.values()):
            match task:
                case PrimitiveTask(in_seconds=True, takes_time=True):
                    if self.operators.find(task) is None:
                        yield _no_clock(f"agent '{self.name}' simulates '{task.name}'")
                case CompoundTask(
                    decorator=TimeoutDecorator(Seconds()) | CooldownDecorator(Seconds())
                ):
                    yield _no_clock(f"agent '{self.name}' runs '{task.name}'")
                case _:
                    pass

    @property
    def _unsensed(self) -> str:
        """The parts that are never read unless ``sense`` is called; empty if there are none."""
        if self._sensing.has_sensors:
            return "sensors that are"
        return "" if self.clock is None else "a clock that is"

    def _in_its_thread(self) -> None:
        if self._runtime.thread not in (None, get_ident()):
            message = f"a thread changes a belief of agent '{self.name}', which another one ticks"
            hint = "call agent.believe_soon(fluent, value): it is believed at the next tick"
            raise ExecutionError("BT313", message, hint=hint)

    def _changed(self, change: Change) -> None:
        by = self._runtime.holder
        self.emit(_belief_changed(change, goal=by.goal, plan_id=by.plan_id))

    def __repr__(self) -> str:
        return f"<agent {self.name}: {self.beliefs.now!r}>"


def restorable(agent: Agent[Any, Any]) -> Callable[[], None]:
    """A function that takes back every ``reload`` of the agent from now to its next tick."""
    parts, state = vars(agent).copy(), agent.beliefs.now

    def restore() -> None:
        vars(agent).update({name: parts[name] for name in _RELOADED})
        agent.beliefs.replace(state)
        agent._runtime.unsensed = agent._unsensed

    return restore


def domain_and_goal(domains: Sequence[FrozenDomain], goal: Network) -> tuple[FrozenDomain, Network]:
    """The domain to plan a goal with, and the goal with the tasks of this domain.

    It is the domain of the goal's first task, else one with a task of this name, else the first
    domain. Tasks of another domain, such as the same one before it was edited, are replaced by
    those of the same name and parameters.
    """
    tasks = [call.task for call in calls_in(goal)][:1]
    same = (domain for domain in domains for task in tasks if domain.has(task))
    named = (domain for domain in domains for task in tasks if task.name in domain.tasks)
    domain = next(chain(same, named), domains[0])
    instead: dict[Task, Task] = {}
    for call in calls_in(goal):
        old, new = call.task, domain.tasks.get(call.task.name, call.task)
        names = [[parameter.name for parameter in task.parameters] for task in (old, new)]
        if old not in domain.former and old is not new and names[0] == names[1]:
            instead[old] = new
    return domain, with_tasks(goal, instead) if instead else goal


def _no_clock(subject: str) -> Diagnostic:
    hint = "give it one: Agent(…, clock=ManualClock()), advanced by the loop's delta time"
    return Diagnostic("BT316", f"{subject}, in seconds, and has no clock", hint=hint)
