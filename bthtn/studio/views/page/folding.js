// What of a large tree is folded at first.

const FEW = 2; // so few nodes below another are not worth a fold
const SCOPES = new Set(["goal", "compound", "suspended", "construct", "decorator", "method", "dropped"]);

// The ids to fold below `top` so that about `room` nodes are shown: open level by level as long as
// there is room. What runs is always shown; nodes that are no scopes fold if they have many children.
export function foldedAtFirst(top, room) {
  const folded = [];
  const pending = [top];
  let shown = 0;
  while (pending.length) {
    const node = pending.shift();
    const count = node.children.length;
    const mayFold = SCOPES.has(node.kind) || count > room / 4 || shown > 2 * room;
    if (!count || (mayFold && shown + count > room && node.status !== "RUNNING")) {
      if (count) folded.push(node);
      continue;
    }
    shown += count;
    pending.push(...node.children);
  }
  return folded.filter((node) => countBelow(node) > FEW).map((node) => node.id);
}

// How many nodes are below a node.
export function countBelow(node) {
  let count = 0;
  const pending = [...node.children];
  while (pending.length) {
    count += 1;
    pending.push(...pending.pop().children);
  }
  return count;
}
