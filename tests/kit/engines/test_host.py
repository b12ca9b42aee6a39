"""The protocol ``bthtn-engine/1``: the tests name the rules of docs/engine-protocol.md."""

import json
import re
from enum import Enum
from pathlib import Path
from secrets import token_urlsafe

import pytest
from jsonschema import Draft202012Validator
from py_trees.composites import Selector, Sequence

import bthtn.kit.engines
from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Primitive,
    State,
    fluent,
    fluents,
    primitive,
    seconds,
)
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    ManualClock,
    Operators,
    PlanGoal,
    Replanning,
    RetryPolicy,
)
from bthtn.errors import InputError
from bthtn.kit.engines import EngineHost
from bthtn.kit.recording import Recording

TOKEN = token_urlsafe()
PROTOCOL = "bthtn-engine/1"
SCHEMA = json.loads(
    Path(bthtn.kit.engines.__file__).with_name("protocol.schema.json").read_text("utf-8")
)


def form(kind):
    return Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]})


REQUEST, ANSWER = form("request"), form("answer")


class Place(Enum):
    HALL = "hall"
    YARD = "yard"


class Guard(State):
    at: Fluent[Place] = fluent(default=Place.HALL)
    alarm: Fluent[bool] = fluent(default=False)
    target: Fluent[str | None] = fluent(default=None)
    spot: Fluent[tuple[int, float]] = fluent(default=(0, 0.0))
    seen: FluentFamily[str, int] = fluents(default=0)


night = Domain("night", Guard)
ring = night.primitive("ring", duration=seconds(2), uses="bell")


@night.primitive
def go(to: Place, whom: str | None) -> Primitive:
    """Walk there."""
    return primitive(effects=Guard.at.becomes(to), duration=seconds(1.5))


class World:
    def __init__(self):
        self.clock = ManualClock()

    def save(self):
        return {"now": self.clock()}

    def load(self, saved):
        self.clock.advance(saved["now"])


def guard(seed, **options):
    """He walks to the yard; an alarm lets him ring the bell."""
    world = World()
    operators = Operators(simulates_others=True)
    hal = Agent("Hal", night, Guard(), body=None, operators=operators, clock=world.clock)
    alarm = [Believes("alarm", hal, Guard.alarm), PlanGoal("ring", hal, ring())]
    walk = PlanGoal("walk", hal, go(Place.YARD, None))
    root = Selector("root", False, [Sequence("alarm", False, alarm), walk])
    return Character(root, hal, world=world, **options)


class Engine:
    """An engine that holds what it says and hears against the schema."""

    def __init__(self, host=None, **hello):
        self.host = host or EngineHost(guard, name="guard")
        self.connection = self.host.connect()
        self.hello = self.ask(hello={"protocol": PROTOCOL, **hello})["hello"]

    def ask(self, **request):
        REQUEST.validate(request)
        return self.wrong(request)

    def wrong(self, request):
        """The answer to a request that may be any."""
        answer = json.loads(json.dumps(self.connection.answer(request), allow_nan=False))
        ANSWER.validate(answer)
        return answer

    def spawn(self, *names):
        return self.ask(spawn=[{"character": name} for name in names])["spawn"]

    def frame(self, *items, **more):
        return self.ask(frame=list(items), **more)["frame"]

    def tick(self, name="Bob", seconds=0.0, **told):
        return self.frame({"character": name, **told}, seconds=seconds)[0]


@pytest.fixture
def engine():
    engine = Engine()
    engine.spawn("Bob")
    return engine


def test_each_rule_of_the_specification_has_a_test_that_names_it():
    here = Path(__file__).parent
    files = [*here.glob("test_*.py"), here.parents[1] / "studio/cli/test_serve.py"]
    names = re.findall(
        r"^def (test_e\d\w+)", "".join(file.read_text("utf-8") for file in files), re.MULTILINE
    )
    named = {int(number) for name in names for number in re.findall(r"_e(\d+)", name)}
    text = (here.parents[2] / "docs/engine-protocol.md").read_text("utf-8")
    rules = {int(number) for number in re.findall(r"\*\*E(\d+)\*\*", text)}
    assert rules == named
    assert max(rules) == len(rules) == 27


def started(answer):
    return [(step["step"], step["task"]) for step in answer["starts"]]


