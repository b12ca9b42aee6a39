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

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from typing import (
    Any,
    Final,
    Generic,
    NoReturn,
    Protocol,
    Self,
    SupportsIndex,
    TypeVar,
    get_args,
    overload,
)
from weakref import WeakValueDictionary

from bthtn.engine.world.assignment import FluentReference
from bthtn.engine.world.expression import (
    Binding,
    Condition,
    Constant,
    Expression,
    Junction,
    Parameter,
    StateView,
    TupleOf,
    as_expression,
    is_symbolic,
    truth_part,
)
from bthtn.engine.world.sharing import Shared
from bthtn.engine.world.truth import UNKNOWN, Unknown, value_text
from bthtn.engine.world.value_type import ValueType, value_type_of
from bthtn.errors import StateError, SymbolError, nearest

T = TypeVar("T")
K = TypeVar("K")


_MOST_USED: Final = 100_000
"""Members that a family keeps; in a long game most of them are gone."""


class UnknownRead(Exception):  # noqa: N818 - a signal to the planner, not a mistake
    """A fluent was read as a plain value while its value is unknown."""

    def __init__(self, fluent: Expression[Any] | None) -> None:
        self.fluent = fluent
        super().__init__(f"'{fluent!s}' is unknown; test `is_known` before reading it")


class Window(Protocol):
    """**Protocol:** an object on which fluents are read and written as attributes."""

    _view: StateView
    _latest: FamilyWindow[Any, Any] | None

    @classmethod
    def over(cls, view: StateView) -> Self:
        """Another such object, over a view."""
        ...

    def write_fluent(self, fluent: Fluent[Any], value: Any, /) -> None:
        """Set the fluent, if the object allows writes."""
        ...


class Fluent(FluentReference[T]):
    """A typed, named variable of the world. Compared by identity.

    ``volatile`` fluents are driven by sensors and cannot be predicted: a plan may rely on
    their value only before its first step. ``index`` is the key of a family's member, one of
    ``indices``.
    """

    __slots__ = (
        *("__weakref__", "_copies", "_is_stated", "_values"),
        *("default", "index", "indices", "name", "owner", "plain_type", "volatile"),
    )

    def __init__(
        self,
        default: T,
        *,
        values: ValueType | None,
        volatile: bool,
        is_stated: bool = False,
        name: str = "",
        index: Any = None,
    ) -> None:
        self.default = default
        self._values = values
        self._is_stated = is_stated
        self.plain_type = values and values.plain_kind
        """The type whose direct instances all are valid, or None: writes of those skip checks."""
        self.volatile = volatile
        self.name = name
        self.index = index
        self.indices: ValueType | None = None
        self.owner: type | None = None
        """The State class that declares it, None for a fluent that is not declared on one."""
        self._copies: WeakValueDictionary[str, LocalFluent[T]] | None = None

    # A fluent is a name for a value, and so a key: {Soldier.health: 40}. It is found by identity.
    __hash__ = object.__hash__

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Refer to it by the class that declares it: unpickled, it is the same fluent."""
        if self.owner is None:
            return super().__reduce_ex__(protocol)
        return (_declared, (self.owner, self.name, self.index))

    @overload
    def __get__(self, instance: None, owner: Any) -> Fluent[T]: ...
    @overload
    def __get__(self, instance: Window, owner: Any) -> T: ...
    def __get__(self, instance: Window | None, owner: Any) -> Fluent[T] | T:
        if instance is None:
            return self
        value = instance._view.get(self)
        if value is UNKNOWN:
            raise UnknownRead(self)
        return value

    def __set__(self, instance: Window, value: T | Unknown) -> None:
        instance.write_fluent(self, value)

    @property
    def values(self) -> ValueType:
        """The values that it may have. Raises StateError while nothing says which."""
        if self._values is None:
            message = f"a fluent with default {value_text(self.default)} needs a type"
            hint = f"write fluent(default={self.default!r}, type=...)"
            raise StateError("BT106", message, f"fluent '{self.name}'", hint)
        return self._values

    def annotate(self, annotation: object) -> None:
        """Take the values that its annotation describes, unless ``type`` was given.

        Raises StateError when the default is not one of them.
        """
        *_, described = get_args(annotation) or (None,)
        found = value_type_of(described)
        if found is not None:
            known = self._values if self._is_stated and self._values is not None else found
            is_optional = found.is_optional or self.default is None
            self._values = replace(known, is_optional=is_optional)
            self.plain_type = self._values.plain_kind
        if not self.values.accepts(self.default):
            self.check(self.default)

    def accepts(self, value: object) -> bool:
        """Whether the value has the fluent's type. UNKNOWN always fits; a bool is not a number."""
        return value is UNKNOWN or self.values.accepts(value)

    def ground(self, view: StateView, binding: Binding = ()) -> Fluent[T]:  # noqa: ARG002 - protocol
        """The fluent itself: it has no index to evaluate."""
        return self

    def evaluate(self, view: StateView, binding: Binding = ()) -> T | Unknown:  # noqa: ARG002 - protocol
        value: T | Unknown = view.get(self)
        return value

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        """``name``, or ``name[index]`` for a member of a family, in one line."""
        if self.indices is None:
            return self.name
        return f"{self.name}[{self.indices.index_text(self.index)}]"

    def local(self, place: str) -> LocalFluent[T]:
        """The copy of this fluent that belongs to a place alone; the same object for equal ones."""
        if self._copies is None:
            self._copies = WeakValueDictionary()
        found = self._copies.get(place)
        if found is None:
            found = self._copies.setdefault(place, LocalFluent(self, place))
        return found

    def parse(self, text: str) -> Any:
        """The value that a text such as ``true`` or ``3`` stands for.

        Raises StateError when the fluent cannot have that value.
        """
        if text == "unknown":
            return UNKNOWN
        try:
            return self.values.parse(text)
        except ValueError:
            hint = self.values.hint(text, or_unknown=True)
            raise StateError("BT106", f"'{self}' cannot be {text!r}", hint=hint) from None


