"""A reader of dot that knows nothing of the writer, and Graphviz itself where there is one."""

import html
import re
import shutil
import subprocess
import warnings
from dataclasses import dataclass, field

import pydot
import pytest
from pyparsing import ParserElement

ParserElement.enable_packrat()  # pydot's grammar tries the same at one place again and again
TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<markup><(?=<table).*?</table>>)|(?P<word>[\w.]+)"""
    r"""|(?P<sign>->|[\[\]{};=]))""",
    re.DOTALL,
)
ESCAPE = re.compile(r'\\(.)|(&amp;)|["&]', re.DOTALL)


@dataclass
class Picture:
    """What a text in dot says: attributes of nodes and edges, and which frames hold which."""

    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    frames: list[dict[str, str]] = field(default_factory=list)
    inside: dict[str, tuple[int, ...]] = field(default_factory=dict)
    graph: dict[str, str] = field(default_factory=dict)

    def labels(self) -> list[str]:
        return [attributes["label"] for attributes in self.nodes.values()]

    def children(self, label: str) -> list[str]:
        """Labels below the first node with this label, left to right."""
        name = next(name for name, node in self.nodes.items() if node["label"] == label)
        return [self.nodes[below]["label"] for above, below, _ in self.edges if above == name]


def meant(quoted: str) -> str:
    """What Graphviz shows for a quoted string; only the escapes that we use are known."""

    def one(found: re.Match[str]) -> str:
        if found[2]:
            return "&"
        return {"n": "\n", "\\": "\\", '"': '"'}[found[1]]

    return ESCAPE.sub(one, quoted[1:-1])


class Reader:
    """Reads one text, statement by statement."""

    def __init__(self, text: str) -> None:
        self.picture = Picture()
        self._tokens = tokens_of(text)
        self._at = 0
        self._open: list[int] = []

    def read(self) -> Picture:
        assert self._next() == "digraph"
        self._next()
        assert self._next() == "{"
        while self._open or self._tokens[self._at] != "}":
            self._statement(self._next())
        assert self._at == len(self._tokens) - 1
        for above, below, _ in self.picture.edges:
            assert {above, below} <= self.picture.nodes.keys()
        return self.picture

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _statement(self, word: str) -> None:
        if word in ("subgraph", "{"):
            self._open_frame(word)
        elif word == "}":
            self._open.pop()
        elif word in ("graph", "node", "edge"):
            given = self._attributes()
            self.picture.graph |= given if word == "graph" else {}
        elif self._tokens[self._at] in ("=", "->"):
            self._between(word, self._next())
        elif word != ";":
            assert re.fullmatch(r"n\d+", word)
            assert word not in self.picture.nodes
            self.picture.nodes[word] = self._attributes()
            self.picture.inside[word] = tuple(self._open)

    def _open_frame(self, word: str) -> None:
        if word == "{":
            self._open.append(-1)
            return
        number = len(self.picture.frames)
        assert (self._next(), self._next()) == (f"cluster{number}", "{")
        self.picture.frames.append({})
        self._open.append(number)

    def _between(self, word: str, sign: str) -> None:
        other = self._next()
        if sign == "->":
            self.picture.edges.append((word, other, self._attributes()))
        elif self._open[-1] >= 0:
            self.picture.frames[self._open[-1]][word] = other

    def _attributes(self) -> dict[str, str]:
        assert self._next() == "["
        found: dict[str, str] = {}
        while (name := self._next()) != "]":
            assert self._next() == "="
            assert name not in found
            found[name] = self._next()
        return found


def tokens_of(text: str) -> list[str]:
    text, at, tokens = text.strip(), 0, []
    while at < len(text):
        found = TOKEN.match(text, at)
        assert found, f"not dot: {text[at : at + 40]!r}"
        tokens.append(meant(found["quoted"]) if found["quoted"] else found[0].strip())
        at = found.end()
    return tokens


def read(text: str) -> Picture:
    return Reader(text).read()


@pytest.fixture(scope="session", name="read_dot")
def read_dot_fixture():
    """Reads dot; fails where it is none."""
    return read


@pytest.fixture(scope="session", name="accepted")
def accepted_fixture():
    """Asserts that somebody else's parsers take the text: pydot's, and Graphviz' where it is."""

    def accepted(text: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pydot calls pyparsing by names that it gave up
            graphs = pydot.graph_from_dot_data(text)
        assert graphs is not None
        assert len(graphs) == 1
        program = shutil.which("dot")
        if program is not None:
            done = subprocess.run(
                [program, "-Tsvg"], input=text.encode(), capture_output=True, check=False
            )
            assert done.returncode == 0, done.stderr.decode()
            assert done.stderr == b""

    return accepted


@pytest.fixture(scope="session", name="svg_texts")
def svg_texts_fixture():
    """The texts that Graphviz draws, in order; without Graphviz the test is skipped."""
    program = shutil.which("dot")
    if program is None:
        pytest.skip("Graphviz is not installed")

    def texts(dot: str) -> list[str]:
        done = subprocess.run(
            [program, "-Tsvg"], input=dot.encode(), capture_output=True, check=True
        )
        drawn = re.findall(r"<text[^>]*>(.*?)</text>", done.stdout.decode(), re.DOTALL)
        return [html.unescape(text).replace("\xa0", " ") for text in drawn]

    return texts
