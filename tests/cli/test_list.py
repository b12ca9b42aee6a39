"""bthtn list: what there is."""

import json
import re


def test_what_comes_with_bthtn_is_listed_with_what_it_says_of_itself(bthtn, here):
    answer = bthtn("list")
    assert answer.code == 0
    domains, _, trees = answer.out.partition("\ntrees:\n")
    assert domains.startswith("domains:\n")
    assert re.search(r"(?m)^  combat +The hybrid combat domain", domains)
    assert re.search(r"(?m)^  soldier +The soldier", trees)


def test_what_lies_here_is_listed_too_and_hides_what_lies_farther(bthtn, put):
    put("domains/house/domain.py", '"""A house."""\n')
    put("domains/combat/domain.py", '"""Another fight."""\n')
    put("trees/reader/tree.py", "this is no python: its summary is empty")
    put("trees/reader/at_night.scenario.toml", "")
    told = json.loads(bthtn("list", "--json").out)
    domains = {domain["name"]: (domain["path"], domain["summary"]) for domain in told["domains"]}
    assert domains["combat"] == ("domains/combat/domain.py", "Another fight.")
    assert domains["house"] == ("domains/house/domain.py", "A house.")
    names = {tree["name"]: tree["summary"] for tree in told["trees"]}
    assert names["reader"] == ""
    assert told["scenarios"] == ["trees/reader/at_night.scenario.toml"]
    answer = bthtn("list")
    assert re.search(r"(?m)^  house +A house\.$", answer.out)
    assert "scenarios:\n  trees/reader/at_night.scenario.toml\n" in answer.out


def test_listing_runs_nothing(bthtn, put):
    put("domains/house/domain.py", '"""Loud."""\nraise SystemExit("do not run me")\n')
    assert "Loud." in bthtn("list").out


def test_where_there_is_nothing_that_is_said(bthtn, here, monkeypatch):
    monkeypatch.setattr("bthtn.examples.__path__", [])
    assert bthtn("list").out == "no domains\nno trees\n"
    answer = bthtn("plan", "combat", "fight")
    assert answer.err == "[BT401] there is no domain 'combat'\n"
