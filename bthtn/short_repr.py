"""``ShortRepr``: options whose text leaves out what is as usual."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any, ClassVar


class ShortRepr:
    """A dataclass whose ``repr`` has only the fields that differ from their defaults.

    It is the default of arguments, and thus stands in signatures. Written with ``repr=False``.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __repr__(self) -> str:
        values = ((field, getattr(self, field.name)) for field in fields(self))
        changed = (f"{field.name}={value!r}" for field, value in values if value != field.default)
        return f"{type(self).__name__}({', '.join(changed)})"
