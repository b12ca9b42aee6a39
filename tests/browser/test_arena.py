"""The arena in a real Chromium: `make test-browser`. Screenshots stay in out/screenshots."""

from pathlib import Path

import pytest

from bthtn.examples.trees import sentinel
from bthtn.kit import read_character
from bthtn.studio.play import Arena
from docs.drawn import arena_drawn

pytestmark = pytest.mark.browser
PICTURES = Path("out/screenshots")

# A free place in front of a guard, so far away, with nothing between.
IN_FRONT = """([name, far]) => {
  const { game } = arena;
  const guard = game.guards.find((one) => one.name === name);
  for (let off = 0; off < 0.7; off += 0.05) {
    for (const angle of [guard.facing + off, guard.facing - off]) {
      const place = { x: guard.x + Math.cos(angle) * far, y: guard.y + Math.sin(angle) * far };
      if (game.world.isFree(place) && game.world.isClear(guard, place, 0.4)) return place;
    }
  }
  return null;
}"""
# The wall that is to stand between a guard and the intruder, and where: across the line of sight.
BETWEEN = """(name) => {
  const { game } = arena;
  const guard = game.guards.find((one) => one.name === name);
  const { intruder } = game;
  const isFlat = Math.abs(guard.x - intruder.x) < Math.abs(guard.y - intruder.y);
  const wall = game.world.walls.find((one) => (one.width > one.height) === isFlat);
  return { from: { x: wall.x + wall.width / 2, y: wall.y + wall.height / 2 },
    to: { x: (guard.x + intruder.x) / 2, y: (guard.y + intruder.y) / 2 } };
}"""
# How close the two nearest of some points are.
NEAREST = """(points) => Math.min(...points.flatMap((one) =>
  points.filter((other) => other !== one).map(({ x, y }) => Math.hypot(x - one.x, y - one.y))))"""
# Who takes cover and reloads meanwhile.
RELOADS = """() => arena.game.guards.find((one) => one.does("take_cover") && one.does("reload"))
  ?.name ?? null"""
GUARD = "arena.game.guards.find((one) => one.name === '{}')"


@pytest.fixture(scope="module")
def make():
    files = read_character(Path(sentinel.__file__).parent)
    return files.character


@pytest.fixture
def arena(make):
    with Arena(make) as served:
        yield served


@pytest.fixture
def open_page(browser, arena):
    contexts = []

    def opened(width=1280, height=800, is_filmed=False):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}))
        page = contexts[-1].new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on(
            "console",
            lambda line: page.faults.append(line.text) if line.type == "error" else None,
        )
        page.set_default_timeout(60_000)
        if is_filmed:
            page.clock.install(time=0)
            page.clock.pause_at(1000)
        page.goto(arena.url)
        page.wait_for_function("() => globalThis.arena !== undefined")
        return page

    yield opened
    for context in contexts:
        assert [fault for page in context.pages for fault in page.faults] == []
        context.close()


@pytest.fixture
def page(open_page):
    """A page whose intruder stands still, and does not shoot."""
    page = open_page()
    page.get_by_label("you walk by yourself").uncheck()
    page.get_by_label("you shoot back").uncheck()
    return page


def shot(page, name):
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(PICTURES / f"{name}.png"))


def pause(page):
    page.locator("#pause").click()


def on_page(page, point):
    """Where a point of the arena is on the page."""
    box = page.locator("#floor").bounding_box()
    at = page.evaluate("(point) => arena.view.place(point)", point)
    return box["x"] + at["x"], box["y"] + at["y"]


def drag(page, start, end):
    page.mouse.move(*on_page(page, start))
    page.mouse.down()
    page.mouse.move(*on_page(page, end), steps=3)
    page.mouse.up()


def drag_in_front_of(page, name, far):
    """Drag the intruder to where a guard looks, while the game is paused."""
    pause(page)
    place = page.evaluate(IN_FRONT, [name, far])
    while place is None:  # he looks at a wall close to him
        pause(page)
        page.wait_for_timeout(300)
        pause(page)
        place = page.evaluate(IN_FRONT, [name, far])
    drag(
        page, page.evaluate("() => ({ x: arena.game.intruder.x, y: arena.game.intruder.y })"), place
    )
    pause(page)


def wait_for(page, name, condition):
    page.wait_for_function(f"() => {{ const guard = {GUARD.format(name)}; return {condition}; }}")


