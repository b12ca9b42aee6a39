"""State classes that are declared in TOML: a table with a default value for each fluent.

    [beliefs]
    distance = 8.0
    stance = { type = ["calm", "rage"], default = "calm" }
    target = { type = "str", default = "unknown", volatile = true }
    value = { index = "str", default = 10000.0 }
    seen = { index = ["north", "south"], default = false }

The type is that of the default if it is not given; a list has the only words that are possible.
An ``index`` makes a family, a list of words one with these indices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from keyword import iskeyword
from types import new_class
from typing import Any, Final

from bthtn.engine.world.fluent import Fluent, FluentFamily
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import UNKNOWN
from bthtn.engine.world.value_type import ValueType
from bthtn.errors import BthtnError, Diagnostic, InputError, nearest

_TYPES: Final[Mapping[str, type]] = {"bool": bool, "int": int, "float": float, "str": str}
_KEYS: Final = ("type", "default", "index", "volatile")
_HOW: Final = 'write distance = 8.0, or stance = { type = ["calm", "rage"], default = "calm" }'


def state_class_from(
    name: str, table: Mapping[str, Any], where: Callable[[str], str]
) -> type[State]:
    """The State class with a fluent or family for each entry of the table.

    ``where`` returns the place of an entry in its file. Raises InputError with all faults.
    """
    declared: dict[str, Any] = {}
    faults: list[Diagnostic] = []
    for entry, written in table.items():
        try:
            if not entry.isidentifier() or entry.startswith("_") or iskeyword(entry):
                hint = "write letters, digits and _, and no keyword of Python"
                raise _fault(f"a fluent cannot be called '{entry}'", hint)
            declared[entry] = _declared(entry, written)
            _class_with(name, {entry: declared[entry]})
        except BthtnError as error:
            faults += [replace(fault, where=where(entry)) for fault in error.diagnostics]
    InputError.raise_for(faults)
    return _class_with(name, declared)


def _class_with(name: str, declared: Mapping[str, Any]) -> type[State]:
    """The State class with these fluents. Raises StateError for names that it cannot have."""
    body = {**declared, "__module__": __name__}
    return new_class(name, (State,), exec_body=lambda namespace: namespace.update(body))


def _declared(name: str, written: Any) -> Fluent[Any] | FluentFamily[Any, Any]:
    """The fluent or family that an entry declares. Raises BthtnError."""
    given = written if isinstance(written, dict) else {"default": written}
    for key in given:
        if key not in _KEYS:
            raise _fault(f"'{name}' has a '{key}'", nearest(key, _KEYS))
    if "default" not in given:
        raise _fault(f"'{name}' has no default", _HOW)
    if not isinstance(given.get("volatile", False), bool):
        raise _fault(f"'volatile' of '{name}' is {given['volatile']!r}", "write true or false")
    default = UNKNOWN if given["default"] == "unknown" else given["default"]
    if default is UNKNOWN and "type" not in given:
        hint = f'write {name} = {{ type = "str", default = "unknown" }}'
        raise _fault(f"'{name}' is unknown, and of no type", hint)
    values = _values(name, given.get("type", type(default).__name__))
    made: Fluent[Any] = Fluent(
        default, values=values, volatile=given.get("volatile", False), is_stated=True, name=name
    )
    made.check(default)
    return FluentFamily(made, _values(name, given["index"])) if "index" in given else made


def _values(name: str, written: Any) -> ValueType:
    """The values that a type describes: its name, or the list of words. Raises InputError."""
    if isinstance(written, str) and written in _TYPES:
        return ValueType((_TYPES[written],))
    if isinstance(written, list) and written and all(isinstance(word, str) for word in written):
        return ValueType((str,), tuple(written))
    hint = nearest(written, _TYPES) if isinstance(written, str) else _HOW
    raise _fault(f"'{name}' has no type that is known: {written!r}", hint)


def _fault(message: str, hint: str) -> InputError:
    return InputError("BT421", message, hint=hint)
