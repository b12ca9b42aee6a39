"""Generated functions: where one looks for cycles, and what they leave to the search."""

import pytest

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Planner,
    Settings,
    State,
    find_plan,
    fluent,
    fluents,
    method,
    primitive,
    sequence,
)
from bthtn.domain.chance import SEED
from bthtn.errors import StateError
from bthtn.plan.walk import outline
from bthtn.planning.htn import expressions
from bthtn.planning.htn.fastpath import accelerator, asking, program
from bthtn.planning.htn.fastpath.cycles import cycles, guarded
from bthtn.planning.htn.fastpath.reachable import reachable
from bthtn.planning.htn.generated import executed
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import request
from bthtn.text.notation import normal
from tests.reference import Reference


class Yard(State):
    lit: Fluent[bool] = fluent(default=True)
    coal: Fluent[int] = fluent(default=3)
    wood: Fluent[int] = fluent(default=3)
    name: Fluent[str] = fluent(default="yard")
    on: FluentFamily[str, str] = fluents(default="")
    paved: FluentFamily[tuple[int, int, str], bool] = fluents(default=False)


def accelerator_of(asked):
    return accelerator(asked.domain, asked.goal, asked.binding, asked.settings)


def asked_often(domain, goal, settings=None):
    """A planner that has functions for its goal, if there can be any."""
    planner = Planner(domain, goal, settings or Settings())
    for _ in range(2):
        planner.search(domain.state_class())
    return planner


def yard_with(*written):
    domain = Domain("yard", Yard)
    made = {
        "burn_coal": domain.primitive("burn_coal", effects=Yard.coal.decreases(1)),
        "burn_wood": domain.primitive("burn_wood", effects=Yard.wood.decreases(1)),
        "fetch_coal": domain.primitive("fetch_coal", effects=Yard.coal.becomes(3)),
        "go_out": domain.primitive("go_out", effects=Yard.lit.becomes(False)),
        "light": domain.primitive("light", effects=Yard.lit.becomes(True)),
        "wait": domain.primitive("wait"),
    }
    for one in written:
        made[one.__name__] = domain.compound(one)
    return domain, made


def looked_at(domain, *goals):
    found = reachable(domain.freeze(), frozenset(goals))
    return sorted(task.name for task in guarded(found, cycles(found)))


def test_nobody_looks_for_cycles_where_each_round_moves_something_one_way():
    def fire():
        yield method(when=Yard.coal == 0)
        yield method(do["burn_coal"](), do["fire"]())
        yield method(do["burn_coal"](), do["burn_coal"](), do["fire"]())

    domain, do = yard_with(fire)
    assert looked_at(domain, do["fire"]) == []


def test_one_looks_where_another_round_moves_it_back():
    def fire():
        yield method(when=Yard.coal == 0)
        yield method(do["burn_coal"](), do["fire"]())
        yield method(do["fetch_coal"](), do["fire"]())

    domain, do = yard_with(fire)
    assert looked_at(domain, do["fire"]) == ["fire"]


def test_what_is_moved_back_only_where_something_else_moves_need_not_be_looked_at():
    def fire():
        yield method(do["burn_coal"](), do["fire"]())
        yield method(do["burn_wood"](), do["fetch_coal"](), do["fire"]())

    domain, do = yard_with(fire)
    assert looked_at(domain, do["fire"]) == []


def test_a_truth_moves_only_where_it_is_known_to_have_been_another():
    def night():
        yield method(do["go_out"](), do["night"](), when=Yard.lit)

    def day():
        yield method(do["go_out"](), do["day"]())

    domain, do = yard_with(night, day)
    assert looked_at(domain, do["night"]) == []
    assert looked_at(domain, do["day"]) == ["day"]


def test_what_comes_behind_a_call_moves_nothing_before_it():
    def fire():
        yield method()
        yield method(do["fire"](), do["burn_coal"]())

    domain, do = yard_with(fire)
    assert looked_at(domain, do["fire"]) == ["fire"]


