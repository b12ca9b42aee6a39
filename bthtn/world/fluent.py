"""Fluents: the typed, named variables of a world.

Declared on a class that derives from State. On the class a fluent is an expression, on an
instance it is a value:

    class Soldier(State):
        ammo: Fluent[int] = fluent(default=6)
        seen: FluentFamily[str, bool] = fluents(default=False)

    Soldier.ammo > 0            a condition
    Soldier(ammo=3).ammo        3
    Soldier.seen["enemy"]       the fluent seen[enemy]
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, Generic, Protocol, TypeVar, cast, overload
from weakref import WeakValueDictionary

from bthtn.errors import Diagnostic, StateError, nearest
from bthtn.world.assignment import FluentReference
from bthtn.world.expression import Binding, Expression, StateView
from bthtn.world.names import in_one_line
from bthtn.world.truth import UNKNOWN, Unknown, value_text

_PLAIN: Final = (bool, int, float, str)

T = TypeVar("T")
K = TypeVar("K")


class UnknownRead(Exception):  # noqa: N818 - a signal to the planner, not a mistake
    """A fluent was read as a plain value while its value is unknown."""

    def __init__(self, fluent: Expression[Any] | None) -> None:
        self.fluent = fluent
        super().__init__(f"'{fluent}' is unknown; test `is_known` before reading it")


class Window(Protocol):
    """**Protocol:** an object on which fluents are read and written as attributes."""

    def read_fluent(self, fluent: Fluent[Any], /) -> Any:
        """Value of the fluent; raises UnknownRead."""
        ...

    def write_fluent(self, fluent: Fluent[Any], value: Any, /) -> None:
        """Set the fluent, if the object allows writes."""
        ...


class Fluent(FluentReference[T]):
    """A typed, named variable of the world. Compared by identity.

    ``volatile`` fluents are driven by sensors and cannot be predicted: a plan may rely on
    their value only before its first step. ``index`` is the key of a family's member.
    """

    __slots__ = ("__weakref__", "_type", "default", "index", "name", "plain_type", "volatile")

    def __init__(
        self, default: T, *, type_: type, volatile: bool, name: str = "", index: Any = None
    ) -> None:
        self.default = default
        self._type = type_
        self.plain_type = type_ if _is_plain(type_) else None
        """The type whose direct instances all are valid, or None: writes of those skip checks."""
        self.volatile = volatile
        self.name = name
        self.index = index

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: Any) -> Fluent[T]: ...
    @overload
    def __get__(self, instance: Window, owner: Any) -> T: ...
    def __get__(self, instance: Window | None, owner: Any) -> Fluent[T] | T:
        if instance is None:
            return self
        value: T = instance.read_fluent(self)  # a cast would take as long as the look-up
        return value

    def __set__(self, instance: Window, value: T | Unknown) -> None:
        instance.write_fluent(self, value)

    @property
    def value_type(self) -> type:
        """Type of the values."""
        return self._type

    def accepts(self, value: object) -> bool:
        """Whether the value has the fluent's type. UNKNOWN always fits; a bool is not a number."""
        if value is UNKNOWN:
            return True
        if value is None:
            return self.default is None
        if isinstance(value, bool):
            return self._type in (bool, object)
        fits = isinstance(value, self._type) or (self._type is float and isinstance(value, int))
        return fits and _is_hashable(value)

    def ground(self, view: StateView, binding: Binding = ()) -> Fluent[T]:  # noqa: ARG002 - protocol
        """The fluent itself: it has no index to evaluate."""
        return self

    def evaluate(self, view: StateView, binding: Binding = ()) -> T | Unknown:  # noqa: ARG002 - protocol
        """The fluent's value in this state."""
        return cast("T | Unknown", view.get(self))

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        """``name``, or ``name[index]`` for a member of a family, in one line."""
        if self.index is None:
            return self.name
        index = self.index
        shown = in_one_line(index) if isinstance(index, str) else value_text(index)
        return f"{self.name}[{shown}]"

    def parse(self, text: str) -> Any:
        """The value that a text such as ``true`` or ``3`` stands for.

        Raises StateError when the fluent cannot have that value.
        """
        if text == "unknown":
            return UNKNOWN
        if text == "none" and self.default is None:
            return None
        try:
            return _read_value(self._type, text)
        except (KeyError, ValueError):
            hint = _hint_for(self._type, text)
            raise StateError(
                Diagnostic("BT106", f"'{self}' cannot be {text!r}", hint=hint)
            ) from None


def _is_plain(kind: object) -> bool:
    """Whether all direct instances of this type are hashable, regardless of their contents."""
    return kind in _PLAIN or (isinstance(kind, type) and issubclass(kind, Enum))


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _read_value(kind: type, text: str) -> object:
    if kind is bool:
        return {"true": True, "yes": True, "false": False, "no": False}[text.casefold()]
    if issubclass(kind, Enum):
        return kind[text]
    if kind in (int, float, str):
        return kind(text)
    raise ValueError(text)


def _hint_for(kind: type, text: str) -> str:
    if kind is bool:
        return "write true, false or unknown"
    if issubclass(kind, Enum):
        return nearest(text, [member.name for member in kind])
    if kind in (int, float):
        return f"write a number ({kind.__name__}) or unknown"
    return f"objects of type {kind.__name__} cannot be written as text"


