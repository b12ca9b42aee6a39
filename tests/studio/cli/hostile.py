"""Hostile command lines: a folder of hostile files, and random arguments for the command."""

import os
import random
from dataclasses import dataclass
from pathlib import Path

DOMAIN = """
from enum import Enum
from bthtn import Domain, Fluent, FluentFamily, Methods, State, fluent, fluents, method

class Room(Enum):
    HALL = 1
    ATTIC = 2

class World(State):
    lit: Fluent[bool] = fluent(default=False)
    steps: Fluent[int] = fluent(default=0)
    weight: Fluent[float] = fluent(default=1.5)
    note: Fluent[str] = fluent(default="")
    at: Fluent[Room] = fluent(default=Room.HALL)
    on: FluentFamily[str, str] = fluents(default="table")

house = Domain("house", World)
light = house.primitive("light", effects=World.lit.becomes(True))
read = house.primitive("read", precondition=World.lit & (World.on["book"] == "table"))

@house.primitive
def go(to: Room, steps: int):
    from bthtn import primitive
    effects = [World.at.becomes(to), World.steps.increases(steps)]
    return primitive(effects=effects, duration=steps, cost=steps)

@house.compound
def evening() -> Methods:
    yield method(read(), when=World.lit)
    yield method(light(), read(), go(Room.ATTIC, 3))
"""

TREE = """
from bthtn import Domain, Fluent, State, fluent
from bthtn.behaviours import Agent, Character, PlanGoal

class Dog(State):
    bones: Fluent[int] = fluent(default=0)

yard = Domain("yard", Dog)
dig = yard.primitive("dig", actual=Dog.bones.increases(1), duration=2)

def character(seed=0):
    agent = Agent("dog", yard, Dog(), body=None)
    goal = PlanGoal("play", agent, dig())
    return Character(goal, agent, sense=lambda: SENSE, finished=lambda: agent.beliefs.now.bones > 2)
"""

TWO = """
from bthtn import Domain, State
a, b = Domain("a", State), Domain("b", State)
"""

RAISED = {
    "runtime": "raise RuntimeError('no')",
    "generator_exit": "raise GeneratorExit",
    "exit_0": "raise SystemExit",
    "exit_3": "raise SystemExit(3)",
    "exit_text": "import sys; sys.exit('enough')",
    "own": "class Own(BaseException): pass\nraise Own('mine')",
    "stop_iteration": "raise StopIteration",
    "unprintable": (
        "class Mute(Exception):\n    def __str__(self): raise RuntimeError\nraise Mute"
    ),
    "memory": "raise MemoryError",
    "recursion": "def again(): again()\nagain()",
    "syntax": "def (:",
    "import": "import no_such_module_anywhere",
    "os_error": "open('/no/such/file')",
    "broken_pipe": "raise BrokenPipeError(32, 'mine')",
    "path": "import sys; sys.path.clear()\nraise ValueError",
}
"""What a Python file may do when it is executed."""


def raising(name: str) -> str:
    """An expression that raises."""
    return f"exec({RAISED[name]!r})"


