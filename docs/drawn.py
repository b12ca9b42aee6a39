"""The pictures of the manual, held against the code beside them.

``make docs`` draws them anew, with Graphviz: it sets REDRAW.
"""

import hashlib
import os
from pathlib import Path

from bthtn.views import picture

PICTURES = Path(__file__).parent / "pictures"


def outdated(name: str, dot: str) -> str:
    """What is wrong with a picture that should show this; nothing if it does."""
    source, drawn = PICTURES / f"{name}.dot", PICTURES / f"{name}.svg"
    seal = f"<!-- drawn from dot {hashlib.sha256(dot.encode()).hexdigest()} -->\n"
    if os.environ.get("REDRAW"):
        source.write_text(dot, "utf-8")
        drawn.write_text(picture(dot, "svg").decode("utf-8") + seal, "utf-8")
    if source.read_text("utf-8") != dot:
        return f"{source} shows something else"
    return "" if drawn.read_text("utf-8").endswith(seal) else f"{drawn} is not drawn from it"
