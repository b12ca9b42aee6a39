"""Goal-directed search: the algorithm step by step, and the mistakes that are easy to make."""

from enum import Enum
from typing import NewType

import pytest

from bthtn import (
    UNKNOWN,
    BthtnError,
    Domain,
    Fluent,
    FluentFamily,
    Planner,
    Primitive,
    Relation,
    Settings,
    State,
    achieve,
    find_plan,
    fluent,
    fluents,
    primitive,
    relation,
)
from bthtn.engine.plan.nodes import NullNode, SuspensionKind
from bthtn.engine.planning import trace
from bthtn.engine.planning.protocol import DEFAULT_SETTINGS, SearchStatus, request
from bthtn.engine.planning.strips.greedy import FactTable
from bthtn.engine.planning.strips.ground import conjunctions, ground_actions
from bthtn.engine.planning.strips.instances import Instances, Statics
from bthtn.engine.planning.strips.regress import Grounding, StartState
from bthtn.engine.planning.strips.strips_search import StripsSearch
from bthtn.engine.text.notation import normal
from bthtn.examples.domains.blocks.strips_facts import Facts, strips_facts
from tests.engine.planning.exhaustive import cheapest
from tests.engine.planning.goals import Lab, Level, pursuit_of

AB = {"block": ("a", "b"), "below": ("a", "b")}
A_ON_B = Facts(on={"a,b": True}, on_table={"b": True}, clear={"a": True}, hand_empty=True)


class Trap(State):
    """Two facts and a number."""

    p: Fluent[bool] = fluent(default=False)
    q: Fluent[bool] = fluent(default=False)
    r: Fluent[bool] = fluent(default=False)
    ammo: Fluent[int] = fluent(default=0)
    needed: Fluent[int] = fluent(default=0)
    at: Fluent[str] = fluent(default="a")
    spots: Fluent[tuple] = fluent(default=("a", "b"))
    line: Fluent[bool] = fluent(default=False, volatile=True)
    dry: FluentFamily[str, bool] = fluents(default=False)
    path: Relation[tuple[str, str]] = relation(default=[("a", "b"), ("b", "c")])
    camp: Relation[str] = relation()


def planned(domain, goal, state=None, settings=DEFAULT_SETTINGS, **how):
    plan = find_plan(domain, state or Trap(), achieve(goal, **how), settings)
    return None if plan is None else normal(plan.tree)


def grounding(domain, goal, objects):
    tasks = tuple(domain.freeze().tasks.values())
    statics = Statics(tasks, objects, domain.state_class().frozen())
    return Grounding(ground_actions(tasks, objects, statics), conjunctions(goal, ()))


def blocks_problem(goal):
    return grounding(strips_facts, goal, AB)


def regressions(problem, wanted):
    """What each relevant action would ask for, by action."""
    found = {}
    for step in problem.steps:
        if wanted & step.adds and not problem.obstacle(wanted, step):
            found[str(step.action)] = problem.regressed(wanted, step)
    return found


# regression


def test_only_stacking_puts_a_block_on_another():  # R000-12
    problem = blocks_problem(Facts.on["b,a"])
    found = regressions(problem, problem.goals[0])
    assert list(found) == ["stack('b', 'a')"]
    assert problem.text(found["stack('b', 'a')"]) == "clear[a], holding[b]"


def test_a_block_comes_into_the_hand_from_the_table_or_from_a_block():  # R000-12
    problem = blocks_problem(Facts.holding["b"] & Facts.clear["a"])
    found = regressions(problem, problem.goals[0])
    texts = {name: set(problem.text(mask).split(", ")) for name, mask in found.items()}
    assert texts["pickup('b')"] == {"on_table[b]", "clear[b]", "hand_empty", "clear[a]"}
    # What was needed is that b is clear, not a: the action's table says so.
    assert texts["unstack('b', 'a')"] == {"on[b,a]", "clear[b]", "hand_empty"}


def test_the_search_looks_only_at_what_can_hold_together():  # R000-12
    told = []
    asked = request(strips_facts, A_ON_B, achieve(Facts.on["b,a"], objects=AB))
    search = StripsSearch(asked, told.append)
    search.advance()
    sets = [set(one.what.split(", ")) for one in told if isinstance(one, trace.GoalsExpanded)]
    assert sets[:3] == [
        {"on[b,a]"},
        {"holding[b]", "clear[a]"},
        {"on_table[b]", "clear[b]", "hand_empty", "clear[a]"},
    ]
    assert normal(search.plan.tree) == (
        "(unstack('a', 'b'), putdown('a'), pickup('b'), stack('b', 'a'))"
    )
    rejected = [one.task for one in told if isinstance(one, trace.ActionRejected)]
    assert "putdown('a')" in rejected


def test_an_action_that_needs_the_opposite_of_what_is_kept_cannot_come_last():
    trap = Domain("trap", Trap)
    trap.primitive("a", precondition=~Trap.q, effects=Trap.p.becomes(True))
    problem = grounding(trap, Trap.p & Trap.q, {})
    (step,) = problem.steps
    assert problem.obstacle(problem.goals[0], step) == "it needs the opposite of q"
    # Overwriting q by the precondition would find the plan (a), behind which q is still false.
    assert planned(trap, Trap.p & Trap.q) is None
    assert planned(trap, Trap.p) == "a"


