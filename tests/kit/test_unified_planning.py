"""bthtn as a planner of Unified Planning, and what it answers."""

import importlib
from itertools import pairwise

import pytest
from unified_planning.engines import LogLevel
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.exceptions import UPUsageError
from unified_planning.model.htn import HierarchicalProblem, Method, Task
from unified_planning.shortcuts import (
    GE,
    BoolType,
    Equals,
    Exists,
    Fluent,
    Iff,
    Implies,
    InstantaneousAction,
    IntType,
    MaximizeExpressionOnFinalState,
    MinimizeActionCosts,
    MinimizeSequentialPlanLength,
    Not,
    Object,
    OneshotPlanner,
    Or,
    Plus,
    Problem,
    RealType,
    Times,
    UserType,
    Variable,
    get_environment,
)
from unified_planning.test.examples import get_example_problems

import bthtn.kit.unified_planning
from bthtn import BthtnError, Settings
from bthtn.behaviours import ManualClock
from bthtn.kit.unified_planning import BthtnPlanner
from tests.independent.up_plans import verify

get_environment().credits_stream = None
get_environment().factory.add_engine("bthtn", "bthtn.kit.unified_planning", "BthtnPlanner")
SPOT = UserType("spot")
LATE = ("CONTINUOUS_TIME", "DISCRETE_TIME", "PROCESSES")


def solved(problem, **how):
    return BthtnPlanner(**how).solve(problem)


def said(problem, **how):
    result = solved(problem, **how)
    assert result.status is Status.UNSUPPORTED_PROBLEM
    (message,) = result.log_messages
    return message.message


def lamp(**fluents):
    """A problem with actions that switch a lamp on and off, and with further fluents."""
    problem = Problem("lamp")
    on = problem.add_fluent("on", default_initial_value=False)
    for name, (kind, value) in fluents.items():
        problem.add_fluent(name, kind, default_initial_value=value)
    for name, becomes in (("light", True), ("quench", False)):
        action = InstantaneousAction(name)
        action.add_precondition(Not(on) if becomes else on())
        action.add_effect(on, becomes)
        problem.add_action(action)
    return problem


def added(problem, name, *effects, needs=(), **parameters):
    """An action that is added to a problem."""
    action = InstantaneousAction(name, **parameters)
    for each in needs:
        action.add_precondition(each)
    for effect in effects:
        action.add_effect(*effect)
    problem.add_action(action)
    return action


def steps(problem, *goals, **how):
    for goal in goals:
        problem.add_goal(goal)
    result = solved(problem, **how)
    assert verify(problem, result.plan) >= 0
    return [step.action.name for step in result.plan.actions]


# the problems of Unified Planning itself


def test_its_example_problems_are_solved_or_refused_for_what_they_need():
    for name, case in get_example_problems().items():
        kind, result = case.problem.kind, solved_or_refused(case.problem)
        if BthtnPlanner.supports(kind):
            assert result.status is Status.SOLVED_SATISFICING, name
            assert verify(case.problem, result.plan) >= 0
        else:
            (message,) = result.log_messages
            missing = kind.features - BthtnPlanner.supported_kind().features
            assert message.message.endswith(", ".join(sorted(missing)))


def solved_or_refused(problem):
    engine = BthtnPlanner()
    engine.skip_checks = True
    return engine.solve(problem)


def test_a_problem_of_another_kind_is_refused_before_it_is_read():
    problem = lamp(oil=(IntType(), 0))
    problem.add_quality_metric(MaximizeExpressionOnFinalState(problem.fluent("oil")()))
    with pytest.raises(UPUsageError, match="whether bthtn can solve"):
        solved(problem)


# conditions and effects


def test_conditions_of_each_kind_are_planned_with():
    problem = lamp(a=(BoolType(), False), n=(IntType(), 1))
    a, n, on = (problem.fluent(name)() for name in ("a", "n", "on"))
    added(problem, "set", (problem.fluent("a"), True), needs=[Iff(on, GE(n, 1))])
    added(problem, "far", (problem.fluent("a"), True), needs=[Or(GE(n, Times(2, 3)), Not(True))])
    assert steps(problem, Implies(on, a), a, Not(on)) == ["light", "set", "quench"]


def test_a_fluent_may_be_among_the_arguments_of_another():
    problem = Problem("nested")
    here, home = Fluent("here", SPOT), Fluent("home", SPOT, of=SPOT)
    lit = Fluent("lit", at=SPOT)
    a, b = Object("a", SPOT), Object("b", SPOT)
    problem.add_objects([a, b])
    problem.add_fluent(here, default_initial_value=a)
    problem.add_fluent(home, default_initial_value=b)
    problem.add_fluent(lit, default_initial_value=False)
    added(problem, "stay", (lit(a), False), needs=[lit(home(here))])
    added(problem, "light", (lit(b), True))
    added(problem, "go", (here, b), needs=[lit(home(here))])
    assert steps(problem, Equals(home(here), here)) == ["light", "go"]
    problem.clear_goals()
    added(problem, "lost", (here, home(here)))
    assert "BT441] a fluent is among the arguments" in said_of_cost(problem, home(home(here)))


