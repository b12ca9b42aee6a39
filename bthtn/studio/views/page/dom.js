// Small helpers for the page. Texts of a run become text nodes, never HTML.

export const byId = (id) => document.getElementById(id);

// element("p", {class: "quiet"}, "text", child): children that are texts become text nodes.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((one) => one !== null && one !== undefined));
  return made;
}

// A value of a belief as it is written: texts in quotes where they are empty or look like others.
export function valueText(value) {
  if (value === "") return "''";
  return shortText(typeof value === "string" ? value : JSON.stringify(value));
}

export function shortText(text, most = 300) {
  const whole = String(text);
  return whole.length > most ? `${whole.slice(0, most)}…` : whole;
}
