// Small pieces that every other module uses: making elements, showing text that others wrote, and telling the time.
// Text from a tool or a model only ever reaches the page as text (never as HTML), and never more of it than a page can bear.

const SVG = "http://www.w3.org/2000/svg";

export function byId(id) {
  return document.getElementById(id);
}

export function el(tag, className = "", ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

export function svg(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

export function icon(name) {
  const node = svg("svg", { class: `icon icon-${name}`, "aria-hidden": "true" });
  node.append(svg("use", { href: `#icon-${name}` }));
  return node;
}

export function button(text, className, onClick) {
  const node = el("button", className, text);
  node.type = "button";
  node.addEventListener("click", onClick);
  return node;
}

// At most `limit` characters of text, and a note about the rest.
export function showText(node, text, limit = 8000) {
  const rest = text.length - limit;
  node.replaceChildren(text.slice(0, limit));
  if (rest > 0) node.append(el("span", "clipped", ` … ${rest.toLocaleString("en")} more characters are not shown`));
  makeScrollable(node, text);
}

// A very long text scrolls in a box of its own, which then must be reachable by keyboard.
function makeScrollable(node, text) {
  const long = text.length > 3000 || text.split("\n", 41).length > 40;
  node.classList.toggle("long", long);
  if (long) node.tabIndex = 0;
}

// JSON has no spaces to break a line at: better after a comma than in the middle of a number.
export function breakable(text) {
  return text.split(/(?<=,)/).flatMap((part) => [part, el("wbr")]);
}

export function oneLine(text, limit = 300) {
  const line = text.slice(0, limit).replace(/\s+/g, " ");
  return text.length > limit ? `${line}…` : line;
}

// Left-to-right or right-to-left is decided by the text itself.
export function autoDirection(node) {
  node.dir = "auto";
  return node;
}

export function plural(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

export function duration(seconds) {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

// An estimate says that it is one, and is not more exact than it can be.
export function roughly(seconds) {
  if (seconds < 1) return "about 1 s";
  if (seconds < 90) return `about ${Math.round(seconds)} s`;
  return `about ${Math.round(seconds / 60)} min`;
}

// The board's clock may differ from ours. The event that came fastest tells by how much, until one of the clocks is set.
const CLOCK_SET_S = 60;
let clockDifference = Infinity;

export function noteServerTime(at) {
  if (typeof at !== "number") return;
  const difference = Date.now() / 1000 - at;
  if (difference < clockDifference || difference > clockDifference + CLOCK_SET_S) clockDifference = difference;
}

export function serverNow() {
  const now = Date.now() / 1000;
  return clockDifference === Infinity ? now : now - clockDifference;
}
