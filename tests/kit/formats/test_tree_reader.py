"""Trees in XML become behaviours, or are refused at the line that cannot be kept."""

import copy
import random
import re
import time
from enum import Enum
from typing import Literal

import pytest
from py_trees import decorators
from py_trees.behaviour import Behaviour
from py_trees.behaviours import Running, StatusQueue, Success
from py_trees.common import Status
from py_trees.composites import Selector, Sequence
from py_trees.display import ascii_tree

from bthtn import UNKNOWN, Domain, Fluent, State, fluent, method, primitive
from bthtn.behaviours import (
    Agent,
    Believes,
    Cooldown,
    ManualClock,
    PlanGoal,
    PriorityGoals,
    StateMachineGoals,
    Switch,
    Timeout,
    UtilityGoals,
    load,
    save,
)
from bthtn.engine.world.expression import Condition
from bthtn.errors import BthtnError, ExecutionError, InputError
from bthtn.kit.formats import tree_from_xml, xml_of
from bthtn.testing import ticks
from tests.sizes import size


class Soldier(State):
    health: Fluent[int] = fluent(default=100)
    medkit: Fluent[bool] = fluent(default=False)
    mood: Fluent[str] = fluent(default="calm")
    anger: Fluent[float] = fluent(default=1.0)


army = Domain("army", Soldier)
shoot = army.primitive("shoot", duration=2)


@army.primitive
def move_to(place: str, speed: float = 1.0):
    return primitive(duration=2)


@army.compound
def fight():
    yield method(shoot())


class Pace(Enum):
    WALK = 1
    RUN = 2


class March(Behaviour):
    """A leaf with a port of each kind."""

    def __init__(  # noqa: PLR0913 - one for each kind of port
        self,
        name: str,
        agent: Agent,
        to: str | Fluent[str],
        *,
        steps: int = 1,
        speed: float = 1.0,
        quiet: bool = False,
        pace: Pace = Pace.WALK,
        side: Literal["left", "right"] = "left",
        level: Fluent[float] | None = None,
        when: Condition | None = None,
    ):
        super().__init__(name)
        self.agent, self.to, self.steps, self.speed = agent, to, steps, speed
        self.quiet, self.pace, self.side, self.level, self.when = quiet, pace, side, level, when

    def update(self):
        return Status.RUNNING


def soldier():
    return Agent("soldier", army, Soldier(), body=None, clock=ManualClock())


def document(main, *others, head='main_tree_to_execute="Main"', more=""):
    """A document with a main tree and others, each on a line of its own."""
    trees = [f'<BehaviorTree ID="{name}">{tree}</BehaviorTree>' for name, tree in others]
    lines = [f'<root BTCPP_format="4" {head}>', f'<BehaviorTree ID="Main">{main}</BehaviorTree>']
    return "\n".join([*lines, *trees, more, "</root>"])


def read(main, *others, agent=None, nodes=None, **options):
    text = document(main, *others, **options)
    return tree_from_xml(text, agent or soldier(), nodes=nodes or {"March": March})


def refusals(main, *others, **options):
    """What is wrong with a tree, each with its place."""
    with pytest.raises(InputError) as refused:
        read(main, *others, **options)
    return [(one.code, one.message, one.where, one.hint) for one in refused.value.diagnostics]


def refusal(main, *others, **options):
    (found,) = refusals(main, *others, **options)
    return found


# what is read


def test_composites_and_decorators_have_their_names_and_meanings():
    root = read(
        """<ReactiveFallback name="act"><Sequence><AlwaysSuccess/><AlwaysFailure/></Sequence>
        <ReactiveSequence><Inverter><AlwaysFailure/></Inverter></ReactiveSequence>
        <Fallback><KeepRunningUntilFailure><AlwaysSuccess/></KeepRunningUntilFailure></Fallback>
        </ReactiveFallback>"""
    )
    assert isinstance(root, Selector)
    assert not root.memory
    assert [(type(one), one.memory) for one in root.children] == [
        (Sequence, True),
        (Sequence, False),
        (Selector, True),
    ]
    assert isinstance(root.children[2].children[0], decorators.SuccessIsRunning)
    assert root.name == "act"


def test_a_node_may_be_written_in_the_explicit_form():
    compact, explicit = '<March name="go" to="x"/>', '<Action ID="March" name="go" to="x"/>'
    assert xml_of(read(compact)) == xml_of(read(explicit))
    inside = (
        '<Control ID="Sequence"><Decorator ID="Inverter"><AlwaysSuccess/></Decorator></Control>'
    )
    assert isinstance(read(inside), Sequence)


def test_ports_have_the_types_of_the_parameters():
    node = read(
        '<March to="hill" steps="3" speed="2" quiet="true" pace="RUN" side="right"'
        ' level="{anger}" when="health &lt; 40 and medkit"/>'
    )
    assert (node.name, node.to, node.steps, node.speed) == ("March", "hill", 3, 2.0)
    assert (node.quiet, node.pace, node.side) == (True, Pace.RUN, "right")
    assert node.level is Soldier.anger
    assert str(node.when) == "health < 40 and medkit"
    assert isinstance(node.agent, Agent)


def test_a_pointer_is_the_fluent_of_the_beliefs():
    assert read('<March to="{mood}"/>').to is Soldier.mood
    assert read('<March to="{@mood}"/>').to is Soldier.mood
    assert read('<March to="mood"/>').to == "mood"


def test_a_function_can_make_nodes_with_children():
    def both(name: str, children: list[Behaviour], times: int):
        return Sequence(name, memory=True, children=children * times)

    def calm(name: str, child: Behaviour):
        return decorators.Inverter(name, child)

    root = read(
        '<Both times="1"><Calm><AlwaysFailure/></Calm><AlwaysSuccess/></Both>',
        nodes={"Both": both, "Calm": calm},
    )
    assert ticks(root, 1) == "S"


