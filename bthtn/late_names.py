"""late_names: public names of a package, imported when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late_names(
    package: str, names_in: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package whose names are in these modules.

    The names of a module are separated by spaces.
    """
    module_of = {name: module for module, names in names_in.items() for name in names.split()}

    def imported(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        return getattr(import_module(module_of[name]), name)

    return imported, lambda: sorted({*vars(sys.modules[package]), *module_of})
