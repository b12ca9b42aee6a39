// Draws what agents did as rows over ticks: plans as bands, a row for each step, changed beliefs.
//
//   const view = timelineView(host, {looks, onTick: (tick) => …});
//   view.add(objects)     the next objects of a recording: ticks and events, in their order
//   view.agent(name)      show one agent, "" for all of them
//   view.cursor(tick)     put the cursor at a tick; null lets it follow the last one
//   view.destroy()        remove it from the page
//
// `onTick(tick)` is called when the user chooses a tick: by clicking, dragging, or with the keys left,
// right, PageUp, PageDown, Home and End. Ctrl with the wheel magnifies, the wheel scrolls, also with
// Shift to the sides. `looks` is as for treeView.

import { asText, svgElement, wrapped } from "./svg.js";
import { timelineRows } from "./timeline_rows.js";

const LABELS = 190; // pixels, as the widths below
const ROW = 22;
const AXIS = 24;
const NARROWEST = 3;
const WIDEST = 40;
const SIGN_FITS = 13;
const REDRAW = 80; // milliseconds between two drawings while objects arrive

export function timelineView(host, { looks, onTick = () => {} }) {
  const model = timelineRows();
  const svg = svgElement("svg", { class: "bt-timeline", role: "slider", tabindex: "0", "aria-label": "tick" });
  const bars = svgElement("g");
  const labels = svgElement("g");
  const marker = svgElement("g", { class: "cursor" });
  const backdrop = svgElement("rect", { class: "backdrop", width: LABELS });
  svg.append(bars, backdrop, labels, marker);
  host.append(svg);
  let agent = "";
  let cursor = null;
  let start = null; // the first tick on the page; null follows the last one
  let tickWidth = null; // null fits all ticks into the page
  let timer = 0;

  function room() {
    return Math.max(100, host.clientWidth - LABELS - 8);
  }

  function width() {
    const count = model.last() - model.first() + 1;
    return tickWidth ?? Math.min(WIDEST, Math.max(NARROWEST, room() / count));
  }

  function firstShown() {
    const fits = Math.floor(room() / width());
    const latest = Math.max(model.first(), model.last() + 1 - fits);
    return start === null ? latest : Math.min(Math.max(start, model.first()), latest);
  }

  function xOf(tick) {
    return LABELS + (tick - firstShown()) * width();
  }

  function tickAt(clientX) {
    const x = clientX - svg.getBoundingClientRect().left - LABELS;
    const tick = firstShown() + Math.floor(x / width());
    return Math.min(model.last(), Math.max(model.first(), tick));
  }

  function draw() {
    timer = 0;
    const rows = model.rows(agent);
    const height = AXIS + rows.length * ROW + 6;
    svg.setAttribute("height", height);
    backdrop.setAttribute("height", height);
    bars.replaceChildren(...axis(height), ...rows.flatMap((row, index) => spans(row, AXIS + index * ROW)));
    const isOne = new Set(rows.map((row) => row.agent)).size < 2;
    labels.replaceChildren(...rows.map((row, index) => label(row, AXIS + index * ROW, isOne)));
    drawCursor();
  }

  function later() {
    timer ||= setTimeout(draw, REDRAW);
  }

  function axis(height) {
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10000].find((one) => one * width() >= 56) ?? 50000;
    const found = [];
    const [from, to] = [firstShown(), firstShown() + room() / width()];
    for (let tick = Math.ceil(from / step) * step; tick <= Math.min(to, model.last()); tick += step) {
      const x = xOf(tick);
      const text = svgElement("text", { class: "tick", x: x + 3, y: 15 });
      text.textContent = tick;
      found.push(svgElement("line", { x1: x, x2: x, y1: 6, y2: height }), text);
    }
    return found;
  }

  function label(row, y, isOne) {
    const who = row.kind === "step" || isOne ? "" : `${row.agent}: `;
    const text = svgElement("text", { class: `label ${row.kind}`, x: row.kind === "step" ? 20 : 8, y: y + 15 });
    [text.textContent] = wrapped(who + row.name, row.kind === "step" ? 24 : 26, 1);
    const title = svgElement("title");
    title.textContent = [row.agent, row.goal, row.name].filter(Boolean).join(": ").slice(0, 2000);
    text.append(title);
    return text;
  }

  function spans(row, y) {
    const [from, to] = [firstShown(), firstShown() + room() / width()];
    const shown = row.spans.filter((span) => span.from <= to && (span.to ?? model.last()) >= from);
    return shown.map((span) => (row.kind === "beliefs" ? mark(span, y) : bar(row, span, y)));
  }

  function titled(name, attributes, text) {
    const title = svgElement("title");
    title.textContent = text.slice(0, 2000);
    return svgElement(name, attributes, title);
  }

  function mark(span, y) {
    const [x, middle] = [xOf(span.from) + width() / 2, y + ROW / 2];
    const d = `M${x},${middle - 5}l5,5l-5,5l-5,-5Z`;
    return titled("path", { class: "mark", d }, `tick ${span.from}\n${span.text}`);
  }

  function bar(row, span, y) {
    const look = looks.statuses[span.status] ?? looks.statuses.INVALID;
    const end = (span.to ?? model.last()) + 1;
    const [x, size] = [xOf(span.from), Math.max(2, (end - span.from) * width() - 1)];
    const words = `${span.text}\n${look.meaning}, tick ${span.from}${span.to === span.from ? "" : ` to ${span.to ?? "now"}`}`;
    const group = titled("g", { class: `span ${row.kind}`, "data-status": span.status }, words);
    group.style.setProperty("--fill", look.fill);
    group.style.setProperty("--line", look.line);
    group.append(svgElement("rect", { class: "bar", x, y: y + 2, width: size, height: ROW - 4, rx: 3 }));
    const sign = [row.kind === "goal" ? `${span.number}` : "", asText(look.sign)].filter(Boolean).join(" ");
    if (size >= SIGN_FITS * (row.kind === "goal" ? 2 : 1)) {
      const text = svgElement("text", { x: Math.max(x, LABELS) + 4, y: y + 15 });
      text.textContent = sign;
      group.append(text);
    }
    return group;
  }

  function shownTick() {
    return cursor ?? model.last();
  }

  function drawCursor() {
    const x = xOf(shownTick());
    const height = Number(svg.getAttribute("height"));
    const isShown = x >= LABELS;
    const box = { x, y: 0, width: Math.max(2, width()), height };
    marker.replaceChildren(...(isShown ? [svgElement("rect", box)] : []));
    svg.setAttribute("aria-valuemin", model.first());
    svg.setAttribute("aria-valuemax", model.last());
    svg.setAttribute("aria-valuenow", shownTick());
  }

  function choose(tick) {
    cursor = Math.min(model.last(), Math.max(model.first(), tick));
    const fits = Math.floor(room() / width());
    const from = firstShown();
    if (cursor < from || cursor >= from + fits) start = Math.round(cursor - fits / 2);
    draw();
    onTick(cursor);
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const places = {
      ArrowLeft: shownTick() - 1,
      ArrowRight: shownTick() + 1,
      PageUp: shownTick() - 10,
      PageDown: shownTick() + 10,
      Home: model.first(),
      End: model.last(),
    };
    if (!Object.hasOwn(places, event.key)) return;
    event.preventDefault();
    choose(places[event.key]);
  }

  function onDown(down) {
    if (down.button !== 0 || down.clientX - svg.getBoundingClientRect().left < LABELS) return;
    const stop = new AbortController();
    svg.setPointerCapture(down.pointerId);
    choose(tickAt(down.clientX));
    const drag = (event) => tickAt(event.clientX) !== cursor && choose(tickAt(event.clientX));
    svg.addEventListener("pointermove", drag, { signal: stop.signal });
    svg.addEventListener("lostpointercapture", () => stop.abort(), { signal: stop.signal });
  }

  function onWheel(event) {
    const by = event.shiftKey ? event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      const [tick, before] = [tickAt(event.clientX), width()];
      tickWidth = Math.min(WIDEST, Math.max(NARROWEST / 2, before * Math.exp(-event.deltaY * 0.004)));
      start = Math.round(tick - ((tick - firstShown()) * before) / width());
    } else if (by) start = firstShown() + Math.sign(by) * Math.max(1, Math.round(Math.abs(by) / width()));
    else return;
    event.preventDefault();
    draw();
  }

  function add(objects) {
    for (const object of objects) model.add(object);
    later();
  }

  const watch = new ResizeObserver(later);
  watch.observe(host);
  svg.addEventListener("keydown", onKey);
  svg.addEventListener("pointerdown", onDown);
  svg.addEventListener("wheel", onWheel, { passive: false });
  return {
    add,
    agent(name) {
      agent = name;
      draw();
    },
    cursor(tick) {
      cursor = tick;
      if (tick === null) start = null;
      later();
    },
    destroy() {
      clearTimeout(timer);
      watch.disconnect();
      svg.remove();
    },
  };
}
