"""Why a plan has a step: the tasks above it, and the conditions of each.

fight, method 0
relies on target: target = true (the initial state)
shoot
relies on ammo > 0: ammo = 3 (after reload)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from bthtn.checked import checked
from bthtn.engine.domain.chance import SEED
from bthtn.engine.domain.decompositions import Decompositions
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import PlainBody, numbered
from bthtn.engine.domain.task import call_text
from bthtn.engine.plan.nodes import BranchingNode, Node, ScopeNode, TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.projection import Projection
from bthtn.engine.plan.walk import Visit, preorder
from bthtn.engine.planning.protocol import seeded, start_of
from bthtn.engine.world.expression import Binding, Condition, always_holds, conjuncts
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.state import FrozenState, State
from bthtn.engine.world.symbol import Comparable
from bthtn.engine.world.trail import WorkingState
from bthtn.engine.world.truth import value_text
from bthtn.errors import DomainError, nearest

R = TypeVar("R")
T = TypeVar("T")

INITIAL: Final = "the initial state"


@dataclass(frozen=True, slots=True, eq=False)
class ValueUsed(Comparable):
    """A fluent that a condition has read, its value, and where the value comes from.

    ``origin`` is ``"the initial state"``, or the step that wrote it: ``"after reload"``.
    """

    fluent: Fluent[Any]
    value: Any
    origin: str

    def __str__(self) -> str:
        return f"{self.fluent} = {value_text(self.value)} ({self.origin})"


@dataclass(frozen=True, slots=True)
class Reliance:
    """A condition that a part of a plan relies on, and the values that decide it."""

    condition: str
    values: tuple[ValueUsed, ...]

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.condition, ", ".join(map(str, self.values)))))

    def data(self) -> dict[str, Any]:
        """The reliance as a dictionary for JSON; values are texts."""
        values = [
            {
                "fluent": str(belief.fluent),
                "value": value_text(belief.value),
                "origin": belief.origin,
            }
            for belief in self.values
        ]
        return {"condition": self.condition, "values": values}


@dataclass(frozen=True, slots=True)
class StepReasons:
    """A task of a plan, ``depth`` tasks below the goal, with the conditions it relies on.

    ``method`` is the index of the method that decomposes it, ``name`` is that method's; they are
    None and empty for a primitive task.
    """

    node: ScopeNode | TaskNode
    depth: int
    method: int | None
    name: str
    reliances: tuple[Reliance, ...]

    @property
    def is_construct(self) -> bool:
        """Whether no author has named the task: it stands for a construct of a network."""
        return isinstance(self.node, ScopeNode) and bool(self.node.task.origin)

    @property
    def task(self) -> str:
        return call_text(self.node.task, self.node.args)

    def __str__(self) -> str:
        method = "" if self.method is None else f", {numbered(self.method, self.name)}"
        room = "  " * self.depth
        relies = (f"{room}  relies on {reliance}" for reliance in self.reliances)
        return "\n".join([f"{room}{self.task}{method}", *relies])

    def data(self) -> dict[str, Any]:
        """The reasons as a dictionary for JSON."""
        method = {} if self.method is None else {"method": self.method, "name": self.name}
        relies = [reliance.data() for reliance in self.reliances]
        return {"task": self.task, "depth": self.depth, **method, "relies_on": relies}


@checked
def why(
    plan: Plan, state: State | FrozenState, step: TaskNode | str | None = None
) -> tuple[StepReasons, ...]:
    """The tasks from the goal down to a step, each with the conditions it relies on.

    ``state`` is the state from which the plan was made. A step may be given by its text, such as
    ``"go('b')"``: then it is the first one of this text. Without a step, all tasks of the plan are
    listed, left to right. Raises DomainError for a step that the plan does not have.
    """
    seed = plan.predicted.values.get(SEED, 0)
    reasons = _Reasons(plan.domain, seeded(start_of(plan.domain, state), seed))
    reasons.project(plan.tree)
    found = {reason.node: reason for reason in reasons.found}
    if step is None:
        return tuple(reasons.found)
    return tuple(found[node] for node in _path(plan.tree, _step(plan, step)))


class _Reasons(Projection):
    """Projects a plan, and notes the conditions that its tasks rely on.

    ``origins`` has the step that wrote a fluent last on this path, as text.
    """

    def __init__(self, domain: FrozenDomain, start: FrozenState) -> None:
        super().__init__(WorkingState(start))
        self.domain = domain
        self.depth = 0
        self.found: list[StepReasons] = []
        self.origins: dict[Fluent[Any], str] = {}

    def visit(self, node: Node) -> Visit[None]:
        if isinstance(node, ScopeNode):
            self._note_scope(node)
            return self._below(node)
        if isinstance(node, TaskNode):
            self.sense()
            self._add(node, tuple(self._reliances(node.task.written_precondition, node.args)))
        return super().visit(node)

    def task(self, node: TaskNode) -> None:
        """Apply the effects of a step, and note it as the origin of the values."""
        super().task(node)
        self.origins |= dict.fromkeys(node.footprint.writes, f"after {node}")

    def branches(
        self, node: BranchingNode, parts: Iterable[T], visit: Callable[[T], Visit[R]]
    ) -> Visit[list[R]]:
        """Each branch starts with the origins before all of them; all their writers count after."""
        before, after = dict(self.origins), dict(self.origins)

        def branch(part: T) -> Visit[R]:
            self.origins = dict(before)
            answer: R = yield visit(part)
            changed = {
                fluent: who for fluent, who in self.origins.items() if before.get(fluent) != who
            }
            after.update(changed)
            return answer

        answers: list[R] = yield super().branches(node, parts, branch)
        self.origins = after
        return answers

    def _below(self, node: ScopeNode) -> Visit[None]:
        self.depth += 1
        yield super().visit(node)
        self.depth -= 1

    def _note_scope(self, node: ScopeNode) -> None:
        self.sense()
        recorder = RecordingView(self.state)
        try:
            found: Decompositions = self.domain.decompositions(node.task, node.args, recorder)
            method, binding = found.method(node.method), found.binding(node.method)
        except (UnknownRead, IndexError):
            self._add(node, ())
            return
        reliances = list(self._reliances(method.condition, binding))
        if isinstance(method.body, PlainBody):
            plain = RecordingView(self.state)
            method.body.network(plain, binding)
            reliances.append(Reliance(str(method.body), self._values(plain)))
        self._add(node, tuple(reliances), found.name(node.method))

    def _add(
        self, node: ScopeNode | TaskNode, reliances: tuple[Reliance, ...], name: str = ""
    ) -> None:
        method = node.method if isinstance(node, ScopeNode) else None
        self.found.append(StepReasons(node, self.depth, method, name, reliances))

    def _reliances(self, condition: Condition, binding: Binding) -> Iterator[Reliance]:
        for part in () if always_holds(condition) else conjuncts(condition):
            recorder = RecordingView(self.state)
            part.evaluate(recorder, binding)
            yield Reliance(part.text(binding), self._values(recorder))

    def _values(self, recorder: RecordingView) -> tuple[ValueUsed, ...]:
        return tuple(
            ValueUsed(fluent, value, self.origins.get(fluent, INITIAL))
            for fluent, value in recorder.readings.items()
            if isinstance(fluent, Fluent)
        )


def _step(plan: Plan, step: TaskNode | str) -> TaskNode:
    steps = [node for _, node in preorder(plan.tree) if isinstance(node, TaskNode)]
    for node in steps:
        if node is step or str(node) == step or node.task.name == step:
            return node
    hint = nearest(str(step), map(str, steps))
    raise DomainError("BT101", f"the plan for {plan.goal_text} has no step '{step}'", hint=hint)


def _path(root: Node, wanted: Node) -> list[ScopeNode | TaskNode]:
    """The scopes from the root down to a node, and the node."""
    path: list[Node] = []
    for depth, node in preorder(root):
        del path[depth:]
        path.append(node)
        if node is wanted:
            break
    return [node for node in path if isinstance(node, ScopeNode | TaskNode)]