def said_of_cost(problem, value):
    action = InstantaneousAction("further")
    action.add_effect(problem.fluent("here"), value)
    problem.add_action(action)
    return said(problem)


def test_an_effect_may_copy_a_truth_and_be_for_all_objects():
    problem = lamp()
    on, seen = problem.fluent("on"), Fluent("seen", at=SPOT)
    problem.add_fluent(seen, default_initial_value=False)
    problem.add_objects([Object("a", SPOT), Object("b", SPOT)])
    every = Variable("every", SPOT)
    look = InstantaneousAction("look")
    look.add_effect(seen(every), on(), forall=[every])
    problem.add_action(look)
    some = Variable("some", SPOT)
    unseen = Not(Exists(Not(seen(some)), some))
    assert steps(problem, unseen, Not(on())) == ["light", "look", "quench"]


def test_a_number_does_not_leave_the_bounds_of_its_type():
    problem = Problem("bounds")
    n = problem.add_fluent("n", IntType(0, 5), default_initial_value=4)
    m = problem.add_fluent("m", RealType(), default_initial_value=0)
    for name, change in (("up", 2), ("down", 1)):
        action = InstantaneousAction(name)
        (action.add_increase_effect if name == "up" else action.add_decrease_effect)(n, change)
        problem.add_action(action)
    added(problem, "copy", (m, Plus(n, 1)))
    assert steps(problem, Equals(n, 5), Equals(m, 4)) == ["down", "copy", "up"]


# answers


def test_that_there_is_no_plan_is_proven_by_a_search_that_has_ended():
    problem = lamp(a=(BoolType(), False))
    problem.add_goal(problem.fluent("a")())
    assert solved(problem).status is Status.UNSOLVABLE_PROVEN


def test_a_search_at_its_limit_proves_nothing():
    problem = lamp(n=(IntType(), 0))
    added(problem, "count").add_increase_effect(problem.fluent("n"), 1)
    problem.add_goal(Equals(problem.fluent("n"), -1))
    result = solved(problem, settings=Settings(max_expansions=20))
    assert result.status is Status.UNSOLVABLE_INCOMPLETELY
    assert result.log_messages[0].level is LogLevel.INFO
    assert "the limit of 20 expansions" in result.log_messages[0].message


def test_a_timeout_goes_by_the_clock():
    problem = lamp(n=(IntType(), 0))
    added(problem, "count").add_increase_effect(problem.fluent("n"), 1)
    problem.add_goal(Equals(problem.fluent("n"), 300))
    clock = ManualClock()

    def hurrying():
        clock.advance(1)
        return clock()

    assert BthtnPlanner(clock=hurrying).solve(problem, timeout=2).status is Status.TIMEOUT
    assert BthtnPlanner(clock=clock).solve(problem, timeout=1).plan is not None


def test_what_it_is_given_and_does_not_use_is_told():
    with pytest.warns(UserWarning, match="does not use the heuristic"):
        BthtnPlanner().solve(lamp(), heuristic=lambda _: 0)


def test_the_cheapest_plan_is_found_where_an_optimal_one_is_required():
    problem = lamp(a=(BoolType(), False))
    a, on = problem.fluent("a"), problem.fluent("on")
    dear = added(problem, "dear", (a, True))
    cheap = added(problem, "cheap", (a, True), needs=[on()])
    problem.add_goal(a())
    costs = {dear: 9, cheap: 2, problem.action("light"): 3, problem.action("quench"): 0}
    problem.add_quality_metric(MinimizeActionCosts(costs))
    how = {"problem_kind": problem.kind, "optimality_guarantee": "SOLVED_OPTIMALLY"}
    get_environment().factory.preference_list = ["bthtn"]
    with OneshotPlanner(**how) as planner:
        result = planner.solve(problem)
    assert result.status is Status.SOLVED_OPTIMALLY
    assert [step.action.name for step in result.plan.actions] == ["light", "cheap"]
    problem.clear_quality_metrics()
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    result = solved(problem, settings=Settings(cheapest=True))
    assert result.status is Status.SOLVED_OPTIMALLY
    assert [step.action.name for step in result.plan.actions] == ["dear"]


def test_two_metrics_are_refused():
    problem = lamp()
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    problem.add_quality_metric(MinimizeActionCosts({}, default=1))
    assert "lamp, the problem" in said(problem)


def test_without_the_extra_an_import_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(BthtnError, match=r"BT418.*is not installed[^$]*bthtn\[up\]"):
        importlib.reload(bthtn.kit.unified_planning)


# tasks