def test_arguments_count_and_what_a_task_in_between_does_counts_too():
    def times(n: int):
        yield method(when=n == 0)
        yield method(do["wait"](), do["times"](n - 1))

    def around(n: int):
        yield method(do["back"](n - 1))

    def back(n: int):
        yield method(when=n == 0)
        yield method(do["around"](n + 1))

    def anything(n):
        yield method(do["anything"](n - 1))

    domain, do = yard_with(times, around, back, anything)
    assert looked_at(domain, do["times"]) == []
    assert looked_at(domain, do["back"]) == ["around", "back"]
    assert looked_at(domain, do["anything"]) == ["anything"]


def test_a_task_with_one_method_that_is_called_in_one_place_is_not_looked_at_besides_its_caller():
    def clear(block: str):
        yield method(when=Yard.on[block] == "")
        yield method(do["take_off"](block, Yard.on[block]))

    def take_off(block: str, top: str):
        yield method(do["clear"](top), do["wait"]())

    domain, do = yard_with(clear, take_off)
    assert looked_at(domain, do["clear"]) == ["clear"]
    assert looked_at(domain, do["clear"], do["take_off"]) == ["clear", "take_off"]


class Shelf(State):
    count: Fluent[int] = fluent(default=0)


def test_a_value_of_a_wrong_type_is_reported_as_by_the_search():
    shelf = Domain("shelf", Shelf)

    @shelf.primitive
    def put(many):
        return primitive(effects=Shelf.count.becomes(many))

    goal = put(0.5)
    planner = asked_often(shelf, goal)
    with pytest.raises(StateError) as told:
        planner.plan(Shelf())
    with pytest.raises(StateError) as expected:
        HtnSearch(request(shelf, Shelf(), goal)).advance()
    assert told.value.diagnostics == expected.value.diagnostics


def test_a_cycle_in_which_nothing_is_told_apart_is_left_to_the_search():
    domain = Domain("yard", Yard)
    put = domain.primitive("put", effects=Yard.on["a"].becomes("b"))

    @domain.compound
    def tidy():
        yield method(put(), tidy(), when=Yard.on["a"] == "")
        yield method(tidy(), when=Yard.on["a"] == "")
        yield method()

    assert accelerator_of(request(domain, Yard(), tidy())) is None
    assert asked_often(domain, tidy()).plan(Yard()).expansions == 3


def test_deeper_than_is_allowed_the_search_answers():
    domain = Domain("yard", Yard)

    @domain.compound
    def dig(n: int):
        yield method(when=n == 0)
        yield method(dig(n - 1))

    for deep, found in ((11, True), (10, False)):
        planner = asked_often(domain, dig(10), Settings(max_depth=deep))
        assert (planner.plan(Yard()) is not None) is found


def found_alone(asked):
    """Expansions and record of the plan that generated functions find."""
    plan = accelerator_of(asked)(asked.state, 1_000)
    return plan.expansions, list(plan.record)


def expected_of(asked):
    search = HtnSearch(asked)
    search.advance()
    return search.expansions, list(search.plan.record)


def test_a_cycle_is_cut_and_the_search_goes_on():
    domain = Domain("yard", Yard)
    step = domain.primitive("step", effects=Yard.coal.increases(1))
    leave = domain.primitive("leave", precondition=Yard.coal >= 6)

    @domain.compound
    def dawdle():
        yield method()
        yield method(dawdle(), step())
        yield method(step(), step(), step())

    @domain.compound
    def wander(n: int):
        yield method(wander(n), when=Yard.lit)
        yield method(dawdle(), leave())

    for goal in (wander(1), sequence(dawdle(), leave())):
        asked = request(domain, Yard(), goal)
        assert found_alone(asked) == expected_of(asked)


def test_what_a_method_did_to_a_family_is_taken_back_with_it():
    domain = Domain("yard", Yard)
    check = domain.primitive("check", precondition=Yard.on["a"] == "")

    @domain.primitive
    def put(what: str, where: str):
        return primitive(effects=Yard.on[where].becomes(what))

    @domain.compound
    def arrange(where: str):
        yield method(put("x", where))
        yield method(put("y", "b"))

    asked = request(domain, Yard(), sequence(arrange("a"), check()))
    assert found_alone(asked) == expected_of(asked) == (6, [1])


