"""A tree in a single XML file on the command line, with stubs and without."""

import json

import pytest

TREE = """<root BTCPP_format="4" main_tree_to_execute="Main">
  <BehaviorTree ID="Main">
    <Sequence><Look far="{far}"/><Sleep msec="500"/><SubTree ID="Dock"/></Sequence>
  </BehaviorTree>
  <BehaviorTree ID="Dock"><AlwaysSuccess/></BehaviorTree>
</root>"""


@pytest.fixture
def file(here):
    path = here / "robot.xml"
    path.write_text(TREE)
    return path


def test_a_file_is_checked_with_its_line(bthtn, file):
    answer = bthtn("check", "robot.xml")
    assert answer.code == 2
    assert "there is no node 'Look'\n  where: robot.xml:3\n" in answer.err
    assert "--stub" in answer.err
    assert bthtn("check", "robot.xml:Dock").out == "tree Dock: no errors, no warnings\n"


def test_what_is_made_up_is_listed(bthtn, file):
    assert bthtn("check", "robot.xml", "--stub").out.splitlines() == [
        "made up, nodes: Look",
        "made up, keys: far",
        "tree robot: no errors, no warnings",
    ]
    file.write_text(TREE.replace('ID="Dock"/><', 'ID="Dok"/><'))
    answer = bthtn("check", "robot.xml", "--stub")
    assert (answer.code, answer.out.splitlines()) == (
        0,
        [
            "warning [BT414] tree 'Dok' is nowhere, and a leaf stands for it",
            "  where: robot.xml:3",
            "  hint: did you mean 'Dock'?",
            "",
            "made up, nodes: Look",
            "made up, keys: far",
            "made up, trees: Dok",
            "tree robot: no errors, 1 warning",
        ],
    )
    data = json.loads(bthtn("check", "robot.xml", "--stub", "--json").out)
    assert data["made_up"] == {"nodes": ["Look"], "keys": ["far"], "trees": ["Dok"]}


def test_a_file_is_drawn_and_run_with_stubs(bthtn, file):
    assert 'label="Look"' in bthtn("render", "robot.xml", "--stub").out
    assert "finished after 1 tick" in bthtn("run", "robot.xml:Dock").out
    answer = bthtn("run", "robot.xml", "--stub", "--seed", "1")
    assert (answer.code, "finished after" in answer.out) == (0, True)
    assert bthtn("run", "robot.xml", "--stub", "--seed", "1").out == answer.out


@pytest.mark.parametrize(
    ("node", "told", "ending"),
    [
        ("<AlwaysSuccess/>", "1 tick: SUCCESS", {"status": "SUCCESS"}),
        ("<AlwaysFailure/>", "1 tick: FAILURE", {"status": "FAILURE"}),
        (
            '<Fallback><AlwaysFailure/><Timeout msec="99"><Sleep msec="900"/></Timeout></Fallback>',
            "2 ticks: FAILURE, as 'Timeout' failed",
            {"status": "FAILURE", "failed": "Timeout"},
        ),
    ],
)
def test_how_the_tree_has_ended_is_told_and_which_node_failed(bthtn, here, node, told, ending):
    text = f'<root BTCPP_format="4"><BehaviorTree ID="A">{node}</BehaviorTree></root>'
    (here / "walk.xml").write_text(text)
    answer = bthtn("run", "walk.xml")
    assert (answer.code, answer.out.splitlines()[-1]) == (0, f"finished after {told}")
    data = json.loads(bthtn("run", "walk.xml", "--json").out)
    assert {key: data[key] for key in ("status", "failed") if key in data} == ending


def test_a_project_of_groot_is_a_file_of_the_trees_that_it_includes(bthtn, file, here):
    project = '<root BTCPP_format="4" project_name="P"><include path="robot.xml"/></root>'
    (here / "robot.btproj").write_text(project)
    assert "finished after 1 tick" in bthtn("run", "robot.btproj:Dock").out
    answer = bthtn("check", "robot.btproj", "--stub")
    assert "nothing says which tree is the main one: there is Main, Dock" in answer.err


def test_a_file_that_is_not_there_is_told_with_the_nearest_one(bthtn, file):
    for named in ("robt.xml", "robt.xml:Dock"):
        told = bthtn("run", named).err
        assert told.startswith("[BT404] cannot read robt.xml: No such file or directory")
        assert "did you mean 'robot.xml'?" in told
    assert "no/robot.xml: No such file" in bthtn("check", "no/robot.xml", "--stub").err


def test_a_character_has_no_stubs(bthtn, here):
    answer = bthtn("check", "soldier", "--stub")
    assert (answer.code, "'soldier' has no stubs" in answer.err) == (2, True)


def test_a_tree_that_the_file_does_not_have_is_refused(bthtn, file):
    assert "did you mean 'Dock'?" in bthtn("run", "robot.xml:Dok", "--stub").err