def test_guards_walk_their_rounds(page):
    before = page.evaluate("arena.game.guards.map(({ x, y }) => [x, y])")
    page.wait_for_function(
        "(before) => arena.game.guards.every(({ x, y }, at) =>"
        " Math.hypot(x - before[at][0], y - before[at][1]) > 1)",
        arg=before,
    )
    assert set(page.evaluate("arena.game.guards.map((guard) => guard.goal)")) == {"patrol"}
    shot(page, "arena-patrol")


def test_a_guard_who_sees_the_intruder_calls_comes_near_and_fires(page):
    drag_in_front_of(page, "Bo", 8.5)
    wait_for(page, "Bo", "guard.goal === 'fight' && guard.does('call_others')")
    wait_for(page, "Bo", "guard.does('close_in', 'flank', 'fire')")
    wait_for(page, "Bo", "guard.rounds < 6")
    assert "fight: calling, " in page.evaluate(
        "() => { document.querySelectorAll('.card')[1].click();"
        " return document.getElementById('events').textContent; }"
    )


def test_a_wall_that_is_dragged_between_hides_the_intruder(page):
    drag_in_front_of(page, "Ada", 5)
    wait_for(page, "Ada", "guard.sees")
    pause(page)
    way = page.evaluate(BETWEEN, "Ada")
    drag(page, way["from"], way["to"])
    assert not page.evaluate(
        f"arena.game.world.isClear({GUARD.format('Ada')}, arena.game.intruder)"
    )
    pause(page)
    wait_for(page, "Ada", "!guard.sees")


def test_a_guard_who_has_lost_the_intruder_searches_and_returns(page):
    drag_in_front_of(page, "Dan", 4)
    wait_for(page, "Dan", "guard.goal === 'fight'")
    page.evaluate("arena.game.intruder.goneUntil = Infinity")  # whom nobody can see any more
    wait_for(page, "Dan", "guard.goal === 'search'")
    wait_for(page, "Dan", "guard.goal === 'patrol'")


def test_each_guard_searches_another_place(page):
    pause(page)
    nearest = page.evaluate(
        f"""() => {{
      const {{ game }} = arena;
      for (const [at, guard] of game.guards.entries()) {{
        Object.assign(guard, {{ x: 14 + at / 2, y: 15, path: [], isTrailNew: true }});
        guard.lastSeen = {{ x: 14, y: 7.5 }};
      }}
      for (const guard of game.guards) guard.path = [game.trailPoint(guard)];
      return ({NEAREST})(game.guards.map((guard) => guard.path[0]));
    }}"""
    )
    assert nearest >= 3.9


def test_guards_who_stand_together_step_aside(page):
    pause(page)
    nearest = page.evaluate(
        f"""() => {{
      const {{ game }} = arena;
      for (const [at, guard] of game.guards.entries()) {{
        Object.assign(guard, {{ x: 14 + at / 2, y: 7.5, sees: false }});
      }}
      for (let past = 0; past < 4; past += 0.05) game.spread(0.05);
      return ({NEAREST})(game.guards);
    }}"""
    )
    assert nearest > 1.5


def test_a_guard_who_is_shot_at_and_badly_hurt_bandages_himself(page):
    drag_in_front_of(page, "Cleo", 6)
    wait_for(page, "Cleo", "guard.goal === 'fight'")
    page.evaluate(f"{GUARD.format('Cleo')}.isShotAt(arena.game.intruder, 70)")
    wait_for(page, "Cleo", "guard.goal === 'survive' && guard.does('take_cover', 'fall_back')")
    wait_for(page, "Cleo", "guard.does('bandage')")


def test_a_click_on_a_guard_shows_his_mind(page):
    pause(page)
    beside = page.evaluate(f"({{ x: {GUARD.format('Bo')}.x, y: {GUARD.format('Bo')}.y + 1.3 }})")
    page.mouse.click(*on_page(page, beside))
    assert page.locator("#mind-title").text_content() == "The mind of Bo"
    assert page.locator(".card[aria-pressed=true]").text_content().startswith("Bo")
    page.locator("#tree [data-id]").filter(has_text="keep_watch").wait_for()
    assert page.locator("#beliefs tbody tr").count() == 11
    assert page.locator("#priorities li[aria-current]").text_content() == "patrol"
    assert "patrol: on his round, keeping watch" in page.locator("#events").text_content()
    page.get_by_label("the whole tree").check()
    page.locator("#tree [data-id]").filter(has_text="badly hurt?").wait_for()