class MemberOf(FluentReference[T]):
    """A member of a family whose index is itself an expression, such as a task's parameter."""

    __slots__ = ("family", "index")

    def __init__(self, family: FluentFamily[Any, T], index: Expression[Any]) -> None:
        self.family = family
        self.index = index

    @property
    def value_type(self) -> type:
        """Type of the family's values."""
        return self.family.member_type

    def accepts(self, value: object) -> bool:
        """Whether members of the family may have the value."""
        return self.family.prototype.accepts(value)

    def ground(self, view: StateView, binding: Binding = ()) -> Fluent[T] | Unknown:
        """The member that the index refers to in this state, or UNKNOWN for an unknown index."""
        index = self.index.evaluate(view, binding)
        return UNKNOWN if index is UNKNOWN else self.family.member(index)

    def evaluate(self, view: StateView, binding: Binding = ()) -> T | Unknown:
        """The value of the member that the index refers to in this state."""
        fluent = self.ground(view, binding)
        return UNKNOWN if isinstance(fluent, Unknown) else fluent.evaluate(view)

    def text(self, binding: Binding | None = None) -> str:
        """``name[index]``."""
        return f"{self.family.name}[{self.index.text(binding)}]"


class FluentFamily(Generic[K, T]):
    """Fluents of one name and type, distinguished by an index: ``on[b]``.

    A member is made when it is first used, and kept as long as there are references to it.
    """

    def __init__(self, default: T, *, type_: type, index: type, volatile: bool) -> None:
        self.name = ""
        self.index_type = index
        self.prototype: Fluent[T] = Fluent(default, type_=type_, volatile=volatile)
        self._members: WeakValueDictionary[Any, Fluent[T]] = WeakValueDictionary()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.prototype.name = name

    @overload
    def __get__(self, instance: None, owner: Any) -> FluentFamily[K, T]: ...
    @overload
    def __get__(self, instance: Window, owner: Any) -> FamilyWindow[K, T]: ...
    def __get__(
        self, instance: Window | None, owner: Any
    ) -> FluentFamily[K, T] | FamilyWindow[K, T]:
        return self if instance is None else FamilyWindow(self, instance)

    def __set__(self, instance: Window, value: Mapping[K, T]) -> None:
        for index, member_value in value.items():
            instance.write_fluent(self.member(index), member_value)

    def __getitem__(self, index: K | Expression[K]) -> FluentReference[T]:
        return MemberOf(self, index) if isinstance(index, Expression) else self.member(index)

    @property
    def member_type(self) -> type:
        """Type of the members' values."""
        return self.prototype.value_type

    def parse_index(self, text: str) -> Fluent[T]:
        """The member whose index is given as text. Raises StateError for an invalid index."""
        try:
            return self.member(_read_value(self.index_type, text))
        except (KeyError, ValueError):
            hint = _hint_for(self.index_type, text)
            wrong = f"'{self.name}' has no index {text!r}"
            raise StateError(Diagnostic("BT106", wrong, hint=hint)) from None

    def member(self, index: Any) -> Fluent[T]:
        """The fluent with this index; the same object for equal indices.

        Raises StateError for an index of a wrong type.
        """
        if not isinstance(index, self.index_type):
            raise StateError(
                Diagnostic(
                    "BT106",
                    f"'{self.name}[…]' is indexed by {self.index_type.__name__};"
                    f" {value_text(index)} is {type(index).__name__}",
                    hint=f"declare it with fluents(..., index={type(index).__name__})",
                )
            )
        found = self._members.get(index)
        if found is None:
            made = Fluent(
                self.prototype.default,
                type_=self.member_type,
                volatile=self.prototype.volatile,
                name=self.name,
                index=index,
            )
            found = self._members.setdefault(index, made)
        return found


class FamilyWindow(Generic[K, T]):
    """Reads and writes the members of a family on an instance: ``state.on["a"]``."""

    __slots__ = ("_family", "_window")

    def __init__(self, family: FluentFamily[K, T], window: Window) -> None:
        self._family = family
        self._window = window

    def __getitem__(self, index: K) -> T:
        value: T = self._window.read_fluent(self._family.member(index))
        return value

    def __setitem__(self, index: K, value: T) -> None:
        self._window.write_fluent(self._family.member(index), value)


def fluent(
    *,
    default: T | Unknown,
    type: type[T] | None = None,  # noqa: A002 - as the built-in says it
    volatile: bool = False,
) -> Fluent[T]:
    """Declare a fluent. Its type is that of the default; give ``type`` when that is None.

    Raises StateError when there is no type, or the default is not of that type.
    """
    type_ = _type_of(default, type)
    made = Fluent(cast("T", default), type_=type_, volatile=volatile)
    made.check(default)
    return made


def fluents(
    *,
    default: T | Unknown,
    index: type = str,
    type: type[T] | None = None,  # noqa: A002 - as in `fluent`
    volatile: bool = False,
) -> FluentFamily[Any, T]:
    """Declare a family of fluents that share a name, a type and a default.

    ``index`` is the type of the members' indices. Raises StateError as ``fluent`` does.
    """
    family: FluentFamily[Any, T] = FluentFamily(
        cast("T", default), type_=_type_of(default, type), index=index, volatile=volatile
    )
    family.prototype.check(default)
    return family


def _type_of(default: object, stated: type | None) -> type:
    if stated is not None:
        return stated
    if default is None or default is UNKNOWN:
        raise StateError(
            Diagnostic(
                "BT106",
                f"a fluent with default {value_text(default)} needs a type",
                hint=f"write fluent(default={default!r}, type=...)",
            )
        )
    return type(default)
