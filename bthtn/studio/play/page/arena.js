// The page: the game with its guards in bthtn, sixty frames in a second; the pointer, the keys, and the mind of a guard.

import { byId, element } from "./dom.js";
import { View, moodOf } from "./drawing.js";
import { Engine } from "./engine.js";
import { Game } from "./game.js";
import { MOVES } from "./intruder.js";
import { Mind } from "./mind.js";
import { doing } from "./words.js";
import { BODY, SIZE, distance } from "./world.js";

const FRAME = 1 / 25; // seconds from one message to bthtn to the next
const LONGEST = 0.05; // of a step of the game, however rarely the page is drawn
const CLOSE = 1.6; // metres from a guard where a click is still meant for him
const EVENTS = ["plan_adopted", "plan_aborted", "plan_failed", "plan_broken", "plan_repaired", "goal_ended", "leaf_refused", "belief_changed"];

const game = new Game();
const view = new View(byId("floor"));
const mind = new Mind({ looks: await (await fetch("looks.json")).json() });
const guards = new Map(game.guards.map((guard) => [guard.name, guard]));
let selected = game.guards[0];
let hovered = null; // a guard, the intruder or a wall
let held = null; // {wall, dx, dy}, or the intruder
let isPaused = false;
let hintedWall = null;

const engine = new Engine(`ws://${location.host}/engine`, {
  token: location.hash.slice(1),
  onItem: (answer) => {
    if (answer.error) return tell(answer.error.message);
    const guard = guards.get(answer.character);
    for (const event of answer.events) if (event.event === "plan_adopted") guard.goal = event.goal;
    mind.heard(guard.name, answer.events);
    return guard.take(answer);
  },
  onLost: () => tell("bthtn does not answer any more. Start it again, and open the address that it prints."),
});

function tell(text) {
  byId("told").textContent = text;
  byId("told").hidden = text === "";
}

// the loop

let before = null;
let untold = 0; // seconds that bthtn has not heard of
function loop(now) {
  const seconds = before === null || isPaused ? 0 : Math.min(LONGEST, (now - before) / 1000);
  before = now;
  game.move(seconds);
  untold += seconds;
  if (untold >= FRAME && engine.isReady) {
    const items = game.guards.map((guard) => guard.news()).filter(Boolean);
    engine.frame(items, untold).catch((error) => tell(error.message));
    untold = 0;
  }
  view.draw(game, { selected, hovered, hinted: hintedWall });
  drawCards();
  mind.draw();
  requestAnimationFrame(loop);
}

// what to try in the first minute, one thing after the other

const hints = new Map([
  ["guard", "Click a guard to see what he plans"],
  ["wall", "Drag this wall between you and him"],
]);

function tried(what) {
  hints.delete(what);
  showHint();
}

function showHint() {
  const [[next, text] = ["", ""]] = hints;
  byId("hint").textContent = text;
  const far = ({ x, y, width, height }) => distance({ x: x + width / 2, y: y + height / 2 }, game.intruder);
  hintedWall = next === "wall" ? hintedWall ?? game.world.walls.toSorted((a, b) => far(a) - far(b))[0] : null;
}

// the guards beside the arena

const cards = new Map(game.guards.map((guard) => [guard, card(guard)]));

function card(guard) {
  const does = element("span", { class: "does" });
  const health = element("i");
  const button = element("button", { type: "button", class: "card", onclick: () => pick(guard) },
    element("span", { class: "name" }, guard.name), does, element("span", { class: "health", "aria-hidden": "true" }, health));
  byId("guards").append(button);
  return { button, does, health };
}

function drawCards() {
  for (const [guard, { button, does, health }] of cards) {
    const text = doing(guard) || "thinking";
    if (does.textContent !== text) does.textContent = text;
    button.style.setProperty("--mood", moodOf(guard));
    health.style.width = `${guard.health}%`;
    button.setAttribute("aria-pressed", String(guard === selected));
  }
  const { milliseconds, ticked } = engine.last;
  const text = `news for ${ticked} of ${game.guards.length} guards, answered in ${milliseconds.toFixed(1)} ms`;
  if (game.time - (drawCards.at ?? -1) < 0.25) return;
  drawCards.at = game.time;
  byId("speed").textContent = text;
  byId("caught").textContent = game.intruder.caught ? `caught ${game.intruder.caught === 1 ? "once" : `${game.intruder.caught} times`}` : "";
}