class LocalFluent(Fluent[T]):
    """A copy of a fluent with a value of its own, for one place: the key of one SubTree.

    It may have the same values as the fluent that is ``declared``, and is written ``name{place}``.
    """

    __slots__ = ("declared", "place")

    def __init__(self, declared: Fluent[T], place: str) -> None:
        super().__init__(
            declared.default,
            values=declared.values,
            volatile=declared.volatile,
            name=declared.name,
        )
        self.declared, self.place = declared, place

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return (Fluent.local, (self.declared, self.place))

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        return f"{self.name}{{{self.place}}}"


def _declared(owner: Any, name: str, index: Any = None) -> Any:
    """The fluent or family of this name, or the member of the family with this index."""
    found = owner.__dict__[name]
    return found if index is None else found.member(index)


class MemberOf(FluentReference[T]):
    """A member of a family whose index is itself an expression, such as a task's parameter."""

    __slots__ = ("family", "index")

    def __init__(self, family: FluentFamily[Any, T], index: Expression[Any]) -> None:
        self.family = family
        self.index = index

    @property
    def values(self) -> ValueType:
        return self.family.prototype.values

    def accepts(self, value: object) -> bool:
        return self.family.prototype.accepts(value)

    def ground(self, view: StateView, binding: Binding = ()) -> Fluent[T] | Unknown:
        """The member that the index refers to in this state, or UNKNOWN for an unknown index."""
        index = self.index.evaluate(view, binding)
        return UNKNOWN if index is UNKNOWN else self.family.member(index)

    def evaluate(self, view: StateView, binding: Binding = ()) -> T | Unknown:
        fluent = self.ground(view, binding)
        return UNKNOWN if isinstance(fluent, Unknown) else fluent.evaluate(view)

    def text(self, binding: Binding | None = None) -> str:
        index = self.index
        parts = index.parts if isinstance(index, TupleOf) else (index,)
        if binding is not None:
            bound = tuple(
                Constant(binding[part.position]) if isinstance(part, Parameter) else part
                for part in parts
            )
            known = tuple(part.value for part in bound if isinstance(part, Constant))
            if len(known) == len(parts):
                given = known if isinstance(index, TupleOf) else known[0]
                return f"{self.family.name}[{self.family.indices.index_text(given)}]"
        return f"{self.family.name}[{', '.join(part.text(binding) for part in parts)}]"


