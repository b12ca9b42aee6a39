"""bthtn render: domains and authored trees as pictures."""

import json
import shutil

import pytest

needs_graphviz = pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
BARE = """
from py_trees.behaviours import Success
root = Success("nothing more")
def made(seed):
    return root
"""


@pytest.mark.parametrize(("name", "label"), [("combat", "fight_from_cover"), ("soldier", "patrol")])
def test_dot_is_printed(bthtn, here, name, label):
    answer = bthtn("render", name)
    assert answer.code == 0
    assert answer.out.startswith("digraph bthtn {")
    assert f'label="{label}"' in answer.out
    assert "a task that is done" not in answer.out
    assert "a task that is done" in bthtn("render", name, "--legend").out


def test_a_domain_and_a_tree_of_one_name_are_both_drawn(bthtn, here):
    printed = bthtn("render", "brawler").out
    assert printed.count("digraph bthtn {") == 2
    answer = bthtn("render", "brawler", "-o", "brawler.dot")
    assert answer.out == "wrote brawler_domain.dot\nwrote brawler_tree.dot\n"
    both = [(here / f"brawler_{kind}.dot").read_text("utf-8") for kind in ("domain", "tree")]
    assert "".join(both).strip() == printed.strip()
    told = bthtn("render", "brawler", "--json").out.splitlines()
    assert [json.loads(line)["kind"] for line in told] == ["domain", "tree"]


def test_what_is_drawn_is_not_overwritten_by_its_picture(bthtn, here):
    folder = here / "rat"
    folder.mkdir()
    tree = '<root BTCPP_format="4"><BehaviorTree ID="rat"><AlwaysSuccess/></BehaviorTree></root>'
    (folder / "tree.xml").write_text(tree)
    (folder / "tasks.xml").write_text(
        '<root BTCPP_format="4"><BehaviorTree ID="wait"><Null/></BehaviorTree></root>'
    )
    answer = bthtn("render", "rat", "--format", "xml", "-o", "rat/tree.xml")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("[BT409] rat/tree.xml is the file that is drawn\n  hint: write")
    assert (folder / "tree.xml").read_text() == tree
    assert bthtn("render", "rat", "-o", "rat/other.xml").out == "wrote rat/other.xml\n"


def test_dot_can_be_written(bthtn, here):
    answer = bthtn("render", "combat", "-o", "out.dot")
    assert answer.out == "wrote out.dot\n"
    assert (here / "out.dot").read_text("utf-8") == bthtn("render", "combat").out


