"""CombatCoordinator: who of a group may attack, who does what, and who helps whom.

    ask        a member wants to attack a target, usually when a plan with the attack begins
    step       once per tick, before anybody decides: rights are handed out in the order asked
    release    the plan is over, on whatever path

A right is a lease. It is given back when its plan ends, when its member leaves the group or
dies, and after ``term`` ticks if others wait. Whoever keeps asking gets it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bthtn.agent.agent import Agent
from bthtn.errors import Diagnostic, DomainError
from bthtn.world.expression import Expression

Member = Agent[Any, Any]
Right = Callable[[Any], Expression[bool]]
"""The fluent in which a member believes that it may attack a target."""


@dataclass(slots=True)
class _Granted:
    member: Member
    ticks: int = 0


class CombatCoordinator:
    """The head of one group of agents: it knows them all, and tells them by their beliefs.

    At most ``attackers`` members have the right to attack the same target at once. ``right``
    gives the fluent that says so; members read it before they strike (``exec_only``). Same
    questions in the same order, same answers.
    """

    def __init__(
        self, name: str, right: Right, *, attackers: int = 2, term: int | None = None
    ) -> None:
        """Raises DomainError for a number of attackers, or a term, that is not above zero."""
        for word, number in (("attackers", attackers), ("term", term)):
            if number is not None and number <= 0:
                hint = "it has to be above zero"
                raise DomainError(Diagnostic("BT202", f"{word} is {number}", hint=hint))
        self.name = name
        self.attackers = attackers
        self.term = term
        self._right = right
        self._members: list[Member] = []
        self._granted: dict[Hashable, list[_Granted]] = {}
        self._waiting: dict[Hashable, list[Member]] = {}

    @property
    def members(self) -> tuple[Member, ...]:
        """Who belongs to the group, in the order of joining."""
        return tuple(self._members)

    def join(self, member: Member) -> None:
        """Somebody belongs to the group from now on; nothing happens to a member."""
        if member not in self._members:
            self._members.append(member)

    def leave(self, member: Member) -> None:
        """Somebody has left the group, or is dead: all that it had or asked for is free."""
        if member in self._members:
            self._members.remove(member)
        for target in [*self._granted, *self._waiting]:
            self.release(member, target)

    def ask(self, member: Member, target: Hashable) -> None:
        """A member wants to attack the target. It need not ask twice.

        Raises DomainError for somebody who does not belong to the group.
        """
        if member not in self._members:
            message = f"'{member.name}' asks '{self.name}', and is no member of it"
            raise DomainError(Diagnostic("BT123", message, hint="let it join first"))
        if not self.may_attack(member, target) and member not in self.waiting(target):
            self._waiting.setdefault(target, []).append(member)

    def release(self, member: Member, target: Hashable) -> None:
        """The member has attacked, or does not want to any more. Does nothing to others."""
        granted = self._granted.get(target, [])
        left = [one for one in granted if one.member is not member]
        if len(left) < len(granted):
            self._tell(member, target, granted=False)
        _put(self._granted, target, left)
        _put(self._waiting, target, [one for one in self.waiting(target) if one is not member])

    def step(self) -> None:
        """A tick begins: terms run out, free rights go to those who have waited longest."""
        for granted in self._granted.values():
            for one in granted:
                one.ticks += 1
        for target in list(self._waiting):
            self._make_room(target)
            waiting, granted = self._waiting[target], self._granted.get(target, [])
            places = max(0, self.attackers - len(granted))
            for member in waiting[:places]:
                granted.append(_Granted(member))
                self._tell(member, target, granted=True)
            _put(self._granted, target, granted)
            _put(self._waiting, target, waiting[places:])

    def may_attack(self, member: Member, target: Hashable) -> bool:
        """Whether the member has the right to attack the target now."""
        return member in self.attacking(target)

    def attacking(self, target: Hashable) -> tuple[Member, ...]:
        """Who may attack the target now, in the order in which they got the right."""
        return tuple(one.member for one in self._granted.get(target, ()))

    def waiting(self, target: Hashable) -> tuple[Member, ...]:
        """Who wants to attack the target, in the order of asking."""
        return tuple(self._waiting.get(target, ()))

    def assign(
        self, roles: Mapping[str, int], fitness: Callable[[Member, str], float]
    ) -> Mapping[Member, str]:
        """Who has which role: each is filled so many times, by those fittest for it.

        Roles are filled in their order; among equally fit members the earlier one is taken. A
        fitness below zero means that the member cannot have the role.
        """
        assigned: dict[Member, str] = {}
        for role, count in roles.items():
            free = [one for one in self._members if one not in assigned and fitness(one, role) >= 0]
            free.sort(key=lambda one: -fitness(one, role))
            assigned |= dict.fromkeys(free[:count], role)
        return {one: assigned[one] for one in self._members if one in assigned}

    def pair(
        self,
        helpers: Sequence[Member],
        need: Callable[[Member], float],
        distance: Callable[[Member, Member], float],
    ) -> Mapping[Member, Member]:
        """Who helps whom: the neediest first, each by the nearest helper that is free.

        A need of zero or less is none; nobody helps itself, or two at once.
        """
        needy = sorted((one for one in self._members if need(one) > 0), key=lambda one: -need(one))
        pairs: dict[Member, Member] = {}
        for one in needy:
            free = [other for other in helpers if other is not one and other not in pairs]
            if free:
                pairs[min(free, key=lambda other: distance(other, one))] = one
        return pairs

    def _make_room(self, target: Hashable) -> None:
        """Take rights back whose term is over, no more than there are members waiting."""
        if self.term is None:
            return
        granted, waiting = self._granted.get(target, []), self._waiting[target]
        wanted = len(waiting) - max(0, self.attackers - len(granted))
        over = [one for one in granted if one.ticks >= self.term][: max(0, wanted)]
        for one in over:
            self.release(one.member, target)

    def _tell(self, member: Member, target: Hashable, *, granted: bool) -> None:
        member.believe(self._right(target), granted, source=self.name)


_NEAR: Final = 10.0


def grouped(
    positions: Mapping[Member, tuple[float, float]], reach: float = _NEAR
) -> tuple[tuple[Member, ...], ...]:
    """Groups by position: members within reach of each other, directly or through others."""
    left = list(positions)
    groups: list[tuple[Member, ...]] = []
    while left:
        group = [left.pop(0)]
        for one in group:
            near = [other for other in left if _distance(positions[one], positions[other]) <= reach]
            group.extend(near)
            left = [other for other in left if other not in near]
        groups.append(tuple(one for one in positions if one in group))
    return tuple(groups)


class CombatUnits:
    """One coordinator for each group, kept up as the groups change.

    A group keeps the coordinator that most of its members had before; whoever changes to
    another one leaves everything behind.
    """

    def __init__(self, make: Callable[[str], CombatCoordinator]) -> None:
        self._make = make
        self._made = 0
        self.coordinators: tuple[CombatCoordinator, ...] = ()

    def of(self, member: Member) -> CombatCoordinator | None:
        """The coordinator of the member's group, None for somebody who is in none."""
        return next((one for one in self.coordinators if member in one.members), None)

    def regroup(self, groups: Sequence[Sequence[Member]]) -> None:
        """The groups have changed: whoever is in none of them any more, has left."""
        heads = self._heads(groups)
        for head in self.coordinators:
            here = [member for other, group in heads if other is head for member in group]
            for member in head.members:
                if member not in here:
                    head.leave(member)
        for head, group in heads:
            for member in group:
                head.join(member)
        self.coordinators = tuple(head for head, _ in heads)

    def step(self) -> None:
        """A tick begins."""
        for one in self.coordinators:
            one.step()

    def _heads(
        self, groups: Sequence[Sequence[Member]]
    ) -> list[tuple[CombatCoordinator, Sequence[Member]]]:
        """Each group with its coordinator: old ones go where most of their members are."""
        shared = [
            (len(set(head.members) & set(group)), -age, -place)
            for age, head in enumerate(self.coordinators)
            for place, group in enumerate(groups)
        ]
        chosen: dict[int, CombatCoordinator] = {}
        for count, age, place in sorted(shared, reverse=True):
            head = self.coordinators[-age]
            if count and -place not in chosen and head not in chosen.values():
                chosen[-place] = head
        return [(chosen.get(place) or self._new(), group) for place, group in enumerate(groups)]

    def _new(self) -> CombatCoordinator:
        self._made += 1
        return self._make(f"unit {self._made}")


def _put(table: dict[Hashable, list[Any]], key: Hashable, values: list[Any]) -> None:
    """Keep no empty lists: targets come and go."""
    if values:
        table[key] = values
    else:
        table.pop(key, None)


def _distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    return float(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5)