def test_goals_are_planned_for():
    agent = soldier()
    goal = read('<PlanGoal goal="fight" budget="none" horizon="5" max_replans="1"/>', agent=agent)
    assert isinstance(goal, PlanGoal)
    assert (goal.budget, goal.settings.horizon, goal.max_replans) == (None, 5, 1)
    moving = read("<PlanGoal goal=\"move_to('hill', 2.5)\"/>", agent=agent)
    assert str(moving.goal) == str(move_to("hill", 2.5))


def test_tasks_and_conditions_of_the_domain_are_nodes():
    root = read('<Sequence><medkit/><move_to place="hill" speed="2"/><fight/></Sequence>')
    kinds = [type(node) for node in root.children]
    assert kinds == [Believes, PlanGoal, PlanGoal]
    assert str(root.children[1].goal) == str(move_to("hill", 2.0))
    assert refusal("<move_to/>")[1] == "'move_to' has no 'place'"


def test_composites_of_goals_have_their_ports():
    root = read('<PriorityGoals period="3"><PlanGoal goal="fight"/></PriorityGoals>')
    assert isinstance(root, PriorityGoals)
    assert root.period == 3
    root = read(
        '<UtilityGoals utility_1="{anger}" utility_2="0.5" inertia="2">'
        "<fight/><shoot/></UtilityGoals>"
    )
    assert isinstance(root, UtilityGoals)
    assert (root.utility(0), root.utility(1), root.inertia) == (1.0, 0.5, 2)
    root = read(
        '<UtilityGoals utility_1="anger * 2" when_1="health &lt; 40"><fight/></UtilityGoals>'
    )
    assert (root.utility(0), str(root.conditions[0])) == (2.0, "health < 40")
    root = read(
        '<StateMachineGoals state="{mood}" case_1="calm" case_2="angry">'
        "<shoot/><fight/></StateMachineGoals>"
    )
    assert isinstance(root, StateMachineGoals)
    assert list(root.goals) == ["calm", "angry"]


def test_a_switch_compares_with_values_of_the_fluent():
    root = read(
        '<Switch2 variable="{health}" case_1="1" case_2="100">'
        "<AlwaysFailure/><AlwaysSuccess/><AlwaysFailure/></Switch2>"
    )
    assert isinstance(root, Switch)
    assert ticks(root, 1) == "S"


def test_times_are_milliseconds_of_the_clock_or_ticks():
    clock = ManualClock()
    agent = Agent("soldier", army, Soldier(), body=None, clock=clock)
    nodes = {"Wait": lambda name: Running(name)}  # noqa: PLW0108 - its parameter has no type
    root = read('<Timeout msec="1500"><Wait/></Timeout>', agent=agent, nodes=nodes)
    agent.sense()
    assert ticks(root, 2) == "RR"
    clock.advance(1.5)
    agent.sense()
    assert ticks(root, 1) == "F"
    root = read('<Delay delay_msec="250"><AlwaysSuccess/></Delay>', agent=agent)
    assert ticks(root, 2) == "RR"
    clock.advance(0.25)
    agent.sense()
    assert ticks(root, 1) == "S"
    assert ticks(read('<TimeoutTicks ticks="2"><Wait/></TimeoutTicks>', nodes=nodes), 3) == "RRF"
    assert ticks(read('<DelayTicks ticks="2"><AlwaysSuccess/></DelayTicks>'), 3) == "RRS"


def test_a_time_that_never_passes_as_nobody_senses_is_warned_of_once():
    agent = soldier()
    root = read('<Timeout msec="5"><March to="x"/></Timeout>', agent=agent)
    with pytest.warns(RuntimeWarning, match=r"BT312.*'soldier' has a clock that is never") as told:
        ticks(root, 3)
    assert len(told) == 1


def test_a_cooldown_has_ticks_or_seconds():
    assert ticks(read('<Cooldown ticks="3"><AlwaysSuccess/></Cooldown>'), 4) == "SFFS"
    assert read('<Cooldown seconds="2.5"><AlwaysSuccess/></Cooldown>').seconds == 2.5
    assert isinstance(read('<Cooldown seconds="2"><AlwaysSuccess/></Cooldown>'), Cooldown)
    assert refusal("<Cooldown><AlwaysSuccess/></Cooldown>")[0] == "BT126"
    timeless = Agent("Sisyphus", army, Soldier(), body=None)
    found = refusal('<Timeout msec="5"><AlwaysSuccess/></Timeout>', agent=timeless)
    assert (found[0], found[2]) == ("BT316", "<text>:2")


def test_preconditions_are_asked_in_the_order_of_the_engine():
    agent = soldier()
    root = read('<March to="x" _successIf="medkit" _failureIf="medkit"/>', agent=agent)
    assert ticks(root, 1) == "R"
    root.stop(Status.INVALID)
    agent.believe(Soldier.medkit, True)
    assert ticks(root, 1) == "F"


def test_an_unknown_precondition_does_not_hold():
    agent = soldier()
    agent.believe(Soldier.medkit, UNKNOWN)
    assert ticks(read('<March to="x" _successIf="medkit"/>', agent=agent), 1) == "R"


# subtrees


def test_a_subtree_has_the_keys_that_it_is_given():
    root = read(
        '<SubTree ID="Go" mood="{=}" place="{mood}" many="3"/>',
        ("Go", '<Sequence><March to="{place}" steps="{many}"/><March to="{mood}"/></Sequence>'),
    )
    first, second = root.children
    assert (first.to, first.steps, second.to) == (Soldier.mood, 3, Soldier.mood)


