"""The command as a program: what reaches the shell."""

import os
import subprocess
import sys
from pathlib import Path
from signal import SIGINT, default_int_handler, getsignal, raise_signal, signal

import pytest

import bthtn.api
from bthtn.studio.cli.main import COMMANDS
from tests.studio.cli.hostile import Line
from tests.studio.cli.runner import Result

ROOT = Path(__file__).resolve().parents[3]


def python(*arguments):
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr
    return done.stdout


def test_the_package_is_light_until_a_name_is_used():
    script = (
        "import sys; before = {*sys.modules}; import bthtn.__main__;"
        "print(*{*sys.modules} - before); from bthtn import *; print(Domain)"
    )
    loaded, domain = python("-c", script).splitlines()
    own = {
        "bthtn",
        "bthtn.version",
        "bthtn.studio",
        "bthtn.studio.cli",
        "bthtn.studio.cli.signals",
        "bthtn.__main__",
    }
    assert set(loaded.split()) == own, "signals are decided on before anything else is imported"
    assert domain == "<class 'bthtn.engine.domain.builder.Domain'>"


def test_the_names_of_the_package_are_those_of_its_api():
    assert {*bthtn.api.__all__, "api"} <= set(dir(bthtn))
    assert all(getattr(bthtn, name) is getattr(bthtn.api, name) for name in bthtn.api.__all__)
    with pytest.raises(AttributeError, match="module 'bthtn' has no attribute 'Domian'"):
        bthtn.Domian  # noqa: B018 - looked up, not used


def test_a_signal_while_a_file_is_written_waits_until_it_is(bthtn, here, monkeypatch):
    monkeypatch.setattr("os.replace", lambda *names: (raise_signal(SIGINT), os.rename(*names)))
    before = getsignal(SIGINT)
    signal(SIGINT, default_int_handler)
    try:
        answer = bthtn("plan", "combat", "fight", "--json", "-o", "plan.json")
    finally:
        signal(SIGINT, before)
    assert (answer.code, answer.err) == (130, "")
    assert [path.name for path in here.iterdir()] == ["plan.json"]
    assert (here / "plan.json").read_text().endswith("}\n")


def test_a_folder_that_is_gone_is_bad_input(bthtn, here):
    (here / "gone").mkdir()
    os.chdir("gone")
    os.rmdir(here / "gone")
    answer = bthtn("check", "combat")
    assert answer.code == 2
    assert answer.err.startswith("[BT404] the current folder cannot be read: No such file")


def test_no_plan_is_exit_code_one(runner, tmp_path):
    result = runner.run(Line(("plan", "combat", "take_cover")), tmp_path)
    assert (result.code, result.err) == (1, "")
    assert "in_cover is false" in result.out


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("plan", "combat", "figth"), "[BT101] no task is called 'figth'"),
        (("run", "nobody"), "[BT401] there is no tree 'nobody'"),
    ],
)
def test_a_mistake_is_exit_code_two_without_a_traceback(runner, tmp_path, typed, said):
    result = runner.run(Line(typed), tmp_path)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(said)
    assert "Traceback" not in result.err


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1", "cp1252"])
def test_any_encoding_of_the_screen_will_do(runner, tmp_path, encoding):
    result = runner.run(Line(("plan", "combat", "fight"), encoding=encoding), tmp_path)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[-1] in ("`- search_enemy", "└─ search_enemy")


def test_names_that_the_screen_cannot_show_are_escaped(runner, tmp_path):
    source = "from bthtn import Domain, State\nd = Domain('d', State)\nd.primitive('射線×')\n"
    (tmp_path / "d.py").write_text(source, "utf-8")
    result = runner.run(Line(("plan", "d.py", "射線×"), encoding="ascii"), tmp_path)
    assert result.code == 0
    assert result.out.splitlines()[-1] == r"\u5c04\u7dda\xd7"


def test_a_reader_that_has_had_enough_is_no_error(runner, tmp_path):
    source = """
from bthtn import Domain, State, method
d = Domain("d", State)
step = d.primitive("step")
@d.compound
def long():
    yield method(*[step()] * 5_000)
"""
    (tmp_path / "d.py").write_text(source)
    result = runner.run(Line(("plan", "d.py", "long"), stdout="gone"), tmp_path)
    assert (result.code, result.err) == (141, "")


