"""Tasks authored as behaviour trees: trees drawn by designers become tasks of a domain.

    MoveToAttack                             compound move_to_attack
    └─ Selector                                 method 1, when near:   nothing
       ├─ Sequence                              method 2:              set distance, then
       │  ├─ CheckState near                                           parallel(move to, aim)
       │  └─ Null
       └─ Sequence
          ├─ ModifyState distance
          └─ Parallel
             ├─ Command move to
             └─ Command aim

The trees are ordinary py_trees, so they can be drawn; they are converted, never ticked. Nothing
here knows files: a reader of some format builds such a tree, and calls ``task_from``.

| node | becomes |
| ---- | ------- |
| ``Sequence`` | one after the other |
| ``Selector`` | the first that can be planned; at the root, the methods of the task |
| ``Later`` | a choice among alternatives that is made when execution reaches it |
| ``Parallel`` | side by side, with the policy of the same meaning |
| ``CheckState`` | a condition: of the method or task that it begins, else of a step of its own |
| ``ModifyState`` | effects: of the task that has one command, else of a step of its own |
| ``SubTask`` | a call of another task |
| ``Command`` | a step with an operator |
| ``Decorated`` | the part with a decorator, such as ``invert`` |
| ``Null`` | nothing to do, which is a success |
| ``ExtensionPoint`` | at the root, the methods of a task to which other domains add methods |
| ``Value`` | the value of the method that it begins; plans with the lowest sum are preferred |

A function in the place of a tree has the parameters of the task. Every step of its own that the
task has takes the same arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Several
from dataclasses import dataclass
from functools import reduce, update_wrapper
from itertools import takewhile
from operator import add, and_
from typing import Any, Final, Literal, NoReturn

from py_trees import common
from py_trees.behaviour import Behaviour
from py_trees.composites import Parallel, Selector, Sequence
from py_trees.decorators import Decorator

from bthtn.engine.agent.operators import Operators
from bthtn.engine.domain.builder import Domain, Primitive
from bthtn.engine.domain.construct import first_of
from bthtn.engine.domain.method import Methods, WrittenMethod, method
from bthtn.engine.domain.network import NetworkLike, null, parallel, priority, sequence
from bthtn.engine.domain.number import Duration
from bthtn.engine.domain.parameter import Parameters, parameters_of
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import Condition, Expression
from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import DomainError, ExecutionError

Kind = Literal["effects", "expected"]
"""``effects`` are applied while planning and on success, ``expected`` only while planning."""


class _Read(Unpicklable, Behaviour):
    """A leaf that describes a part of a task for ``task_from``, and cannot be ticked."""

    def update(self) -> NoReturn:
        """Called by py_trees; raises ExecutionError, as there is nothing to run."""
        message = f"'{self.name}' describes a task and cannot be ticked"
        hint = "give the tree to task_from, and plan with the task that it makes"
        raise ExecutionError("BT310", message, hint=hint)


class CheckState(_Read):
    """A condition for the nodes after it."""

    def __init__(self, condition: Condition) -> None:
        super().__init__(str(condition))
        self.condition = condition


class ModifyState(_Read):
    """Changes of the state on success; ``expected`` ones are only applied while planning."""

    def __init__(self, *changes: Assignment, kind: Kind = "effects") -> None:
        super().__init__(", ".join(map(str, changes)))
        self.changes = changes
        self.kind = kind


class SubTask(_Read):
    """A call of another task, which may be defined later: its name and its arguments."""

    def __init__(self, task: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(task)
        self.task = task
        self.args = args
        self.kwargs = kwargs

    def call(self, domain: Domain[Any]) -> TaskCall:
        """The call of the task of this name in the domain. Raises DomainError."""
        return domain.task(self.task)(*self.args, **self.kwargs)


class Command(_Read):
    """A step that is executed by an operator (as in ``Operators.bind``), or simulated."""

    def __init__(
        self,
        name: str,
        operator: Callable[..., Any] | None = None,
        *,
        uses: Several[str] = (),
        duration: Duration = 0,
    ) -> None:
        super().__init__(name)
        self.operator = operator
        self.uses = tuple(uses)
        self.duration = duration


class Null(_Read):
    """Nothing to do; a branch of it alone always succeeds."""

    def __init__(self) -> None:
        super().__init__("null")


class Decorated(_Read, Decorator):
    """A part that ``decorate`` is called with, such as ``invert`` or ``partial(retry, 3)``."""

    def __init__(
        self, name: str, child: Behaviour, decorate: Callable[[NetworkLike], NetworkLike]
    ) -> None:
        super().__init__(name, child)
        self.decorate = decorate


class Value(_Read):
    """The value of the method whose branch it begins: the smaller, the more preferred."""

    def __init__(self, value: float | Expression[Any]) -> None:
        super().__init__(f"value {value}")
        self.value = value


class ExtensionPoint(Unpicklable, Selector):
    """The methods, if any, of a task to which domains that are merged with its own add methods."""

    def __init__(self, name: str, children: Several[Behaviour] = ()) -> None:
        super().__init__(name, memory=True, children=list(children))


class Later(Unpicklable, Selector):
    """Alternatives that are all planned; one is chosen when execution reaches them."""

    def __init__(self, name: str, children: list[Behaviour]) -> None:
        super().__init__(name, memory=True, children=children)


def task_from(
    domain: Domain[Any],
    name: str,
    tree: Behaviour | Callable[..., Behaviour],
    operators: Operators[Any] | None = None,
) -> PrimitiveTask[...] | CompoundTask[...]:
    """The task that a tree describes, defined in the domain; its commands bound to operators.

    A sequence of checks, changes and one command is a primitive task, everything else a
    compound one. A function is called with its parameters, which are those of the task, and
    returns the tree. Raises DomainError for a tree that describes no task.
    """
    signature: Callable[..., Any] = _without_parameters if isinstance(tree, Behaviour) else tree
    parameters = parameters_of(signature)
    root = tree if isinstance(tree, Behaviour) else tree(*parameters)
    author = _TaskReader(domain, name, signature, parameters, operators)
    parts = root.children if isinstance(root, Sequence) else [root]
    commands = [part for part in parts if isinstance(part, Command)]
    if len(commands) == 1 and all(isinstance(part, _STEP) for part in parts):
        return author.primitive(name, parts)
    is_choice = isinstance(root, Selector) and not isinstance(root, Later)
    methods = [author.method(child) for child in (root.children if is_choice else [root])]

    def define(*_: Any) -> Methods:
        for build in methods:
            yield build()

    define.__doc__ = f"Authored as a behaviour tree: {root.name}."
    is_open = isinstance(root, ExtensionPoint)
    add = domain.extension_point if is_open else domain.compound
    return add(author.named(name, define))


_STEP: Final = (CheckState, ModifyState, Command)
"""The nodes that a primitive task is made of."""

Build = Callable[[], NetworkLike]
"""Makes a network when the domain is frozen: by then every task has been defined."""


@dataclass(slots=True, eq=False)
class _TaskReader:
    """Turns the nodes of one tree into tasks and networks of a domain."""

    domain: Domain[Any]
    owner: str
    signature: Callable[..., Any]
    parameters: Parameters
    operators: Operators[Any] | None
    steps: int = 0
    """How many checks and changes have become steps of their own."""

    def named(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        update_wrapper(function, self.signature, assigned=("__annotations__",), updated=())
        function.__name__ = name
        return function

    def method(self, branch: Behaviour) -> Callable[[], WrittenMethod]:
        """A method: checks and values that a branch begins with are those of the method."""
        parts = branch.children if isinstance(branch, Sequence) else [branch]
        leading = list(takewhile(lambda part: isinstance(part, CheckState | Value), parts))
        builds = self._each(parts[len(leading) :])
        checks = [part.condition for part in leading if isinstance(part, CheckState)]
        when = reduce(and_, checks) if checks else True
        values = [part.value for part in leading if isinstance(part, Value)]
        value = reduce(add, values) if values else 0
        title = branch.name if isinstance(branch, Sequence) else ""
        return lambda: method(*(build() for build in builds), when=when, name=title, value=value)

    def primitive(self, name: str, parts: Several[Behaviour]) -> PrimitiveTask[...]:
        """A step: its checks, its changes, and its command if it has one."""
        checks = [part.condition for part in parts if isinstance(part, CheckState)]
        changes = [part for part in parts if isinstance(part, ModifyState)]
        command = next((part for part in parts if isinstance(part, Command)), None)
        described = Primitive(
            precondition=reduce(and_, checks) if checks else None,
            effects=[
                change for part in changes if part.kind == "effects" for change in part.changes
            ],
            expected=[
                change for part in changes if part.kind == "expected" for change in part.changes
            ],
            uses=command.uses if command is not None else (),
            duration=command.duration if command is not None else 0,
        )
        task = self.domain.primitive(self.named(name, lambda *_: described))
        if self.operators is not None and command is None:
            self.operators.simulate(task)
        elif self.operators is not None and command is not None and command.operator is not None:
            self.operators.bind(task)(command.operator)
        return task

    def _build(self, node: Behaviour) -> Build:
        match node:
            case SubTask():
                return lambda: node.call(self.domain)
            case Null():
                return null
            case CheckState() | ModifyState() | Command():
                step = self.primitive(self._step_name(node), [node])
                return lambda: step(*self.parameters)
            case Decorated(decorated=child, decorate=decorate):
                build = self._build(child)
                return lambda: decorate(build())
            case Sequence(children=children):
                builds = self._each(children)
                return lambda: sequence(*(build() for build in builds))
            case Later(children=children):
                builds = self._each(children)
                return lambda: priority(*(build() for build in builds))
            case Selector(children=children) if not isinstance(node, ExtensionPoint):
                builds = self._each(children)
                return lambda: first_of(*(build() for build in builds))
            case Parallel(children=children):
                builds, policy = self._each(children), self._policy(node)
                return lambda: parallel(*(build() for build in builds), policy=policy)
            case _:
                raise self._fault(node, "describes no part of a task", f"there is: {_NODES}")

    def _each(self, nodes: Several[Behaviour]) -> list[Build]:
        return [self._build(node) for node in nodes]

    def _step_name(self, node: Behaviour) -> str:
        if isinstance(node, Command):
            return f"{self.owner}.{node.name}"
        self.steps += 1
        word = "check" if isinstance(node, CheckState) else "modify"
        return f"{self.owner}.{word}_{self.steps}"

    def _policy(self, node: Parallel) -> Literal["all", "any", "primary"]:
        match node.policy:
            case common.ParallelPolicy.SuccessOnAll():
                return "all"
            case common.ParallelPolicy.SuccessOnOne():
                return "any"
            case common.ParallelPolicy.SuccessOnSelected(children=selected):
                if selected == node.children[:1]:
                    return "primary"
        hint = "SuccessOnAll, SuccessOnOne, or SuccessOnSelected with the first child alone"
        raise self._fault(node, "has a policy that no plan can have", hint)

    def _fault(self, node: Behaviour, what: str, hint: str) -> DomainError:
        message = f"'{node.name}' ({type(node).__name__}) {what}"
        return DomainError("BT122", message, f"task '{self.owner}'", hint)


_NODES: Final = (
    "CheckState, ModifyState, SubTask, Command, Null, Sequence, Selector, Later, Parallel,"
    " Decorated;"
    " Value at the beginning of a method, and ExtensionPoint at the root"
)


def _without_parameters() -> None:
    """Has the parameters of a task whose tree is no function: none."""
