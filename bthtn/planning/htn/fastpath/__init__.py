"""The fast path: generated functions that search domains of plain sequences of calls.

``accelerator`` is the only entry point, and an optional one: for a request that the functions
cannot answer, the general search returns the same plan after the same number of expansions.
``AcceleratedSearch`` is that search with an accelerator in front of it.

``reachable`` collects the tasks below a goal, ``cycles`` finds recursion that may change nothing,
and ``layout`` assigns fluents to variables. ``functions``, ``body``, ``lines``, ``notes`` and
``branch_end`` write the source, with ``reading`` for expressions and effects, ``known_reads`` for
earlier reads, ``excess`` for the sum of the cheapest plan, and ``bound`` for the record to beat;
``program`` compiles it.
At run time, ``repeats`` is the recursion check, ``join`` brings branches together, and
``suspending`` decides where planning stops. ``plan_parts`` makes the parts of plans of
``record_entries``: the tree of ``tree_entries``, which is one of ``shared_trees``.
"""

from __future__ import annotations

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network
from bthtn.domain.task import Task, TaskCall
from bthtn.planning.htn.fastpath.accelerated import Accelerator
from bthtn.planning.htn.fastpath.items import PLAIN, SearchKind
from bthtn.planning.htn.fastpath.plan_parts import (
    PreparedGoal,
    actions_of,
    part_of,
    preferred_actions_of,
)
from bthtn.planning.htn.fastpath.program import Program, Programs
from bthtn.planning.htn.fastpath.reachable import goal_items
from bthtn.planning.htn.fastpath.shared_trees import SharedTrees
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.protocol import Settings
from bthtn.world.expression import Binding


def accelerator(
    domain: FrozenDomain,
    goal: Network,
    binding: Binding,
    settings: Settings,
    kind: SearchKind = PLAIN,
    *,
    shares: bool = False,
) -> Accelerator | None:
    """A function that plans for the goal faster than a search; None if the domain is unsuited.

    Its limit of expansions must not be above ``max_depth``: then no task can be nested deeper. If
    its kind avoids something it has to be given the exclusions, and if it is bounded the record to
    beat. If it ``shares``, equal plans have the same tree.
    """
    program = program_for(domain, goal, settings, kind)
    start = None if program is None else program.cell(goal, binding)
    if program is None or start is None:
        return None
    table = domain.derived(TaskTable)
    question = PreparedGoal(
        domain,
        goal,
        binding,
        settings.seed,
        table,
        table.goal(goal),
        program.entries,
        program.branched,
        SharedTrees(program.entries.found) if shares else None,
    )
    acting = actions_of if program.branched is None else preferred_actions_of
    made: Accelerator = program.asking(start, question, part_of, acting)
    return made


def program_for(
    domain: FrozenDomain, goal: Network, settings: Settings, kind: SearchKind = PLAIN
) -> Program | None:
    """The generated functions for a goal; None if the goal or settings do not allow them."""
    partial = settings.horizon is not None or settings.horizon_time is not None
    roots = _roots(goal)
    if partial or settings.check_rest or domain.prunes_duplicates or not roots:
        return None
    return domain.derived(Programs).program(roots, settings, kind)


def is_asked_often(
    domain: FrozenDomain, goal: Network, settings: Settings, kind: SearchKind
) -> bool:
    """Whether goals with these tasks have been asked for before like this; counts this time.

    Generating functions takes longer than one search, by whichever planner.
    """
    roots = _roots(goal)
    return bool(roots) and domain.derived(Programs).is_known(roots, settings, kind)


def _roots(goal: Network) -> frozenset[Task]:
    """The tasks that a goal calls; empty if it is not a sequence of calls."""
    items = goal_items(goal) or ()
    return frozenset(item.task for item in items if isinstance(item, TaskCall))