def test_a_subtree_passes_keys_on_to_the_next():
    root = read(
        '<SubTree ID="A" what="{health}"/>',
        ("A", '<SubTree ID="B" number="{what}"/>'),
        ("B", '<Believes condition="number &lt; 40" until="number &gt; 50"/>'),
    )
    assert str(root.condition) == "health < 40"
    assert str(root.until) == "health > 50"


def test_keys_are_private_but_for_autoremap():
    believes = ("A", '<Believes condition="medkit"/>')
    assert read('<SubTree ID="A" _autoremap="true"/>', believes).condition is Soldier.medkit
    twice = '<Sequence><SubTree ID="A"/><SubTree ID="A"/></Sequence>'
    first, second = (node.condition for node in read(twice, believes).children)
    assert (str(first), str(second)) == ("medkit{A}", "medkit{A_2}")


def test_a_subtree_has_nothing_in_it_and_remaps_all_or_nothing():
    tree = ("A", "<AlwaysSuccess/>")
    inside = '<SubTree ID="A"><AlwaysSuccess/></SubTree>'
    assert refusal(inside, tree)[1] == "a SubTree has no nodes in it"
    assert refusal('<SubTree ID="A" _autoremap="yes"/>', tree)[1] == "_autoremap is 'yes'"


def test_a_text_that_a_subtree_gives_is_the_first_value_of_its_key():
    agent = soldier()
    asked = (
        "A",
        '<Sequence><Believes condition="health == 40"/><Script code="health := 41"/></Sequence>',
    )
    root = read('<SubTree ID="A" health="40"/>', asked, agent=agent)
    assert ticks(root, 2) == "SF"
    assert agent.beliefs.get(Soldier.health) == 100
    found = refusal('<SubTree ID="A" n="40"/>', ("A", '<Believes condition="n == 1"/>'))
    assert found[1] == "'n' is the text '40' here, and no fluent"


def test_a_key_of_a_subtree_is_saved_and_written_with_its_place():
    agent, again = soldier(), soldier()
    tree = ("A", "<Script code=\"mood := 'sad'\"/>")
    root = read('<Sequence><SubTree ID="A"/><March to="{mood{A}}"/></Sequence>', tree, agent=agent)
    ticks(root, 1)
    key = Soldier.mood.local("A")
    assert root.children[1].to is key
    assert "\"mood{A} := 'sad'\"" in xml_of(root).replace("&#x27;", "'")
    loaded = read('<Sequence><SubTree ID="A"/><March to="x"/></Sequence>', tree, agent=again)
    load(save(root, agent), loaded, again)
    assert again.beliefs.get(key) == "sad"
    assert copy.copy(key) is key


# format 3


def three(main, *others):
    """A document that does not say its format, as those of format 3."""
    trees = [("Main", main), *others]
    inside = "".join(f'<BehaviorTree ID="{name}">{tree}</BehaviorTree>' for name, tree in trees)
    return f'<root main_tree_to_execute="Main">{inside}</root>'


def read_three(main, *others, agent=None):
    return tree_from_xml(three(main, *others), agent or soldier(), nodes={"March": March})


def test_in_format_3_each_port_of_a_subtree_is_a_key():
    tree = ("Go", '<March to="{place}"/>')
    assert read_three('<SubTree ID="Go" place="mood"/>', tree).to is Soldier.mood
    assert read_three('<SubTreePlus ID="Go" place="mood"/>', tree).to == "mood"
    assert read_three('<SubTreePlus ID="Go" place="{mood}"/>', tree).to is Soldier.mood


def test_in_format_3_a_subtree_shares_all_keys_or_remaps_them():
    tree = ("Go", '<March to="{mood}"/>')
    assert read_three('<SubTree ID="Go" __shared_blackboard="true"/>', tree).to is Soldier.mood
    assert read_three('<SubTreePlus ID="Go" __autoremap="1"/>', tree).to is Soldier.mood
    assert str(read_three('<SubTree ID="Go"/>', tree).to) == "mood{Go}"


def test_a_document_without_a_format_is_of_format_4_if_it_has_what_only_that_has():
    tree = ("Go", '<March to="{place}"/>')
    inside = '<Sequence><SubTree ID="Go" place="mood"/><Script code="health := 1"/></Sequence>'
    assert read_three(inside, tree).children[0].to == "mood"
    with pytest.raises(InputError, match="Script is a node of format 4"):
        read_three('<SequenceStar><Script code="health := 1"/></SequenceStar>')


def test_a_node_of_the_users_in_format_3_may_have_a_name_that_is_new_in_format_4():
    model = '<TreeNodesModel><Action ID="Sleep"/></TreeNodesModel></root>'
    text = three("<SequenceStar><Sleep/></SequenceStar>").replace("</root>", model)
    nodes = {"Sleep": scripted("F")}
    assert ticks(tree_from_xml(text, soldier(), nodes=nodes), 1) == "F"
    text = three("<Sleep/>").replace("</root>", model)
    assert ticks(tree_from_xml(text, soldier(), nodes=nodes), 1) == "F"
    with pytest.raises(InputError, match="there is a node 'Sleep' already"):
        read("<AlwaysSuccess/>", nodes=nodes)


def test_nodes_of_format_3_do_what_they_do_there():
    agent = soldier()
    star = read_three(
        '<SequenceStar><SubTree ID="A"/><BlackboardCheckInt value_A="{health}" value_B="7">'
        "<AlwaysSuccess/></BlackboardCheckInt></SequenceStar>",
        ("A", '<SetBlackboard output_key="health" value="0"/>'),
        agent=agent,
    )
    assert ticks(star, 1) == "F"
    agent.believe(Soldier.health, 7)
    star.children[0].update = lambda: Status.FAILURE  # it is not begun again
    assert ticks(star, 1) == "S"