class FluentFamily(Shared, Generic[K, T]):
    """Fluents of one name and type, distinguished by an index: ``on[b]``, ``distance[a, b]``.

    A member is made when it is first used, and kept as long as there are references to it.
    ``indices`` are the indices that there can be.
    """

    def __init__(self, prototype: Fluent[T], indices: ValueType | None) -> None:
        self.name = ""
        self.owner: type | None = None
        self.indices = indices or ValueType((str,))
        self._is_stated = indices is not None
        self.prototype = prototype
        self._members: WeakValueDictionary[Any, Fluent[T]] = WeakValueDictionary()
        self._used: dict[Any, Fluent[T]] = {}
        """Members used of late, where equal indices of one type are always those of one member."""
        self._kinds = _with_int(self.indices.kinds)

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name
        self.prototype.name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return (_declared, (self.owner, self.name))

    @overload
    def __get__(self, instance: None, owner: Any) -> FluentFamily[K, T]: ...
    @overload
    def __get__(self, instance: Window, owner: Any) -> FamilyWindow[K, T]: ...
    def __get__(
        self, instance: Window | None, owner: Any
    ) -> FluentFamily[K, T] | FamilyWindow[K, T]:
        if instance is None:
            return self
        window = instance._latest
        if window is None or window._family is not self:
            window = object.__new__(FamilyWindow)  # a call of it takes longer
            window._family = self
            window._view = instance._view
            window._kind = type(instance)
            object.__setattr__(instance, "_latest", window)
        return window

    def __set__(self, instance: Window, value: Mapping[K, T]) -> None:
        for index, member_value in value.items():
            instance.write_fluent(self.member(index), member_value)

    def __getitem__(self, index: K | Expression[K] | tuple[Any, ...]) -> FluentReference[T]:
        """The member with this index; the index, or a part of it, may be an expression."""
        return MemberOf(self, as_expression(index)) if is_symbolic(index) else self.member(index)

    def __iter__(self) -> Iterator[K]:
        """The indices that are declared, in order. Raises StateError if none are."""
        return iter(self._listed())

    def __contains__(self, index: object) -> bool:
        if is_symbolic(index):
            raise self._bad_index(index)
        return self.indices.accepts(index)

    def __setitem__(self, index: Any, value: object) -> NoReturn:
        shown = f"{self.name}[{self.indices.index_text(index)}]"
        message = f"'{shown}' is set on the class, not on a state"
        hint = f"write the effect {self.name}[…].becomes({value_text(value)})"
        raise StateError("BT108", message, hint=hint)

    def annotate(self, annotation: object) -> None:
        """Take the indices and values that its annotation describes, unless they were given."""
        described, *_ = get_args(annotation) or (None,)
        found = value_type_of(described)
        if found is not None and not self._is_stated:
            self.indices, self._kinds = found, _with_int(found.kinds)
        self.prototype.annotate(annotation)

    def parse_index(self, text: str) -> Fluent[T]:
        """The member whose index is given as text. Raises StateError for an invalid index."""
        return self.member(self.parsed(self.indices, text))

    def parsed(self, values: ValueType, text: str) -> Any:
        """The index, or part of one, that the text stands for. Raises StateError."""
        try:
            return values.parse_index(text)
        except ValueError:
            wrong = f"'{self.name}' has no index {text!r}"
            raise StateError("BT106", wrong, hint=values.hint(text)) from None

    def member(self, index: Any) -> Fluent[T]:
        """The fluent with this index; the same object for equal indices.

        Raises StateError for an index of a wrong type, and for one that is not declared.
        """
        if not isinstance(index, self._kinds):
            raise self._bad_index(index)
        try:
            found = self._used.get(index)
            if found is not None and type(found.index) is type(index):
                return found
            found = self._members.get(index)
        except TypeError:  # it cannot be hashed
            raise self._bad_index(index) from None
        # An index that is no value is equal to one where True is 1: both are looked up as one.
        is_same_type = found is not None and type(found.index) is type(index)
        if not (is_same_type and not self.indices.parts) and not self.indices.accepts(index):
            raise self._bad_index(index)
        if found is None:
            made = Fluent(
                self.prototype.default,
                values=self.prototype.values,
                volatile=self.prototype.volatile,
                name=self.name,
                index=self.indices.canonical(index),
            )
            made.owner, made.indices = self.owner, self.indices
            found = self._members.setdefault(index, made)
        if type(index) is type(found.index) and _is_sure(self.indices):
            if len(self._used) >= _MOST_USED:
                self._used.clear()
            self._used[index] = found
        return found

    def known(self) -> list[Fluent[T]]:
        """The members that have been used: all others have their default. In no order."""
        return list(self._members.values())

    def all(self, test: Callable[[FluentReference[T]], Condition] | None = None) -> Condition:
        """The condition that every member holds, or passes the test. See ``any``."""
        return Junction(self._tested(test), decisive=False)

    def any(self, test: Callable[[FluentReference[T]], Condition] | None = None) -> Condition:
        """The condition that some member holds, or passes the test: ``at.any(lambda at: at == x)``.

        Raises StateError for a family whose indices are not declared.
        """
        return Junction(self._tested(test), decisive=True)

    def _tested(
        self, test: Callable[[FluentReference[T]], Condition] | None
    ) -> tuple[Condition, ...]:
        members = tuple(map(self.member, self._listed()))
        return tuple(map(truth_part, members if test is None else map(test, members)))

    def _listed(self) -> tuple[Any, ...]:
        """The indices that are declared. Raises StateError if none are."""
        indices = self.indices.values()
        if not indices:
            hint = "declare them: fluents(default=…, objects=('a', 'b')), or a Literal or an Enum"
            raise StateError("BT106", f"nothing says which indices '{self.name}' has", hint=hint)
        return indices

    def _bad_index(self, index: object) -> StateError:
        if is_symbolic(index):
            raise SymbolError(f"the index of '{self.name}' is {index!r}, and no value yet")
        names = self.indices
        shown = f"'{self.name}[…]' is indexed by {names.name}; {names.fault(index)}"
        if names.listed:
            hint = nearest(str(index), map(str, names.listed))
        elif names.parts:
            hint = f"write {self.name}[{', '.join(part.name for part in names.parts)}]"
        else:
            hint = f"declare it with fluents(..., index={type(index).__name__})"
        return StateError("BT106", shown, hint=hint)


