// Draws a behaviour tree, a plan or any other tree of snapshot nodes as SVG, from left to right.
//
//   const view = treeView(host, {looks, label: "Tree of Ann", smallest: 0.92, onSelect: (node) => …});
//   view.update({tree: node});                     a new tree, from its root
//   view.update({graft: [{id, children}, …]});     other children below the nodes `id`
//   view.update({status: {id: [status, message], …}});
//   view.node(id)         the snapshot node, or undefined
//   view.select(id)       select a node, open what hides it, bring it into view; calls onSelect
//   view.deselect()       select no node
//   view.focus(id)        give the keyboard to a node that is shown
//   view.fold(id, shut)   fold or open a node; without `shut`, the other of the two
//   view.fit()            show the whole tree, at a scale of `smallest` at least, as long as it can be read
//   view.reveal(id)       move as little as is needed to see a node
//   view.zoom(factor)     magnify around the middle
//   view.destroy()        remove it from the page
//
// `host` is an element with a size. A node is {id, kind, name, below, tooltip, status, message,
// edge, children}; all but id, kind and name may be missing. A graft may keep some of the children:
// they are known by their ids. `looks` is what `looks()` of bthtn.studio.views.html returns: {kinds:
// {kind: {shape, style, fill, line, sign, meaning}}, statuses: {status: {fill, line, sign, meaning}}}.
//
// The root stays where it is when the tree changes; all others slide to their new places. When a
// selected node goes, the one of the same task and arguments is selected instead, as soon as there is
// one, and until then the closest one around it that is there; onSelect is called with it.
// Keys: up, down, left, right, Home, End; left and right also fold and open, as Space does; Enter
// selects; + and - zoom, 0 fits. d3-hierarchy has to be loaded before: it is `globalThis.d3`.

import { SMALLEST_READABLE, camera } from "./camera.js";
import { countBelow, foldedAtFirst } from "./folding.js";
import { followed, keyOf } from "./following.js";
import { drawingKey, foldingHandle, nodeDrawing, paint } from "./node.js";
import { svgElement } from "./svg.js";

const MOST_OPEN = 60; // larger trees are folded at first
const COLUMN_GAP = 36;
const ROW_GAP = 10;
const SLIDE = 200; // milliseconds

