"""Stubs: made-up nodes and keys for a tree whose own are somewhere else."""

import pytest
from py_trees.common import Status

from bthtn import UNKNOWN
from bthtn.errors import Severity
from bthtn.kit.formats import stubs_of, tree_from_xml
from bthtn.kit.formats.stubs import StubLeaf

TREE = """
<root BTCPP_format="4" main_tree_to_execute="Main">
  <BehaviorTree ID="Main">
    <Recover number_of_retries="2">
      <Throttle hz="1.0"><Plan goal="{goal}" path="{=}"/></Throttle>
      <Sequence>
        <SubTree ID="Move" target="{@goal}" _skipIf="tries &gt; 3 &amp;&amp; mode == AUTO"/>
        <SubTree ID="Elsewhere"/>
        <Script code="tries := 2 + 1"/>
        <Wait agent="{robot}" child="1"/>
      </Sequence>
    </Recover>
  </BehaviorTree>
  <BehaviorTree ID="Move"><Near to="{target}"/></BehaviorTree>
  <TreeNodesModel><Condition ID="Near"/><Control ID="Recover"/></TreeNodesModel>
</root>
"""


def made(text, seed=0):
    stubs = stubs_of(text, seed=seed)
    agent = stubs.agent()
    return stubs, agent, tree_from_xml(text, agent, nodes=stubs.nodes)


def outcomes(seed):
    _, _, root = made(TREE, seed)
    letters = []
    for _ in range(30):
        root.tick_once()
        letters.append(root.status.name[0])
    return "".join(letters)


def test_every_node_and_key_that_is_used_has_a_stub():
    stubs, agent, root = made(TREE)
    assert sorted(stubs.nodes) == ["Elsewhere", "Near", "Plan", "Recover", "Throttle", "Wait"]
    keys = stubs.state.__schema__.fluents
    assert sorted(keys) == ["goal", "mode", "path", "robot", "target", "tries"]
    assert agent.beliefs.get(keys["goal"]) is UNKNOWN
    assert len(root.children) == 2
    assert next(node.name for node in root.iterate() if not node.children) == "Plan"


def test_a_tree_that_is_nowhere_is_named_and_warned_of_at_its_line():
    stubs, _, _ = made(TREE)
    assert stubs.trees == ("Elsewhere",)
    [warning] = stubs.warnings
    assert (warning.severity, warning.where) == (Severity.WARNING, "<text>:8")
    assert warning.message == "tree 'Elsewhere' is nowhere, and a leaf stands for it"


@pytest.mark.parametrize(
    ("written", "faults"),
    [
        ('<TimeOut msec="3"><Go/></TimeOut>', {"there is no node 'TimeOut'": "Timeout"}),
        ("<Parallell><Go/><Go/></Parallell>", {"there is no node 'Parallell'": "Parallel"}),
        ("<Go/><Go/><GO/>", {"there is no node 'GO'": "Go"}),
        ("<OpenDor/>", {"there is no node 'OpenDor'": "OpenDoor"}),
        ('<OpenDoor widht="2" hasty="1"/>', {"'OpenDoor' has no port 'widht'": "width"}),
        ('<SubTree ID="Mai"/>', {"tree 'Mai' is nowhere": "Main"}),
        ("<Retreat/><Go x='1' X='2'/><OpenDoor width='3'/>", {}),
    ],
)
def test_a_made_up_name_that_is_nearly_another_one_is_warned_of(written, faults):
    text = f"""<root BTCPP_format="4"><BehaviorTree ID="Main"><Sequence>{written}</Sequence>
        </BehaviorTree><TreeNodesModel><Action ID="OpenDoor"><input_port name="width"/></Action>
        </TreeNodesModel></root>"""
    told = {fault.message.partition(",")[0]: fault.hint for fault in stubs_of(text).warnings}
    assert told == {message: f"did you mean '{right}'?" for message, right in faults.items()}


def test_a_run_of_stubs_is_the_one_of_its_seed():
    assert outcomes(1) == outcomes(1) != outcomes(2)
    assert set(outcomes(1)) == {"R", "S", "F"}


def test_a_condition_ends_at_once():
    for seed in range(20):
        _, _, root = made(TREE, seed)
        leaves = (node for node in root.iterate() if type(node) is StubLeaf)
        near = next(node for node in leaves if node.name == "Near")
        near.tick_once()
        assert near.status is not Status.RUNNING


@pytest.mark.parametrize(
    ("use", "children"),
    [("<New/>", 0), ("<New><AlwaysSuccess/></New>", 1), ("<Control ID='New'><New/></Control>", 1)],
)
def test_a_node_without_a_model_is_what_its_use_says(use, children):
    text = f'<root BTCPP_format="4"><BehaviorTree ID="A">{use}</BehaviorTree></root>'
    if children == 1 and "Control" in use:
        text = text.replace("<New/>", "<AlwaysSuccess/>")
    assert len(made(text)[2].children) == children


def test_keys_of_format_3_are_found_where_they_have_no_braces():
    text = """<root><BehaviorTree ID="A"><Sequence><SubTree ID="B" to="place"/>
        <SetBlackboard output_key="dist" value="3"/></Sequence></BehaviorTree>
        <BehaviorTree ID="B"><Go to="{to}"/></BehaviorTree></root>"""
    stubs = stubs_of(text)
    assert sorted(stubs.state.__schema__.fluents) == ["dist", "place", "to"]
    agent = stubs.agent()
    tree_from_xml(text, agent, nodes=stubs.nodes, tree="A").tick_once()