def test_what_was_read_of_a_family_is_read_again_once_it_was_written_by_another_name():
    domain = Domain("yard", Yard)

    @domain.primitive
    def swap(here: str, there: str):
        return primitive(precondition=Yard.on[here] == "", effects=Yard.on[there].becomes("x"))

    @domain.compound
    def twice(here: str, there: str):
        yield method(swap(here, there), swap(here, there))
        yield method(swap(here, "c"))

    for there, method_number in (("a", 1), ("b", 0)):
        asked = request(domain, Yard(), twice("a", there))
        assert found_alone(asked) == expected_of(asked)
        assert expected_of(asked)[1] == [method_number]


def test_an_index_made_of_texts_means_the_same_member_however_it_is_put_together():
    domain = Domain("yard", Yard)

    @domain.primitive
    def join(a: str, b: str):
        return primitive(effects=Yard.on[a + "-" + b].becomes("joined"))

    @domain.primitive
    def cut(whole: str):
        return primitive(
            precondition=Yard.on[whole] == "joined", effects=Yard.on[whole].becomes("cut")
        )

    @domain.compound
    def work(a: str, b: str):
        yield method(join(a, b), work(a, b), when=Yard.on[a + "-" + b] == "")
        yield method(cut("x-y"), work(a, b), when=Yard.on[a + "-" + b] == "joined")
        yield method(when=(Yard.on["x-" + b] == "cut") & (Yard.on[a + "-y"] == "cut"))

    asked = request(domain, Yard(), work("x", "y"))
    assert found_alone(asked) == expected_of(asked)


def test_a_plan_of_generated_functions_ends_with_the_seed():
    domain, do = yard_with()
    planner = asked_often(domain, sequence(do["wait"](), do["light"]()), Settings(seed=7))
    plan = planner.plan(Yard())
    assert plan.predicted.get(SEED) == 7


def test_plans_are_the_same_whichever_members_are_remembered(monkeypatch):
    monkeypatch.setattr(expressions, "MOST_MEMBERS", 2)
    domain, do = yard_with()

    @domain.compound
    def tidy(place: str):
        yield method(when=Yard.on[place] == "book")
        yield method(do["wait"]())

    planners = [asked_often(domain, tidy(place)) for place in ("a", "b", "c", "d")]
    for _ in range(3):
        found = [normal(planner.plan(Yard(on={"b": "book"})).tree) for planner in planners]
        assert found == ["wait", "null", "wait", "wait"]


class Sign(State):
    shown: Fluent[object] = fluent(default="")


def test_plans_whose_arguments_are_equal_but_of_other_types_have_trees_of_their_own():
    domain = Domain("sign", Sign)

    @domain.primitive
    def show(_it):
        return primitive()

    @domain.compound
    def repeat():
        yield method(show(Sign.shown))

    planner = asked_often(domain, repeat())
    for _ in range(3):
        for shown in (1, True, 1.0, "1"):
            (step,) = planner.plan(Sign(shown=shown)).steps
            assert [(type(one), one) for one in step.args] == [(type(shown), shown)]


@pytest.mark.parametrize("most", [1, 3, 100_000])
def test_a_member_with_an_index_of_several_parts_is_the_same_however_many_are_remembered(
    most, monkeypatch
):
    monkeypatch.setattr(expressions, "MOST_MEMBERS", most)
    domain = Domain("yard", Yard)

    @domain.primitive
    def pave(x: int, y: int):
        return primitive(
            precondition=~Yard.paved[x, y, "path"], effects=Yard.paved[x, y, "path"].becomes(True)
        )

    @domain.compound
    def pave_both(x: int, y: int):
        yield method(pave(x, y), pave(x + 1, y), pave(x, y))
        yield method(pave(x, y), pave(y, x))
        yield method(pave(x, y))

    for goal, record in ((pave_both(1, 2), [1]), (pave_both(2, 2), [2])):
        asked = request(domain, Yard(), goal)
        for _ in range(2):
            assert found_alone(asked) == expected_of(asked)
            assert expected_of(asked)[1] == record


