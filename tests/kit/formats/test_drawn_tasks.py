"""Tasks that are drawn in XML: a melee attack with parameters, and attacks made from it."""

import random

import pytest

from bthtn import (
    BthtnError,
    Domain,
    Fluent,
    FluentFamily,
    State,
    derive,
    find_plan,
    fluent,
    fluents,
    merge,
)
from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.engine.plan.replay import replay
from bthtn.engine.text.notation import normal
from bthtn.kit import SkillSlots, SkillTable
from bthtn.kit.formats import read_tasks
from bthtn.studio.testing.doubles import ticks
from tests.sizes import size


class Enemy(State):
    distance: Fluent[float] = fluent(default=8.0)
    swings: Fluent[int] = fluent(default=0)
    value: FluentFamily[str, float] = fluents(default=5.0)


MELEE = """<root BTCPP_format="4">
  <BehaviorTree ID="attack_main">
    <ExtensionPoint><SubTask task="melee" reach="2.5" animation="slash"/></ExtensionPoint>
  </BehaviorTree>
  <BehaviorTree ID="melee">
    <Sequence name="in two steps">
      <Value number="value[animation]"/>
      <SubTree ID="come" reach="{reach * 0.5}"/>
      <strike reach="{reach}" animation="{animation}"/>
    </Sequence>
  </BehaviorTree>
  <BehaviorTree ID="come">
    <Fallback>
      <Sequence name="near"><CheckState condition="distance &lt;= reach"/><Null/></Sequence>
      <Sequence name="go">
        <ModifyState set="distance becomes reach" kind="expected"/>
        <Parallel policy="any"><Command name="MoveTo"/><Command name="CanHit"/></Parallel>
      </Sequence>
    </Fallback>
  </BehaviorTree>
  <BehaviorTree ID="strike">
    <Sequence>
      <CheckState condition="distance &lt;= reach"/>
      <Action ID="ModifyState" set="swings += 1" _uid="7"/>
      <Command name="swing" uses="arms, legs" duration="2"/>
    </Sequence>
  </BehaviorTree>
  <TreeNodesModel>
    <Action ID="Shout"/>
    <SubTree ID="melee">
      <input_port name="reach" type="double"/>
      <input_port name="animation" type="string"/>
    </SubTree>
    <SubTree ID="strike">
      <input_port name="animation" type="string" default="swing"/>
      <input_port name="reach" type="double"/>
    </SubTree>
    <SubTree ID="come"><input_port name="reach" type="double"/></SubTree>
  </TreeNodesModel>
</root>
"""


@pytest.fixture
def read(tmp_path):
    """Reads the tasks of a document into a domain."""

    def domain_of(text, domain=None, operators=None):
        file = tmp_path / "tasks.xml"
        file.write_text(text, "utf-8")
        domain = domain or Domain("melee", Enemy)
        read_tasks(file, domain, operators)
        return domain

    return domain_of


def drawn(*nodes, ports=""):
    model = f'<TreeNodesModel><SubTree ID="act">{ports}</SubTree></TreeNodesModel>'
    tree = f'<BehaviorTree ID="act">{"".join(nodes)}</BehaviorTree>'
    return f'<root BTCPP_format="4">\n{tree}\n{model if ports else ""}</root>'


def planned(domain, goal, **values):
    state = Enemy(**values)
    plan = find_plan(domain, state, goal)
    assert plan is None or replay(plan, state.frozen()).ok
    return plan and normal(plan.tree)


def test_drawn_tasks_with_parameters_are_planned(read):
    """R003-03."""
    domain = read(MELEE)
    assert planned(domain, domain.task("attack_main")()) == (
        "(come.modify_1(1.25), parallel(come.MoveTo(1.25), come.CanHit(1.25), policy=any),"
        " strike(2.5, 'slash'))"
    )
    assert planned(domain, domain.task("melee")(3, "bash"), distance=1.0) == "strike(3, 'bash')"


