// One tool call as a card: what is called with what, how it stands, what came back, and the question to a person if there is one.

import { autoDirection, breakable, button, duration, el, icon, oneLine, serverNow, showText } from "./dom.js";

const WORDS = {
  running: "running",
  done: "done",
  failed: "failed",
  waiting: "needs a yes",
  denied: "denied",
  repeated: "answered before",
  stopped: "stopped",
};

export class ToolCard {
  // `started`: a tool_started event. `onAnswer(yes)` is called when a person answers; it throws when the answer comes too late.
  constructor(started, onAnswer) {
    this.onAnswer = onAnswer;
    this.startedAt = started.at;
    this.risk = started.risk;
    this.exact = callText(started.tool, started.args);
    this.node = el("li", "card");
    this.node.dataset.risk = started.risk;
    this.iconSlot = el("span", "card-icon");
    this.word = el("span", "card-word");
    this.clock = el("span", "card-clock");
    this.name = autoDirection(el("code", "card-call"));
    this.name.append(el("b", "", started.tool.slice(0, 100)), `(${oneLine(argumentsText(started.args), 1500)})`);
    this.node.append(el("div", "card-head", this.iconSlot, this.name, el("span", "card-state", this.word, this.clock)));
    this.setState("running");
  }

  setState(state) {
    this.state = state;
    this.node.dataset.state = state;
    this.iconSlot.replaceChildren(icon(state in WORDS ? state : "done"));
    this.word.textContent = WORDS[state] ?? state;
  }

  get isOpen() {
    return this.state === "running" || this.state === "waiting";
  }

  // Called several times a second while the call is open.
  tick() {
    if (!this.isOpen) return;
    this.clock.textContent = duration(serverNow() - this.startedAt);
    if (this.state !== "waiting") return;
    const left = Math.max(0, Math.ceil(this.deadline - serverNow()));
    this.countdown.textContent = `no in ${left} s`;
  }

  needApproval(event) {
    this.setState("waiting");
    this.deadline = event.at + event.timeout_s;
    this.countdown = el("span", "countdown");
    this.note = el("p", "ask-note");
    const question = el("p", "ask-question", "May this run? It can ", el("strong", "", RISKS[event.risk] ?? event.risk), ".");
    const yes = button("Yes, run it ", "yes", () => this.answer(true));
    const no = button("No ", "no", () => this.answer(false));
    yes.append(key("y"));
    no.append(key("n"));
    const buttons = el("div", "ask-buttons", yes, no, this.countdown);
    this.question = el("div", "question-to-you", question, ...this.exactArguments(), buttons, this.note);
    this.node.append(this.question);
    this.tick();
  }

  // Whoever says yes must see every argument as it is; the head of the card shows short ones completely.
  exactArguments() {
    if (this.name.textContent === this.exact) return [];
    const whole = el("pre", "ask-args");
    showText(whole, this.exact, 20000);
    return [whole];
  }

  async answer(yes) {
    try {
      await this.onAnswer(yes);
    } catch (error) {
      this.note.textContent = error.message;
    }
  }

  approvalAnswered(event) {
    this.question?.remove();
    this.question = null;
    this.setState(event.approved ? "running" : "denied");
    this.node.append(el("p", "card-note", oneLine(event.reason)));
  }

  end(event) {
    this.question?.remove();
    this.setState(event.state);
    this.clock.textContent = duration(event.tool_ms / 1000);
    for (const repair of event.repairs ?? []) this.node.append(el("p", "card-note", `Put right: ${oneLine(repair)}`));
    this.node.append(resultView(event.result));
  }

  // The run ended before the call did.
  stop() {
    if (!this.isOpen) return;
    this.question?.remove();
    this.setState("stopped");
  }
}

const RISKS = {
  read: "read facts or files",
  act: "change the LED or the matrix",
  change: "change files",
  disruptive: "run programs",
};

export function callText(tool, args) {
  return `${tool}(${argumentsText(args)})`;
}

// One argument needs no name: calculate("14.2 > 1").
function argumentsText(args) {
  const entries = Object.entries(args ?? {});
  if (entries.length === 1) return JSON.stringify(entries[0][1]);
  return entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ");
}

// Folded to one line; a click shows exactly what the model was given.
function resultView(result) {
  const whole = autoDirection(el("pre", "result-text"));
  showText(whole, result, 20000);
  whole.firstChild.replaceWith(...breakable(whole.firstChild.data));
  const folded = autoDirection(el("span", "folded", oneLine(errorText(result) ?? result)));
  const unfolded = el("span", "unfolded", "Exactly what the model was given");
  const summary = el("summary", "", el("span", "unseen", "Result: "), folded, unfolded);
  return el("details", "result", summary, whole);
}

function errorText(result) {
  try {
    const { error } = JSON.parse(result);
    return typeof error === "string" ? error : null;
  } catch {
    return null;
  }
}

function key(name) {
  return el("kbd", "", name);
}
