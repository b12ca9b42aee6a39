"""How objects show themselves in notebooks: as text, and as what others draw of them.

IPython asks an object for ``_repr_mimebundle_``, a text for each type of content that it has. The
engine has its own texts, and draws nothing: who draws registers with ``mimebundle``, which is a
function of the studio's ``show_in_notebooks``.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any


@singledispatch
def mimebundle(thing: object) -> dict[str, str]:
    """What there is to show of an object, by type of content."""
    return {"text/plain": repr(thing)}


def repr_mimebundle(self: object, **_: Any) -> dict[str, str]:
    """The method ``_repr_mimebundle_`` of classes; which types are wanted is no matter."""
    return mimebundle(self)