def test_a_drawn_step_has_its_conditions_changes_and_resources(read):
    strike = read(MELEE).freeze().task("strike")
    assert [one.name for one in strike.parameters] == ["reach", "animation"]
    assert strike.precondition.text() == "distance <= reach"
    assert [one.text() for one in strike.effects] == ["swings increases by 1"]
    assert (strike.uses, strike.duration.text()) == ({"arms", "legs"}, "2")


def test_a_drawn_step_may_last_for_seconds(read):
    text = drawn('<Command name="x" duration="seconds(reach * 0.5)"/>', ports=ports("name='reach'"))
    act = read(text).freeze().task("act")
    assert act.in_seconds
    assert act.duration.text() == "reach * 0.5"


def test_a_drawn_method_has_its_name_and_value(read):
    domain = read(MELEE).freeze()
    ((name, value),) = [(one.name, one.value) for one in domain.methods[domain.task("melee")]]
    assert (name, value.text()) == ("in two steps", "value[animation]")


def test_slash_is_melee_with_another_range_and_animation(read):
    """R003-06."""
    domain = read(MELEE)
    slash = derive(domain, "slash", suffix="_slash", given={"reach": 4.0, "animation": "slash"})
    plan = planned(slash, slash.task("melee_slash")(), distance=1.0)
    assert plan == "strike_slash(4.0, 'slash')"


def test_a_drawn_extension_point_takes_the_methods_of_other_domains(read):
    base = read(drawn("<ExtensionPoint/>").replace('"act"', '"attack_main"'))
    bash = derive(read(MELEE), "bash", suffix="_bash", given={"animation": "bash"})
    ogre = merge("ogre", base, bash)
    plan = planned(ogre, base.task("attack_main")(), distance=1.0)
    assert plan == "strike_bash(2.5, 'bash')"


def test_a_drawn_skill_can_be_put_into_a_slot(read):
    base = read(drawn("<ExtensionPoint/>").replace('"act"', '"attack_main"'))
    bash = derive(read(MELEE), "bash", suffix="_bash", given={"animation": "bash"})
    agent = Agent("ogre", base, Enemy(), body=None)
    hands = SkillSlots(agent, SkillTable(base, {}), "hand")
    hands.fill("hand", bash)
    plan = planned(agent.domain, base.task("attack_main")(), distance=1.0)
    assert plan == "strike_bash(2.5, 'bash')"


def test_an_operator_gets_the_arguments_of_its_task(read):
    operators, heard = Operators(), []
    domain = read(MELEE, operators=operators)
    operators.bind(domain.task("come.MoveTo"))(lambda agent, near: agent.body.append(near))
    operators.bind(domain.task("come.CanHit"))(
        lambda agent, near: agent.believe(Enemy.distance, near)
    )
    operators.bind(domain.task("strike"))(lambda agent, *args: agent.body.append(args))
    agent = Agent("enemy", domain, Enemy(), body=heard, operators=operators)
    assert ticks(PlanGoal("attack", agent, domain.task("attack_main")()), 4).endswith("S")
    assert heard[:2] == [1.25, (2.5, "slash")]


@pytest.mark.parametrize(
    ("decorator", "shown"),
    [
        ("Timeout msec='2500'", "timeout(seconds(2.5), act.x)"),
        ("TimeoutTicks ticks='3'", "timeout(3, act.x)"),
        ("RetryUntilSuccessful num_attempts='3' name='again'", "retry(3, act.x)"),
        ("Cooldown ticks='9'", "cooldown(9, act.x)"),
        ("Decorator ID='Cooldown' seconds='1.5'", "cooldown(seconds(1.5), act.x)"),
        ("Inverter", "invert(act.x)"),
        ("ForceSuccess", "priority(act.x, null)"),
    ],
)
def test_a_decorator_stands_around_a_part(read, decorator, shown):
    """R000-40."""
    tag = decorator.partition(" ")[0]
    domain = read(drawn(f"<{decorator}><Command name='x'/></{tag}>"))
    assert planned(domain, domain.task("act")()) == shown


