"""Questions of pages about a plan, answered by planning again.

    why        the facts that the tasks of the plan rely on, down to the node
    methods    the outcome of each method of a compound task of the plan
    change     the changes of beliefs after which one of them is chosen

The plan is that from the beliefs that the agent had when it adopted the one it runs; for a goal
without a plan, from its beliefs of now. Nothing changes by that, so it is done in another thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from bthtn.engine.agent.agent import domain_and_goal
from bthtn.engine.planning.planner import search_for
from bthtn.engine.planning.protocol import PlanRequest, request
from bthtn.engine.text.notation import call_from
from bthtn.errors import InputError
from bthtn.studio.explanation import methods_of, why, why_not
from bthtn.studio.watch.updates import Feed

Question = Mapping[str, Any]
"""``ask`` says what is asked, of the goal ``goal`` of the agent ``agent``; all are texts."""
MOST: Final = 200
"""Lines of an answer."""


async def answer_to(question: Question, feed: Feed) -> Any:
    """The answer to a question about the goals of a feed, plain data. Raises BthtnError."""
    return await asyncio.to_thread(_answer, question, feed)


def _answer(question: Question, feed: Feed) -> Any:
    asked = str(question.get("ask"))
    known = {"why": _why, "methods": _methods, "change": _change}
    InputError.require(asked, known, "BT452", f"a page asked {asked!r}")
    return known[asked](_request(question, feed), question)


def _request(question: Question, feed: Feed) -> PlanRequest:
    agent, name = str(question.get("agent")), str(question.get("goal"))
    goals = {goal.name: goal for goal in feed.watched.goals if goal.agent.name == agent}
    InputError.require(name, goals, "BT451", f"agent {agent!r} has no goal {name!r}")
    goal = goals[name]
    state = feed.planned_from.get((agent, name)) or goal.agent.beliefs.frozen()
    domain, network = domain_and_goal(goal.agent.domains, goal.goal)
    return request(domain, state, network, goal.settings)


def _why(asked: PlanRequest, question: Question) -> str:
    search = search_for(asked)
    search.advance()
    if search.plan is None:
        return "there is no plan\n" + _text(methods_of(asked))
    node = str(question.get("node"))
    is_step = node in map(str, search.plan.steps)
    reasons = why(search.plan, asked.state, node if is_step else None)
    return _text(reasons)


def _methods(asked: PlanRequest, question: Question) -> list[dict[str, Any]]:
    answers = methods_of(asked)
    about = [answer for answer in answers if answer.task == question.get("node")] or answers
    return [
        {
            "method": f"{answer.task}:{answer.method}",
            "title": f"{answer.task}, method {answer.method} {answer.name}".rstrip(),
            "outcome": answer.outcome.value,
            "reason": "\n".join(f"{'  ' * reason.depth}{reason.text}" for reason in answer.reasons),
            "chosen": answer.is_chosen,
        }
        for answer in about[:MOST]
    ]


def _change(asked: PlanRequest, question: Question) -> str:
    task, _, number = str(question.get("method")).rpartition(":")
    if not number.isdecimal():
        message = f"a page asked for the method {question.get('method')!r}"
        raise InputError("BT452", message, hint="write task:number, such as fight:1")
    _, changes = why_not(asked, call_from(task, asked.domain), int(number))
    return str(changes)


def _text(answers: Sequence[object]) -> str:
    return "\n".join("\n".join(map(str, answers)).split("\n")[:MOST])
