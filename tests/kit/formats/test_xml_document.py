"""XML as plain elements: what is in a document, and what no document can do."""

import resource
import sys
import time
from pathlib import Path

import pytest

from bthtn.errors import InputError
from bthtn.kit.formats import xml_document
from bthtn.kit.formats.xml_document import (
    DEEPEST,
    MOST_BYTES,
    element_from,
    element_in,
)

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def refusal(text):
    """The message for a document that is refused, and where it is wrong."""
    with pytest.raises(InputError) as refused:
        element_from(text, "tree.xml")
    (found,) = refused.value.diagnostics
    assert found.code == "BT412"
    return found.message, found.where


def test_elements_have_their_attributes_children_text_and_lines():
    root = element_from('<?xml version="1.0"?>\n<a x="1">\n<b y="&lt;2"/> so <c/></a>', "tree.xml")
    assert (root.tag, dict(root.attributes), root.line, root.text) == ("a", {"x": "1"}, 2, "so")
    assert [(child.tag, child.where) for child in root.children] == [
        ("b", "tree.xml:3"),
        ("c", "tree.xml:3"),
    ]
    assert root.children[0].attributes["y"] == "<2"


def test_a_file_may_have_a_byte_order_mark_and_any_letters(tmp_path):
    path = tmp_path / "tree.xml"
    path.write_text('<?xml version="1.0" encoding="UTF-8"?><a name="攻撃"/>', "utf-8-sig")
    assert element_in(path).attributes["name"] == "攻撃"
    assert element_in(path).source == str(path)


def test_attributes_may_have_a_bare_sign_as_in_the_engine():
    text = """<!-- x="a & 'b' --><a b="c && d" e='f < "g"' h="&lt;&#38;"/>"""
    assert dict(element_from(text, "").attributes) == {
        "b": "c && d",
        "e": 'f < "g"',
        "h": "<&",
    }


@pytest.mark.parametrize(
    ("encoding", "name"), [("shift_jis", "攻撃"), ("latin-1", "Tür"), ("utf-16", "Tür")]
)
def test_a_file_has_the_encoding_that_it_declares(tmp_path, encoding, name):
    path = tmp_path / "tree.xml"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><a name="{name}"/>', encoding)
    assert element_in(path).attributes["name"] == name


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ('<?xml version="1.0" encoding="klingon"?>', "there is no encoding 'klingon'"),
        ('<?xml version="1.0" encoding="zlib"?>', "there is no encoding 'zlib'"),
        ('<?xml version="1.0" encoding="ascii"?>', "not a text in ASCII"),
        ("", "not a text in UTF-8"),
    ],
)
def test_a_file_in_another_encoding_than_it_says_is_refused(tmp_path, head, message):
    path = tmp_path / "tree.xml"
    path.write_bytes(f'{head}<a name="\xfc"/>'.encode("latin-1"))
    with pytest.raises(InputError, match=message):
        element_in(path)


def test_what_the_declaration_says_about_the_encoding_cannot_hurt():
    for encoding in ("zlib", "utf-16", "nothing", "idna"):
        assert element_from(f'<?xml version="1.0" encoding="{encoding}"?><a/>', "").tag == "a"


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("", "not XML: no element found", "tree.xml:1:1"),
        ("<a>\n  <b></a>", "not XML: mismatched tag", "tree.xml:2:8"),
        ("<a>1 < 2</a>", "not XML: not well-formed (invalid token)", "tree.xml:1:7"),
        ('<a x="1" x="2"/>', "not XML: duplicate attribute", "tree.xml:1:10"),
        ("<a>&nothing;</a>", "not XML: undefined entity", "tree.xml:1:4"),
        ("<a/>\n<a/>", "not XML: junk after document element", "tree.xml:2:1"),
        ("<a>\0</a>", "not XML: not well-formed (invalid token)", "tree.xml:1:4"),
        ("<a>\ud800</a>", "half a letter stands alone", "tree.xml, letter 4"),
    ],
)
def test_what_is_not_xml_is_refused_at_its_place(text, message, place):
    assert refusal(text) == (message, place)


