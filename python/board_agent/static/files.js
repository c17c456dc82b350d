// The workspace: which files there are, and the text of one. Nothing is asked for while the panel is folded.

import { autoDirection, byId, el, oneLine, plural, showText } from "./dom.js";
import { get } from "./events.js";

const TEXT_LIMIT = 20000;

export class FilesPanel {
  constructor() {
    this.node = byId("files");
    this.list = byId("file-list");
    this.node.addEventListener("toggle", (event) => event.target === this.node && this.refresh());
  }

  async refresh() {
    if (!this.node.open) return;
    try {
      const { count, files } = await get("/workspace");
      const open = new Set([...this.list.querySelectorAll("details[open]")].map((file) => file.dataset.path));
      this.list.replaceChildren(...files.map((file) => fileView(file, open.has(file.path))));
      if (count > files.length) this.list.append(el("li", "", `and ${plural(count - files.length, "more file")}`));
      if (count === 0) this.list.append(el("li", "", "The workspace is empty."));
    } catch (error) {
      this.list.replaceChildren(el("li", "file-error", error.message));
    }
  }
}

function fileView({ path, size_bytes: size, modified }, open) {
  const text = autoDirection(el("pre", "file-text"));
  const node = el("details", "file", el("summary", "", el("code", "", oneLine(path, 200)), el("span", "size", sizeWords(size))), text);
  node.dataset.path = path;
  node.title = `changed ${modified}`;
  node.addEventListener("toggle", () => node.open && showFile(path, text));
  node.open = open;
  return el("li", "", node);
}

async function showFile(path, node) {
  try {
    const file = await get(`/workspace/file?path=${encodeURIComponent(path)}`);
    showText(node, file.text + (file.truncated ? "\n…" : ""), TEXT_LIMIT);
  } catch (error) {
    showText(node, error.message);
  }
}

function sizeWords(bytes) {
  return bytes < 1000 ? plural(bytes, "byte") : `${(bytes / 1000).toFixed(1)} kB`;
}

// What a tool did to a file: its name and how many lines, folded; opened, the lines themselves.
export function changeView({ path, created, added, removed, diff, backup }) {
  const lines = diff.split("\n").slice(2).map((line) => el("span", kindOf(line), `${line}\n`));
  const summary = el("summary", "",
    created ? "Created " : "Changed ", el("code", "", oneLine(path, 200)), ` +${added} −${removed}`,
    el("span", "unseen", " lines"));
  const node = el("details", "change", summary, el("pre", "diff", ...lines));
  if (backup) node.append(el("p", "card-note", `The text before is in ${oneLine(backup, 200)}.`));
  return node;
}

function kindOf(line) {
  return { "+": "added", "-": "removed", "@": "where" }[line[0]] ?? "";
}