def test_an_action_that_spoils_what_is_wanted_cannot_come_last():
    trap = Domain("trap", Trap)
    trap.primitive("a", effects=[Trap.p.becomes(True), Trap.q.becomes(False)])
    trap.primitive("b", effects=Trap.q.becomes(True))
    problem = grounding(trap, Trap.p & Trap.q, {})
    assert problem.obstacle(problem.goals[0], problem.steps[0]) == "it would spoil q"
    assert planned(trap, Trap.p & Trap.q) == "(a, b)"


def test_a_condition_that_another_implies_is_not_asked_for():
    lab = Domain("lab", Lab)
    lab.primitive("act", precondition=Lab.count == 2, effects=Lab.c.becomes(True))

    @lab.primitive
    def write(number: int):
        return primitive(precondition=Lab.count != number, effects=Lab.count.becomes(number))

    told = []
    asked = achieve(Lab.c & (Lab.count > 1), objects={"number": range(3)})
    assert normal(find_plan(lab, Lab(), asked, listener=told.append).tree) == "(write(2), act)"
    looked_at = [one.what for one in told if isinstance(one, trace.GoalsExpanded)]
    assert looked_at == ["c, count > 1", "count == 2", "count != 2"]


def test_equal_values_of_different_types_imply_each_other_and_one_of_them_is_asked_for():
    lab = Domain("lab", Lab)
    lab.primitive("act", precondition=Lab.count == 1.0, effects=Lab.c.becomes(True))
    lab.primitive("write", effects=Lab.count.becomes(1))
    assert planned(lab, Lab.c & (Lab.count == 1), Lab()) == "(write, act)"


def test_of_equal_sums_the_one_that_is_nearer_to_the_state_comes_first():
    trap = Domain("trap", Trap)
    trap.primitive("far", precondition=Trap.q & Trap.r, effects=Trap.p.becomes(True), cost=1)
    trap.primitive("near", precondition=Trap.q, effects=Trap.p.becomes(True), cost=2)
    trap.primitive("get_q", effects=Trap.q.becomes(True))
    trap.primitive("get_r", effects=Trap.r.becomes(True))
    for how in ({"heuristic": "unmet"}, {"optimal": True}):
        told = []
        find_plan(trap, Trap(), achieve(Trap.p, **how), listener=told.append)
        assert [one.what for one in told if isinstance(one, trace.GoalsExpanded)] == [
            "p",
            "q",
            "nothing",
        ]


def test_equal_sets_of_conditions_are_looked_at_once_whatever_action_led_there():  # R000-13
    trap = Domain("trap", Trap)
    for name in ("one", "two", "three"):
        trap.primitive(name, precondition=Trap.q, effects=Trap.p.becomes(True))
    trap.primitive("get_q", precondition=Trap.r, effects=Trap.q.becomes(True))
    told = []
    plan = find_plan(trap, Trap(r=True), achieve(Trap.p), listener=told.append)
    assert normal(plan.tree) == "(get_q, one)", "of equal ways, the one defined first"
    assert [one.what for one in told if isinstance(one, trace.GoalsExpanded)] == [
        "p",
        "q",
        "nothing",
    ]


def test_what_always_holds_is_not_asked_for():
    class Roads(State):
        at: Fluent[str] = fluent(default="mill")
        road: FluentFamily[tuple[str, str], bool] = fluents(default=False)

    places = ("mill", "ford", "hill", "port")
    driving = Domain("driving", Roads)

    @driving.primitive
    def drive(start: str, to: str):
        leads = (Roads.at == start) & Roads.road[start, to]
        return primitive(precondition=leads, effects=Roads.at.becomes(to))

    pairs = [("mill", "ford"), ("mill", "hill"), ("ford", "port"), ("hill", "port")]
    told = []
    goal = achieve(Roads.at == "port", objects={"start": places, "to": places}, heuristic="zero")
    plan = find_plan(driving, Roads(road=dict.fromkeys(pairs, True)), goal, listener=told.append)
    assert normal(plan.tree) == "(drive('mill', 'ford'), drive('ford', 'port'))"
    assert [one.what for one in told if isinstance(one, trace.GoalsExpanded)] == [
        "at == 'port'",
        "at == 'ford'",
        "at == 'hill'",
        "at == 'mill'",
    ], "one set of conditions, whichever roads led there"


def test_the_number_of_unmet_conditions_can_be_too_high_so_that_a_dear_plan_is_found():  # R000-13
    trap = Domain("trap", Trap)
    trap.primitive("p_alone", effects=Trap.p.becomes(True), cost=1)
    trap.primitive("q_alone", effects=Trap.q.becomes(True), cost=1)
    trap.primitive("prepare", effects=Trap.r.becomes(True), cost=0.25)
    trap.primitive(
        "at_once",
        precondition=Trap.r & (Trap.at == "b") & Trap.dry["x"],
        effects=[Trap.p.becomes(True), Trap.q.becomes(True)],
        cost=0.25,
    )
    trap.primitive("go", effects=Trap.at.becomes("b"), cost=0.25)
    trap.primitive("dry", effects=Trap.dry["x"].becomes(True), cost=0.25)
    assert planned(trap, Trap.p & Trap.q, heuristic="unmet") == "(q_alone, p_alone)"
    assert planned(trap, Trap.p & Trap.q, optimal=True) == "(dry, go, prepare, at_once)"
    assert planned(trap, Trap.p & Trap.q, settings=Settings(cheapest=True)) == (
        "(dry, go, prepare, at_once)"
    )


