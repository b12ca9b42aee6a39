"""The cases that come with the domains choose every method that can be chosen.

``UNREACHABLE`` has the methods that no case chooses. That none could is shown for each of them by
planning in all states of a small world.
"""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

from bthtn import find_plan
from bthtn.engine.domain.builder import frozen
from bthtn.engine.plan.nodes import ScopeNode
from bthtn.engine.plan.walk import preorder
from bthtn.engine.planning.protocol import request
from bthtn.examples.domains.blocks.domain import Table, literal
from bthtn.examples.domains.fps.domain import Hunter, striking
from bthtn.studio.testing.case_files import domain_file_of
from bthtn.studio.testing.cases import read_cases
from bthtn.studio.testing.coverage import Coverage
from bthtn.studio.testing.domain_coverage import DomainCoverage
from bthtn.studio.testing.domain_files import domain_at, name_of

DOMAINS = Path(__file__).parents[3] / "domains"
UNREACHABLE = {
    # It is for a block in the hand, and `clear` makes room with the hand, which is full.
    ("blocks", "move, method 1: when hand == a and not is_top[b]"),
    # Whoever cannot strike has no target, so that he has nothing to shoot at either.
    ("fps", "kill_target, method 2: always"),
}


def test_cases_choose_all_methods_but_those_that_cannot_be_chosen():
    coverage = Coverage()
    for path in sorted(DOMAINS.rglob("*cases.toml")):
        file = domain_file_of(path)
        for case in read_cases(path, domain_at(file, name_of(file))):
            counted = DomainCoverage(coverage, path.parent.name, case.domain)
            counted.planned(request(case.domain, case.state, case.task, case.settings))
    never = {(domain, method) for domain, method, _ in coverage.never("method")}
    assert never == UNREACHABLE
    assert coverage.percentage("method") > 98


def methods_of(domain, state, task):
    """The methods that the plan for a task decomposes tasks with; None without a plan."""
    plan = find_plan(domain, state, task)
    if plan is None:
        return None
    scopes = [node for _, node in preorder(plan.tree) if isinstance(node, ScopeNode)]
    return {(scope.task.name, scope.method) for scope in scopes}


def test_who_strikes_first_never_comes_to_shoot():
    names = list(Hunter.__schema__.fluents)
    task = frozen(striking).task("kill_target")()
    chosen = [
        methods_of(striking, Hunter(**dict(zip(names, values, strict=True))), task)
        for values in product((False, True), repeat=len(names))
    ]
    found = set().union(*(methods for methods in chosen if methods is not None))
    assert {("kill_target", 0), ("kill_target", 1)} <= found
    assert ("kill_target", 2) not in found


def tables():
    """Every way in which three blocks can stand on a table, or on each other, one in the hand."""
    for order in permutations("abc"):
        for cuts in product((True, False), repeat=2):
            below = ["table", *("table" if cut else order[i] for i, cut in enumerate(cuts))]
            on = dict(zip(order, below, strict=True))
            free = [block for block in order if block not in on.values()]
            for hand in ("", *free):
                yield Table(
                    hand=hand,
                    on=on | ({hand: "hand"} if hand else {}),
                    is_top={
                        block: block != hand and (block in free or block == on.get(hand))
                        for block in order
                    },
                )


def test_who_takes_the_talk_literally_makes_no_room_with_a_full_hand():
    move = frozen(literal).task("move")
    chosen = [
        methods_of(literal, table, move(a, b))
        for table in tables()
        for a, b in product("abc", ("a", "b", "c", "table"))
        if a != b
    ]
    found = set().union(*(methods for methods in chosen if methods is not None))
    assert {("move", 0), ("move", 2), ("move", 3), ("move", 4)} <= found
    assert ("move", 1) not in found
