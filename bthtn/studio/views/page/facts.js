// What is known of a node, and what the shapes and signs of a tree mean, as elements of HTML.

import { asText } from "./svg.js";

export function htmlElement(name, text = "", attributes = {}) {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

// A heading and a list of the facts; `onGo(id)` is called for the node that a node refers to.
export function nodeFacts(node, looks, onGo = () => {}) {
  const state = looks.statuses[node.status];
  const status = state && [state.sign, node.status.toLowerCase(), node.message].filter(Boolean).join(" ");
  const lines = (node.tooltip ?? "").split(/; (?=[a-z ]+: )/u);
  const facts = [
    ["kind", `${node.kind}: ${looks.kinds[node.kind]?.meaning ?? ""}`],
    ["", node.below],
    ["status", status],
    ["path", node.path],
    ["state after it", node.state && Object.entries(node.state).map(([name, value]) => `${name} = ${value}`).join("\n")],
    ["source", node.source],
    ...(lines.length > 1 || lines[0] !== node.name ? lines.map(splitFact) : []),
  ];
  const list = document.createElement("dl");
  for (const [name, value] of facts) {
    if (value) list.append(htmlElement("dt", name), htmlElement("dd", value, { dir: "auto" }));
  }
  const parts = [htmlElement("h2", node.name || "(no name)", { dir: "auto" }), list];
  if (node.refers !== undefined) {
    const button = htmlElement("button", "show where it is decomposed", { type: "button" });
    button.addEventListener("click", () => onGo(node.refers));
    parts.push(button);
  }
  return parts;
}

function splitFact(line) {
  const at = line.search(/: /u);
  return at > 0 && at < 24 ? [line.slice(0, at), line.slice(at + 2)] : ["", line];
}

// An entry for each kind and status that occurs in a tree.
export function legend(tree, looks) {
  const [kinds, statuses] = [new Set(), new Set()];
  const pending = [tree];
  while (pending.length) {
    const node = pending.pop();
    kinds.add(node.kind);
    statuses.add(node.status);
    pending.push(...(node.children ?? []));
  }
  const used = [
    ...Object.entries(looks.kinds).filter(([kind]) => kinds.has(kind)),
    ...Object.entries(looks.statuses).filter(([status]) => statuses.has(status)),
  ];
  return used.map(([name, { fill, line, sign, meaning }]) => {
    const entry = htmlElement("li");
    const swatch = htmlElement("span", asText(sign), { class: "swatch" });
    swatch.style.setProperty("--fill", fill);
    swatch.style.setProperty("--line", line);
    entry.append(swatch, htmlElement("span", `${name}: ${meaning}`));
    return entry;
  });
}
