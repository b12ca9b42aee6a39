"""The arguments of commands that make many runs, or a run once more."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from bthtn.cli.options import TARGET, Address, AsJson, Backend, Given, Jobs, OnBackend, kept


def compare_command(  # noqa: PLR0913 - one for each thing that can be typed
    a: Annotated[str, Argument(metavar="A", help=f"{TARGET} Or one of these, @FOLDER.")],
    b: Annotated[str, Argument(metavar="B", help="The same.")],
    *,
    seeds: Annotated[str, Option(metavar="FIRST-LAST", help="Seeds.")] = "0-99",
    measure: Annotated[
        list[str] | None,
        Option(help="finished, ticks, count EVENT, or a value of the last beliefs."),
    ] = None,
    ticks: Annotated[int, Option(min=1, help="Stop a run after so many ticks.")] = 200,
    task: Annotated[str, Option(help="Compare domains: plan this task.")] = "",
    given: Given = None,
    settings_a: Annotated[
        list[str] | None, Option("--a", metavar="SETTING=VALUE", help="Setting of A's plans.")
    ] = None,
    settings_b: Annotated[
        list[str] | None, Option("--b", metavar="SETTING=VALUE", help="Setting of B's plans.")
    ] = None,
    jobs: Jobs = 0,
    backend: OnBackend = Backend.LOKY,
    address: Address = "",
    output: Annotated[Path | None, kept("seed")] = None,
    most: Annotated[int, Option(min=0, help="How many seeds to list.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Say what differs between two trees, domains or versions, over many seeds."""
    from bthtn.batch import Workers  # noqa: PLC0415 - only for this command
    from bthtn.cli.compare import compare  # noqa: PLC0415 - only for this command
    from bthtn.cli.sides import Experiment, Pair, Side  # noqa: PLC0415 - only for this command

    experiment = Experiment(tuple(measure or ()), ticks, task, tuple(given or ()))
    pair = Pair(Side.of(a, settings_a or ()), Side.of(b, settings_b or ()), experiment)
    workers = Workers(jobs or -1, backend.value, address)
    code = compare(pair, seeds, workers, output=output, most=most, as_json=as_json)
    raise typer.Exit(code)


def fuzz_command(  # noqa: PLR0913 - one for each thing that can be typed
    tree: Annotated[str, Argument(metavar="TREE", help=TARGET)],
    *,
    runs: Annotated[int, Option(min=1, help="Stop after so many runs.")] = 1000,
    seconds: Annotated[
        float | None, Option(min=0, help="Stop after so many seconds, at the end of a round.")
    ] = None,
    seed: Annotated[int, Option(min=0, help="The first round.")] = 0,
    ticks: Annotated[int, Option(min=1, help="Stop a run after so many ticks.")] = 60,
    fixed: Annotated[
        list[str] | None, Option(metavar="NAME", help="Leave a fluent, step or goal alone.")
    ] = None,
    scenario: Annotated[
        Path | None, Option(metavar="FILE", help="The scenario that is written at a failure.")
    ] = None,
    jobs: Jobs = 0,
    backend: OnBackend = Backend.LOKY,
    address: Address = "",
    output: Annotated[Path | None, kept("round")] = None,
    as_json: AsJson = False,
) -> None:
    """Search for the shortest scenario in which a character breaks an invariant."""
    from bthtn.batch.workers import Workers, package_of  # noqa: PLC0415 - only for this command

    for package in ("joblib", "hypothesis"):
        package_of(package, "pip install 'bthtn[fuzz]'")
    from bthtn.cli.fuzz import Rounds, fuzz  # noqa: PLC0415 - needs Hypothesis

    rounds = Rounds(tree, os.path.realpath(os.curdir), ticks, tuple(fixed or ()))
    code = fuzz(
        rounds,
        Workers(jobs or -1, backend.value, address),
        runs=runs,
        seconds=seconds,
        seed=seed,
        output=output,
        scenario=scenario,
        as_json=as_json,
    )
    raise typer.Exit(code)


def run_tests_command(
    paths: Annotated[
        list[Path] | None, Argument(metavar="PATHS", help="Files and folders; this one.")
    ] = None,
    *,
    jobs: Annotated[
        int | None,
        Option(
            min=0, help="Processes of this machine; 0 is one per core. By default 1 for few files."
        ),
    ] = None,
    backend: OnBackend = Backend.LOKY,
    address: Address = "",
    update: Annotated[
        bool, Option("--update", help="Let those that fail expect what happens now.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run the cases and scenarios in files and folders."""
    from bthtn.batch import Workers  # noqa: PLC0415 - only for this command
    from bthtn.cli.scenarios import test  # noqa: PLC0415 - see the docstring of main

    is_said = jobs is not None or backend is not Backend.LOKY
    workers = Workers(jobs or -1, backend.value, address) if is_said else None
    raise typer.Exit(test(paths or [], update=update, as_json=as_json, workers=workers))


def replay_command(
    file: Annotated[Path, Argument(metavar="FILE", help="A recording.")],
    *,
    scenario: Annotated[
        Path | None, Option(metavar="FILE", help="Write it as a scenario instead.")
    ] = None,
    tick: Annotated[int | None, Option(help="Of the scenario: the last tick.")] = None,
    agent: Annotated[str, Option(help="Of the scenario: whose plans and steps.")] = "",
    as_json: AsJson = False,
) -> None:
    """Run again what was recorded, and say whether the same happens."""
    if scenario is not None:
        from bthtn.cli.scenarios import write_scenario  # noqa: PLC0415 - see main

        write_scenario(file, scenario, tick, agent)
        return
    from bthtn.cli.printing import refuse  # noqa: PLC0415 - see main
    from bthtn.cli.replay_command import replay  # noqa: PLC0415 - see the docstring of main

    refuse({"tick": tick, "agent": agent}, "a replay", "it goes with --scenario FILE")
    raise typer.Exit(replay(file, as_json=as_json))
