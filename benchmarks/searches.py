"""What a mode costs, beside the plain plan: ``python -m benchmarks.searches [rows ...]``.

The same questions are asked in every way that a search can be asked: by *find_plan*, for *a list of
tasks*, with a *listener*, for a plan that is better than the first (*bound*), with a *horizon*
behind its end, cut by one but checked to the end (*check_rest*), and without another task
(*exclusion*). In the other columns the goal is part of a network that is as long, or one step
longer. Processor time, the least of many turns that all take in circles, GTPyhop among them.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import compress
from types import MappingProxyType
from typing import Any

from benchmarks import page, report
from benchmarks.contestants import of_bthtn, of_gtpyhop
from benchmarks.domains import backtracking, blocks, chase, combat, fps, soldier, travel, troll
from benchmarks.modes import Ask, Question, planner_of, prepared
from benchmarks.rows import ROWS, Row
from benchmarks.suite import PEERS, RECURSION_LIMIT, recursion_limit
from benchmarks.timing import QUICK, THOROUGH, Pace, times
from bthtn import (
    Condition,
    Domain,
    Fluent,
    Methods,
    NetworkLike,
    Plan,
    Planner,
    PrimitiveTask,
    Settings,
    TaskCall,
    achieve,
    any_order,
    find_plan,
    method,
    null,
    one_of,
    random_of,
    unordered,
)
from bthtn.engine.planning import avoidable

ASKED = (
    *("fps", "travel", "troll", "troll fight 100", "blocks 20", "blocks 200"),
    *("backtracking", "chase 100", "combat", "soldier", "functions 20"),
)
PLAIN, ONE_TASK, LIST, GTPYHOP = "plain", "find_plan", "list, find_plan = 1", "GTPyhop"
FAR = 10**6
"""Steps of a horizon that no plan reaches."""
SPARE: MappingProxyType[str, tuple[Fluent[Any], Any]] = MappingProxyType(
    {
        "fps": (fps.Shooter.enemy, "nobody"),
        "travel": (travel.Traveller.who, "nobody"),
        "troll": (troll.Troll.enemy, "nobody"),
        "blocks": (blocks.Blocks.first, blocks.NOTHING),
        "backtracking": (backtracking.Lock.opened, False),
        "chase": (chase.Pursuer.caught, False),
        "combat": (combat.Soldier.in_cover, False),
        "soldier": (soldier.Soldier.enemy, "nobody"),
        "functions": (blocks.Blocks.first, blocks.NOTHING),
    }
)
"""What the step *rest* changes after a plan, by the module of the row."""
TOO_SLOW = MappingProxyType({"unordered": ("backtracking",)})
"""Rows in which a mode tries too much."""

Network = Callable[[TaskCall, PrimitiveTask[[]], Condition], Any]
"""What a method yields, made of a goal, the step *rest*, and the condition that it makes true."""


@cache
def wrapped(module: str, domain: Domain[Any], goal: TaskCall, network: Network) -> Question:
    """The question for a task with one method, in a domain that can rest; its state is any."""
    fluent, value = SPARE[module]
    domain = domain.copy()
    rest = domain.primitive("rest", effects=fluent.becomes(value))

    def whole() -> Methods:
        yield network(goal, rest, fluent == value)

    return Question(domain, domain.state_class(), domain.compound(whole)())


def second_value(goal: TaskCall, _rest: object, _true: object) -> NetworkLike:
    """The goal, for the second value of a variable."""
    number = one_of((1, 2))
    return method(goal, when=number > 1)


NETWORKS: MappingProxyType[str, Network] = MappingProxyType(
    {
        "one_of": second_value,
        "random_of": lambda goal, rest, true: method(random_of((1, goal), (1, (goal, null())))),
        "any_order": lambda goal, rest, true: method(any_order(goal, rest())),
        "unordered": lambda goal, rest, true: method(unordered(goal, rest())),
        "achieve": lambda goal, rest, true: method(goal, achieve(true, actions=[rest])),
    }
)


def prepared_with(question: Question, **asked: Any) -> Ask:
    """A Planner with a listener, or with what has to be avoided."""
    planner, state = _planner(question), question.state.frozen()
    return lambda: _read(planner.plan(state, **asked))


def bounded(question: Question) -> Ask:
    """Is there a better plan than the first one? There is none."""
    planner, state = _planner(question), question.state.frozen()
    bound = planner.plan(state).record

    def ask() -> Plan | None:
        search = planner.search(state, bound=bound)
        search.advance()
        return search.plan

    return ask


def without_rest(question: Question) -> Ask:
    """What the plan does not do is excluded."""
    domain = question.domain.freeze()
    return prepared_with(question, avoiding={avoidable(domain, domain.tasks["rest"]): "it failed"})


def called(question: Question, goal: Callable[[Any], NetworkLike]) -> Ask:
    """find_plan, for a goal that is made at each call."""
    q, state = question, question.state.frozen()
    return lambda: _read(find_plan(q.domain, state, goal(q.goal), q.settings))


def with_settings(question: Question, **settings: Any) -> Ask:
    return prepared(replace(question, settings=Settings(**settings)), "actions")


def _planner(question: Question) -> Planner[Any]:
    return planner_of(question.domain, question.goal, question.settings)


def _read(plan: Plan | None) -> Plan | None:
    """The plan, of which the actions were read, as in every other mode."""
    if plan is not None:
        _ = plan.actions
    return plan


def modes(module: str) -> dict[str, Callable[[Question], Ask]]:
    """Every mode in which the questions of a row can be asked."""

    def within(network: Network, question: Question) -> Ask:
        q = question
        asked = wrapped(module, q.domain, q.goal, network)
        return prepared(replace(asked, state=q.state), "actions")

    def resting(question: Question) -> Question:
        asked = wrapped(module, question.domain, question.goal, second_value)
        return replace(question, domain=asked.domain)

    return {
        PLAIN: partial(prepared, part="actions"),
        ONE_TASK: partial(called, goal=lambda goal: goal),
        LIST: partial(called, goal=lambda goal: [goal]),
        "listener": partial(prepared_with, listener=lambda event: None),
        "bound": bounded,
        "horizon": partial(with_settings, horizon=FAR),
        "check_rest": partial(with_settings, horizon=1, check_rest=True),
        "exclusion": lambda question: without_rest(resting(question)),
        **{name: partial(within, network) for name, network in NETWORKS.items()},
    }


def measured(row: Row, pace: Pace = THOROUGH) -> dict[str, float]:
    """Microseconds of a plan by mode and strategy of GTPyhop; only of cases that have a plan."""
    has_plan = [prepared(question)() is not None for question in row.questions()]
    every = modes(row.module)
    chosen = tuple(mode for mode in every if row.module not in TOO_SLOW.get(mode, ()))
    row = replace(row, cases=tuple(compress(row.cases, has_plan)), modes=chosen)
    peers = [one for one in of_gtpyhop(row) if one.name in PEERS] if row.peer else []
    with recursion_limit(RECURSION_LIMIT):
        return times([*of_bthtn(row, every), *peers], pace)


def table(names: Sequence[str], pace: Pace = THOROUGH) -> report.Table:
    """How many times as long as the plain plan each mode takes."""
    found = {row.name: measured(row, pace) for row in ROWS if row.name in names}
    own = (PLAIN, *PEERS)
    others = list(dict.fromkeys(mode for one in found.values() for mode in one if mode not in own))
    shown: report.Table = [["plain plan = 1", "µs, plain", GTPYHOP, *others]]
    ratios = []
    for name, took in found.items():
        beside = {mode: value / took[PLAIN] for mode, value in took.items()}
        beside[LIST] = took[LIST] / took[ONE_TASK]
        peers = [beside[peer] for peer in PEERS if peer in beside]
        beside |= {GTPYHOP: min(peers)} if peers else {}
        ratios.append(beside)
        shown.append([name, report.number(took[PLAIN]), *report.cells(beside, [GTPYHOP, *others])])
    for name, of in (("median", statistics.median), ("most", max)):
        summed = {mode: of([one[mode] for one in ratios if mode in one]) for mode in others}
        shown.append([name, report.NONE, report.NONE, *report.cells(summed, others)])
    return shown


if __name__ == "__main__":
    words = [one for one in sys.argv[1:] if not one.startswith("--")]
    pace = QUICK if "--quick" in sys.argv else THOROUGH
    page.show({"modes": table(words or ASKED, pace)}, sys.argv[1:])
