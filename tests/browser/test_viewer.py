"""The page in a real Chromium: `make test-browser`. Screenshots stay in out/screenshots."""

import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest
from py_trees.behaviours import Success

from bthtn import Domain, Methods, method
from bthtn.behaviours import Agent, Character, Operators, PlanGoal
from bthtn.kit.recording import Recorder
from bthtn.studio.profile import Profile
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.locate import TargetKind, resolve
from bthtn.studio.watch import Viewer, recording_page
from docs.drawn import VIEWER_TICKS, viewer_drawn, watched_squad
from tests.studio.watch.scenes import Guard, guard

pytestmark = pytest.mark.browser
PICTURES = Path("out/screenshots")
HOSTILE = (
    "<script>document.title='owned'</script>",
    "a\"b'c",
    "two\nlines",
    "ש" * 40,
    "x" * 10_000,
)


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1400, "height": 860})
    made = context.new_page()
    made.faults = []
    made.on("pageerror", lambda error: made.faults.append(str(error)))
    made.set_default_timeout(10_000)
    yield made
    assert made.faults == []
    context.close()


def expect_tick(page, tick):
    from playwright.sync_api import expect  # noqa: PLC0415 - an extra

    expect(page.locator("#tick")).to_have_text(re.compile(rf"tick {tick}\b"))


def ticked(viewer, character, ticks):
    for _ in range(ticks):
        character.tick()
        viewer.tick()


def shot(page, name):
    PICTURES.mkdir(parents=True, exist_ok=True)
    return page.screenshot(path=str(PICTURES / f"{name}.png"))


def nodes(page):
    return page.locator("#tree [data-id]")


def test_a_running_squad_is_shown_and_a_new_plan_is_grafted_in(page):
    character = watched_squad()
    with Viewer(character, name="squad") as viewer:
        ticked(viewer, character, 3)
        page.goto(viewer.url)
        expect_tick(page, 3)
        assert page.locator(".agent").count() == 4
        before = nodes(page).count()
        ticked(viewer, character, VIEWER_TICKS - 3)
        expect_tick(page, VIEWER_TICKS)
        page.wait_for_function(
            "n => document.querySelectorAll('#tree [data-id]').length !== n", arg=before
        )
        assert page.locator("#tree").get_by_text("be_at('Al')").count()
        viewer_drawn(shot(page, "squad"))
    character.stop()


def test_scrubbing_back_shows_the_plan_of_then(page):
    character = character_of(resolve("squad", TargetKind.TREE), 1)
    with Viewer(character, name="squad") as viewer:
        ticked(viewer, character, 13)
        page.goto(viewer.url)
        expect_tick(page, 13)
        now = nodes(page).all_text_contents()
        page.locator("#scrub").fill("2")
        expect_tick(page, 2)
        page.wait_for_function(
            "() => !document.querySelector('#tree').textContent.includes(\"be_at('Al')\")"
        )
        then = nodes(page).all_text_contents()
        assert then != now
        page.locator("#live").click()
        page.wait_for_function(
            "() => document.querySelector('#tree').textContent.includes(\"be_at('Al')\")"
        )
        assert nodes(page).all_text_contents() == now
    character.stop()


def test_a_tree_that_grows_beyond_its_frame_is_shown_whole_until_somebody_moves_it(page):
    character = character_of(resolve("starter", TargetKind.TREE), 0)
    page.set_viewport_size({"width": 1280, "height": 800})
    with Viewer(character) as viewer:
        page.goto(viewer.url)
        nodes(page).filter(has_text="danger").wait_for()
        ticked(viewer, character, 1)
        nodes(page).filter(has_text="gather").last.wait_for()
        ticked(viewer, character, 2)
        nodes(page).filter(has_text="hide").last.wait_for()
        page.wait_for_function(SHOWS_ALL)
        page.locator("#tree").hover()
        page.mouse.wheel(300, 0)
        ticked(viewer, character, 4)
        expect_tick(page, 7)
        assert not page.evaluate(SHOWS_ALL)
    character.stop()