def furnish(folder: Path) -> None:
    """Fill a folder with files, the usable ones and the hostile ones."""
    _put(folder, "domains/house/domain.py", DOMAIN)
    _put(
        folder,
        "domains/house/cases.toml",
        '[one]\ntask = "evening"\nexpect = "(light, read, go(HALL, 3))"',
    )
    _put(folder, "trees/dog/tree.py", TREE.replace("SENSE", "None"))
    _put(folder, "bom.py", "\ufeff" + DOMAIN)
    _put(folder, "bom_cases.toml", '\ufeff[one]\ntask = "light"\nexpect = "light"\n')
    _put(folder, "größe 射線.py", DOMAIN)
    _put(folder, "latin.py", DOMAIN.encode() + b"# \xe9")
    _put(folder, "nul.py", "a = 1\0")
    _put(folder, "empty.py", "")
    _put(
        folder,
        "two.py",
        "from bthtn import Domain, State\na, b = Domain('a', State), Domain('b', State)",
    )
    _put(folder, b"\xff\xfe.py", DOMAIN)
    _put(folder, "folder.py/nothing", "")
    _put(folder, "broken_cases/domain.py", DOMAIN)
    _put(folder, "broken_cases/cases.toml", "[one\n" + "[" * 3_000)
    for name, source in RAISED.items():
        _put(folder, f"raises_{name}.py", source)
        method = f"@house.compound\ndef bad():\n    {raising(name)}\n"
        _put(folder, f"plans_{name}.py", f"{DOMAIN}\n{method}")
        lazy = f"house.primitive('bad', precondition=lambda state: {raising(name)})"
        _put(folder, f"asks_{name}.py", f"{DOMAIN}\n{lazy}\n")
        _put(folder, f"lives_{name}.py", TREE.replace("SENSE", raising(name)))
        _put(folder, f"makes_{name}.py", f"def character(seed):\n    {raising(name)}\n")
    _put(folder, "old.json", "before")
    for name, target in {
        "circle": "circle",
        "circle.py": "circle.py",
        "dangling": "nowhere.txt",
        "endless.py": "/dev/zero",
    }.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "fifo.py")


def _put(folder: Path, name: str | bytes, text: str | bytes) -> None:
    path = Path(os.fsdecode(os.path.join(os.fsencode(folder), os.fsencode(name))))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


NUMBERS = [
    "0", "-1", "1", "3.5", "1e400", "-1e999", "nan", "inf", "", " ", "9" * 1_000, "-" + "9" * 1_000,
    "9" * 5_000, "0." + "3" * 5_000, "1_000", "0x10", "١٢", "two", "\udcff",
]  # fmt: skip
WORDS = [
    "", " ", "true", "unknown", "none", "None", "HALL", "Room.HALL", "hall", "'", '"', "\\", "[",
    "]",
    "a=b", "=", "()", "\n", "\u2028", "é射", "\udcff", "x" * 100_000, "%s{}", "\x1b[31m", *NUMBERS,
]  # fmt: skip
FLUENTS = [
    "lit", "steps", "weight", "note", "at", "on[book]", "on[]", "on", "on[a][b]", "on[[x]]",
    "on['a','b']", "lot", "", "[", "__class__", "lit.x", "9" * 5_000,
]  # fmt: skip
CONDITIONS = [
    "lit", "not lit", "steps >= 3", "lit and", "(" * 20_000, "not " * 20_000 + "lit", "lit == ",
    "steps == " + "9" * 1_000, "steps == " + "9" * 5_000, "weight > 1e999",
    "weight == " + "9" * 1_000,
    "at == ATTIC", "at == CELLAR", "on[book] == shelf", "lit;lit", "import os", "lambda: 1",
    "\0x"[1:],
    "lit == lit", "steps + 1 == 2", "é", "\udcff", "'", "on[" + "9" * 5_000 + "] == x", "", " ",
    " and ".join(["lit"] * 3_000),
]  # fmt: skip
TASKS = [
    ["evening"], ["light"], ["read"], ["go", "ATTIC", "1"], ["go(ATTIC, 1)"], ["go"], ["bad"],
    ["go", "ATTIC", "9" * 5_000], ["go(ATTIC, " + "9" * 5_000 + ")"], ["go(" * 5_000], ["dig"],
    [""],
    ["go", "ATTIC", "1e5"], ["go('"], ["go(" + "-" * 9_000 + "1)"], ["light", ""], ["éé"],
    ["\udcff"],
    ["fight"], [], ["go(ATTIC, 1", "2"], ["(evening, light)"], ["--"], ["-1"],
]  # fmt: skip
OUTPUTS = [
    "out.txt", "circle", "circle/x", "dangling", ".", "/", "", "-", "/dev/null", "/dev/full",
    "no/x",
    "old.json/x", "old.json", "x" * 300, "é.json", "\udcff.json", "fifo.py/x", "..", "~/x",
    "folder.py",
]  # fmt: skip
TARGETS = [
    "house", "dog", "combat", "soldier", "domains/house", "trees/dog", "trees/dog/tree.py",
    "bom.py",
    "größe 射線.py", "\udcff\udcfe.py", "latin.py", "nul.py", "empty.py", "two.py", "folder.py",
    "broken_cases", "circle", "circle.py", "circle/domain.py", "dangling", "endless.py", "fifo.py",
    "", " ", ".", "..", "/", "/dev/null", "/dev/full", "/proc/self/mem", "old.json", "nowhere.py",
    "x" * 300 + ".py", "x" * 5_000, "house:", ":house", ":", "house:house", "house:World",
    "house:é",
    "os:path", "os:", "os.path:join", "..:x", "a..b:c", ".a:b", "sys:exit", "no.such:thing",
    "os:\udcff",
    "troll:tiring", "blocks:strips", "ammunition", "explorer", "--", "-x", "\n", "é", "\udcff",
    "raises_own:x", "raises_exit_3:x", "raises_runtime:x", "two:a", "two:c", "bom:house",
    *(f"{kind}_{name}.py" for kind in ("raises", "plans", "asks", "lives",
    "makes") for name in RAISED),
]  # fmt: skip
STREAMS = ["pipe", "pipe", "pipe", "pipe", "pipe", "pipe", "closed", "full", "gone"]
"""Where stdout leads: into a pipe, nowhere, to a full disk, or to a reader that is gone."""