export function treeView(host, { looks, label = "tree", smallest = SMALLEST_READABLE, onSelect = () => {} }) {
  const nodes = new Map(); // id: snapshot node
  const above = new Map(); // id: id of the parent
  const folded = new Set();
  const drawn = new Map(); // id: drawing, with its place `at`, and `to` where it slides
  const edges = svgElement("g", { "aria-hidden": "true" });
  const boxes = svgElement("g");
  const scene = svgElement("g", {}, edges, boxes);
  const svg = svgElement("svg", { class: "bt-tree", role: "tree", "aria-label": label }, scene);
  host.append(svg);
  const view = camera(svg, scene, extent, smallest);
  let root = null;
  let focused = null;
  let selected = null;
  let wanted = []; // the keys of the nodes from the root to the one that was selected by hand
  let frame = 0;
  let isFitted = false;

  function learn(top, parent) {
    const pending = [[top, parent]];
    while (pending.length) {
      const [node, over] = pending.pop();
      node.children ??= [];
      nodes.set(node.id, node);
      above.set(node.id, over);
      for (const child of node.children) pending.push([child, node.id]);
    }
  }

  function replace(tree) {
    nodes.clear();
    above.clear();
    root = tree;
    learn(root, null);
    const isKnown = [...folded].some((id) => nodes.has(id));
    if (!isKnown && nodes.size > MOST_OPEN) for (const id of foldedAtFirst(root, MOST_OPEN)) folded.add(id);
  }

  function graft({ id, children }) {
    const node = nodes.get(id);
    if (!node) return;
    const before = new Set(node.children.map((child) => child.id));
    const pending = [...node.children];
    while (pending.length) {
      const gone = pending.pop();
      nodes.delete(gone.id);
      pending.push(...gone.children);
    }
    node.children = children;
    learn(node, above.get(id));
    const room = Math.max(MOST_OPEN / 2, MOST_OPEN - drawn.size);
    for (const child of children) {
      if (before.has(child.id) || countBelow(child) < room) continue;
      for (const large of foldedAtFirst(child, room)) folded.add(large);
    }
  }

  // Whether a status changes the size of a drawing, so that the others have to make room.
  function setStatus(id, [status, message]) {
    const node = nodes.get(id);
    if (!node) return false;
    Object.assign(node, { status, message });
    const drawing = drawn.get(id);
    if (!drawing) return false;
    paint(drawing, node, looks);
    return drawing.key !== drawingKey(node);
  }

  function update(delta) {
    if (delta.tree) replace(delta.tree);
    if (!root) return;
    for (const one of delta.graft ?? []) graft(one);
    const resized = Object.entries(delta.status ?? {}).map(([id, status]) => setStatus(Number(id), status));
    const isChanged = Boolean(delta.tree || delta.graft || resized.includes(true));
    const next = delta.tree || delta.graft ? follow() : selected;
    if (isChanged) layout();
    if (next !== selected) mark(next);
    const isCut = isChanged && !view.isMoved() && !view.holdsAll(); // grown beyond the frame
    if (!isFitted || isCut) isFitted = view.fit();
  }

  function draw(node) {
    const old = drawn.get(node.id);
    if (old?.key === drawingKey(node)) {
      paint(old, node, looks);
      return old;
    }
    const made = { ...nodeDrawing(node, looks), at: old?.at ?? null, handle: null };
    const hadKeys = old && document.activeElement === old.group;
    if (old) erase(node.id);
    drawn.set(node.id, made);
    boxes.append(made.group);
    edges.append(made.edge);
    if (made.number) edges.append(made.number);
    paint(made, node, looks);
    if (hadKeys) focus(node.id);
    return made;
  }

  function erase(id) {
    const { group, edge, number } = drawn.get(id);
    for (const element of [group, edge, number]) element?.remove();
    drawn.delete(id);
  }

  function layout() {
    const hadKeys = boxes.contains(document.activeElement);
    for (const id of folded) if (!nodes.get(id)?.children.length) folded.delete(id);
    const tree = globalThis.d3.hierarchy(root, (node) => (folded.has(node.id) ? [] : node.children));
    const widths = [];
    tree.each((item) => {
      item.drawing = draw(item.data);
      widths[item.depth] = Math.max(widths[item.depth] ?? 0, item.drawing.width);
    });
    const starts = [-widths[0] / 2];
    widths.forEach((width, depth) => starts.push(starts[depth] + width + COLUMN_GAP));
    const gap = (a, b) => (a.drawing.height + b.drawing.height) / 2 + ROW_GAP * (a.parent === b.parent ? 1 : 2);
    globalThis.d3.tree().nodeSize([1, 1]).separation(gap)(tree);
    const shown = new Set();
    tree.each((item) => {
      const { drawing, parent } = item;
      shown.add(item.data.id);
      drawing.to = { x: starts[item.depth] + drawing.width / 2, y: item.x };
      drawing.at ??= parent ? { x: parent.drawing.at.x, y: parent.drawing.at.y } : drawing.to;
      describe(item);
    });
    for (const id of drawn.keys()) if (!shown.has(id)) erase(id);
    keepFocus(hadKeys);
    for (const id of above.keys()) if (!nodes.has(id)) above.delete(id);
    slide();
  }

  // A node that has gone gives the keyboard to the nearest one above it that is left.
  function keepFocus(hadKeys) {
    let id = focused;
    while (id !== null && !drawn.has(id)) id = above.get(id) ?? null;
    focused = id ?? root.id;
    drawn.get(focused).group.setAttribute("tabindex", "0");
    if (hadKeys) drawn.get(focused).group.focus({ preventScroll: true });
  }

  // The place of a node in the tree, for screen readers, and its handle for folding.
  function describe({ data, depth, parent, drawing }) {
    const siblings = parent?.data.children ?? [data];
    const place = siblings.indexOf(data) + 1;
    const facts = { level: depth + 1, setsize: siblings.length, posinset: place, selected: data.id === selected };
    for (const [name, value] of Object.entries(facts)) drawing.group.setAttribute(`aria-${name}`, value);
    if (drawing.number) drawing.number.textContent = place;
    drawing.handle?.remove();
    drawing.handle = null;
    drawing.group.removeAttribute("aria-expanded");
    if (!data.children.length) return;
    const isFolded = folded.has(data.id);
    drawing.group.setAttribute("aria-expanded", !isFolded);
    drawing.handle = foldingHandle(isFolded ? `+${countBelow(data)}` : "–", drawing.width / 2, isFolded);
    drawing.group.append(drawing.handle);
  }

  function slide() {
    cancelAnimationFrame(frame);
    const from = new Map([...drawn].map(([id, { at }]) => [id, at]));
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
    const begin = performance.now();
    const step = (now) => {
      const part = isCalm ? 1 : Math.min(1, Math.max(0, now - begin) / SLIDE);
      const eased = 1 - (1 - part) ** 3;
      for (const [id, drawing] of drawn) drawing.at = between(from.get(id), drawing.to, eased);
      for (const [id, drawing] of drawn) put(id, drawing);
      if (part < 1) frame = requestAnimationFrame(step);
    };
    step(begin);
  }

  function put(id, { group, edge, number, at, width }) {
    group.setAttribute("transform", `translate(${at.x},${at.y})`);
    const over = drawn.get(above.get(id));
    if (!over) return;
    const [x, end] = [over.at.x + over.width / 2, at.x - width / 2];
    const turn = Math.max(x + 4, end - COLUMN_GAP / 2);
    edge.setAttribute("d", `M${x},${over.at.y}C${turn},${over.at.y} ${turn},${at.y} ${end},${at.y}`);
    number?.setAttribute("x", end - 9);
    number?.setAttribute("y", at.y - 4);
  }

  function extent() {
    const all = [...drawn.values()];
    return {
      left: Math.min(...all.map(({ to, width }) => to.x - width / 2)),
      right: Math.max(...all.map(({ to, width }) => to.x + width / 2 + 30)),
      top: Math.min(...all.map(({ to, height }) => to.y - height / 2)),
      bottom: Math.max(...all.map(({ to, height }) => to.y + height / 2)),
    };
  }

  function focus(id) {
    if (!drawn.has(id)) return;
    drawn.get(focused)?.group.setAttribute("tabindex", "-1");
    focused = id;
    drawn.get(id).group.setAttribute("tabindex", "0");
    drawn.get(id).group.focus({ preventScroll: true });
    if (drawn.get(id).to) view.reveal(drawn.get(id));
  }

  function reveal(id) {
    if (drawn.has(id)) view.reveal(drawn.get(id));
  }

  function select(id) {
    if (!nodes.has(id)) return;
    if (open(id)) layout();
    wanted = [];
    for (let up = id; up !== null; up = above.get(up)) wanted.unshift(keyOf(nodes.get(up)));
    view.reveal(drawn.get(id));
    mark(id);
  }

  function deselect() {
    drawn.get(selected)?.group.setAttribute("aria-selected", "false");
    [selected, wanted] = [null, []];
  }

  function mark(id) {
    drawn.get(selected)?.group.setAttribute("aria-selected", "false");
    selected = id;
    drawn.get(id)?.group.setAttribute("aria-selected", "true");
    onSelect(nodes.get(id));
  }

  // Open what hides a node. Whether anything did.
  function open(id) {
    let isHidden = false;
    for (let up = above.get(id); up !== null; up = above.get(up)) isHidden = folded.delete(up) || isHidden;
    return isHidden;
  }

  // The node to be selected after a change of the tree.
  function follow() {
    if (selected === null) return null;
    const isThere = nodes.has(selected) && keyOf(nodes.get(selected)) === wanted.at(-1);
    const next = isThere ? selected : followed(root, wanted);
    if (next !== selected) open(next);
    return next;
  }

  function fold(id, shut = !folded.has(id)) {
    const node = nodes.get(id);
    if (!node?.children.length || folded.has(id) === shut) return;
    if (shut) folded.add(id);
    else folded.delete(id);
    layout();
  }

  // The shown nodes from top to bottom, as the arrow keys visit them.
  function order() {
    const ids = [];
    const pending = [root];
    while (pending.length) {
      const node = pending.pop();
      ids.push(node.id);
      if (!folded.has(node.id)) pending.push(...node.children.toReversed());
    }
    return ids;
  }

  function onKey(event) {
    if (!root || event.ctrlKey || event.metaKey || event.altKey) return;
    const { children } = nodes.get(focused);
    const [ids, isFolded] = [order(), folded.has(focused)];
    const next = (by) => focus(ids[ids.indexOf(focused) + by]);
    const acts = {
      ArrowDown: () => next(1),
      ArrowUp: () => next(-1),
      ArrowRight: () => (isFolded ? fold(focused, false) : focus(children[0]?.id)),
      ArrowLeft: () => (children.length && !isFolded ? fold(focused, true) : focus(above.get(focused))),
      Home: () => focus(ids[0]),
      End: () => focus(ids.at(-1)),
      Enter: () => select(focused),
      " ": () => fold(focused),
      "+": () => view.zoom(1.25),
      "-": () => view.zoom(0.8),
      0: () => view.fit(),
    };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  }

  function onClick(event) {
    const group = event.target.closest("[data-id]");
    if (!group) return;
    const id = Number(group.dataset.id);
    focus(id);
    if (event.target.closest(".handle")) fold(id);
    else select(id);
  }

  const watch = new ResizeObserver(() => {
    if (root && !view.isMoved()) isFitted = view.fit();
  });
  watch.observe(host);
  svg.addEventListener("keydown", onKey);
  svg.addEventListener("click", onClick);
  function destroy() {
    cancelAnimationFrame(frame);
    watch.disconnect();
    svg.remove();
  }
  const node = (id) => nodes.get(id);
  return { update, node, select, deselect, focus, fold, reveal, fit: view.fit, zoom: view.zoom, destroy };
}

function between(from, to, part) {
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
