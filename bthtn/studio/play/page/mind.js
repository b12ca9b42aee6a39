// Mind: what the chosen guard wants, plans, believes, and why; with the parts of the viewer.
//
//   mind = new Mind({looks})
//   mind.show(name)            looks into the mind of a guard, from now on
//   mind.heard(name, events)   events of a frame, with their texts
//   mind.draw()                what is new, once for each frame of the screen

import { beliefTable } from "./beliefs.js";
import { byId, element, shortText, valueText } from "./dom.js";
import { Moment } from "./moment.js";
import { linesOf } from "./source.js";
import { treeView } from "./tree.js";

const MOST_EVENTS = 40;

export class Mind {
  constructor({ looks }) {
    this.tree = treeView(byId("tree"), { looks, label: "What he does now" });
    this.beliefs = beliefTable(byId("beliefs"), { onSet: () => {} });
    this.events = new Map(); // name: the latest events
    this.stream = null;
    this.moment = new Moment();
    byId("whole").addEventListener("change", () => {
      this.drawn = "";
      this.isDue = true;
    });
  }

  show(name) {
    this.stream?.close();
    this.name = name;
    this.moment = new Moment();
    this.drawn = "";
    this.stream = new EventSource(`mind/${encodeURIComponent(name)}`);
    this.stream.onmessage = ({ data }) => {
      for (const line of linesOf(data)) this.moment.apply(line);
      this.isDue = true;
    };
    this.stream.addEventListener("end", () => this.stream.close());
    this.drawEvents();
  }

  heard(name, events) {
    const kept = this.events.get(name) ?? [];
    this.events.set(name, [...told(events).reverse(), ...kept].slice(0, MOST_EVENTS));
    if (name === this.name) this.areEventsDue = true;
  }

  draw() {
    if (this.areEventsDue) this.drawEvents();
    if (!this.isDue) return;
    this.isDue = false;
    const root = [...this.moment.trees.values()][0];
    if (!root) return;
    this.drawPriorities(root);
    this.drawTree(root);
    this.beliefs.show([...this.moment.agents.values()][0], this.moment.tick);
  }

  // What matters most, from top to bottom: the branches of the tree that was written by hand.
  drawPriorities(root) {
    const key = JSON.stringify(root.children.map((branch) => [branch.name, branch.status]));
    if (byId("priorities").dataset.key === key) return;
    byId("priorities").dataset.key = key;
    byId("priorities").replaceChildren(...root.children.map((branch) =>
      element("li", { "data-status": branch.status, "aria-current": branch.status === "RUNNING" ? "true" : null }, shortText(branch.name.replace(/^when /, ""), 60))));
  }

  drawTree(root) {
    const goal = runningGoal(root);
    const shown = byId("whole").checked ? root : goal?.children[0] ?? goal ?? root;
    const key = JSON.stringify(shapeOf(shown));
    if (key === this.drawn) {
      this.tree.update({ status: Object.fromEntries(nodesOf(shown).map((node) => [node.id, [node.status, node.message]])) });
      return;
    }
    this.drawn = key;
    const fresh = structuredClone(shown);
    if (this.tree.node(fresh.id) !== undefined && this.root === fresh.id) {
      this.tree.update({ graft: [{ id: fresh.id, children: fresh.children }], status: { [fresh.id]: [fresh.status, fresh.message] } });
    } else this.tree.update({ tree: fresh });
    this.root = fresh.id;
    this.tree.fit();
  }

  drawEvents() {
    this.areEventsDue = false;
    byId("events").replaceChildren(...(this.events.get(this.name) ?? []).map(({ kind, text, why }) =>
      element("li", { class: kind }, element("span", {}, shortText(text, 200)), why ? element("span", { class: "why" }, shortText(why, 200)) : null)));
  }
}

// The events of a tick in words: what happened, and why. The beliefs that have changed are one line.
function told(events) {
  const changes = events.filter((one) => one.event === "belief_changed").map(({ change }) =>
    `${change.fluent} ${valueText(change.before)} → ${valueText(change.after)}`);
  const others = events.filter((one) => one.event !== "belief_changed").map(({ event, goal, plan, reason, text }) => {
    switch (event) {
      case "plan_adopted": return { kind: "plan", text: `${goal}: ${plan.plan}`, why: reason };
      case "plan_repaired": return { kind: "plan", text: `repaired: ${plan.plan}`, why: reason };
      case "plan_aborted": return { kind: "drop", text: `gives up: ${goal}`, why: reason };
      case "plan_broken": return { kind: "drop", text: "the plan does not work any more", why: reason };
      case "plan_failed": return { kind: "drop", text: "the plan has failed", why: reason };
      default: return { kind: "step", text: text.split(" — ")[0], why: reason };
    }
  });
  return changes.length ? [{ kind: "belief", text: changes.join(", ") }, ...others] : others;
}

function nodesOf(root) {
  const found = [root];
  for (const node of found) found.push(...node.children);
  return found;
}

const shapeOf = (node) => [node.id, node.kind, node.name, node.children.map(shapeOf)];

const runningGoal = (root) => nodesOf(root).find((node) => node.kind === "goal" && node.status === "RUNNING");