def test_e2_an_answer_has_the_verb_and_the_id_of_its_request(engine):
    assert engine.ask(frame=[], id=[7]) == {"id": [7], "frame": []}
    assert engine.wrong({"id": "a", "frames": []})["id"] == "a"


@pytest.mark.parametrize(
    ("request_", "where", "hint"),
    [
        ([], "", "write a verb"),
        ({}, "", "write a verb"),
        ({"frames": []}, "", "did you mean 'frame'?"),
        ({"frame": [], "list": []}, "", "write a verb"),
        ({"frame": {}}, "frame", "give it an array"),
        ({"frame": [], "seconds": -1}, "seconds", "0 or more"),
        ({"frame": [], "seconds": float("nan")}, "seconds", "0 or more"),
        ({"frame": [], "seconds": 10**400}, "seconds", "0 or more"),
        ({"frame": [], "seconds": True}, "seconds", "0 or more"),
        ({"frame": [], "due": 1}, "due", "true or false"),
        ({"list": [], "seconds": 1}, "seconds", "leave it out"),
        ({"subscribe": {"events": ["leaf_start"]}}, "subscribe.events", "'leaf_started'"),
        ({"subscribe": {"events": [3]}}, "subscribe.events", "an array of names"),
        ({"subscribe": {"event": []}}, "subscribe.event", "did you mean 'events'?"),
        ({"subscribe": {"events": [], "text": 1}}, "subscribe.text", "true or false"),
    ],
)
def test_e4_e5_a_request_that_cannot_be_used_changes_nothing(engine, request_, where, hint):
    error = engine.wrong(request_)["error"]
    assert (error["code"], error["where"]) == ("BT434", where)
    assert hint in error["hint"]
    assert engine.tick()["tick"] == 1


def test_e6_the_first_request_is_hello():
    connection = EngineHost(guard, name="guard").connect()
    assert "hello" in connection.answer({"frame": []})["error"]["hint"]
    assert "hello" in connection.answer({"hello": {"protocol": PROTOCOL}})


def test_e6_without_the_token_the_connection_is_closed():
    host = EngineHost(guard, name="guard", token=TOKEN)
    stranger = host.connect()
    error = stranger.answer({"hello": {"protocol": PROTOCOL, "token": TOKEN[1:]}})["error"]
    assert (error["code"], error["where"], stranger.is_closed) == ("BT447", "hello.token", True)
    assert Engine(host, token=TOKEN).hello["tree"] == "guard"


@pytest.mark.parametrize("verb", ["dismiss", "pause", "resume", "save", "list"])
def test_e7_an_item_that_cannot_be_done_has_an_error_and_the_others_count(engine, verb):
    wrong, right, number = engine.wrong({verb: ["Bab", "Bob", 3]})[verb]
    assert (wrong["error"]["code"], wrong["error"]["where"]) == ("BT448", f"{verb}[0]")
    assert wrong["error"]["hint"] == "did you mean 'Bob'?"
    assert (right["character"], "error" in right) == ("Bob", False)
    assert number["error"]["where"] == f"{verb}[2]"


def test_e8_another_protocol_is_told_what_this_one_is(engine):
    error = engine.wrong({"hello": {"protocol": "bthtn-engine/2"}})["error"]
    assert error["code"] == "BT447"
    assert PROTOCOL in error["message"]


