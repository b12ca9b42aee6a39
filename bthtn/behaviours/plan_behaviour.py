"""PlanBehaviour and PlanComposite: what the behaviours of plans have in common.

Plans are mounted far more often than they are looked at. So what only displays and visitors ask
for is made when they do: ids, names, the loggers of py_trees.
"""

from __future__ import annotations

from abc import ABCMeta
from contextlib import suppress
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Running
from py_trees.common import BlackBoxLevel, Status
from py_trees.composites import Composite

from bthtn.behaviours.status import INVALID, mark_stopped

_PLAIN: Final = BlackBoxLevel.NOT_A_BLACKBOX
_OVER: Final = iter(())
_LATER: Final = ("id", "logger", "blackboards")
"""What py_trees gives to every behaviour, and only displays and visitors ask for."""


class _PlainClass(ABCMeta):
    """The kind of classes for which ``isinstance`` asks no registry: ticks ask it all the time."""

    __instancecheck__ = type.__instancecheck__


class PlanBehaviour(Behaviour, metaclass=_PlainClass):
    """A behaviour of a plan, with the name of its ``node``.

    What is the same in all that were not ticked yet stands in the classes, so that an object has
    only what is its own.
    """

    node: Any
    status = INVALID
    parent: Behaviour | None = None
    feedback_message = ""
    blackbox_level = _PLAIN

    def __init__(self) -> None:
        """Takes the place of py_trees' ``__init__``: a test compares the attributes."""
        self.children: list[Behaviour] = []

    def __getattr__(self, name: str) -> Any:
        """Make what py_trees makes in advance; Python calls this only for missing attributes."""
        if name == "name":
            made: Any = self._title()
        elif name == "qualified_name":
            made = f"{type(self).__qualname__}/{self.name}"
        elif name == "iterator":
            made = self.tick()
        elif name in _LATER:
            made = vars(Running(self.name))[name]
        else:
            raise AttributeError(f"a {type(self).__name__} has no '{name}'", name=name, obj=self)
        setattr(self, name, made)
        return made

    def _title(self) -> str:
        """The name that displays show."""
        return str(self.node)

    @property
    def made(self) -> list[Behaviour]:
        """The children without those that are only made when somebody looks at them."""
        return self.children

    def stop(self, new_status: Status) -> None:
        """Called at every end: does what py_trees does, without texts for its logger."""
        self.terminate(new_status)
        self.status = new_status


class PlanComposite(PlanBehaviour, Composite):
    """A behaviour of a plan that has others below it."""

    current_child: Behaviour | None = None

    def __init__(self, children: list[Behaviour]) -> None:
        for child in children:
            child.parent = self
        self.children = children

    def stop(self, new_status: Status = INVALID) -> None:
        """Called at every end, by py_trees with INVALID; then the children end first."""
        if new_status is INVALID:
            self.current_child = None
            for child in self.made:
                if child.status is not INVALID:
                    child.stop(INVALID)
        self.terminate(new_status)
        self.status = new_status

    def terminate(self, new_status: Status) -> None:
        """Called at every end, after the children have been stopped."""
        mark_stopped(self, new_status)


def made(subtree: Behaviour) -> list[Behaviour]:
    """The behaviours of a subtree that were made already, those below others before them."""
    found: list[Behaviour] = []
    pending = [subtree]
    while pending:
        node = pending.pop()
        found.append(node)
        pending.extend(made_below(node))
    return found[::-1]


def discard(subtree: Behaviour) -> None:
    """Shut down a subtree that is not needed any more, and cut the references between its nodes.

    Without the cuts a discarded plan is a cycle: its memory would stay until the garbage
    collector's next full run, a pause in the middle of a game.
    """
    for node in made(subtree):
        if isinstance(node, PlanBehaviour):
            node.shutdown()
        elif type(node).shutdown is not Behaviour.shutdown:
            with suppress(Exception):  # no listener is left to report it to
                node.shutdown()
        own = vars(node)
        for client in own.get("blackboards", ()):
            client.unregister()
        if "iterator" in own:
            node.iterator = _OVER
        node.parent = None
        node.children = []


def reset(children: list[Behaviour]) -> None:
    """Set the children that ended in an earlier run back to INVALID, without their messages."""
    for child in children:
        if child.status is not INVALID:
            child.stop(INVALID)
        if child.feedback_message:
            _clear_messages(child)


def _clear_messages(node: Behaviour) -> None:
    node.feedback_message = ""
    for child in made_below(node) if isinstance(node, Composite) else ():
        _clear_messages(child)


def made_below(node: Behaviour) -> list[Behaviour]:
    """The children of a behaviour that were made already."""
    return node.made if isinstance(node, PlanBehaviour) else node.children