def test_what_several_conditions_need_in_common_counts_once():
    trap = Domain("trap", Trap)
    trap.primitive("prepare", effects=Trap.r.becomes(True), cost=4)
    trap.primitive("p_then", precondition=Trap.r, effects=Trap.p.becomes(True))
    trap.primitive("q_then", precondition=Trap.r, effects=Trap.q.becomes(True), cost=2)
    for heuristic, estimate in {"hff": 7, "lmcut": 7, "unmet": 2, "zero": 0}.items():
        told = []
        asked = achieve(Trap.p & Trap.q, heuristic=heuristic)
        find_plan(trap, Trap(), asked, listener=told.append)
        assert told[0] == trace.GoalsExpanded("p, q", 0, estimate)


def test_of_two_ways_to_the_same_the_estimate_for_the_cheapest_plan_takes_the_cheaper():
    trap = Domain("trap", Trap)
    trap.primitive("dear", effects=[Trap.p.becomes(True), Trap.q.becomes(True)], cost=3)
    trap.primitive("p_alone", effects=Trap.p.becomes(True), cost=2)
    trap.primitive("q_alone", effects=Trap.q.becomes(True), cost=2)
    told = []
    find_plan(trap, Trap(), achieve(Trap.p & Trap.q, optimal=True), listener=told.append)
    assert told[0] == trace.GoalsExpanded("p, q", 0, 3)
    assert planned(trap, Trap.p & Trap.q, optimal=True) == "dear"


def test_a_goal_that_holds_takes_no_steps():
    trap = Domain("trap", Trap)
    trap.primitive("a", effects=Trap.p.becomes(True))
    for how in ({}, {"forward": True}, {"optimal": True}):
        plan = find_plan(trap, Trap(p=True), achieve(Trap.p, **how))
        assert isinstance(plan.flat(), NullNode)
        assert plan.record == (0,)


# what conditions and effects can be


def test_a_disjunction_is_several_goals_or_several_actions():
    trap = Domain("trap", Trap)
    trap.primitive("get_q", precondition=Trap.r | Trap.dry["x"], effects=Trap.q.becomes(True))
    trap.primitive("get_dry", effects=Trap.dry["x"].becomes(True))
    assert planned(trap, Trap.p | Trap.q) == "(get_dry, get_q)"
    assert planned(trap, ~(~Trap.p & ~Trap.q)) == "(get_dry, get_q)"


def test_values_are_compared_in_every_way():
    lab = Domain("lab", Lab)

    @lab.primitive
    def put(level: Level):
        return primitive(effects=Lab.level.becomes(level))

    @lab.primitive
    def write(number: int):
        return primitive(precondition=Lab.level >= Level.MIDDLE, effects=Lab.count.becomes(number))

    numbers = {"number": range(5)}
    for goal, found in [
        (Lab.level > Level.LOW, "put(MIDDLE)"),
        (Lab.level == Level.HIGH, "put(HIGH)"),
        (Lab.level != Level.LOW, "put(MIDDLE)"),
        (Lab.count > 2, "(put(MIDDLE), write(3))"),
        (Lab.count > 2, "(put(MIDDLE), write(3))"),
        (Lab.count + 1 == 3, "(put(MIDDLE), write(2))"),
        ((Lab.count >= 1) & (Lab.level == Level.LOW), "(put(MIDDLE), write(1), put(LOW))"),
        (~(Lab.count < 4), "(put(MIDDLE), write(4))"),
    ]:
        assert planned(lab, goal, Lab(), objects=numbers) == found, goal


@pytest.mark.parametrize(
    ("needed", "wanted", "found"),
    [
        (~(Lab.count == 0), Lab.count == 0, "(write(1), act, write(0))"),
        (~(Lab.count < 2), Lab.count < 2, "(write(2), act, write(0))"),
        (Lab.count > 2, Lab.count < 2, "(write(3), act, write(0))"),
        (Lab.count != 0, ~(Lab.count != 0), "(write(1), act, write(0))"),
    ],
)
def test_opposite_questions_are_not_taken_for_each_other(needed, wanted, found):
    lab = Domain("lab", Lab)
    lab.primitive("act", precondition=needed, effects=Lab.c.becomes(True))

    @lab.primitive
    def write(number: int):
        return primitive(effects=Lab.count.becomes(number))

    assert planned(lab, Lab.c & wanted, Lab(), objects={"number": range(4)}) == found


def test_a_comparison_may_begin_with_the_value():
    lab = Domain("lab", Lab)

    @lab.primitive
    def act(least: int):
        return primitive(precondition=least < Lab.count, effects=Lab.c.becomes(True))

    @lab.primitive
    def write(number: int):
        return primitive(effects=Lab.count.becomes(number))

    objects = {"least": (2,), "number": range(4)}
    found = planned(lab, Lab.c & (Lab.count < 2), Lab(), objects=objects)
    assert found == "(write(3), act(2), write(0))"


def test_two_fluents_are_compared_where_no_action_writes_one_of_them():
    trap = Domain("trap", Trap)
    trap.primitive("go", precondition=Trap.ammo >= Trap.needed, effects=Trap.p.becomes(True))
    assert planned(trap, Trap.p, Trap(ammo=2, needed=2)) == "go"
    assert planned(trap, Trap.p, Trap(ammo=1, needed=2)) is None
    assert planned(trap, Trap.p & ~(Trap.ammo >= Trap.needed), Trap(ammo=2, needed=2)) is None
    trap = Domain("trap", Trap)
    trap.primitive("go", precondition=Trap.ammo >= Trap.needed, effects=Trap.p.becomes(True))
    trap.primitive("load", effects=Trap.ammo.becomes(6))
    with pytest.raises(BthtnError, match=r"BT211.*ammo >= needed.*load") as caught:
        planned(trap, Trap.p, Trap(needed=2))
    assert "forward=True" in str(caught.value)
    assert planned(trap, Trap.p, Trap(needed=2), forward=True) == "(load, go)"


