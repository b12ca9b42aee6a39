// Beliefs: a table of fluents with their values, what they were, and who changed them.
//
//   table = beliefTable(host, {onSet: async (text) => …})   text: "fluent=value"
//   table.show(agent, tick, {search, changed, writable})

import { element, shortText, valueText } from "./dom.js";

const MOST = 500; // rows; more can be found by searching

export function beliefTable(host, { onSet }) {
  const body = element("tbody");
  const rest = element("p", { class: "quiet" });
  host.append(
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...["fluent", "value", "changed"].map((one) => element("th", { scope: "col" }, one)))),
      body,
    ),
    rest,
  );
  const rows = new Map();
  let editing = null;

  function show(agent, tick, { search = "", changed = false, writable = false } = {}) {
    const wanted = search.trim().toLocaleLowerCase();
    const shown = [];
    for (const [fluent, belief] of agent?.beliefs ?? []) {
      if (changed && belief.tick === null) continue;
      if (wanted && !fluent.toLocaleLowerCase().includes(wanted)) continue;
      shown.push([fluent, belief]);
    }
    shown.sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true }));
    const left = shown.splice(MOST);
    const kept = new Set();
    shown.forEach(([fluent, belief], index) => {
      const row = rows.get(fluent) ?? make(fluent);
      kept.add(fluent);
      fill(row, belief, tick, writable);
      const here = body.children[index];
      if (here !== row.row) body.insertBefore(row.row, here ?? null);
    });
    for (const [fluent, row] of rows) {
      if (kept.has(fluent) || fluent === editing) continue;
      row.row.remove();
      rows.delete(fluent);
    }
    rest.textContent = left.length ? `${left.length} more; search for them.` : shown.length ? "" : "Nothing.";
  }

  function make(fluent) {
    const value = element("button", { type: "button", class: "value", onclick: () => edit(fluent) });
    const source = element("td", { class: "source" });
    const cell = element("td", {}, value);
    const row = element("tr", {}, element("th", { scope: "row" }, shortText(fluent, 120)), cell, source);
    const one = { row, value, source, cell, key: "" };
    rows.set(fluent, one);
    return one;
  }

  function fill(one, belief, tick, writable) {
    const isNew = belief.tick !== null && belief.tick === tick;
    const key = JSON.stringify([belief.value, belief.before, belief.tick, belief.source, isNew, writable]);
    if (one.key === key) return;
    one.key = key;
    one.value.textContent = valueText(belief.value);
    one.value.disabled = !writable;
    one.value.title = writable ? "Set by hand" : "";
    one.row.classList.toggle("new", isNew);
    one.source.replaceChildren();
    if (belief.tick === null) return;
    one.source.append(
      element("span", {}, `tick ${belief.tick}, by ${shortText(belief.source, 60)}`),
      element("span", { class: "before" }, `was ${valueText(belief.before ?? null)}`),
    );
  }

  function edit(fluent) {
    const one = rows.get(fluent);
    if (!one || one.value.disabled) return;
    editing = fluent;
    const field = element("input", { "aria-label": `Value of ${shortText(fluent, 80)}`, value: one.value.textContent });
    const done = async (text) => {
      if (editing !== fluent) return;
      editing = null;
      one.cell.replaceChildren(one.value);
      one.value.focus();
      if (text !== null) await onSet(`${fluent}=${text}`);
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") done(field.value);
      if (event.key === "Escape") done(null);
    });
    field.addEventListener("blur", () => done(null));
    one.cell.replaceChildren(field);
    field.select();
  }

  return { show };
}
