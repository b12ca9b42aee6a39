"""Plain Python where data is not enough: what it reads and writes is recorded all the same."""

from functools import partial

import pytest

from bthtn import UNKNOWN, Domain, Fluent, FluentFamily, State, fluent, fluents, primitive
from bthtn.engine.domain.effect import effects_from, writes_of
from bthtn.engine.domain.function import Computed, FunctionEffect, function_text
from bthtn.engine.domain.task_effects import projected
from bthtn.engine.world.fluent import UnknownRead
from bthtn.engine.world.footprint import RecordingView, Write, WriteKind
from bthtn.errors import DomainError, PlanningError, StateError


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    spare: Fluent[int] = fluent(default=2)
    fuel: Fluent[float] = fluent(default=1.0)
    target: Fluent[bool] = fluent(default=False)
    at: Fluent[str] = fluent(default="home")
    seen: FluentFamily[str, bool] = fluents(default=False)


def constant(value):
    return Write(WriteKind.CONSTANT, value)


def computed(value):
    return Write(WriteKind.COMPUTED, value)


def writes(effects, **values):
    return writes_of(effects_from(effects, Soldier), Soldier(**values).frozen())


# conditions


def truth(function, **values):
    recorder = RecordingView(Soldier(**values).frozen())
    return Computed(function, Soldier, as_truth=True).evaluate(recorder), recorder.reads


def test_a_function_is_a_condition_and_what_it_reads_is_recorded():
    assert truth(lambda soldier: soldier.ammo > 3) == (True, {Soldier.ammo})
    assert truth(lambda soldier: soldier.target and soldier.ammo) == (False, {Soldier.target})
    assert truth(lambda soldier: soldier.seen["enemy"]) == (False, {Soldier.seen["enemy"]})


def test_the_truth_of_what_a_function_answers_counts():
    assert truth(lambda soldier: soldier.ammo)[0] is True
    assert truth(lambda soldier: soldier.ammo, ammo=0)[0] is False


def test_a_function_that_reads_something_unknown_answers_unknown():
    assert truth(lambda soldier: soldier.ammo > 3, ammo=UNKNOWN)[0] is UNKNOWN
    assert truth(lambda soldier: soldier.target and soldier.ammo, ammo=UNKNOWN)[0] is False


def test_a_function_may_ask_first_whether_something_is_known():
    def careful(soldier):
        return soldier.is_known(Soldier.ammo) and soldier.ammo > 3

    assert truth(careful)[0] is True
    assert truth(careful, ammo=UNKNOWN)[0] is False


def test_a_function_is_called_by_its_name_and_a_lambda_by_its_line():
    def ready(soldier):
        return True

    assert function_text(ready) == str(Computed(ready, Soldier)) == "ready"
    assert function_text(lambda soldier: True).startswith("lambda at line ")


def by_taxi(state, to="park"):
    return None


def test_a_lambda_that_only_calls_a_function_is_named_by_it():
    def by_foot(state, to, slowly=False):
        return None

    assert function_text(lambda state: by_taxi(state, "park")) == "by_taxi"
    assert function_text(lambda state: by_foot(state, "park", slowly=True)) == "by_foot"
    assert function_text(partial(partial(by_foot, to="park"), slowly=True)) == "by_foot"
    for other in (
        lambda state: len((state, "park")),
        lambda state: by_taxi(state) or by_foot(state, "park"),
        lambda state: by_foot(state, "park") > 3,
        lambda state: by_taxi(by_foot(state, "park")),
        lambda state: [by_foot(state, "park")],
        lambda state: state.by_foot(state),
        lambda state: unknown(state, "park"),  # noqa: F821 - that is the point
    ):
        assert function_text(other).startswith("lambda at line ")
    assert function_text(Soldier) == "Soldier"


# effects


def test_a_function_that_sets_fluents_is_an_effect():
    def refill(soldier):
        soldier.ammo = 6
        soldier.seen["box"] = True

    assert writes(refill) == {Soldier.ammo: constant(6), Soldier.seen["box"]: constant(True)}
    assert str(FunctionEffect(refill, Soldier)) == "refill"


def test_what_is_written_after_something_was_read_is_computed():
    def refill(soldier):
        soldier.target = False
        soldier.ammo += soldier.spare
        soldier.spare = 0

    assert writes(refill) == {
        Soldier.target: constant(False),
        Soldier.ammo: computed(8),
        Soldier.spare: computed(0),
    }


def test_a_function_effect_sees_what_it_wrote_itself():
    def twice(soldier):
        soldier.ammo = 1
        soldier.spare = soldier.ammo + 1

    assert writes(twice) == {Soldier.ammo: constant(1), Soldier.spare: constant(2)}


