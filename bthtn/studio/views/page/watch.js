// The page: shows a run, live from a program or from a recording.

import { agentList } from "./agents.js";
import { beliefTable } from "./beliefs.js";
import { nodeDetails } from "./details.js";
import { byId, element, shortText, valueText } from "./dom.js";
import { sentenceOf } from "./moment.js";
import { profileTable } from "./profile.js";
import { Recorded } from "./recorded.js";
import { ask, command, readFile, readProgram, token } from "./source.js";
import { timelineView } from "./timeline.js";
import { treeView } from "./tree.js";

const embedded = byId("data") && JSON.parse(byId("data").textContent); // of a page without a program
const looks = embedded?.looks ?? (await (await fetch("looks.json")).json());

let recorded = new Recorded();
let isLive = false; // a program sends lines
let stopReading = () => {};
let control = null; // the state of the run, if it can be paused
let profile = null; // rows of what took the time, if the program measures it
let again = 0; // how often the program has begun the run anew
let tick = null; // the tick that is shown; null for the latest
let chosen = null; // the name of an agent
let node = null; // the id of the chosen node
let drawnTree = { name: null, moment: null, root: null };
let deltas = []; // changes of the tree since it was drawn
let isDue = false;
const wanted = new Set(); // agents whose tree was asked for

const canWrite = () => isLive && control !== null && token !== "";
const moment = () => (tick === null ? recorded.now : shown.moment);
const shown = { tick: null, moment: null };

const tree = treeView(byId("tree"), { looks, label: "Tree", onSelect: (one) => choose(one.id) });
let timeline = newTimeline();
const agents = agentList(byId("agents-list"), { onChoose: (name) => chooseAgent(name) });
const times = profileTable(byId("profile"));
const beliefs = beliefTable(byId("beliefs"), { onSet: (text) => run({ do: "believe", agent: chosen, set: text }) });

function newTimeline() {
  return timelineView(byId("timeline"), { looks, onTick: (to) => seek(to) });
}

// What is new, drawn once for each frame of the screen.
function due() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    draw();
  });
}

function take(lines) {
  for (const line of lines) {
    if (line.control !== undefined) {
      control = line.control;
      continue;
    }
    if (line.profile !== undefined) {
      if (isLive) profile = line.profile;
      continue;
    }
    if (isLive && line.recording !== undefined && (line.again ?? 0) !== again) {
      again = line.again ?? 0;
      begin();
    }
    recorded.add(line);
    if (line.view === undefined) timeline.add([line]);
    if (line.view !== undefined && tick === null && line.agent === drawnTree.name) deltas.push(line);
    if (line.recording !== undefined) drawnTree.name = null;
  }
  if (chosen === null || !recorded.now.agents.has(chosen)) {
    chosen = [...recorded.now.agents.keys()][0] ?? null;
    timeline.agent(chosen ?? "");
  }
  askForTree();
  due();
}

// Show a run from its beginning.
function begin() {
  recorded = new Recorded();
  timeline.destroy();
  timeline = newTimeline();
  timeline.agent(chosen ?? "");
  [tick, shown.moment, deltas] = [null, null, []];
  drawnTree = { name: null, moment: null, root: null };
  wanted.clear();
}

function askForTree() {
  if (!isLive || chosen === null || wanted.has(chosen) || recorded.now.treeOf(chosen) !== null || !canWrite()) return;
  wanted.add(chosen);
  run({ do: "watch", agent: chosen });
}

function draw() {
  const now = moment();
  const agent = now.agents.get(chosen);
  byId("title").textContent = shortText(recorded.now.name || "bthtn", 60);
  document.title = `${shortText(recorded.now.name || "run", 60)} — bthtn`;
  drawState(now);
  const count = agents.show(now, chosen, { search: byId("agents-search").value, sort: byId("agents-sort").value });
  byId("agents-count").textContent = count === now.agents.size ? String(count) : `${count} of ${now.agents.size}`;
  drawPicture(now);
  drawTree(now);
  beliefs.show(agent, now.tick, {
    search: byId("beliefs-search").value,
    changed: byId("beliefs-changed").checked,
    writable: canWrite() && tick === null,
  });
  drawRights(now);
  drawScrub();
  drawProfile();
  drawBreakpoints();
  drawDetails(now);
}

function drawState(now) {
  const words = [];
  if (control?.paused) words.push(`Paused${control.reason ? ` — ${control.reason}` : ""}`);
  else if (isLive && !control?.over) words.push("Running");
  else if (recorded.now.end) words.push(recorded.now.end.finished ? "Finished" : recorded.now.end.reason || "Ended");
  else if (recorded.ticks.length) words.push("Recorded");
  if (tick !== null) words.push(`looking at tick ${now.tick}`);
  const text = words.join("; ");
  if (byId("state").textContent !== text) byId("state").textContent = text;
  byId("state").dataset.paused = String(Boolean(control?.paused));
  byId("controls").hidden = !canWrite();
  for (const id of ["pause", "step", "replan"]) byId(id).hidden = Boolean(control?.over);
  byId("again").hidden = !control?.over;
  byId("pause").textContent = control?.paused ? "Go on" : "Pause";
}

