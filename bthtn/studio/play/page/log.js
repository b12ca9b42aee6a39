// Log: what has happened to a guard, and why, in sentences.
//
//   log.add(events)    the events of a tick, from the first to the last
//   log.lines          [{kind, text, why}, …], the latest first
//
// Beliefs that change while nothing else happens are one line, and those that change back are not told.

import { beliefWords, planWords, reasonWords } from "./words.js";

const MOST = 40;
const UNTOLD = new Set(["at", "way_round"]); // they change all the time; the table of beliefs has them
const FAULTS = new Set(["leaf_refused", "plan_broken", "plan_failed"]);
const ADOPTED = new Set(["plan_adopted", "plan_repaired"]);

export class Log {
  constructor() {
    this.lines = [];
  }

  add(events) {
    for (const { change } of events.filter((one) => one.event === "belief_changed")) this.addChange(change);
    const others = events.filter((one) => one.event !== "belief_changed");
    const isAnswered = others.some((one) => ADOPTED.has(one.event)); // then the new plan says why
    const isForeseen = others.some((one) => one.event === "plan_broken");
    for (const event of others) {
      if (isAnswered && FAULTS.has(event.event)) continue;
      this.lines.unshift(lineOf(event, isForeseen));
    }
    this.lines.splice(MOST);
  }

  addChange({ fluent, before, after }) {
    if (UNTOLD.has(fluent)) return;
    if (this.lines[0]?.kind !== "belief") this.lines.unshift({ kind: "belief", changes: new Map() });
    const [line] = this.lines;
    const first = line.changes.has(fluent) ? line.changes.get(fluent).before : before;
    line.changes.delete(fluent);
    if (first !== after) line.changes.set(fluent, { before: first, after });
    line.text = [...line.changes].map(([name, one]) => beliefWords(name, one.after)).join(", ");
    if (!line.changes.size) this.lines.shift();
  }
}

// What goes wrong with a plan that was looked at again is foreseen, and has not happened.
function lineOf({ event, goal, plan, reason, text }, isForeseen) {
  const why = reason && reason !== "the goal is new" ? reasonWords(reason) : "";
  switch (event) {
    case "plan_adopted":
    case "plan_repaired": return { kind: "plan", text: `${goal}: ${planWords(plan.plan)}`, why: isForeseen ? `foresees: ${why}` : why };
    case "plan_aborted": return { kind: "step", text: `gives up: ${goal}`, why };
    case "plan_broken": return { kind: "step", text: "foresees that the plan will not work", why };
    case "plan_failed": return { kind: "step", text: "the plan has failed", why };
    case "leaf_refused": return { kind: "step", text: "cannot do the next step", why };
    default: return { kind: "step", text: text.split(" — ")[0], why };
  }
}
