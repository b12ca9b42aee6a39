// Words: what a guard does, plans and believes, as people say it.
//
//   doing(guard)             "closing in", "taking cover, reloading", …
//   planWords(text)          a plan as events have it, such as "(call_others, fire, fire)"
//   beliefWords(name, value) "you are in range", "4 rounds left", …; the name and the value for one without words
//   reasonWords(reason)      why a plan was given up, or could not be followed

import { valueText } from "./dom.js";

const TASKS = {
  close_in: "closing in", flank: "flanking", take_cover: "taking cover", fall_back: "falling back", call_others: "calling",
  fire: "firing", reload: "reloading", bandage: "bandaging", keep_watch: "keeping watch", look_around: "looking around",
  stand_down: "all clear", come_to: "knocked out",
};
// What is believed if it is true, and if not.
const BELIEFS = {
  knows_where: ["knows where you are", "does not know where you are"],
  in_range: ["you are in range", "you are out of range"],
  alerted: ["is alerted", "is calm"],
  under_fire: ["is shot at", "is not shot at"],
  wall_near: ["a wall to hide behind is near", "no wall to hide behind is near"],
  comrade_fights: ["a comrade fights you", "no comrade fights you"],
  called: ["the others are told", "the others are not told"],
};

const taskWords = (task, to) => (task === "walk" ? (to === "trail" ? "searching" : "on his round") : TASKS[task] ?? task);

export function doing(guard) {
  return [...guard.steps.values()].map(({ task, args }) => taskWords(task, args.to)).join(", ");
}

export function planWords(text) {
  const steps = text.replace(/(\w+)\('(\w+)'\)/g, (_, task, to) => taskWords(task, to))
    .replace(/parallel\(([^)]*)\)/g, (_, together) => together.split(", ").map((task) => taskWords(task)).join(" and "))
    .replace(/[()]/g, "").split(", ").map((task) => taskWords(task));
  return steps.filter((step, at) => step !== steps[at - 1]).join(", ");
}

export function beliefWords(name, value) {
  if (name in BELIEFS) return BELIEFS[name][value ? 0 : 1];
  if (name === "rounds") return value === 1 ? "1 round left" : `${value || "no"} rounds left`;
  return `${name} ${valueText(value)}`;
}

// Of "fight > fire: in_range is false: in_range = false", that you are out of range.
export function reasonWords(reason) {
  const [, branch] = reason.match(/^'(?:when )?(.*)' took over$/) ?? [];
  if (branch) return `${branch} matters more`;
  const [, question] = reason.match(/^'(.*)\?' failed$/) ?? [];
  if (question) return `not any more: ${question}`;
  const [, found] = reason.match(/ is false: (.*)$/) ?? [];
  if (found === undefined) return reason.replace(/^.* > /, "").replace(/^\w+(?=: )/, (task) => taskWords(task));
  return found.split(", ").map((one) => {
    const [name, value] = one.split(" = ");
    return beliefWords(name, value === "true" ? true : value === "false" ? false : Number.isNaN(Number(value)) ? value : Number(value));
  }).join(", ");
}
