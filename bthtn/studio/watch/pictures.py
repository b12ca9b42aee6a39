"""Pictures: how the worlds of agents look, as their bodies draw them.

A body draws itself as an object in a notebook does, with IPython's ``_repr_svg_() -> str`` or
``_repr_png_() -> bytes``; either may return None while there is nothing to show.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.programming_errors import code_failed
from bthtn.kit.recording.watched import Line


class Pictures:
    """The pictures that the bodies of agents draw. A body that raises is not asked again."""

    def __init__(self, agents: Mapping[str, Agent[Any, Any]]) -> None:
        self._agents = {name: agent for name, agent in agents.items() if _drawing(agent.body)}
        self._latest: dict[str, str] = {}

    def __bool__(self) -> bool:
        """Whether any body draws."""
        return bool(self._agents)

    def forget(self) -> None:
        """Let the next changes be all pictures."""
        self._latest.clear()

    def changes(self) -> Iterator[Line]:
        """A line for each picture that is not as it was, with its address as data."""
        for name, agent in list(self._agents.items()):
            try:
                picture = _picture(agent.body)
            except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
                del self._agents[name]
                agent.emit(code_failed("picture of the body", error))
                continue
            if picture != self._latest.get(name, ""):
                self._latest[name] = picture
                yield {"picture": picture, "agent": name}


def _picture(body: object) -> str:
    draw = _drawing(body)
    return draw() if draw is not None else ""


def _drawing(body: object) -> Callable[[], str] | None:
    for kind, name in (("svg+xml", "_repr_svg_"), ("png", "_repr_png_")):
        # Looked up at the class: a body may answer for any name that it is asked for.
        if callable(getattr(type(body), name, None)):
            return partial(_address, kind, getattr(body, name))
    return None


def _address(kind: str, draw: Callable[[], str | bytes | None]) -> str:
    """A picture as a data address, empty for none."""
    drawn = draw()
    if drawn is None:
        return ""
    data = drawn.encode() if isinstance(drawn, str) else drawn
    return f"data:image/{kind};base64,{b64encode(data).decode()}"
