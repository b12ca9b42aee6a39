"""Whether a search for the tasks of a problem has tried everything when it ends."""

from __future__ import annotations

from collections.abc import Sequence

from bthtn.kit.formats.hddl.necessary import closed
from bthtn.kit.formats.hddl.orders import arranged, in_line
from bthtn.kit.formats.hddl.syntax import DomainFile, Network, ProblemFile


def tries_everything(domain: DomainFile, problem: ProblemFile) -> bool:
    """Whether no plan is passed over, so that one that is not found does not exist.

    A task that is entered again inside itself, in an unchanged state, fails. With that nothing is
    lost if it stands last there. And tasks whose order is made neither of sequences nor of
    unordered parts are planned one after the other.
    """
    if problem.network is None:
        return True
    networks = [problem.network, *(method.network for method in domain.methods)]
    if not all(map(_is_without_blocks, networks)):
        return False
    numbers = {name: number for number, name in enumerate(domain.tasks)}
    calls = [
        (method, place, call.name)
        for method in domain.methods
        for place, call in enumerate(method.network.tasks)
        if call.name in numbers
    ]
    below = closed(len(numbers), ((numbers[m.task.name], numbers[name]) for m, _, name in calls))
    return not any(
        name == method.task.name or (numbers[name], numbers[method.task.name]) in below
        for method, place, name in calls
        if not _stands_last(method.network, place)
    )


def _stands_last(network: Network, place: int) -> bool:
    line = in_line(network)
    return line is not None and line[-1] == place


def _is_without_blocks(network: Network) -> bool:
    """Whether steps of unordered tasks can all come between each other."""
    tasks: Sequence[bool] = [True] * len(network.tasks)
    parts: Sequence[bool] = arranged(network, tasks, _WithoutBlocks())
    return all(parts)


class _WithoutBlocks:
    def sequence(self, parts: Sequence[bool]) -> bool:
        return all(parts)

    def unordered(self, parts: Sequence[bool]) -> bool:
        return all(parts)

    def partial_order(self, _orders: Sequence[str], _parts: dict[str, bool]) -> bool:
        return False
