// Elements of SVG, and texts that fit into them. All text becomes text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";
const FONT = 'system-ui, "Segoe UI", Helvetica, Arial, sans-serif';

export function svgElement(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// At most `most` lines of at most `width` characters, cut at spaces where there are any.
export function wrapped(text, width, most) {
  const letters = Array.from(String(text).slice(0, 4 * width * most), (one) => (/\s/u.test(one) ? " " : one));
  const lines = [];
  let at = 0;
  while (at < letters.length && lines.length < most) {
    let end = Math.min(at + width, letters.length);
    const space = letters.lastIndexOf(" ", end);
    if (end < letters.length && space > at + width / 3) end = space;
    lines.push(letters.slice(at, end).join("").trim());
    at = end;
    while (letters[at] === " ") at += 1;
  }
  if (at < letters.length) lines.push(`${Array.from(lines.pop()).slice(0, width - 1).join("")}…`);
  return lines;
}

// A sign that is not to become a coloured emoji.
export function asText(sign) {
  return sign ? `${sign}\uFE0E` : "";
}

let pen = null;

export function textWidth(text, size, weight) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = `${weight} ${size}px ${FONT}`;
  return pen.measureText(text).width;
}
