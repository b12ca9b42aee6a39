"""PlanBehaviour and PlanComposite: the base classes of the behaviours of plans.

Plans are mounted far more often than they are looked at. So attributes that only displays and
visitors read are made when they do: ids, names, the loggers of py_trees.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Running
from py_trees.common import BlackBoxLevel, Status
from py_trees.composites import Composite, Selector

from bthtn.engine.behaviours.status import INVALID, RUNNING, mark_stopped
from bthtn.engine.behaviours.wait import AT_ONCE, Wait

_PLAIN: Final = BlackBoxLevel.NOT_A_BLACKBOX
_OVER: Final = iter(())


class _PlainClass(ABCMeta):
    """The kind of classes for which ``isinstance`` asks no registry: ticks ask it all the time."""

    __instancecheck__ = type.__instancecheck__


class Late:
    """An attribute that is made when it is first looked at.

    Not with ``__getattr__``, which would slow down the look at every attribute.
    """

    def __init__(self, make: Callable[[Any], Any], *, is_kept: bool = True) -> None:
        self._make = make
        self._is_kept = is_kept

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, node: Any, owner: type | None = None) -> Any:
        if node is None:
            return self
        made = self._make(node)
        if self._is_kept:
            setattr(node, self._name, made)
            node._was_looked_at = True
        return made


def _made_by_py_trees(name: str) -> Behaviour:
    """A behaviour with the attributes that py_trees gives, and without the cycle."""
    behaviour = Running(name)
    behaviour.iterator = _OVER
    return behaviour


class LeanBehaviour(Behaviour):
    """A behaviour that has no attributes but its own, until another one is read.

    A test compares them with those that py_trees gives.
    """

    _was_looked_at = False
    """Whether something was made for displays or visitors, such as a client of a blackboard."""
    _visited: Sequence[Behaviour] = ()
    """The nodes of a SubtreeOperator that were ticked."""
    parent: Behaviour | None = None
    feedback_message = ""
    blackbox_level = _PLAIN
    name: Any = Late(lambda node: node._title())
    qualified_name: Any = Late(lambda node: f"{type(node).__qualname__}/{node.name}")
    id: Any = Late(lambda node: _made_by_py_trees(node.name).id)
    logger: Any = Late(lambda node: _made_by_py_trees(node.name).logger)
    blackboards: Any = Late(lambda _: [])
    iterator: Any = Late(lambda node: node.tick(), is_kept=False)  # it would be a cycle

    def _title(self) -> str:
        """The name that displays show."""
        return type(self).__name__

    def tick(self) -> Iterator[Behaviour]:
        """Tick as py_trees does, without texts for its logger; what was ticked inside is first."""
        if self.status is not RUNNING:
            self.initialise()
        status = self.update()
        if status is not RUNNING:
            self.stop(status)
        self.status = status
        if self._visited:
            yield from self._visited
        yield self

    def stop(self, new_status: Status) -> None:
        """Called at every end: as in py_trees, without texts for its logger."""
        self.terminate(new_status)
        self.status = new_status


class PlanBehaviour(LeanBehaviour, metaclass=_PlainClass):
    """A behaviour of a plan, with the name of its ``node``."""

    node: Any

    def __init__(self) -> None:
        """Takes the place of py_trees' ``__init__``, as that of ``LeanBehaviour`` does."""
        self.status = INVALID

    def _title(self) -> str:
        """The name that displays show."""
        return str(self.node)

    def waits(self) -> Wait:
        """What it waits for while it is RUNNING."""
        return AT_ONCE

    @property
    def taking_part(self) -> list[Behaviour]:
        """Those of the children that may be running."""
        return below(self)


