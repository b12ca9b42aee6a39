"""Plans for a camp, made of steps that say what they need and what they do."""

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Resource,
    State,
    find_plan,
    fluent,
    fluents,
    sequence,
)
from bthtn.behaviours import Agent
from bthtn.engine.behaviours.compile import compiled
from bthtn.engine.behaviours.plan_run import PlanRun
from bthtn.engine.text.notation import normal
from bthtn.studio.analysis import makespan, parallelize
from bthtn.testing import validate

LEGS, ARMS = Resource("legs"), Resource("arms")


class Camp(State):
    """Truths by name, and numbers."""

    done: FluentFamily[str, bool] = fluents(default=False)
    number: FluentFamily[int, int] = fluents(default=0, index=int)
    ore: Fluent[int] = fluent(default=0)
    warmth: Fluent[float] = fluent(default=0.0)
    light: Fluent[bool] = fluent(default=True, volatile=True)


class Author:
    """Writes steps by what they need and do: ``step("c", needs="ab")`` needs a and b done."""

    def __init__(self):
        self.domain = Domain("camp", Camp)

    def step(self, name, *, needs="", **described):
        conditions = [Camp.done[one] for one in needs]
        for condition in conditions:
            described["precondition"] = described.get("precondition", True) & condition
        effects = [*described.pop("effects", ()), Camp.done[name].becomes(True)]
        return self.domain.primitive(name, effects=effects, **described)()

    def bare(self, name, **described):
        """A step that does nothing but what is said here."""
        return self.domain.primitive(name, **described)()

    def compound(self, name, *methods):
        def define():
            yield from methods

        define.__name__ = name
        return self.domain.compound(define)()

    def plan(self, *goal, **state):
        self.state = Camp(**state)
        found = find_plan(self.domain, self.state, sequence(*goal))
        assert found is not None
        return found

    def shown(self, *goal, **state):
        """The parallelized plan as text; it is validated by the way."""
        plan = self.plan(*goal, **state)
        better = parallelize(plan)
        seen = validate(better, self.state.frozen())
        assert seen.ok, seen
        assert makespan(better.tree) <= makespan(plan.tree)
        return normal(better.tree)


def specified(specs):
    """A plan of numbered steps: the numbers each needs (of earlier steps), and its duration."""
    author = Author()
    steps = []
    for index, (needs, duration) in enumerate(specs):
        condition = True
        for one in needs:
            condition = (Camp.number[one] == one + 1) & condition
        effect = Camp.number[index].becomes(index + 1)
        described = {"precondition": condition, "effects": effect, "duration": duration}
        steps.append(author.bare(f"s{index}", **described))
    return author.plan(*steps)


def running(plan, state):
    """An agent, and the behaviours that run the plan for it."""
    agent = Agent("worker", plan.domain, state, body=None)
    return agent, compiled(plan.tree, PlanRun(agent, "work", Owner(), {}))


class Owner:
    """Nothing in these plans is planned on arrival, and none has a cleanup."""

    is_stopped = False

    def started(self, node):
        pass

    def finished(self, node, written):
        pass
