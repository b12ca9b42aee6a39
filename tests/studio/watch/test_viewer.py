"""A run is shown while it goes on, and never waits for those who look."""

import http.client
import importlib.util
import json
import socket
from contextlib import closing
from threading import Event, Thread

import pytest
from py_trees.behaviours import Success
from py_trees.trees import BehaviourTree

from bthtn.errors import InputError
from bthtn.kit.recording import Recorder
from bthtn.studio.watch import Viewer, recording_page
from bthtn.studio.watch.viewer import ALONE_EVERY, WAITING
from docs.drawn import PICTURES, VIEWER, viewer_seal
from tests.studio.watch.scenes import Guard, guard


def lines_of(viewer):
    """All lines that a page gets, to the end of the run."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", int(viewer.url.split(":")[2].split("/")[0])
    )
    with closing(connection):
        connection.request("GET", "/lines")
        text = connection.getresponse().read().decode()
    return [json.loads(one[6:]) for one in text.splitlines() if one.startswith("data: {")]


def asked(viewer, path, request, **headers):
    connection = http.client.HTTPConnection(
        "127.0.0.1", int(viewer.url.split(":")[2].split("/")[0])
    )
    with closing(connection):
        connection.request("POST", path, json.dumps(request), headers)
        return json.loads(connection.getresponse().read())


def run(viewer, character, ticks):
    for _ in range(ticks):
        character.tick()
        viewer.tick()
    viewer.end("enough", finished=True)


def test_a_page_gets_the_lines_of_a_recording():
    character = guard()
    with Viewer(character, name="yard") as viewer:
        run(viewer, character, 7)
        lines = lines_of(viewer)
    head = lines[0]
    assert (head["recording"], head["name"]) == ("bthtn-recording/1", "yard")
    assert head["agents"][0]["agent"] == "Ann"
    assert head["agents"][0]["beliefs"] == {"enemy": False, "ammo": 2, "at": "gate"}
    ticks = [one["tick"] for one in lines if "tick" in one and "event" not in one]
    assert ticks == sorted(set(ticks))
    assert [one["event"] for one in lines if "event" in one].count("plan_adopted") == 3
    assert any("tree" in one for one in lines)
    assert any("graft" in one for one in lines)
    assert lines[-1] == {"end": 7, "finished": True, "reason": "enough"}


def test_a_tree_and_several_characters_can_be_watched():
    ann, bob = guard(), guard("Bob")
    tree = BehaviourTree(bob.root)
    with Viewer(ann, tree) as viewer:
        ann.tick()
        tree.tick()
        viewer.tick()
        viewer.end("", finished=False)
        names = [one["agent"] for one in lines_of(viewer)[0]["agents"]]
    assert names == ["Ann", "Bob"]


def test_a_page_that_was_not_there_before_gets_a_whole_beginning(monkeypatch):
    character = guard()
    monkeypatch.setattr("bthtn.studio.watch.viewer.WAITING", 2 * ALONE_EVERY)  # none is dropped
    with Viewer(character) as viewer:
        run(viewer, character, ALONE_EVERY + 20)
        heads = [one for one in lines_of(viewer) if "recording" in one]
    assert (len(heads), viewer.dropped) == (2, 0)
    assert {one["event"] for one in heads[1]["agents"][0]["since"]} <= {
        "plan_adopted",
        "leaf_started",
    }


def test_frames_are_dropped_and_never_waited_for(monkeypatch):
    character = guard()
    with Viewer(character) as viewer:
        server = viewer._server
        monkeypatch.setattr(server, "call", lambda _: None)
        for _ in range(3 * WAITING):
            character.tick()
            viewer.tick()
        monkeypatch.undo()
        assert viewer.dropped > 0
        done = Event()
        server.call(lambda: (viewer._drain(), done.set()))
        assert done.wait(10)
        run(viewer, character, 3)
        lines = lines_of(viewer)
    heads = [one for one in lines if "recording" in one]
    assert len(heads) >= 2, "the frame after those that were dropped has all that there is"


def test_what_a_page_asks_for_is_done_by_the_loop():
    character = guard()
    with Viewer(character) as viewer:
        token = {"Authorization": f"Bearer {viewer.url.partition('#')[2]}"}
        answers = []
        request = {"do": "believe", "agent": "Ann", "set": "ammo=9"}
        page = Thread(target=lambda: answers.append(asked(viewer, "/do", request, **token)))
        page.start()
        while page.is_alive():
            character.tick()
            viewer.tick(wait=0.01)
        assert answers == [{"answer": None}]
        assert character.agent.beliefs.now.ammo == 9


def test_questions_are_answered_by_planning_again():
    character = guard()
    with Viewer(character) as viewer:
        character.tick()
        viewer.tick()
        about = {"agent": "Ann", "goal": "serve"}
        why = asked(viewer, "/ask", {**about, "ask": "why", "node": "walk"})["answer"]
        assert why.splitlines() == ["serve, method 1 'patrol'", "  walk"]
        methods = asked(viewer, "/ask", {**about, "ask": "methods", "node": "serve"})["answer"]
        assert [(one["method"], one["outcome"], one["reason"]) for one in methods] == [
            ("serve:0", "failed", "enemy is false: enemy = false"),
            ("serve:1", "chosen", ""),
        ]
        change = asked(viewer, "/ask", {**about, "ask": "change", "method": "serve:0"})
        assert change == {"answer": "enemy = true"}
        for wrong, said in {
            ("ask", "wy"): "did you mean 'why'?",
            ("goal", "serv"): "did you mean 'serve'?",
            ("method", "serve"): "write task:number",
        }.items():
            question = {**about, "ask": "change", "method": "serve:0", wrong[0]: wrong[1]}
            assert said in asked(viewer, "/ask", question)["refused"]


def test_without_a_plan_the_page_is_told_what_was_tried():
    character = guard(enemy=True, ammo=0)
    with Viewer(character) as viewer:
        character.agent.believe_soon(type(character.agent.beliefs.now).enemy, True)
        character.tick()
        viewer.tick()
        question = {"agent": "Ann", "goal": "serve", "ask": "methods", "node": "serve"}
        answer = asked(viewer, "/ask", question)["answer"]
    assert answer[0]["reason"] == "shoot: ammo > 0 is false: ammo = 0"


def test_the_screenshot_in_the_manual_is_of_the_page_as_it_is():
    seal = (PICTURES / f"{VIEWER}.seal").read_text("utf-8").strip()
    assert seal == viewer_seal(), "the page, or the squad, is another one: make docs draws it anew"


def test_what_cannot_be_watched_is_refused():
    with pytest.raises(InputError, match="there is no agent"):
        Viewer(Success("alone"))
    with pytest.raises(InputError, match="two agents are called 'Ann'"):
        Viewer(guard(), guard())


def test_a_port_that_is_taken_is_said():
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        viewer = Viewer(guard(), port=taken.getsockname()[1])
        with pytest.raises(InputError, match="BT453"):
            viewer.start()


def test_the_listener_of_an_agent_goes_on_hearing():
    character, heard = guard(), []
    character.agent.listener = heard.append
    viewer = Viewer(character)
    character.tick()
    viewer.tick()
    assert len(heard) == 2
    viewer.close()
    assert character.agent.listener == heard.append


def test_a_listener_that_raises_does_not_end_the_view(caplog):
    character = guard()

    def broken(event):
        raise RuntimeError("deaf")

    character.agent.listener = broken
    with Viewer(character) as viewer:
        run(viewer, character, 2)
        events = [line for line in lines_of(viewer) if line.get("event")]
    assert [one["event"] for one in events][:2] == ["plan_adopted", "code_failed"]
    assert "deaf" in caplog.text


def test_a_page_is_told_the_beliefs_to_which_a_reload_has_led():
    character, other = guard(), guard(ammo=7, at="tower")
    with Viewer(character) as viewer:
        character.tick()
        viewer.tick()
        other.agent.believe(Guard.ammo, 9)
        character.agent.reload(other.agent)
        run(viewer, character, ALONE_EVERY + 1)
        lines = lines_of(viewer)
    told = [line["beliefs"] for line in lines if "beliefs" in line]
    assert len(told) == 1
    heads = [line for line in lines if "recording" in line]
    assert heads[-1]["agents"][0]["beliefs"] == told[0]


def test_a_recording_becomes_a_page_that_needs_no_server(tmp_path):
    character = guard()
    with Recorder(tmp_path / "run.jsonl", character) as recorder:
        for _ in range(5):
            character.tick()
            recorder.tick()
        recorder.end(finished=True)
    page = recording_page(tmp_path / "run.jsonl")
    assert "bthtn-recording/1" in page
    assert page.count("<script") == page.count("</script>")
    assert "http://" not in page.replace("http://www.w3.org", "")


class Painted:
    """A body with a picture, which may break."""

    drawn = b"one"

    def _repr_png_(self):
        if self.drawn is Ellipsis:
            raise RuntimeError("out of paint")
        return self.drawn


def pictures_in(viewer):
    return [line["picture"] for line in lines_of(viewer) if "picture" in line]


def test_a_picture_is_sent_when_it_has_changed_and_a_page_is_open():
    character, body = guard(), Painted()
    character.agent.body = body
    with Viewer(character) as viewer:
        character.tick()
        viewer.tick()  # nobody looks
        viewer.control.attach(is_attached=True)
        for body.drawn in (b"two", b"two", None, b"three"):
            character.tick()
            viewer.tick()
        viewer.end("", finished=True)
        shown = pictures_in(viewer)
    assert shown == ["data:image/png;base64,dHdv", "", "data:image/png;base64,dGhyZWU="]


def test_a_picture_that_raises_is_told_once_and_not_asked_for_again(caplog):
    character, body = guard(), Painted()
    character.agent.body, body.drawn = body, ...
    with Viewer(character) as viewer:
        viewer.control.attach(is_attached=True)
        for _ in range(3):
            character.tick()
            viewer.tick()
        viewer.end("", finished=True)
        failed = [one for one in lines_of(viewer) if one.get("event") == "code_failed"]
    assert len(failed) == 1
    assert caplog.text.count("out of paint") >= 1
    assert list(character.agent.errors.values()) == [1]


def test_a_run_that_is_begun_again_is_shown_from_its_first_tick():
    character = guard()
    with Viewer(character) as viewer:
        for _ in range(4):
            character.tick()
            viewer.tick()
        viewer.control.submit({"do": "break", "kind": "starts", "text": "look"})
        wanted = viewer.control.submit({"do": "again"})
        assert viewer.offer_again("enough", finished=False)
        assert wanted.result(timeout=0) is None
        other = guard(ammo=1)
        viewer.begin(other)
        run(viewer, other, 2)
        lines = lines_of(viewer)
    assert lines[0]["again"] == 1
    assert lines[0]["agents"][0]["beliefs"]["ammo"] == 1
    assert [one["tick"] for one in lines if "tick" in one and "event" not in one] == [0, 1, 2]
    assert [one.text for _, one in viewer.control.breakpoints] == ["look"]


def test_a_run_that_goes_on_is_not_begun_again():
    character = guard()
    with Viewer(character) as viewer:
        refused = viewer.control.submit({"do": "again"})
        viewer.tick()
        with pytest.raises(InputError, match="the run goes on"):
            refused.result(timeout=0)
        viewer.release()
        assert not viewer.offer_again("enough", finished=True)


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_the_extra_the_error_names_it(monkeypatch, missing):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "bthtn.studio.watch.server.find_spec", lambda name: None if name == missing else found(name)
    )
    with pytest.raises(InputError, match=rf"BT450.*needs {missing}(.|\n)*bthtn\[watch\]"):
        Viewer(guard())
