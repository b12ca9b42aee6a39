"""at_start: a part of a precondition that is not asked while the step runs."""

import pytest

from bthtn import (
    BthtnError,
    Domain,
    achieve,
    at_start,
    find_plan,
    holds,
    method,
    primitive,
    until,
)
from bthtn.behaviours import Agent, Believes
from bthtn.engine.text.conditions import expression_from_text
from bthtn.errors import DomainError, InputError
from bthtn.kit.formats import condition_from_text, read_tasks
from bthtn.studio.analysis import findings
from bthtn.studio.explanation import why
from bthtn.studio.testing.strategies import World
from bthtn.studio.views import plan_dot


def jumping(precondition):
    domain = Domain("garden", World)
    task = domain.primitive("jump", precondition=precondition, effects=World.ammo.becomes(0))
    return domain, task


@pytest.mark.parametrize(
    ("written", "whole", "watched"),
    [
        (at_start(World.open), "open", "true"),
        (at_start(World.open) & World.lit, "open and lit", "lit"),
        (World.lit & at_start(World.open & World.armed), "lit and open and armed", "lit"),
        (World.lit & World.open, "lit and open", "lit and open"),
        (at_start(at_start(World.open)), "open", "true"),
        (
            at_start(World.open | World.lit) & (World.count > 0),
            "(open or lit) and count > 0",
            "count > 0",
        ),
        (None, "true", "true"),
    ],
)
def test_the_parts_that_are_not_marked_are_watched(written, whole, watched):
    _, task = jumping(written)
    assert (str(task.precondition), str(task.watched)) == (whole, watched)


def test_a_function_may_be_asked_at_the_start_too():
    domain, task = jumping(at_start(lambda world: world.count < 3) & World.lit)
    assert str(task.watched) == "lit"
    assert find_plan(domain, World(count=3), task()) is None
    assert find_plan(domain, World(count=2), task()) is not None


def test_planners_ask_it_like_any_other_part():
    domain, task = jumping(at_start(World.open) & World.lit)
    for given in ({"open": False}, {"lit": False}, {}):
        state = World(**{"open": True, "lit": True} | given)
        found = find_plan(domain, state, task())
        assert (found is not None) == (not given)
        pursued = find_plan(domain, state, achieve(World.ammo == 0, actions=[task]))
        assert (pursued is not None) == (not given)


def test_parameters_may_be_in_it():
    domain = Domain("garden", World)

    @domain.primitive
    def jump(height: int):
        return primitive(precondition=at_start(World.count >= height) & World.at["a"])

    assert str(jump.watched) == "at[a]"
    assert find_plan(domain, World(count=2), jump(3)) is None


def test_it_is_shown_where_a_precondition_is():
    domain, task = jumping(at_start(World.open) & (World.lit | World.armed))
    shown = "at_start(open) and (lit or armed)"
    plan = find_plan(domain, World(open=True), task())
    assert shown in plan_dot(plan)
    assert "at_start(open)" in str(why(plan, World(open=True).frozen(), "jump")[-1])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda mark: World.lit | mark,
        lambda mark: ~mark,
        lambda mark: (World.lit & mark) | World.open,
        lambda mark: mark == World.lit,
    ],
)
def test_inside_of_another_part_it_is_refused(wrong):
    with pytest.raises(DomainError, match=r"\[BT110\] 'at_start\(armed\)' marks a part") as caught:
        jumping(wrong(at_start(World.armed)))
    assert "primitive 'jump', precondition" in str(caught.value)
    assert "joined to the rest with &" in str(caught.value)


@pytest.mark.parametrize("argument", ["exec_only", "during"])
def test_in_another_condition_of_a_task_it_is_refused(argument):
    with pytest.raises(DomainError, match=r"BT110.*marks a part"):
        Domain("garden", World).primitive("jump", **{argument: at_start(World.open)})


def test_in_the_condition_of_a_method_it_is_refused():
    domain, task = jumping(None)

    @domain.compound
    def leap():
        yield method(task(), when=at_start(World.open))

    with pytest.raises(DomainError, match=r"BT110.*marks a part"):
        domain.freeze()


def is_noon(world):
    return world.count == 12


def test_a_misplaced_mark_of_a_function_names_the_function():
    with pytest.raises(DomainError, match=r"BT110.*'at_start\(is_noon\)' marks a part"):
        Domain("garden", World).primitive("jump", during=at_start(is_noon))


@pytest.mark.parametrize(
    "use",
    [
        lambda task: holds(at_start(World.open), World()),
        lambda task: find_plan(
            Domain("other", World), World(), achieve(at_start(World.open), actions=[task])
        ),
        lambda task: Domain("other", World).primitive(
            "x", effects=World.open.becomes(at_start(World.lit))
        ),
        lambda task: Believes(
            "sees", Agent("Tom", Domain("d", World), World(), body=None), at_start(World.open)
        ),
    ],
    ids=["holds", "achieve", "effect", "guard"],
)
def test_where_nothing_starts_it_is_refused(use):
    _, task = jumping(None)
    with pytest.raises(BthtnError, match=r"BT110.*marks a part"):
        use(task)


def test_what_is_no_condition_cannot_be_marked():
    with pytest.raises(BthtnError, match="BT110"):
        at_start(3)
    with pytest.raises(BthtnError):
        at_start(World.count)


DRAWN = """<root BTCPP_format="4">
  <BehaviorTree ID="jump">
    <Sequence>
      <CheckState condition="{}"/>
      <Command name="leap"/>
    </Sequence>
  </BehaviorTree>
</root>
"""


def drawn(condition, path):
    (path / "tasks.xml").write_text(DRAWN.format(condition))
    [task] = read_tasks(path / "tasks.xml", Domain("garden", World))
    return task


def test_a_drawn_task_marks_a_part_with_the_same_word(tmp_path):
    task = drawn("at_start(open and count &gt; 0) and not armed", tmp_path)
    assert str(task.precondition) == "open and count > 0 and not armed"
    assert str(task.watched) == "not armed"


def test_in_a_drawn_method_it_is_refused_at_its_place(tmp_path):
    text = DRAWN.format("at_start(open)").replace('<Command name="leap"/>', "<Null/>")
    (tmp_path / "tasks.xml").write_text(text)
    domain = Domain("garden", World)
    read_tasks(tmp_path / "tasks.xml", domain)
    with pytest.raises(BthtnError, match="marks a part"):
        domain.freeze()


@pytest.mark.parametrize("read", [condition_from_text, expression_from_text])
def test_conditions_in_other_files_have_no_start(read):
    with pytest.raises(InputError, match="only the precondition of a step has a start") as caught:
        read("lit and at_start(open)", World.__schema__)
    assert "column 9" in str(caught.value)


def test_a_part_that_is_marked_is_not_told_as_unwatched():
    domain = Domain("garden", World)
    domain.primitive("jump", precondition=at_start(World.open), effects=World.open.becomes(True))
    assert not [one for one in findings(domain.freeze()) if one.code == "BT157"]


def test_until_refuses_it_too():
    domain, task = jumping(None)

    @domain.compound
    def leap():
        yield method(until(at_start(World.open), task()))

    with pytest.raises(DomainError, match=r"BT110.*marks a part"):
        domain.freeze()
