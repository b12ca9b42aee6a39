// The rows of a timeline, folded from the objects of a recording. Nothing here is drawn.
//
// A row is {agent, kind: "beliefs" | "goal" | "step", name, goal, spans}; a span is {from, to,
// status, text}, in ticks, where `to` is the last one and null while it lasts. The spans of a row
// "beliefs" are single ticks, with a line of text for each change.

const ENDS_OF_PLANS = {
  plan_replaced: "ABORTED",
  plan_broken: "FAILURE",
  plan_failed: "FAILURE",
  plan_aborted: "ABORTED",
};

export function timelineRows() {
  const agents = new Map(); // name: {beliefs: row, goals: Map of name to {band: row, steps: Map}}
  const running = new Map(); // agent and number of a start: span
  let first = null;
  let last = 0;
  let plans = 0;

  function agentOf(name) {
    if (!agents.has(name)) {
      const beliefs = { agent: name, kind: "beliefs", name: "beliefs", goal: "", spans: [] };
      agents.set(name, { beliefs, goals: new Map() });
    }
    return agents.get(name);
  }

  function goalOf(agent, goal) {
    const { goals } = agentOf(agent);
    if (!goals.has(goal)) {
      const band = { agent, kind: "goal", name: goal || "(no goal)", goal, spans: [] };
      goals.set(goal, { band, steps: new Map() });
    }
    return goals.get(goal);
  }

  function stepOf(agent, goal, task) {
    const { steps } = goalOf(agent, goal);
    if (!steps.has(task)) steps.set(task, { agent, kind: "step", name: task, goal, spans: [] });
    return steps.get(task);
  }

  function endPlan(agent, goal, status, reason) {
    const span = goalOf(agent, goal).band.spans.at(-1);
    if (span?.to === null) Object.assign(span, { to: last, status, text: because(span.text, reason) });
  }

  function startPlan(agent, goal, plan, reason) {
    endPlan(agent, goal, "ABORTED", reason);
    plans += 1;
    const record = plan ? `, record [${plan.record}]` : "";
    const text = because(`plan ${plans}${record}`, reason);
    goalOf(agent, goal).band.spans.push({ from: last, to: null, status: "RUNNING", text, number: plans });
  }

  function endStep(agent, leaf, status, reason) {
    const key = JSON.stringify([agent, leaf]);
    const span = running.get(key);
    if (span) Object.assign(span, { to: last, status, text: because(span.text, reason) });
    running.delete(key);
  }

  function addEvent(event) {
    const { agent = "", goal = "", reason = "" } = event;
    switch (event.event) {
      case "belief_changed":
        return addChange(agent, event.change);
      case "plan_adopted":
      case "plan_repaired":
        return startPlan(agent, goal, event.plan, reason);
      case "goal_ended":
        return endPlan(agent, goal, event.succeeded ? "SUCCESS" : "FAILURE", reason);
      case "leaf_started": {
        const span = { from: last, to: null, status: "RUNNING", text: event.path || event.task };
        stepOf(agent, goal, event.task).spans.push(span);
        running.set(JSON.stringify([agent, event.leaf]), span);
        return undefined;
      }
      case "leaf_ended":
        return endStep(agent, event.leaf, event.succeeded ? "SUCCESS" : "FAILURE", reason);
      case "leaf_aborted":
        return endStep(agent, event.leaf, "ABORTED", reason);
      case "leaf_refused": {
        const text = because(`refused: ${event.path || event.task}`, reason);
        stepOf(agent, goal, event.task).spans.push({ from: last, to: last, status: "FAILURE", text });
        return undefined;
      }
      default:
        if (Object.hasOwn(ENDS_OF_PLANS, event.event)) endPlan(agent, goal, ENDS_OF_PLANS[event.event], reason);
        return undefined;
    }
  }

  function addChange(agent, { fluent, before, after, source }) {
    const { spans } = agentOf(agent).beliefs;
    const line = `${fluent}: ${JSON.stringify(before)} → ${JSON.stringify(after)} (${source})`;
    if (spans.at(-1)?.from === last) spans.at(-1).text += `\n${line}`;
    else spans.push({ from: last, to: last, status: "", text: line });
  }

  // Take the next object of a recording; those that are neither tick nor event say nothing here.
  function add(object) {
    if (typeof object.event === "string") addEvent(object);
    else if (typeof object.tick === "number") {
      last = object.tick;
      first ??= last;
    }
  }

  // The rows of an agent, or of all; those without spans are left out.
  function rows(agent = "") {
    const found = [];
    for (const [name, { beliefs, goals }] of agents) {
      if (agent && name !== agent) continue;
      found.push(beliefs);
      for (const { band, steps } of goals.values()) found.push(band, ...steps.values());
    }
    return found.filter(({ spans }) => spans.length);
  }

  return { add, rows, first: () => first ?? 0, last: () => last };
}

function because(text, reason) {
  return reason ? `${text} — ${reason}` : text;
}
