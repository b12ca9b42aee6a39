"""Usual slips: each is answered by a BthtnError with a code and a hint, at its place."""

import inspect
from collections.abc import Callable

import pytest
from py_trees.behaviour import Behaviour
from py_trees.behaviours import Success
from py_trees.trees import BehaviourTree

import bthtn
import bthtn.behaviours
import bthtn.kit
from bthtn import (
    BthtnError,
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Planner,
    Primitive,
    Settings,
    State,
    achieve,
    cooldown,
    defer,
    derive,
    find_plan,
    first_of,
    fluent,
    fluents,
    force_success,
    invert,
    merge,
    method,
    one_of,
    parallel,
    primitive,
    priority,
    random_of,
    repeat,
    retry,
    timeout,
    until,
    with_cleanup,
)
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    Operators,
    PlanGoal,
    PriorityGoals,
    Sensors,
    StateMachineGoals,
    UtilityGoals,
    attach,
    read_blackboard,
    show_on_blackboard,
)
from bthtn.kit import DrawnGoal, read_goals, read_lottery, read_skill_table


async def later(agent): ...


def attach_twice(agent):
    for name in "ab":
        attach(BehaviourTree(Success(name)), agent)


class Guard(State):
    ammo: Fluent[int] = fluent(default=6)
    awake: Fluent[bool] = fluent(default=True)
    seen: FluentFamily[str, bool] = fluents(default=False)


class Stranger(State):
    ammo: Fluent[int] = fluent(default=6)


class Yard:
    """A domain with an agent, made anew for each slip."""

    def __init__(self):
        self.domain = domain = Domain("yard", Guard)
        self.bark = domain.primitive("bark")

        @domain.primitive
        def bite(whom: str) -> Primitive:
            return primitive(effects=Guard.seen[whom].becomes(True))

        @domain.compound
        def guard() -> Methods:
            yield method(bite("cat"))

        self.bite, self.guard = bite, guard
        self.operators, self.sensors = Operators(), Sensors()

    @property
    def agent(self):
        return Agent("dog", self.domain, Guard(), body=None)

    def methods(self, *written, **described):
        @self.domain.compound
        def slip() -> Methods:
            yield method(*written, **described)

        self.domain.freeze()

    def plans(self, **described):
        find_plan(self.domain, Guard(), self.domain.primitive("slip", **described)())


CONDITIONS = ("precondition", "exec_only", "during")
EFFECTS = ("effects", "expected", "actual", "on_start", "on_failure", "on_abort")
NUMBERS = ("duration", "cost")

NO_CONDITION = {
    "a list with a number": [Guard.ammo > 0, Guard.ammo],
    "a set": frozenset({3}),
    "a number": 3,
    "a text": "awake",
    "a fluent of numbers": Guard.ammo,
    "an effect": Guard.ammo.becomes(3),
    "a State class": Guard,
    "a foreign fluent": Stranger.ammo > 0,
}
NO_EFFECT = {
    "None": None,
    "a comparison": Guard.ammo == 1,
    "a text": "ammo",
    "a number": 3,
    "a list of comparisons": [Guard.ammo == 1],
    "a State class": Guard,
    "a foreign fluent": Stranger.ammo.becomes(1),
}
NO_NUMBER = {"None": None, "a text": "3", "a truth": True, "a list": [1], "a class": Guard}

Slip = Callable[[Yard], object]


def described() -> dict[str, Slip]:
    """Slips in every argument of a primitive task."""
    wrong = {
        **dict.fromkeys(CONDITIONS, NO_CONDITION),
        **dict.fromkeys(EFFECTS, NO_EFFECT),
        **dict.fromkeys(NUMBERS, NO_NUMBER),
        "uses": {"None": None, "a number": 3, "a list of numbers": [3]},
    }
    return {
        f"{part} is {name}": lambda yard, part=part, value=value: yard.domain.primitive(
            "slip", **{part: value}
        )
        for part, values in wrong.items()
        for name, value in values.items()
    }


