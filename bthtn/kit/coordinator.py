"""CombatCoordinator: attack rights, roles and helpers for a group of agents.

    ask        a member wants to attack a target; usually called when its plan starts
    step       once per tick, before the members decide: rights are granted in the order asked
    release    the plan has ended, in whatever way

A right lasts until it is released, until its member leaves the group, or, if others wait, for
``term`` ticks. Every member that waits gets a right in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import dist
from typing import Any, Final

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.behaviours.plain_data import PlainData
from bthtn.engine.world.expression import Expression
from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import DomainError

Member = Agent[Any, Any]
Right = Callable[[Any], Expression[bool]]
"""Returns the fluent in which members believe that they may attack a target."""


@dataclass(slots=True)
class _Granted:
    member: Member
    ticks: int = 0


@checked
class CombatCoordinator(PlainData, Unpicklable):
    """Coordinates one group of agents by writing into their beliefs.

    At most ``attackers`` members have the right to attack the same target at once. ``right``
    returns the fluent of that right, which members check before they strike (``exec_only``). The
    same calls in the same order have the same results.
    """

    def __init__(
        self, name: str, right: Right, *, attackers: int = 2, term: int | None = None
    ) -> None:
        """Raises DomainError unless ``attackers`` and ``term`` are above zero."""
        for word, number in (("attackers", attackers), ("term", term)):
            if number is not None and number <= 0:
                raise DomainError("BT202", f"{word} is {number}", hint="it has to be above zero")
        self.name = name
        self.attackers = attackers
        self.term = term
        self._right = right
        self._members: dict[Member, None] = {}  # in the order of joining
        self._granted: dict[Hashable, list[_Granted]] = {}
        self._waiting: dict[Hashable, dict[Member, None]] = {}  # in the order of asking

    @property
    def members(self) -> tuple[Member, ...]:
        """The members of the group, in the order of joining."""
        return tuple(self._members)

    def join(self, member: Member) -> None:
        """Add an agent to the group; no effect if it is a member."""
        self._members.setdefault(member)

    def leave(self, member: Member) -> None:
        """Remove an agent from the group, and release its rights and requests."""
        self._members.pop(member, None)
        for target in [*self._granted, *self._waiting]:
            self.release(member, target)

    def ask(self, member: Member, target: Hashable) -> None:
        """Request the right to attack a target; asking again has no effect.

        Raises DomainError for an agent that is no member.
        """
        if member not in self._members:
            message = f"'{member.name}' asks '{self.name}', and is no member of it"
            raise DomainError("BT123", message, hint="let it join first")
        if not self.may_attack(member, target):
            self._waiting.setdefault(target, {}).setdefault(member)

    def release(self, member: Member, target: Hashable) -> None:
        """Return the member's right to attack the target, or withdraw its request."""
        granted = self._granted.get(target, [])
        left = [grant for grant in granted if grant.member is not member]
        if len(left) < len(granted):
            self._believe(member, target, granted=False)
        _put(self._granted, target, left)
        waiting = self._waiting.get(target, {})
        waiting.pop(member, None)
        _put(self._waiting, target, waiting)

    def step(self) -> None:
        """Advance by a tick: end terms, and grant free rights to those who have waited longest."""
        for granted in self._granted.values():
            for grant in granted:
                grant.ticks += 1
        for target in list(self._waiting):
            self._make_room(target)
            waiting, granted = self._waiting[target], self._granted.get(target, [])
            places = max(0, self.attackers - len(granted))
            for member in list(islice(waiting, places)):
                del waiting[member]
                granted.append(_Granted(member))
                self._believe(member, target, granted=True)
            _put(self._granted, target, granted)
            _put(self._waiting, target, waiting)

    def may_attack(self, member: Member, target: Hashable) -> bool:
        return member in self.attacking(target)

    def attacking(self, target: Hashable) -> tuple[Member, ...]:
        """The members with the right to attack the target, in the order in which they got it."""
        return tuple(grant.member for grant in self._granted.get(target, ()))

    def waiting(self, target: Hashable) -> tuple[Member, ...]:
        """The members that wait for the right to attack the target, in the order of asking."""
        return tuple(self._waiting.get(target, ()))

    def save(self) -> list[Any]:
        """Who has which rights, and waits for which, by name, as JSON."""
        granted = [
            [target, [[grant.member.name, grant.ticks] for grant in grants]]
            for target, grants in self._granted.items()
        ]
        waiting = [
            [target, [member.name for member in who]] for target, who in self._waiting.items()
        ]
        return [granted, waiting]

    def load(self, saved: list[Any]) -> None:
        """Let the members that have joined have these rights, without a change of beliefs."""
        members = {member.name: member for member in self._members}
        granted, waiting = saved
        self._granted = {
            target: [_Granted(members[name], int(ticks)) for name, ticks in grants]
            for target, grants in granted
        }
        self._waiting = {
            target: dict.fromkeys(members[name] for name in who) for target, who in waiting
        }

    def assign(
        self, roles: Mapping[str, int], fitness: Callable[[Member, str], float]
    ) -> Mapping[Member, str]:
        """Assign each role to so many members, the fittest first. Returns the role of each member.

        Roles are filled in their order; of equally fit members, the earlier one is taken. A
        member with a fitness below zero cannot have the role.
        """
        assigned: dict[Member, str] = {}
        for role, count in roles.items():
            free = [
                member
                for member in self._members
                if member not in assigned and fitness(member, role) >= 0
            ]
            free.sort(key=lambda member: -fitness(member, role))
            assigned |= dict.fromkeys(free[:count], role)
        return {member: assigned[member] for member in self._members if member in assigned}

    def pair(
        self,
        helpers: Sequence[Member],
        need: Callable[[Member], float],
        distance: Callable[[Member, Member], float],
    ) -> Mapping[Member, Member]:
        """Pair members in need with helpers. Returns the member that each helper helps.

        The neediest member comes first, and gets the nearest free helper other than itself. A
        member with a need of zero or less needs no help.
        """
        needy = sorted(
            (member for member in self._members if need(member) > 0),
            key=lambda member: -need(member),
        )
        pairs: dict[Member, Member] = {}
        for member in needy:
            free = [other for other in helpers if other is not member and other not in pairs]
            if free:
                pairs[min(free, key=lambda other: distance(other, member))] = member
        return pairs

    def _make_room(self, target: Hashable) -> None:
        """Take back rights whose term is over, at most as many as members wait."""
        if self.term is None:
            return
        granted, waiting = self._granted.get(target, []), self._waiting[target]
        wanted = len(waiting) - max(0, self.attackers - len(granted))
        over = [grant for grant in granted if grant.ticks >= self.term][: max(0, wanted)]
        for grant in over:
            self.release(grant.member, target)

    def _believe(self, member: Member, target: Hashable, *, granted: bool) -> None:
        member.believe(self._right(target), granted, source=self.name)


