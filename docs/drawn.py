"""The pictures of the manual, held against the code beside them.

``make docs`` draws them anew, with Graphviz and Chromium: it sets REDRAW.
"""

import hashlib
import json
import os
from pathlib import Path

from bthtn.kit.recording import event_data
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.locate import TargetKind, resolve
from bthtn.studio.views import html, picture

VIEWER = "watching"
"""The screenshot of the viewer: of a squad, after so many ticks."""
VIEWER_TICKS = 13
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


def watched_squad():
    """The character that the screenshot of the viewer shows."""
    return character_of(resolve("squad", TargetKind.TREE), 1)


def viewer_seal() -> str:
    """A digest of the viewer's page, and of what the screenshot of it shows."""
    files = sorted(Path(html.__file__).with_name("page").iterdir())
    seal = hashlib.sha256(b"".join(one.read_bytes() for one in files if one.is_file()))
    squad = watched_squad()
    for _ in range(VIEWER_TICKS):
        seal.update(json.dumps([event_data(one) for one in squad.tick()]).encode())
    return seal.hexdigest()


def viewer_drawn(screenshot: bytes) -> None:
    """Keep a screenshot of the viewer as the picture of the manual, if that is to be redrawn."""
    if os.environ.get("REDRAW"):
        (PICTURES / f"{VIEWER}.png").write_bytes(screenshot)
        (PICTURES / f"{VIEWER}.seal").write_text(viewer_seal() + "\n", "utf-8")


def arena_drawn(film: bytes) -> None:
    """Keep a film of the arena as the one of the manual, if that is to be redrawn."""
    if os.environ.get("REDRAW"):
        (PICTURES / "arena.gif").write_bytes(film)
