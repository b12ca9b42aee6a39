"""A recording as one page of HTML, which is opened without a server."""

from __future__ import annotations

from pathlib import Path

from bthtn.kit.recording import Recording
from bthtn.studio.views.html import looks, page


def recording_page(file: Path) -> str:
    """The page of a recording, up to its last whole line. Raises InputError."""
    recording = Recording.read(file)
    lines = [recording.head, *(line for tick in recording.ticks for line in tick), *recording.stop]
    data = {"looks": looks(), "lines": [*lines, *([recording.end] if recording.end else [])]}
    name = str(recording.head.get("name", file.name))
    return page(name, "watch", data, styles=("tree.css", "timeline.css", "watch.css"))