NEAR: Final = 10.0


def grouped(
    positions: Mapping[Member, tuple[float, float]], reach: float = NEAR
) -> tuple[tuple[Member, ...], ...]:
    """Group agents that are within reach of each other, directly or through others."""
    left = dict.fromkeys(positions)
    groups: list[tuple[Member, ...]] = []
    for first in positions:
        if first not in left:
            continue
        del left[first]
        group = [first]
        for member in group:
            near = [other for other in left if dist(positions[member], positions[other]) <= reach]
            group.extend(near)
            for other in near:
                del left[other]
        members = set(group)
        groups.append(tuple(member for member in positions if member in members))
    return tuple(groups)


@checked
class CombatUnits(Unpicklable):
    """A coordinator for each group, updated as the groups change.

    A group keeps the coordinator that most of its members had before. A member that changes to
    another coordinator loses its rights and requests.
    """

    def __init__(self, make: Callable[[str], CombatCoordinator]) -> None:
        self._make = make
        self._made = 0
        self.coordinators: tuple[CombatCoordinator, ...] = ()

    def of(self, member: Member) -> CombatCoordinator | None:
        """The coordinator of the member's group, None if it is in no group."""
        return next(
            (coordinator for coordinator in self.coordinators if member in coordinator.members),
            None,
        )

    def regroup(self, groups: Sequence[Sequence[Member]]) -> None:
        """Set the groups; members that are in none of them leave their coordinators."""
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
        """Advance every coordinator by a tick."""
        for coordinator in self.coordinators:
            coordinator.step()

    def _heads(
        self, groups: Sequence[Sequence[Member]]
    ) -> list[tuple[CombatCoordinator, Sequence[Member]]]:
        """Each group with the coordinator of most of its members, or a new one."""
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


def _put(table: dict[Hashable, Any], key: Hashable, values: Collection[Any]) -> None:
    # Empty lists are dropped: targets come and go, and the table must not grow.
    if values:
        table[key] = values
    else:
        table.pop(key, None)