def test_what_is_volatile_is_relied_on_only_by_the_first_step():
    trap = Domain("trap", Trap)
    trap.primitive("shoot", precondition=Trap.line & Trap.q, effects=Trap.p.becomes(True))
    trap.primitive("load", effects=Trap.q.becomes(True))
    aim = {"effects": Trap.line.becomes(True), "cost": 5}
    for how in ({}, {"optimal": True}, {"forward": True}):
        assert planned(trap, Trap.p, Trap(line=True, q=True), **how) == "shoot"
        assert planned(trap, Trap.p, Trap(line=True), **how) is None
    more = Domain("more", Trap)
    more.primitive("shoot", precondition=Trap.line & Trap.q, effects=Trap.p.becomes(True))
    more.primitive("load", effects=Trap.q.becomes(True))
    more.primitive("aim", **aim)
    for how in ({}, {"optimal": True}, {"forward": True}):
        found = planned(more, Trap.p, Trap(line=True), **how)
        assert found in ("(aim, load, shoot)", "(load, aim, shoot)")


def test_what_is_unknown_suspends_the_goal_unless_there_is_a_way_without_it():
    trap = Domain("trap", Trap)
    trap.primitive("a", precondition=Trap.q, effects=Trap.p.becomes(True))
    trap.primitive("b", precondition=Trap.r, effects=Trap.p.becomes(True))
    for how in ({}, {"optimal": True}, {"forward": True}):
        plan = find_plan(trap, Trap(q=UNKNOWN), achieve(Trap.p, **how))
        assert plan.tree.cause.kind is SuspensionKind.UNKNOWN
        assert plan.tree.cause.fluent == "q"
        assert planned(trap, Trap.p, Trap(q=UNKNOWN, r=True), **how) == "b"
        assert planned(trap, Trap.p, Trap(ammo=UNKNOWN), **how) is None


# values of parameters


class Map(State):
    """Roads, and what else never changes, in every form that it can have."""

    at: FluentFamily[str, str] = fluents(default="")
    road: Relation[tuple[str, str]] = relation()
    lane: FluentFamily[tuple[str, str], bool] = fluents(default=False)
    closed: FluentFamily[tuple[str, str], bool] = fluents(default=True)
    follows: FluentFamily[str, str] = fluents(default="")
    heavy: FluentFamily[str, bool] = fluents(default=False)
    toll: FluentFamily[str, int] = fluents(default=1)
    strike: Fluent[bool] = fluent(default=False)


LANES = {("mill", "ford"): True, ("ford", "port"): True, ("port", "mill"): True}
ROADS = {
    "at": {"red": "mill", "blue": "mill"},
    "road": list(LANES),
    "lane": LANES,
    "closed": dict.fromkeys(LANES, False),
    "follows": dict(LANES.keys()),
}
TRUCKS = {"truck": ("red", "blue")}
LEADS = {
    "a relation": lambda start, to: Map.road[start, to],
    "a family": lambda start, to: Map.lane[start, to],
    "a negation": lambda start, to: ~Map.closed[start, to],
    "a value": lambda start, to: Map.follows[start] == to,
    "a value, the other way round": lambda start, to: to == Map.follows[start],
}


def mapped(leads, **described):
    """A domain with trucks that drive where a condition says so."""
    domain = Domain("map", Map)

    @domain.primitive
    def drive(truck: str, start: str, to: str):
        here = (Map.at[truck] == start) & leads(start, to)
        return primitive(precondition=here, effects=Map.at[truck].becomes(to), **described)

    return domain


@pytest.mark.parametrize("how", [{}, {"forward": True}])
@pytest.mark.parametrize("leads", LEADS)
def test_conditions_that_never_change_give_parameters_their_values(leads, how):
    domain, goal = mapped(LEADS[leads]), Map.at["red"] == "port"
    expected = "(drive('red', 'mill', 'ford'), drive('red', 'ford', 'port'))"
    assert planned(domain, goal, Map(**ROADS), objects=TRUCKS, **how) == expected
    few = {**TRUCKS, "to": ("ford", "mill")}
    assert planned(domain, goal, Map(**ROADS), objects=few, **how) is None
    with pytest.raises(BthtnError, match=r"BT121.*'truck' of 'drive'"):
        planned(domain, goal, Map(**ROADS), **how)


def test_what_an_action_writes_gives_no_values():
    domain = mapped(lambda start, to: Map.lane[start, to])
    domain.primitive("build", effects=Map.lane["mill", "port"].becomes(True))
    with pytest.raises(BthtnError, match=r"BT121.*'to' of 'drive'"):
        planned(domain, Map.at["red"] == "port", Map(**ROADS), objects=TRUCKS)
    objects = TRUCKS | {"start": ("mill", "ford"), "to": ("ford", "port")}
    found = planned(domain, Map.at["red"] == "port", Map(**ROADS, toll={}), objects=objects)
    assert found == "(build, drive('red', 'mill', 'port'))"


