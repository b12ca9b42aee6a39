"""ValueType: which values a fluent, an index or a parameter may have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from enum import Enum
from itertools import product
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from bthtn.engine.world.expression import Parameter
from bthtn.engine.world.names import comma_separated, is_plain, quoted, unquoted
from bthtn.engine.world.truth import value_text
from bthtn.errors import nearest
from bthtn.records import record

_PLAIN: Final = (bool, int, float, str)
_LARGEST: Final = 2**53
"""Below it, every whole number is a float."""
COLLECTIONS: Final = (tuple, frozenset)
"""Types whose values are written as arrays in TOML and JSON, ``["a", "b"]``."""


@record
class ValueType:
    """The values that something may have: instances of ``kinds``, hashable.

    ``listed`` are the only values, if there are any; ``parts`` are the types of the elements of
    a tuple of fixed length, ``items`` is said to be that of all elements of a collection, which is
    not checked. None is a value if ``is_optional``.
    """

    kinds: tuple[type, ...]
    listed: tuple[Any, ...] = ()
    parts: tuple[ValueType, ...] = ()
    is_optional: bool = False
    items: ValueType | None = None
    _listed: frozenset[Any] = field(default=frozenset(), init=False, repr=False)
    plain_kind: type | None = field(default=None, init=False, repr=False, compare=False)
    """The class whose direct instances all are valid, or None."""

    def __post_init__(self) -> None:
        """Keep the listed values as a set, as there may be many; and what is asked for each."""
        object.__setattr__(self, "_listed", frozenset(self.listed))
        is_plain = self.kind in _PLAIN or issubclass(self.kind, Enum)
        object.__setattr__(self, "plain_kind", self.kind if is_plain and not self.listed else None)

    @property
    def kind(self) -> type:
        """The class of the values, ``object`` if there are several."""
        return self.kinds[0] if len(self.kinds) == 1 else object

    @property
    def name(self) -> str:
        """The type as text: ``int``, ``Place or None``, ``(str, str)``."""
        if self.parts:
            shown = f"({', '.join(part.name for part in self.parts)})"
        else:
            shown = " or ".join(kind.__name__ for kind in self.kinds)
        return f"{shown} or None" if self.is_optional else shown

    def accepts(self, value: object) -> bool:
        """Whether it may have the value; a bool is not a number, an int is also a float."""
        if type(value) is self.plain_kind:
            return True
        if value is None:
            return self.is_optional
        if self.parts:
            if not isinstance(value, tuple) or len(value) != len(self.parts):
                return False
            return all(map(ValueType.accepts, self.parts, value))
        if isinstance(value, bool):
            fits = any(kind in (bool, object) for kind in self.kinds)
        else:
            number = isinstance(value, int) and float in self.kinds
            fits = (number or isinstance(value, self.kinds)) and _is_hashable(value)
        return fits and (not self.listed or value in self._listed)

    def canonical(self, value: Any) -> Any:
        """The one of all valid values that are equal to this one: 1.0 for 1 among floats."""
        if self.parts:
            return tuple(part.canonical(item) for part, item in zip(self.parts, value, strict=True))
        exact = self.kind is float and not self.listed and abs(value) < _LARGEST
        return float(value) + 0.0 if exact else value  # 0.0 for -0.0

    def values(self) -> tuple[Any, ...]:
        """All values if they are known: listed, those of an Enum, or a bool's; else none."""
        if self.listed:
            return self.listed
        if self.parts:
            return tuple(product(*(part.values() for part in self.parts)))
        if self.kind is bool:
            return (False, True)
        return tuple(self.kind) if issubclass(self.kind, Enum) else ()

    def parse(self, text: str) -> Any:
        """The value that the text stands for. Raises ValueError."""
        if text == "none" and self.is_optional:
            return None
        if self.parts:
            return self.parse_index(text)
        for value in self.listed:
            if text in (str(value), value_text(value)):
                return value
        if self.listed:
            raise ValueError(text)
        return _free_value(text, (object,)) if self.kinds == (object,) else _parsed(self.kind, text)

    def index_text(self, index: object, *, is_part: bool = False) -> str:
        """The value as an index, such as ``a, b`` in ``link[a, b]``.

        A string is written in quotes where it would be read as something else without them.
        """
        if isinstance(index, tuple) and self.parts and len(index) == len(self.parts):
            texts = (
                part.index_text(item, is_part=True)
                for part, item in zip(self.parts, index, strict=True)
            )
            shown = ", ".join(texts)
            return f"({shown})" if is_part else shown
        if isinstance(index, str) and self.kinds == (str,):
            text = str.__str__(index)
            is_read = is_plain(text, is_part=is_part) and not (self.is_optional and text == "none")
            return text if is_read else quoted(text)
        text = _free_text(index)
        return text[1:-1] if isinstance(index, tuple) and not is_part else text

    def parse_index(self, text: str) -> Any:
        """The value whose ``index_text`` this is. Raises ValueError."""
        if text == "none" and self.is_optional:
            return None
        if self.parts:
            texts = comma_separated(text)
            if len(texts) == 1 and text.startswith("(") and text.endswith(")"):
                texts = comma_separated(text[1:-1])
            return tuple(
                part.parse_index(item) for part, item in zip(self.parts, texts, strict=True)
            )
        if self.kinds == (tuple,) and not self.listed and not text.startswith("["):
            is_nested = text.startswith("(") and len(comma_separated(text)) == 1
            return _free_tuple(text[1:-1] if is_nested else text)
        inside = unquoted(text)
        if self.listed:
            named = [
                value for value in self.listed if inside == value or text == self.index_text(value)
            ]
            return named[0] if named else self.parse(text)
        if len(self.kinds) == 1 and self.kind is not object:
            return _parsed(self.kind, text if inside is None else inside)
        return _free_value(text, self.kinds)

    def hint(self, text: str, *, or_unknown: bool = False) -> str:
        """A hint for a text that cannot be parsed; fluents may be unknown, too."""
        instead = " or unknown" * or_unknown
        if self.parts:
            shown = f"write {', '.join(part.name for part in self.parts)}"
            has_strings = any(str in part.kinds for part in self.parts)
            return shown + '; a text with a comma in it in quotes, "a, b"' * has_strings
        if self.listed:
            return nearest(text, map(str, self.listed))
        if self.kind is bool:
            return f"write true{',' if or_unknown else ' or'} false{instead}"
        if issubclass(self.kind, Enum):
            return nearest(text, [member.name for member in self.kind])
        if self.kind in (int, float):
            return f"write a number ({self.kind.__name__}){instead}"
        if self.kind in COLLECTIONS:
            return f'write its elements as in ["a", "b"]{"," * or_unknown}{instead}'
        if self.kind is str:
            return 'close the quote, or write all of it in quotes: "…"'
        if len(self.kinds) > 1:
            return f"write {self.name}{instead}"
        return f"objects of type {self.kind.__name__} cannot be written as text"

    def fault(self, value: object) -> str:
        """The fault of a value that is not accepted."""
        if isinstance(value, self.kinds) and self.listed:
            return f"{value_text(value)} is none of its values"
        if isinstance(value, tuple) and self.parts:
            inside = ", ".join(type(item).__name__ for item in value)
            return f"{value_text(value)} is ({inside})"
        if isinstance(value, self.kinds) and not _is_hashable(value):
            return f"{value_text(value)} can change"
        kind = type(value)
        is_namesake = kind.__name__ in [own.__name__ for own in self.kinds]  # as numpy's bool is
        return f"{value_text(value)} is {f'{kind.__module__}.' * is_namesake}{kind.__name__}"

    def advice(self, value: object) -> str:
        """A hint: values to give instead of one that is not accepted."""
        if self.listed:
            return nearest(str(value), map(str, self.listed))
        kind = self.kinds[0]
        if issubclass(kind, Enum):
            members = {f"{kind.__name__}.{member.name}": member for member in kind}
            if isinstance(value, str | int | float):
                for text, member in members.items():
                    if value in (member.name, member.value):
                        return f"write {text}"
            return nearest(str(value), members)
        if kind in (list, dict, set) or (isinstance(value, self.kinds) and not _is_hashable(value)):
            return _instead_of(kind)
        is_scalar = kind in (bool, int, float) and getattr(value, "shape", None) == ()  # numpy's
        if is_scalar or (kind, type(value)) in ((tuple, list), (frozenset, set)):
            return f"convert it: {kind.__name__}(…)"
        return f"give a hashable value of type {self.name}, or UNKNOWN"