function drawTree(now) {
  const name = now.treeOf(chosen);
  const root = name === null ? null : now.trees.get(name);
  const title = name === null ? "Tree" : `Tree of ${shortText(name, 60)}`;
  if (byId("tree-title").textContent !== title) byId("tree-title").textContent = title;
  if (root === null) {
    deltas = [];
    return;
  }
  if (drawnTree.name === name && drawnTree.moment === now && now === recorded.now) {
    for (const delta of joined(deltas)) tree.update(delta);
  } else if (drawnTree.moment !== now || drawnTree.name !== name) {
    const fresh = structuredClone(root);
    const isSame = tree.node(root.id) !== undefined && drawnTree.tree === name;
    if (isSame) {
      tree.update({ graft: [{ id: root.id, children: fresh.children }], status: { [root.id]: [root.status, root.message] } });
    } else {
      tree.update({ tree: fresh });
      tree.fit();
    }
    drawnTree = { name, moment: now, tree: name };
  }
  deltas = [];
}

// Changes of one frame, as few as possible: statuses up to a change of shape are one change.
function joined(several) {
  const made = [];
  for (const { tree: whole, graft, status } of several) {
    const last = made.at(-1);
    const copy = { tree: whole && structuredClone(whole), graft: graft?.length ? structuredClone(graft) : undefined, status };
    if (last && !whole && !graft?.length) last.status = { ...last.status, ...status };
    else made.push(copy);
  }
  return made;
}

function drawPicture(now) {
  const picture = now.pictures.get(chosen) ?? "";
  byId("picture").hidden = picture === "";
  const image = byId("picture-image");
  if (picture === "" || image.getAttribute("src") === picture) return;
  image.src = picture;
  image.alt = `The world of ${shortText(chosen, 60)}`;
}

function drawRights(now) {
  const own = [...now.leases.values()].sort((a, b) => String(a.key).localeCompare(String(b.key)));
  const items = own.slice(0, 200).map((one) =>
    element("li", {}, element("strong", {}, shortText(valueText(one.key), 80)), ` ${shortText(one.holder, 120)}`,
      element("span", { class: "quiet" }, `, ${shortText(one.agent, 60)}, since tick ${one.tick}`)),
  );
  const draws = [...now.draws.values()];
  items.push(...draws.slice(0, 200).map((one) =>
    element("li", {}, element("strong", {}, shortText(one.goal, 80)),
      ` drew ${shortText(one.actions.map((action, at) => `${action} (${one.weights[at]})`).join(", ") || "nothing", 400)}`,
      element("span", { class: "quiet" }, `, ${shortText(one.agent, 60)}, at tick ${one.tick}`))));
  const key = JSON.stringify([own, draws]);
  if (byId("rights").dataset.key === key) return;
  byId("rights").dataset.key = key;
  byId("rights").replaceChildren(items.length ? element("ul", {}, ...items) : element("p", { class: "quiet" }, "Nobody has a lease, and nothing was drawn."));
}

function drawScrub() {
  const bar = byId("scrub");
  const at = tick ?? recorded.last;
  if (bar.min !== String(recorded.first)) bar.min = recorded.first;
  if (bar.max !== String(recorded.last)) bar.max = recorded.last;
  if (bar.value !== String(at)) bar.value = at;
  const time = moment().time;
  const text = `tick ${at}${tick === null ? "" : ` of ${recorded.last}`}${time === null ? "" : `, ${time} s`}`;
  if (byId("tick").textContent !== text) byId("tick").textContent = text;
  bar.setAttribute("aria-valuetext", text);
  byId("live").disabled = tick === null;
  timeline.cursor(tick);
}

function drawProfile() {
  byId("profile-section").hidden = profile === null;
  times.show(profile ?? []);
}

function drawBreakpoints() {
  byId("breakpoints-section").hidden = !canWrite();
  const key = JSON.stringify(control?.breakpoints ?? []);
  const list = byId("breakpoints");
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(
    ...(control?.breakpoints ?? []).map((one) =>
      element(
        "li",
        {},
        shortText(`${one.agent ? `${one.agent}: ` : ""}${one.kind} ${one.text}`),
        element("button", { type: "button", "aria-label": `Remove ${one.kind} ${shortText(one.text, 80)}`,
          onclick: () => run({ do: "unbreak", number: one.number }) }, "×"),
      ),
    ),
  );
}

let detailed = "";
function drawDetails(now) {
  const name = now.treeOf(chosen);
  const path = name === null || node === null ? [] : pathTo(now.trees.get(name), node);
  const one = path.at(-1);
  const agent = now.agents.get(chosen);
  const key = one ? JSON.stringify([one.id, one.status, one.message, one.name, one.below, tick, canWrite(),
    path.map((above) => above.name), valuesOf(one, agent)]) : "";
  if (key === detailed) return;
  const isSame = detailed.startsWith(`[${node},`) && byId("node-body").querySelector(".answer")?.childElementCount;
  detailed = key;
  if (isSame && one && tick === null) return; // an answer that is being read stays
  if (!one) {
    const quiet = node === null ? "Choose a node of the tree to see why it is there." : "This node is not there at this tick.";
    byId("node-body").replaceChildren(element("p", { class: "quiet" }, quiet));
    return;
  }
  const owner = ownerOf(path, now) ?? agent;
  nodeDetails(byId("node-body"), {
    node: one, path, agent: owner, onSelect: (id) => tree.select(id),
    ask: isLive || recorded.asks ? (question) => ask({ agent: owner.name, tick: moment().tick, ...question }) : null,
    stop: canWrite() ? (kind, text) => run({ do: "break", kind, text }) : null,
  });
}

