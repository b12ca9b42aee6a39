"""Asks the same question thrice in four ways, and the specification for the answer.

    make functions QUESTIONS=100000 SEED=1

The ways are ``find_plan``, one ``Planner``, one in slices, and an agent. Between the questions the
state changes, and then the tables around the functions do.
"""

import argparse
import linecache
import sys
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager
from itertools import cycle
from logging import getLogger
from random import Random

from py_trees.common import Status

from bthtn import Planner, Settings, find_plan
from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.engine.agent.events import PlanAdopted
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.plan.walk import outline
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.errors import BthtnError, PlanningError
from tests.properties.freely_written import FreeAuthor
from tests.properties.written import _state
from tests.reference import Reference

STATES = 5
"""States from which each problem is asked, before and after its tables have changed."""
TIMES = 3


class DifferenceError(AssertionError):
    """Two ways to ask have different answers."""


def described(plan):
    """What a plan says, as what can be compared."""
    touched = [step.footprint for step in plan.steps]
    return (
        "solved",
        plan.actions,
        tuple(plan.record),
        plan.expansions,
        {fluent: comparable(value) for fluent, value in plan.predicted.items()},
        outline(plan.tree),
        [(step.duration, step.cost) for step in plan.steps],
        [one.reads for one in touched],
        [
            {fluent: (write.kind, comparable(write.value)) for fluent, write in one.writes.items()}
            for one in touched
        ],
    )


def comparable(value):
    """The value with its type; a NaN is equal to every other."""
    return type(value), value if value == value else "NaN"  # noqa: PLR0124 - as it says


def answered(ask):
    """The answer that ``ask`` returns or raises."""
    try:
        plan = ask()
    except BthtnError as error:
        codes = tuple(one.code for one in error.diagnostics)
        return ("limit",) if codes == ("BT203",) else ("raises", type(error), codes)
    return ("exhausted",) if plan is None else described(plan)


def in_slices(planner, state, budgets):
    """The plan of a search that is advanced by so much at a time."""
    search = planner.search(state)
    for budget in cycle(budgets):
        if search.advance(budget) is not SearchStatus.RUNNING:
            break
    if search.status is SearchStatus.LIMIT and search.plan is None:
        raise PlanningError("BT203", "no answer")
    return search.plan


class Waiting:
    """An operator that never ends."""

    def __init__(self, agent, *args):
        pass

    def tick(self):
        return Status.RUNNING


class Actor:
    """An agent whose goal begins anew in every tick, and whose steps take for ever."""

    def __init__(self, domain, goal, settings, state):
        self._heard = []
        operators = Operators()
        for task in domain.tasks.values():
            if isinstance(task, PrimitiveTask):
                operators.bind(task)(Waiting)
        self._agent = Agent(
            "somebody", domain, state, body=None, operators=operators, listener=self._heard.append
        )
        self._goal = PlanGoal("goal", self._agent, goal, settings=settings, budget=None)

    def plan(self):
        """The plan that is adopted in the next tick, None if there is none."""
        self._heard.clear()
        self._goal.tick_once()
        self._goal.stop(Status.INVALID)
        return next((one.plan for one in self._heard if isinstance(one, PlanAdopted)), None)


class TooLongError(Exception):
    """The specification, which knows no limit, has come to it."""


class BoundedReference(Reference):
    """The specification, up to a limit of expansions."""

    def _call(self, call, place):
        if self.expansions > self._settings.max_expansions:
            raise TooLongError
        return super()._call(call, place)


def specified(asked):
    """The answer of the specification, and whether a search within its limit has to find it."""
    reference = BoundedReference(asked)
    try:
        answer = answered(lambda: next(reference.plans(), None))
    except TooLongError:
        return ("limit",), True
    is_sure = reference.expansions < asked.settings.max_expansions
    return answer, is_sure


class Problem:
    """One written problem, which is asked again and again."""

    def __init__(self, choose, module, goal):
        self._choose = choose
        self.domain, self._goal = module["domain"].freeze(), goal
        self._settings = Settings(
            strict_recursion=choose((True,) * 5 + (False,)),
            max_depth=choose((5, 10)),
            max_expansions=choose((12, 40)),
        )
        self._planner = Planner(self.domain, goal, self._settings)

    def state(self):
        """A random state to ask from."""
        return _state(self._choose)

    def answer(self, state):
        """Ask from a state in all ways; the answer, which all give. Raises DifferenceError."""
        domain, goal, settings = self.domain, self._goal, self._settings
        planner, budgets = self._planner, self._choose(((1,), (3, 1), (50,), (2, 0, 7)))
        expected, is_sure = specified(request(domain, state, goal, settings))
        ways = {
            "find_plan": lambda: answered(lambda: find_plan(domain, state, goal, settings)),
            "Planner": lambda: answered(lambda: planner.plan(state)),
            "in slices": lambda: answered(lambda: in_slices(planner, state, budgets)),
        }
        actor = Actor(domain, goal, settings, state)
        for time_ in range(TIMES):
            for way, ask in ways.items():
                found = ask()
                if not is_sure and found == ("limit",):
                    expected, is_sure = found, True
                if found != expected:
                    raise DifferenceError(way, time_, found, expected)
            plan = actor.plan()
            found = None if plan is None else (plan.actions, tuple(plan.record))
            if found != (expected[1:3] if expected[0] == "solved" else None):
                raise DifferenceError("agent", time_, found, expected)
        return expected


@contextmanager
def written(choose):
    """A random module of functions whose source can be found for so long, and its author."""
    name = "<freely written for a test>"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        while True:
            author = FreeAuthor(choose)
            try:
                code = compile(author.text, name, "exec")
            except SyntaxError:  # as where a name is assigned to in a comprehension
                continue
            break
        linecache.cache[name] = (len(author.text), None, author.text.splitlines(True), name)
        try:
            module = {"__name__": "freely_written"}
            exec(code, module)  # noqa: S102 - the text is our own
            yield module, author
        finally:
            del linecache.cache[name]


def asked(choose):
    """Ask about one problem; the kinds of the answers. Raises DifferenceError."""
    with written(choose) as (module, author):
        problem, seen = Problem(choose, module, author.goal(module)), Counter()
        states = [problem.state() for _ in range(STATES)]
        try:
            for is_changed in (False, True):
                if is_changed:
                    module["change"]()
                for state in states:
                    seen[problem.answer(state)[0]] += 1
        except Exception as error:
            error.add_note(author.text)
            raise
    return seen


def questions(seed):
    """Ask about the problem of a seed; the kinds of the answers."""
    try:
        return asked(Random(seed).choice)  # noqa: S311 - to be the same everywhere is its purpose
    except Exception as error:
        error.add_note(f"of seed {seed}")
        raise


def main(arguments=None):
    """Ask as many questions as the command line says; 1 when there is a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args(arguments)
    getLogger("bthtn").disabled = True
    seen, differences = Counter(), 0
    for number in range(-(-wanted.questions // (2 * STATES))):
        try:
            seen += questions(wanted.seed * 1_000_000 + number)
        except Exception:  # noqa: BLE001 - whatever leaves planning is a difference
            differences += 1
            traceback.print_exc()
        if number % 500 == 499:
            _tell(seen, differences)
    _tell(seen, differences)
    return 1 if differences else 0


def _tell(seen, differences):
    asked = f"{seen.total()} questions, each {TIMES} times in four ways"
    kinds = ", ".join(f"{count} {kind}" for kind, count in seen.most_common())
    sys.stdout.write(f"{asked}: {differences} differences ({kinds})\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