@dataclass(frozen=True)
class Line:
    """A command line, where its output goes, and the encoding of that."""

    arguments: tuple[str, ...]
    stdout: str = "pipe"
    stderr: str = "pipe"
    encoding: str = "utf-8"


def lines(count: int, seed: int) -> list[Line]:
    """So many random command lines."""
    draw = random.Random(seed)  # noqa: S311 - the same every time
    return [Line(_arguments(draw), draw.choice(STREAMS)) for _ in range(count)]


def _arguments(draw: random.Random) -> tuple[str, ...]:
    command = draw.choice(["list", "plan", "plan", "plan", "plan", "check", "render", "run", "run"])
    if command == "list":
        return ("list", *_some(draw, [["--json"], ["x"], ["--no"]]))
    target = draw.choice(TARGETS)
    if command == "check":
        return ("check", target, *_some(draw, [["--json"]]))
    if command == "render":
        form = draw.choice(["dot", "dot", "svg", "png", "xml", "gif", ""])
        options = [["--json"], ["--legend"], ["--format", form], ["-o", draw.choice(OUTPUTS)]]
        return ("render", target, *_some(draw, options))
    if command == "run":
        target = draw.choice([target, "dog"])
        options = [["--json"], ["--seed", draw.choice(NUMBERS)], ["--out", draw.choice(OUTPUTS)]]
        ticks = draw.choice(["3", "5", "5", draw.choice(NUMBERS)])
        return ("run", target, "--ticks", ticks, *_some(draw, options))
    target = draw.choice([target, "house", "house"])
    setting = f"{draw.choice(FLUENTS)}={draw.choice(WORDS)}"
    form = draw.choice(["tree", "json", "dot", "svg", "xml", "", "gif"])
    task = draw.choice(TASKS)
    if draw.random() < 0.3:
        task = ["--achieve", draw.choice(CONDITIONS), *draw.choice([[], ["--forward"]])]
    options = [
        ["--set", setting], ["--set", draw.choice(WORDS)], ["--format", form], ["--json"],
        ["-o", draw.choice(OUTPUTS)], ["--horizon", draw.choice(NUMBERS)], ["--cheapest"],
        ["--anytime"],
        ["--horizon-time", draw.choice(NUMBERS)], ["--check-rest"], ["--parallelize"], ["--flat"],
        ["--max-expansions", draw.choice([*NUMBERS, "10", "100"])], ["--no-scopes"], ["--legend"],
        ["--show-compiled"],
        ["--objects", f"{draw.choice(['to', 'steps', 'x', ''])}={draw.choice(WORDS)}"],
    ]  # fmt: skip
    return ("plan", target, *_some(draw, options), *task)


def _some(draw: random.Random, options: list[list[str]]) -> list[str]:
    """One or two of the options, or none."""
    chosen = draw.sample(options, min(draw.choice([0, 1, 1, 1, 2]), len(options)))
    return [word for option in chosen for word in option]