// The agent that a node belongs to: of several in one tree, the one whose goal is above the node.
function ownerOf(path, now) {
  const goal = path.findLast((one) => one.kind === "goal");
  if (!goal) return null;
  const found = [...now.agents.values()].filter((one) => one.goals.has(goal.name));
  return found.find((one) => one.name === chosen) ?? found.find((one) => one.name === goal.name) ?? found[0];
}

function valuesOf(one, agent) {
  return (one.conditions ?? []).length ? [...(agent?.beliefs ?? [])].filter(([name]) => String(one.conditions).includes(name.split("[")[0])) : [];
}

function pathTo(root, id) {
  const pending = root ? [[root, [root]]] : [];
  while (pending.length) {
    const [one, path] = pending.pop();
    if (one.id === id) return path;
    for (const child of one.children) pending.push([child, [...path, child]]);
  }
  return [];
}

function choose(id) {
  node = id;
  detailed = "";
  due();
}

function chooseAgent(name) {
  if (name === chosen) return;
  chosen = name;
  node = null;
  tree.deselect();
  timeline.agent(name);
  askForTree();
  due();
}

function seek(to) {
  const next = Math.min(recorded.last, Math.max(recorded.first, to));
  if (next >= recorded.last && (isLive || next === recorded.last)) {
    tick = null;
    shown.moment = null;
  } else {
    tick = next;
    shown.moment = recorded.at(next);
  }
  due();
}

async function run(request) {
  try {
    await command(request);
    tell("");
  } catch (error) {
    tell(error.message);
  }
}

function tell(text) {
  byId("told").textContent = shortText(text, 1000);
  byId("told").hidden = text === "";
}

function openRecording(lines) {
  if (lines[0]?.recording === undefined) {
    tell("This is no recording of bthtn.");
    return;
  }
  if (!/^bthtn-recording\/1$/.test(lines[0].recording)) {
    tell(`This page reads bthtn-recording/1, not ${lines[0].recording}.`);
    return;
  }
  tell("");
  stopReading(); // what the program says now is not of this recording
  [isLive, control, profile, chosen, node] = [false, null, null, null, null];
  tree.deselect();
  begin();
  take(lines);
}

function wire() {
  for (const id of ["agents-search", "agents-sort", "beliefs-search", "beliefs-changed"]) byId(id).addEventListener("input", due);
  byId("pause").addEventListener("click", () => run({ do: control?.paused ? "resume" : "pause" }));
  byId("step").addEventListener("click", () => run({ do: "step" }));
  byId("again").addEventListener("click", () => run({ do: "again" }));
  byId("replan").addEventListener("click", () => run({ do: "replan" }));
  byId("scrub").addEventListener("input", () => seek(Number(byId("scrub").value)));
  byId("back").addEventListener("click", () => seek((tick ?? recorded.last) - 1));
  byId("forth").addEventListener("click", () => seek((tick ?? recorded.last) + 1));
  byId("live").addEventListener("click", () => seek(recorded.last));
  byId("help").addEventListener("click", () => byId("keys").showModal());
  byId("file").addEventListener("change", async () => {
    const [file] = byId("file").files;
    if (file) openRecording(await readFile(file));
  });
  byId("breakpoint-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const agent = byId("breakpoint-agent").checked ? chosen : "";
    run({ do: "break", kind: byId("breakpoint-kind").value, text: byId("breakpoint-text").value, agent });
  });
  document.addEventListener("keydown", onShortcut);
}

function onShortcut(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog[open]")) return;
  const isButton = event.target.closest("button, [role=treeitem]") !== null;
  const acts = {
    " ": () => (isButton ? false : byId("pause").click()),
    s: () => byId("step").click(),
    r: () => byId("replan").click(),
    ",": () => byId("back").click(),
    ".": () => byId("forth").click(),
    l: () => byId("live").click(),
    a: () => byId("agents-list").focus(),
    t: () => (byId("tree").querySelector("[tabindex='0']") ?? byId("tree")).focus(),
    b: () => byId("beliefs-search").focus(),
    "/": () => byId("agents-search").focus(),
    "?": () => byId("keys").showModal(),
  };
  if (acts[event.key] === undefined || acts[event.key]() === false) return;
  event.preventDefault();
}

wire();
if (embedded) openRecording(embedded.lines);
else {
  isLive = true;
  stopReading = readProgram({
    onLines: take,
    onEnd: () => {
      isLive = false;
      control = null;
      due();
    },
    onLost: () => {
      isLive = false;
      control = null;
      tell("The program has ended, or does not answer. What was seen stays here.");
      due();
    },
  });
}