def test_only_combinations_that_are_possible_become_actions():
    light, state = (
        mapped(lambda start, to: Map.road[start, to] & ~Map.heavy[start]),
        Map(**ROADS, heavy={"ford": True}),
    )
    statics = Statics(light.freeze().tasks.values(), TRUCKS, state.frozen())
    found = Instances(light.freeze().tasks["drive"], TRUCKS, statics)
    assert found.rows == [
        ("red", "mill", "ford"),
        ("red", "port", "mill"),
        ("blue", "mill", "ford"),
        ("blue", "port", "mill"),
    ], "sorted as the product of all values would be"


def test_values_that_come_with_the_state_are_read_again_when_it_changes():
    planner = Planner(mapped(LEADS["a family"]), achieve(Map.at["red"] == "port", objects=TRUCKS))
    assert planner.plan(Map(**ROADS)) is not None
    assert planner.plan(Map(**ROADS | {"lane": {("mill", "ford"): True}})) is None
    assert len(planner.plan(Map(**ROADS | {"lane": {("mill", "port"): True}})).steps) == 1


def test_a_fact_that_is_unknown_may_be_one():
    lane = {**LANES, ("ford", "port"): UNKNOWN}
    domain, goal = mapped(LEADS["a family"]), Map.at["red"] == "port"
    plan = find_plan(domain, Map(**ROADS | {"lane": lane}), achieve(goal, objects=TRUCKS))
    assert plan.tree.cause.fluent == "lane[ford, port]"
    domain, follows = mapped(LEADS["a value"]), {"mill": "ford", "ford": UNKNOWN}
    plan = find_plan(domain, Map(**ROADS | {"follows": follows}), achieve(goal, objects=TRUCKS))
    assert plan.tree.cause.fluent == "follows[ford]"


def test_a_cost_may_read_what_no_action_writes():
    domain, goal = Domain("map", Map), Map.at["red"] == "port"

    @domain.primitive
    def fly(to: str):
        return primitive(effects=Map.at["red"].becomes(to), cost=Map.toll[to] + 1)

    @domain.primitive
    def walk(to: str):
        return primitive(effects=Map.at["red"].becomes(to), cost=5)

    objects = {"to": ("port",)}
    assert planned(domain, goal, Map(toll={"port": 3}), objects=objects) == "fly('port')"
    assert planned(domain, goal, Map(toll={"port": 5}), objects=objects) == "walk('port')"


def test_the_values_of_a_parameter_come_from_its_type_or_with_the_goal():
    trap = Domain("trap", Trap)

    @trap.primitive
    def go(to: str):
        return primitive(effects=Trap.at.becomes(to))

    goal = Trap.at == "b"
    assert planned(trap, goal, objects={"to": ("a", "b")}) == "go('b')"
    assert planned(trap, goal, objects={"to": Trap.spots}) == "go('b')"
    assert planned(trap, goal, objects={"to": lambda state: state.spots}) == "go('b')"
    assert planned(trap, goal, Trap(spots=("a",)), objects={"to": Trap.spots}) is None
    with pytest.raises(BthtnError, match=r"BT121.*'to' of 'go'"):
        planned(trap, goal)
    with pytest.raises(BthtnError, match=r"BT117.*'abc' holds no values"):
        planned(trap, goal, objects={"to": "abc"})
    with pytest.raises(BthtnError, match=r"BT117.*is list"):
        planned(trap, goal, objects={"to": [["a"]]})
    with pytest.raises(BthtnError, match=r"BT121.*'top'\n.*\n.*did you mean 'to'"):
        planned(trap, goal, objects={"to": ("a",), "top": ("b",)})
    plan = find_plan(trap, Trap(spots=UNKNOWN), achieve(goal, objects={"to": Trap.spots}))
    assert plan.tree.cause.fluent == "spots"


@pytest.mark.parametrize("kind", [set, frozenset])
def test_a_set_of_values_is_tried_in_the_order_of_their_texts(kind):
    trap = Domain("trap", Trap)
    names = [f"spot {number}" for number in range(20)]

    @trap.primitive
    def go(to: str):
        return primitive(effects=[Trap.at.becomes(to), Trap.p.becomes(True)])

    for values in (kind(names), lambda state: kind(names)):
        assert planned(trap, Trap.p, objects={"to": values}) == "go('spot 0')"


def test_other_objects_are_other_problems():  # R000-10
    trap = Domain("trap", Trap)

    @trap.primitive
    def go(to: str):
        return primitive(effects=Trap.at.becomes(to))

    planner = Planner(trap, achieve(Trap.at == "b", objects={"to": Trap.spots}))
    assert planner.plan(Trap(spots=("a",))) is None
    assert planner.plan(Trap(spots=("a", "b"))) is not None
    assert planner.plan(Trap(spots=("a",))) is None


def test_only_the_actions_that_are_named_are_used():  # R000-10
    trap = Domain("trap", Trap)
    a = trap.primitive("a", effects=Trap.p.becomes(True))
    b = trap.primitive("b", effects=Trap.p.becomes(True), cost=7)
    assert planned(trap, Trap.p) == "a"
    assert planned(trap, Trap.p, actions=[b]) == "b"
    assert planned(trap, Trap.p, actions=[b, a], optimal=True) == "a"
    other = Domain("other", Trap).primitive("c")
    with pytest.raises(BthtnError, match=r"BT109.*'c'"):
        planned(trap, Trap.p, actions=[other])


# what cannot be gone back through