def test_decorators_stand_within_each_other_and_around_several_nodes(read):
    part = "<Sequence><CheckState condition='distance > 1'/><Command name='x'/></Sequence>"
    inner = f"<Timeout msec='500'>{part}</Timeout>"
    domain = read(drawn(f"<RetryUntilSuccessful num_attempts='2'>{inner}</RetryUntilSuccessful>"))
    assert planned(domain, domain.task("act")()) == (
        "retry(2, timeout(seconds(0.5), act.check_1, act.x))"
    )


def test_drawn_and_written_tasks_call_each_other(read):
    domain = Domain("mixed", Enemy)
    domain.primitive("wait")
    read(drawn("<Sequence><wait/><SubTask task='rest'/></Sequence>"), domain)
    domain.primitive("rest")
    assert planned(domain, domain.task("act")()) == "(wait, rest)"


def ports(*attributes):
    return "".join(f"<input_port {one}/>" for one in attributes)


@pytest.mark.parametrize(
    ("text", "code", "said", "hint"),
    [
        ("<tree/>", "BT420", "no document of trees", "BTCPP_format"),
        ('<root BTCPP_format="4"><Tree/></root>', "BT420", "<Tree> cannot stand", "BehaviorTree"),
        ('<root BTCPP_format="4"><BehaviorTree/></root>', "BT420", "no ID", "name of the task"),
        (drawn("<Null/><Null/>"), "BT420", "a tree has one node", "Sequence"),
        (drawn(), "BT420", "a tree has one node", "Sequence"),
        (drawn("<Sequense/>"), "BT420", "no node and no task 'Sequense'", "'Sequence'"),
        (drawn("<Sequense><Null/></Sequense>"), "BT420", "no node and no task 'Sequ", "'Sequence'"),
        (
            drawn("<Command name='x' duration=\"'long'\"/>"),
            "BT110",
            "'long' is not a n",
            "a number",
        ),
        (drawn("<SubTask/>"), "BT420", "'task' is missing", 'task="…"'),
        (drawn("<CheckState/>"), "BT420", "'condition' is missing", "condition"),
        (drawn("<CheckState conditon='swings'/>"), "BT420", "no 'conditon'", "'condition'"),
        (drawn("<Null><Null/></Null>"), "BT420", "<Null> has nothing in it", "behind it"),
        (drawn("<Null _skipIf='true'/>"), "BT420", "a task has no _skipIf", "CheckState"),
        (drawn("<Parallel policy='most'/>"), "BT420", "no policy 'most'", "all, any, primary"),
        (drawn("<ModifyState set='swings := 1' kind='hoped'/>"), "BT420", "not 'hoped'", "expec"),
        (drawn("<CheckState condition='distans > 1'/>"), "BT102", "'distans'", "'distance'"),
        (drawn("<ModifyState set='swings := many'/>"), "BT106", "'many'", "number"),
        (drawn("<CheckState condition='swings >'/>"), "BT411", "a value is missing", "write"),
        (drawn("<Null/>", ports=ports("name='2x'")), "BT420", "cannot be called", "letters"),
        (drawn("<Null/>", ports=ports("name='task'")), "BT420", "cannot be called", "none of"),
        (drawn("<Null/>", ports=ports("name='a' type='dubble'")), "BT420", "'dubble'", "'double'"),
        (drawn("<Null/>", ports=ports("name='a' type='int' default='x'")), "BT103", "int", "whole"),
        (drawn("<Null/>", ports=ports("name='a'", "name='a'")), "BT420", "two ports", "remove"),
        (drawn("<Null/>", ports="<output_port name='a'/>"), "BT420", "output_port", "input_port"),
        (
            drawn("<Null/>", ports="").replace(
                "</root>", "<TreeNodesModel><SubTree ID='akt'/></TreeNodesModel></root>"
            ),
            "BT420",
            "no tree 'akt'",
            "'act'",
        ),
        (drawn("<Later><Value number='1'/></Later>"), "BT122", "describes no part", "beginning"),
        (drawn("<Inverter/>"), "BT420", "<Inverter> has one node in it", "<Sequence>"),
        (drawn("<Timeout><Null/></Timeout>"), "BT420", "has no number", 'msec="3"'),
        (
            drawn("<Cooldown ticks='3' seconds='2'><Null/></Cooldown>"),
            "BT420",
            "has 2 numbers",
            'ticks="3" or seconds="3"',
        ),
        (drawn("<Timeout msec='soon'><Null/></Timeout>"), "BT103", "cannot be soon", "number"),
        (drawn("<Timeout msec='nan'><Null/></Timeout>"), "BT420", "is nan", "above zero"),
        (drawn(f"<Timeout msec='{'9' * 400}'><Null/></Timeout>"), "BT420", "is 999", "above zero"),
        (
            drawn("<RetryUntilSuccessful num_attempts='-1'><Null/></RetryUntilSuccessful>"),
            "BT420",
            "'num_attempts' of <RetryUntilSuccessful> is -1",
            "above zero",
        ),
        (drawn("<Timeout mesc='3'><Null/></Timeout>"), "BT420", "no 'mesc'", "'msec'"),
        (
            drawn("<Inverter><CheckState condition='swings > 1'/></Inverter>"),
            "BT420",
            "no inverted check",
            "not (",
        ),
    ],
)
def test_a_slip_has_its_place_and_a_hint(read, text, code, said, hint):
    with pytest.raises(BthtnError) as caught:
        read(text)
    (one, *_) = caught.value.diagnostics
    assert one.code == code
    assert said in one.message
    assert "tasks.xml:" in one.where
    assert hint in one.hint


