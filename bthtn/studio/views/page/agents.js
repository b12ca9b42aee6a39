// Agents: the list of agents with a sentence each. Only the rows in sight are on the page.
//
//   list = agentList(host, {onChoose: (name) => …})
//   list.show(moment, chosen, {search, sort})

import { element, shortText } from "./dom.js";
import { sentenceOf } from "./moment.js";

const HEIGHT = 72; // pixels, as in watch.css
const SPARE = 5; // rows above and below what is in sight

export function agentList(host, { onChoose }) {
  let rows = []; // {name, sentence, busy}
  let chosen = null;
  const before = element("div");
  const inside = element("div");
  const after = element("div");
  const drawn = new Map();
  host.append(before, inside, after);

  function show(moment, name, { search = "", sort = "given" } = {}) {
    chosen = name;
    const wanted = search.trim().toLocaleLowerCase();
    rows = [];
    for (const agent of moment.agents.values()) {
      const sentence = sentenceOf(agent);
      const text = `${agent.name} ${sentence}`.toLocaleLowerCase();
      if (wanted && !text.includes(wanted)) continue;
      rows.push({ name: agent.name, sentence, since: agent.since, busy: agent.running.size > 0 });
    }
    const orders = {
      name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
      does: (a, b) => a.sentence.localeCompare(b.sentence),
      changed: (a, b) => b.since - a.since,
    };
    if (orders[sort]) rows.sort(orders[sort]);
    draw();
    return rows.length;
  }

  function draw() {
    const first = Math.max(0, Math.floor(host.scrollTop / HEIGHT) - SPARE);
    const last = Math.min(rows.length, Math.ceil((host.scrollTop + host.clientHeight) / HEIGHT) + SPARE);
    before.style.height = `${first * HEIGHT}px`;
    after.style.height = `${(rows.length - last) * HEIGHT}px`;
    const kept = new Set();
    rows.slice(first, last).forEach((row, index) => {
      const one = drawn.get(row.name) ?? make(row.name);
      kept.add(row.name);
      if (one.sentence.textContent !== row.sentence) one.sentence.textContent = shortText(row.sentence);
      one.row.classList.toggle("busy", row.busy);
      one.row.setAttribute("aria-selected", String(row.name === chosen));
      one.row.setAttribute("aria-posinset", first + index + 1);
      one.row.setAttribute("aria-setsize", rows.length);
      const here = inside.children[index];
      if (here !== one.row) inside.insertBefore(one.row, here ?? null);
      if (row.name === chosen) host.setAttribute("aria-activedescendant", one.row.id);
    });
    for (const [name, one] of drawn) {
      if (kept.has(name)) continue;
      one.row.remove();
      drawn.delete(name);
    }
  }

  let made = 0;
  function make(name) {
    made += 1;
    const sentence = element("span", { class: "sentence" });
    const row = element(
      "div",
      { role: "option", id: `agent-${made}`, class: "agent", onclick: () => onChoose(name) },
      element("span", { class: "name" }, shortText(name, 80)),
      sentence,
    );
    row.title = shortText(name);
    const one = { row, sentence };
    drawn.set(name, one);
    return one;
  }

  function onKey(event) {
    const at = rows.findIndex((row) => row.name === chosen);
    const page = Math.max(1, Math.floor(host.clientHeight / HEIGHT) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length };
    const move = moves[event.key];
    if (move === undefined || !rows.length) return;
    event.preventDefault();
    const next = Math.min(rows.length - 1, Math.max(0, at + move));
    const top = next * HEIGHT;
    if (top < host.scrollTop) host.scrollTop = top;
    if (top + HEIGHT > host.scrollTop + host.clientHeight) host.scrollTop = top + HEIGHT - host.clientHeight;
    onChoose(rows[next].name);
  }

  host.addEventListener("scroll", draw, { passive: true });
  host.addEventListener("keydown", onKey);
  new ResizeObserver(draw).observe(host);
  return { show };
}