def chores(*networks, ordered=False):
    """A problem of tasks ``do(spot)``, whose methods have these networks of action and argument.

    ``dirty`` spots are swept, ``swept`` ones mopped, and none is swept while another is wet.
    """
    problem = HierarchicalProblem("chores")
    dirty, swept, wet = (Fluent(name, at=SPOT) for name in ("dirty", "swept", "wet"))
    for fluent in (dirty, swept, wet):
        problem.add_fluent(fluent, default_initial_value=fluent is dirty)
    near = problem.add_fluent("near", default_initial_value=False, a=SPOT, b=SPOT)
    a, b = problem.add_object("a", SPOT), problem.add_object("b", SPOT)
    problem.set_initial_value(near(a, b), True)
    problem.set_initial_value(near(b, a), True)
    some = Variable("some", SPOT)
    sweep, mop = (InstantaneousAction(name, at=SPOT) for name in ("sweep", "mop"))
    sweep.add_precondition(dirty(sweep.at))
    sweep.add_precondition(Not(Exists(wet(some), some)))
    sweep.add_effect(swept(sweep.at), True)
    mop.add_precondition(swept(mop.at))
    mop.add_effect(wet(mop.at), True)
    problem.add_actions([sweep, mop])
    do = problem.add_task("do", at=SPOT)
    for number, network in enumerate(networks):
        method = Method(f"m{number}", at=SPOT, by=SPOT)
        method.set_task(do)
        method.add_precondition(near(method.at, method.by))
        tasks = [
            method.add_subtask(problem.action(name), method.parameter(argument))
            for name, argument in network
        ]
        for first, then in pairwise(tasks) if ordered else ():
            method.set_strictly_before(first, then)
        problem.add_method(method)
    return problem


def test_a_plan_in_turns_is_told_with_what_each_task_became():
    problem = chores([("sweep", "at"), ("mop", "at")], ordered=True)
    for spot in ("a", "b"):
        problem.task_network.add_subtask(problem.get_task("do"), problem.object(spot))
    plan = solved(problem).plan
    assert verify(problem, plan) == 4
    assert [step.action.name for step in plan.action_plan.actions] == [
        "sweep",
        "sweep",
        "mop",
        "mop",
    ]
    methods = [method for _, method in plan.methods()]
    assert {str(method.parameters) for method in methods} == {"(a, b)", "(b, a)"}


@pytest.mark.parametrize(
    "network",
    [[], [("sweep", "at")], [("sweep", "by"), ("sweep", "at")], [("sweep", "by"), ("mop", "by")]],
)
def test_the_values_of_a_methods_variables_are_told(network):
    problem = chores(network)
    problem.task_network.add_subtask(problem.get_task("do"), problem.object("a"))
    plan = solved(problem).plan
    assert verify(problem, plan) == len(network)
    ((_, method),) = plan.methods()
    assert str(method.parameters) == "(a, b)"


def test_variables_of_the_initial_network_are_chosen():
    problem = chores([("sweep", "at")])
    network = problem.task_network
    spot = network.add_variable("spot", SPOT)
    first = network.add_subtask(problem.get_task("do"), spot)
    network.set_strictly_before(first, network.add_subtask(problem.action("mop"), spot))
    network.add_constraint(Not(Equals(spot, problem.object("a"))))
    plan = solved(problem).plan
    assert [str(step) for step in plan.action_plan.actions] == ["sweep(b)", "mop(b)"]
    assert verify(problem, plan) == 2


@pytest.mark.parametrize(
    ("subtasks", "status"),
    [
        (["mop"], Status.UNSOLVABLE_PROVEN),
        (["mop", "do"], Status.UNSOLVABLE_PROVEN),
        (["do", "mop"], Status.UNSOLVABLE_INCOMPLETELY),
    ],
)
def test_no_plan_for_tasks_is_proven_where_no_recursion_is_cut(subtasks, status):
    problem = chores()
    do = problem.get_task("do")
    method = Method("again", at=SPOT)
    method.set_task(do)
    known = {"do": do, "mop": problem.action("mop")}
    method.set_ordered(*(method.add_subtask(known[name], method.at) for name in subtasks))
    problem.add_method(method)
    problem.task_network.add_subtask(do, problem.object("a"))
    result = solved(problem)
    assert result.status is status
    if status is Status.UNSOLVABLE_INCOMPLETELY:
        problem.add_quality_metric(MinimizeSequentialPlanLength())
        engine = BthtnPlanner()
        engine.optimality_metric_required = True
        assert "optimal" in engine.solve(problem).log_messages[0].message


def test_no_plan_is_proven_where_an_order_is_planned_in_blocks():
    problem = chores([("sweep", "at"), ("mop", "at")], ordered=True)
    network, do = problem.task_network, problem.get_task("do")
    a, b, c, d = (network.add_subtask(do, problem.object(spot)) for spot in "abab")
    for first, then in ((a, c), (b, c), (b, d)):
        network.set_strictly_before(first, then)
    assert solved(problem).status is Status.UNSOLVABLE_INCOMPLETELY


def test_an_argument_of_a_subtask_is_an_object_or_a_parameter():
    problem = chores()
    here = problem.add_fluent("here", SPOT, default_initial_value=problem.object("a"))
    problem.task_network.add_subtask(problem.action("sweep"), here())
    assert "the argument 'here' of a subtask is neither" in said(problem)


def test_a_task_without_methods_cannot_be_done():
    problem = chores()
    problem.add_task(Task("odd"))
    problem.task_network.add_subtask(problem.get_task("odd"))
    assert solved(problem).status is Status.UNSOLVABLE_PROVEN