def in_methods() -> dict[str, Slip]:
    """Slips in every argument of a method."""
    wrong = {
        "when": NO_CONDITION,
        "cost": NO_NUMBER,
        "value": NO_NUMBER,
    }
    return {
        f"{part} is {name}": lambda yard, part=part, value=value: yard.methods(**{part: value})
        for part, values in wrong.items()
        for name, value in values.items()
    }


PLANNING: dict[str, Slip] = {
    "state first": lambda y: find_plan(Guard(), y.domain, y.bark()),
    "goal second": lambda y: find_plan(y.domain, y.bark(), Guard()),
    "class for a state": lambda y: find_plan(y.domain, Guard, y.bark()),
    "dictionary for a state": lambda y: find_plan(y.domain, {"ammo": 3}, y.bark()),
    "state of another class": lambda y: find_plan(y.domain, Stranger(), y.bark()),
    "task without brackets": lambda y: find_plan(y.domain, Guard(), y.bark),
    "text for a goal": lambda y: find_plan(y.domain, Guard(), "bark"),
    "None for a goal": lambda y: find_plan(y.domain, Guard(), None),
    "no goal": lambda y: find_plan(y.domain, Guard()),
    "text for a domain": lambda y: find_plan("yard", Guard(), y.bark()),
    "number for settings": lambda y: find_plan(y.domain, Guard(), y.bark(), 100),
    "setting misspelt": lambda y: Settings(horison=3),
    "limit of zero": lambda y: Settings(horizon=0),
    "text for a limit": lambda y: Settings(horizon="3"),
    "planner of a state": lambda y: Planner(Guard(), y.bark()),
    "planner without goal": lambda y: Planner(y.domain),
    "planner asked for a class": lambda y: Planner(y.domain, y.bark()).plan(Guard),
    "goal that is no condition": lambda y: find_plan(y.domain, Guard(), achieve(Guard.ammo)),
    "goal that is a task": lambda y: find_plan(y.domain, Guard(), achieve(y.bark)),
    "goal with a misspelt option": lambda y: achieve(Guard.awake, heuristics="hff"),
    "objects without a name": lambda y: achieve(Guard.awake, objects=["cat"]),
    "argument too many": lambda y: y.bark(3),
    "argument of another type": lambda y: y.bite(3),
    "argument misspelt": lambda y: y.bite(who="cat"),
    "argument that can change": lambda y: y.bite(["cat"]),
    "foreign argument": lambda y: find_plan(y.domain, Guard(), y.bite(Stranger.ammo)),
    "foreign task": lambda y: find_plan(Yard().domain, Guard(), y.bark()),
}
AUTHORING: dict[str, Slip] = {
    "no state class": lambda y: Domain("yard"),
    "state for a class": lambda y: Domain("yard", Guard()),
    "class before name": lambda y: Domain(Guard, "yard"),
    "number for a name": lambda y: Domain(3, Guard),
    "option misspelt": lambda y: Domain("yard", states=Guard),
    "when for a primitive": lambda y: y.domain.primitive("x", when=Guard.awake),
    "precondition for a method": lambda y: y.methods(precondition=Guard.awake),
    "effects misspelt": lambda y: y.domain.primitive("x", effect=()),
    "number for a task's name": lambda y: y.domain.primitive(3),
    "one name twice": lambda y: y.domain.primitive("bark"),
    "primitive that returns nothing": lambda y: y.domain.primitive(lambda: None),
    "primitive that raises": lambda y: y.domain.primitive(lambda to: to.name),
    "task that is not there": lambda y: y.domain.task("brak"),
    "method of a bare task": lambda y: y.methods(y.bark),
    "method of a text": lambda y: y.methods("bark"),
    "method of None": lambda y: y.methods(None),
    "argument that is a foreign fluent": lambda y: y.methods(y.bite(Stranger.ammo)),
    "text for a name": lambda y: y.methods(name=3),
    "values that are a text": lambda y: one_of("cat"),
    "values that are none": lambda y: one_of(()),
    "values misspelt": lambda y: one_of(("a", "b"), keys=len),
    "policy that is none": lambda y: parallel(y.bark(), policy="most"),
    "policy misspelt": lambda y: parallel(y.bark(), polcy="all"),
    "reactive misspelt": lambda y: priority(y.bark(), reactve=True),
    "reactive as text": lambda y: priority(y.bark(), reactive="yes"),
    "deferred bare task": lambda y: defer(y.bark),
    "promise that is none": lambda y: defer(y.bark(), ensures=Guard.awake),
    "first of bare tasks": lambda y: first_of(y.bark),
    "repeated by a text": lambda y: repeat("3", y.bark()),
    "repeated the wrong way round": lambda y: repeat(y.bark(), 3),
    "until a number": lambda y: y.methods(until(Guard.ammo, y.bark())),
    "until, the wrong way round": lambda y: y.methods(until(y.bark(), Guard.awake)),
    "retry without a number": lambda y: retry(y.bark()),
    "timeout of nothing": lambda y: timeout(3),
    "timeout in pieces of ticks": lambda y: timeout(2.5, y.bark()),
    "cooldown of no time": lambda y: cooldown(0, y.bark()),
    "inverted bare task": lambda y: invert(y.bark),
    "inverted sequence": lambda y: invert((y.bark(), y.bark())),
    "success forced on a bare task": lambda y: force_success(y.bark),
    "draw without weights": lambda y: random_of(y.bark()),
    "cleanup that is missing": lambda y: with_cleanup(y.bark()),
    "cleanup misspelt": lambda y: with_cleanup(y.bark(), finally_do=y.bark()),
    "derived without a name": lambda y: derive(y.domain),
    "derived the wrong way round": lambda y: derive("dogs", y.domain),
    "merged without a name": lambda y: merge(y.domain, y.domain),
    "merged with a text": lambda y: merge("all", "yard"),
}
STATES: dict[str, Slip] = {
    "fluent misspelt": lambda y: Guard(amo=3),
    "value of another type": lambda y: Guard(ammo="three"),
    "value that is a symbol": lambda y: Guard(ammo=Guard.ammo),
    "family without a dictionary": lambda y: Guard(seen=True),
    "index of another type": lambda y: Guard(seen={3: True}),
    "fluent of a class misspelt": lambda y: Guard.amo,
    "fluent of a state misspelt": lambda y: Guard().amo,
    "set on a snapshot": lambda y: setattr(Guard(), "ammo", 3),
    "set on a snapshot, misspelt": lambda y: setattr(Guard(), "amo", 3),
    "set on the class": lambda y: setattr(Guard, "ammo", 3),
    "set on the class by index": lambda y: Guard.seen.__setitem__("cat", True),
    "fluent added later": lambda y: setattr(Guard, "bones", fluent(default=0)),
    "default missing": lambda y: fluent(),
    "default by position": lambda y: fluent(3),
    "type that is a text": lambda y: fluent(default=0, type="int"),
    "index that is a text": lambda y: fluents(default=0, index="str"),
    "value misspelt": lambda y: fluent(defualt=0),
    "increase of a truth": lambda y: Guard.awake.increases(1),
    "number for a truth": lambda y: Guard.awake.becomes(1),
    "and": lambda y: Guard.awake and Guard.ammo > 0,
    "not": lambda y: not Guard.awake,
    "chain": lambda y: 0 < Guard.ammo < 3,
    "in": lambda y: "cat" in Guard.seen["cat"],
    "is_in of a fluent": lambda y: Guard.ammo.is_in(Guard.ammo),
    "all of unknown objects": lambda y: Guard.seen.all(),
    "index for a fluent": lambda y: Guard.ammo["cat"],
    "effect misspelt": lambda y: y.plans(effects=lambda s: setattr(s, "amo", 3)),
    "effect that returns": lambda y: y.plans(effects=lambda s: Guard.ammo.becomes(3)),
    "condition without return": lambda y: y.plans(precondition=lambda s: None),
    "condition of a symbol": lambda y: y.plans(precondition=lambda s: Guard.ammo > 0),
    "is_known of a text": lambda y: Guard().is_known("ammo"),
}
ACTING: dict[str, Slip] = {
    "agent without beliefs": lambda y: Agent("dog", y.domain, body=None),
    "agent without body": lambda y: Agent("dog", y.domain, Guard()),
    "class for beliefs": lambda y: Agent("dog", y.domain, Guard, body=None),
    "beliefs before domain": lambda y: Agent("dog", Guard(), y.domain, body=None),
    "beliefs of another class": lambda y: Agent("dog", y.domain, Stranger(), body=None),
    "operators misspelt": lambda y: Agent("dog", y.domain, Guard(), body=None, operator=None),
    "class for operators": lambda y: Agent("d", y.domain, Guard(), body=None, operators=Operators),
    "text for a fluent": lambda y: y.agent.believe("ammo", 3),
    "foreign fluent": lambda y: y.agent.believe(Stranger.ammo, 3),
    "family for a fluent": lambda y: y.agent.believe(Guard.seen, True),
    "value of another type": lambda y: y.agent.believe(Guard.ammo, "three"),
    "bound to a compound task": lambda y: y.operators.bind(y.guard),
    "bound to a call": lambda y: y.operators.bind(y.bark()),
    "bound to a misspelt name": lambda y: (
        y.operators.bind("brak")(print),
        Agent("dog", y.domain, Guard(), body=None, operators=y.operators),
    ),
    "bound to nothing": lambda y: y.operators.bind(y.bark)(None),
    "hook of a compound task": lambda y: y.operators.on_plan_start(y.guard),
    "hook that is nothing": lambda y: y.operators.on_plan_end(y.bark)(None),
    "sensor of a misspelt name": lambda y: (
        y.sensors.sensor("amo")(print),
        Agent("dog", y.domain, Guard(), body=None, sensors=y.sensors),
    ),
    "sensor of nothing": lambda y: y.sensors.sensor(),
    "sensor misspelt": lambda y: y.sensors.sensor(Guard.ammo, evry=3),
    "sensor never read": lambda y: y.sensors.sensor(Guard.ammo, every=0),
    "sensor by a text": lambda y: y.sensors.sensor(Guard.ammo, every="3"),
    "believes a number": lambda y: Believes("x", y.agent, 3),
    "believes the wrong way round": lambda y: Believes("x", Guard.awake, y.agent),
    "believes without name": lambda y: Believes(y.agent, Guard.awake),
    "believes with its name last": lambda y: Believes(y.agent, Guard.awake, "x"),
    "believes what is foreign": lambda y: Believes("x", y.agent, Stranger.ammo > 0),
    "drawn goal without name": lambda y: DrawnGoal(PlanGoal("g", y.agent, y.guard()), None, None),
    "goal without name": lambda y: PlanGoal(y.agent, y.guard()),
    "goal before agent": lambda y: PlanGoal("g", y.guard(), y.agent),
    "goal of a bare task": lambda y: PlanGoal("g", y.agent, y.guard),
    "goal with a misspelt option": lambda y: PlanGoal("g", y.agent, y.guard(), max_replan=3),
    "goal without budget": lambda y: PlanGoal("g", y.agent, y.guard(), budget=0),
    "goals that are one": lambda y: PriorityGoals("g", y.agent, y.guard()),
    "goals before agent": lambda y: PriorityGoals("g", [y.guard()], y.agent),
    "goals without values": lambda y: UtilityGoals("g", y.agent, [y.guard()]),
    "goals of utility by a text": lambda y: UtilityGoals("g", y.agent, [(y.guard(), "much")]),
    "goals with one condition": lambda y: PriorityGoals(
        "g", y.agent, [y.guard()], when=Guard.awake
    ),
    "goals with a number for a condition": lambda y: PriorityGoals(
        "g", y.agent, [y.guard()], when=[3]
    ),
    "sheet that is a number": lambda y: read_lottery(3, Guard),
    "sheet without a State class": lambda y: read_lottery("x.csv"),
    "sheet of goals without a domain": lambda y: read_goals("x.csv", Guard),
    "sheet of kinds with a list of skills": lambda y: read_skill_table(
        "x.csv", y.domain, [y.domain]
    ),
    "goals by a text": lambda y: StateMachineGoals("g", y.agent, "awake", {}),
    "goals that are a list": lambda y: StateMachineGoals("g", y.agent, Guard.awake, [y.guard()]),
    "character of a tree": lambda y: Character(y.agent),
    "attached to a root": lambda y: attach(Success("idle"), y.agent),
    "attached the wrong way round": lambda y: attach(y.agent, BehaviourTree(Success("idle"))),
    "attached twice": lambda y: attach_twice(y.agent),
    "soon a text for a fluent": lambda y: y.agent.believe_soon("ammo", 3),
    "soon a value of another type": lambda y: y.agent.believe_soon(Guard.ammo, "three"),
    "soon what is foreign": lambda y: y.agent.believe_soon(Stranger.ammo, 3),
    "blackboard the wrong way round": lambda y: read_blackboard(y.sensors, {Guard.ammo: "ammo"}),
    "blackboard without sensors": lambda y: read_blackboard(y.agent, {"ammo": Guard.ammo}),
    "blackboard of a foreign fluent": lambda y: show_on_blackboard(y.agent, {"a": Stranger.ammo}),
    "blackboard of a family": lambda y: show_on_blackboard(y.agent, {"seen": Guard.seen}),
    "sensor that is async": lambda y: y.sensors.sensor(Guard.ammo)(later),
    "hook that is async": lambda y: y.operators.on_plan_start(y.bark)(later),
}
SLIPS = {
    f"{chapter}: {name}": slip
    for chapter, slips in {
        "primitive": described(),
        "method": in_methods(),
        "planning": PLANNING,
        "authoring": AUTHORING,
        "state": STATES,
        "acting": ACTING,
    }.items()
    for name, slip in slips.items()
}


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS)
def test_a_slip_is_answered_with_what_to_do(slip):
    yard = Yard()
    with pytest.raises(BthtnError) as caught:
        slip(yard)
    for found in caught.value.diagnostics:
        assert found.code.startswith("BT")
        assert found.message
        assert found.hint or found.where


