"""What the cases of all domains say comes out of ``bthtn plan`` as well."""

import json
import re
import shlex
import sys
import tomllib
from functools import cache

import pytest

from bthtn.engine.text.notation import normal
from bthtn.studio.cli.main import run
from bthtn.studio.testing import domain_files
from tests.corpus.shipped import FOLDER, cases_of
from tests.told import tree_told

OPTIONS = {"horizon": "--horizon", "horizon_time": "--horizon-time"}
FLAGS = {"check_rest": "--check-rest", "cheapest": "--cheapest"}


def arguments(domain, case):
    """The case as somebody would type it."""
    variant = f"{domain}:{case['variant']}" if "variant" in case else domain
    yield from ("plan", variant, case["task"], "--format", "json", "--flat")
    for fluent, value in case.get("given", {}).items():
        yield from ("--set", f"{fluent}={value if isinstance(value, str) else json.dumps(value)}")
    for key, option in OPTIONS.items():
        yield from (option, str(case[key])) if key in case else ()
    yield from (FLAGS[key] for key in FLAGS if case.get(key))


def typed():
    """The first case of each domain, and each first that says something which others do not."""
    seen = set()
    for file in sorted(FOLDER.glob("*/cases.toml")):
        tables = tomllib.loads(file.read_text("utf-8"))
        for case in cases_of(file):
            asked = tables[case.name]
            says = {file, *(key for key in (*OPTIONS, *FLAGS, "variant") if asked.get(key))}
            if says <= seen and case.expected is not None:
                continue
            seen |= says
            arguments_of = list(arguments(file.parent.name, asked))
            yield pytest.param(arguments_of, case, id=f"{file.parent.name}-{case.name}")


def value(written):
    """A value in JSON as the cases have it: members of an Enum by their names."""
    return written["name"] if isinstance(written, dict) else str(written)


def text(node):
    """A plan as JSON in the notation of the cases; what is suspended is left out."""
    inside = ",".join(filter(None, map(text, node["children"])))
    match node["node"]:
        case "task":
            args = ",".join(map(value, node["args"]))
            return f"{node['name']}({args})" if args else node["name"]
        case "sequence":
            return f"({inside})"
        case "parallel":
            policy = node.get("policy", "all")
            return (
                f"parallel({inside})" if policy == "all" else f"parallel({inside},policy={policy})"
            )
        case "priority":
            return f"priority({inside})"
        case "scope":  # of a decorated part; without parts of its own, as in the cases
            return f"{node['decorator'].replace(' ', '(')},{inside})"
        case "null":
            return "null"
        case _:
            return ""


@pytest.fixture(scope="module", autouse=True)
def loaded_once():
    """Each file of a domain is executed once, for all of its cases."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(domain_files, "module_at", cache(domain_files.module_at))
        yield


@pytest.mark.parametrize(("arguments", "case"), list(typed()))
def test_a_case_is_planned_by_the_command(arguments, case, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["bthtn", *arguments])
    with pytest.raises(SystemExit) as end:
        run()
    told = json.loads(capsys.readouterr().out)
    if case.expected is None:
        assert (end.value.code, told["format"]) == (1, "bthtn-no-plan/1")
        return
    assert (end.value.code, told["format"]) == (0, "bthtn-plan/2")
    assert case.record is None or told["record"] == list(case.record)
    expected = normal(case.expected)
    if "suspended" not in expected:
        assert text(tree_told(told)) == re.sub(r"[\s'\"]", "", expected)


def shown():
    for page in sorted(FOLDER.glob("*/README.md")):
        for written in re.findall(r"(?m)^bthtn (?:.*\\\n)*.*$", page.read_text("utf-8")):
            command = written.replace("\\\n", " ")
            yield pytest.param(shlex.split(command, comments=True), id=command)


@pytest.mark.parametrize("command", list(shown()))
def test_a_command_in_a_readme_can_be_typed(command, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as end:
        run()
    assert end.value.code in (0, 1), capsys.readouterr().err
