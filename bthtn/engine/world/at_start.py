"""AtStart: marks a part of a precondition that is asked at the start of a step only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from bthtn.checked import checked
from bthtn.engine.world.expression import (
    ALWAYS,
    Binding,
    Condition,
    Expression,
    Junction,
    StateView,
    truth_part,
)
from bthtn.engine.world.truth import Truth
from bthtn.errors import DomainError
from bthtn.records import record

AT_START: Final = "at_start"


@record(eq=False, repr=False)
class AtStart(Expression[bool]):
    """A condition, or a function, that is no longer asked while the step runs.

    What makes a primitive task takes the mark off; its precondition has it again where it is shown.
    """

    condition: Condition | Callable[[Any], bool]

    def evaluate(self, view: StateView, binding: Binding = ()) -> Truth:
        if isinstance(self.condition, Expression):
            return self.condition.evaluate(view, binding)
        raise self.misplaced()

    def text(self, binding: Binding | None = None) -> str:
        """``at_start(on_ground)``."""
        inside = self.condition
        if isinstance(inside, Expression):
            return f"{AT_START}({inside.text(binding)})"
        return f"{AT_START}({getattr(inside, '__name__', type(inside).__name__)})"

    def misplaced(self) -> DomainError:
        """The error of a mark that stands anywhere else."""
        message = f"'{self.text()}' marks a part of the precondition of a primitive task"
        hint = "write it there, joined to the rest with &; what is asked elsewhere has no start"
        return DomainError("BT110", message, hint=hint)


@checked
def at_start(condition: Condition | Callable[[Any], bool]) -> AtStart:
    """The part of a precondition that is asked while planning and when the step starts.

    All other parts are watched while it runs, too: ``at_start(Cat.on_ground) & Cat.awake``.
    Raises DomainError for what is no condition.
    """
    if isinstance(condition, AtStart):
        return condition
    if isinstance(condition, Expression):
        return AtStart(truth_part(condition))
    if callable(condition):
        return AtStart(condition)
    message = f"{condition!r} is not a condition, but {type(condition).__name__}"
    hint = "write a comparison of fluents, Soldier.ammo > 0, or a function of the state"
    raise DomainError("BT110", message, hint=hint)


def conjunction(parts: Sequence[Condition]) -> Condition:
    """The condition that all the parts hold; the inverse of ``conjuncts``."""
    if len(parts) > 1:
        return Junction(tuple(parts), decisive=False)
    return parts[0] if parts else ALWAYS
