// Mind: what the chosen guard wants, plans, believes, and why; with the parts of the viewer.
//
//   mind = new Mind({looks})
//   mind.show(name)            looks into the mind of a guard, from now on
//   mind.heard(name, events)   events of a frame, with their texts
//   mind.draw()                what is new, once for each frame of the screen

import { beliefTable } from "./beliefs.js";
import { byId, element, shortText } from "./dom.js";
import { Log } from "./log.js";
import { Moment } from "./moment.js";
import { linesOf } from "./source.js";
import { treeView } from "./tree.js";

const SMALLEST = 0.75; // of the plan: 10 pixels a letter; more than that is scrolled

export class Mind {
  constructor({ looks }) {
    this.tree = treeView(byId("tree"), { looks, label: "What he does now", smallest: SMALLEST });
    this.beliefs = beliefTable(byId("beliefs"), { onSet: () => {} });
    this.logs = new Map(); // by the names of the guards
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
    if (!this.logs.has(name)) this.logs.set(name, new Log());
    this.logs.get(name).add(events);
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
    const step = nodesOf(shown).findLast((node) => node.status === "RUNNING");
    if (key === this.drawn) {
      this.tree.update({ status: Object.fromEntries(nodesOf(shown).map((node) => [node.id, [node.status, node.message]])) });
      if (step && step.id !== this.step) this.tree.reveal(step.id);
      this.step = step?.id;
      return;
    }
    this.drawn = key;
    this.step = step?.id;
    const fresh = plainly(shown);
    if (this.tree.node(fresh.id) !== undefined && this.root === fresh.id) {
      this.tree.update({ graft: [{ id: fresh.id, children: fresh.children }], status: { [fresh.id]: [fresh.status, fresh.message] } });
    } else this.tree.update({ tree: fresh });
    this.root = fresh.id;
    this.tree.fit();
    if (step) this.tree.reveal(step.id);
  }

  drawEvents() {
    this.areEventsDue = false;
    byId("events").replaceChildren(...(this.logs.get(this.name)?.lines ?? []).map(({ kind, text, why }) =>
      element("li", { class: kind }, element("span", {}, shortText(text, 200)), why ? element("span", { class: "why" }, shortText(why, 200)) : null)));
  }
}

function nodesOf(root) {
  const found = [root];
  for (const node of found) found.push(...node.children);
  return found;
}

// A copy whose methods have only their names: "method 2 'on the way to a wall'" is "on the way to a wall".
function plainly(node) {
  const below = node.below?.replace(/^method \d+ ?/, "").replace(/^'(.*)'$/, "$1");
  return { ...node, below, children: node.children.map(plainly) };
}

const shapeOf = (node) => [node.id, node.kind, node.name, node.children.map(shapeOf)];

const runningGoal = (root) => nodesOf(root).find((node) => node.kind === "goal" && node.status === "RUNNING");
