"""Side by side: admitted only when no order of the branches' steps can matter (semantics 2.3)."""

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    Primitive,
    Settings,
    State,
    defer,
    find_plan,
    fluent,
    method,
    null,
    parallel,
    pause,
    primitive,
    priority,
    sequence,
)
from bthtn.engine.planning.trace import BranchesConflict
from bthtn.engine.text.notation import normal
from bthtn.examples.domains.combat.domain import Soldier as Fighter
from bthtn.examples.domains.combat.domain import combat, prepare_combat, shoot


class Soldier(State):
    ammo: Fluent[int] = fluent(default=0)
    steps: Fluent[int] = fluent(default=0)
    fuel: Fluent[float] = fluent(default=1.0)
    door: Fluent[bool] = fluent(default=False)
    light: Fluent[bool] = fluent(default=False)
    place: Fluent[str] = fluent(default="home")


@pytest.fixture
def domain():
    return Domain("parallel", Soldier)


def planned(domain, goal, settings=None, listener=None, **values):
    return find_plan(domain, Soldier(**values), goal, settings or Settings(), listener)


def steps(domain, goal, settings=None, **values):
    plan = planned(domain, goal, settings, **values)
    return "no plan" if plan is None else normal(plan.tree)


# who may run beside whom

BRANCHES = {
    "idle": {},
    "opens the door": {"effects": Soldier.door.becomes(True)},
    "opens it too": {"effects": Soldier.door.becomes(True)},
    "closes the door": {"effects": Soldier.door.becomes(False)},
    "loses sight of it": {"effects": Soldier.door.becomes(UNKNOWN)},
    "needs the door shut": {"precondition": ~Soldier.door},
    "watches the door": {"effects": Soldier.light.becomes(Soldier.door)},
    "expects it open": {"expected": Soldier.door.becomes(True)},
    "asks on arrival only": {"exec_only": Soldier.door},
    "opens it in the end": {"actual": Soldier.door.becomes(True)},
    "waits for the door": {"duration": lambda soldier: 2 if soldier.door else 1},
    "a step": {"effects": Soldier.steps.increases(1)},
    "two steps": {"effects": Soldier.steps.increases(2)},
    "a step back": {"effects": Soldier.steps.decreases(1)},
    "stands at one": {"effects": Soldier.steps.becomes(1)},
    "counts the steps": {"effects": Soldier.steps.becomes(Soldier.steps + 1)},
    "needs no step": {"precondition": Soldier.steps == 0},
    "steps as ammo goes": {"effects": Soldier.steps.increases(Soldier.ammo)},
    "loads": {"effects": Soldier.ammo.increases(1)},
    "burns fuel": {"effects": Soldier.fuel.decreases(0.5)},
    "burns it too": {"effects": Soldier.fuel.decreases(0.5)},
    "walks": {"uses": "legs"},
    "runs": {"uses": ["legs", "lungs"]},
    "shouts": {"uses": "voice"},
}


@pytest.mark.parametrize(
    ("one", "other", "over"),
    [
        # nothing shared
        ("idle", "opens the door", None),
        ("opens the door", "a step", None),
        ("walks", "shouts", None),
        # reading
        ("needs the door shut", "needs the door shut", None),
        ("needs the door shut", "watches the door", None),
        ("needs the door shut", "opens the door", "door"),
        ("watches the door", "opens the door", "door"),
        ("waits for the door", "opens the door", "door"),
        ("needs the door shut", "expects it open", "door"),
        ("needs the door shut", "closes the door", "door"),
        # what planning does not look at
        ("asks on arrival only", "opens the door", None),
        ("needs the door shut", "opens it in the end", None),
        # writing the same fluent
        ("opens the door", "opens it too", None),
        ("opens the door", "expects it open", None),
        ("opens the door", "closes the door", "door"),
        ("opens the door", "loses sight of it", "door"),
        ("loses sight of it", "loses sight of it", None),
        # counting
        ("a step", "two steps", None),
        ("a step", "a step back", None),
        ("a step", "stands at one", "steps"),
        ("a step", "counts the steps", "steps"),
        ("a step", "needs no step", "steps"),
        ("stands at one", "counts the steps", "steps"),
        ("counts the steps", "counts the steps", "steps"),
        ("steps as ammo goes", "a step", None),
        ("steps as ammo goes", "loads", "ammo"),
        ("burns fuel", "burns it too", "fuel"),
        # resources
        ("walks", "runs", "legs"),
        ("walks", "walks", "legs"),
    ],
)
def test_two_tasks_side_by_side(domain, one, other, over):
    branches = [
        domain.primitive(f"{number}: {name}", **BRANCHES[name])
        for number, name in enumerate((one, other))
    ]
    for first, second in (branches, branches[::-1]):
        told = []
        plan = planned(domain, parallel(first(), second()), listener=told.append)
        conflicts = [event.over for event in told if isinstance(event, BranchesConflict)]
        assert conflicts == ([over] if over else [])
        assert (plan is None) == bool(over)