def test_the_parallel_of_format_3_counts_in_order():
    ports = 'success_threshold="2" failure_threshold="2"'
    nodes = {letter: scripted(letter) for letter in ("RS", "RR", "S")}
    inside = "".join(f"<{letter}/>" for letter in nodes)
    text = three(f"<Parallel {ports}>{inside}</Parallel>")
    root = tree_from_xml(text, soldier(), nodes=nodes)
    assert ticks(root, 2) == "RS"
    assert root.children[1].update() is Status.RUNNING
    with pytest.raises(InputError, match="'Parallel' has no 'success_threshold'"):
        read_three("<Parallel><AlwaysSuccess/></Parallel>")


# scripts, and what is skipped


def test_scripts_change_beliefs():
    agent = soldier()
    code = "health := 3 * (4 + 1) - 1; health += 2; anger = health / 4; medkit := health &gt; 15"
    assert ticks(read(f"<Script code=\"{code}; mood = 'a' + 'b';\"/>", agent=agent), 1) == "S"
    beliefs = agent.beliefs
    assert (beliefs.get(Soldier.health), beliefs.get(Soldier.anger)) == (16, 4.0)
    assert (beliefs.get(Soldier.medkit), beliefs.get(Soldier.mood)) == (True, "ab")
    agent.believe(Soldier.anger, UNKNOWN)
    assert ticks(read('<Script code="health := 1 / (health - 16)"/>', agent=agent), 1) == "F"


@pytest.mark.parametrize(
    ("code", "holds"),
    [
        ("health == 100 || medkit &amp;&amp; medkit", True),
        ("(health == 100 || medkit) &amp;&amp; medkit", False),
        ("!medkit and not (health-1 &lt; -99)", True),
        ("health", True),
        ("mood == 'calm' &amp;&amp; mood == calm", True),
    ],
)
def test_conditions_of_scripts_bind_as_in_the_engine(code, holds):
    assert ticks(read(f'<ScriptCondition code="{code}"/>'), 1) == ("S" if holds else "F")
    assert ticks(read(f'<Precondition if="{code}"><AlwaysSuccess/></Precondition>'), 1) == (
        "S" if holds else "F"
    )


def test_scripts_behind_a_node_are_run_by_its_end():
    agent = soldier()
    scripts = '_onSuccess="health := 1" _onFailure="health := 2" _post="anger := anger + 1"'
    both = f"<Fallback><AlwaysFailure {scripts}/><March to='x' _onHalted='health := 5'/></Fallback>"
    root = read(both, agent=agent)
    assert ticks(root, 1) == "R"
    assert (agent.beliefs.get(Soldier.health), agent.beliefs.get(Soldier.anger)) == (2, 2.0)
    root.stop(Status.INVALID)
    assert agent.beliefs.get(Soldier.health) == 5


@pytest.mark.parametrize(
    ("tree", "letters"),
    [
        ('<Sequence><AlwaysFailure _skipIf="true"/><AlwaysSuccess/></Sequence>', "S"),
        (
            '<ReactiveFallback><AlwaysSuccess _while="false"/><March to="x"/></ReactiveFallback>',
            "R",
        ),
        ('<Sequence><AlwaysFailure _skipIf="true"/></Sequence>', "-"),
        ('<Inverter><AlwaysFailure _skipIf="true"/></Inverter>', "-"),
        ('<Parallel><AlwaysFailure _skipIf="true"/><AlwaysSuccess/></Parallel>', "S"),
        ('<ParallelAll><AlwaysFailure _skipIf="true"/><AlwaysSuccess/></ParallelAll>', "S"),
        ("<Sequence><RunOnce><AlwaysSuccess/></RunOnce></Sequence>", "S-"),
        ('<Precondition if="medkit" else="SKIPPED"><AlwaysSuccess/></Precondition>', "-"),
    ],
)
def test_a_node_that_is_skipped_is_as_if_it_were_not_there(tree, letters):
    assert ticks(read(tree), len(letters)) == letters
    assert (
        ticks(tree_from_xml(xml_of(read(tree)), soldier(), nodes={"March": March}), 1) == letters[0]
    )


def test_a_sequence_with_memory_goes_on_where_it_failed():
    nodes = {"Once": scripted("SF"), "Then": scripted("FS")}
    inside = "<SequenceWithMemory><Once/><Then/></SequenceWithMemory>"
    assert ticks(read(inside, nodes=nodes), 2) == "FS"


def test_numbers_of_loops_and_times_may_be_keys():
    agent = soldier()
    loop = read(
        '<Repeat num_cycles="{health}"><Tired/></Repeat>',
        agent=agent,
        nodes={"Tired": scripted("S")},
    )
    agent.believe(Soldier.health, 3)
    assert ticks(loop, 1) == "S"
    assert '<Repeat num_cycles="{health}">' in xml_of(loop)
    pause = read('<Sleep msec="{anger}"/>', agent=agent)
    agent.believe(Soldier.anger, 500.0)
    agent.sense()
    assert ticks(pause, 1) == "R"
    agent.believe(Soldier.anger, UNKNOWN)
    with pytest.raises(ExecutionError, match="'anger' is unknown, and no number"):
        ticks(read('<Sleep msec="{anger}"/>', agent=agent), 1)


