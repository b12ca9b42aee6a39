"""The writer of dot: whatever names there are, the text is dot and shows them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn.studio.views.dot import DEEPEST_FRAME, EDGES, LOOKS, STATUSES, Drawing

HOSTILE = [
    "",
    " ",
    'say "hi"',
    "back\\slash",
    "\\",
    "\\N \\G \\l",
    "ends with \\",
    '\\"',
    "two\nlines",
    "\r\n\t",
    "nul\0byte",
    "\x1b[31mred",
    "<b>bold</b>",
    "<table>",
    "a:b",
    "a:b:n",
    "a -> b",
    "}",
    "] [",
    "node",
    "graph",
    "digraph",
    "subgraph",
    "strict",
    "n0",
    "cluster0",
    "// comment",
    "/* comment",
    "# comment",
    "&amp; &lt; &#38; &",
    "射線×",
    "🪖",
    "\u202eright to left",
    "\ud800",
    "\ufffe",
    "%s %n {0}",
    "x" * 5_000,
    "y z " * 1_500,
    "&" * 5_000,
    '"' * 5_000,
    "\\" * 5_001,
]
names = st.one_of(st.sampled_from(HOSTILE), st.text())


def drawn(*labels: str, legend: bool = False) -> str:
    """Each label once as a node of some kind, as a frame, an edge and the title."""
    drawing = Drawing(labels[0])
    above = ""
    for kind, label in zip(LOOKS, labels * len(LOOKS), strict=False):
        drawing.open_frame(label, tooltip=label)
        name = drawing.node(kind, label, below=label, tooltip=label)
        drawing.close_frame()
        if above:
            drawing.edge(above, name, kind="choice", label=label)
        above = name
    return drawing.text(legend=legend)


@given(st.lists(names, min_size=1, max_size=3))
def test_any_names_give_dot(read_dot, labels):
    picture = read_dot(drawn(*labels))
    assert len(picture.nodes) == len(picture.frames) == len(LOOKS)
    assert len(picture.edges) == len(LOOKS) - 1


@pytest.mark.parametrize("label", HOSTILE, ids=lambda label: ascii(label)[:20])
def test_hostile_names_give_dot(read_dot, label):
    assert len(read_dot(drawn(label, legend=True)).nodes) == len(LOOKS)


@pytest.mark.slow
def test_other_parsers_accept_hostile_names(accepted):
    drawing = Drawing("".join(HOSTILE))
    above = drawing.node("task", "root")
    for label in HOSTILE:
        drawing.open_frame(label, tooltip=label)
        name = drawing.node("task", label, below=label, tooltip=label)
        drawing.close_frame()
        drawing.edge(above, name, label=label)
    accepted(drawing.text(legend=True))


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=30))
def test_a_short_name_is_shown_as_it_is(read_dot, label):
    drawing = Drawing()
    drawing.node("task", label)
    (shown,) = read_dot(drawing.text()).labels()
    assert shown.replace("\n", "") == label


@pytest.mark.parametrize(
    "label", ["a & b", "&lt;", "<b>", "a:b", '"', "\\N", "a\\", "射線×", "\\n"]
)
def test_graphviz_draws_the_name_and_nothing_else(svg_texts, label):
    drawing = Drawing(label)
    drawing.node("task", label)
    assert svg_texts(drawing.text()) == [label, label]
    title, *_, node = svg_texts(drawing.text(legend=True))
    assert (title, node) == (label, label)


def test_nodes_of_one_name_are_different_nodes(read_dot):
    drawing = Drawing()
    first, second = drawing.node("task", "reload"), drawing.node("task", "reload")
    drawing.edge(first, second)
    picture = read_dot(drawing.text())
    assert list(picture.nodes) == ["n0", "n1"]
    assert picture.labels() == ["reload", "reload"]
    assert picture.edges == [("n0", "n1", {})]


def test_a_name_of_five_thousand_letters_keeps_its_beginning_and_end(read_dot):
    drawing = Drawing()
    drawing.node("task", "begin" + "x" * 5_000 + "end")
    (shown,) = read_dot(drawing.text()).labels()
    whole = shown.replace("\n", "")
    assert len(whole) < 120
    assert whole.startswith("beginx")
    assert whole.endswith("xend")
    assert max(map(len, shown.split("\n"))) <= 32


def test_a_nameless_node_says_so(read_dot):
    drawing = Drawing()
    drawing.node("task", "")
    assert read_dot(drawing.text()).labels() == ["(no name)"]


def test_every_kind_of_node_looks_different():
    looks = [(look.shape, look.fill, look.line, look.style) for look in LOOKS.values()]
    assert len(set(looks)) == len(looks)
    assert all("dashed" in LOOKS[kind].style for kind in ["suspended"])
    assert "dashed" in EDGES["choice"]


def test_every_status_has_its_colour(read_dot):
    drawing = Drawing()
    for status in STATUSES:
        drawing.node("task", "same", status=status)
    nodes = read_dot(drawing.text()).nodes.values()
    assert len({(node["fillcolor"], node["color"]) for node in nodes}) == len(STATUSES)


def test_frames_lie_in_each_other(read_dot):
    drawing = Drawing()
    drawing.open_frame("outer")
    drawing.open_frame("inner")
    drawing.node("task", "a")
    drawing.close_frame()
    drawing.node("task", "b")
    drawing.close_frame()
    drawing.node("task", "c")
    picture = read_dot(drawing.text())
    assert [frame["label"] for frame in picture.frames] == ["outer", "inner"]
    assert list(picture.inside.values()) == [(0, 1), (0,), ()]


def test_frames_that_are_too_many_for_graphviz_are_left_out(read_dot, svg_texts):
    drawing = Drawing()
    for number in range(5_000):
        drawing.open_frame(str(number))
    drawing.node("task", "a")
    for _ in range(5_000):
        drawing.close_frame()
    assert len(read_dot(drawing.text()).frames) == DEEPEST_FRAME
    assert len(svg_texts(drawing.text())) == DEEPEST_FRAME + 1


def test_the_legend_explains_what_occurs_and_nothing_else():
    drawing = Drawing()
    drawing.node("check", "a")
    drawing.node("suspended", "b", status="FAILURE")
    legend = drawing.text(legend=True).splitlines()[1]
    assert "a question to the world" in legend
    assert "planned when it is reached" in legend
    assert "FAILURE: failed" in legend
    assert "one after the other" not in legend
    assert "SUCCESS" not in legend


def test_the_legend_explains_coloured_edges_that_occur():
    drawing = Drawing()
    above, below = drawing.node("goal", "a"), drawing.node("task", "b")
    drawing.edge(above, below)
    assert "→" not in drawing.text(legend=True)
    drawing.edge(above, below, kind="mounted")
    legend = drawing.text(legend=True).splitlines()[1]
    assert '<td border="1" width="22" color="#6B3FA0">→</td>' in legend
    assert "to what was planned for it" in legend
    assert "to what is chosen from" not in legend