def _is_sure(indices: ValueType) -> bool:
    """Whether equal indices of one type are the same index; in a tuple True may stand for 1."""
    if indices.parts:
        return all(part.kinds == (str,) for part in indices.parts)
    return all(kind in (str, int) or issubclass(kind, Enum) for kind in indices.kinds)


def _with_int(kinds: tuple[type, ...]) -> tuple[type, ...]:
    """The classes of values of these kinds: an int is also a float."""
    return (*kinds, int) if float in kinds else kinds


class FamilyWindow(Generic[K, T]):
    """Reads and writes the members of a family on an instance: ``state.on["a"]``.

    ``for block in state.on`` goes through the indices that are declared, in order.

    The instance keeps the window that it gave out last, as a loop asks for it again and again. So a
    window has the view of its instance and not the instance, which would keep both in memory.
    """

    __slots__ = ("_family", "_kind", "_view")

    _family: Any  # a family that is an attribute would be taken for a descriptor
    _kind: type[Window]
    _view: StateView

    def __getitem__(self, index: K) -> T:
        try:
            member = self._family._used[index]
            if type(member.index) is not type(index):
                member = self._family.member(index)
        except (KeyError, TypeError):  # it cannot be hashed
            member = self._family.member(index)
        value: T | Unknown = self._view.get(member)
        if value is UNKNOWN:
            raise UnknownRead(member)
        return value

    def __setitem__(self, index: K, value: T) -> None:
        self._kind.over(self._view).write_fluent(self._family.member(index), value)

    def __iter__(self) -> Iterator[K]:
        return iter(self._family)

    def __contains__(self, index: object) -> bool:
        return index in self._family