def test_what_a_branch_does_in_the_end_is_not_enough_to_run_beside_it(domain):
    # Open and shut again: between the two somebody else would find it open.
    there = domain.primitive("there", effects=Soldier.door.becomes(True))
    back = domain.primitive("back", effects=Soldier.door.becomes(False))
    needs = domain.primitive("needs", precondition=~Soldier.door)
    assert steps(domain, parallel((there(), back()), needs())) == "no plan"
    assert steps(domain, parallel((there(), back()), back())) == "no plan"


def test_conditions_of_methods_and_arguments_are_read_too(domain):
    open_door = domain.primitive("open_door", effects=Soldier.door.becomes(True))
    leave = domain.primitive("leave", effects=Soldier.place.becomes("hill"))
    idle = domain.primitive("idle")

    @domain.primitive
    def paint(place: str) -> Primitive:
        return primitive()

    @domain.compound
    def sneak():
        yield method(idle(), when=~Soldier.door)

    @domain.compound
    def ask():
        yield method(lambda soldier: [] if soldier.door else [idle()])

    @domain.compound
    def decorate(place: str):
        yield method(idle())

    assert steps(domain, parallel(leave(), decorate(Soldier.place))) == "no plan"
    assert steps(domain, parallel(leave(), decorate("home"))) == "parallel(leave, idle)"
    for goal in (sneak(), ask()):
        assert steps(domain, parallel(open_door(), goal)) == "no plan"
        assert steps(domain, parallel(leave(), goal)) == "parallel(leave, idle)"
    assert steps(domain, parallel(leave(), paint(Soldier.place))) == "no plan"
    assert steps(domain, parallel(leave(), paint("home"))) == "parallel(leave, paint('home'))"


# planned from one state


def test_every_branch_is_planned_from_the_state_at_the_node(domain):
    load = domain.primitive("load", effects=Soldier.ammo.becomes(1))
    fire = domain.primitive("fire", precondition=Soldier.ammo > 0)
    assert steps(domain, (load(), fire())) == "(load, fire)"
    assert steps(domain, parallel(load(), fire())) == "no plan", "the shot is impossible at first"
    assert steps(domain, (load(), parallel(load(), fire()))) == "no plan", "and disturbed later"


def test_getting_ready_beside_a_shot_without_ammo_is_not_planned():
    goal = parallel(prepare_combat(), shoot())
    assert find_plan(combat, Fighter(target=True, ammo=False), goal) is None
    assert find_plan(combat, Fighter(target=True, ammo=True), goal) is not None


def test_behind_the_node_all_branches_have_done_what_they_do(domain):
    load = domain.primitive("load", effects=Soldier.ammo.increases(2))
    more = domain.primitive("more", effects=Soldier.ammo.increases(3))
    open_door = domain.primitive("open_door", effects=Soldier.door.becomes(True))
    fire = domain.primitive("fire", precondition=Soldier.door & (Soldier.ammo == 6))
    plan = planned(domain, (parallel(load(), more(), open_door()), fire()), ammo=1)
    assert normal(plan.tree) == "(parallel(load, more, open_door), fire)"
    assert plan.predicted == Soldier(ammo=6, door=True).frozen()