def value_type_of(hint: object) -> ValueType | None:
    """The values that an annotation describes; None for one that describes no class."""
    arguments, origin = get_args(hint), get_origin(hint)
    if origin is Annotated:
        return value_type_of(arguments[0])
    if origin is Literal:
        kinds = tuple(dict.fromkeys(map(type, arguments)))
        return ValueType(kinds, arguments)
    if origin in (Union, UnionType):
        return _union(arguments)
    if origin is tuple and arguments and Ellipsis not in arguments:
        parts = tuple(map(value_type_of, arguments))
        known = tuple(part for part in parts if part is not None)
        return ValueType((tuple,), parts=known if len(known) == len(parts) else ())
    if origin in COLLECTIONS and arguments:
        return ValueType((origin,), items=value_type_of(arguments[0]))
    supertype = getattr(hint, "__supertype__", None)  # of a NewType
    if supertype is not None:
        return value_type_of(supertype)
    kind = origin if isinstance(origin, type) else hint
    if hint is Any:
        return ValueType((object,), is_optional=True)
    if not isinstance(kind, type):
        return None
    if getattr(kind, "_is_protocol", False) and not getattr(kind, "_is_runtime_protocol", False):
        return None  # isinstance refuses it
    return ValueType((kind,))


def values_of(parameter: Parameter[Any]) -> ValueType:
    """The values that a parameter may have by its type."""
    return ValueType((parameter.type or object,), parameter.literals)


