"""Verifies plans in the form of the International Planning Competition, from the definition.

A plan is right if its steps can be done one after the other, reach the goal, and are what its
decomposition says: every task by a method of its, whose subtasks are its children, in its order and
with its constraints; and the precondition of each method holds at some moment after all that is
ordered before the task, and not after its first step. Nothing here is of the planner: only the
data that the files were read to, and the text of the plan.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from bthtn.kit.formats.hddl import syntax
from bthtn.kit.formats.hddl.syntax import DomainFile, Method, Network, ProblemFile

Fact = tuple[str, tuple[str, ...]]
Values = dict[str, str]


class NotAPlan(Exception):  # noqa: N818 - the sentence is the name
    """The text is no plan for the problem."""


@dataclass
class Step:
    """A task of the plan: done as it is, or decomposed by the method with this name."""

    name: str
    args: tuple[str, ...]
    method: str | None = None
    children: list[int] = field(default_factory=list)


@dataclass
class Written:
    """The plan as it is written: tasks by number, which are steps, and those of the root."""

    tasks: dict[int, Step]
    steps: list[int]
    root: list[int]


def verify(domain: DomainFile, problem: ProblemFile, text: str) -> int:
    """The number of steps. Raises NotAPlan for a text that is no plan for the problem."""
    written = _read(text)
    return _Verifier(domain, problem, written).verified()


def _read(text: str) -> Written:
    if "==>" not in text or "<==" not in text:
        raise NotAPlan("there is no plan between ==> and <==")
    lines = text[text.index("==>") + 3 : text.index("<==")].lower().split("\n")
    found = Written({}, [], [])
    has_root = False
    for line in filter(None, map(str.split, lines)):
        try:
            if line[0] == "root":
                if has_root:
                    raise NotAPlan("there are two roots")
                has_root, found.root = True, list(map(int, line[1:]))
                continue
            number = int(line[0])
            if number in found.tasks:
                raise NotAPlan(f"{number} is there twice")
            if ("->" in line) is not has_root:
                raise NotAPlan(f"steps stand before the root, and decompositions behind: {number}")
            if "->" in line:
                arrow = line.index("->")
                method, *children = line[arrow + 1 :]
                task = Step(line[1], tuple(line[2:arrow]), method, list(map(int, children)))
            else:
                task = Step(line[1], tuple(line[2:]))
                found.steps.append(number)
            found.tasks[number] = task
        except (ValueError, IndexError):
            raise NotAPlan(f"this line says nothing: {' '.join(line)}") from None
    if not has_root and found.tasks:
        raise NotAPlan("there is no root")
    return found


class _Verifier:
    def __init__(self, domain: DomainFile, problem: ProblemFile, written: Written) -> None:
        self.domain, self.problem, self.plan = domain, problem, written
        self.extents = self._extents()
        self.position = {number: place for place, number in enumerate(written.steps)}
        self.history: dict[Fact, tuple[list[int], list[bool]]] = {}
        self.first: dict[int, int] = {}
        self.last: dict[int, int] = {}

    def verified(self) -> int:
        self._check_tree()
        self._execute()
        if self.problem.network is not None:
            root = Step("", (), "", self.plan.root)
            method = Method(
                "", self.problem.variables, syntax.Atom("", (), 0), syntax.And((), 0),
                self.problem.network, "", 0,
            )  # fmt: skip
            count = len(self.plan.steps)
            if self._end(root, method, syntax.And((), 0), 0, count) is None:
                raise NotAPlan("the tasks of the root are not decomposed as their methods say")
        if not self._holds(self.problem.goal, {}, len(self.plan.steps)):
            raise NotAPlan("the goal is not reached")
        return len(self.plan.steps)

    def _extents(self) -> dict[str, set[str]]:
        """The objects of each type."""
        found: dict[str, set[str]] = {name: set() for name in self.domain.types}
        found["object"] = set(self.problem.objects)
        for name, thing in self.problem.objects.items():
            pending, seen = list(thing.types), set()
            while pending:
                kind = pending.pop()
                if kind not in seen:
                    seen.add(kind)
                    found[kind].add(name)
                    if kind in self.domain.types:
                        pending += self.domain.types[kind].types
        return found

    def _objects(self, types: Sequence[str]) -> list[str]:
        return sorted(set().union(*(self.extents[name] for name in types)))

    def _check_tree(self) -> None:
        """Every task has its place in one tree, its arguments, and is decomposed if it can be."""
        tasks = self.plan.tasks
        parents: dict[int, str] = {}
        for name, children in [("root", self.plan.root)] + [
            (str(number), task.children) for number, task in tasks.items()
        ]:
            for child in children:
                if child not in tasks:
                    raise NotAPlan(f"there is no {child} below {name}")
                if child in parents:
                    raise NotAPlan(f"{child} is below {parents[child]} and {name}")
                parents[child] = name
        if self.problem.network is None:
            if self.plan.root and sorted(self.plan.root) != sorted(self.plan.steps):
                raise NotAPlan("a plan without a network has steps alone")
        else:
            reached, pending = set(), list(self.plan.root)
            while pending:
                number = pending.pop()
                reached.add(number)
                pending += tasks[number].children
            if len(reached) < len(tasks):
                raise NotAPlan(f"{min(tasks.keys() - reached)} is not below the root")
        for number, task in tasks.items():
            known: Any = self.domain.tasks if task.method is not None else self.domain.actions
            if task.name not in known:
                raise NotAPlan(f"{number}: there is no such task as {task.name}")
            parameters = known[task.name].parameters
            if len(parameters) != len(task.args):
                raise NotAPlan(f"{number}: {task.name} has other parameters")
            for parameter, value in zip(parameters, task.args, strict=True):
                if value not in self._objects(parameter.types):
                    raise NotAPlan(f"{number}: {value} is no {parameter.types}")
        self._find_steps()

    def _downwards(self) -> list[int]:
        """The tasks, each before those below it."""
        order, pending = [], list(self.plan.root)
        while pending:
            number = pending.pop()
            order.append(number)
            pending += self.plan.tasks[number].children
        return order

    def _find_steps(self) -> None:
        """The positions before the first and after the last step of each task."""
        end = len(self.plan.steps)
        for number in reversed(self._downwards()):
            children = self.plan.tasks[number].children
            place = self.position.get(number)
            self.first[number] = min((self.first[c] for c in children), default=end)
            self.last[number] = max((self.last[c] for c in children), default=0)
            if place is not None:
                self.first[number], self.last[number] = place, place + 1

    # steps

    def _execute(self) -> None:
        for fact in self.problem.facts:
            self.history[fact.name, fact.terms] = ([0], [True])
        for place, number in enumerate(self.plan.steps):
            step = self.plan.tasks[number]
            action = self.domain.actions[step.name]
            values = {p.name: arg for p, arg in zip(action.parameters, step.args, strict=True)}
            if not self._holds(action.condition, values, place):
                raise NotAPlan(f"{number}: {step.name} {' '.join(step.args)} cannot be done")
            added: set[Fact] = set()
            removed: set[Fact] = set()
            for change in action.effects:
                if isinstance(change, syntax.Change):
                    for each in self._instances(change.variables, values):
                        if self._holds(change.condition, each, place):
                            fact = (change.atom.name, _given(change.atom.terms, each))
                            (added if change.becomes else removed).add(fact)
            for fact in removed - added:
                self._set(fact, place + 1, is_true=False)
            for fact in added:
                self._set(fact, place + 1, is_true=True)

    def _set(self, fact: Fact, place: int, *, is_true: bool) -> None:
        places, truths = self.history.setdefault(fact, ([0], [False]))
        places.append(place)
        truths.append(is_true)

    def _is_true(self, fact: Fact, place: int) -> bool:
        if fact not in self.history:
            return False
        places, truths = self.history[fact]
        return truths[bisect_right(places, place) - 1]

    def _instances(self, variables: Sequence[Any], values: Mapping[str, str]) -> Iterator[Values]:
        for chosen in product(*(self._objects(each.types) for each in variables)):
            yield {**values, **{v.name: c for v, c in zip(variables, chosen, strict=True)}}

    def _holds(self, condition: Any, values: Values, place: int) -> bool:
        match condition:
            case syntax.Atom(name, terms):
                return self._is_true((name, _given(terms, values)), place)
            case syntax.Equal(left, right):
                return values.get(left, left) == values.get(right, right)
            case syntax.OfType(term, types):
                return values.get(term, term) in self._objects(types)
            case syntax.Not(part):
                return not self._holds(part, values, place)
            case syntax.And(parts):
                return all(self._holds(part, values, place) for part in parts)
            case syntax.Or(parts):
                return any(self._holds(part, values, place) for part in parts)
            case syntax.ForAll(variables, part):
                return all(
                    self._holds(part, each, place) for each in self._instances(variables, values)
                )
            case syntax.Exists(variables, part):
                return any(
                    self._holds(part, each, place) for each in self._instances(variables, values)
                )
        raise AssertionError(condition)

    # decomposition

    def _end_of(self, number: int, earliest: int) -> int | None:
        """When a task is over that begins at the earliest then; None if it cannot be so."""
        task = self.plan.tasks[number]
        if task.method is None:
            return self.position[number] + 1 if self.position[number] >= earliest else None
        ends = []
        named = [
            method
            for method in self.domain.methods
            if method.name == task.method and method.task.name == task.name
        ]
        if not named:
            raise NotAPlan(f"{number}: {task.name} has no method {task.method}")
        for method in named:
            end = self._end(task, method, method.condition, earliest, self.first[number])
            if end is not None:
                ends.append(end)
        return min(ends, default=None)

    def _end(
        self, task: Step, method: Method, condition: Any, earliest: int, latest: int
    ) -> int | None:
        """The same of a task and one of its methods."""
        values: Values = {}
        for term, value in zip(method.task.terms, task.args, strict=True):
            if values.setdefault(term, value) != value or (term[0] != "?" and term != value):
                return None
        soonest = max([earliest, *(self.last[child] for child in task.children)])
        best: int | None = None
        for matching, bound in self._matchings(method.network, task.children, values):
            for chosen in self._completed(method, bound, condition):
                if not self._holds(method.network.constraints, chosen, 0):
                    continue
                begin = earliest
                while begin <= latest and not self._holds(condition, chosen, begin):
                    begin += 1
                if begin > latest:
                    continue
                end = self._end_of_network(method.network, matching, begin)
                if end == soonest:
                    return end
                if end is not None and (best is None or end < best):
                    best = end
        return best

    def _matchings(
        self, network: Network, children: Sequence[int], values: Values
    ) -> Iterator[tuple[list[int], Values]]:
        """All ways in which the children can be the tasks of a network, with the values in them."""
        if len(children) != len(network.tasks):
            return
        left = dict.fromkeys(sorted(children, key=lambda child: self.first[child]))

        def match(
            index: int, chosen: list[int], bound: Values
        ) -> Iterator[tuple[list[int], Values]]:
            if index == len(network.tasks):
                yield list(chosen), bound
                return
            wanted = network.tasks[index]
            for child in list(left):
                task = self.plan.tasks[child]
                if task.name != wanted.name:
                    continue
                more = dict(bound)
                for term, value in zip(wanted.terms, task.args, strict=True):
                    known = more.setdefault(term, value) if term[0] == "?" else term
                    if known != value:
                        break
                else:
                    del left[child]
                    chosen.append(child)
                    yield from match(index + 1, chosen, more)
                    chosen.pop()
                    left[child] = None

        yield from match(0, [], values)

    def _completed(self, method: Method, values: Values, condition: Any) -> Iterator[Values]:
        """The values with one for each variable that is left, all of them of the declared types."""
        for each in method.parameters:
            if each.name in values and values[each.name] not in self._objects(each.types):
                return
        left = [each for each in method.parameters if each.name not in values]
        asked = {*_terms(condition), *_terms(method.network.constraints)}
        if any(not self._objects(each.types) for each in left):
            return
        yield from self._instances([each for each in left if each.name in asked], values)

    def _end_of_network(self, network: Network, matching: list[int], begin: int) -> int | None:
        """The moment at which the last of the children is over."""
        count = len(matching)
        waits = [0] * count
        behind: list[list[int]] = [[] for _ in range(count)]
        for first, then in network.before:
            waits[then] += 1
            behind[first].append(then)
        starts = [begin] * count
        free = [index for index in range(count) if not waits[index]]
        latest = begin
        for index in free:
            end = self._end_of(matching[index], starts[index])
            if end is None:
                return None
            latest = max(latest, end)
            for then in behind[index]:
                starts[then] = max(starts[then], end)
                waits[then] -= 1
                if not waits[then]:
                    free.append(then)
        return latest


def _given(terms: Sequence[str], values: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(values.get(term, term) for term in terms)


def _terms(condition: Any) -> Iterator[str]:
    match condition:
        case syntax.Atom(_, terms):
            yield from terms
        case syntax.Equal(left, right):
            yield from (left, right)
        case syntax.OfType(term):
            yield term
        case syntax.Not(part) | syntax.ForAll(_, part) | syntax.Exists(_, part):
            yield from _terms(part)
        case syntax.And(parts) | syntax.Or(parts):
            for part in parts:
                yield from _terms(part)
