"""Lines: frames as the lines of a recording, and all that has to be known at any tick."""

from __future__ import annotations

import json

from bthtn.recording.known import Known
from bthtn.recording.watched import FORMAT, Line
from bthtn.views.event_log import event_data
from bthtn.watch.feed import Frame


class Lines:
    """Writes frames down, and knows the beliefs, plans, running steps and trees of now."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._tick = -1
        self._agents: dict[str, Known] = {}
        self._trees: dict[str, Known] = {}

    def of(self, frame: Frame) -> list[Line]:
        """The lines of a frame."""
        made: list[Line] = []
        if frame.whole is not None:
            self._agents = {about["agent"]: Known(about) for about in frame.whole}
            self._trees = {}
            for one in self._agents.values():
                self._trees.setdefault(one.about["tree"], one)
            made.append(self._head())
        if frame.tick != self._tick:
            time = {} if frame.time is None else {"time": frame.time}
            made.append({"tick": frame.tick, **time})
            self._tick = frame.tick
        for new in frame.news:
            line = new if isinstance(new, dict) else event_data(new, tick=frame.tick)
            known = self._trees if "view" in line else self._agents
            of = known.get(line.get("agent", ""))
            if of is not None:
                of.add(line)
            made.append(line)
        return made

    def whole(self) -> list[Line]:
        """Lines from which a reader can go on, without those before."""
        trees = (
            {"view": self._tick, "agent": name, "tree": one.tree}
            for name, one in self._trees.items()
            if one.tree is not None
        )
        return [self._head(), {"tick": self._tick}, *trees]

    def _head(self) -> Line:
        agents = [one.line() for one in self._agents.values()]
        return {"recording": FORMAT, "name": self._name, "agents": agents}


def text_of(lines: list[Line]) -> str:
    """Lines as text, each a JSON object."""
    return "\n".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in lines)
