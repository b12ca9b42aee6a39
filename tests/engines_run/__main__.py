"""``make engines``: bindings are compiled, and play the games of ``game`` as Python does.

Everything goes into out/engines. A tool that is missing is a failure: what it would have run is
not known to work.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import zip_longest
from pathlib import Path
from threading import Thread

from bthtn.studio.bindings import LANGUAGES as WRITERS
from bthtn.studio.bindings import interface_of
from tests.engines_run.game import GAMES, TICKS, TREES
from tests.engines_run.hostile import HELLO

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OUT = ROOT / "out" / "engines"
BTHTN = Path(sys.executable).with_name("bthtn")
DEBIAN = {
    "g++": "g++",
    "mcs": "mono-mcs",
    "mono": "mono-runtime",
    "node": "nodejs",
    "npm": "npm",
    "godot3-server": "godot3-server",
    "chromium": "chromium",
}
"""The tools that are needed, each with the package of Debian that has it."""


@dataclass(frozen=True)
class Language:
    """How a language is written, compiled and run: ``ready`` makes a folder's game a command."""

    option: str
    ending: str
    tools: tuple[str, ...]
    ready: Callable[[str, Path], list[str]]


def cpp(game: str, folder: Path) -> list[str]:
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
    run(["g++", "-std=c++17", "-O1", *strict, f"{game}.cpp", "-o", game], folder)
    return [f"./{game}"]


def csharp(game: str, folder: Path) -> list[str]:
    program = f"{game}.exe"
    run(["mcs", "-langversion:7", f"-out:{program}", f"{game}.cs", f"{game}_bindings.cs"], folder)
    return ["mono", program]


def typescript(game: str, folder: Path) -> list[str]:
    if not (folder / "node_modules/typescript").exists():
        packages = ["typescript@5", "@types/node@20"]
        run(["npm", "install", "--silent", "--prefix", ".", *packages], folder)
    (folder / "package.json").write_text('{"type": "module"}')
    options = ["--strict", "--target", "es2022", "--module", "nodenext", "--noUnusedLocals"]
    run(["npx", "tsc", *options, f"{game}.ts"], folder)
    return ["node", "--experimental-websocket", f"{game}.js"]


def godot3(game: str, folder: Path) -> list[str]:
    (folder / "project.godot").write_text("config_version=4\n")
    return ["godot3-server", "--path", ".", "--script", f"{game}.gd"]


LANGUAGES = (
    Language("cpp", "hpp", ("g++",), cpp),
    Language("csharp", "cs", ("mcs", "mono"), csharp),
    Language("typescript", "ts", ("node", "npm"), typescript),
    Language("gdscript3", "gd", ("godot3-server",), godot3),
)


GODOT_4 = Language("gdscript", "gd", (), godot3)
BROWSER = Language("typescript", "ts", ("chromium",), typescript)
CHROMIUM = shutil.which("chromium")
PARSED = "parsed by gdtoolkit, and not run: Debian has no Godot 4"
HOSTILE = "hostile"