@pytest.mark.parametrize(
    ("described", "part"),
    [
        ({"effects": Trap.ammo.increases(by=1)}, "depends on the value before"),
        ({"effects": lambda state: setattr(state, "p", True)}, "is a function"),
        ({"precondition": lambda state: state.q}, "is a function"),
        ({"precondition": Trap.dry[Trap.at]}, "the index of dry"),
        ({"effects": Trap.dry[Trap.at].becomes(True)}, "the index of dry"),
        ({"effects": Trap.at.becomes(Trap.at)}, "reads the state"),
        ({"cost": Trap.ammo}, "the cost ammo reads the state"),
        ({"cost": lambda state: state.ammo}, "reads the state"),
    ],
)
def test_what_only_a_state_can_tell_is_named_with_what_to_do(described, part):
    trap = Domain("trap", Trap)
    trap.primitive("odd", **described)
    trap.primitive("a", effects=Trap.p.becomes(True))
    trap.primitive("load", effects=Trap.ammo.becomes(6))
    with pytest.raises(BthtnError, match=r"BT211.*'odd'") as caught:
        planned(trap, Trap.p)
    assert part in str(caught.value)
    assert "forward=True" in str(caught.value)
    assert planned(trap, Trap.p, forward=True) in ("a", "odd")


def test_a_goal_that_is_a_function_needs_a_forward_search():
    trap = Domain("trap", Trap)
    trap.primitive("a", effects=Trap.p.becomes(True))
    with pytest.raises(BthtnError, match=r"BT211.*this goal"):
        planned(trap, lambda state: state.p)
    assert planned(trap, lambda state: state.p, forward=True) == "a"


def test_a_heuristic_has_to_fit():
    trap = Domain("trap", Trap)
    trap.primitive("a", effects=Trap.p.becomes(True))
    for how, hint in [
        ({"heuristic": "lmct"}, "lmcut"),
        ({"heuristic": "unmet", "optimal": True}, "'lmcut' or 'zero'"),
        ({"heuristic": "hff", "forward": True}, "'unmet' or 'zero'"),
        ({"heuristic": "unmet", "forward": True, "optimal": True}, "'zero'"),
    ]:
        with pytest.raises(BthtnError, match="BT212") as caught:
            achieve(Trap.p, **how)
        assert hint in str(caught.value)
    with pytest.raises(BthtnError, match="BT202"):
        achieve(Trap.p, limit=0)


def test_costs_below_zero_are_refused():
    for how, cost in [({}, -1), ({"forward": True}, -1), ({"forward": True}, Trap.ammo)]:
        trap = Domain("trap", Trap)
        trap.primitive("a", effects=Trap.p.becomes(True), cost=cost)
        with pytest.raises(BthtnError, match=r"BT204.*-1\n.*action 'a'"):
            planned(trap, Trap.p & Trap.q, Trap(ammo=-1), **how)


# forward, where going back takes too long


@pytest.fixture
def at_once(monkeypatch):
    """Nothing is expanded before the search turns round."""
    monkeypatch.setattr("bthtn.engine.planning.strips.both_ways.MOST_BACK", 0)


@pytest.mark.usefixtures("at_once")
def test_forward_a_state_is_followed_by_what_the_relaxed_plan_begins_with():
    told = []
    find_plan(strips_facts, A_ON_B, achieve(Facts.on["b,a"], objects=AB), listener=told.append)
    looked_at = [event for event in told if isinstance(event, trace.GoalsExpanded)]
    assert [(event.what, event.cost, event.estimate) for event in looked_at] == [
        ("the start", 0, 6),
        ("clear[b], holding[a]", 1, 6),
        ("on_table[a], clear[b]", 2, 4),
        ("on_table[a], holding[b]", 3, 2),
        ("on[b,a], on_table[a], clear[b]", 4, 0),
    ]


def test_steps_that_nothing_needs_are_left_out():
    trap = Domain("trap", Trap)
    trap.primitive("get_q", effects=Trap.q.becomes(True))
    trap.primitive("by_q", precondition=Trap.q, effects=Trap.p.becomes(True))
    trap.primitive("alone", effects=Trap.p.becomes(True))
    problem = grounding(trap, Trap.p, {})
    table = FactTable(problem, StartState(problem, Trap().frozen()))
    assert table.needed([0, 1]) == [0, 1]
    assert table.needed([0, 2]) == [2]
    assert table.needed([0, 1, 2]) == [2]


@pytest.mark.usefixtures("at_once")
def test_forward_too_what_is_volatile_is_relied_on_only_by_the_first_step():
    test_what_is_volatile_is_relied_on_only_by_the_first_step()


@pytest.mark.usefixtures("at_once")
def test_forward_too_what_is_unknown_suspends_the_goal_unless_there_is_a_way_without_it():
    test_what_is_unknown_suspends_the_goal_unless_there_is_a_way_without_it()


@pytest.mark.usefixtures("at_once")
def test_forward_too_it_is_said_why_there_is_no_plan():
    test_conditions_that_can_only_be_had_one_at_a_time_are_said_to_be_that()
    test_without_a_plan_it_is_said_what_is_out_of_reach_and_why()


# status, budget, explanation


def test_a_search_is_advanced_and_cancelled():
    asked = request(strips_facts, A_ON_B, achieve(Facts.on["b,a"]))
    search = StripsSearch(asked)
    assert search.advance(1) is SearchStatus.RUNNING
    assert (search.expansions, search.plan) == (1, None)
    search.cancel()
    assert search.status is SearchStatus.CANCELLED
    assert search.advance() is SearchStatus.CANCELLED
    assert (search.expansions, search.plan) == (1, None)
    search = StripsSearch(asked)
    assert search.advance() is SearchStatus.SOLVED
    search.cancel()
    assert search.status is SearchStatus.SOLVED


