"""What do game engines, and other programs, say and hear?

The characters of a tree for programs that sense and act for them, by the protocol
``bthtn-engine/1``, whose specification is docs/engine-protocol.md.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.kit.engines.host import EngineConnection, EngineHost
    from bthtn.kit.engines.session import EngineSession

__all__ = ["EngineConnection", "EngineHost", "EngineSession"]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "bthtn.kit.engines.host": "EngineConnection EngineHost",
        "bthtn.kit.engines.session": "EngineSession",
    },
)