def test_e10_e11_hello_describes_beliefs_and_tasks(engine):
    (hal,) = engine.hello.pop("agents")
    assert {belief["name"]: belief["type"] for belief in hal["beliefs"]} == {
        "at": {"title": "Place", "enum": ["HALL", "YARD"]},
        "alarm": {"type": "boolean"},
        "target": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "spot": {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "number"}],
            "minItems": 2,
            "maxItems": 2,
        },
        "seen": {"type": "integer"},
    }
    assert hal["beliefs"][0]["default"] == "HALL"
    assert hal["beliefs"][-1]["index"] == {"type": "string"}
    assert hal["tasks"] == [
        {"name": "ring", "parameters": [], "seconds": 2, "uses": ["bell"]},
        {
            "name": "go",
            "parameters": [
                {"name": "to", "type": {"title": "Place", "enum": ["HALL", "YARD"]}},
                {"name": "whom", "type": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
            ],
            "seconds": 1.5,
            "doc": "Walk there.",
        },
    ]
    assert (engine.hello["tree"], engine.hello["time"]) == ("guard", "seconds")
    assert "leaf_started" in engine.hello["events"]


def test_e10_the_hash_is_another_one_when_a_belief_is(engine):
    class Other(Guard):
        health: Fluent[int] = fluent(default=9)

    other = Domain("other", Other)
    wait = other.primitive("wait")

    def made(seed):
        ann = Agent("Hal", other, Other(), body=None)
        return Character(PlanGoal("wait", ann, wait()), ann)

    changed = Engine(EngineHost(made, name="guard")).hello
    assert changed["hash"] != engine.hello["hash"]
    assert (changed["time"], Engine().hello["hash"]) == ("ticks", engine.hello["hash"])


def test_e12_each_character_has_the_next_seed_if_none_is_given():
    seeds = []
    engine = Engine(EngineHost(lambda seed: seeds.append(seed) or guard(seed), name="g", seed=5))
    given = engine.ask(
        spawn=[{"character": "a"}, {"character": "b", "seed": 9}, {"character": "c"}]
    )
    assert [one["seed"] for one in given["spawn"]] == seeds == [5, 9, 10]
    assert given["spawn"][0]["agents"] == ["Hal"]


@pytest.mark.parametrize(
    ("item", "where", "hint"),
    [
        ({"character": "Bob"}, "character", "dismiss that one first"),
        ({"character": ""}, "character", "give it a name"),
        ({"character": 3}, "character", "give it a name"),
        ({"character": "Ann", "seed": 1.5}, "seed", "a whole number"),
        ({"character": "Ann", "name": 1}, "name", "there is: character, seed"),
        (3, "", "give it an object"),
    ],
)
def test_e12_a_character_that_cannot_be_spawned_is_not(engine, item, where, hint):
    (answer,) = engine.wrong({"spawn": [item]})["spawn"]
    assert answer["error"]["where"] == ".".join(filter(None, ("spawn[0]", where)))
    assert hint in answer["error"]["hint"]
    assert len(engine.ask(list=[])["list"]) == 1


def test_e13_a_character_that_is_dismissed_gives_up_its_steps(engine):
    engine.tick()
    assert engine.ask(dismiss=["Bob"])["dismiss"] == [{"character": "Bob", "aborts": [1]}]
    assert engine.ask(list=[])["list"] == []


def test_e14_e19_the_list_says_how_each_character_is(engine):
    engine.tick()
    engine.tick(progress={"1": 0.25})
    assert engine.ask(list=[])["list"] == [
        {
            "character": "Bob",
            "seed": 0,
            "tick": 2,
            "status": "RUNNING",
            "finished": False,
            "paused": False,
            "due": None,
            "steps": [
                {
                    "step": 1,
                    "agent": "Hal",
                    "task": "go",
                    "template": "go",
                    "args": {"to": "YARD", "whom": None},
                    "seconds": 1.5,
                    "aborting": False,
                    "progress": 0.25,
                }
            ],
        }
    ]


def test_e15_a_character_goes_on_where_it_was_saved(engine):
    engine.tick(seconds=2.0, beliefs={"target": "Ann"})
    (given,) = engine.ask(save=["Bob"])["save"]
    other = Engine()
    loaded = other.ask(load=[{"character": "Rob", "saved": given["saved"]}])["load"]
    assert [step["step"] for step in loaded[0]["steps"]] == [1]
    assert started(other.tick("Rob")) == []
    assert other.tick("Rob", ended={"1": True})["status"] == "SUCCESS"
    assert other.ask(save=["Rob"])["save"][0]["saved"]["character"]["world"] == {"now": 2.0}


def test_e15_what_is_loaded_takes_the_place_of_a_character_of_that_name(engine):
    (given,) = engine.ask(save=["Bob"])["save"]
    for _ in range(3):
        engine.tick()
    engine.ask(load=[{"character": "Bob", "saved": given["saved"]}])
    assert engine.tick()["tick"] == 1


@pytest.mark.parametrize("saved", [{}, {"seed": 0}, {"seed": 0, "format": "bthtn-engine-save/1"}])
def test_e15_what_no_save_has_given_leaves_the_character_as_it_is(engine, saved):
    engine.tick()
    (answer,) = engine.ask(load=[{"character": "Bob", "saved": saved}])["load"]
    assert "what 'save' gave" in answer["error"]["hint"]
    assert engine.tick()["tick"] == 2


def test_e16_a_character_stays_when_its_connection_ends_until_another_takes_it(engine):
    engine.tick()
    other = Engine(engine.host)
    taken = other.tick()["error"]
    assert (taken["code"], taken["where"]) == ("BT448", "frame[0].character")
    assert len(other.ask(list=[])["list"]) == 1
    engine.connection.close()
    assert [step["task"] for step in other.ask(list=["Bob"])["list"][0]["steps"]] == ["go"]
    assert other.tick(ended={"1": True})["status"] == "SUCCESS"


def test_e17_a_frame_is_many_ticks_of_many_characters_in_their_order(engine):
    engine.spawn("Ann")
    answers = engine.frame(*({"character": name} for name in ("Bob", "Ann", "Bob")))
    assert [(answer["character"], answer["tick"]) for answer in answers] == [
        *(("Bob", 1), ("Ann", 1), ("Bob", 2))
    ]


def test_e17_seconds_pass_for_all_characters_also_for_those_that_are_not_ticked(engine):
    engine.spawn("Ann")
    engine.frame(seconds=1.5)
    engine.frame({"character": "Ann"}, seconds=1.0)
    engine.frame({"character": "Bob"})
    clocks = [served.session.clock() for served in engine.host.served.values()]
    assert clocks == [2.5, 2.5]


def test_e18_e20_a_value_that_cannot_be_used_is_refused_and_the_others_count(engine):
    answer = engine.tick(beliefs={"alarm": True, "at": "MOON"})
    (fault,) = answer["refused"]
    assert (fault["code"], fault["where"]) == ("BT434", "frame[0].beliefs.at")
    assert started(answer) == [(1, "ring")]


def test_e21_a_step_has_a_number_and_its_arguments_by_name(engine):
    answer = engine.tick()
    assert answer == {
        "character": "Bob",
        "tick": 1,
        "status": "RUNNING",
        "finished": False,
        "starts": [
            {
                "step": 1,
                "agent": "Hal",
                "task": "go",
                "template": "go",
                "args": {"to": "YARD", "whom": None},
                "seconds": 1.5,
            }
        ],
        "aborts": [],
    }


def test_e22_a_step_is_given_up_at_once_and_its_end_is_ignored(engine):
    engine.tick()
    answer = engine.tick(beliefs={"alarm": True})
    assert (answer["aborts"], started(answer)) == ([1], [(2, "ring")])
    assert "refused" not in engine.tick(ended={"1": True})


def test_e22_a_step_that_ends_in_the_tick_that_gives_it_up_is_over_once(engine):
    engine.tick()
    answer = engine.tick(beliefs={"alarm": True}, ended={"1": True})
    assert (answer["aborts"], started(answer)) == ([], [(2, "ring")])


def test_e22_an_abort_that_takes_time_is_over_when_the_engine_says_so():
    engine = Engine(aborts=["go"])
    engine.spawn("Bob")
    engine.tick()
    answer = engine.tick(beliefs={"alarm": True})
    assert (answer["aborts"], started(answer)) == ([1], [])
    (going,) = engine.ask(list=[])["list"][0]["steps"]
    assert going["aborting"]
    assert started(engine.tick()) == []
    assert started(engine.tick(ended={"1": "he has stopped"})) == [(2, "ring")]


@pytest.mark.parametrize("is_aborting", [False, True])
def test_e13_who_is_dismissed_waits_for_no_abort(caplog, is_aborting):
    engine = Engine(aborts=["go"])
    engine.spawn("Bob")
    engine.tick()
    if is_aborting:
        engine.tick(beliefs={"alarm": True})
    (answer,) = engine.ask(dismiss=["Bob"])["dismiss"]
    assert answer["aborts"] == ([] if is_aborting else [1])
    assert caplog.text == ""


def test_e22_an_abort_goes_on_after_loading():
    engine = Engine(aborts=["go"])
    engine.spawn("Bob")
    engine.tick()
    engine.tick(beliefs={"alarm": True})
    (given,) = engine.ask(save=["Bob"])["save"]
    other = Engine(aborts=["go"])
    (loaded,) = other.ask(load=[{"character": "Bob", "saved": given["saved"]}])["load"]
    assert [(step["step"], step["aborting"]) for step in loaded["steps"]] == [(1, True)]
    assert started(other.tick()) == []
    assert started(other.tick(ended={"1": True})) == [(2, "ring")]


def test_e9_a_task_whose_aborts_take_time_has_to_exist(engine):
    error = engine.wrong({"hello": {"protocol": PROTOCOL, "aborts": ["goo"]}})["error"]
    assert (error["where"], error["hint"]) == ("hello.aborts", "did you mean 'go'?")


def test_e23_e17_who_waits_for_a_step_is_not_ticked_until_something_is_new(engine):
    engine.spawn("Ann")
    assert [answer["due"] for answer in engine.frame(due=True)] == [0, 0]
    assert [answer["due"] for answer in engine.frame(due=True)] == [None, None]
    told = {"character": "Ann", "ended": {"1": True}}
    assert [answer["character"] for answer in engine.frame(told, due=True)] == ["Ann"]
    assert [answer["character"] for answer in engine.frame(seconds=60.0, due=True)] == ["Ann"]


def test_e23_a_goal_that_failed_is_due_again_when_its_back_off_is_over():
    def failing(seed):
        world, policy = World(), RetryPolicy(after=1, backoff=seconds(2), longest=seconds(2))
        hal = Agent("Hal", night, Guard(), body=None, clock=world.clock)
        goal = PlanGoal("ring", hal, ring(), replanning=Replanning(retrying=policy))
        return Character(goal, hal, world=world)

    engine = Engine(EngineHost(failing, name="guard"))
    engine.spawn("Bob")
    engine.tick()
    engine.tick(ended={"1": "it hangs too high"})
    while (due := engine.frame(due=True)[0]["due"]) == 0:
        pass
    assert due == pytest.approx(2.0)
    assert engine.frame(seconds=1.0, due=True) == []
    assert engine.ask(list=[])["list"][0]["due"] == pytest.approx(1.0)
    assert [started(answer) for answer in engine.frame(seconds=1.0, due=True)] == [[(2, "ring")]]


def test_e24_an_exception_of_users_code_is_the_error_of_its_item():
    faulty = [True]

    def sense():
        if faulty:
            raise OSError(faulty.pop())

    engine = Engine(EngineHost(lambda seed: guard(seed, sense=sense), name="guard"))
    engine.spawn("Bob", "Ann")
    wrong, right = engine.frame({"character": "Bob"}, {"character": "Ann"})
    assert wrong["error"]["message"].startswith("OSError: True")
    assert started(right) == [(1, "go")]
    assert started(engine.tick()) == [(1, "go")]


def test_e25_events_are_those_that_were_subscribed_to(engine):
    assert "events" not in engine.tick()
    subscription = {"events": ["leaf_started"], "text": True}
    assert engine.ask(subscribe=subscription)["subscribe"] == subscription
    (event,) = engine.tick(beliefs={"alarm": True})["events"]
    assert (event["event"], event["task"], event["text"]) == ("leaf_started", "ring", "start ring")
    engine.spawn("Ann")
    assert [event["task"] for event in engine.tick("Ann")["events"]] == ["go(YARD, none)"]


def test_e26_no_time_passes_for_a_character_that_is_paused(engine):
    engine.tick(seconds=1.0)
    assert engine.ask(pause=["Bob"]) == {"pause": [{"character": "Bob"}]}
    assert engine.frame(seconds=2.0, due=True) == []
    assert engine.ask(list=[])["list"][0]["paused"]
    engine.ask(resume=["Bob"])
    engine.tick(seconds=0.5)
    assert engine.host.served["Bob"].session.clock() == 1.5


def test_each_character_is_recorded_in_a_file_of_its_own(tmp_path):
    engine = Engine(EngineHost(guard, name="guard", record=tmp_path))
    engine.spawn("Bob", "../Ann")
    engine.frame({"character": "../Ann"}, {"character": "../Ann"}, {"character": "Bob"})
    engine.host.close()
    found = {path.name: len(Recording.read(path).ticks) for path in tmp_path.iterdir()}
    assert found == {"Bob.jsonl": 1, "..%2FAnn.jsonl": 2}


def test_a_first_character_that_cannot_be_made_is_an_error_at_once():
    def made(seed):
        raise InputError("BT402", "no such file")

    with pytest.raises(InputError, match="no such file"):
        EngineHost(made, name="guard")
