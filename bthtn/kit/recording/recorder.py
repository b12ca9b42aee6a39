"""Recorder: writes the events of a loop to a file, while it runs.

with Recorder("run.jsonl", character) as recorder:
    while not character.finished:
        character.tick()
        recorder.tick()
    recorder.end(finished=True)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Self

from bthtn.checked import checked
from bthtn.engine.agent.programming_errors import give_up
from bthtn.engine.world.sharing import Unpicklable
from bthtn.kit.recording.line_file import LineFile
from bthtn.kit.recording.transcript import Block, Transcript, texts
from bthtn.kit.recording.watched import FORMAT, Watchable


class Recorder(Unpicklable):
    """Records characters, trees, and the agents in them, in a file of JSON lines.

    ``tick`` is called after each tick of the loop. A thread writes; ``tick`` waits for it only
    while very many ticks are waiting to be written. A name that ends in ``.gz`` is compressed; a
    file that is larger than ``max_bytes`` goes on in another one, ``run.2.jsonl`` after
    ``run.jsonl``. ``name`` and ``seed`` are written down, and so is ``run``, JSON that says how
    the run was made. The listeners of the agents go on hearing their events.

    A recording that cannot go on, as when the disk is full, is given up: that is logged once, by
    the logger "bthtn", ``error`` has the reason, and the run goes on without it.
    """

    @checked
    def __init__(
        self,
        file: Path | str,
        *watched: Watchable,
        name: str = "",
        seed: int | None = None,
        run: Mapping[str, Any] | None = None,
        max_bytes: int | None = None,
    ) -> None:
        """Create the file, and write the beliefs of all agents into it.

        Raises InputError for a file that cannot be written, for agents of one name, and if no
        agent was found.
        """
        self.error: Exception | None = None
        """Why the recording was given up, None if it was not."""
        self._path = path = Path(file)
        name = name or path.name.partition(".")[0]
        self._transcript = Transcript(watched, {"name": name, "seed": seed, "run": run})

        def begin(part: int) -> str:
            return json.dumps({"part": part, "of": FORMAT, "name": name})

        self._file = LineFile[Block](path, texts, begin, max_bytes)
        self._transcript.begin(self._file.put)

    def tick(self) -> None:
        """Record the events since the last call; called after each tick of the loop."""
        self._attempt(self._transcript.tick)

    def end(self, *, finished: bool, reason: str = "") -> None:
        """Note that the run is over, and close the file."""
        self._attempt(partial(self._transcript.end, finished=finished, reason=reason))
        self.close()

    def close(self) -> None:
        """Write all that is waiting, and close the file.

        Without a call of ``end`` before it, the recording has no last line.
        """
        self._transcript.close()
        self._attempt(self._file.close)

    def _attempt(self, act: Callable[[], None]) -> None:
        """Do a part of the recording, unless it was given up; give it up if that raises."""
        if self.error is not None:
            return
        try:
            act()
        except Exception as error:  # noqa: BLE001 - a view must not end the run
            self.error = error
            self._transcript.close()
            with suppress(Exception):  # which may be this very error
                self._file.close()
            give_up(f"the recording {self._path}", error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
