// Details: what there is to know about one node of a tree: why it is there, its conditions with the
// values of the moment, its source, and what could have been done in its place.
//
//   nodeDetails(host, {node, path, agent, ask, stop, onSelect})
//     path        the nodes from the root to the node
//     ask         async (question) => answer, or null without a program to ask
//     stop        async (kind, text) => …, sets a breakpoint; or null

import { element, shortText, valueText } from "./dom.js";

const WORDS = {
  RUNNING: "runs now", SUCCESS: "has succeeded", FAILURE: "has failed", ABORTED: "was aborted",
  INVALID: "does not run",
};

export function nodeDetails(host, { node, path, agent, ask, stop, onSelect }) {
  const parts = [heading(node), why(path, onSelect), conditions(node, agent)];
  if (node.source) parts.push(section("Source", element("code", { class: "source" }, shortText(node.source))));
  if (ask) parts.push(questions(node, path, ask));
  if (stop) parts.push(stops(node, stop));
  host.replaceChildren(...parts.filter(Boolean));
}

function section(title, ...children) {
  return element("section", {}, element("h3", {}, title), ...children);
}

function heading(node) {
  const status = WORDS[node.status] ?? node.status ?? "";
  const told = node.message && node.message !== status ? ` — ${node.message}` : "";
  return element(
    "section",
    {},
    element("p", { class: "node-name" }, shortText(node.name)),
    element("p", { class: "quiet" }, `${node.kind}${node.below ? `, ${shortText(node.below)}` : ""}`),
    element("p", {}, shortText(`${status}${told}`)),
  );
}

function why(path, onSelect) {
  if (path.length < 2) return null;
  const steps = path.slice(0, -1).toReversed().map((one) =>
    element(
      "li",
      {},
      element("button", { type: "button", class: "link", onclick: () => onSelect(one.id) }, shortText(one.name, 120)),
      element("span", { class: "quiet" }, [` ${one.kind}`, one.below].filter(Boolean).join(", ")),
    ),
  );
  return section("Why it is there", element("ol", { class: "path" }, ...steps));
}

// The fluents that a condition mentions, with their values.
export function mentioned(text, beliefs) {
  const found = new Map();
  for (const [word] of String(text).matchAll(/[\p{L}_][\p{L}\p{N}_]*(?:\[[^\]]*\])?/gu)) {
    const plain = word.replaceAll(/['"]/g, "");
    for (const name of [word, plain]) if (beliefs.has(name)) found.set(name, beliefs.get(name));
  }
  return found;
}

function conditions(node, agent) {
  const texts = (node.conditions ?? []).filter((one) => one && one !== "true");
  if (!texts.length) return null;
  const items = texts.map((text) => {
    const values = [...mentioned(text, agent?.beliefs ?? new Map())].map(([fluent, belief]) => {
      const since = belief.tick === null ? "" : ` (tick ${belief.tick}, by ${belief.source})`;
      return element("li", { class: "quiet" }, shortText(`${fluent} = ${valueText(belief.value)}${since}`));
    });
    return element("li", {}, element("code", {}, shortText(text)), element("ul", {}, ...values));
  });
  return section("Its conditions", element("ul", { class: "conditions" }, ...items));
}

function questions(node, path, ask) {
  const goal = path.findLast((one) => one.kind === "goal");
  if (!goal) return null;
  const answer = element("div", { class: "answer" });
  const asked = async (question, render) => {
    answer.replaceChildren(element("p", { class: "quiet" }, "…"));
    try {
      answer.replaceChildren(...render(await ask({ goal: goal.name, node: node.name, path: node.path ?? "", ...question })));
    } catch (error) {
      answer.replaceChildren(element("p", { class: "error" }, error.message));
    }
  };
  const change = (method) =>
    asked({ ask: "change", method }, (found) => [
      element("p", {}, shortText(`For ${method} to be chosen:`)),
      element("pre", {}, found),
    ]);
  const rows = (found) => {
    if (!found.length) return [element("p", { class: "quiet" }, "There is no other method.")];
    return found.map((one) =>
      element(
        "div",
        { class: "method" },
        element("p", {}, element("strong", {}, shortText(one.title)), one.chosen ? " — chosen" : ""),
        element("p", { class: "quiet" }, shortText([one.outcome, one.reason].filter(Boolean).join(": "), 2000)),
        one.chosen ? null : element("button", { type: "button", onclick: () => change(one.method) }, "What would have to change?"),
      ),
    );
  };
  const buttons = element(
    "div",
    { class: "tools" },
    element("button", { type: "button", id: "ask-why", onclick: () => asked({ ask: "why" }, (found) => [element("pre", {}, found)]) }, "Why this?"),
    element("button", { type: "button", id: "ask-methods", onclick: () => asked({ ask: "methods" }, rows) }, "Why not another method?"),
  );
  return section("Ask", buttons, answer);
}

function stops(node, stop) {
  const buttons = [];
  const add = (words, kind, text) =>
    buttons.push(element("button", { type: "button", onclick: () => stop(kind, text) }, words));
  if (node.task) {
    add("starts", "starts", node.task);
    add("succeeds", "succeeds", node.task);
    add("fails", "fails", node.task);
  } else if (node.kind === "goal") add("gets another plan", "replan", node.name);
  const method = /^method (\d+)/.exec(node.below ?? "");
  if (method && node.kind === "compound") add("this method is planned", "method", `${node.name.split("(")[0]}:${method[1]}`);
  return buttons.length ? section("Stop when", element("div", { class: "tools" }, ...buttons)) : null;
}