def test_an_interrupt_ends_the_program_quietly(runner, tmp_path):
    # A process that was started in the background has inherited that interrupts are ignored.
    listen = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    source = f"import signal\n{listen}\nsignal.raise_signal(signal.SIGINT)\n"
    (tmp_path / "d.py").write_text(source)
    assert runner.run(Line(("plan", "d.py", "x")), tmp_path) == Result(130, "", "")


def test_the_module_is_light_until_a_command_is_called():
    script = "import sys, bthtn.studio.cli.main; print(*sys.modules)"
    loaded = set(python("-c", script).split())
    assert not loaded & {
        "py_trees",
        "pydantic",
        "rich.console",
        "bthtn.studio.cli.plan_command",
        "pytest",
    }


@pytest.mark.parametrize("called", [["plan", "combat", "fight"], ["check", "combat"]])
def test_a_command_that_runs_no_tree_does_not_wait_for_py_trees(called):
    script = (
        f"import atexit, runpy, sys; sys.argv = ['bthtn', *{called}]\n"
        "atexit.register(lambda: print({'py_trees', 'pydantic'} & {*sys.modules}))\n"
        "runpy.run_module('bthtn', run_name='__main__')"
    )
    *out, loaded = python("-c", script).splitlines()
    assert "combat" in out[0] or "search_enemy" in out[-1]
    assert loaded == "set()"


def test_without_what_the_command_is_made_with_one_message_says_what_to_install():
    script = "import sys; sys.modules['typer'] = None; import bthtn.__main__ as b; b.main()"
    run = [sys.executable, "-c", script]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "[BT418] the command needs typer, which is not installed\n"
        "  where: bthtn\n"
        '  hint: pip install "bthtn[cli]"\n'
    )


@pytest.mark.parametrize("command", ["list", "plan", "check", "render", "palette", "run"])
def test_every_command_has_help_and_json(bthtn, command):
    answer = bthtn(command, "--help")
    assert answer.code == 0
    assert "--json" in answer.out


def test_without_a_command_the_help_is_shown(bthtn):
    answer = bthtn()
    assert "Behaviour trees on top, an HTN planner below." in answer.out + answer.err


def test_a_command_that_there_is_not_is_a_mistake(bthtn):
    answer = bthtn("paln")
    assert answer.code == 2
    assert "paln" in answer.err


def test_on_a_terminal_there_are_colours_unless_they_are_not_wanted(bthtn, monkeypatch):
    plain = bthtn("plan", "combat", "fight").out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert bthtn("plan", "combat", "fight").out == plain
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    coloured = bthtn("plan", "combat", "fight").out
    assert "\x1b[" in coloured
    assert "search_enemy" in coloured


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("run", "x.scenario.toml", "--record", "x.jsonl"), "--record says nothing about a scen"),
        (("run", "x.scenario.toml", "--ticks", "3"), "--ticks says nothing about a scenario"),
        (("run", "x.scenario.toml", "--only", "plan"), "--only says nothing about a scenario"),
        (("replay", "x.jsonl", "--tick", "3"), "--tick says nothing about a replay"),
        (("replay", "x.jsonl", "--agent", "Al"), "hint: it goes with --scenario FILE"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(bthtn, here, typed, said):
    answer = bthtn(*typed)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("[BT409] ")
    assert said in answer.err


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_switches_are_shown_without_a_value(bthtn, command):
    told = bthtn(*command, "--help").out
    assert "--help" in told
    assert "<bool>" not in told
    assert "BOOLEAN" not in told


@pytest.mark.parametrize("name", ["combat", "domains/combat"])
def test_tests_are_run_by_the_name_of_a_domain_or_tree(bthtn, here, name):
    answer = bthtn("test", name)
    assert (answer.code, answer.out) == (0, "29 passed, 0 failed\n")


def test_tests_of_no_name_are_told_with_the_nearest(bthtn, here):
    answer = bthtn("test", "combatt")
    assert (answer.code, answer.out) == (2, "")
    assert (
        "[BT401] there is no domain or tree 'combatt'\n  hint: did you mean 'combat'?" in answer.err
    )
    assert "[BT404] cannot read no/such/folder" in bthtn("test", "no/such/folder").err
