"""``bthtn explain --replans GOAL``: why a recorded goal got other plans, and why not."""

from __future__ import annotations

from pathlib import Path

from bthtn.cli.explain_command import EXPLANATION_FORMAT
from bthtn.cli.plan_command import PlanArguments
from bthtn.cli.printing import say, say_json
from bthtn.errors import Diagnostic, InputError, nearest
from bthtn.explanation import BetterPlan, better_plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.views.text import one_line


def explain_replans(
    arguments: PlanArguments,
    file: Path | None,
    tick: int | None,
    agent: str,
    goal: str,
    *,
    as_json: bool,
) -> int:
    """Print the decisions about a goal up to a tick, and whether a better plan is there then.

    The better plan is looked for with the ``arguments``, which have the beliefs of the tick, if a
    plan of the goal runs at its end. Returns 0. Raises BthtnError.
    """
    if file is None:
        message = "--replans says why a recorded goal got other plans, and there is no recording"
        raise InputError(Diagnostic("BT409", message, hint="name its file: --recording FILE"))
    from bthtn.recording import Recording  # noqa: PLC0415 - loads py_trees

    recording = Recording.read(file)
    known = {one.goal for one in recording.decisions(agent)}
    if goal not in known:
        message = f"no goal called '{goal}' had a plan in the recording"
        raise InputError(Diagnostic("BT461", message, hint=nearest(goal, known)))
    last = recording.ticks[-1][0]["tick"] if tick is None else tick
    decisions = recording.decisions(agent, goal=goal, until=last)
    running = recording.at(last, agent).plans.get(goal)
    better: BetterPlan | None = None
    if running is not None:
        record = MethodTraversalRecord(running["plan"]["record"])
        better = better_plan(arguments.request(), record)
    if as_json:
        data = {"decisions": [one.data() for one in decisions]}
        found = None if better is None else better.data()
        say_json({"format": EXPLANATION_FORMAT, **data, "better": found})
        return 0
    for decision in decisions:
        say(one_line(str(decision)))
    state = f"with the beliefs at the end of tick {last}"
    answer = f"no plan of {goal} runs" if better is None else str(better)
    say("\n".join(map(one_line, f"\n{state}, {answer}".split("\n"))))
    return 0
