"""Routines and the planner, with one bullet and an enemy who takes two."""

import runpy

from bthtn.examples.trees.ammunition.tree import character, outcomes


def test_what_everybody_does_and_what_it_costs():  # R000-05
    assert [(one.name, ", ".join(one.actions), one.cost) for one in outcomes()] == [
        ("routine 1", "attack, resupply, attack", 3),
        ("routine 2", "resupply, attack", 2),
        ("planner", "resupply, attack", 2),
        ("routine with an ally", "get_medicine, recover, resupply, attack", 4),
        ("planner with an ally", "resupply, attack, get_medicine, recover", 4),
        ("routine 2 against seven", "resupply, attack, resupply, attack", 4),
        ("planner against seven", "attack, resupply, attack", 3),
    ]


def test_one_command_compares_them(capsys):
    runpy.run_module("bthtn.examples.trees.ammunition", run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    assert [" ".join(line.split()) for line in printed[:3]] == [
        "routine 1 attack, resupply, attack 3",
        "routine 2 resupply, attack 2",
        "planner resupply, attack 2",
    ]


def test_they_can_be_watched_one_after_the_other():
    gunner = character()
    while not gunner.finished and gunner.ticks < 100:
        gunner.tick()
    assert gunner.finished
    assert gunner.stop() == ()
