"""Plan: a tree, the record of its choices, and the state that it leads to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.goal import Action
from bthtn.engine.domain.network import Network, network_text
from bthtn.engine.plan.nodes import Node, PriorityNode, ScopeNode, SuspendedNode, TaskNode
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import flat, fold, footprint, preferred_steps, preorder
from bthtn.engine.world.expression import Binding
from bthtn.engine.world.footprint import Footprint
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.unfrozen import unfrozen
from bthtn.notebooks import repr_mimebundle
from bthtn.records import record

T = TypeVar("T")


class SharedTree(NamedTuple):
    """The tree of equal plans, with their record and the values derived from them."""

    tree: Node
    record: MethodTraversalRecord
    derived: dict[Any, Any]


class PlanSource(Protocol):
    """What the fields of a plan are made from, each when it is first read.

    Equal plans may have the same ``shared_tree``.
    """

    @property
    def domain(self) -> FrozenDomain: ...
    @property
    def goal(self) -> Network: ...
    @property
    def binding(self) -> Binding: ...
    @property
    def shared_tree(self) -> SharedTree: ...
    @property
    def record(self) -> MethodTraversalRecord: ...
    @property
    def predicted(self) -> FrozenState: ...
    @property
    def expansions(self) -> int: ...

    def actions(self) -> tuple[Action, ...] | None:
        """The actions of the plan, None if they have to be taken from its tree."""


@record(eq=False)
class Plan(Shared, Unpicklable):
    """A plan for a goal, as a search has found it. Frozen.

    ``predicted`` is the state after the plan; fluents on which alternatives disagree are
    unknown there. ``expansions`` is the number of expansions of the search.
    """

    domain: FrozenDomain
    goal: Network
    binding: Binding
    tree: Node
    record: MethodTraversalRecord
    predicted: FrozenState
    expansions: int = 0
    _source: PlanSource | None = field(default=None, init=False, repr=False)
    _derived: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @staticmethod
    def found(source: PlanSource, tree: SharedTree | None = None) -> Plan:
        """A plan whose fields are made from this source when they are first read.

        Its ``tree`` may be there already.
        """
        plan = _OpenPlan()
        plan._source = source
        if tree is not None:
            plan.tree, plan.record, plan._derived = tree
        plan.__class__ = Plan
        found: Plan = plan
        return found

    def __getattr__(self, name: str) -> Any:
        """Make a field when it is first read; Python calls this only for missing attributes.

        Two threads may make the same field at once; the values are equal, and the later one stays.
        """
        if name not in _PARTS:
            raise AttributeError(f"a plan has no '{name}'", name=name, obj=self)
        source = self._source
        assert source is not None, "all fields are there"
        if name == "tree":
            part, record, derived = source.shared_tree
            _put_record(self, record)
            _put_derived(self, derived)
            _put_tree(self, part)
        else:
            part = getattr(source, name)
            object.__setattr__(self, name, part)
        if name not in _OFTEN and all(_is_made(self, part) for part in _RAREST_FIRST):
            object.__setattr__(self, "_source", None)
        return part

    def derived(self, work_out: Callable[[Plan], T]) -> T:
        """The result of calling the function with this plan, or one with the same tree and record.

        It is computed once for all of these; threads that call this at once may do so twice.
        """
        _ = self.tree  # with which the derived ones come
        known = self._derived
        if work_out not in known:
            known[work_out] = work_out(self)
        result: T = known[work_out]
        return result

    @property
    def goal_text(self) -> str:
        """The goal as it would be written."""
        return network_text(self.goal, self.binding)

    @property
    def steps(self) -> tuple[TaskNode, ...]:
        """The primitive tasks, left to right; of a ``priority``, the preferred alternative only.

        ``leaves(plan.tree)`` are those of all alternatives.
        """
        return tuple(preferred_steps(self.tree))

    @property
    def suspended(self) -> tuple[SuspendedNode, ...]:
        """The parts that are left to be planned on arrival, left to right; empty if none is.

        ``Planner.resuming(plan.domain, part)`` plans one of them.
        """
        nodes = (node for _, node in preorder(self.tree))
        return tuple(node for node in nodes if isinstance(node, SuspendedNode))

    @property
    def is_partial(self) -> bool:
        """Whether parts are left to be planned on arrival, which are in ``suspended``."""
        return bool(self.suspended)

    @property
    def actions(self) -> tuple[Action, ...]:
        """The primitive tasks with their arguments, for those who have an executor of their own.

        The same as in ``steps``, but cheaper: the tree need not be made for them.
        """
        source = self._source
        actions = None if source is None else source.actions()
        if actions is None:
            actions = tuple((step.task, step.args) for step in self.steps)
        return actions

    @property
    def cost(self) -> float:
        """Sum of the costs of tasks and methods; of alternatives, the most expensive counts."""
        return fold(self.tree, _cost)

    @property
    def value(self) -> float:
        """Sum of the values of methods; of alternatives, the largest counts (semantics 2.10)."""
        return fold(self.tree, _value)

    @property
    def footprint(self) -> Footprint:
        """The fluents that the plan may read and write, and the resources it uses."""
        return footprint(self.tree)

    def flat(self) -> Node:
        """The tree without scopes, as it is run."""
        return flat(self.tree)

    _repr_mimebundle_ = repr_mimebundle

    def __repr__(self) -> str:
        return f"<plan for {self.goal_text}: {len(self.actions)} steps, record {self.record!r}>"


# What ``found`` makes a plan of, and what puts a field that is known already.
_OpenPlan: Final = unfrozen(Plan)
_put_tree: Final[Callable[[Plan, Node], None]] = Plan.__dict__["tree"].__set__
_put_derived: Final[Callable[[Plan, dict[Any, Any]], None]] = Plan.__dict__["_derived"].__set__
_put_record: Final[Callable[[Plan, MethodTraversalRecord], None]] = Plan.__dict__["record"].__set__
_ORDER: Final = tuple(part.name for part in fields(Plan) if part.init)
_PARTS: Final = frozenset(_ORDER)
_OFTEN: Final = frozenset({"tree", "record"})
"""The code that needs the other fields, too, has read these before; looking takes as long."""
_RAREST_FIRST: Final = ("binding", *(part for part in _ORDER[::-1] if part != "binding"))


def is_empty(plan: Plan) -> bool:
    """Whether there is nothing to do: no step, and no part that is still to be planned."""
    return not plan.actions and not plan.suspended


def _is_made(plan: Plan, part: str) -> bool:
    try:
        object.__getattribute__(plan, part)
    except AttributeError:
        return False
    return True


def _cost(node: Node, below: tuple[float, ...]) -> float:
    if isinstance(node, TaskNode):
        return node.cost
    if isinstance(node, ScopeNode):
        return node.cost + below[0]
    return max(below) if isinstance(node, PriorityNode) else sum(below)


def _value(node: Node, below: tuple[float, ...]) -> float:
    if isinstance(node, ScopeNode):
        return node.value + below[0]
    return max(below) if isinstance(node, PriorityNode) else sum(below)
