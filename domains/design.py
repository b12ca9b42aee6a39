"""Design: a domain that is written as a class, so that others can be derived from it."""

from __future__ import annotations

from inspect import isfunction, isgeneratorfunction
from typing import Any

from bthtn import Domain, State

Task = Any
"""The annotation of a task's function: it describes the task, and ``self.task()`` calls it."""


class Design(Domain[Any]):
    """A domain whose tasks are the public functions of its class.

    ``class Piling(Design, state=Table)`` says what it is about, ``Piling("blocks")`` makes it. A
    function with ``yield`` is a compound task, any other a primitive task. A derived class adds
    tasks, and replaces those of the same name, wherever they are called. Inside, ``self.move()``
    is a call of the task, and ``super().move()`` what it was before.
    """

    _state: type[State] = State

    def __init_subclass__(cls, *, state: type[State] | None = None) -> None:
        super().__init_subclass__()
        cls._state = state or cls._state

    def __init__(self, name: str) -> None:
        super().__init__(name, self._state)
        designs = [design for design in reversed(type(self).__mro__) if issubclass(design, Design)]
        for task in dict.fromkeys(task for design in designs[1:] for task in vars(design)):
            if isfunction(getattr(type(self), task)) and not task.startswith("_"):
                function = getattr(self, task)
                define = self.compound if isgeneratorfunction(function) else self.primitive
                setattr(self, task, define(function))
