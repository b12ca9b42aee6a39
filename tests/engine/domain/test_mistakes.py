"""Every mistake that can be found without a state is found when the domain is built, all at once.

``complaint`` is what somebody reads who made the mistake: code, place and hint.
"""

from dataclasses import FrozenInstanceError

import pytest

from bthtn import (
    BthtnError,
    Domain,
    State,
    defer,
    find_plan,
    method,
    parallel,
    primitive,
    priority,
)
from bthtn.errors import Diagnostic, DomainError, Severity, nearest
from tests.engine.domain.mistaken import Soldier, complaint, text

# BT101: names that nothing has


def test_a_task_that_does_not_exist_is_named_with_the_nearest_that_does(domain):
    domain.primitive("do_recovery")

    @domain.compound
    def attack():
        yield method(do_recover())  # noqa: F821 - the dangling reference of a well-known article

    assert complaint(domain.freeze) == text("""
        [BT101] no task is called 'do_recover'
          where: compound 'attack'
          hint: did you mean 'do_recovery'?
    """)


def test_looking_up_a_task_that_does_not_exist_names_the_nearest(domain, shoot):
    whole = domain.freeze()
    assert whole.task("shoot") is shoot
    assert complaint(whole.task, "shot") == text("""
        [BT101] no task is called 'shot'
          hint: did you mean 'shoot'?
    """)


# Wrong arguments: BT103


def test_a_missing_argument_is_told_with_the_parameters_there_are(move):
    assert complaint(move, "hill") == text("""
        [BT103] 'move' takes place, hurry: missing a required argument: 'hurry'
          where: call of 'move'
    """)


def test_too_many_arguments_are_told(shoot, move):
    assert complaint(shoot, 1) == text("""
        [BT103] 'shoot' takes no arguments: too many positional arguments
          where: call of 'shoot'
    """)
    assert "got an unexpected keyword argument 'slowly'" in complaint(
        move, "hill", hurry=True, slowly=True
    )


def test_an_argument_of_another_type_is_told(move):
    assert complaint(move, 3, hurry=True) == text("""
        [BT103] argument 'place' of 'move' is str; 3 is int
          where: call of 'move'
    """)
    assert "argument 'hurry' of 'move' is bool; 1 is int" in complaint(move, "hill", 1)


def test_a_parameter_passed_on_has_to_be_of_the_right_type(domain, move):
    @domain.compound
    def patrol(number: int):
        yield method(move(number, hurry=False))

    assert complaint(domain.freeze) == text("""
        [BT103] argument 'place' of 'move' is str; parameter 'number' is int
          where: compound 'patrol': call of 'move'
    """)


def test_an_argument_that_can_change_is_refused(domain):
    @domain.primitive
    def visit(places):
        return primitive()

    assert "an argument of 'visit' is list, which can change" in complaint(visit, ["a", "b"])
    assert "use a tuple instead of a list" in complaint(visit, ["a", "b"])
    assert str(visit(("a", "b"))) == "visit(('a', 'b'))"


@pytest.mark.parametrize("signature", ["*places", "*, place", "**places"])
def test_a_task_has_a_fixed_number_of_named_parameters(domain, signature):
    function = eval(f"lambda {signature}: None")  # noqa: S307 - a signature as a parameter
    assert "[BT103] parameter 'place" in complaint(domain.compound, function)
    assert "a task has a fixed number of named parameters" in complaint(domain.compound, function)


def test_whole_numbers_are_numbers_and_truths_are_not(domain):
    @domain.primitive
    def wait(time: float):
        return primitive()

    assert str(wait(3)) == "wait(3)"
    assert "argument 'time' of 'wait' is float; true is bool" in complaint(wait, time=True)


def test_types_that_only_a_type_checker_knows_are_not_checked(domain):
    @domain.primitive
    def visit(place: "Somewhere"):  # noqa: F821 - no such type at run time
        return primitive()

    assert str(visit(3)) == "visit(3)"


# BT104: names that two have


def test_two_tasks_cannot_have_one_name(domain, shoot):
    for define in (lambda: domain.primitive("shoot"), lambda: domain.compound(shoot_again())):
        assert complaint(define) == text("""
            [BT104] two tasks are called 'shoot'
              where: domain 'combat'
        """)


def shoot_again():
    def shoot():
        yield method()

    return shoot


# BT105: nothing where something has to be


def test_a_compound_task_without_methods_is_told(domain):
    @domain.compound
    def idle():
        yield from ()

    assert complaint(domain.freeze) == text("""
        [BT105] 'idle' has no methods
          where: compound 'idle'
          hint: yield method(...)
    """)