def _union(arguments: tuple[Any, ...]) -> ValueType | None:
    types = [value_type_of(argument) for argument in arguments if argument is not NoneType]
    known = [type_ for type_ in types if type_ is not None]
    if len(known) < len(types) or not known:
        return None
    is_optional = NoneType in arguments or any(type_.is_optional for type_ in known)
    if len(known) == 1:
        return ValueType(known[0].kinds, known[0].listed, known[0].parts, is_optional)
    if any(type_.parts or type_.listed for type_ in known):
        return None  # too much for one check
    return ValueType(tuple(kind for type_ in known for kind in type_.kinds), (), (), is_optional)


def resolved(annotation: object, scope: Mapping[str, Any], owner: type) -> Any:
    """The annotation without quotes; None if it names something that is not known here."""
    written = type("written", (), {"__annotations__": {"it": annotation}})
    try:
        return get_type_hints(written, dict(scope), dict(vars(owner)), include_extras=True)["it"]
    except (NameError, TypeError, AttributeError, SyntaxError):
        return None


def _instead_of(kind: type) -> str:
    """A hint: types to declare instead of a class whose objects can change, and have no hash."""
    if issubclass(kind, dict):
        return "declare a family: fluents(default=…) has a fluent for each key"
    if issubclass(kind, list | set):
        fixed = "tuple[…, ...]" if issubclass(kind, list) else "frozenset[…]"
        return f"declare a value that stays the same: Fluent[{fixed}]"
    return f"let {kind.__name__}, and what is in it, be hashable, as with @dataclass(frozen=True)"


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _parsed(kind: type, text: str) -> object:
    if kind is bool:
        known = {"true": True, "yes": True, "false": False, "no": False}
        if text.casefold() in known:
            return known[text.casefold()]
    elif issubclass(kind, Enum):
        if text in kind.__members__:
            return kind[text]
    elif kind in (int, float, str):
        value = kind(text)
        if value == value:  # noqa: PLR0124 - else it is no number, and nothing compares with it
            return value
    elif kind in COLLECTIONS and text.startswith("["):
        try:
            return kind(json.loads(text))
        except (RecursionError, TypeError):  # nested a thousand times; no hashable elements
            raise ValueError(text) from None
    raise ValueError(text)


def _free_text(value: object) -> str:
    """A value as text that can be read without knowing its type, if it can: strings in quotes."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_free_text, value))}{',' * (len(value) == 1)})"
    if isinstance(value, frozenset):
        return f"[{', '.join(sorted(map(_free_text, value)))}]"
    if isinstance(value, Enum):
        return value.name if is_plain(value.name, is_part=True) else quoted(value.name)
    return quoted(value) if isinstance(value, str) else value_text(value)


def _free_tuple(text: str) -> tuple[Any, ...]:
    texts = comma_separated(text)
    if texts[-1] == "":  # behind the comma of a tuple of one, or there are none
        texts.pop()
    return tuple(_free_value(each, (object,)) for each in texts)


def _free_value(text: str, kinds: tuple[type, ...]) -> Any:
    """The value of one of these kinds that the text stands for. Raises ValueError."""
    inside, is_any = unquoted(text), object in kinds
    has_strings = is_any or str in kinds
    if inside is not None and has_strings:
        return inside
    if is_any and text.startswith("(") and text.endswith(")"):
        return _free_tuple(text[1:-1])
    if is_any and text == "none":
        return None
    for kind in (bool, int, float) if is_any else kinds:
        with suppress(ValueError):
            if kind is not str:
                return _parsed(kind, text if inside is None else inside)
    if has_strings:
        return text
    raise ValueError(text)
