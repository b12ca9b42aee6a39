"""Writing a domain: what an author says is what the frozen domain holds."""

import pytest

from bthtn import (
    UNKNOWN,
    BthtnError,
    Domain,
    Fluent,
    FluentFamily,
    Primitive,
    Resource,
    State,
    defer,
    fluent,
    fluents,
    method,
    null,
    parallel,
    pause,
    primitive,
    priority,
    sequence,
)
from bthtn.engine.domain.builder import frozen
from bthtn.engine.domain.condition import condition_from, why
from bthtn.engine.domain.network import (
    NullNetwork,
    ParallelPolicy,
    SequenceNetwork,
    calls_in,
    network_text,
    parts_of,
)
from bthtn.engine.world.expression import ALWAYS, Parameter


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    target: Fluent[bool] = fluent(default=False)
    at: Fluent[str] = fluent(default="home")
    seen: FluentFamily[str, bool] = fluents(default=False)


@pytest.fixture
def domain():
    return Domain("combat", Soldier)


# tasks


def test_a_primitive_task_is_what_was_said_about_it(domain):  # R000-20
    reload = domain.primitive(
        "reload",
        precondition=Soldier.ammo < 6,
        exec_only=Soldier.target,
        during=Soldier.ammo > 0,
        effects=Soldier.ammo.becomes(6),
        expected=[Soldier.target.becomes(False)],
        actual=Soldier.at.becomes("here"),
        on_start=Soldier.ammo.becomes(1),
        on_failure=Soldier.ammo.becomes(2),
        on_abort=[Soldier.ammo.becomes(3)],
        uses=[Resource("arms"), "eyes"],
        duration=3,
        cost=2.5,
        uninterruptible=True,
    )
    assert repr(reload) == "<primitive reload>"
    assert str(reload.precondition) == "ammo < 6"
    assert str(reload.exec_only) == "target"
    assert str(reload.during) == "ammo > 0"
    assert [str(effect) for effect in reload.effects] == ["ammo becomes 6"]
    assert [str(effect) for effect in reload.expected] == ["target becomes false"]
    assert [str(effect) for effect in reload.actual] == ["at becomes 'here'"]
    assert [str(effect) for effect in reload.on_start] == ["ammo becomes 1"]
    assert [str(effect) for effect in reload.on_failure] == ["ammo becomes 2"]
    assert [str(effect) for effect in reload.on_abort] == ["ammo becomes 3"]
    assert reload.uses == {"arms", "eyes"}
    assert reload.uninterruptible
    assert (str(reload.duration), str(reload.cost)) == ("3", "2.5")


def test_what_is_not_said_asks_nothing_and_changes_nothing(domain):
    idle = domain.primitive("idle")
    assert idle.precondition is idle.exec_only is idle.during is ALWAYS
    assert idle.effects == idle.expected == idle.actual == ()
    assert idle.on_start == idle.on_failure == idle.on_abort == ()
    assert not idle.uninterruptible
    assert idle.uses == frozenset()
    assert (str(idle.duration), str(idle.cost)) == ("0", "1")


@pytest.mark.parametrize("uses", [Resource("legs"), "legs", ["legs"]], ids=str)
def test_one_resource_needs_no_list(domain, uses):
    assert domain.primitive("run", uses=uses).uses == {"legs"}


def test_a_primitive_task_with_parameters_is_a_function_of_them(domain):
    @domain.primitive
    def look_for(who: str, hurry: bool) -> Primitive:
        """Look around until somebody is seen."""
        return primitive(effects=Soldier.seen[who].becomes(True))

    assert look_for.name == "look_for"
    assert look_for.doc == "Look around until somebody is seen."
    assert [(p.name, p.position, p.type) for p in look_for.parameters] == [
        ("who", 0, str),
        ("hurry", 1, bool),
    ]
    assert [str(effect) for effect in look_for.effects] == ["seen[who] becomes true"]
    assert str(look_for("enemy", hurry=True)) == "look_for('enemy', true)"
    assert str(look_for(hurry=UNKNOWN, who=Soldier.at)) == "look_for(at, unknown)"


def test_a_decorator_with_arguments_is_told_where_they_belong(domain):
    with pytest.raises(BthtnError, match=r"without brackets .* return primitive\(\.\.\.\)"):

        @domain.primitive(uses="legs")
        def move(to: str):
            return primitive()


def test_calls_are_equal_when_task_and_arguments_are(domain):
    @domain.primitive
    def wait(time: int) -> Primitive:
        return primitive()

    rest = domain.primitive("rest")
    assert wait(3) == wait(3)
    assert hash(wait(3)) == hash(wait(3))
    assert wait(3) != wait(4)
    assert rest() == rest()
    assert rest() != wait(3)
    assert rest() != "rest"
    assert wait(Soldier.ammo) == wait(Soldier.ammo)


def test_the_function_of_a_compound_task_runs_once_when_the_domain_is_frozen(domain):
    runs = []
    assert repr(domain) == "<domain combat: 0 tasks, being written>"

    @domain.compound
    def fight():
        """Fight, later."""
        runs.append("fight")
        yield method(shoot(), when=Soldier.target, name="seen")
        yield method(fight())

    shoot = domain.primitive("shoot")
    assert (repr(fight), fight.doc) == ("<compound fight>", "Fight, later.")
    assert runs == []
    whole = domain.freeze()
    domain.freeze()
    assert runs == ["fight"]
    first, second = whole.methods[fight]
    assert (first.name, str(first.condition), first.text()) == ("seen", "target", "shoot")
    assert (second.name, str(second.condition), second.text()) == ("", "true", "fight")
    assert repr(whole) == "<domain combat: 2 tasks>"
    assert repr(domain) == "<domain combat: 2 tasks, frozen>"
    assert list(whole.tasks) == ["fight", "shoot"]


