"""A writer of Graphviz' dot language that numbers nodes and escapes all texts.

    drawing = Drawing("combat: fight")
    above = drawing.node("sequence", "sequence")
    drawing.edge(above, drawing.node("task", "reload"))
    text = drawing.text()

``LOOKS`` maps each kind of node to its shape and colours, and is the source of the legend.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Final

from bthtn.engine.text.tree import one_line
from bthtn.engine.text.values import shortened

LONGEST_LABEL: Final = 96
LONGEST_TOOLTIP: Final = 600
WIDTH: Final = 30
TITLE_WIDTH: Final = 90
LEGEND_COLUMNS: Final = 3
DEEPEST_FRAME: Final = 50
"""Deeper frames are not drawn: Graphviz can nest some thousands, but they are unreadable."""


@dataclass(frozen=True, slots=True)
class Look:
    """The shape and colours of one kind of node; ``sign`` precedes its label."""

    shape: str
    fill: str
    line: str
    meaning: str
    sign: str = ""
    style: str = "filled"
    text: str = "#1F2933"


_ROUND: Final = "rounded,filled"
_DASHED: Final = f"{_ROUND},dashed"
LOOKS: Final[Mapping[str, Look]] = {
    "sequence": Look("box", "#E3ECF7", "#3B6EA8", "one after the other", "→"),
    "parallel": Look("parallelogram", "#E6F0EA", "#3F7D58", "side by side", "⇉"),
    "priority": Look("diamond", "#FFF0D6", "#C77700", "chosen at run time", "?"),
    "selector": Look("octagon", "#FFF0D6", "#C77700", "the first that works", "?"),
    "task": Look("box", "#FFFFFF", "#52606D", "a task that is done", "", _ROUND),
    "check": Look("ellipse", "#F7F3E3", "#8A6D1D", "a question to the world"),
    "goal": Look("box", "#EDE4F7", "#6B3FA0", "a goal that is planned for", "◎", _ROUND),
    "decorator": Look("hexagon", "#F0F0F0", "#6B7280", "changes its child's answer"),
    "suspended": Look("box", "#F5F0FA", "#6B3FA0", "planned when it is reached", "…", _DASHED),
    "null": Look("plaintext", "none", "none", "nothing to do", "∅", "", "#7B8794"),
    "dropped": Look(
        "box", "#FAFAFA", "#B0B7BF", "was not possible", "✗", f"{_ROUND},dotted", "#7B8794"
    ),
    "compound": Look("box", "#E3ECF7", "#3B6EA8", "a task that is decomposed", "", _ROUND),
    "construct": Look(
        "box", "#F4F7FB", "#3B6EA8", "a choice or an order inside a method", "", _DASHED
    ),
    "method": Look("note", "#FFFBEA", "#B08900", "one way to do it"),
    "domain": Look("box", "#F7F8FA", "#52606D", "the tasks that there are", "", _ROUND),
}


@dataclass(frozen=True, slots=True)
class StatusLook:
    """The colours and sign of a status; they override those of the node's kind."""

    fill: str
    line: str
    sign: str
    meaning: str


STATUSES: Final[Mapping[str, StatusLook]] = {
    "RUNNING": StatusLook("#CFE8FF", "#0B69C7", "▶", "is running"),
    "SUCCESS": StatusLook("#D3F2DA", "#218739", "✓", "succeeded"),
    "FAILURE": StatusLook("#FAD4D0", "#C22D23", "✗", "failed"),
    "ABORTED": StatusLook("#F6E7C8", "#8A5A00", "■", "aborted while it ran"),
    "INVALID": StatusLook("#F4F5F7", "#B8C0C8", "", "not run"),
}

EDGES: Final[Mapping[str, str]] = {
    "": "",
    "choice": 'style=dashed color="#C77700" fontcolor="#C77700"',
    "dropped": "style=dotted arrowhead=none",
    "deferred": "style=dotted",
    "mounted": 'color="#6B3FA0" penwidth=1.6 arrowhead=onormal',
}
_EDGE_MEANINGS: Final[Mapping[str, tuple[str, str, str]]] = {
    "choice": ("#C77700", "⇢", "to what is chosen from, in this order"),
    "mounted": ("#6B3FA0", "→", "to what was planned for it"),
}
"""Line, sign and meaning of the edges that are coloured."""
_MARGINS: Final[Mapping[str, str]] = {
    "parallelogram": "0.02,0",
    "diamond": "0.05,0.04",
    "octagon": "0.05,0",
    "hexagon": "0.05,0",
}
_FRAME_FILLS: Final = ("#F3F5F8", "#FBFCFD")
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})

_HEAD: Final = (
    'fontname="Helvetica,Arial,sans-serif" fontsize=13 fontcolor="#1F2933" labelloc=t'
    ' labeljust=l bgcolor=white pad=0.25 nodesep=0.28 ranksep=0.42 ordering=out tooltip=" "',
    'node [fontname="Helvetica,Arial,sans-serif" fontsize=11 height=0.36 penwidth=1.3]',
    'edge [fontname="Helvetica,Arial,sans-serif" fontsize=9 color="#7B8794"'
    ' fontcolor="#7B8794" arrowsize=0.6 tooltip=" "]',
)