class PlanLeaf(PlanBehaviour):
    """A behaviour of a plan that has none below it, or those of an operator."""

    _below: list[Behaviour] | None = None

    def shutdown(self) -> None:
        """Called when the tree, or the plan, is taken down: nothing is left running."""
        if self.status is RUNNING:
            self.stop(INVALID)

    @property
    def children(self) -> list[Behaviour]:
        """The behaviours directly below, in a list that is made when it is first read."""
        if self._below is None:
            self._below = []
        return self._below

    @children.setter
    def children(self, children: list[Behaviour]) -> None:
        self._below = children


class PlanComposite(PlanBehaviour, Composite):
    """A behaviour of a plan that has others below it."""

    def __init__(self, children: list[Behaviour]) -> None:
        self.status = INVALID
        self.feedback_message = ""
        for child in children:
            child.parent = self
        self.children = children
        self.current_child = None

    def stop(self, new_status: Status = INVALID) -> None:
        """Called at every end, by py_trees with INVALID; then the children end first."""
        if new_status is INVALID:
            self.current_child = None
            for child in self.children:
                if child.status is not INVALID:
                    child.stop(INVALID)
        self.terminate(new_status)
        self.status = new_status

    def terminate(self, new_status: Status) -> None:
        """Called at every end, after the children have been stopped."""
        mark_stopped(self, new_status)


def postorder(subtree: Behaviour) -> list[Behaviour]:
    """The behaviours of a subtree, those below others before them."""
    found, pending = [], [subtree]
    while pending:
        node = pending.pop()
        found.append(node)
        pending += below(node)
    return found[::-1]


def discard(subtree: Behaviour) -> None:
    """Shut down a subtree that is not needed any more, and cut the references between its nodes.

    Without the cuts a discarded plan is a cycle: its memory would stay until the garbage
    collector's next full run, a pause in the middle of a game.
    """
    found, pending = [], [subtree]
    while pending:
        node = pending.pop()
        children = below(node)
        found.append((node, children))
        for child in children:
            # A leaf that does not run has nothing to shut down. isinstance would take longer.
            is_bare = child.status is INVALID and getattr(child, "_below", child) is None
            if not is_bare or getattr(child, "_was_looked_at", True):
                pending.append(child)
    subtree.parent = None
    for node, children in reversed(found):
        _shut_down(node)
        node.parent = None
        if children:
            node.children = []


def _shut_down(node: Behaviour) -> None:
    if isinstance(node, PlanBehaviour):
        node.shutdown()
    elif type(node).shutdown is not Behaviour.shutdown:
        with suppress(Exception):  # no listener is left to report it to
            node.shutdown()
    if getattr(node, "_was_looked_at", True):
        own = vars(node)
        for client in own.get("blackboards", ()):
            with suppress(KeyError):  # its behaviour has done so
                client.unregister()
        if "iterator" in own:  # that of a behaviour that an operator has made
            node.iterator = _OVER


def reset(children: list[Behaviour]) -> None:
    """Set the children that ended in an earlier run back to INVALID, without their messages."""
    for child in children:
        if child.status is not INVALID:
            child.stop(INVALID)
        if child.feedback_message:
            _clear_messages(child)


def _clear_messages(node: Behaviour) -> None:
    node.feedback_message = ""
    for child in node.children if isinstance(node, Composite) else ():
        _clear_messages(child)


def taking_part_below(node: Behaviour) -> list[Behaviour]:
    """The children of a behaviour that may be running."""
    return node.taking_part if isinstance(node, PlanBehaviour) else node.children


def below(node: Behaviour) -> list[Behaviour]:
    """The children of a behaviour; most leaves have not even a list for them."""
    return (node._below or []) if isinstance(node, PlanLeaf) else node.children


def replaced_by(leaf: Behaviour) -> list[Behaviour]:
    """The running alternatives behind the one of a reactive choice in which a step is to start."""
    found: list[Behaviour] = []
    below: Behaviour = leaf
    while isinstance(above := below.parent, PlanComposite):
        chosen = above.current_child
        if chosen is not below and chosen is not None and chosen.status is RUNNING:
            found += [chosen] if isinstance(above, Selector) else []
        below = above
    return found
