// Draws one node of a tree: its shape, texts and sign. Positions are the business of tree.js.

import { asText, svgElement, textWidth, wrapped } from "./svg.js";

const NAME_WIDTH = 24; // characters of a line
const BELOW_WIDTH = 20;
const BELOW_SIZE = 12; // as in tree.css
const LINE_HEIGHT = 16;
const PADDING = 12;
const SIGN_SPACE = 22;
const LONGEST_TITLE = 2000;

// A new drawing {group, edge, number, width, height, key}; `key` changes when its size may change.
export function nodeDrawing(node, looks) {
  const look = looks.kinds[node.kind] ?? looks.kinds.task;
  const name = wrapped([look.sign, node.name || "(no name)"].filter(Boolean).join(" "), NAME_WIDTH, 3);
  const below = wrapped(secondPart(node), BELOW_WIDTH, 4);
  const widths = [...name.map((line) => textWidth(line, 13, 500)), ...below.map((line) => textWidth(line, BELOW_SIZE, 400))];
  const left = PADDING + (node.status ? SIGN_SPACE : 0);
  const width = Math.ceil(Math.max(24, ...widths)) + left + PADDING;
  const height = (name.length + below.length) * LINE_HEIGHT + 14;
  const group = svgElement("g", { role: "treeitem", tabindex: "-1", "data-id": node.id, class: `node kind-${node.kind}` });
  const border = ["dashed", "dotted"].find((one) => look.style?.includes(one)) ?? "";
  const shape = svgElement("path", { class: "shape", d: outline(shapeOf(look), width, height), "data-border": border });
  group.append(svgElement("title"), shape, texts(name, below, left - width / 2, height));
  if (node.status) {
    const x = PADDING - 3 + SIGN_SPACE / 2 - width / 2;
    group.append(svgElement("circle", { class: "disc", cx: x, r: 9 }), svgElement("text", { class: "sign", x, y: 4 }));
  }
  const number = node.edge === "choice" ? svgElement("text", { class: "order" }) : null;
  const edge = svgElement("path", { class: "edge", "data-edge": node.edge ?? "" });
  return { group, edge, number, width, height, key: drawingKey(node) };
}

export function drawingKey(node) {
  return JSON.stringify([node.kind, node.name, secondPart(node), Boolean(node.status), node.edge ?? ""]);
}

// Show the status and message of a node; nothing moves by that.
export function paint({ group, edge }, node, looks) {
  const look = looks.kinds[node.kind] ?? looks.kinds.task;
  const state = looks.statuses[node.status];
  const { fill, line } = state ?? look;
  group.style.setProperty("--fill", fill);
  group.style.setProperty("--line", line);
  for (const element of [group, edge]) element.dataset.status = node.status ?? "";
  const sign = group.querySelector(":scope > .sign");
  if (sign) sign.textContent = asText(state?.sign);
  const title = [node.tooltip || node.name, node.message].filter(Boolean).join("\n");
  group.querySelector(":scope > title").textContent = title.slice(0, LONGEST_TITLE);
  const words = [node.name || "no name", node.kind, state?.meaning, node.message].filter(Boolean);
  group.setAttribute("aria-label", words.join(", ").slice(0, LONGEST_TITLE));
}

// The handle at the right side of a node that has children.
export function foldingHandle(sign, x, isFolded) {
  const width = isFolded ? 12 + 7 * sign.length : 16;
  const text = svgElement("text", { y: 4 });
  text.textContent = sign;
  const tag = svgElement("rect", { x: -width / 2, y: -8, width, height: 16, rx: 8 });
  const place = { transform: `translate(${x + (isFolded ? width / 2 - 4 : 2)},0)`, "aria-hidden": "true" };
  return svgElement("g", { class: isFolded ? "handle folded" : "handle", ...place }, tag, text);
}

// The small text below the name: of a failed step why it failed.
function secondPart(node) {
  return (node.status === "FAILURE" && node.children.length === 0 && node.message) || node.below || "";
}

function texts(name, below, x, height) {
  const text = svgElement("text");
  [...name, ...below].forEach((line, index) => {
    const isName = index < name.length;
    const y = index * LINE_HEIGHT + (isName ? 19 : 18) - height / 2;
    const part = svgElement("tspan", { x, y, class: isName ? "name" : "below" });
    part.textContent = line;
    text.append(part);
  });
  return text;
}

function shapeOf(look) {
  return look.shape === "box" && look.style?.includes("rounded") ? "rounded" : look.shape;
}

// The outline of a shape of Graphviz around the middle, as the data of a path.
function outline(shape, width, height) {
  const [x, y] = [width / 2, height / 2];
  const through = (...points) => `M${points.map((point) => point.join()).join("L")}Z`;
  const round = (r) =>
    `M${r - x},${-y}H${x - r}a${r},${r} 0 0 1 ${r},${r}V${y - r}a${r},${r} 0 0 1 ${-r},${r}` +
    `H${r - x}a${r},${r} 0 0 1 ${-r},${-r}V${r - y}a${r},${r} 0 0 1 ${r},${-r}Z`;
  switch (shape) {
    case "ellipse":
      return round(Math.min(y, 15));
    case "rounded":
      return round(7);
    case "parallelogram":
      return through([7 - x, -y], [x + 3, -y], [x - 7, y], [-x - 3, y]);
    case "diamond":
      return through([-x - 6, 0], [8 - x, -y], [x - 8, -y], [x + 6, 0], [x - 8, y], [8 - x, y]);
    case "hexagon":
      return through([-x - 3, 0], [5 - x, -y], [x - 5, -y], [x + 3, 0], [x - 5, y], [5 - x, y]);
    case "octagon":
      return through([-x, 7 - y], [7 - x, -y], [x - 7, -y], [x, 7 - y], [x, y - 7], [x - 7, y], [7 - x, y], [-x, y - 7]);
    case "note":
      return `${through([-x, -y], [x - 8, -y], [x, 8 - y], [x, y], [-x, y])}M${x - 8},${-y}V${8 - y}H${x}`;
    case "plaintext":
      return "";
    default:
      return through([-x, -y], [x, -y], [x, y], [-x, y]);
  }
}