def test_the_plan_is_seen_whole_in_its_panel(page):
    drag_in_front_of(page, "Bo", 8.5)
    wait_for(page, "Bo", "guard.does('call_others')")
    page.locator(".card").nth(1).click()
    page.locator("#tree [data-id]").filter(has_text="empty_magazine").wait_for()
    pause(page)
    page.wait_for_timeout(300)  # until its boxes have slid into their places
    stage = page.locator("#tree").bounding_box()
    boxes = [one.bounding_box() for one in page.locator("#tree [data-id]").all()]
    assert len(boxes) > 6
    assert min(box["x"] for box in boxes) >= stage["x"]
    assert max(box["x"] + box["width"] for box in boxes) <= stage["x"] + stage["width"]
    assert min(box["y"] for box in boxes) >= stage["y"]
    assert max(box["y"] + box["height"] for box in boxes) <= stage["y"] + stage["height"]


def test_beliefs_that_change_back_are_not_told(page):
    told = page.evaluate(
        """async () => {
      const { Log } = await import("./log.js");
      const log = new Log();
      const change = (fluent, before, after) =>
        log.add([{ event: "belief_changed", change: { fluent, before, after } }]);
      change("in_range", false, true);
      change("rounds", 6, 4);
      change("way_round", false, true);
      change("in_range", true, false);
      change("rounds", 4, 2);
      return log.lines.map((line) => line.text);
    }"""
    )
    assert told == ["2 rounds left"]


def test_what_to_try_is_said_until_it_is_done(page):
    pause(page)
    hint = page.locator("#hint")
    assert hint.text_content().startswith("Click a guard")
    page.mouse.click(
        *on_page(page, page.evaluate("({ x: arena.game.guards[1].x, y: arena.game.guards[1].y })"))
    )
    assert hint.text_content().startswith("Drag this wall")
    drag(page, {"x": 6, "y": 3.6}, {"x": 7, "y": 4.6})
    assert hint.is_hidden()


def test_keys_move_the_intruder(page):
    before = page.evaluate("arena.game.intruder.y")
    page.locator("body").press("w", delay=400)
    page.wait_for_function("(before) => arena.game.intruder.y < before", arg=before)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (400, 800)])
def test_it_fits_narrow_pages_too(open_page, width, height):
    page = open_page(width, height)
    page.wait_for_function("() => arena.game.time > 3")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator("#floor").bounding_box()
    assert (box["height"] > box["width"]) == (width == 400)
    shot(page, f"arena-{width}")


def test_a_page_that_is_loaded_again_begins_again_and_a_second_one_is_told_why_not(open_page):
    page = open_page()
    page.wait_for_function("() => arena.game.time > 1")
    page.reload()
    page.wait_for_function("() => globalThis.arena?.game.time > 1")
    assert page.locator("#told").is_hidden()
    other = page.context.new_page()
    other.faults = []
    other.goto(page.url)
    other.locator("#told").filter(has_text="Ada").wait_for()


def test_the_film_of_the_manual_shows_a_fight_and_what_a_guard_plans_in_it(open_page):
    from tests.browser.film import Film  # noqa: PLC0415 - needs an extra

    page = open_page(1224, 670, is_filmed=True)
    # A clock that stands while bthtn thinks would tell wrong milliseconds.
    page.evaluate("() => { document.getElementById('speed').hidden = true; }")
    arena_and_mind = {"x": 2, "y": 36, "width": 800, "height": 632}
    film = Film(page, arena_and_mind, "() => arena.engine.isReady")

    def where(one):
        return lambda: on_page(page, page.evaluate(f"(({{ x, y }}) => ({{ x, y }}))({one})"))

    def click(name):
        film.run(3, to=where(GUARD.format(name)))
        page.mouse.down()
        page.mouse.up()

    def drag(start, *points):
        film.run(2, to=start)
        page.mouse.down()
        for x, y in points:
            film.run(3, to=lambda x=x, y=y: on_page(page, {"x": x, "y": y}))
        page.mouse.up()

    film.run(1)
    click("Cleo")
    film.run(2)
    drag(where("arena.game.intruder"), (13.6, 13), (14.2, 8))
    assert page.evaluate("arena.game.guards.every((guard) => guard.alerted)")
    film.run(3)
    drag(lambda: on_page(page, {"x": 3.85, "y": 10.6}), (8, 9), (12.6, 8.5))
    assert not page.evaluate(f"{GUARD.format('Cleo')}.sees")
    film.run(6)
    while (name := page.evaluate(RELOADS)) is None and len(film.pictures) < 60:
        film.run(1)
    click(name)
    film.run(2)
    assert page.locator("#mind-title").text_content() == f"The mind of {name}"
    assert page.locator("#tree [data-id]").filter(has_text="on the way to a wall").count() == 1
    film.run(1)
    arena_drawn(film.gif())