def test_branches_in_branches_add_up(domain):
    load = domain.primitive("load", effects=Soldier.ammo.increases(1))
    goal = parallel(load(), parallel(load(), (load(), parallel(load(), load()))))
    plan = planned(domain, goal)
    assert plan.predicted == Soldier(ammo=5).frozen()
    assert plan.footprint.reads == set()


def test_the_branches_next_outcomes_are_tried_those_of_later_branches_first(domain):
    open_door = domain.primitive("open_door", effects=Soldier.door.becomes(True))
    close = domain.primitive("close", effects=Soldier.door.becomes(False))
    idle = domain.primitive("idle")

    @domain.compound
    def one():
        yield method(open_door())
        yield method(idle())

    @domain.compound
    def other():
        yield method(close())
        yield method(idle())

    plan = planned(domain, parallel(one(), other()))
    assert (normal(plan.tree), plan.record) == ("parallel(open_door, idle)", (0, 1))


def test_a_conflict_gives_way_to_the_next_method_outside(domain):
    open_door = domain.primitive("open_door", effects=Soldier.door.becomes(True))
    close = domain.primitive("close", effects=Soldier.door.becomes(False))

    @domain.compound
    def both():
        yield method(parallel(open_door(), close()))
        yield method(open_door(), close())

    plan = planned(domain, both())
    assert (normal(plan.tree), plan.record) == ("(open_door, close)", (1,))
    assert plan.predicted == Soldier().frozen()


def test_an_impossible_branch_makes_the_node_impossible(domain):
    idle = domain.primitive("idle")
    hopeless = domain.primitive("hopeless", precondition=Soldier.door)
    assert steps(domain, parallel(idle(), hopeless())) == "no plan"
    assert steps(domain, parallel(idle(), hopeless(), policy="any")) == "no plan"


# policies


@pytest.fixture
def load(domain):
    return domain.primitive("load", effects=Soldier.ammo.increases(1))


@pytest.fixture
def open_door(domain):
    return domain.primitive("open_door", effects=Soldier.door.becomes(True))


def outcome(plan):
    return plan.predicted.get(Soldier.ammo), plan.predicted.get(Soldier.door)


def test_what_an_abort_may_leave_undone_is_unknown(domain, load, open_door):
    def branches(policy):
        return planned(domain, parallel(load(), open_door(), policy=policy))

    assert outcome(branches("all")) == (1, True)
    assert outcome(branches("primary")) == (1, UNKNOWN)
    assert outcome(branches("any")) == (UNKNOWN, UNKNOWN)


def test_a_single_branch_is_sure_under_any_policy(domain, load):
    for policy in ("all", "any", "primary"):
        assert outcome(planned(domain, parallel(load(), policy=policy))) == (1, False)


def test_policies_admit_branches_by_the_same_rule(domain, open_door):
    close = domain.primitive("close", effects=Soldier.door.becomes(False))
    for policy in ("all", "any", "primary"):
        assert steps(domain, parallel(open_door(), close(), policy=policy)) == "no plan"


@pytest.mark.parametrize("policy", ["all", "any", "primary"])
def test_what_all_branches_write_alike_is_known_whoever_is_aborted(domain, load, policy):
    unlock = domain.primitive("unlock", effects=Soldier.door.becomes(True))
    ram = domain.primitive("ram", effects=Soldier.door.becomes(True))
    go_in = domain.primitive("go_in", precondition=Soldier.door)
    goal = sequence(parallel((load(), unlock()), ram(), policy=policy), go_in())
    plan = planned(domain, goal)
    assert outcome(plan) == ({"any": UNKNOWN}.get(policy, 1), True)
    # It is a constant write of the whole, and stands beside another one of the same.
    assert planned(domain, parallel(goal, ram(), policy=policy)) is None  # go_in reads it
    assert outcome(planned(domain, parallel(goal.parts[0], ram())))[1] is True


def test_what_the_first_branch_writes_is_known_where_the_others_can_only_write_the_same(domain):
    opened, idle = domain.primitive("opened", effects=Soldier.door.becomes(True)), null()
    ends = {
        "first": parallel(opened(), idle, opened(), policy="primary"),
        "others": parallel(idle, opened(), opened(), policy="primary"),
        "not all": parallel(opened(), idle, opened(), policy="any"),
    }
    known = {name: outcome(planned(domain, goal))[1] for name, goal in ends.items()}
    assert known == {"first": True, "others": UNKNOWN, "not all": UNKNOWN}


