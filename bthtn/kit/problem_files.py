"""A character that is two files: it does what a problem in HDDL or PDDL asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bthtn.behaviours import Agent, Character, Operators, PlanGoal, Running
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.kit.formats.hddl.reading import read_problem


def problem_character(domain: Path, problem: Path) -> Character:
    """A character that plans for the goal of a problem and carries the plan out.

    Each step takes a tick, succeeds, and has the effects that are planned with. The character is
    finished when its goal has succeeded or failed. Raises InputError with the place of a fault.
    """
    asked = read_problem(domain, problem)
    operators = Operators[None]()
    for task in asked.domain.tasks.values():
        if isinstance(task, PrimitiveTask):
            operators.bind(task)(_done_in_a_tick)
    beliefs = asked.domain.state_class.over(asked.state)
    agent = Agent(problem.stem, asked.domain, beliefs, body=None, operators=operators)
    return Character(PlanGoal(problem.stem, agent, asked.goal), agent, once=True)


def _done_in_a_tick(_agent: Agent[Any, None], *_args: str) -> Running:
    yield