def test_a_function_effect_that_reads_something_unknown_cannot_be_told():
    def refill(soldier):
        soldier.ammo = soldier.spare

    with pytest.raises(UnknownRead, match="'spare' is unknown"):
        writes(refill, spare=UNKNOWN)


def test_a_function_effect_cannot_write_a_value_of_another_type():
    def misload(soldier):
        soldier.ammo = "plenty"

    with pytest.raises(StateError, match=r"\[BT106\] 'ammo' is int; 'plenty' is str"):
        writes(misload)


# effects of one list


def test_a_computed_value_of_another_type_is_refused_when_it_is_computed():
    wrong = Soldier.ammo.becomes(Computed(lambda soldier: "plenty", Soldier))
    with pytest.raises(StateError, match=r"\[BT106\] 'ammo' is int; 'plenty' is str"):
        writes(wrong)


def test_effects_of_one_list_happen_at_the_same_time():
    swap = [Soldier.ammo.becomes(Soldier.spare), Soldier.spare.becomes(Soldier.ammo)]
    assert writes(swap) == {Soldier.ammo: computed(2), Soldier.spare: computed(6)}


def test_of_two_that_write_the_same_the_later_wins():
    assert writes([Soldier.ammo.becomes(1), Soldier.ammo.becomes(2)])[Soldier.ammo].value == 2


def test_increases_of_one_list_add_up():
    several = [Soldier.ammo.increases(2), Soldier.ammo.decreases(1)]
    assert writes(several) == {Soldier.ammo: Write(WriteKind.INCREASE, 1)}
    assert writes([Soldier.ammo.becomes(1), Soldier.ammo.increases(2)])[Soldier.ammo].value == 3


def test_increases_of_a_float_add_up_as_well():
    several = [Soldier.fuel.increases(0.5), Soldier.fuel.increases(0.25)]
    assert writes(several) == {Soldier.fuel: Write(WriteKind.INCREASE, 0.75)}
    assert (
        writes([Soldier.fuel.becomes(0.0), Soldier.fuel.increases(0.5)])[Soldier.fuel].value == 0.5
    )


def test_what_becomes_unknown_and_then_increases_stays_unknown():
    several = [Soldier.ammo.becomes(Soldier.spare), Soldier.ammo.increases(1)]
    assert writes(several, spare=UNKNOWN)[Soldier.ammo].value is UNKNOWN


def test_which_fluent_is_written_has_to_be_known():
    mark = Soldier.seen[Soldier.at].becomes(True)
    assert writes(mark, at="hill") == {Soldier.seen["hill"]: constant(True)}
    with pytest.raises(UnknownRead, match="is unknown"):
        writes(mark, at=UNKNOWN)


# how a task would go


@pytest.fixture
def domain():
    return Domain("combat", Soldier)


def projection(task, *args, **values):
    return projected(task, args, RecordingView(Soldier(**values).frozen()))


def test_a_task_is_projected_with_effects_and_expected_effects_together(domain):
    task = domain.primitive(
        "task",
        precondition=Soldier.ammo > 0,
        effects=Soldier.ammo.decreases(1),
        expected=Soldier.target.becomes(False),
        actual=Soldier.at.becomes("elsewhere"),
        uses="arms",
        duration=lambda soldier: soldier.spare * 2,
        cost=Soldier.fuel,
    )
    step = projection(task)
    assert step.possible is True
    assert step.writes == {
        Soldier.ammo: Write(WriteKind.INCREASE, -1),
        Soldier.target: constant(False),
    }
    assert step.footprint.reads == {Soldier.ammo, Soldier.spare, Soldier.fuel}
    assert step.footprint.uses == {"arms"}
    assert (step.duration, step.cost) == (4, 1.0)


def test_a_task_that_cannot_be_told_names_what_is_unknown(domain):
    asks = domain.primitive("asks", precondition=Soldier.target)
    step = projection(asks, target=UNKNOWN)
    assert (step.possible, step.unknown) == (UNKNOWN, "target")

    def refill(soldier):
        soldier.ammo = soldier.spare

    does = domain.primitive("does", effects=refill)
    step = projection(does, spare=UNKNOWN)
    assert (step.possible, step.writes, step.unknown) == (True, None, "spare")


def test_a_duration_or_cost_that_is_unknown_counts_as_nothing(domain):
    task = domain.primitive("task", duration=Soldier.ammo, cost=lambda soldier: soldier.ammo)
    step = projection(task, ammo=UNKNOWN)
    assert (step.duration, step.cost) == (0, 0)


# parameters in functions