SMALL = """least => [...document.querySelectorAll("body *")].filter((one) => {
  const texts = [...one.childNodes].filter((part) => part.nodeType === 3);
  if (!texts.some((part) => part.textContent.trim())) return false;
  if (!one.getBoundingClientRect().width) return false;
  const scale = one.closest("svg") && one.getScreenCTM ? one.getScreenCTM().a : 1;
  return parseFloat(getComputedStyle(one).fontSize) * scale < least;
}).map((one) => one.textContent)"""

SPILT = """() => {
  const boxes = [...document.querySelectorAll("#tree [data-id]")].map((group) => [
    group.querySelector(".shape").getBoundingClientRect(),
    group.querySelector(":scope > text:not(.sign)").getBoundingClientRect(),
    group.textContent,
  ]);
  const spilt = boxes.filter(([shape, text]) => text.width && (
    text.left < shape.left || text.right > shape.right
    || text.top < shape.top - 1 || text.bottom > shape.bottom + 1));
  const meet = (one, two) => one.left < two.right && two.left < one.right
    && one.top < two.bottom && two.top < one.bottom;
  const over = boxes.filter(([one], at) => boxes.some(([two], to) => at < to && meet(one, two)));
  return [...spilt, ...over].map(([, , name]) => name);
}"""


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("name", ["soldier", "squad"])
def test_every_label_can_be_read(page, name, width):
    character = character_of(resolve(name, TargetKind.TREE), 1)
    page.set_viewport_size({"width": width, "height": 860})
    with Viewer(character, name=name) as viewer:
        ticked(viewer, character, 12)
        page.goto(viewer.url)
        expect_tick(page, 12)
        nodes(page).filter(has_text="method").first.wait_for()
        page.wait_for_timeout(400)  # the nodes slide to their places
        assert page.evaluate(SMALL, 11) == []
        assert page.evaluate(SPILT) == []
        shot(page, f"{name}-{width}")
    character.stop()


def chosen(page):
    """The texts of the nodes that are chosen in the tree."""
    return page.locator('#tree [data-id][aria-selected="true"] .name').all_text_contents()


def test_a_chosen_node_stays_chosen_when_its_task_is_in_the_next_plan(page):
    character = guard()
    with Viewer(character) as viewer:
        ticked(viewer, character, 1)
        page.goto(viewer.url)
        expect_tick(page, 1)
        nodes(page).filter(has_text="look").last.click()
        before = page.locator('[aria-selected="true"][data-id]').get_attribute("data-id")
        ticked(viewer, character, 3)
        expect_tick(page, 4)
        page.wait_for_function(SELECTED_IS_NEW, arg=before)
        assert chosen(page) == ["look"]
        assert page.locator("#node-body .node-name").text_content() == "look"
        assert page.get_by_text("Why it is there").count() == 1


def test_a_chosen_node_gives_way_to_the_closest_around_it_until_its_task_is_back(page):
    character = guard(ammo=1_000)
    with Viewer(character) as viewer:
        ticked(viewer, character, 1)
        page.goto(viewer.url)
        expect_tick(page, 1)
        nodes(page).filter(has_text="walk").last.click()
        for enemy, ticks, name in ((True, 2, "serve"), (False, 4, "walk")):
            character.agent.believe(Guard.enemy, enemy)
            ticked(viewer, character, ticks)
            page.wait_for_function(SELECTED_IS_CALLED, arg=name)
            assert chosen(page) == [name]


class Room:
    """A body with a picture: a dot that moves to the right with each look at it."""

    def __init__(self, at=0):
        self.at = at

    def _repr_svg_(self):
        dot = f'<circle cx="{10 * self.at + 5}" cy="50" r="5"/>'
        return f'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">{dot}</svg>'