def test_entries_are_set_copied_and_unset():
    agent = soldier()
    root = read(
        '<Sequence><SetBlackboard output_key="mood" value="sad"/>'
        '<SetBlackboard output_key="{anger}" value="{health}"/><UnsetBlackboard key="health"/>'
        "</Sequence>",
        agent=agent,
    )
    assert ticks(root, 1) == "S"
    beliefs = agent.beliefs
    assert [beliefs.get(key) for key in (Soldier.mood, Soldier.anger)] == ["sad", 100]
    assert beliefs.get(Soldier.health) is UNKNOWN


# nodes of the user's, and other files


def test_ports_may_be_called_like_words_of_python_and_like_what_is_given():
    made = []

    def port(name: str, from_: str, in_: int, child_: str, **others: str):
        made.append((from_, in_, child_, others))
        return Success(name)

    read('<Port from="a" in="2" child="b" to="c" agent="d"/>', nodes={"Port": port})
    assert made == [("a", 2, "b", {"to": "c", "agent_": "d"})]


def test_a_node_of_the_users_stands_for_one_that_is_refused_and_for_a_tree_that_is_elsewhere():
    nodes = {"AsyncSequence": lambda name: Success(name), "Dock": lambda name: Success(name)}  # noqa: PLW0108 - as above
    assert ticks(read("<AsyncSequence/>", nodes=nodes), 1) == "S"
    assert ticks(read('<SubTree ID="Dock"/>', nodes=nodes), 1) == "S"


def test_attributes_of_editors_are_ignored():
    assert ticks(read('<AlwaysSuccess _collapsed="true" _uid="3" _favorite="false"/>'), 1) == "S"


def test_a_tree_is_found_in_the_other_files_of_the_folder(tmp_path):
    (tmp_path / "tree.xml").write_text(document('<SubTree ID="A"/>'))
    (tmp_path / "broken.xml").write_text("<root>")
    (tmp_path / "a.xml").write_text(alone("A", "<AlwaysSuccess/>"))
    assert isinstance(tree_from_xml(tmp_path / "tree.xml", soldier()), Success)
    (tmp_path / "b.xml").write_text(alone("A", "<AlwaysFailure/>"))
    with pytest.raises(InputError, match=r"there is a tree 'A' in a\.xml and b\.xml") as refused:
        tree_from_xml(tmp_path / "tree.xml", soldier())
    assert refused.value.diagnostics[0].hint == 'say which: <include path="a.xml"/>'


def alone(name, tree):
    return f'<root BTCPP_format="4"><BehaviorTree ID="{name}">{tree}</BehaviorTree></root>'


def scripted(letters):
    statuses = {"R": Status.RUNNING, "S": Status.SUCCESS, "F": Status.FAILURE}

    def make(name: str):
        return StatusQueue(
            name, [statuses[letter] for letter in letters], eventually=statuses[letters[-1]]
        )

    return make


def test_a_model_gives_subtrees_defaults_and_requires_ports():
    model = (
        '<TreeNodesModel><SubTree ID="A"><input_port name="to" default="hill"/>'
        '<input_port name="steps"/></SubTree></TreeNodesModel>'
    )
    tree = ("A", '<March to="{to}" steps="{steps}"/>')
    assert read('<SubTree ID="A" steps="2"/>', tree, more=model).to == "hill"
    assert refusal('<SubTree ID="A"/>', tree, more=model)[1] == "tree 'A' has no 'steps'"


def test_files_include_others_relative_to_themselves(tmp_path):
    (tmp_path / "sub").mkdir()
    main = document('<SubTree ID="A"/>', more='<include path="sub/a.xml"/>')
    (tmp_path / "tree.xml").write_text(main)
    b = '<include path="../b.xml"/>'
    (tmp_path / "sub/a.xml").write_text(
        f'<root BTCPP_format="4">{b}{b}<BehaviorTree ID="A"><SubTree ID="B"/></BehaviorTree></root>'
    )
    (tmp_path / "b.xml").write_text(
        '<root BTCPP_format="4"><BehaviorTree ID="B"><AlwaysSuccess/></BehaviorTree></root>'
    )
    assert isinstance(tree_from_xml(tmp_path / "tree.xml", soldier()), Success)


def test_one_tree_of_several_can_be_read():
    text = document("<AlwaysFailure/>", ("Other", "<AlwaysSuccess/>"))
    assert isinstance(tree_from_xml(text, soldier(), tree="Other"), Success)
    with pytest.raises(InputError, match="did you mean 'Other'"):
        tree_from_xml(text, soldier(), tree="Othr")


# what is refused


