"""A scene: the soldier on the battlefield, where the test decides what the others do."""

import pytest

from bthtn.behaviours import Operators
from bthtn.engine.agent.events import GoalEnded, LeafStarted, PlanAdopted, PlanRepaired
from bthtn.engine.plan import leaves
from bthtn.examples.trees.soldier.body import FULL
from bthtn.examples.trees.soldier.operators import operators
from bthtn.examples.trees.soldier.tree import placed_in
from bthtn.examples.trees.soldier.world import World
from bthtn.studio.testing.doubles import RecordingListener

IN_FRONT = (5, 4)  # from here the soldier sees the enemy, and cover is three steps away
THE_ENEMY = (12, 3)


class LoadedDice:
    """Dice that show what the test wants: below 0.5 most shots hit, at 1 none does."""

    def __init__(self, shown=0.0):
        self.shown = shown

    def random(self):
        return self.shown

    def randrange(self, least, above):
        return (least + above) // 2


class StillWorld(World):
    """Nobody but the soldier does anything by himself."""

    def _enemy_acts(self):
        pass

    def _ally_acts(self):
        pass


class Scene:
    """The soldier with what he carries, somewhere, and everything that he tells."""

    def __init__(self, soldier=IN_FRONT, enemy=THE_ENEMY, *, world=StillWorld, code=operators):
        self.world = world(LoadedDice())
        self.world.soldier.at = soldier
        self.world.enemy.at = enemy
        self.character = placed_in(self.world, code)
        self.body = self.character.agent.body
        self.heard = RecordingListener()
        self.tell, self.character.agent.listener = self.character.agent.listener, self.hear
        self.orders = []
        self.body._give = self._remembering(self.body._give)

    def hear(self, event):
        self.heard(event)
        self.tell(event)

    def _remembering(self, give):
        def given(*args):
            self.orders.append(give(*args))
            return self.orders[-1]

        return given

    def tick(self, count=1):
        """Let time pass; the events of the last tick."""
        events = ()
        for _ in range(count):
            events = self.character.tick()
            self.check()
        return events

    def tick_until(self, happened, limit=60):
        """Let time pass until an event for which this holds; all events until then."""
        heard = []
        for _ in range(limit):
            heard.extend(self.tick())
            if any(happened(event) for event in heard):
                return heard
        pytest.fail(f"it did not happen in {limit} ticks:\n" + "\n".join(self.heard.story()))

    def tick_until_done(self):
        """Let time pass until the fight is over, well or not."""
        return self.tick_until(lambda event: isinstance(event, GoalEnded))

    def check(self):
        """What holds after every tick, whatever happens."""
        going_on = [order for order in self.orders if order.pending]
        assert all(order in self.body.orders.values() for order in going_on)
        names = {order.name for order in going_on}
        assert self.body.weapon_raised <= ("shoot" in names)
        assert self.world.soldier.head_down <= ("duck" in names)
        assert 0 <= self.body.rounds <= FULL
        assert self.body.magazines >= 0
        assert self.heard.faults() == []

    def end_of(self, name):
        """How the order ended that was given last under this name."""
        return next(order.end for order in reversed(self.orders) if order.name == name)

    @property
    def started(self):
        """Every step that was started, in order."""
        return [event.task for event in self.heard.of(LeafStarted)]

    @property
    def plans(self):
        """The steps of every plan that was adopted, mended ones too."""
        told = self.heard.events
        adopted = [event for event in told if isinstance(event, PlanAdopted | PlanRepaired)]
        return [[str(step) for step in leaves(event.plan.tree)] for event in adopted]


@pytest.fixture
def scene():
    return Scene()


@pytest.fixture
def new_scene():
    return Scene


def replaced(task, code):
    """The soldier's operators, with other code for one task."""
    others = Operators(simulates_others=True)
    for known in operators.tasks():
        others.bind(known)(code if known is task else operators.find(known))
    return others


@pytest.fixture
def operators_with():
    return replaced


@pytest.fixture
def dice():
    return LoadedDice()
