// Which node stands for one that has gone, because its plan was replaced by another.

// What a node is, whatever plan it is in: its task with the arguments, or its kind and name.
export function keyOf(node) {
  return `${node.kind} ${node.name}`;
}

// The id of the node for the `wanted` keys, from that of the root to that of the node: the one with
// the last of these keys that has most of the others above it; otherwise the closest enclosing one.
export function followed(root, wanted) {
  for (let depth = wanted.length - 1; depth > 0; depth -= 1) {
    let [found, most] = [null, -1];
    const pending = [[root, 0]];
    while (pending.length) {
      const [node, shared] = pending.pop();
      const isOne = keyOf(node) === wanted[depth];
      if (isOne && shared > most) [found, most] = [node.id, shared];
      const common = wanted.indexOf(keyOf(node));
      const more = shared + (common >= 0 && common < depth ? 1 : 0);
      for (const child of node.children.toReversed()) pending.push([child, more]);
    }
    if (found !== null) return found;
  }
  return root.id;
}
