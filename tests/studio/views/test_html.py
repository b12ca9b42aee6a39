"""Pages of HTML: complete, without a network, and whatever the names are."""

import hashlib
import json
import re
from base64 import b64encode
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from bthtn.studio.views.dot import LOOKS, STATUSES
from bthtn.studio.views.html import asset, embedded, html_page, looks, script

PAGE = files("bthtn.studio.views") / "page"
MODULES = sorted(file.name for file in PAGE.iterdir() if file.name.endswith(".js"))
OWN = [name for name in MODULES if not name.endswith(".min.js")]
HOSTILE = {
    "a script": "<script>alert(1)</script>",
    "the end of a script": "</script><script>alert(1)</script>",
    "a comment": "<!--<script>",
    "quotes": "\"'`&quot;\\",
    "line breaks": "one\ntwo\r\u2028three\x00",
    "ten thousand characters": "x" * 10_000,
    "right to left": "\u202eאבג\u202c",
    "half a character": "\ud800",
    "the mark of the template": "{title}",
}


class Parts(HTMLParser):
    """What a browser would take for elements, and the texts of scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.texts = [], [], {}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.setdefault(self.tags[-1] if self.tags else "", []).append(data)

    @property
    def scripts(self):
        return [attrs.get("type", "") for tag, attrs in self.attributes if tag == "script"]

    @property
    def data(self):
        return json.loads(self.texts["script"][0])


def leaf(name, **others):
    return {"id": 1, "kind": "task", "name": name, "children": [], **others}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_name_is_data_and_adds_no_element(name):
    plain = Parts(html_page("title", {"tree": leaf("plain")}))
    node = leaf(name, below=name, tooltip=name, message=name)
    hostile = Parts(html_page(name, {name: node}))
    assert hostile.tags == plain.tags
    assert hostile.scripts == ["application/json", "", "module"]
    assert hostile.data["trees"][0]["tree"] == node
    assert hostile.data["title"] == name


def test_data_in_a_page_have_no_character_that_html_reads():
    texts = list(HOSTILE.values())
    assert not re.search("[<>&]", embedded(texts))
    assert json.loads(embedded(texts)) == texts


def test_the_policy_of_a_page_allows_its_own_scripts_and_nothing_else():
    page = html_page("title", {"tree": leaf("plain")})
    parts = Parts(page)
    (policy,) = (
        one["content"] for tag, one in parts.attributes if tag == "meta" and "http-equiv" in one
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))

    def seal(text):
        return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert rules["default-src"] == "'none'"
    scripts = [asset("d3-hierarchy.min.js"), script("picture.js")]
    assert rules["script-src"].split() == [seal(text) for text in scripts]
    assert all(f">{text}</script>" in page for text in scripts)
    assert rules["style-src"] == seal(parts.texts["style"][0])


def test_a_page_asks_no_server():
    page = html_page("title", {"tree": leaf("plain")})
    parts = Parts(page)
    assert not [one for _, one in parts.attributes if {"src", "href"} & one.keys()]
    assert set(re.findall(r"https?://[^\s\"'`)]+", script("picture.js"))) == {
        "http://www.w3.org/2000/svg"
    }


def test_each_kind_and_status_of_dot_has_its_looks_in_the_page():
    assert looks()["kinds"].keys() == LOOKS.keys()
    assert looks()["statuses"].keys() == STATUSES.keys()
    assert all(look["sign"] for name, look in looks()["statuses"].items() if name != "INVALID")


@pytest.mark.parametrize("name", OWN)
def test_a_module_writes_text_and_never_markup(name):
    banned = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser"
    )
    assert not re.search(banned, asset(name))


def test_the_modules_can_be_joined_into_one():
    """``script`` joins them: they import by one line, and their names are all different."""
    declared = []
    for name in OWN:
        text = asset(name)
        declared += re.findall(
            r"^(?:export )?(?:function|const|let|class) (\w+)", text, re.MULTILINE
        )
        assert len(re.findall(r"^import ", text, re.MULTILINE)) == text.count('} from "./')
    assert len(declared) == len(set(declared)), sorted(x for x in declared if declared.count(x) > 1)
    joined = script("picture.js")
    assert not re.search(r"^(import|export)\b", joined, re.MULTILINE)
    assert joined.count("export function") == 0
    assert joined.index("function svgElement") < joined.index("function treeView")


def test_the_vendored_library_ships_with_its_licence_and_version():
    assert re.search(r"d3-hierarchy/ v3\.\d+\.\d+", asset("d3-hierarchy.min.js")[:200])
    assert "Permission to use, copy, modify" in asset("d3-hierarchy.LICENSE")
