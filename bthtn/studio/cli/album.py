"""The pictures of a run: its tree, and each plan as it has ended."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from bthtn.behaviours import Character, PlanGoal
from bthtn.engine.agent import events
from bthtn.engine.agent.events import AgentEvent
from bthtn.engine.agent.hearing import hear_too
from bthtn.errors import InputError
from bthtn.kit.recording.snapshot import Snapshots
from bthtn.studio.cli.printing import write
from bthtn.studio.testing.locate import shown
from bthtn.studio.views.behaviour_drawing import snapshot_dot
from bthtn.studio.views.graphviz import picture
from bthtn.studio.views.html import html_page
from bthtn.studio.views.plan_nodes import without_statuses

PAGE: Final = "pictures.html"
MOST_DRAWN: Final = 50


class Album:
    """Draws the tree, and each plan with the statuses of its nodes at its end.

    The pictures are files of dot and svg, and all of them together a page for a browser.
    """

    def __init__(self, character: Character, name: str) -> None:
        self._character = character
        self._name = name
        tree = without_statuses(Snapshots(character.root).whole())
        self._pictures = {"tree": snapshot_dot(tree, title=name, status=False)}
        self._trees = {name: tree}
        self._plans = 0
        self._open: dict[str, int] = {}
        hear_too(character.agent, self._on_event)

    def close(self) -> None:
        """Draw the plans that are still running; call it before the character is stopped."""
        for goal in list(self._open):
            self._draw(goal, "the run ended")

    def written(self, folder: Path) -> tuple[list[Path], str]:
        """Write the drawings. Returns their paths, and a hint if Graphviz is missing."""
        files = [folder / f"{name}.dot" for name in self._pictures]
        dots = list(self._pictures.values())
        for file, dot in zip(files, dots, strict=True):
            write(dot, file)
        page = folder / PAGE
        write(html_page(self._name, self._trees), page)
        try:
            with ThreadPoolExecutor() as pool:
                drawn = list(pool.map(lambda dot: picture(dot, "svg"), dots[:MOST_DRAWN]))
        except InputError as error:
            return files, f"\n{error}\nfor a browser: {shown(page)}"
        files = [file.with_suffix(".svg") for file in files[:MOST_DRAWN]]
        for file, svg in zip(files, drawn, strict=True):
            write(svg, file)
        return files, ""

    def _on_event(self, event: AgentEvent) -> None:
        """Draw a plan when it ends, while its behaviours still have their statuses."""
        match event:
            case events.PlanAdopted(goal) | events.PlanRepaired(goal):
                self._plans += 1
                self._open[goal] = self._plans
            case events.PlanFailed(goal, reason) | events.PlanAborted(goal, reason):
                self._draw(goal, reason)
            case events.PlanBroken(goal, reason) | events.PlanReplaced(goal, reason):
                self._draw(goal, reason)
            case events.GoalEnded(goal):
                self._draw(goal, "done" if event.succeeded else event.reason)

    def _draw(self, goal: str, end: str) -> None:
        number = self._open.pop(goal, 0)
        for node in self._character.root.iterate() if number else ():
            if not (isinstance(node, PlanGoal) and node.name == goal and node.children):
                continue
            title = f"plan {number} for {goal}, record {node.record!r}: {end}"
            plan = Snapshots(node.children[0]).whole()
            self._pictures[f"plan-{number}"] = snapshot_dot(plan, title=title)
            if len(self._trees) <= MOST_DRAWN:
                self._trees[title] = plan
