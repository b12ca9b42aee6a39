"""The command as a program: what reaches the shell."""

import os
import subprocess
import sys
from pathlib import Path
from signal import SIGINT, default_int_handler, getsignal, raise_signal, signal

import pytest

import bthtn.api

ROOT = Path(__file__).resolve().parents[2]
SLOW = pytest.mark.slow
BTHTN = [sys.executable, "-c", "from bthtn.cli.main import run; run()"]


def program(*arguments, **options):
    settings = {"PYTHONPATH": str(ROOT), **options.pop("env", {})}
    return subprocess.Popen(
        [*BTHTN, *arguments],
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def finished(*arguments, **options):
    with program(*arguments, **options) as process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_a_plan_reaches_the_shell(tmp_path):
    code, out, err = finished("plan", "combat", "fight", cwd=tmp_path)
    assert (code, err) == (0, b"")
    assert b"search_enemy" in out


def test_the_package_is_the_program_too(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "bthtn", "plan", "combat", "fight"],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"search_enemy" in done.stdout


def test_the_package_is_light_until_a_name_is_used():
    script = (
        "import sys; before = {*sys.modules}; import bthtn.__main__;"
        "print(*{*sys.modules} - before); from bthtn import *; print(Domain)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded, domain = done.stdout.splitlines()
    own = {"bthtn", "bthtn.cli", "bthtn.cli.signals", "bthtn.__main__"}
    assert set(loaded.split()) == own, "signals are decided on before anything else is imported"
    assert domain == "<class 'bthtn.domain.builder.Domain'>"


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


def test_no_plan_is_exit_code_one(tmp_path):
    code, out, err = finished("plan", "combat", "take_cover", cwd=tmp_path)
    assert (code, err) == (1, b"")
    assert b"in_cover is false" in out


def test_a_mistake_is_exit_code_two_without_a_traceback(tmp_path):
    code, out, err = finished("plan", "combat", "figth", cwd=tmp_path)
    assert (code, out) == (2, b"")
    assert err.startswith(b"[BT101] no task is called 'figth'")
    assert b"Traceback" not in err


@pytest.mark.parametrize(
    "encoding",
    ["ascii", "utf-8", *(pytest.param(one, marks=SLOW) for one in ("latin-1", "cp1252"))],
)
def test_any_encoding_of_the_screen_will_do(tmp_path, encoding):
    code, out, err = finished(
        "plan", "combat", "fight", cwd=tmp_path, env={"PYTHONIOENCODING": encoding}
    )
    assert (code, err) == (0, b"")
    assert out.decode(encoding).splitlines()[-1] in ("`- search_enemy", "└─ search_enemy")


def test_names_that_the_screen_cannot_show_are_escaped(tmp_path):
    source = "from bthtn import Domain, State\nd = Domain('d', State)\nd.primitive('射線×')\n"
    (tmp_path / "d.py").write_text(source, "utf-8")
    code, out, _ = finished(
        "plan", "d.py", "射線×", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}
    )
    assert code == 0
    assert out.splitlines()[-1] == rb"\u5c04\u7dda\xd7"


def test_a_reader_that_has_had_enough_is_no_error(tmp_path):
    source = """
from bthtn import Domain, State, method
d = Domain("d", State)
step = d.primitive("step")
@d.compound
def long():
    yield method(*[step()] * 20_000)
"""
    (tmp_path / "d.py").write_text(source)
    with program("plan", "d.py", "long", cwd=tmp_path) as process:
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
    assert err == b""


def test_an_interrupt_ends_the_program_quietly(tmp_path):
    # A process that was started in the background has inherited that interrupts are ignored.
    listen = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    source = f"import signal\n{listen}\nsignal.raise_signal(signal.SIGINT)\n"
    (tmp_path / "d.py").write_text(source)
    code, out, err = finished("plan", "d.py", "x", cwd=tmp_path)
    assert (code, out, err) == (130, b"", b"")


def test_the_module_is_light_until_a_command_is_called():
    script = "import sys, bthtn.cli.main; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert not loaded & {"py_trees", "networkx", "rich.console", "bthtn.cli.plan_command", "pytest"}


@pytest.mark.parametrize(
    ("options", "loads"), [([], False), pytest.param(["--parallelize"], True, marks=SLOW)]
)
def test_planning_loads_networkx_only_to_parallelize(options, loads):
    called = ["bthtn", "plan", "combat", "fight", *options]
    script = (
        f"import atexit, sys; sys.argv = {called}\n"
        "atexit.register(lambda: print('networkx' in sys.modules))\n"
        "from bthtn.cli.main import run; run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == str(loads)


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
