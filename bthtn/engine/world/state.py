"""States: the snapshot a search starts from, and the class users declare fluents on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeVar, dataclass_transform

from bthtn.engine.world.declarations import fluent, fluents
from bthtn.engine.world.expression import Expression, StateView
from bthtn.engine.world.fluent import FamilyWindow, Fluent, FluentFamily
from bthtn.engine.world.pages import FEW, Pages
from bthtn.engine.world.relation import Relation, relation
from bthtn.engine.world.schema import StateSchema, schema_from
from bthtn.engine.world.sharing import Shared
from bthtn.engine.world.truth import UNKNOWN, Unknown, value_text
from bthtn.errors import StateError
from bthtn.notebooks import repr_mimebundle

V = TypeVar("V")


class FrozenState(Shared):
    """A snapshot: fluents and their values, never changed. Equal when all values are equal.

    Only values that differ from their fluent's default are kept.
    """

    __slots__ = ("_unknown", "has_unknown", "values")

    values: dict[Fluent[Any], Any] | Pages[Fluent[Any], Any]
    """Fluents that differ from their default, in no order that matters."""

    def __init__(self, values: Mapping[Fluent[Any], Any]) -> None:
        kept = {fluent: value for fluent, value in values.items() if _is_kept(fluent, value)}
        self.values = kept
        self._unknown = sum(value is UNKNOWN for value in kept.values())
        self.has_unknown = self._unknown > 0
        """Whether some fluent was set to unknown."""

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent, its default where nothing else is known."""
        assert isinstance(fluent, Fluent), "a state is asked for fluents"
        value: Any = self.values.get(fluent, fluent.default)
        return value  # type: ignore[no-any-return]  # a cast would take as long as the look-up

    def items(self) -> Iterator[tuple[Fluent[Any], Any]]:
        """Fluents that differ from their default, sorted by name."""
        return iter(sorted(self.values.items(), key=lambda item: str(item[0])))

    def lay_on_pages(self) -> None:
        """Before the first change, make the values cheap to copy: until then they are read faster.

        Two threads may do so at once; the pages of the later one stay.
        """
        if type(self.values) is dict and len(self.values) > FEW:
            self.values = Pages(self.values)

    def changed(self, changes: Mapping[Fluent[Any], Any]) -> FrozenState:
        """This state with other values for some fluents. Values that stay are not looked at."""
        self.lay_on_pages()
        values, unknown = self.values.copy(), self._unknown
        for changed, value in changes.items():
            if unknown and values.get(changed) is UNKNOWN:
                unknown -= 1
            if value is UNKNOWN:
                unknown += 1
            if _is_kept(changed, value):
                values[changed] = value
            else:
                values.pop(changed, None)
        new = object.__new__(FrozenState)
        new.values = values
        new._unknown, new.has_unknown = unknown, unknown > 0
        return new

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenState, (dict(self.values.items()),))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrozenState) and self.values == other.values

    def __hash__(self) -> int:
        return hash(frozenset(self.values.items()))

    _repr_mimebundle_ = repr_mimebundle

    def __repr__(self) -> str:
        inside = ", ".join(f"{fluent}={value_text(value)}" for fluent, value in self.items())
        return f"FrozenState({inside})"


def _is_kept(fluent: Fluent[Any], value: Any) -> bool:
    """Whether a state keeps the value, which is not just the fluent's default."""
    return value is UNKNOWN or fluent.default is UNKNOWN or bool(value != fluent.default)


class UnknownFluentError(StateError, AttributeError):
    """A State class has no fluent of the name that was read from it."""


