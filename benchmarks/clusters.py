"""Comparisons of many seeds, in one process, on all cores, and on local clusters.

Of domains, from a state for each seed, and of trees. Prints how long each takes and whether all
results are the same bytes, then the same for one in which a worker is killed. Needs the extra
clusters: `make clusters`.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from time import perf_counter

import psutil
from distributed import LocalCluster

from benchmarks.page import written
from benchmarks.report import Table, markdown
from bthtn.studio.batch.resume import Kept, resumed
from bthtn.studio.batch.runner import Deaths
from bthtn.studio.batch.workers import Workers
from bthtn.studio.cli.sides import Experiment, Pair, Side

PAGE = Path(__file__).parent.parent / "docs" / "comparing.md"
TICKS = 15
PORT = 6399
SAME = "the same bytes"
CORES = os.cpu_count() or 1
Reached = tuple[Workers, Callable[[], list[int]]]


def edited(folder: Path) -> Path:
    """A folder with an edited domain of the soldier, who takes a shorter breath to reload."""
    domain = Path(__file__).parent.parent / "domains" / "combat" / "domain.py"
    there = folder / "domains" / "combat"
    there.mkdir(parents=True)
    (there / "__init__.py").touch()
    text = domain.read_text("utf-8")
    assert "wait(3), reload()" in text
    (there / "domain.py").write_text(text.replace("wait(3), reload()", "wait(1), reload()"))
    return folder


def children(name: str = "") -> list[int]:
    """The processes below this one whose names begin so."""
    below = psutil.Process().children(recursive=True)
    return [one.pid for one in below if one.name().startswith(name)]


@contextmanager
def one_core() -> Iterator[Reached]:
    yield Workers(jobs=1), list


@contextmanager
def all_cores() -> Iterator[Reached]:
    yield Workers(), lambda: [one for one in children() if "LokyProcess" in _command(one)]


@contextmanager
def dask() -> Iterator[Reached]:
    cluster = LocalCluster(n_workers=CORES, threads_per_worker=1, dashboard_address=None)
    with cluster:
        yield (
            Workers(backend="dask", address=cluster.scheduler_address),
            lambda: [one.process.process.pid for one in cluster.workers.values()],
        )


@contextmanager
def ray() -> Iterator[Reached]:
    command = [str(Path(sys.executable).with_name("ray")), "start", "--head", "--block"]
    command += ["--node-ip-address=127.0.0.1", f"--port={PORT}", f"--num-cpus={CORES}"]
    command += ["--include-dashboard=false", "--disable-usage-stats"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as head:
        try:
            next(line for line in head.stdout if "Ray runtime started" in line)
            yield (
                Workers(backend="ray", address=f"127.0.0.1:{PORT}"),
                lambda: [one for one in children("ray::") if "Actor" in _command(one)],
            )
        finally:
            head.send_signal(signal.SIGTERM)
            head.communicate()


def _command(process: int) -> str:
    return " ".join(psutil.Process(process).cmdline())


PLACES = {"one core": one_core, "all cores": all_cores, "Dask": dask, "Ray": ray}


def compared(
    pair: Pair, seeds: int, place: str, *, killing: bool = False
) -> tuple[float, str, list[str]]:
    """The seconds that it takes, a digest of the file it makes, and what was told of deaths."""
    told: list[str] = []
    with PLACES[place]() as (workers, processes), tempfile.TemporaryDirectory() as folder:
        kept = Kept(Path(folder) / "lines.jsonl", {"pair": "soldier"}, "seed")
        started = perf_counter()
        for number, _ in enumerate(resumed(pair, range(seeds), kept, workers, Deaths(told.append))):
            if killing and number == seeds // 10 and not told:
                os.kill(processes()[0], signal.SIGKILL)
        taken = perf_counter() - started
        return taken, sha256(kept.file.read_bytes()).hexdigest(), told


def run(arguments: list[str]) -> int:
    """0 when all results are the same, else 1."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clusters", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10_000, help="of the domains")
    parser.add_argument("--runs", type=int, default=500, help="seeds of the trees")
    parser.add_argument("--write-docs", action="store_true", help="put the tables into the manual")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        edit = edited(Path(folder))
        domains = Side.of("combat"), Side.of(f"combat@{edit}")
        trees = Side.of("soldier"), Side.of(f"soldier@{edit}")
        plans, runs = (
            Pair(*domains, Experiment(task="fight")),
            Pair(*trees, Experiment(ticks=TICKS)),
        )
        speed, is_same = _speed({"plans": (plans, given.seeds), "runs": (runs, given.runs)})
        deaths, is_whole = _deaths(runs, given.runs)
    tables = {"clusters": speed, "killed": deaths}
    for table in tables.values():
        sys.stdout.write(f"{markdown(table)}\n\n")
    if given.write_docs:
        PAGE.write_text(written(PAGE.read_text("utf-8"), tables), "utf-8")
    return int(not (is_same and is_whole))


def _speed(pairs: dict[str, tuple[Pair, int]]) -> tuple[Table, bool]:
    """The table of times, and whether all places had the same results."""
    heads = [
        cell for name, (_, seeds) in pairs.items() for cell in (f"{seeds:,} {name}", "speed-up")
    ]
    table: Table = [["where", *heads, "results"]]
    first: dict[str, tuple[float, str]] = {}
    digests = set()
    for place in PLACES:
        cells, is_same = [], True
        for name, (pair, seeds) in pairs.items():
            taken, digest, _ = compared(pair, seeds, place)
            alone, whole = first.setdefault(name, (taken, digest))
            cells += [f"{taken:.1f} s", f"{alone / taken:.2f}"]
            is_same = is_same and digest == whole
            digests.add(digest)
        table.append([place, *cells, SAME if is_same else "others"])
        sys.stderr.write(f"{' | '.join(table[-1])}\n")
    return table, len(digests) == len(pairs)


def _deaths(pair: Pair, seeds: int) -> tuple[Table, bool]:
    """The table of killed workers, and whether all places had the same results."""
    table: Table = [["where", "seeds", "workers that died", "results"]]
    _, whole, _ = compared(pair, seeds, "one core")
    for place in list(PLACES)[1:]:
        _, digest, told = compared(pair, seeds, place, killing=True)
        result = SAME if digest == whole else "others"
        table.append([place, str(seeds), str(len(told)), result])
        sys.stderr.write(f"{' | '.join(table[-1])}\n")
    return table, all(line[-1] == SAME for line in table[1:])


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
