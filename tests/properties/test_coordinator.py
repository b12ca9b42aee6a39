"""Whatever happens to a group: never too many attackers, no right lost, everybody served."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from bthtn import Domain, FluentFamily, State, fluents
from bthtn.engine.agent.agent import Agent
from bthtn.kit.coordinator import CombatCoordinator, CombatUnits

TARGETS = ("hero", "squire")
NAMES = "abcdef"
LONGEST_ATTACK = 4


class Grunt(State):
    may_attack: FluentFamily[str, bool] = fluents(default=False)


DOMAIN = Domain("grunts", Grunt)

happenings = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.sampled_from(NAMES), st.sampled_from(TARGETS)),
        st.tuples(st.just("abort"), st.sampled_from(NAMES), st.sampled_from(TARGETS)),
        st.tuples(st.just("die"), st.sampled_from(NAMES), st.none()),
        st.tuples(
            st.just("groups"), st.lists(st.integers(0, 2), min_size=6, max_size=6), st.none()
        ),
        st.tuples(st.just("tick"), st.none(), st.none()),
    ),
    max_size=60,
)


class Battle:
    """Grunts that ask, attack for some ticks, are broken off, die, and change their groups."""

    def __init__(self, attackers, term):
        self.attackers = attackers
        self.units = CombatUnits(
            lambda name: CombatCoordinator(
                name, lambda target: Grunt.may_attack[target], attackers=attackers, term=term
            )
        )
        self.agents = {name: Agent(name, DOMAIN, Grunt(), body=None) for name in NAMES}
        self.groups = [0] * len(NAMES)
        self.left = {}
        self.served = Counter()
        self.regroup()

    def regroup(self):
        groups = {}
        for agent, number in zip(self.agents.values(), self.groups, strict=False):
            groups.setdefault(number, []).append(agent)
        self.units.regroup(list(groups.values()))

    def happen(self, what, who, target):
        match what:
            case "ask" if who in self.agents:
                agent = self.agents[who]
                self.units.of(agent).ask(agent, target)
            case "abort" if who in self.agents:
                agent = self.agents[who]
                self.units.of(agent).release(agent, target)
                self.left.pop((who, target), None)
            case "die" if len(self.agents) > 1:
                place = list(self.agents).index(who) if who in self.agents else None
                if place is not None:
                    del self.groups[place]
                    self.agents.pop(who)
                    self.regroup()
            case "groups":
                self.groups = who[: len(self.agents)]
                self.regroup()
            case "tick":
                self.tick()
        self.check()

    def tick(self):
        self.units.step()
        for name, agent in self.agents.items():
            for target in TARGETS:
                head = self.units.of(agent)
                if not head.may_attack(agent, target):
                    self.left.pop((name, target), None)
                    continue
                self.served[name, target] += (name, target) not in self.left
                left = self.left.setdefault((name, target), LONGEST_ATTACK) - 1
                self.left[name, target] = left
                if left == 0:
                    head.release(agent, target)
                    del self.left[name, target]

    def check(self):
        for target in TARGETS:
            attacking = []
            for head in self.units.coordinators:
                some = head.attacking(target)
                assert len(some) <= self.attackers
                assert not set(some) & set(head.waiting(target))
                assert set(some) | set(head.waiting(target)) <= set(head.members)
                attacking.extend(some)
            # Beliefs and rights say the same, also of those who are dead or have changed groups.
            for agent in self.agents.values():
                believed = agent.beliefs.get(Grunt.may_attack[target])
                assert believed is (agent in attacking)


@given(happenings, st.integers(1, 3), st.sampled_from((None, 2, 6)))
def test_rights_are_never_too_many_and_never_lost(happenings, attackers, term):
    battle = Battle(attackers, term)
    dead = dict(battle.agents)
    for happening in happenings:
        battle.happen(*happening)
    for agent in [dead[name] for name in dead if name not in battle.agents]:
        assert not any(agent.beliefs.get(Grunt.may_attack[target]) for target in TARGETS)
    # When everybody is done, everything is free.
    for agent in battle.agents.values():
        for target in TARGETS:
            battle.units.of(agent).release(agent, target)
    assert not any(
        head.attacking(target) or head.waiting(target)
        for head in battle.units.coordinators
        for target in TARGETS
    )


@given(happenings, st.integers(1, 3), st.sampled_from((None, 2, 6)))
def test_whoever_keeps_asking_is_served(happenings, attackers, term):
    battle = Battle(attackers, term)
    for happening in happenings:
        battle.happen(*happening)
    battle.served.clear()
    rounds = len(battle.agents) * (LONGEST_ATTACK + 2)
    for _ in range(rounds):
        for name in list(battle.agents):
            for target in TARGETS:
                battle.happen("ask", name, target)
        battle.happen("tick", None, None)
    for name in battle.agents:
        for target in TARGETS:
            assert battle.served[name, target] > 0