@needs_graphviz
@pytest.mark.parametrize(("form", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
@pytest.mark.parametrize("name", ["combat", "soldier"])
def test_pictures_are_written(bthtn, here, name, form, start):
    assert bthtn("render", name, "--format", form).out == f"wrote {name}.{form}\n"
    assert (here / f"{name}.{form}").read_bytes().startswith(start)


def test_programs_are_told_the_dot_or_the_file(bthtn, here):
    told = json.loads(bthtn("render", "combat", "--json").out)
    assert (told["format"], told["kind"], told["name"]) == ("bthtn-render/1", "domain", "combat")
    assert told["dot"] == bthtn("render", "combat").out
    told = json.loads(bthtn("render", "soldier", "--json", "-o", "a.dot").out)
    assert (told["kind"], told["file"]) == ("tree", "a.dot")


def test_without_graphviz_the_dot_is_written_and_that_is_said(bthtn, here, monkeypatch):
    monkeypatch.setenv("PATH", "")
    answer = bthtn("render", "combat", "--format", "png")
    assert (answer.code, answer.out) == (2, "")
    assert "[BT407]" in answer.err
    assert "wrote combat.dot instead" in answer.err
    assert (here / "combat.dot").exists()


@pytest.mark.parametrize("what", ["root", "made"])
def test_a_tree_in_any_module_can_be_drawn(bthtn, put, what):
    put(f"bare_{what}.py", BARE)
    assert 'label="nothing more"' in bthtn("render", f"bare_{what}:{what}").out


@pytest.mark.parametrize("thing", ["3", "lambda seed: 'no tree'"])
def test_what_is_no_tree_is_refused(bthtn, put, thing):
    put("trees/x/tree.py", f"character = {thing}\n")
    answer = bthtn("render", "x")
    assert answer.code == 2
    assert "[BT408] 'x' is " in answer.err
    assert "write def character(seed: int) -> Character" in answer.err


def test_a_tree_is_written_as_xml_for_groot2(bthtn, here):
    answer = bthtn("render", "soldier", "--format", "xml")
    assert answer.code == 0
    assert (
        '<Condition ID="Believes" name="hurt" condition="health &lt; 40 and medkit"/>' in answer.out
    )
    assert bthtn("render", "soldier", "--format", "xml", "-o", "a.xml").out == "wrote a.xml\n"
    assert (here / "a.xml").read_text("utf-8") == answer.out
    told = json.loads(bthtn("render", "soldier", "--format", "xml", "--json").out)
    assert (told["kind"], told["xml"]) == ("tree", answer.out)


def test_a_domain_is_a_palette_for_groot2_and_no_tree(bthtn, here):
    answer = bthtn("palette", "combat")
    assert answer.code == 0
    assert '<Action ID="fight"/>' in answer.out
    assert bthtn("palette", "combat", "-o", "a.xml").out == "wrote a.xml\n"
    assert (here / "a.xml").read_text("utf-8") == answer.out
    told = json.loads(bthtn("palette", "combat", "--json").out)
    assert (told["format"], told["xml"]) == ("bthtn-palette/1", answer.out)
    assert json.loads(bthtn("palette", "combat", "--json", "-o", "a.xml").out)["file"] == "a.xml"
    assert "'combat' is a domain" in bthtn("render", "combat", "--format", "xml").err


def test_a_picture_on_stdout_is_not_announced(bthtn, here):
    assert bthtn("render", "combat", "-o", "-").out == bthtn("render", "combat").out


def page_trees(path):
    """The trees that a page shows, by their titles."""
    data = json.loads(path.read_text("utf-8").split('id="data">')[1].split("</script>")[0])
    return {tree["title"]: tree["tree"] for tree in data["trees"]}


@pytest.mark.parametrize(("name", "kind"), [("combat", "domain"), ("soldier", "sequence")])
def test_the_ending_of_the_file_says_that_it_is_a_page(bthtn, here, name, kind):
    assert bthtn("render", name, "-o", "a.html").out == "wrote a.html\n"
    (tree,) = page_trees(here / "a.html").values()
    assert (tree["kind"], tree["status"]) == (kind, "")
    assert bthtn("render", name, "--format", "html").out == (here / "a.html").read_text("utf-8")
    assert bthtn("render", name, "--format", "dot", "-o", "a.html").code == 0
    assert (here / "a.html").read_text("utf-8").startswith("digraph")


def test_programs_are_told_the_page(bthtn, here):
    told = json.loads(bthtn("render", "combat", "--format", "html", "--json").out)
    assert told["html"].startswith("<!DOCTYPE html>")


@pytest.fixture
def recorded(bthtn, here):
    bthtn("run", "soldier", "--ticks", "20", "--record", "run.jsonl")
    return here / "run.jsonl"


def test_the_tree_of_a_recording_is_drawn_as_it_was_at_a_tick(bthtn, recorded):
    patrol = bthtn("render", "run.jsonl", "--tick", "1", "--agent", "soldier").out
    assert 'label="soldier at tick 1"' in patrol
    assert "fight_from_cover" not in patrol
    moments = [bthtn("render", "run.jsonl", "--tick", str(tick)).out for tick in range(1, 21)]
    assert any("fight_from_cover" in one for one in moments), "the plan is in the picture"
    last = bthtn("render", "run.jsonl").out
    assert last == moments[-1]
    assert bthtn("render", "run.jsonl", "-o", "last.html").out == "wrote last.html\n"
    assert "soldier at tick 20" in (recorded.parent / "last.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (("run.jsonl", "--tick", "99"), "[BT461] the recording has no tick 99"),
        (("run.jsonl", "--agent", "solder"), "did you mean 'soldier'"),
        (("run.jsonl", "--format", "xml"), "[BT409] a recording has the nodes that ran"),
        (("soldier", "--tick", "3"), "[BT409] 'soldier' is no recording"),
    ],
)
def test_a_moment_that_there_is_not_is_refused(bthtn, recorded, arguments, wrong):
    answer = bthtn("render", *arguments)
    assert answer.code == 2
    assert wrong in answer.err


def test_a_recording_without_trees_has_nothing_to_draw(bthtn, here):
    head = {"recording": "bthtn-recording/1", "agents": [{"agent": "Ann", "beliefs": {}}]}
    lines = [head, {"tick": 1}]
    (here / "bare.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    assert "[BT461] the recording has no tree of 'Ann'" in bthtn("render", "bare.jsonl").err