@pytest.mark.parametrize("count", [3, 12, 60, 260])
def test_many_methods_tasks_and_calls_are_planned_as_few_are(count):
    domain, do = yard_with()

    @domain.compound
    def choose():
        for number in range(count):
            yield method(do["burn_coal"](), when=Yard.coal == number)

    @domain.compound
    def burn():
        yield method(*[do["burn_wood"]()] * count, choose())

    @domain.compound
    def again():
        yield method(*[choose()] * count)
        yield method()

    for goal in (choose(), burn(), again()):
        asked = request(domain, Yard(coal=count - 1), goal)
        planner = asked_often(domain, goal)
        plan = planner.plan(asked.state)
        assert (plan.expansions, list(plan.record)) == expected_of(asked)


def test_a_search_that_was_answered_by_functions_tells_what_it_read_and_finds_other_plans():
    domain, do = yard_with()

    @domain.compound
    def light_up():
        yield method(do["light"](), when=Yard.coal > 2)
        yield method(do["burn_coal"](), do["light"]())

    planner = asked_often(domain, light_up())
    search = planner.search(Yard(coal=3))
    search.advance(10)
    first = search.plan
    assert search.reads == {Yard.coal: 3}
    assert search.plan is first
    search.reject()
    search.advance()
    assert list(search.plan.record) == [1]


def test_what_functions_cannot_answer_within_a_budget_takes_several():
    domain, do = yard_with()
    search = asked_often(domain, sequence(*[do["wait"]()] * 5)).search(Yard())
    assert [search.advance(2).value for _ in range(3)] == ["running", "running", "solved"]
    assert search.expansions == search.plan.expansions == 5


def by_light(in_light, in_the_dark):
    """A task for each kind of light, with conditions of their own."""

    def by_day():
        yield method(domain.task("wait")(), when=in_light)

    def by_night():
        yield method(domain.task("light")(), when=in_the_dark)
        yield method(domain.task("wait")())

    def work():
        yield method(domain.task("by_day")(), when=Yard.lit)
        yield method(domain.task("by_night")())

    domain, made = yard_with(by_day, by_night, work)
    return request(domain, Yard(), made["work"]())


def test_functions_of_what_no_search_comes_to_are_not_generated(monkeypatch):
    texts = []

    def noted(text, names):
        texts.append(text)
        return executed(text, names)

    def with_number(number):
        return sum(f" {number}" in text for text in texts)

    monkeypatch.setattr(program, "executed", noted)
    asked = by_light(Yard.coal < 11, Yard.coal < 22)
    ask = accelerator_of(asked)
    assert normal(ask(asked.state, 100).tree) == "wait"
    assert (with_number(11), with_number(22)) == (1, 0)
    assert normal(ask(Yard(lit=False).frozen(), 100).tree) == "light"
    assert (with_number(11), with_number(22)) == (1, 1)
    many = len(texts)
    for state in (Yard(lit=False, coal=30), Yard(lit=False), Yard()):
        assert ask(state.frozen(), 100) is not None
    assert len(texts) == many


def test_a_task_without_functions_is_left_to_the_search_where_one_comes_to_it():
    deep = Yard.coal > 0
    for _ in range(expressions.DEEPEST):
        deep = (deep | Yard.lit) & (Yard.coal > 0)
    asked = by_light(Yard.lit, deep)
    ask = accelerator_of(asked)
    assert normal(ask(asked.state, 100).tree) == "wait"
    dark = Yard(lit=False)
    assert [ask(dark.frozen(), 100) for _ in range(2)] == [None, None]
    planner = asked_often(asked.domain, asked.goal)
    assert [normal(planner.plan(state).tree) for state in (dark, Yard(), dark)] == [
        *("light", "wait", "light"),
    ]


class Pile(State):
    height: FluentFamily[str, int] = fluents(default=0)