@pytest.mark.parametrize(
    ("tree", "code", "message", "hint"),
    [
        ("<Sequenze/>", "BT414", "there is no node 'Sequenze'", "did you mean 'Sequence'?"),
        ("<Bark/>", "BT414", "there is no node 'Bark'", "nodes={'Bark': …}"),
        ("<Main/>", "BT414", "there is no node 'Main'", 'write <SubTree ID="Main"/>'),
        ("<Sequence/>", "BT414", "'Sequence' has 0 children, and takes 1 or more", "into it"),
        ("<Inverter/>", "BT414", "'Inverter' has 0 children, and takes 1", "into it"),
        (
            "<IfThenElse><AlwaysSuccess/></IfThenElse>",
            "BT414",
            "'IfThenElse' has 1 children, and takes 2 to 3",
            "into it",
        ),
        ('<March to="x" stps="1"/>', "BT414", "'March' has no port 'stps'", "'steps'"),
        ("<March/>", "BT414", "'March' has no 'to'", 'write to="…"'),
        ('<March to="x" steps="many"/>', "BT414", "'steps' cannot be 'many'", "number (int)"),
        ('<March to="x" steps="{mood}"/>', "BT414", "'steps' cannot be the fluent 'mood'", "[str]"),
        ('<March to="{health}"/>', "BT414", "'to' cannot be the fluent 'health'", "Fluent[int]"),
        ('<UnsetBlackboard key=" "/>', "BT414", "'key' names no key", 'write key="…"'),
        ('<March to="{moood}"/>', "BT102", "Soldier has no fluent 'moood'", "'mood'"),
        ('<March to="x" level="3"/>', "BT414", "'level' is a fluent, not '3'", 'level="{…}"'),
        ('<March to="x" pace="FLY"/>', "BT414", "'pace' cannot be 'FLY'", "WALK"),
        ('<March to="x" steps="json:1"/>', "BT414", "'steps' cannot be 'json:1'", "number"),
        ('<March to="x">text</March>', "BT414", "a node has no text, but 'text'", "remove it"),
        ('<Sequence ID="x"/>', "BT414", "<Sequence> has an ID besides", "write <Sequence> alone"),
        ('<Action ID="Sequence"/>', "BT414", "'Sequence' is no Action", 'write <Control ID="Seq'),
        (
            '<Believes condition="helth &lt; 3"/>',
            "BT102",
            "Soldier has no fluent 'helth'",
            "health",
        ),
        ('<Believes condition="a ) b"/>', "BT102", "Soldier has no fluent 'a'", ""),
        ('<PlanGoal goal="figt"/>', "BT101", "no task is called 'figt'", "fight"),
        ('<March to="x" _skipif="medkit"/>', "BT414", "a node has no '_skipif'", "_skipIf"),
        ('<March to="x" _onSuccess="moood := 1"/>', "BT102", "no fluent 'moood'", "'mood'"),
        ("<Script code=\"health := 'x'\"/>", "BT106", "'health' cannot be 'x'", "write"),
        ('<Script code="health + 1"/>', "BT411", "a change is missing", "tries += 1"),
        (f'<Script code="health := {"(" * 200}1"/>', "BT411", "nested deeper than 50", "leave"),
        ("<AlwaysSuccess><AlwaysFailure/></AlwaysSuccess>", "BT414", "", "put them beside it"),
        (
            "<Inverter><AlwaysSuccess/><AlwaysFailure/></Inverter>",
            "BT414",
            "",
            "put several into one Sequence or Fallback",
        ),
        ("<Inverter/>", "BT414", "", "put what it is to run into it"),
        ("<AsyncSequence/>", "BT415", "what AsyncSequence does cannot be kept", "use Sequence"),
        ('<SubTree ID="Mian"/>', "BT414", "there is no tree 'Mian'", "did you mean 'Main'?"),
        ('<SubTree ID="Main"/>', "BT414", "the trees contain each other: Main → Main", "Repeat"),
        ('<Repeat num_cycles="0"><AlwaysSuccess/></Repeat>', "BT202", "has 0 cycles", "above zero"),
        ('<Timeout msec="-5"><AlwaysSuccess/></Timeout>', "BT202", "is given -0.005", "above zero"),
        (
            '<Switch2 variable="{mood}" case_1="a" case_2="a"><AlwaysSuccess/><AlwaysSuccess/>'
            "<AlwaysSuccess/></Switch2>",
            "BT414",
            "two cases are the same",
            "once",
        ),
        (
            '<Switch2 variable="{mood}" case_1="a" case_3="b"><AlwaysSuccess/><AlwaysSuccess/>'
            "<AlwaysSuccess/></Switch2>",
            "BT414",
            "'case_2' is missing",
            "write case_1, case_2",
        ),
        (
            '<UtilityGoals utility_1="medkit"><fight/></UtilityGoals>',
            "BT414",
            "is no number",
            "a num",
        ),
        (
            '<PriorityGoals when_2="medkit"><fight/></PriorityGoals>',
            "BT414",
            "'when_2' belongs to no child",
            "write when_1",
        ),
        (
            '<UtilityGoals utility_2="1"><fight/></UtilityGoals>',
            "BT414",
            "'utility_1' is missing",
            "one for each child",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_to_write(tree, code, message, hint):
    found = refusal(tree)
    assert found[0] == code
    assert message in found[1]
    assert found[2].startswith("<text>:2")
    assert hint in found[3]


def test_all_mistakes_are_told_at_once_each_at_its_line():
    found = refusals(
        '<Sequence>\n<Bark/>\n<March/>\n<SubTree ID="A"/><SubTree ID="A"/></Sequence>',
        ("A", "<Meow/>"),
    )
    assert [(message, where) for _, message, where, _ in found] == [
        ("there is no node 'Bark'", "<text>:3"),
        ("'March' has no 'to'", "<text>:4"),
        ("there is no node 'Meow'", "<text>:6"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tree.xml", "the text is not XML"),
        ("<Root/>", "the outermost element is <Root>"),
        ('<root BTCPP_format="5"/>', "format 5 of BehaviorTree.CPP"),
        ('<root BTCPP_format="4"/>', "nothing says which tree is the main one"),
        ('<root BTCPP_format="4" main_tree_to_run="A"/>', "<root> has no 'main_tree_to_run'"),
        (
            '<root BTCPP_format="4"><include path="a.xml" ros_pkg="b"/></root>',
            "a text cannot include",
        ),
        (
            '<root BTCPP_format="4"><BehaviorTree ID="A"><AlwaysSuccess/></BehaviorTree>'
            "<BehaviorTree><AlwaysSuccess/></BehaviorTree></root>",
            "the tree has no ID",
        ),
        ('<root BTCPP_format="4"><BehaviourTree/></root>', "<root> has no <BehaviourTree>"),
        ('<root BTCPP_format="4"><BehaviorTree ID="A"/></root>', "tree 'A' has 0 nodes at its top"),
        ('<root BTCPP_format="4"><include path="a.xml"/></root>', "a text cannot include a file"),
        (
            '<root BTCPP_format="4"><BehaviorTree ID="A"><AlwaysSuccess/></BehaviorTree>'
            '<BehaviorTree ID="A"><AlwaysSuccess/></BehaviorTree></root>',
            "there are two trees 'A'",
        ),
    ],
)
def test_a_document_that_is_no_tree_is_refused(text, message):
    with pytest.raises(InputError) as refused:
        tree_from_xml(text, soldier())
    assert message in str(refused.value)


OF_THREE = (
    ('<SubTree ID="A" __shared_blackboard="true"/>', "__shared_blackboard", '_autoremap="true"'),
    ('<SubTreePlus ID="A"/>', "SubTreePlus is a node of format 3", "write <SubTree"),
    ("<SequenceStar/>", "SequenceStar is a node of format 3", "write SequenceWithMemory"),
    ('<Control ID="FallbackStar"/>', "FallbackStar is a node of format 3", "write Fallback"),
)


@pytest.mark.parametrize(("tree", "message", "hint"), OF_THREE)
def test_what_only_format_3_has_is_refused_in_format_4_with_what_to_write(tree, message, hint):
    with pytest.raises(InputError) as refused:
        read(tree)
    assert any(
        message in fault.message and hint in fault.hint for fault in refused.value.diagnostics
    )


def test_a_mistake_that_is_made_again_is_told_once_with_its_first_line():
    found = refusals('<Sequence>\n<Bark/>\n<March to="x"/>\n<Bark/>\n<Bark/><Sit/></Sequence>')
    assert [(message, where) for _, message, where, _ in found] == [
        ("there is no node 'Bark'", "<text>:3, 3 times in all"),
        ("there is no node 'Sit'", "<text>:6"),
    ]


def test_a_key_of_an_agent_without_any_is_told_as_a_key():
    agent = Agent("Rex", Domain("yard", State), State(), body=None)
    tree = '<BehaviorTree ID="A"><Script code="bones := 1"/></BehaviorTree>'
    with pytest.raises(InputError, match=r"\[BT102\] there is no key 'bones'") as refused:
        tree_from_xml(f'<root BTCPP_format="4">{tree}</root>', agent)
    assert "--stub makes it up" in str(refused.value)


def test_mistakes_below_a_node_that_is_not_known_are_told_too():
    with pytest.raises(InputError) as refused:
        read('<Sequenze><Repeat num_cycles="x"><AlwaysSuccess/></Repeat><Bark/></Sequenze>')
    assert [fault.message for fault in refused.value.diagnostics] == [
        "'num_cycles' cannot be 'x'",
        "there is no node 'Bark'",
        "there is no node 'Sequenze'",
    ]


@pytest.mark.parametrize(
    ("tree", "hint"),
    [
        (
            '<Repeat num_cycles="{mood}"><AlwaysSuccess/></Repeat>',
            "write a fluent that is int, not str",
        ),
        ('<SubTreePlus ID="A"/>', 'write <SubTree ID="…">, and _autoremap for __autoremap'),
        (
            '<Inverter ID="x"><AlwaysSuccess/></Inverter>',
            'write <Inverter> alone, or <Decorator ID="Inverter">',
        ),
        ("<Action/>", 'write <Action ID="…">'),
        ('<Repeat num_cycles="x"><AlwaysSuccess/></Repeat>', "write a number (int)"),
    ],
)
def test_a_hint_says_what_helps_at_this_node(tree, hint):
    with pytest.raises(InputError) as refused:
        read(tree)
    assert [fault.hint for fault in refused.value.diagnostics] == [hint]


@pytest.mark.parametrize("path", ["tree.xml", "other.xml", "/etc/passwd", "", "x" * 5_000, ".."])
def test_an_include_that_cannot_be_read_is_refused_at_its_line(tmp_path, path):
    text = document("<AlwaysSuccess/>", more=f'<include path="{path}"/>')
    (tmp_path / "tree.xml").write_text(text)
    with pytest.raises(InputError) as refused:
        tree_from_xml(tmp_path / "tree.xml", soldier())
    assert f"{tmp_path / 'tree.xml'}:3" in str(refused.value)


def test_a_package_of_ros_is_found_around_the_file(tmp_path):
    text = document('<SubTree ID="A"/>', more='<include path="trees/a.xml" ros_pkg="b"/>')
    (tmp_path / "a").mkdir()
    (tmp_path / "a/tree.xml").write_text(text)
    with pytest.raises(InputError, match="there is no package 'b' around this file"):
        tree_from_xml(tmp_path / "a/tree.xml", soldier())
    (tmp_path / "b/trees").mkdir(parents=True)
    (tmp_path / "b/package.xml").write_text("<package/>")
    (tmp_path / "b/trees/a.xml").write_text(alone("A", "<AlwaysSuccess/>"))
    assert isinstance(tree_from_xml(tmp_path / "a/tree.xml", soldier()), Success)


class Shy(Behaviour):
    def __init__(self, name: str, friends: list[object]):
        super().__init__(name)


class Moody(Running):
    def __init__(self, name: str, mood: str):
        super().__init__(name)
        raise ValueError(mood)


def test_a_class_that_no_text_can_make_is_refused():
    with pytest.raises(InputError, match=r"\[BT416\] no text can stand for 'friends' of Shy"):
        read("<AlwaysSuccess/>", nodes={"Shy": Shy})

    def barks(name: str, at: 3):
        return Success(name)

    with pytest.raises(InputError, match=r"\[BT416\] no text can stand for 'at' of barks"):
        read("<AlwaysSuccess/>", nodes={"Barks": barks})
    with pytest.raises(InputError, match=r"\[BT416\] the parameters of 3 cannot be read"):
        read("<AlwaysSuccess/>", nodes={"Three": 3})
    with pytest.raises(InputError, match=r"\[BT416\] there is a node 'Sequence' already"):
        read("<AlwaysSuccess/>", nodes={"Sequence": Shy})
    assert refusal('<Moody mood="bad"/>', nodes={"Moody": Moody})[1:3] == (
        "'Moody' cannot be made: ValueError: bad",
        "<text>:2",
    )
    assert "made int" in refusal("<Three/>", nodes={"Three": lambda: 3})[1]


# hostile trees


def test_a_tree_that_is_nested_too_deep_for_py_trees_is_refused():
    deep = "<Inverter>" * 149 + "<AlwaysSuccess/>" + "</Inverter>" * 149
    root = read(deep)
    root.tick_once()
    root.stop(Status.INVALID)
    assert "nested deeper than 150" in refusal(f"<Inverter>{deep}</Inverter>")[1]
    chain = [(f"T{n}", f'<SubTree ID="T{n + 1}"/>') for n in range(1_000)]
    assert "nested deeper than 150" in refusal('<SubTree ID="T0"/>', *chain)[1]
    guarded = '<Inverter _successIf="medkit" _failureIf="medkit">' * 100
    assert "nested deeper" in refusal(guarded + "<AlwaysSuccess/>" + "</Inverter>" * 100)[1]


@pytest.mark.slow
def test_subtrees_of_subtrees_do_not_grow_without_end():
    tenfold = "".join('<SubTree ID="T{}"/>' for _ in range(10))
    trees = [
        (f"T{n}", f"<Sequence>{tenfold.replace('{}', str(n + 1))}</Sequence>") for n in range(20)
    ]
    begun = time.process_time()
    found = refusal('<SubTree ID="T0"/>', *trees, ("T20", "<AlwaysSuccess/>"))
    assert "more than 50,000 nodes" in found[1]
    assert time.process_time() - begun < 20


def test_trees_that_contain_each_other_are_refused():
    found = refusal('<SubTree ID="A"/>', ("A", '<SubTree ID="B"/>'), ("B", '<SubTree ID="A"/>'))
    assert found[1] == "the trees contain each other: Main → A → B → A"


VALID = document(
    '<ReactiveFallback name="top"><SubTree ID="A" mood="{=}" n="3" _autoremap="true"/>'
    '<Switch2 variable="{mood}" case_1="calm" case_2="angry"><fight/><shoot/><medkit/></Switch2>'
    '<Parallel success_count="-1" failure_count="1"><March to="{mood}" steps="3" pace="RUN"/>'
    '<Repeat num_cycles="2"><PlanGoal goal="move_to(\'a\', 2.0)" horizon="3"/></Repeat></Parallel>'
    '<Timeout msec="100"><Believes condition="health &lt; 40 and not medkit"/></Timeout>'
    '<UtilityGoals utility_1="{anger}" utility_2="1"><fight/><shoot/></UtilityGoals>'
    "</ReactiveFallback>",
    (
        "A",
        '<Sequence><RunOnce><March to="{mood}" steps="{n}"/></RunOnce><AlwaysSuccess/></Sequence>',
    ),
    more='<TreeNodesModel><SubTree ID="A"><input_port name="n" default="1"/></SubTree>'
    "</TreeNodesModel>",
)
WORDS = re.findall(r"\w+|[^\w\s]", VALID)
LETTERS = "<>/\"'={}&;_ \0\n-0a9é\ud800%[]()"


def mutated(dice):
    """The valid document with some words exchanged, doubled, lost, or with other letters."""
    text = VALID
    for _ in range(dice.randint(1, 4)):
        at, to = sorted(dice.randrange(len(text) + 1) for _ in range(2))
        to = min(to, at + dice.randint(0, 12))
        new = [
            "",
            text[at:to] * 2,
            dice.choice(WORDS),
            dice.choice(LETTERS),
            dice.choice(["1e999", "-1", "9" * 5_000, "{@mood}", "{=}", "unknown", "none", "nan"]),
        ]
        text = text[:at] + dice.choice(new) + text[to:]
        if dice.random() < 0.5:
            one, other = dice.choice(WORDS), dice.choice(WORDS)
            text = text.replace(one, other, 1)
    return text


def test_mutations_of_a_valid_tree_are_read_or_refused():
    dice, ends = random.Random(7), {"read": 0, "refused": 0}  # noqa: S311 - dice
    agent = soldier()
    for _ in range(size(quick=1_000, thorough=5_000, night=100_000)):
        text = mutated(dice)
        try:
            tree_from_xml(text, agent, nodes={"March": March})
        except BthtnError:
            ends["refused"] += 1
        else:
            ends["read"] += 1
    assert min(ends.values()) > 5, ends


def test_the_valid_tree_is_read():
    root = tree_from_xml(VALID, soldier(), nodes={"March": March})
    assert isinstance(root.children[3], Timeout)
    assert "March" in ascii_tree(root)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('<root BTCPP_format="4"/>', 'write a <BehaviorTree ID="…"> into <root>'),
        ('<root BTCPP_format="four"/>', 'write <root BTCPP_format="4">'),
    ],
)
def test_a_hint_about_a_document_says_what_is_missing_in_it(text, hint):
    with pytest.raises(InputError) as refused:
        tree_from_xml(text, soldier())
    assert [fault.hint for fault in refused.value.diagnostics] == [hint]