def test_a_listener_hears_what_was_not_possible_and_what_was_left_open():
    trap = Domain("trap", Trap)
    trap.primitive("a", precondition=Trap.q, effects=Trap.p.becomes(True))
    told = []
    find_plan(trap, Trap(), achieve(Trap.p, forward=True), listener=told.append)
    assert told[:2] == [
        trace.GoalsExpanded("the start", 0, 1),
        trace.ActionRejected("a", "q is false: q = false"),
    ]
    told.clear()
    find_plan(trap, Trap(q=True), achieve(Trap.p, forward=True), listener=told.append)
    assert told[-2:] == [trace.GoalsExpanded("p = true", 1, 0), trace.TaskPlanned("a", 0)]
    for how in ({}, {"forward": True}):
        told.clear()
        find_plan(trap, Trap(q=UNKNOWN), achieve(Trap.p, **how), listener=told.append)
        assert told[-1] == trace.PlanningSuspended("goal.achieve_1", "unknown q", 0)


def test_an_error_of_the_user_ends_the_search():
    trap = Domain("trap", Trap)
    trap.primitive("a", precondition=lambda state: 1 // state.ammo > 0)
    search = StripsSearch(request(trap, Trap(), achieve(Trap.p, forward=True)))
    with pytest.raises(BthtnError, match="BT201"):
        search.advance()
    assert search.status is SearchStatus.ERROR


def test_a_search_that_is_interrupted_in_the_middle_of_an_expansion_is_over():
    def stop(event):
        raise KeyboardInterrupt

    search = StripsSearch(request(strips_facts, A_ON_B, achieve(Facts.on["b,a"])), stop)
    with pytest.raises(KeyboardInterrupt):
        search.advance()
    assert search.status is SearchStatus.ERROR
    assert search.advance() is SearchStatus.ERROR
    assert search.plan is None


def test_the_limit_is_told_from_having_no_plan():
    with pytest.raises(BthtnError, match=r"BT203.*after 3"):
        find_plan(
            strips_facts, A_ON_B, achieve(Facts.on["b,a"]), settings=Settings(max_expansions=3)
        )


def reasons(domain, state, goal, **how):
    told = []
    assert find_plan(domain, state, achieve(goal, **how), listener=told.append) is None
    return [one.reason for one in told if isinstance(one, trace.Unachievable)]


def test_without_a_plan_it_is_said_what_is_out_of_reach_and_why():
    trap = Domain("trap", Trap)
    trap.primitive("shoot", precondition=Trap.q & Trap.r, effects=Trap.p.becomes(True))
    trap.primitive("reload", precondition=Trap.dry["x"], effects=Trap.q.becomes(True))
    assert reasons(trap, Trap(r=True), Trap.p) == [
        "p: shoot needs q",
        "q: reload needs dry[x]",
        "dry[x]: no action brings it about",
    ]
    assert reasons(trap, Trap(r=True, q=True), Trap.p & Trap.dry["y"]) == [
        "dry[y]: no action brings it about"
    ]


def test_conditions_that_can_only_be_had_one_at_a_time_are_said_to_be_that():
    trap = Domain("trap", Trap)
    trap.primitive("left", effects=[Trap.p.becomes(True), Trap.q.becomes(False)])
    trap.primitive("right", effects=[Trap.q.becomes(True), Trap.p.becomes(False)])
    assert reasons(trap, Trap(), Trap.p & Trap.q) == ["p and q never hold at the same time"]
    (why,) = reasons(trap, Trap(), Trap.p & Trap.q, forward=True)
    assert why.startswith("p and q is false: p = false")
    assert why.endswith("and so it stays in all of the 3 states that actions lead to")


def test_conditions_of_which_any_two_go_together_may_not_go_together_all():
    trap = Domain("trap", Trap)
    wanted = {"p": Trap.p, "q": Trap.q, "r": Trap.r}
    for name, one in wanted.items():
        others = [other.becomes(True) for key, other in wanted.items() if key != name]
        trap.primitive(f"without_{name}", effects=[one.becomes(False), *others])
    (why,) = reasons(trap, Trap(), Trap.p & Trap.q & Trap.r)
    assert why.startswith("any two of p, q, r can hold at the same time, but not all of them")


def test_the_search_without_cleverness_answers_the_same_question():
    asked = request(strips_facts, A_ON_B, achieve(Facts.on["b,a"], objects=AB))
    cost, steps = cheapest(pursuit_of(asked), asked.state)
    assert cost == 4
    assert [task.name for task, _ in steps] == ["unstack", "putdown", "pickup", "stack"]


class Freight(State):
    """Packages, and the vehicles that carry them from place to place."""

    at: FluentFamily[str, str] = fluents(default="")


def test_forward_search_evaluates_an_action_once_for_the_values_that_it_reads():
    freight, asked = Domain("freight", Freight), []

    @freight.primitive
    def drive(truck: str, to: str):
        def is_elsewhere(state):
            asked.append((truck, to, state.at[truck]))
            return state.at[truck] != to

        return primitive(precondition=is_elsewhere, effects=Freight.at[truck].becomes(to))

    @freight.primitive
    def load(package: str, truck: str):
        return primitive(
            precondition=Freight.at[package] == Freight.at[truck],
            effects=Freight.at[package].becomes(truck),
        )

    @freight.primitive
    def unload(package: str, truck: str):
        return primitive(
            precondition=Freight.at[package] == truck,
            effects=Freight.at[package].becomes(Freight.at[truck]),
        )

    places, trucks = ("mill", "port", "town"), ("red", "blue")
    objects = {"to": places, "truck": trucks, "package": ("flour", "salt")}
    goal = (Freight.at["flour"] == "port") & (Freight.at["salt"] == "mill")
    start = Freight(at={"flour": "mill", "salt": "port", "red": "town", "blue": "town"})
    plan = find_plan(freight, start, achieve(goal, objects=objects, forward=True))
    assert len(plan.steps) == 7
    assert plan.expansions > 50
    assert len(set(asked)) == len(trucks) * len(places) ** 2
    assert len(asked) <= len(set(asked)) + len(plan.steps), "once more for the plan that was found"


@pytest.mark.parametrize("forward", [False, True])
def test_actions_may_ask_relations(forward):
    domain = Domain("paths", Trap)

    @domain.primitive
    def go(here: str, there: str) -> Primitive:
        return primitive(
            precondition=(Trap.at == here) & Trap.path[here, there], effects=Trap.at.becomes(there)
        )

    places = {"here": ("a", "b", "c"), "there": ("a", "b", "c")}
    assert planned(domain, Trap.at == "c", objects=places, forward=forward) == (
        "(go('a', 'b'), go('b', 'c'))"
    )
    assert planned(domain, Trap.at == "c", Trap(path=()), objects=places, forward=forward) is None


Place = NewType("Place", str)


class Way(Enum):
    """How to go."""

    LEFT = 1
    RIGHT = 2


@pytest.fixture
def walks():
    domain = Domain("walks", Trap)

    @domain.primitive
    def go(here: Place, there: Place, way: Way) -> Primitive:
        return primitive(precondition=Trap.at == here, effects=Trap.at.becomes(there))

    @domain.primitive
    def look(here: str) -> Primitive:
        return primitive(effects=Trap.p.becomes(True))

    return domain


def test_objects_are_given_for_all_parameters_of_a_type(walks):
    goal = achieve(Trap.at == "c", objects={Place: Trap.spots, "here": ("a",)})
    assert find_plan(walks, Trap(), goal) is None
    assert str(find_plan(walks, Trap(spots=("a", "c")), goal).steps[0]) == "go('a', 'c', LEFT)"
    only = achieve(Trap.at == "c", actions=[walks.task("go")], objects={Place: Trap.camp})
    assert find_plan(walks, Trap(camp=["a", "b"]), only) is None
    assert len(find_plan(walks, Trap(camp=["a", "c"]), only).steps) == 1


def test_types_are_those_of_parameters(walks):
    with pytest.raises(BthtnError, match="no primitive task has a parameter of type 'int'"):
        find_plan(walks, Trap(), achieve(Trap.p, objects={int: (1,), Place: ("a",)}))
    with pytest.raises(BthtnError, match="the values of 'here' of 'look' are not known"):
        find_plan(walks, Trap(), achieve(Trap.p, objects={Place: ("a",)}))


def test_a_type_with_a_name_is_checked_as_what_it_is(walks):
    with pytest.raises(BthtnError, match="argument 'here' of 'go' is str; 3 is int"):
        walks.task("go")(3, "a", Way.LEFT)


# functions beside data


@pytest.fixture
def climbs():
    """A ladder of numbers, of which some may not be entered."""
    domain = Domain("climbs", Trap)

    @domain.primitive
    def step(to: int) -> Primitive:
        return primitive(
            precondition=[Trap.needed == to - 1, lambda trap: to != trap.ammo],
            effects=Trap.needed.becomes(to),
        )

    @domain.primitive
    def leap(to: int) -> Primitive:
        return primitive(
            precondition=[Trap.needed == to - 2, Trap.q], effects=Trap.needed.becomes(to), cost=3
        )

    return domain


@pytest.mark.parametrize("around", [(), (Trap.line.becomes(True),)], ids=["alone", "in a network"])
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "(step(1), step(2), step(3))"),
        ({"ammo": 2, "q": True}, "(step(1), leap(3))"),
        ({"ammo": 2}, None),
        ({"ammo": 3}, None),
    ],
)
def test_a_search_goes_back_through_the_data_beside_functions(climbs, given, expected, around):
    goal = achieve(Trap.needed == 3, objects={"to": (1, 2, 3)})
    rest = climbs.primitive("rest", effects=around)
    plan = find_plan(climbs, Trap(**given), (goal, rest()) if around else goal)
    if expected is None:
        assert plan is None
    else:
        assert normal(plan.tree) == (f"{expected[:-1]}, rest)" if around else expected)


def test_what_data_rule_out_calls_no_function(climbs):
    def never(trap):
        raise AssertionError(trap)

    goal = achieve((Trap.needed == 7) & never, objects={"to": (1, 2, 3)})
    assert find_plan(climbs, Trap(), goal) is None


def test_the_goal_itself_may_join_a_function(climbs):
    def odd(trap):
        return trap.needed % 2 == 1

    goal = achieve((Trap.needed > 1) & odd, objects={"to": (1, 2, 3)})
    assert normal(find_plan(climbs, Trap(), goal).tree) == "(step(1), step(2), step(3))"


def test_where_there_are_only_functions_nothing_leads_back(climbs):
    goal = achieve(lambda trap: trap.needed > 1, objects={"to": (1, 2, 3)})
    with pytest.raises(BthtnError, match="a search cannot go back from this goal"):
        find_plan(climbs, Trap(), goal)
