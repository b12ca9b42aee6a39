"""A guard who patrols, and shoots at what he sees; small enough to be known by heart."""

from bthtn import Domain, Fluent, Methods, State, fluent, method
from bthtn.behaviours import Agent, Character, Operators, PlanGoal


class Guard(State):
    enemy: Fluent[bool] = fluent(default=False)
    ammo: Fluent[int] = fluent(default=2)
    at: Fluent[str] = fluent(default="gate")


yard = Domain("yard", Guard)
shoot = yard.primitive("shoot", precondition=Guard.ammo > 0, effects=Guard.ammo.decreases(1))
walk = yard.primitive("walk", duration=2)
look = yard.primitive("look")


@yard.compound
def serve() -> Methods:
    yield method(shoot(), when=Guard.enemy, name="fight")
    yield method(walk(), look(), name="patrol")


def guard(name="Ann", domain=yard, **beliefs):
    """A character that serves for ever."""
    agent = Agent(
        name, domain, Guard(**beliefs), body=None, operators=Operators(simulates_others=True)
    )
    return Character(PlanGoal("serve", agent, serve()), agent)