@pytest.mark.parametrize(
    "text",
    [
        f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]><a>&l9;</a>',
        f'<!DOCTYPE a [<!ENTITY b "{"b" * 100_000}">]><a>{"&b;" * 100_000}</a>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        '<!DOCTYPE a SYSTEM "http://example.invalid/a.dtd"><a/>',
        '<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><a/>',
        '<!DOCTYPE a [<!ATTLIST a x CDATA "1">]><a/>',
    ],
    ids=["laughs", "quadratic", "external", "outside", "parameter", "defaults"],
)
def test_a_document_type_is_refused_whatever_it_defines(text):
    assert refusal(text)[0] == "a document type is not read"


def test_a_document_has_only_so_many_elements(monkeypatch):
    monkeypatch.setattr(xml_document, "MOST_ELEMENTS", 9)
    element_from(f"<a>{'<a/>' * 8}</a>", "")
    assert refusal(f"<a>{'<a/>' * 9}</a>")[0] == "the document has more than 9 elements"


def test_elements_are_nested_only_so_deep():
    element_from("<a>" * DEEPEST + "</a>" * DEEPEST, "")
    assert "nested deeper than" in refusal("<a>" * (DEEPEST + 1))[0]


@pytest.mark.parametrize(
    "text",
    [
        "<a>" * 100_000,
        "<a>" + "<a/>" * 999_000,
        "<a " + " ".join(f'x{n}=""' for n in range(380_000)),
        "<a>" + "x" * 3_900_000,
        "<" + "a" * 3_900_000,
    ],
    ids=["depth", "elements", "attributes", "text", "name"],
)
def test_no_document_takes_much_time_or_memory(text):
    begun, before = time.process_time(), peak_bytes()
    refusal(text)
    assert time.process_time() - begun < 10
    assert peak_bytes() - before < 400_000_000


def peak_bytes():
    """The most memory that this process has had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def test_a_document_that_is_too_large_is_not_parsed(tmp_path):
    path = tmp_path / "tree.xml"
    with path.open("wb") as file:
        file.truncate(10**12)  # of which the disk keeps nothing
    with pytest.raises(InputError, match="larger than 4 MB"):
        element_in(path)
    assert refusal(" " * (MOST_BYTES + 1)) == ("the document is larger than 4 MB", "tree.xml")


@pytest.mark.parametrize("name", ["nothing.xml", "."])
def test_a_file_that_cannot_be_read_is_named(name, tmp_path):
    with pytest.raises(InputError, match=r"\[BT404\] cannot read"):
        element_in(Path(tmp_path / name))


def test_without_defusedxml_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "defusedxml", None)
    with pytest.raises(InputError, match=r"\[BT413\].*\n.*\n.*bthtn\[groot\]"):
        element_from("<a/>", "tree.xml")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("<a>b && c</a>", "write &amp; for &, or the word: a and b"),
        ("<a>b & c</a>", "write &amp; for &, or the word: a and b"),
        ("<a>b < 3</a>", "write &lt; for a < in a text, and &lt;= for <="),
        ("<a>b <= c</a>", "write &lt; for a < in a text, and &lt;= for <="),
        ('<a x="b>\n<c/></a>', "is a quote missing before it? A < in a text is written &lt;"),
        ("<a x=b/>", 'write the value in quotes: ="b…"'),
        ("<a x=“b”/>", 'write straight quotes: "…"'),
        ("<a>\n  <b></a>", "the end tag of the innermost element is missing, or misspelt"),
        ('<a x="1" x="2"/>', "write each attribute once"),
        ("<a/>\n<a/>", "put all into one outermost element: <root>"),
        ("<a>", "the end tags of the elements that are still open are missing"),
        ("<a><b", "is a quote or a '>' missing?"),
        ("<a>&nothing;</a>", "write &amp; for &"),
        ("<2/>", "is a quote, a '>' or an end tag missing?"),
    ],
)
def test_a_fault_of_xml_has_the_hint_that_helps_with_it(text, hint):
    with pytest.raises(InputError) as refused:
        element_from(text, "tree.xml")
    assert refused.value.diagnostics[0].hint == hint
