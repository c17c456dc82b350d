// Everything around the transcript: the banner, the model in the header, the line of questions, the status panel.

import { autoDirection, button, byId, duration, el, oneLine, plural, roughly } from "./dom.js";

// The model that this project makes (training/), served with its adapter or merged.
const OWN_MODEL = "board-agent-135m";
const LINE_SHOWN = 4;
const STATUS_EVERY_MS = 5000;
const RISKS = ["read", "act", "change", "disruptive"];

// Says why nothing can be done right now, and what to do. The lost connection hides everything else: we know nothing then.
export class Banner {
  constructor() {
    this.node = byId("banner");
    this.messages = { link: null, model: null, memory: null };
  }

  // `message`: "what happened; what to do", or null when all is well
  set(source, message) {
    this.messages[source] = message;
    const [what, ...toDo] = (this.messages.link ?? this.messages.model ?? this.messages.memory ?? "").split("; ");
    this.node.replaceChildren();
    if (what) this.node.append(el("strong", "", withStop(what)));
    if (toDo.length) this.node.append(" ", withStop(toDo.join("; ").replace(/^./, (letter) => letter.toUpperCase())));
  }
}

function withStop(text) {
  return /[.!?…]\s*$/.test(text) ? text : `${text}.`;
}

export function showModel(event) {
  byId("model").dataset.state = event.ok ? "ok" : "away";
  byId("model-name").textContent = event.ok ? oneLine(event.model, 80) : "no model";
  const own = event.ok && String(event.model).startsWith(OWN_MODEL);
  byId("model-about").textContent = own ? "quick, only good at its tools" : "";
  const prefix = event.ok && event.prefix ? `prefix ${event.prefix.text || event.prefix.state}` : "";
  byId("model-prefix").textContent = oneLine(prefix, 80);
}

// The questions that wait: the next ones, and this page's own wherever they stand.
export function showLine({ waiting }, isOwn, leave) {
  const line = byId("line");
  const shown = waiting.filter((entry, i) => i < LINE_SHOWN || isOwn(entry.run));
  line.hidden = waiting.length === 0;
  const list = el("ol", "line-list", ...shown.map((entry) => lineEntry(entry, isOwn(entry.run), leave)));
  line.replaceChildren(el("h2", "line-title", `In line: ${plural(waiting.length, "question")}`), list);
  if (shown.length < waiting.length) line.append(el("p", "line-more", `and ${waiting.length - shown.length} more`));
}

function lineEntry({ run, question, position, ahead_s: ahead }, own, leave) {
  const place = position === 1 ? "next" : `place ${position}`;
  const when = typeof ahead === "number" ? `, ${roughly(ahead)}` : "";
  const item = el("li", own ? "own" : "",
    el("span", "place", place + when),
    autoDirection(el("span", "line-question", oneLine(question, 200))));
  if (own) item.append(button("Leave the line", "quiet", () => leave(run)));
  return item;
}

// Asks for the status every few seconds, but only while somebody can see it.
export class StatusPanel {
  constructor() {
    this.node = byId("status");
    this.button = byId("status-button");
    this.button.addEventListener("click", () => this.setOpen(this.node.hidden));
    document.addEventListener("visibilitychange", () => this.refresh());
    setInterval(() => this.refresh(), STATUS_EVERY_MS);
  }

  setOpen(open) {
    this.node.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    this.refresh();
  }

  async refresh() {
    const visible = !document.hidden && this.node.offsetParent !== null;
    if (!visible || this.asking) return;
    this.asking = true;
    try {
      const response = await fetch("/status");
      if (!response.ok) throw new Error();
      this.node.replaceChildren(...statusSections(await response.json()));
    } catch {
      this.node.replaceChildren(el("p", "status-error", "The status cannot be read. It is tried again every few seconds."));
    } finally {
      this.asking = false;
    }
  }
}

function statusSections(status) {
  const { counters } = status;
  return [
    section("Model", facts({
      model: status.model.ok ? status.model.model : status.model.error,
      server: status.model.ok ? status.model.server : null,
      profile: status.model.profile,
      address: status.server_url,
      context: status.context ? `${status.context.used} of ${plural(status.context.size, "token")} used` : null,
      prefix: status.model.prefix ? status.model.prefix.text || status.model.prefix.state : null,
    })),
    section("Tools", toolList(status.tools), el("p", "policy", `Policy: ${policyWords(status.policy)}`)),
    section("Since start", facts({
      questions: `${counters.runs}, ${counters.answered} answered`,
      "tool calls": `${counters.tool_calls}, ${counters.tool_failed} failed, ${counters.tool_denied} denied`,
      tokens: `${counters.tokens_read} read, ${counters.tokens_reused} reused, ${counters.tokens_written} written`,
      conversations: `${status.conversations.count} kept${status.conversations.ok ? "" : ", no more are"}`,
      memory: `${Math.round(status.memory_mb)} MB`,
      running: `for ${duration(status.uptime_s)}`,
      version: status.version,
    })),
  ];
}

function section(title, ...children) {
  return el("section", "status-section", el("h2", "", title), ...children);
}

function facts(pairs) {
  const list = el("dl", "facts");
  for (const [name, value] of Object.entries(pairs)) {
    if (value !== null && value !== undefined) list.append(el("dt", "", name), el("dd", "", oneLine(String(value), 300)));
  }
  return list;
}

function toolList(tools) {
  return el("ul", "tools", ...tools.map((tool) => {
    const item = el("li", "", el("code", "", tool.name), el("span", "risk", `${tool.risk}: ${tool.decision}`));
    item.title = tool.description ?? "";
    item.dataset.risk = tool.risk;
    if (!tool.available) {
      item.classList.add("unavailable");
      item.append(el("span", "reason", oneLine(tool.reason ?? "not available")));
    }
    return item;
  }));
}

function policyWords(policy) {
  return RISKS.map((risk) => `${risk} ${policy[risk]}`).join(", ");
}