@pytest.mark.parametrize(("high", "alone"), [(100, True), (300, False)])
def test_an_open_call_is_compared_with_a_few_hundred_around_it_and_no_more(high, alone):
    domain = Domain("pile", Pile)

    @domain.primitive
    def put(where: str):
        return primitive(effects=Pile.height[where].increases(1))

    @domain.compound
    def pile_up(where: str):
        yield method(when=Pile.height[where] == high)
        yield method(put(where), pile_up(where))

    asked = request(domain, Pile(), pile_up("here"))
    answer = accelerator_of(asked)(asked.state, 10_000)
    assert (answer is not None) is alone
    assert asked_often(domain, pile_up("here")).plan(Pile()).expansions == 2 * high + 1


@pytest.mark.parametrize(
    ("line", "error"),
    [("nobody_knows_this", "is not defined"), ("a, b = ()", "not enough values to unpack")],
)
def test_a_mistake_in_generated_source_is_not_hidden_from_tests(line, error, monkeypatch):
    known = "{loop}"
    wrong = asking.ASKING.replace(known, f"                {line}\n{known}")
    monkeypatch.setattr(asking, "ASKING", wrong)
    domain, do = yard_with()
    ask = accelerator_of(request(domain, Yard(), do["wait"]()))
    with pytest.raises((NameError, ValueError), match=error):
        ask(request(domain, Yard(), do["wait"]()).state, 10)


class Lamps(State):
    count: Fluent[int] = fluent(default=1)
    fuel: Fluent[float] = fluent(default=1.0)
    lit: FluentFamily[int, bool] = fluents(default=False)
    full: FluentFamily[str, float] = fluents(default=0.0)


def test_an_index_of_a_wrong_type_is_refused_however_often_an_equal_one_was_looked_up():
    domain = Domain("lamps", Lamps)
    light = domain.primitive("light", effects=Lamps.count.increases(1))

    @domain.compound
    def lit(number):
        yield method(light(), when=~Lamps.lit[number])

    @domain.compound
    def compared():
        yield method(light(), when=~Lamps.lit[Lamps.count == 1])

    frozen = domain.freeze()
    for _ in range(3):
        assert find_plan(frozen, Lamps(), lit(1))
        for wrong in (lit(True), lit(1.0), compared(), sequence(lit(1), compared())):
            with pytest.raises(StateError, match="is indexed by int"):
                find_plan(frozen, Lamps(), wrong)


def by_function(state):
    state.fuel = NOT_A_NUMBER


def by_function_into_a_member(state):
    state.full["a"] = NOT_A_NUMBER


NOT_A_NUMBER = float("nan")


@pytest.mark.parametrize(
    "effect",
    [
        Lamps.fuel.becomes(NOT_A_NUMBER),
        Lamps.full["a"].becomes(NOT_A_NUMBER),
        Lamps.fuel.decreases(Lamps.fuel * float("inf")),
        by_function,
        by_function_into_a_member,
    ],
)
def test_a_task_inside_itself_fails_where_the_state_has_the_same_nan_however_often_one_asks(effect):
    domain = Domain("lamps", Lamps)
    fill = domain.primitive("fill", effects=effect)
    stop = domain.primitive("stop")

    @domain.compound
    def filled():
        yield method(fill(), filled())
        yield method(stop())

    frozen, settings = domain.freeze(), Settings(max_expansions=50, max_depth=40)
    expected = outline(next(Reference(request(frozen, Lamps(), filled(), settings)).plans()).tree)
    for _ in range(4):
        assert outline(find_plan(frozen, Lamps(), filled(), settings).tree) == expected
    assert len(find_plan(frozen, Lamps(), filled(), settings).steps) <= 3


def test_a_call_with_a_nan_inside_itself_fails_however_often_one_asks():
    domain = Domain("lamps", Lamps)
    light = domain.primitive("light", effects=Lamps.count.becomes(1))
    stop = domain.primitive("stop")

    @domain.compound
    def lighting(number: float):
        yield method(light(), lighting(number))
        yield method(stop())

    settings = Settings(max_expansions=50, max_depth=40)
    for _ in range(4):
        plan = find_plan(domain, Lamps(), lighting(NOT_A_NUMBER), settings)
        assert [step.task.name for step in plan.steps] == ["stop"]