@pytest.mark.parametrize("width", [1280, 400])
def test_the_picture_of_the_world_stands_beside_the_tree_and_goes_back_with_it(page, width):
    character, room = guard(), Room()
    character.agent.body = room
    page.set_viewport_size({"width": width, "height": 860})
    with Viewer(character) as viewer:
        page.goto(viewer.url)
        page.wait_for_function("() => !document.querySelector('#controls').hidden")
        ticked(viewer, character, 1)
        expect_tick(page, 1)
        page.wait_for_function("() => document.querySelector('#picture-image').naturalWidth > 0")
        first = page.locator("#picture-image").get_attribute("src")
        room.at = 7
        ticked(viewer, character, 1)
        expect_tick(page, 2)
        page.wait_for_function(PICTURE_IS_NEW, arg=first)
        picture, tree = (page.locator(one).bounding_box() for one in ("#picture", "#tree"))
        assert picture["x"] >= tree["x"] + tree["width"] - 1 or picture["y"] > tree["y"]
        assert page.evaluate("document.documentElement.scrollWidth") == width
        shot(page, f"picture-{width}")
        page.locator("#back").click()
        expect_tick(page, 1)
        assert page.locator("#picture-image").get_attribute("src") == first


def test_a_page_that_comes_late_sees_the_picture_of_a_paused_run(page):
    character = guard()
    character.agent.body = Room()
    with Viewer(character, paused=True) as viewer:
        waiting = Thread(target=viewer.wait)
        waiting.start()
        page.goto(viewer.url)
        page.locator("#picture").wait_for()
        viewer.release()
        waiting.join(10)


def test_a_world_without_a_picture_takes_no_room(page):
    character = guard()
    with Viewer(character) as viewer:
        ticked(viewer, character, 1)
        page.goto(viewer.url)
        expect_tick(page, 1)
        assert not page.locator("#picture").is_visible()


def outcome(page):
    """The latest tick and beliefs, and how often the character was ticked, by its profile."""
    calls = page.get_by_role("row", name=re.compile("^character ")).locator("td").nth(1)
    return [one.text_content() for one in (page.locator("#tick"), page.locator("#beliefs"), calls)]


