"""The kinds of values that the attributes of loaded objects may have.

A save is data that somebody else may have written. So what it may make is listed in ``loadable``,
and what it puts into an object is checked: that the attribute hides no code, and that the value is
of a declared kind, or of that of the value in the object made anew.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache, partial
from inspect import getattr_static
from types import (
    BuiltinFunctionType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
)
from typing import Any, Final
from weakref import WeakKeyDictionary

from bthtn.saving.loadable import ATTRIBUTES, GROUPS

_LIBRARIES: Final = ("bthtn.", "py_trees.")
_MAPPINGS: Final = (dict, MappingProxyType, WeakKeyDictionary)
CODE: Final = (FunctionType, MethodType, BuiltinFunctionType, partial, type)
"""The classes of what only a character's own code may put into an object."""
_NAMES: Final[Mapping[str, tuple[type, ...]]] = {
    "None": (type(None),),
    "number": (int, float),
    "text": (str,),
    "truth": (bool,),
    "tuple": (tuple,),
    "list": (list, deque),
    "set": (set, frozenset),
    "dict": _MAPPINGS,
    "any": (object,),
}
"""The kinds of plain values by their names in the table; other names there are those of classes."""


def is_of_library(kind: type) -> bool:
    """Whether a class is one of bthtn or of py_trees."""
    return kind.__module__.startswith(_LIBRARIES) and ".examples." not in kind.__module__


def hides_code(part: object, name: str) -> bool:
    """Whether an attribute of this name would be in the place of a method or a property."""
    if name.startswith("__"):
        return True
    found = getattr_static(type(part), name, None)
    if isinstance(found, MemberDescriptorType):  # a slot
        return False
    return isinstance(found, CODE) or hasattr(type(found), "__get__")


def fits(part: Any, name: str, value: object, old: object, missing: object) -> bool:
    """Whether an attribute of a loaded object may have a value.

    ``old`` is the value in the object made anew; ``missing`` if there is none.
    """
    if value is old or isinstance(old, CODE):
        return value is old
    kind: Any = type(part)
    declared = _declared(kind).get(name)
    if declared is not None:
        return _is_one_of(value, declared)
    if old is missing or old is None or not is_of_library(kind):
        return True
    return any(isinstance(value, kinds) for kinds in _alike(old))


def is_declared(kind: type, names: Iterable[str]) -> bool:
    """Whether all these are attributes that the table has for a class."""
    return _declared(kind).keys() >= set(names)


@cache
def _declared(kind: Any) -> Mapping[str, tuple[str, ...]]:
    """The kinds of the attributes of a class."""
    text = ATTRIBUTES.get(f"{kind.__module__}:{kind.__qualname__}", "")
    for group, stands_for in GROUPS.items():
        text = text.replace(group, stands_for)
    pairs = (entry.split("=") for entry in text.split())
    return {name: tuple(kinds.split("|")) for name, kinds in pairs}


def _is_one_of(value: object, kinds: Iterable[str]) -> bool:
    for name in kinds:
        if name in _NAMES:
            is_truth = type(value) is bool and name == "number"
            if isinstance(value, _NAMES[name]) and not is_truth:
                return True
        elif any(base.__name__ == name and is_of_library(base) for base in type(value).__mro__):
            return True
    return False


def _alike(old: object) -> Iterable[tuple[type, ...]]:
    """The classes that a value may have in the place of another one."""
    if isinstance(old, bool | Enum):
        yield (type(old),)
        return
    plain = [kinds for name, kinds in _NAMES.items() if name != "any" and isinstance(old, kinds)]
    yield from plain or [(type(old),)]