def test_a_domain_and_its_frozen_form_are_taken_alike(domain):
    assert frozen(domain) is domain.freeze()
    assert frozen(domain.freeze()) is domain.freeze()


def test_a_parameter_is_handed_on_by_name(domain):
    @domain.primitive
    def look_for(who: str) -> Primitive:
        return primitive()

    @domain.compound
    def hunt(who: str):
        yield method(look_for(who), when=~Soldier.seen[who])
        yield method()

    first, _ = domain.freeze().methods[hunt]
    assert (str(first.condition), first.text()) == ("not seen[who]", "look_for(who)")


# networks


@pytest.fixture
def a(domain):
    return domain.primitive("a")


@pytest.fixture
def b(domain):
    return domain.primitive("b")


def test_networks_print_as_they_are_written(a, b):
    written = {
        "(a, b)": sequence(a(), b()),
        "a": sequence(a()),
        "null": sequence(),
        "parallel(a, b)": parallel(a(), b()),
        "parallel(a, (a, b), policy=any)": parallel(a(), (a(), b()), policy="any"),
        "priority(a, null)": priority(a(), null()),
        "priority(a, b, reactive)": priority(a(), b(), reactive=True),
        "(a, pause, b)": sequence(a(), pause(), b()),
        "defer(a)": defer(a()),
    }
    assert {network_text(network): network for network in written.values()} == written


def test_sequences_in_sequences_are_one_and_tuples_are_sequences(a, b):
    flat = SequenceNetwork((a(), b(), a()))
    assert sequence(a(), sequence(b(), a())) == flat
    assert sequence((a(), b()), a()) == flat
    assert sequence(a(), (b(), (a(),))) == flat
    assert parallel((a(), b())).parts == (sequence(a(), b()),)


def test_null_is_kept_where_it_was_written(a):
    assert sequence(a(), null(), a()).parts == (a(), NullNetwork(), a())


def test_a_policy_is_a_word_or_a_member(a):
    assert parallel(a(), policy="primary").policy is ParallelPolicy.PRIMARY
    assert parallel(a(), policy=ParallelPolicy.ANY).policy is ParallelPolicy.ANY
    assert parallel(a()).policy is ParallelPolicy.ALL


def test_a_deferred_task_may_ensure_one_thing_or_several(a):
    one, other = Soldier.target.becomes(True), Soldier.ammo.increases(1)
    assert defer(a()).ensures == ()
    assert defer(a(), ensures=one).ensures == (one,)
    assert defer(a(), ensures=(one, other)).ensures == (one, other)


def test_every_call_in_a_network_is_found_from_left_to_right(a, b):
    network = sequence(a(), parallel(b(), priority(a(), (defer(b()), pause()))), null(), a())
    assert [call.task.name for call in calls_in(network)] == ["a", "b", "a", "b", "a"]
    assert parts_of(a()) == parts_of(pause()) == ()


def test_a_call_prints_values_for_parameters_when_it_has_them(domain):
    @domain.primitive
    def wait(time: int) -> Primitive:
        return primitive()

    network = priority(wait(Parameter("time", 0, int)), defer(wait(Parameter("time", 0, int))))
    assert network_text(network) == "priority(wait(time), defer(wait(time)))"
    assert network_text(network, (3,)) == "priority(wait(3), defer(wait(3)))"


# conditions and why they fail


@pytest.mark.parametrize(
    ("condition", "values", "reason"),
    [
        (Soldier.ammo > 0, {"ammo": 0}, "ammo > 0 is false: ammo = 0"),
        (Soldier.ammo > 0, {}, "ammo > 0 is true: ammo = 6"),
        (
            Soldier.target & (Soldier.ammo > 0),
            {"target": True, "ammo": UNKNOWN},
            "target and ammo > 0 is unknown: target = true, ammo = unknown",
        ),
        (Soldier.target & (Soldier.ammo > 0), {}, "target and ammo > 0 is false: target = false"),
        (ALWAYS, {}, "true is true"),
    ],
    ids=str,
)
def test_why_tells_the_condition_its_truth_and_what_it_read(condition, values, reason):
    assert why(condition, Soldier(**values).frozen()) == reason


def test_why_names_the_arguments_of_a_call():
    condition = Soldier.seen[Parameter("who", 0, str)]
    reason = "seen[enemy] is false: seen[enemy] = false"
    assert why(condition, Soldier().frozen(), ("enemy",)) == reason


def test_why_names_a_plain_function_and_what_it_read():
    def has_a_reason(soldier):
        return soldier.target and soldier.ammo > 0

    condition = condition_from(has_a_reason, Soldier)
    assert why(condition, Soldier().frozen()) == "has_a_reason is false: target = false"
    unknown = Soldier(target=UNKNOWN).frozen()
    assert why(condition, unknown) == "has_a_reason is unknown: target = unknown"


def test_a_condition_may_be_a_plain_truth_or_nothing():
    assert condition_from(None, Soldier) is ALWAYS
    assert condition_from(True, Soldier).evaluate(Soldier().frozen()) is True
    assert condition_from(False, Soldier).evaluate(Soldier().frozen()) is False
    assert condition_from(Soldier.target, Soldier) is Soldier.target