def public() -> dict[str, Callable]:
    """The public functions and classes that are called with named arguments by users."""
    found = {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in (bthtn, bthtn.behaviours, bthtn.kit)
        for name in module.__all__
    }
    return {
        name: one
        for name, one in found.items()
        if (inspect.isclass(one) or inspect.isfunction(one))
        and hasattr(one if inspect.isfunction(one) else getattr(one, "__init__", 0), "__wrapped__")
    }


@pytest.mark.parametrize("called", public().values(), ids=public())
def test_a_misspelt_argument_is_answered_with_the_nearest_right_name(called):
    parameters = inspect.signature(called).parameters.values()
    name = next((one.name for one in parameters if one.kind is one.KEYWORD_ONLY), None)
    if name is None:
        name = next(one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD)
    with pytest.raises(BthtnError, match=f"did you mean '{name}'") as caught:
        called(**{f"{name}z": 1})
    [found] = caught.value.diagnostics
    assert found.code == "BT126"
    assert found.where.startswith(__file__)


def test_the_right_order_is_said_where_arguments_are_swapped():
    with pytest.raises(BthtnError, match=r"write find_plan\(domain, state, goal, …\)") as caught:
        PLANNING["state first"](Yard())
    assert "'domain' of find_plan(…) is Domain or FrozenDomain" in str(caught.value)
    with pytest.raises(BthtnError, match=r"add brackets: Guard\(\)"):
        PLANNING["class for a state"](Yard())
    with pytest.raises(BthtnError, match="did you mean 'precondition'"):
        AUTHORING["when for a primitive"](Yard())


def test_none_in_the_place_of_something_is_not_taken_for_another_argument():
    with pytest.raises(BthtnError, match="'agent' of PlanGoal") as caught:
        PlanGoal("g", None, Yard().guard())
    assert caught.value.diagnostics[0].hint == "give it Agent"


def test_every_public_behaviour_takes_its_name_first_as_those_of_py_trees_do():
    named = (bthtn.behaviours, bthtn.kit)
    several = {getattr(module, name) for module in named for name in module.__all__}
    found = [one for one in several if isinstance(one, type) and issubclass(one, Behaviour)]
    assert len(found) == 16
    for one in found:
        assert next(iter(inspect.signature(one).parameters)) == "name", one