@pytest.mark.parametrize(
    ("call", "code", "said"),
    [
        ("<SubTask task='strik'/>", "BT101", "no task is called 'strik'"),
        ("<SubTask task='hit'/>", "BT103", "'hit' takes reach"),
        ("<SubTask task='hit' reech='2'/>", "BT103", "no parameter 'reech'"),
        ("<SubTask task='hit' reach='far'/>", "BT103", "cannot be far"),
        ("<SubTask task='hit' reach='{reech}'/>", "BT102", "no fluent 'reech'"),
        ("<TimeoutTicks ticks='2.5'><Null/></TimeoutTicks>", "BT130", "a number of ticks"),
        ("<Inverter><Null/></Inverter>", "BT131", "invert cannot stand around null"),
    ],
)
def test_a_slip_in_a_call_has_its_place_when_the_domain_is_frozen(read, call, code, said):
    other = f'<BehaviorTree ID="go">\n{call}</BehaviorTree></root>'
    port = ports("name='reach' type='double'")
    text = drawn("<Command name='x'/>", ports=port).replace('"act"', '"hit"')
    domain = read(text.replace("</root>", other))
    with pytest.raises(BthtnError, match=r"tasks\.xml:4") as caught:
        domain.freeze()
    assert caught.value.code == code
    assert said in str(caught.value)


def test_all_slips_of_a_file_are_reported(read):
    with pytest.raises(BthtnError) as caught:
        read(drawn("<Sequence><CheckState/><Nul/><ModifyState set='x := 1'/></Sequence>"))
    assert len(caught.value.diagnostics) == 3


def test_files_that_were_spoilt_are_read_or_refused(read):
    dice = random.Random(1)  # noqa: S311 - dice, not secrets
    accepted = 0
    pieces = [*"<>\"'{}=/&;[]() 0a", "Null", "reach", "distance", "animation", "&lt;", "SubTask"]
    for _ in range(size(quick=150, thorough=3_000, night=100_000)):
        text = MELEE
        for _ in range(dice.choice((1, 1, 1, 3))):
            at = dice.randrange(len(text))
            text = text[:at] + dice.choice(pieces) + text[at + dice.choice((0, 0, 1, 8)) :]
        try:
            read(text).freeze()
            accepted += 1
        except BthtnError:
            pass
    assert accepted


def test_a_deep_document_is_read_and_planned(read):
    deep = "<Sequence><Fallback><Parallel>" * 80 + "<Command name='x'/>"
    domain = read(drawn(deep + "</Parallel></Fallback></Sequence>" * 80))
    assert planned(domain, domain.task("act")()) == "act.x"
