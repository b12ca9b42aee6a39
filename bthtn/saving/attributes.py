"""The attributes of an object, and which classes have attributes that are saved."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any, Final

_SAVED: Final = (
    *("bthtn.world.", "bthtn.domain.", "bthtn.plan.", "bthtn.planning.", "bthtn.replanning."),
    *("bthtn.agent.", "bthtn.behaviours.", "bthtn.kit.", "py_trees."),
)
"""The modules whose classes are saved by their attributes, by the beginnings of their names."""

OF_NODES: Final = ("name", "status", "feedback_message", "parent", "children", "current_child")
"""The attributes of nodes that are saved of those which save themselves."""
PER_PROCESS: Final = frozenset({"id", "iterator", "logger", "blackboards"})
"""The attributes of py_trees' nodes that are made anew in each process."""


def saved_class(kind: type, package: str = "") -> type | None:
    """The class as which objects of a class are saved: it, or the nearest base; None for others.

    Those are the classes of the library, and of a user's package. Classes whose objects no file
    can hold have ``_is_saved = False``; those whose objects several characters share, and which
    loading does not change therefore, ``_is_shared = True``.
    """
    if not getattr(kind, "_is_saved", True):
        return None
    beginnings = (*_SAVED, f"{package}.") if package else _SAVED
    return next(
        (base for base in kind.__mro__ if f"{base.__module__}.".startswith(beginnings)), None
    )


def package_of(part: object) -> str:
    """The package of an object's class; empty for those of Python itself."""
    module = type(part).__module__
    return "" if module in sys.stdlib_module_names else module.rpartition(".")[0] or module


def state_of(whole: object) -> dict[str, Any]:
    """The attributes of an object by name: those of ``__getstate__``, without computed ones.

    Classes name attributes that are not saved in ``_unsaved``.
    """
    state: Any = whole.__getstate__()
    if isinstance(state, list) and is_dataclass(whole):  # frozen and with slots
        state = dict(zip((part.name for part in fields(whole)), state, strict=True))
    parts = state if isinstance(state, tuple) else (state,)
    found: dict[str, Any] = {}
    for part in parts:
        found |= part if isinstance(part, Mapping) else {}
    left_out: set[str] = set()
    for kind in type(whole).__mro__:
        is_of_py_trees = kind.__module__.startswith("py_trees.")
        left_out.update(PER_PROCESS if is_of_py_trees else vars(kind).get("_unsaved", ()))
    return {
        name: value
        for name, value in found.items()
        if name not in left_out
        and not isinstance(getattr(type(whole), name, None), cached_property)
    }


def put(part: object, name: str, value: object) -> None:
    """Set an attribute, of a frozen object as well."""
    object.__setattr__(part, name, value)
