"""Hostile command lines: one message, the right exit code, and nothing half written."""

import json
import os

import pytest

from tests.studio.cli.hostile import RAISED, Line, furnish, lines
from tests.studio.cli.runner import Runner, left_over

LONG = "9" * 5_000
BYTES = os.fsdecode(b"\xff\xfe.py")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("hostile")
    furnish(made)
    return made


@pytest.fixture
def bthtn(runner, folder):
    """Runs a command line among hostile files; the exit code, what was printed, the complaint."""

    def call(*arguments, **streams):
        result = runner.run(Line(arguments, **streams), folder)
        return result.code, result.out, result.err

    return call


def faults(runner, folder, several):
    """What went wrong, and for which command lines."""
    found = {}
    for line in several:
        fault = runner.run(line, folder).fault(line)
        left = left_over(folder)
        if fault or left:
            found[line] = (fault, left)
    return found


def test_a_few_hostile_command_lines_are_answered_in_one_message(runner, folder):
    assert not faults(runner, folder, lines(20, seed=1))


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 10))
def test_hundreds_of_hostile_command_lines_are(runner, folder, seed):
    assert not faults(runner, folder, lines(100, seed))


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "house", "light", "--set", f"steps={LONG}"],
        ["plan", "house", "--achieve", f"steps == {LONG}"],
        ["plan", "house", "--achieve", f"on[{LONG}] == x"],
        ["plan", "house", "--achieve", "lit", "--objects", f"steps={LONG}"],
        ["plan", "house", "go", "ATTIC", LONG],
    ],
)
def test_a_number_may_have_thousands_of_digits(bthtn, arguments):
    code, out, err = bthtn(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("[BT")
    assert "Traceback" not in err


def test_a_cost_may_be_beyond_all_floating_point_numbers(bthtn):
    code, out, _ = bthtn("plan", "house", "go", "ATTIC", "9" * 1_000)
    assert code == 0
    assert "cost 1.00000e+1000" in out


@pytest.mark.parametrize("output", ["circle", "circle/x", "old.json/x", ".", "x" * 300])
@pytest.mark.parametrize("command", [["plan", "house", "light"], ["render", "house"]])
def test_an_output_that_cannot_be_written_is_said(bthtn, folder, command, output):
    before = sorted(folder.iterdir())
    code, out, err = bthtn(*command, "-o", output)
    assert (code, out) == (2, "")
    assert err.startswith(f"[BT404] cannot write {output}: ")
    assert sorted(folder.iterdir()) == before
    assert (folder / "circle").is_symlink()


@pytest.mark.parametrize("name", RAISED)
def test_whatever_a_file_raises_is_bad_input_with_its_line(bthtn, name):
    code, out, err = bthtn("check", f"raises_{name}.py")
    assert (code, out) == (2, "")
    assert err.startswith("[BT402] ")
    assert f"raises_{name}.py" in err


@pytest.mark.parametrize("name", ["exit_3", "own", "unprintable"])
@pytest.mark.parametrize(
    ("command", "file"),
    [("plan", "plans"), ("plan", "asks"), ("run", "makes"), ("run", "lives"), ("check", "makes")],
)
def test_whatever_is_raised_later_is_bad_input_too(bthtn, command, file, name):
    code, _, err = bthtn(command, f"{file}_{name}.py", *(["bad"] if command == "plan" else []))
    assert (code, err[:3], err.count("[BT")) == (2, "[BT", 1)


def test_a_byte_order_mark_is_no_part_of_a_text(bthtn):
    code, out, err = bthtn("check", "bom.py")
    assert (code, err) == (0, "")
    assert out.endswith("domain bom: no errors, 2 warnings, 1 of 1 case hold\n")


@pytest.mark.parametrize("name", ["fifo.py", "endless.py"])
def test_a_file_without_an_end_is_not_read(bthtn, name):
    code, _, err = bthtn("check", name)
    assert (code, err.partition(":")[0]) == (2, f"[BT404] cannot read {name}")


BYTES_ONLY = {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


@pytest.mark.parametrize("environment", [pytest.param({}, marks=pytest.mark.slow), BYTES_ONLY])
def test_names_in_any_letters_are_found_in_the_locale_c(folder, environment):
    with Runner({"LC_ALL": "C", **environment}, warm_up=[["render", "combat"]]) as runner:
        for name in ("größe 射線.py", BYTES):
            assert runner.run(Line(("check", name)), folder).code == 0
            dot = runner.run(Line(("render", name, "--format", "dot")), folder)
            assert (dot.code, dot.out[:7]) == (0, "digraph")
            answer = runner.run(Line(("render", name, "--json")), folder)
            assert json.loads(answer.out)["kind"] == "domain"


@pytest.mark.parametrize(
    "arguments",
    [["list"], ["plan", "house", "light"], ["check", "house"], ["--help"],
     ["render", "house"], ["run", "dog", "--ticks", "3"], ["run", "dog", "--json"]],
)  # fmt: skip
def test_the_output_may_lead_nowhere(bthtn, arguments):
    code, out, err = bthtn(*arguments, stdout="full")
    assert (code, out) == (2, "")
    assert err.startswith("[BT404] cannot write to stdout: No space left on device")
    assert bthtn(*arguments, stdout="gone") in ((141, "", ""), (1, "", ""))
    wanted, _, _ = bthtn(*arguments)
    assert bthtn(*arguments, stdout="closed") == (wanted, "", "")


@pytest.mark.parametrize("stderr", ["full", "gone", "closed"])
def test_a_complaint_may_lead_nowhere(bthtn, stderr):
    assert bthtn("plan", "hose", "light", stderr=stderr)[0] == 2
    assert bthtn("plan", stderr=stderr)[0] in (1, 2)
