// Time: a table of what took it, the dearest first, as `bthtn run --profile` prints it.
//
//   table = profileTable(host)
//   table.show(rows)       of {kind, name, calls, total, own}, with times in nanoseconds

import { element, shortText } from "./dom.js";

const COLUMNS = ["kind", "name", "calls", "own ms", "mean µs"];

export function profileTable(host) {
  const body = element("tbody");
  const nothing = element("p", { class: "quiet" }, "Nothing was measured yet.");
  const heads = COLUMNS.map((one) => element("th", { scope: "col" }, one));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
  host.append(table, nothing);
  let shown = null;

  function show(rows) {
    if (rows === shown) return;
    shown = rows;
    body.replaceChildren(...rows.map(rowOf));
    [table.hidden, nothing.hidden] = [rows.length === 0, rows.length > 0];
  }

  return { show };
}

function rowOf({ kind, name, calls, total, own }) {
  const numbers = [String(calls), (own / 1e6).toFixed(2), (calls ? total / calls / 1e3 : 0).toFixed(1)];
  const head = element("th", { scope: "row" }, shortText(name, 120));
  return element("tr", {}, element("td", { class: "quiet" }, kind), head, ...numbers.map((one) => element("td", {}, one)));
}
