"""What does a character look like in another language?

Bindings are a file of source text: a class for each kind of agent, whose beliefs are typed fields
and whose tasks are functions to write, the enums that they need, and a client that speaks
``bthtn-engine/1`` with ``bthtn serve``. They depend on nothing but the answer to ``hello``.

``interface`` reads that answer; ``identifiers`` makes names valid and idiomatic. Each language
has a module that writes the classes, and beside it its client, ``client.*``, which is the same for
all characters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from bthtn.studio.bindings.cpp import cpp
from bthtn.studio.bindings.csharp import csharp
from bthtn.studio.bindings.gdscript import gdscript, gdscript3
from bthtn.studio.bindings.interface import Interface, interface_of
from bthtn.studio.bindings.typescript import typescript

LANGUAGES: Final[Mapping[str, Callable[[Interface], str]]] = MappingProxyType(
    {
        "csharp": csharp,
        "cpp": cpp,
        "gdscript": gdscript,
        "gdscript3": gdscript3,
        "typescript": typescript,
    }
)
"""The writers of all languages, by their options."""

__all__ = ["LANGUAGES", "interface_of"]