def run(command: list[str], folder: Path, **beside: str) -> str:
    """What a command prints. Raises RuntimeError with all of it if it fails."""
    done = subprocess.run(
        command, cwd=folder, env=os.environ | beside, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def written(option: str, ending: str, game: str) -> Path:
    """The bindings of a game's tree, in a folder for each language."""
    folder = OUT / option
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{game}_bindings.{ending}"
    if game == HOSTILE:
        file.write_text(WRITERS[option](interface_of(HELLO)), "utf-8")
    else:
        run([str(BTHTN), "bindings", tree_of(game), f"--{option}", "-o", str(file)], folder)
    return file


def tree_of(game: str) -> str:
    return str(ROOT / TREES[game]) if "/" in TREES[game] else TREES[game]


def ready(language: Language, game: str) -> list[str]:
    """The command that plays a game. Raises RuntimeError."""
    folder = written(language.option, language.ending, game).parent
    for source in (HERE / "drivers").glob(f"{game}*.*"):
        shutil.copy(source, folder)
    return language.ready(game, folder)


def with_workers(count: int) -> Path:
    """A command that serves with so many processes."""
    command = OUT / f"bthtn-{count}-workers"
    command.write_text(f'#!/bin/sh\nexec "{BTHTN}" "$@" --workers {count}\n')
    command.chmod(0o755)
    return command


def played(language: Language, game: str, bthtn: Path) -> list[str]:
    """What has happened in a game in a language. Raises RuntimeError."""
    command, folder = ready(language, game), OUT / language.option
    log = folder / f"{game}.log"
    log.unlink(missing_ok=True)
    beside = {"TREE": tree_of(game), "TICKS": str(TICKS), "LOG": str(log)}
    said = run(command, folder, BTHTN=str(bthtn), **beside)
    if not log.exists():
        raise RuntimeError(f"{' '.join(command)} has written no log:\n{said}")
    return log.read_text("utf-8").splitlines()


def compared(language: Language, game: str, wanted: list[str], bthtn: Path = BTHTN) -> str:
    """The first line of a game that differs from Python's, empty if none does.

    Raises RuntimeError.
    """
    return difference(played(language, game, bthtn), wanted)


def difference(lines: list[str], wanted: list[str]) -> str:
    for number, (own, other) in enumerate(zip_longest(lines, wanted), 1):
        if own != other:
            return f"line {number} is {own!r}, and in Python {other!r}"
    return ""


def played_in_a_browser(wanted: list[str]) -> str:
    """The same for the game of comrades, compiled before, in a page of Chromium."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - `make engines` has it
    except ImportError:
        return "not run: playwright is missing; pip install playwright"
    command = [str(BTHTN), "serve", tree_of("comrade"), "--websocket", "0"]
    page_of = partial(SimpleHTTPRequestHandler, directory=OUT / "typescript")
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served,
        ThreadingHTTPServer(("127.0.0.1", 0), page_of) as server,
        sync_playwright() as playwright,
    ):
        Thread(target=server.serve_forever, daemon=True).start()
        assert served.stdout is not None
        line = served.stdout.readline()
        if not line:
            raise RuntimeError("bthtn serve has ended; what it printed says why")
        told = json.loads(line)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/package.json")
        script = "async (told) => (await import('./comrade_game.js')).play(...told)"
        log = page.evaluate(script, [told["websocket"], told["token"], TICKS])
        browser.close()
        served.terminate()
        server.shutdown()
    return difference(log.splitlines(), wanted)


def parse_for_godot_4(game: str) -> str:
    """Let gdtoolkit parse what is written for Godot 4, which Debian does not have.

    Raises RuntimeError.
    """
    script = written("gdscript", "gd", game)
    tools = OUT / "gdtoolkit"
    if not (tools / "bin/gdparse").exists():
        run([sys.executable, "-m", "venv", str(tools)], OUT)
        run([str(tools / "bin/pip"), "install", "--quiet", "gdtoolkit>=4,<5"], OUT)
    run([str(tools / "bin/gdparse"), str(script)], OUT)
    return ""


def compiled_hostile(language: Language) -> str:
    """What is wrong with the bindings of hostile names, which know their tree; else nothing."""
    said = run(ready(language, HOSTILE), OUT / language.option).split()
    length = str(len(HELLO["tree"]))
    return "" if said[-1:] == [length] else f"the tree's name has {length} letters: {said}"


def outcome_of(language: Language, test: Callable[[], str]) -> str:
    """Why a test in a language has failed, empty if it has not."""
    missing = [tool for tool in language.tools if shutil.which(tool) is None]
    if missing:
        packages = " ".join(DEBIAN[tool] for tool in missing)
        return f"not run: {', '.join(missing)} is missing; apt-get install {packages}"
    try:
        return test()
    except RuntimeError as error:
        return str(error)


def main() -> int:
    failures = 0

    def report(option: str, outcome: str, otherwise: str) -> None:
        nonlocal failures
        failures += bool(outcome)
        print(f"  {option}: {outcome or otherwise}", flush=True)

    for game, play in GAMES.items():
        wanted = play()
        print(f"{game}: {TICKS} ticks, {len(wanted)} lines in Python", flush=True)
        for language in LANGUAGES:
            test = partial(compared, language, game, wanted)
            report(language.option, outcome_of(language, test), "the same")
        for count in (2, 4):
            test = partial(compared, LANGUAGES[0], game, wanted, with_workers(count))
            report(f"cpp, {count} workers", outcome_of(LANGUAGES[0], test), "the same")
        if game == "comrade":
            report(
                "chromium", outcome_of(BROWSER, partial(played_in_a_browser, wanted)), "the same"
            )
        report("gdscript", outcome_of(GODOT_4, partial(parse_for_godot_4, game)), PARSED)
    print(f"{HOSTILE}: names that are no names", flush=True)
    for language in LANGUAGES:
        outcome = outcome_of(language, partial(compiled_hostile, language))
        report(language.option, outcome, "compiles")
    report("gdscript", outcome_of(GODOT_4, partial(parse_for_godot_4, HOSTILE)), PARSED)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
