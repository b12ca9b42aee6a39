"""What pictures of plans with 10, 100 and 1,000 nodes cost: dot, svg by Graphviz, a page of HTML.

    python -m benchmarks.bench_pictures

Times are information. Shown is the least of several rounds. Without Graphviz there is no svg.
"""

import shutil
import sys
from time import perf_counter

from benchmarks import report
from bthtn import Domain, State, find_plan, method
from bthtn.views import html_page, picture, plan_dot, plan_tree

SIZES = (10, 100, 1_000)
ROUNDS = 5


class Yard(State):
    """Nothing has to be known here."""

    swept: bool = False


def plan_of(nodes):
    """A plan with so many nodes: tasks of eight nodes each, and steps."""
    yard = Domain("yard", Yard)
    step = yard.primitive("step")

    parts = (nodes - 2) // 10

    @yard.compound
    def part():
        yield method(*[step()] * 6)

    @yard.compound
    def whole():
        yield method(*[part()] * parts, *[step()] * (nodes - 2 - 8 * parts))

    return find_plan(yard, Yard(), whole())


def count(tree):
    """How many nodes a tree has."""
    return 1 + sum(map(count, tree["children"]))


def least(function, rounds=ROUNDS):
    """The least time of several calls, in milliseconds, and the size of what they return, in kB."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        made = function()
        times.append(perf_counter() - start)
    return min(times) * 1e3, len(made) / 1e3


def rows(rounds=ROUNDS):
    """A row of times and sizes for each number of nodes."""
    for nodes in SIZES:
        plan = plan_of(nodes)
        dot = plan_dot(plan)
        times = [
            least(lambda plan=plan: plan_dot(plan), rounds),
            least(lambda plan=plan: html_page("a plan", {"plan": plan_tree(plan)}), rounds),
        ]
        if shutil.which("dot"):
            times.append(least(lambda dot=dot: picture(dot, "svg"), min(rounds, 2)))
        yield [f"{nodes:,}", *(f"{number:.3g}" for pair in times for number in pair)]


def main():
    """Print the table."""
    head = ["nodes", "dot, ms", "kB", "html, ms", "kB", "svg, ms", "kB"]
    made = list(rows())
    sys.stdout.write(report.markdown([head[: len(made[0])], *made]) + "\n")


def test_the_plans_have_as_many_nodes_as_the_table_says():
    assert [count(plan_tree(plan_of(nodes))) for nodes in SIZES] == [10, 100, 1_000]


if __name__ == "__main__":
    main()