def test_functions_see_the_arguments_of_the_call_they_are_asked_for(domain):
    @domain.primitive
    def look_for(who: str, times: int):
        def mark(soldier):
            soldier.seen[who] = True

        return primitive(
            precondition=lambda soldier: not soldier.seen[who],
            effects=mark,
            duration=lambda soldier, times=times: times * 2,
        )

    step = projection(look_for, "enemy", 3)
    assert step.possible is True
    assert step.writes == {Soldier.seen["enemy"]: constant(True)}
    assert step.duration == 6
    assert projection(look_for, "enemy", 3, seen={"enemy": True}).possible is False
    assert projection(look_for, "friend", 3, seen={"enemy": True}).possible is True


def test_a_function_that_names_what_is_not_there_yet_says_so_when_it_is_asked(domain):
    @domain.primitive
    def wait(time: int):
        if time is None:
            factor = 2
        return primitive(duration=lambda soldier: time * factor)

    with pytest.raises(PlanningError, match=r"\[BT201\] lambda at line \d+ raised NameError"):
        projection(wait, 3)


def test_anything_that_can_be_called_with_a_state_is_a_condition(domain):
    class Sees:
        def __init__(self, who):
            self.who = who

        def __call__(self, soldier):
            return soldier.seen[self.who]

    look = domain.primitive("look", precondition=Sees("enemy"))
    assert projection(look, seen={"enemy": True}).possible is True
    assert projection(look).possible is False
    assert str(look.precondition) == "Sees"


def test_a_parameter_that_is_a_truth_is_a_condition(domain):
    @domain.primitive
    def go(quietly: bool, times: int):
        return primitive(precondition=quietly)

    assert projection(go, True, 1).possible is True
    assert projection(go, False, 1).possible is False

    def stay(times: int):
        return primitive(precondition=times)

    with pytest.raises(DomainError, match=r"\[BT110\] 'times'"):
        domain.primitive(stay)


def test_a_parameter_behind_a_star_is_seen_as_well(domain):
    @domain.primitive
    def wait(time: int):
        return primitive(duration=lambda soldier, *, time=time: time * 2)

    assert projection(wait, 3).duration == 6


def test_a_variable_around_a_function_that_changes_changes_for_all_arguments(domain):
    limit = 5

    @domain.primitive
    def wait(time: int):
        return primitive(precondition=lambda soldier: time <= limit)

    assert projection(wait, 4).possible is True
    limit = 3
    assert projection(wait, 4).possible is False
    assert projection(wait, 3).possible is True
    limit = 4
    assert projection(wait, 4).possible is True


def test_so_does_one_around_a_function_that_it_calls(domain):
    limit = 5

    @domain.primitive
    def wait(time: int):
        def most():
            return limit + time

        return primitive(precondition=lambda soldier: soldier.ammo <= most())

    assert projection(wait, 1).possible is True
    limit = 4
    assert projection(wait, 1).possible is False


def test_so_does_an_attribute_of_a_function(domain):
    waits = []

    @domain.primitive
    def wait(time: int):
        def possible(soldier):
            return time <= possible.limit

        possible.limit = 5
        waits.append(possible)
        return primitive(precondition=possible)

    assert projection(wait, 4).possible is True
    waits[0].limit = 3
    assert projection(wait, 4).possible is False


def test_so_does_an_object_that_is_called(domain):
    class AtMost:
        def __init__(self, time):
            self.time, self.limit = time, 5

        def __call__(self, soldier):
            return self.time <= self.limit

    made = []

    @domain.primitive
    def wait(time: int):
        made.append(AtMost(time))
        return primitive(precondition=made[0])

    assert projection(wait, 4).possible is True
    made[0].limit = 3
    assert projection(wait, 4).possible is False


def test_so_does_a_list_with_a_parameter_in_it(domain):
    made = []

    @domain.primitive
    def wait(time: int):
        times = [time]
        made.append(times)
        return primitive(precondition=lambda soldier: soldier.ammo in times)

    assert projection(wait, 4).possible is False
    made[0].append(6)
    assert projection(wait, 4).possible is True


def test_what_a_function_counts_around_it_is_counted_for_all_arguments(domain):
    calls = 0

    @domain.primitive
    def wait(time: int):
        def possible(soldier):
            nonlocal calls
            calls += 1
            return calls <= time

        return primitive(precondition=possible)

    assert [projection(wait, time).possible for time in (3, 2, 2)] == [True, True, False]
    assert calls == 3


@pytest.mark.parametrize("values", [((1,), (True,), (1.0,)), (0.0, -0.0), (1, True, 1.0)])
def test_arguments_that_are_equal_and_not_the_same_are_told_apart(domain, values):
    @domain.primitive
    def note(what):
        def possible(soldier):
            seen.append(repr(what))
            return True

        return primitive(precondition=possible)

    seen = []
    for value in (*values, *values):
        projection(note, value)
    assert seen == [repr(value) for value in (*values, *values)]
