// Moment: what is known of a run at one tick. Lines of a recording are applied to it, one by one.
//
//   moment = new Moment()
//   moment.apply(line)       line: an object of the recording
//   moment.copy()            an independent copy
//
//   moment.agents            Map of name -> {name, tree, domains, beliefs, goals, running, since, last}
//     .beliefs               Map of fluent -> {value, before, tick, source}
//     .goals                 Map of goal -> {goal, plan, record, reason, tick}
//     .running               Map of leaf -> {leaf, task, goal, path, tick}
//   moment.trees             Map of name -> root node
//   moment.leases            Map of "key holder agent" -> {key, holder, agent, tick}
//   moment.pictures          Map of agent -> address of the picture that its body has drawn
//   moment.draws             Map of "agent goal" -> {agent, goal, actions, weights, tick}

const ENDS = new Set(["goal_ended", "plan_aborted", "plan_failed", "plan_broken"]);

export class Moment {
  constructor() {
    this.name = "";
    this.tick = 0;
    this.time = null;
    this.agents = new Map();
    this.trees = new Map();
    this.leases = new Map();
    this.draws = new Map();
    this.pictures = new Map();
    this.end = null;
  }

  copy() {
    const made = new Moment();
    Object.assign(made, this);
    made.agents = new Map();
    for (const [name, agent] of this.agents) {
      made.agents.set(name, {
        ...agent,
        beliefs: new Map(agent.beliefs),
        goals: new Map(agent.goals),
        running: new Map(agent.running),
      });
    }
    made.trees = new Map();
    for (const [name, tree] of this.trees) made.trees.set(name, structuredClone(tree));
    made.leases = new Map(this.leases);
    made.draws = new Map(this.draws);
    made.pictures = new Map(this.pictures);
    return made;
  }

  apply(line) {
    if (line.event !== undefined) this.applyEvent(line);
    else if (line.beliefs !== undefined) this.applyBeliefs(line);
    else if (line.view !== undefined) this.applyView(line);
    else if (line.picture !== undefined) this.pictures.set(line.agent, line.picture);
    else if (line.tick !== undefined) {
      this.tick = line.tick;
      this.time = line.time ?? null;
    } else if (line.recording !== undefined) this.applyHead(line);
    else if (line.end !== undefined) this.end = line;
  }

  applyHead(line) {
    this.name = line.name ?? "";
    this.agents = new Map();
    this.trees = new Map();
    for (const given of line.agents ?? []) {
      const beliefs = new Map();
      for (const [fluent, value] of Object.entries(given.beliefs ?? {})) {
        beliefs.set(fluent, { value, before: undefined, tick: null, source: "" });
      }
      const agent = {
        name: given.agent, tree: given.tree, domains: given.domains ?? [], beliefs,
        goals: new Map(), running: new Map(), since: 0, last: "",
      };
      this.agents.set(given.agent, agent);
      for (const event of given.since ?? []) this.applyEvent({ ...event, agent: given.agent });
    }
  }

  applyEvent(line) {
    const agent = this.agents.get(line.agent);
    if (agent === undefined) return;
    const tick = line.tick ?? this.tick;
    const kind = line.event;
    if (kind === "belief_changed") {
      const { fluent, before, after, source } = line.change;
      agent.beliefs.set(fluent, { value: after, before, tick, source });
    } else if (kind === "plan_adopted" || kind === "plan_repaired") {
      const { plan, record } = line.plan;
      agent.goals.set(line.goal, { goal: line.goal, plan, record, reason: line.reason, tick });
      agent.since = tick;
    } else if (kind === "leaf_started") {
      const { leaf, task, goal, path } = line;
      agent.running.set(leaf, { leaf, task, goal, path, tick });
    } else if (kind === "leaf_ended" || kind === "leaf_aborted") {
      agent.running.delete(line.leaf);
    } else if (ENDS.has(kind)) {
      agent.goals.delete(line.goal);
      agent.since = tick;
      const how = { goal_ended: line.succeeded ? "done" : "failed", plan_aborted: "dropped",
        plan_failed: "its plan failed", plan_broken: "its plan broke" }[kind];
      agent.last = `${line.goal} ${how}${line.reason ? `: ${line.reason}` : ""}`;
    } else if (kind === "lease_taken") {
      this.leases.set(leaseKey(line), { key: line.key, holder: line.holder, agent: line.agent, tick });
    } else if (kind === "actions_drawn") {
      const { agent: of, goal, actions, weights } = line;
      this.draws.set(JSON.stringify([of, goal]), { agent: of, goal, actions, weights, tick });
    } else if (kind === "lease_returned") {
      this.leases.delete(leaseKey(line));
    }
  }

  // All beliefs of an agent, after it was reloaded.
  applyBeliefs(line) {
    const agent = this.agents.get(line.agent);
    if (agent === undefined) return;
    const beliefs = new Map();
    for (const [fluent, value] of Object.entries(line.beliefs)) {
      const before = agent.beliefs.get(fluent);
      const isSame = before !== undefined && JSON.stringify(before.value) === JSON.stringify(value);
      const news = { value, before: before?.value ?? null, tick: this.tick, source: "reload" };
      beliefs.set(fluent, isSame ? before : news);
    }
    agent.beliefs = beliefs;
  }

  applyView(line) {
    if (line.tree !== undefined) {
      this.trees.set(line.agent, structuredClone(line.tree));
      return;
    }
    const root = this.trees.get(line.agent);
    if (root === undefined) return;
    const nodes = new Map();
    const grafts = new Map((line.graft ?? []).map((one) => [one.id, one.children]));
    const pending = [root];
    while (pending.length) {
      const node = pending.pop();
      if (grafts.has(node.id)) node.children = structuredClone(grafts.get(node.id));
      nodes.set(node.id, node);
      pending.push(...node.children);
    }
    for (const [id, [status, message]] of Object.entries(line.status ?? {})) {
      const node = nodes.get(Number(id));
      if (node !== undefined) Object.assign(node, { status, message });
    }
  }

  // The tree that shows an agent: its own, or the one that it has with others.
  treeOf(name) {
    const agent = this.agents.get(name);
    if (agent === undefined) return null;
    const own = agent.tree ?? name;
    if (this.trees.has(own)) return own;
    return this.trees.size === 1 ? [...this.trees.keys()][0] : null;
  }
}

function leaseKey(line) {
  return JSON.stringify([line.key, line.holder, line.agent]);
}

// What an agent wants and does, as a sentence.
export function sentenceOf(agent) {
  const steps = [...agent.running.values()];
  const goals = [...agent.goals.values()];
  if (!goals.length && !steps.length) return agent.last ? `Nothing now; ${agent.last}.` : "No plan yet.";
  const wanted = goals.map((goal) => {
    const own = steps.find((step) => step.goal === goal.goal);
    const task = own?.path?.split(" > ")[0].replace(/ m\d+$/, "");
    return goal.goal === agent.name && task ? task : goal.goal;
  });
  const does = steps.map((step) => step.task).join(", ") || "nothing yet";
  return wanted.length ? `Wants ${wanted.join(", ")}; does ${does}.` : `Does ${does}.`;
}
