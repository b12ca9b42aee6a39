"""bthtn list: what there is."""

import json
import re
from pathlib import Path

import pytest

from bthtn.studio.cli.listing import summary

EXAMPLES = Path(__file__).resolve().parents[3]
EXTRAS = {"minigrid": "minigrid", "gymnasium": "minigrid"}
DOMAIN = "from bthtn import Domain, State\nfound = Domain('found', State)\n"


def test_what_comes_with_bthtn_is_listed_with_what_it_says_of_itself(bthtn, here):
    answer = bthtn("list")
    assert answer.code == 0
    domains, _, trees = answer.out.partition("\ntrees:\n")
    assert domains.startswith("domains:\n")
    assert re.search(r"(?m)^  combat +The hybrid combat domain", domains)
    assert re.search(r"(?m)^  soldier +The soldier", trees)


def test_what_lies_here_is_listed_too_and_hides_what_lies_farther(bthtn, put):
    put("domains/house/domain.py", f'"""A house."""\n{DOMAIN}')
    put("domains/combat/domain.py", f'"""Another fight."""\n{DOMAIN}')
    put("trees/reader/tree.py", "this is no python: its summary is empty")
    told = json.loads(bthtn("list", "--json").out)
    domains = {domain["name"]: (domain["path"], domain["summary"]) for domain in told["domains"]}
    assert domains["combat"] == ("domains/combat/domain.py", "Another fight.")
    assert domains["house"] == ("domains/house/domain.py", "A house.")
    names = {tree["name"]: tree["summary"] for tree in told["trees"]}
    assert names["reader"] == ""
    assert re.search(r"(?m)^  house +A house\.$", bthtn("list").out)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("raise SystemExit('not today')", "SystemExit: not today"),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("", "domains/house defines no domain"),
    ],
)
def test_what_cannot_be_loaded_is_listed_with_the_reason(bthtn, put, source, why):
    put("domains/house/domain.py", f'"""A house."""\n{source}\n')
    answer = bthtn("list")
    assert (answer.code, answer.err) == (0, "")
    assert re.search(rf"(?m)^  house +A house\. \(cannot be loaded: .*{why}\)$", answer.out)
    assert "\n  combat " in answer.out


def listed(bthtn):
    told = json.loads(bthtn("list", "--json").out)
    return [
        (kind, name)
        for kind, rows in told.items()
        for row in rows
        for name in (row["name"], *row.get("variants", []))
    ]


@pytest.mark.slow
def test_check_and_plan_find_all_that_is_listed(bthtn, here):
    found = listed(bthtn)
    assert {("domains", "blocks:strips"), ("domains", "fps:dear_melee")} <= set(found)
    for kind, name in found:
        answer = bthtn("check", name)
        assert answer.code == 0 or "bthtn[minigrid]" in answer.err, answer.err
        if kind == "domains":
            assert bthtn("plan", name, "no such task").err.startswith("[BT101]")


def test_all_that_plan_finds_is_listed(bthtn, here):
    names = {name for _, name in listed(bthtn)}
    for base in ("body", "troll", "fps", "blocks"):
        hint = bthtn("plan", f"{base}:", "x").err
        assert hint.startswith("[BT408]")
        for variant in re.findall(r"\w+", hint.partition("there is: ")[2]):
            assert variant == base or f"{base}:{variant}" in names


def test_the_domain_and_the_tree_of_one_name_are_both_checked_and_drawn(bthtn, here):
    answer = bthtn("check", "ammunition")
    assert answer.code == 0
    assert [line.partition(":")[0] for line in answer.out.splitlines()] == [
        "domain ammunition",
        "tree ammunition",
    ]
    assert bthtn("check", "trees/ammunition").out.startswith("tree ammunition: ")
    for name, drawn in (("ammunition", 2), ("domains/ammunition", 1), ("trees/ammunition", 1)):
        assert bthtn("render", name).out.count("digraph bthtn {") == drawn


def test_a_variant_in_a_file_of_its_own_is_checked_with_its_cases(bthtn, here):
    assert bthtn("check", "blocks:strips").out.endswith(" of 6 cases hold\n")
    assert bthtn("plan", "fps:strips", "--achieve", "at_target").out.startswith("strips: ")
    for name in ("blocks:strips", "domains/blocks:strips_facts"):
        assert bthtn("render", name).out.startswith("digraph")
        assert bthtn("check", name).code == 0


@pytest.mark.parametrize("tree", sorted(Path(EXAMPLES, "trees").glob("*/tree.py")), ids=str)
def test_what_needs_an_extra_says_so(tree):
    modules = "|".join(EXTRAS)
    needs = {
        EXTRAS[name]
        for file in tree.parent.glob("*.py")
        for name in re.findall(rf"(?m)^\s*(?:import|from) ({modules})\b", file.read_text("utf-8"))
    }
    assert needs == set(re.findall(r"bthtn\[(\w+)\]", summary(tree)))


def test_where_there_is_nothing_that_is_said(bthtn, here, monkeypatch):
    for kind in ("domains", "trees"):
        monkeypatch.setattr(f"bthtn.examples.{kind}.__path__", [])
    assert bthtn("list").out == "no domains\nno trees\n"
    answer = bthtn("plan", "combat", "fight")
    assert answer.err == "[BT401] there is no domain 'combat'\n"


def test_r003_09_the_sheets_of_a_domain_are_listed(bthtn, put):
    put("domains/house/domain.py", f'"""A house."""\n{DOMAIN}')
    for name in ("evening.goals.toml", "lottery.csv", "notes.csv", "skills.toml", "cases.toml"):
        put(f"domains/house/{name}", "")
    told = json.loads(bthtn("list", "--json").out)
    (house,) = (domain for domain in told["domains"] if domain["name"] == "house")
    assert house["sheets"] == ["skills.toml", "lottery.csv", "evening.goals.toml"]
    assert re.search(r"house +A house\.\n +skills.toml, lottery.csv,", bthtn("list").out)
