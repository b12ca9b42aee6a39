"""Is what bthtn plans what brute force finds, and does it work in every order in which it may run?

``check`` draws one problem by its seed and raises AssertionError, with what is wrong.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from bthtn import BthtnError, Planner, Settings, find_plan
from tests.independent import model
from tests.independent.brute_force import Moment, Outcome, Place, Search, TooMuch
from tests.independent.build import Built, state_of, world_of

EXPANSIONS = 300


def check(seed: str, seen: Counter[str]) -> None:
    """Draw a problem and plan it in all ways. ``seen`` counts what was drawn."""
    random = Random(seed)  # noqa: S311 - to be the same everywhere is its purpose
    kinds = (*model.ORDERED, *model.SUSPENDING, *model.OTHERS)
    if random.random() < 0.3:
        kinds = (*random.sample(kinds, 3), *model.SIDE_BY_SIDE * 3)
    problem = model.Author(random, kinds, deepest=3 if "parallel" in kinds else 2).problem()
    settings: dict[str, Any] = {"max_expansions": EXPANSIONS}
    if random.random() < 0.2:
        settings["horizon"] = random.randint(1, 3)
    if random.random() < 0.2:
        settings["horizon_time"] = random.randint(1, 5)
    settings |= {
        key: True
        for key, how_often in (("check_rest", 0.2), ("cheapest", 0.1))
        if random.random() < how_often
    }
    seen.update(problem.drawn, problems=1)
    seen.update(settings.keys())
    built = Built(problem)
    plan = _plan(built, Settings(**settings), random)
    if plan is TooMuch:
        seen["too much for bthtn"] += 1
        return
    if plan is not None:
        seen["plans"] += 1
        for _ in range(5):
            carry_out(plan, built, random, seen)
    if not problem.drawn & set(model.SIDE_BY_SIDE):
        try:
            compare(plan, problem, settings, seen)
        except TooMuch:
            seen["too much for brute force"] += 1


def _plan(built: Built, settings: Settings, random: Random) -> Any:
    """The plan, which is the same however it is asked for; TooMuch behind the limit."""
    problem = built.problem
    known, plain = (Planner(built.domain, built.goal, settings) for _ in "ab")
    for state in (_near(problem.start, random), _near(problem.start, random), problem.start):
        world = world_of(state)
        plan = _answer(lambda: find_plan(built.domain, world, built.goal, settings))  # noqa: B023 - called at once
        for planner in (known, plain, known, plain):
            other = _answer(lambda: planner.plan(world))  # noqa: B023 - called at once
            kind = "a remembered" if planner is known else "the same"
            if planner is known and other is not TooMuch and other is not None:
                assert other.tree  # so it is remembered
            assert _shown(other) == _shown(plan), f"{kind} plan: {_shown(other)}, {_shown(plan)}"
    if plan is not TooMuch:
        search = plain.search(world_of(problem.start))
        while search.status.value == "running":
            search.advance(random.randint(1, 9))
        assert _shown(search.plan) == _shown(plan), f"in slices: {_shown(search.plan)}"
    return plan


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except BthtnError as error:
        if error.code != "BT203":
            raise
        return TooMuch


def _near(state: model.State, random: Random) -> model.State:
    key = random.choice(model.FLUENTS)
    number = key[0] in model.NUMBERS
    return {**state, key: random.choice(model.SMALL) if number else random.random() < 0.5}


def _shown(plan: Any) -> Any:
    return (
        plan
        if plan in {None, TooMuch}
        else (_actions(plan), tuple(plan.record), str(plan.predicted))
    )


def _actions(plan: Any) -> tuple:
    return tuple((task.name, args) for task, args in plan.actions)


def compare(
    plan: Any, problem: model.Problem, settings: dict[str, Any], seen: Counter[str]
) -> None:
    """Hold a plan of a totally ordered problem against all decompositions."""
    suspends = not settings.get("check_rest")
    horizons = {key: settings.get(key) for key in ("horizon", "horizon_time")}
    search = Search(problem, **horizons, suspends=suspends)
    place = Place((), Moment(problem.start))
    found = search.outcomes(problem.goal, place)
    wanted: Outcome | None
    if settings.get("cheapest"):
        several = list(found)
        if any(one.rest is not None for one in several):
            return
        wanted = min(several, key=lambda one: _cost(problem, one), default=None)
        if wanted is not None and plan is not None and "random_of" in problem.drawn:
            dearer = suspends and plan.cost > _cost(problem, wanted)
            assert not dearer, f"{_shown(plan)} is dearer than {wanted}"
            return
    elif "random_of" in problem.drawn:
        several = list(found)
        wanted = (
            None
            if not several
            else next((one for one in several if plan and _agrees(plan, one, suspends)), several[0])
        )
    else:
        wanted = next(found, None)
    seen["compared"] += 1
    assert (plan is None) == (wanted is None), f"bthtn: {_shown(plan)}, brute force: {wanted}"
    if wanted is None:
        seen["no plan"] += 1
        return
    seen["suspended"] += wanted.rest is not None
    assert _agrees(plan, wanted, suspends), f"bthtn: {_shown(plan)}, brute force: {wanted}"
    if suspends and "random_of" not in problem.drawn:
        assert tuple(plan.record) == wanted.record, f"{plan.record} is not {wanted.record}"
        wrong = _differences(plan, wanted.at.state)
        assert not wrong, f"(predicted, right): {wrong}"


def _agrees(plan: Any, wanted: Outcome, suspends: bool) -> bool:
    """Whether the plan has the steps; a plan that was cut, the first of them."""
    actions = _actions(plan)
    return wanted.steps == actions if suspends else wanted.steps[: len(actions)] == actions


def _differences(plan: Any, state: model.State) -> dict[model.Key, tuple]:
    """The fluents, but for the volatile one, that the plan predicts otherwise, and both values."""
    predicted = state_of(plan.predicted, state)
    return {
        key: (predicted[key], one)
        for key, one in state.items()
        if key[0] != model.VOLATILE and predicted[key] != one
    }


def _cost(problem: model.Problem, outcome: Outcome) -> int:
    return sum(problem.primitives[name].cost for name, _ in outcome.steps)


def carry_out(plan: Any, built: Built, random: Random, seen: Counter[str]) -> None:
    """Carry out the steps in one of the orders that the plan allows, alternatives at random."""
    state = dict(built.problem.start)
    steps, whole = in_some_order(plan.tree, built.problem, random, seen)
    later = set(_asked_later(plan.tree))
    for step in steps:
        task, args = built.problem.primitives[step.task.name], step.args

        def read(fluent: str, index: Any) -> Any:
            return None if fluent == model.VOLATILE else state.get((fluent, index), False)

        if task.precondition is not None:
            truth = model.value(task.precondition, read, args)
            if truth is False and step in later:
                return  # the alternative is passed over
            assert truth is not False, f"{step} is impossible in {state}, in {_texts(steps)}"
        written = model.effects_in(task, state, args)
        assert written is not None, f"nobody knows what {step} writes"
        state.update(written)
    if whole:
        wrong = _differences(plan, state)
        sure = {key: two for key, two in wrong.items() if two[0] is not None}
        assert not sure, f"(predicted, real) after {_texts(steps)}: {sure}"


def in_some_order(
    node: Any, problem: model.Problem, random: Random, seen: Counter[str]
) -> tuple[list, bool]:
    """Steps of one execution of a plan tree, and whether it came to the tree's end."""
    kind = type(node).__name__
    match kind:
        case "TaskNode":
            return [node], True
        case "ScopeNode":
            return in_some_order(node.child, problem, random, seen)
        case "NullNode":
            return [], True
        case "SuspendedNode":
            return [], False
        case "PriorityNode":
            seen["alternatives"] += 1
            return in_some_order(random.choice(node.children), problem, random, seen)
    several = [in_some_order(child, problem, random, seen) for child in node.children]
    if kind == "SequenceNode":
        steps = []
        for some, whole in several:
            steps += some
            if not whole:
                return steps, False
        return steps, True
    assert kind == "ParallelNode", kind
    seen["interleavings"] += len(several) > 1
    busy = [
        {use for step in some for use in problem.primitives[step.task.name].uses}
        for some, _ in several
    ]
    assert sum(map(len, busy)) == len(set().union(*busy)), f"branches share resources: {several}"
    return _interleaved(several, node.policy.value, random)


def _asked_later(node: Any, *, first: bool = False) -> Iterator[Any]:
    """The steps whose condition may be asked at run time: the first ones of alternatives."""
    match type(node).__name__:
        case "TaskNode" if first:
            yield node
        case "ScopeNode":
            yield from _asked_later(node.child, first=first)
        case "SequenceNode":
            for child in node.children:
                yield from _asked_later(child, first=first)
                first = first and type(child).__name__ == "NullNode"
        case "ParallelNode" | "PriorityNode" as kind:
            for child in node.children:
                yield from _asked_later(child, first=first or kind == "PriorityNode")


def _texts(steps: list) -> str:
    return ", ".join(map(str, steps))


def _interleaved(
    branches: list[tuple[list, bool]], policy: str, random: Random
) -> tuple[list, bool]:
    """The steps of branches that take turns at random, up to where the policy ends them."""
    steps: list = []
    left = [list(some) for some, _ in branches]
    while True:
        over = [not some and whole for some, (_, whole) in zip(left, branches, strict=True)]
        if {"all": all(over), "any": any(over), "primary": over[0]}[policy]:
            return steps, True
        able = [some for some in left if some]
        if not able:
            return steps, False
        steps.append(random.choice(able).pop(0))