@pytest.mark.parametrize("construct", [parallel, priority])
def test_a_node_with_branches_has_at_least_one(construct):
    assert complaint(construct) == text(f"""
        [BT105] {construct.__name__}() has nothing in it
          hint: write null() for nothing
    """)


# BT108: too late


def test_a_domain_in_use_takes_no_more_tasks(domain, shoot):
    find_plan(domain, Soldier(), shoot())
    assert complaint(domain.primitive, "reload") == text("""
        [BT108] 'reload' comes too late: the domain is frozen
          where: domain 'combat'
          hint: define it before the first plan, or in a copy: domain = domain.copy()
    """)


def test_a_finished_domain_cannot_be_changed(domain, shoot):
    whole = domain.freeze()
    assert domain.freeze() is whole
    with pytest.raises(FrozenInstanceError):
        whole.name = "other"
    with pytest.raises(TypeError):
        whole.tasks["reload"] = shoot
    with pytest.raises(TypeError):
        whole.methods[shoot] = ()
    with pytest.raises(FrozenInstanceError):
        shoot.cost = 2


# BT109: tasks of other domains


def test_a_task_of_another_domain_is_a_stranger(domain):
    elsewhere = Domain("elsewhere", Soldier).primitive("swim")

    @domain.compound
    def cross():
        yield method(null_first(), priority(elsewhere(), defer(elsewhere())))

    @domain.primitive
    def null_first():
        return primitive()

    stranger = text("""
        [BT109] 'swim' belongs to another domain
          where: compound 'cross', method 0
          hint: define the task in this domain
    """)
    assert complaint(domain.freeze) == f"{stranger}\n{stranger}"


def test_a_goal_of_another_domain_is_a_stranger(domain):
    elsewhere = Domain("elsewhere", Soldier).primitive("swim")
    assert "[BT109] 'swim' belongs to another domain" in complaint(
        find_plan, domain, Soldier(), elsewhere()
    )


def test_a_task_of_another_domain_with_the_same_name_is_a_stranger_too(domain, shoot):
    other = Domain("elsewhere", Soldier).primitive("shoot")
    assert "[BT109]" in complaint(find_plan, domain, Soldier(), other())


def test_a_state_of_another_class_is_refused(domain, shoot):
    class Sailor(State):
        pass

    assert complaint(find_plan, domain, Sailor(), shoot()) == (
        "[BT110] the state is a Sailor; domain 'combat' plans with Soldier\n"
        "  hint: give it Soldier(...)"
    )


# all of them, in order


def test_all_mistakes_are_told_at_once_sorted_by_place(domain, shoot):
    @domain.compound
    def wander():
        yield method(shoot(), when=Soldier.ammo)
        yield method(shoot)

    @domain.compound
    def attack():
        yield method(shot())  # noqa: F821 - misspelt on purpose

    @domain.compound
    def idle():
        yield from ()

    with pytest.raises(DomainError) as caught:
        domain.freeze()
    assert [(one.code, one.where) for one in caught.value.diagnostics] == [
        ("BT101", "compound 'attack'"),
        ("BT105", "compound 'idle'"),
        ("BT110", "compound 'wander', method 0"),
        ("BT110", "compound 'wander', method 1"),
    ]
    assert caught.value.code == "BT101"
    assert str(caught.value).count("where:") == 4


def test_a_domain_that_was_not_well_made_can_be_mended(domain):
    @domain.compound
    def attack():
        yield method(shoot())

    assert "[BT101] no task is called 'shoot'" in complaint(domain.freeze)
    shoot = domain.primitive("shoot")
    assert find_plan(domain, Soldier(), attack()).steps


def test_errors_come_before_warnings():
    warning = Diagnostic("BT151", "careful", "a", severity=Severity.WARNING)
    error = Diagnostic("BT101", "no", "z")
    assert BthtnError.of([warning, error]).diagnostics == (error, warning)


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("relod", ["reload", "shoot"], "did you mean 'reload'?"),
        ("RELOAD", ["reload", "shoot"], "did you mean 'reload'?"),
        ("xyz", ["reload", "shoot"], "there is: reload, shoot"),
        ("xyz", [], ""),
        ("xyz", "abcdefghi", "there is: a, b, c, d, e, f, g, h, …"),
    ],
)
def test_a_hint_names_the_nearest_word_or_lists_a_few(word, known, hint):
    assert nearest(word, known) == hint