def test_a_run_that_is_over_is_started_again_by_a_button(page):
    command = [sys.executable, "-m", "bthtn", "watch", "starter", "--port", "0"]
    command += ["--ticks-per-second", "500", "--profile"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        try:
            page.goto(run.stdout.readline().strip())
            page.locator("#again").wait_for(timeout=30_000)
            assert page.locator("#state").text_content() == "Finished"
            assert not page.locator("#pause").is_visible()
            ends = outcome(page)
            nodes(page).first.click()
            page.locator("#breakpoint-text").fill("gather")
            page.locator("#breakpoint-form button").click()
            page.locator("#breakpoints li").wait_for()
            page.locator("#again").click()
            page.get_by_text("Paused — breakpoint").wait_for()
            assert re.search(r"tick [1-3]\b", page.locator("#tick").text_content())
            page.locator("#breakpoints li button").click()
            page.wait_for_function("() => !document.querySelector('#breakpoints li')")
            page.locator("#pause").click()
            page.locator("#again").wait_for(timeout=30_000)
            assert outcome(page) == ends
            assert chosen(page) == ["? starter"]
        finally:
            run.send_signal(signal.SIGINT)
            assert run.wait(20) == 130


PICTURE_IS_NEW = """before => {
  const src = document.querySelector("#picture-image").getAttribute("src");
  return src && src !== before;
}"""
SELECTED_IS_NEW = """before => {
  const one = document.querySelector('#tree [aria-selected="true"][data-id]');
  return one && one.dataset.id !== before;
}"""
SELECTED_IS_CALLED = """name => {
  const one = document.querySelector('#tree [aria-selected="true"][data-id] .name');
  return one && one.textContent === name;
}"""

SHOWS_ALL = """() => {
  const frame = document.querySelector("#tree").getBoundingClientRect();
  return [...document.querySelectorAll("#tree [data-id]")].every((one) => {
    const { left, right } = one.getBoundingClientRect();
    return left >= frame.left && right <= frame.right;
  });
}"""


@pytest.mark.parametrize("width", [320, 400, 800])
def test_on_a_narrow_screen_nothing_is_cut_off_at_the_side(page, width):
    character = guard()
    page.set_viewport_size({"width": width, "height": 800})
    with Viewer(character, name="a character of the yard", paused=True) as viewer:
        page.goto(viewer.url)
        page.get_by_text("Paused").wait_for()
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide == width
        shot(page, f"narrow-{width}")
    character.stop()


def test_a_click_says_why_and_why_not_and_what_would_change_it(page):
    character = guard()
    with Viewer(character) as viewer:
        ticked(viewer, character, 1)
        page.goto(viewer.url)
        nodes(page).filter(has_text="walk").first.click()
        page.locator("#ask-why").click()
        page.get_by_text("serve, method 1 'patrol'").wait_for()
        page.locator("#ask-methods").click()
        page.get_by_text("enemy is false: enemy = false").wait_for()
        page.get_by_role("button", name="What would have to change?").first.click()
        page.locator(".answer").get_by_text("enemy = true").wait_for()
        shot(page, "why-not")


def test_a_breakpoint_stops_the_run_and_a_belief_set_by_hand_changes_it(page):
    character = guard(ammo=1_000)  # he shoots for long enough to be seen
    with Viewer(character) as viewer:
        ends = []

        def loop():
            while not ends:
                character.tick()
                viewer.tick(wait=0.02)

        runs = Thread(target=loop)
        runs.start()
        try:
            page.goto(viewer.url)
            page.locator("#breakpoint-text").fill("look")
            page.locator("#breakpoint-form button").click()
            page.get_by_text(re.compile("Paused — breakpoint")).wait_for()
            shot(page, "breakpoint")
            viewer.control.submit({"do": "believe", "agent": "Ann", "set": "enemy=true"}).result(10)
            page.locator("#pause").click()
            page.wait_for_function(
                "() => document.querySelector('#tree').textContent.includes('shoot')"
            )
        finally:
            ends.append(True)
            viewer.release()
            runs.join(10)


def recorded(tmp_path, name):
    character = character_of(resolve("squad", TargetKind.TREE), 1)
    with Recorder(tmp_path / name, character) as recorder:
        for _ in range(12):
            character.tick()
            recorder.tick()
        recorder.end(finished=False, reason="enough")
    character.stop()
    return tmp_path / name


def test_a_recording_opens_without_a_server(page, tmp_path):
    file = tmp_path / "run.html"
    file.write_text(recording_page(recorded(tmp_path, "run.jsonl")), "utf-8")
    page.goto(file.as_uri())
    expect_tick(page, 12)
    page.locator("#scrub").fill("4")
    expect_tick(page, 4)
    assert nodes(page).count() > 5
    shot(page, "recording")


def test_what_a_lottery_has_drawn_is_shown_with_the_weights(page):
    character = character_of(resolve("brawler", TargetKind.TREE), 1)
    with Viewer(character, name="brawler") as viewer:
        ticked(viewer, character, 3)
        page.goto(viewer.url)
        expect_tick(page, 3)
        drawn = page.locator("#rights li").first.inner_text()
        assert re.search(
            r"^fight drew \w+ \([\d.]+\), \w+ \([\d.]+\).*, brawler, at tick \d", drawn
        )
        shot(page, "brawler")


def test_a_recording_is_opened_from_disk_by_the_same_page(page, tmp_path):
    file = recorded(tmp_path, "run.jsonl.gz")
    with Viewer(guard()) as viewer:
        page.goto(viewer.url)
        page.locator("#file").set_input_files(file)
        expect_tick(page, 12)
        assert page.locator(".agent").count() == 4


def test_the_page_can_be_used_by_the_keyboard_alone(page):
    character = guard()
    with Viewer(character) as viewer:
        ticked(viewer, character, 8)
        page.goto(viewer.url)
        expect_tick(page, 8)
        page.keyboard.press(",")
        expect_tick(page, 7)
        page.keyboard.press("l")
        expect_tick(page, 8)
        page.keyboard.press("t")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.get_by_text("Why it is there").wait_for()
        page.keyboard.press("?")
        page.locator("dialog[open]").wait_for()
        page.keyboard.press("Escape")


def test_hostile_names_are_shown_as_text(page):
    yard = Domain("yard", Guard)
    tasks = [yard.primitive(f"t{number}") for number in range(2)]

    @yard.compound
    def serve() -> Methods:
        yield method(*(task() for task in tasks))

    name = HOSTILE[0]
    agent = Agent(
        name, yard, Guard(at=HOSTILE[0]), body=None, operators=Operators(simulates_others=True)
    )
    character = Character(PlanGoal(HOSTILE[0], agent, serve()), agent)
    with Viewer(character) as viewer:
        ticked(viewer, character, 2)
        for value in HOSTILE:
            agent.believe(Guard.at, value)
        ticked(viewer, character, 1)
        page.goto(viewer.url)
        expect_tick(page, 3)
        assert "owned" not in page.title() or "<script>" in page.title()
        assert page.locator(".agent .name").first.text_content() == name
        assert page.evaluate("document.querySelectorAll('body script').length") == 0


@pytest.mark.parametrize("width", [1280, 400])
def test_what_takes_the_time_is_shown_while_it_is_measured(page, width):
    character, profile = guard(name=HOSTILE[0]), Profile()
    page.set_viewport_size({"width": width, "height": 860})
    with Viewer(character, profile=profile) as viewer:
        page.goto(viewer.url)
        page.get_by_text("Nothing was measured yet.").wait_for()
        with profile:
            for name in HOSTILE:
                Success(name).tick_once()
            ticked(viewer, character, 3)
        assert viewer.control.submit({"do": "again"})
        assert viewer.offer_again("enough", finished=True)
        table = page.get_by_role("region", name="Time").get_by_role("table")
        table.get_by_role("row").nth(10).wait_for()
        heads = ["kind", "name", "calls", "own ms", "mean µs"]
        assert table.get_by_role("columnheader").all_text_contents() == heads
        row = table.get_by_role("row", name=re.compile("^character <script>"))
        assert re.fullmatch(
            r"character\t<script>.*</script>\t3\t\d+\.\d\d\t\d+\.\d", row.inner_text()
        )
        own = [float(one) for one in table.locator("td:nth-child(4)").all_text_contents()]
        assert own == sorted(own, reverse=True)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        page.locator("#profile-title").scroll_into_view_if_needed()
        shot(page, f"profile-{width}")


def test_without_a_profile_there_is_no_table_of_times(page, tmp_path):
    file = tmp_path / "run.html"
    file.write_text(recording_page(recorded(tmp_path, "run.jsonl")), "utf-8")
    character = guard()
    with Viewer(character) as viewer:
        ticked(viewer, character, 2)
        for address, tick in ((viewer.url, 2), (file.as_uri(), 12)):
            page.goto(address)
            expect_tick(page, tick)
            assert not page.locator("#profile-section").is_visible()


def test_the_page_is_dark_where_the_system_is(browser):
    context = browser.new_context(color_scheme="dark", viewport={"width": 1400, "height": 860})
    page = context.new_page()
    character = character_of(resolve("soldier", TargetKind.TREE), 1)
    with Viewer(character, name="soldier") as viewer:
        ticked(viewer, character, 12)
        page.goto(viewer.url)
        expect_tick(page, 12)
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert sum(map(int, re.findall(r"\d+", colour)[:3])) < 200
        shot(page, "soldier-dark")
    character.stop()
    context.close()