class Drawing:
    """A graph under construction. Nodes are numbered in the order of their creation."""

    def __init__(self, title: str = "", *, direction: str = "TB") -> None:
        self._title = _lines(title, TITLE_WIDTH) if title else [""]
        self._direction = direction
        self._body: list[str] = []
        self._edges: list[str] = []
        self._used: dict[str, None] = {}
        self._nodes = 0
        self._frames = 0
        self._open = 0

    def node(
        self, kind: str, label: str, *, below: str = "", tooltip: str = "", status: str = ""
    ) -> str:
        """Add a node and return its name. ``below`` is the second part of the label."""
        look, painted = LOOKS[kind], STATUSES.get(status)
        self._used[kind] = None
        fill, line, sign, width = look.fill, look.line, look.sign, 1.3
        if painted is not None:
            self._used[status] = None
            fill, line, width = painted.fill, painted.line, 2.4
            sign = f"{painted.sign} {sign}".strip()
        first, *more = _lines(label)
        lines = [f"{sign} {first}" if sign else first, *more, *(_lines(below) if below else [])]
        name = f"n{self._nodes}"
        self._nodes += 1
        self._body.append(
            f"{name} [label={quoted(*lines)} shape={look.shape} style={quoted(look.style)}"
            f' fillcolor="{fill}" color="{line}" fontcolor="{look.text}" penwidth={width}'
            f' margin="{_MARGINS.get(look.shape, "0.14,0.07")}"'
            f" tooltip={quoted(shortened(one_line(tooltip or label), LONGEST_TOOLTIP))}]"
        )
        return name

    def edge(self, above: str, below: str, *, kind: str = "", label: str = "") -> None:
        """Add an edge; a node's edges are drawn from left to right in order of creation."""
        self._used[f"{kind} edge"] = None
        named = f" label={quoted(*(f' {line}' for line in _lines(label)))}" if label else ""
        self._edges.append(f"{above} -> {below} [{EDGES[kind]}{named}]")

    def open_frame(self, label: str, *, tooltip: str = "") -> None:
        """Open a frame around the nodes that are added until it is closed."""
        self._open += 1
        if self._open > DEEPEST_FRAME:
            return
        fill = _FRAME_FILLS[self._open % len(_FRAME_FILLS)]
        shown = quoted(*_lines(label, TITLE_WIDTH))
        self._body.append(
            f'subgraph cluster{self._frames} {{ label={shown} style="rounded,filled"'
            f' fillcolor="{fill}" color="#C9D1DA" fontsize=10 fontcolor="#52606D" labeljust=l'
            f" tooltip={quoted(shortened(one_line(tooltip or label), LONGEST_TOOLTIP))}"
        )
        self._frames += 1

    def close_frame(self) -> None:
        if self._open <= DEEPEST_FRAME:
            self._body.append("}")
        self._open -= 1

    def text(self, *, legend: bool = False) -> str:
        """The graph in dot; the legend explains the kinds and statuses that occur in it."""
        assert self._open == 0, "every frame is closed"
        label = self._legend() if legend else quoted(*self._title)
        head = f"graph [rankdir={self._direction} label={label} {_HEAD[0]}]"
        parts = [head, *_HEAD[1:], *self._body, *self._edges]
        return "digraph bthtn {\n" + "".join(f"  {part}\n" for part in parts) + "}\n"

    def _legend(self) -> str:
        """The graph's label: title and legend. A legend as a node would change the layout."""
        looks: dict[str, Look | StatusLook] = {**LOOKS, **STATUSES}
        cells = [
            _legend_cells(look.fill, look.line, look.sign, f"{kind}: {look.meaning}")
            for kind, look in looks.items()
            if kind in self._used
        ]
        cells += [
            _legend_cells("none", line, sign, meaning)
            for kind, (line, sign, meaning) in _EDGE_MEANINGS.items()
            if f"{kind} edge" in self._used
        ]
        columns = range(0, len(cells), LEGEND_COLUMNS)
        rows = "".join(f"<tr>{''.join(cells[at : at + LEGEND_COLUMNS])}</tr>" for at in columns)
        title = "<br/>".join(map(escape, self._title)) or " "
        span = f'colspan="{2 * LEGEND_COLUMNS}" align="left"'
        head = f"<tr><td {span}>{title}</td></tr>"
        return f'<<table border="0" cellspacing="4" cellpadding="2">{head}{rows}</table>>'


def quoted(*lines: str) -> str:
    """Lines as one quoted string of dot, with all special characters escaped."""
    return '"' + "\\n".join(line.translate(_ESCAPES) for line in lines) + '"'


def _lines(text: str, width: int = WIDTH) -> list[str]:
    """A label: the text shortened to LONGEST_LABEL and wrapped at ``width``."""
    shown = shortened(one_line(text), LONGEST_LABEL)
    if not shown.strip():
        return ["(no name)"]
    lines = textwrap.wrap(shown, width, drop_whitespace=False, break_on_hyphens=False)
    return [line.rstrip() for line in lines]


def _legend_cells(fill: str, line: str, sign: str, meaning: str) -> str:
    colours = f'color="{line}"' + (f' bgcolor="{fill}"' if fill != "none" else "")
    cell = f'<td border="1" width="22" {colours}>{sign or " "}</td>'
    return f'{cell}<td align="left"><font point-size="10">{meaning}   </font></td>'