function pick(guard) {
  choose(guard);
  tried("guard");
}

function choose(guard) {
  selected = guard;
  byId("mind-title").textContent = `The mind of ${guard.name}`;
  mind.show(guard.name);
}

// the pointer: the intruder before guards, guards before walls, and these before what is close to a guard

function under(point) {
  const far = (one) => distance(one, point);
  const isOn = (one) => far(one) < BODY + 0.45;
  if (game.intruder.isThere && isOn(game.intruder)) return game.intruder;
  const [nearest] = game.guards.toSorted((a, b) => far(a) - far(b));
  if (isOn(nearest)) return nearest;
  const wall = game.world.walls.find(({ x, y, width, height }) => point.x > x - 0.25 && point.x < x + width + 0.25
    && point.y > y - 0.25 && point.y < y + height + 0.25);
  return wall ?? (far(nearest) < CLOSE ? nearest : null);
}

const canvas = byId("floor");
canvas.addEventListener("pointerdown", (event) => {
  const point = view.at(event);
  const found = under(point);
  if (found === null) return;
  event.preventDefault();
  if (guards.has(found.name)) {
    pick(found);
    return;
  }
  canvas.setPointerCapture(event.pointerId);
  if (found === game.intruder) {
    setWalksAlone(false);
    game.intruder.isHeld = true;
  }
  held = { one: found, dx: point.x - found.x, dy: point.y - found.y };
});
canvas.addEventListener("pointermove", (event) => {
  const point = view.at(event);
  if (held === null) {
    hovered = under(point);
    canvas.dataset.over = hovered === null ? "" : guards.has(hovered.name) ? "guard" : "thing";
    return;
  }
  const to = { x: point.x - held.dx, y: point.y - held.dy };
  if (held.one === game.intruder) dragIntruder(to);
  else {
    game.moveWall(held.one, to);
    tried("wall");
  }
});
for (const kind of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(kind, () => {
    held = null;
    game.intruder.isHeld = false;
  });
}

function dragIntruder({ x, y }) {
  if (!game.intruder.isThere) return;
  const inside = { x: Math.min(SIZE.width - BODY, Math.max(BODY, x)), y: Math.min(SIZE.height - BODY, Math.max(BODY, y)) };
  const place = game.world.free(inside);
  if (distance(place, game.intruder) > 0.05) game.intruder.facing = Math.atan2(place.y - game.intruder.y, place.x - game.intruder.x);
  [game.intruder.x, game.intruder.y] = [place.x, place.y];
}

// keys and switches

function setWalksAlone(walks) {
  game.intruder.walksAlone = walks;
  game.intruder.path = [];
  byId("alone").checked = walks;
}

function pause(wanted) {
  isPaused = wanted;
  byId("pause").textContent = isPaused ? "Go on" : "Pause";
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isLetter = event.key.length === 1 && event.key !== " ";
  if (!isLetter && event.target.closest("input, button, [tabindex]")) return; // these have uses of their own for the others
  if (MOVES(event.key)) {
    setWalksAlone(false);
    game.intruder.keys.add(event.key.toLowerCase());
  } else if (event.key === " ") pause(!isPaused);
  else return;
  event.preventDefault();
});
document.addEventListener("keyup", (event) => game.intruder.keys.delete(event.key.toLowerCase()));
window.addEventListener("blur", () => game.intruder.keys.clear());
byId("alone").addEventListener("change", () => setWalksAlone(byId("alone").checked));
byId("shoots").addEventListener("change", () => {
  game.intruder.shootsBack = byId("shoots").checked;
});
byId("pause").addEventListener("click", () => pause(!isPaused));

try {
  await engine.begin([...guards.keys()], EVENTS);
  choose(selected);
  showHint();
  globalThis.arena = { game, view, engine }; // to be looked at in the console
  requestAnimationFrame(loop);
} catch (error) {
  tell(error.message);
}