class _StateClass(type):
    """Reports the nearest existing fluent when a State class lacks the requested one."""

    __schema__: StateSchema

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any
    ) -> _StateClass:
        """Without a dictionary of attributes an instance takes no name that is not declared."""
        namespace.setdefault("__slots__", ())
        return super().__new__(cls, name, bases, namespace, **kwargs)

    def __setattr__(cls, name: str, value: object) -> None:
        """Raises StateError: declarations do not change, and effects change states."""
        if name.startswith("_"):
            super().__setattr__(name, value)
            return
        hint = (
            f"in an effect write {name}.becomes(...), or set it on the state that a function gets"
        )
        message = f"'{name}' is set on the class {cls.__name__}, not on a state"
        raise StateError("BT108", message, hint=hint)

    if not TYPE_CHECKING:  # a type checker would believe that every fluent exists

        def __getattr__(cls, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            try:
                return cls.__schema__.named(name)
            except StateError as error:
                raise UnknownFluentError.of(error.diagnostics) from None


@dataclass_transform(kw_only_default=True, field_specifiers=(fluent, fluents, relation))
class State(metaclass=_StateClass):
    """The base class of states. Derive a class from it and declare fluents there.

    An instance made by the constructor holds a snapshot. The library also makes instances that
    read from a state during planning or execution, so that functions written for the class work
    on all of them.
    """

    __slots__ = ("__weakref__", "_latest", "_view")

    __schema__: ClassVar[StateSchema] = StateSchema("State", {}, {})

    _view: StateView
    _latest: FamilyWindow[Any, Any] | None
    """The window of a family that was last asked for."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__schema__ = schema_from(cls, reserved=vars(State))

    def __init__(self, **values: Any) -> None:
        """A snapshot; fluents not named have their default. Raises StateError."""
        found: dict[Fluent[Any], Any] = {}
        for name, value in values.items():
            declared = self.__schema__.named(name)
            if isinstance(declared, FluentFamily):
                if not isinstance(value, Mapping):
                    hint = f"give the values by index: {name}={{...: {value!r}}}"
                    message = f"'{name}[…]' has a value for each index; {value!r} has none"
                    raise StateError("BT106", message, hint=hint)
                found.update({declared.member(key): entry for key, entry in value.items()})
            elif isinstance(declared, Relation):
                found[declared] = declared.filled(value)
            else:
                found[declared] = value
        for variable, value in found.items():
            variable.check(value)
        _set_view(self, FrozenState(found))
        _set_latest(self, None)

    @classmethod
    def over(cls, view: StateView) -> Self:
        """An instance that reads from the view, and writes to it if the view can be written."""
        window = object.__new__(cls)  # without a look-up in the metaclass
        _set_view(window, view)
        _set_latest(window, None)
        return window

    def __setattr__(self, name: str, value: Any) -> None:
        """Raises UnknownFluentError for a name that is not declared."""
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            self._refuse(name)
            raise

    if not TYPE_CHECKING:  # a type checker would believe that every fluent exists

        def __getattr__(self, name: str) -> Any:
            self._refuse(name)
            raise AttributeError(name)

    @classmethod
    def _refuse(cls, name: str) -> None:
        if not name.startswith("__") and name not in cls.__dict__:
            try:
                cls.__schema__.named(name)
            except StateError as error:
                raise UnknownFluentError.of(error.diagnostics) from None

    def is_known(self, variable: Expression[Any]) -> bool:
        """Whether the fluent has a value that can be read."""
        return self._view.get(self.__schema__.fluent(variable)) is not UNKNOWN

    def frozen(self) -> FrozenState:
        """The snapshot. Raises StateError when the instance reads from a state that changes."""
        view = self._view
        if type(view) is FrozenState or isinstance(view, FrozenState):
            return view
        raise StateError("BT108", "this window shows a state that is still changing")

    def write_fluent(self, variable: Fluent[Any], value: Any, /) -> None:
        """Set a fluent. Raises StateError on a snapshot, and for a value of a wrong type."""
        if type(value) is not variable.plain_type:
            variable.check_write(value)
        put = getattr(self._view, "put", None)
        if put is None:
            message = f"'{variable}' cannot be changed here: this state is a snapshot"
            hint = "write effects, or set beliefs through the agent"
            raise StateError("BT108", message, hint=hint)
        put(variable, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle a snapshot. Raises StateError like ``frozen``."""
        return (type(self).over, (self.frozen(),))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._view == other._view

    def __hash__(self) -> int:
        return hash(self._view)

    _repr_mimebundle_ = repr_mimebundle

    def __repr__(self) -> str:
        name = type(self).__name__
        if not isinstance(self._view, FrozenState):
            return f"<{name} over {type(self._view).__name__}>"
        inside = ", ".join(f"{fluent}={value_text(v)}" for fluent, v in self._view.items())
        return f"{name}({inside})"


_set_view: Final = vars(State)["_view"].__set__
"""Sets the view of an instance, without looking whether there is a fluent of that name."""
_set_latest: Final = vars(State)["_latest"].__set__


def snapshot(state: State | FrozenState) -> FrozenState:
    """The frozen state itself, or the one that a State instance shows."""
    return state.frozen() if isinstance(state, State) else state
