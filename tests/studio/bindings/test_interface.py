"""What bindings are written from, read from the answer to ``hello``."""

import pytest

from bthtn.studio.bindings.interface import (
    ANYTHING,
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    Choice,
    Items,
    Maybe,
    Parts,
    interface_of,
    type_of,
)

NEAR = {"title": "Distance", "enum": ["NEAR", "FAR"]}
DISTANCE = Choice("Distance", ("NEAR", "FAR"))
NULL = {"type": "null"}


@pytest.mark.parametrize(
    ("schema", "typed"),
    [
        ({"type": "boolean"}, BOOLEAN),
        (NEAR, DISTANCE),
        ({"enum": ["calm", "angry"]}, Choice("", ("calm", "angry"))),
        ({"enum": [1, 2]}, INTEGER),
        ({"enum": [1, 2.5]}, NUMBER),
        ({"enum": [True]}, BOOLEAN),
        ({"enum": [1, "one"]}, ANYTHING),
        ({"anyOf": [NEAR, NULL]}, Maybe(DISTANCE)),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, NUMBER),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, ANYTHING),
        ({"anyOf": [{}, NULL]}, ANYTHING),
        ({"type": "array", "prefixItems": [NEAR, {"type": "string"}]}, Parts((DISTANCE, STRING))),
        ({"type": "array", "prefixItems": [{"type": "integer"}]}, Items(INTEGER)),
        ({"type": "array", "prefixItems": [NEAR] * 8}, Items(DISTANCE)),
        ({"type": "array", "prefixItems": []}, Items(ANYTHING)),
        ({"type": "array", "items": NEAR}, Items(DISTANCE)),
        ({"type": "array"}, Items(ANYTHING)),
        ({}, ANYTHING),
    ],
    ids=str,
)
def test_a_type_that_languages_lack_is_a_value_of_json(schema, typed):
    assert type_of(schema) == typed


def described(*agents, tree="watch"):
    return interface_of({"tree": tree, "hash": "1", "agents": list(agents)})


def agent(name, *beliefs, tasks=()):
    return {"name": name, "beliefs": list(beliefs), "tasks": list(tasks)}


def test_agents_that_are_alike_are_of_one_kind():
    health = {"name": "health", "type": {"type": "integer"}, "default": 3}
    kinds = described(agent("Ann", health), agent("Drone"), agent("Bob", health)).kinds
    assert [(kind.name, kind.agents) for kind in kinds] == [
        ("Ann", ("Ann", "Bob")),
        ("Drone", ("Drone",)),
    ]


def test_the_only_kind_is_called_as_the_tree():
    [kind] = described(agent("Ann"), agent("Bob")).kinds
    assert kind.name == "watch"


def test_words_without_a_name_are_called_as_what_has_them_first():
    words = {"enum": ["calm", "angry"]}
    mood = {"name": "mood", "type": words}
    task = {"name": "shout", "parameters": [{"name": "how", "type": words}]}
    other = {"name": "say", "parameters": [{"name": "how", "type": {"enum": ["loud"]}}]}
    choices = described(agent("Ann", mood, tasks=[task, other])).choices
    assert list(choices.values()) == ["mood", "say_how"]


@pytest.mark.parametrize(
    ("schema", "first"),
    [
        ({"type": "boolean"}, False),
        ({"type": "integer"}, 0),
        ({"type": "string"}, ""),
        (NEAR, "NEAR"),
        ({"anyOf": [NEAR, NULL]}, None),
        ({"type": "array", "prefixItems": [NEAR, {"type": "number"}]}, ["NEAR", 0.0]),
        ({"type": "array"}, []),
    ],
)
def test_an_unknown_belief_reads_as_a_value_of_its_type(schema, first):
    [kind] = described(agent("Ann", {"name": "it", "type": schema, "default": "unknown"})).kinds
    assert kind.beliefs[0].first == first


def test_unknown_may_be_a_word_like_any_other():
    words = {"enum": ["known", "unknown"]}
    [kind] = described(agent("Ann", {"name": "it", "type": words, "default": "unknown"})).kinds
    assert kind.beliefs[0].first == "unknown"


@pytest.mark.parametrize("default", [2**63, float("inf"), float("nan")])
def test_a_number_that_other_languages_lack_is_not_written(default):
    told = {"name": "it", "type": {"type": "number"}, "default": default}
    [kind] = described(agent("Ann", told)).kinds
    assert kind.beliefs[0].first == 0.0
