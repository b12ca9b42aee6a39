"""Effects: the changes that a task makes to the state, and when they happen.

| kind         | planning | replay   | at run time                       |
| ------------ | -------- | -------- | --------------------------------- |
| `effects`    | applied  | applied  | on success                        |
| `expected`   | applied  | applied  | –                                 |
| `actual`     | –        | –        | on success                        |
| `on_start`   | –        | –        | before the operator starts        |
| `on_failure` | –        | –        | when the step fails               |
| `on_abort`   | –        | –        | when the step has been given up   |

The effects of one list happen at the same time: every right side reads the state before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bthtn.engine.domain.function import FunctionEffect, is_function
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import Binding, Comparison, StateView
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import Write
from bthtn.engine.world.state import State
from bthtn.errors import DomainError

Effect = Assignment | FunctionEffect
EffectLike = Assignment | Callable[[Any], None]
"""Everything that users may write as an effect."""


def effects_from(
    written: EffectLike | Iterable[EffectLike], state_class: type[State]
) -> tuple[Effect, ...]:
    """The effects as data. Raises DomainError for anything that is not an effect."""
    is_several = isinstance(written, Iterable) and not isinstance(written, str | type)
    effects: Iterable[object] = written if is_several else (written,)  # type: ignore[assignment]  # narrowed above
    return tuple(_effect(effect, state_class) for effect in effects)


def _effect(written: object, state_class: type[State]) -> Effect:
    if isinstance(written, Assignment):
        state_class.__schema__.check(written.target, written.value)
        return written
    if isinstance(written, FunctionEffect):
        return written
    if is_function(written):
        return FunctionEffect(written, state_class)
    hint = "write Soldier.ammo.becomes(6), Soldier.ammo.decreases(by=1), or a function"
    if written is None:
        hint = "leave it out, or write () for no effects"
    elif isinstance(written, Comparison) and written.symbol == "==":
        hint = f"an effect is no comparison: write {written.left!s}.becomes({written.right!s})"
    message = f"{written!r} is not an effect, but {type(written).__name__}"
    raise DomainError("BT110", message, hint=hint)


def writes_of(
    effects: Iterable[Effect], view: StateView, binding: Binding = ()
) -> dict[Fluent[Any], Write]:
    """The writes that all the effects together make to this state.

    Raises UnknownRead when the index of a written fluent is unknown, or a function effect read
    an unknown fluent.
    """
    effects = tuple(effects)
    if len(effects) == 1:
        return _writes(effects[0], view, binding)
    together: dict[Fluent[Any], Write] = {}
    for effect in effects:
        for fluent, write in _writes(effect, view, binding).items():
            together[fluent] = together[fluent].then(write) if fluent in together else write
    return together


def _writes(effect: Effect, view: StateView, binding: Binding) -> dict[Fluent[Any], Write]:
    if isinstance(effect, FunctionEffect):
        return effect.writes(view, binding)
    target = effect.target.ground(view, binding)
    if not isinstance(target, Fluent):
        raise UnknownRead(effect.target)
    write = effect.write(view, binding)
    target.check(write.value)
    return {target: write}