def test_what_is_written_on_the_way_to_the_same_end_is_not_the_same(domain):
    # Broken off after the first of its two steps, a branch would have shut what the other opened.
    back = domain.primitive("back", effects=Soldier.door.becomes(False))
    there = domain.primitive("there", effects=Soldier.door.becomes(True))
    assert steps(domain, parallel((back(), there()), there(), policy="any")) == "no plan"


@pytest.mark.parametrize("policy", ["any", "primary"])
def test_counting_is_not_known_when_one_who_counts_is_aborted(domain, load, policy):
    plan = planned(domain, parallel(load(), load(), policy=policy))
    assert outcome(plan)[0] is UNKNOWN


@pytest.mark.parametrize("inner", ["any", "primary"])
def test_what_may_be_left_undone_inside_is_unknown_outside_as_well(domain, load, inner):
    # It is loaded once or twice: nobody may count on two.
    idle = domain.primitive("idle")
    maybe = parallel(idle(), load(), policy=inner)
    for goal in (parallel(maybe, load()), parallel((maybe, load()), idle())):
        plan = planned(domain, goal)
        assert plan is None or plan.predicted.get(Soldier.ammo) is UNKNOWN


def test_what_one_of_two_alternatives_does_is_unknown_outside_as_well(domain, load):
    idle = domain.primitive("idle")
    maybe = priority(load(), idle())
    assert planned(domain, parallel(maybe, idle())).predicted.get(Soldier.ammo) is UNKNOWN
    assert planned(domain, parallel((maybe, load()), idle())).predicted.get(Soldier.ammo) is UNKNOWN
    assert steps(domain, parallel(maybe, load())) == "no plan", "the sum would depend on the choice"


# suspended branches


def test_a_suspended_branch_suspends_what_follows_the_node(domain, load):
    idle = domain.primitive("idle")
    goal = (parallel((load(), pause(), idle()), idle()), load())
    assert steps(domain, goal) == ("(parallel((load, suspended(idle)), idle), suspended(load))")


def test_what_a_suspended_call_takes_its_arguments_from_is_read_on_arrival(domain):
    leave = domain.primitive("leave", effects=Soldier.place.becomes("hill"))

    @domain.compound
    def decorate(place: str):
        yield method(null(), when=Soldier.door)

    goal = parallel(leave(), decorate(Soldier.place))
    assert steps(domain, goal, door=UNKNOWN) == "parallel(leave, suspended(decorate(place)))"
    assert steps(domain, goal, door=True) == "no plan"


def test_steps_behind_the_node_are_those_of_the_longest_branch(domain, load):
    idle = domain.primitive("idle")
    goal = (parallel((idle(), idle()), load()), idle(), idle(), load())
    assert steps(domain, goal, Settings(horizon=3)) == (
        "(parallel((idle, idle), load), idle, suspended(idle, load))"
    )
    assert steps(domain, goal, Settings(horizon=2)) == (
        "(parallel((idle, idle), load), suspended(idle, idle, load))"
    )


def test_what_a_deferred_task_ensures_is_written_by_its_branch(domain, load, open_door):
    promise = defer(load(), ensures=Soldier.door.becomes(True))
    enter = domain.primitive("enter", precondition=Soldier.door)
    assert steps(domain, parallel(promise, enter())) == "no plan"
    assert steps(domain, (parallel(promise, load()), enter())) == (
        "(parallel(suspended(load), load), enter)"
    )


def test_what_a_promise_is_computed_from_is_read_by_its_branch(domain, load, open_door):
    promise = defer(load(), ensures=Soldier.light.becomes(Soldier.door))
    assert steps(domain, parallel(promise, open_door())) == "no plan"


# nothing to do


def test_a_branch_with_nothing_to_do_stands_beside_any_other(domain, load):
    plan = planned(domain, parallel(null(), load()))
    assert normal(plan.tree) == "load"
    assert plan.predicted == Soldier(ammo=1).frozen()
    assert steps(domain, sequence(parallel(null(), null()), load())) == "load"
