// One run as the page shows it: the question, its steps in the order of time, the answer, and what it cost.

import { callText, ToolCard } from "./card.js";
import { changeView } from "./files.js";
import { autoDirection, breakable, duration, el, icon, oneLine, plural, roughly, serverNow, showText } from "./dom.js";

const WORDS_LIMIT = 8000;
const EXACT_SHOWN = 3;
const ENDINGS = {
  turn_limit: ["stopped", "Ended at the limit of turns."],
  time_limit: ["stopped", "The time for this question was up."],
  stopped: ["stopped", "Stopped."],
  error: ["failed", "Not answered."],
};
let headings = 0;

export class RunView {
  constructor(run, question, isOwn, hooks) {
    this.run = run;
    this.hooks = hooks;
    this.cards = new Map();
    this.results = [];
    this.ended = false;

    const heading = autoDirection(el("h2", "asked"));
    heading.id = `run-${++headings}`;
    showText(heading, question, 2000);
    heading.classList.toggle("short", question.length < 250);
    this.who = el("p", "who");
    this.setOwn(isOwn);
    this.steps = el("ol", "steps");
    this.activity = new Activity();
    this.node = el("article", "run", this.who, heading, this.steps, this.activity.node);
    this.node.setAttribute("aria-labelledby", heading.id);
  }

  setOwn(isOwn) {
    this.who.textContent = isOwn ? "You asked" : "Asked";
  }

  handle(event) {
    this[event.type]?.(event);
  }

  tick() {
    this.activity.tick();
    for (const card of this.cards.values()) card.tick();
  }

  // The card that waits for a person's yes, if there is one.
  get openQuestion() {
    return [...this.cards.values()].find((card) => card.state === "waiting");
  }

  run_started(event) {
    this.activity.wait("Starting", event.at);
  }

  waiting(event) {
    this.activity.wait(oneLine(event.reason), event.at);
  }

  // The same turn starts again when the connection to the model was lost: what was written before no longer counts.
  turn_started(event) {
    if (this.turn?.number !== event.turn) {
      this.turn = new Turn(event);
      this.steps.append(this.turn.node);
    }
    this.turn.setText("");
    this.activity.wait("Asking the model", event.at);
  }

  prompt_progress(event) {
    this.activity.read(event);
  }

  text(event) {
    this.activity.wait("Writing", event.at);
    this.turn?.addText(event.text);
  }

  turn_ended(event) {
    this.turn?.setText(event.text);
    this.turn?.setCost(event);
    this.activity.hide();
  }

  tool_started(event) {
    const card = new ToolCard(event, (yes) => this.hooks.approve(this.run, event.call, yes));
    this.cards.set(event.call, card);
    this.steps.append(card.node);
    this.activity.hide();
    card.tick();
  }

  approval_needed(event) {
    this.cards.get(event.call)?.needApproval(event);
    this.hooks.announce(`A yes is needed: ${oneLine(callText(event.tool, event.args))}. `
      + `Press y or n. Without an answer it is no after ${Math.round(event.timeout_s)} seconds.`);
  }

  approval_answered(event) {
    this.cards.get(event.call)?.approvalAnswered(event);
  }

  tool_ended(event) {
    if (!this.cards.has(event.call)) this.tool_started({ ...event, risk: "read" });
    const card = this.cards.get(event.call);
    card.end(event);
    this.results.push({ ...event, risk: card.risk });
    this.activity.wait("Asking the model", event.at);
    this.hooks.announce(`${event.tool}: ${event.state}`);
  }

  file_changed(event) {
    this.steps.append(el("li", "", changeView(event)));
    this.hooks.announce(`${event.created ? "Created" : "Changed"} ${oneLine(event.path, 200)}`);
  }

  run_ended(event) {
    this.ended = true;
    this.activity.hide();
    for (const card of this.cards.values()) card.stop();
    if (this.turn?.text.trim() === event.answer.trim()) this.turn.setText("");
    this.node.append(answerView(event, this.results), el("p", "cost", runCost(event)));
    const [, ending] = ENDINGS[event.stopped] ?? ["", "Answer:"];
    this.hooks.announce(`${ending} ${oneLine(event.answer, 500)}`);
  }
}

// What the model writes in one turn, and what the turn cost.
class Turn {
  constructor({ turn, final }) {
    this.number = turn;
    this.words = autoDirection(el("p", "words"));
    this.cost = el("span", "turn-cost");
    const name = final ? `Turn ${turn}, for the answer only` : `Turn ${turn}`;
    this.node = el("li", "turn", el("p", "turn-head", el("span", "turn-name", name), this.cost), this.words);
  }

  setText(text) {
    this.text = text;
    showText(this.words, text);
  }

  // Pieces are appended up to a bound; the whole text comes with the end of the turn.
  addText(piece) {
    const room = WORDS_LIMIT - this.text.length;
    if (room > 0) this.words.append(piece.slice(0, room));
    this.text += piece;
  }

  setCost(event) {
    this.cost.textContent = costWords(event, event.llm_ms);
  }
}

// What goes on while no card says it: nothing is ever just blank.
class Activity {
  constructor() {
    this.words = el("span", "doing");
    this.time = el("span", "time");
    this.bar = el("progress");
    this.bar.setAttribute("aria-label", "How much of the prompt is read");
    this.node = el("div", "activity", el("p", "", icon("running"), this.words, this.time), this.bar);
  }

  hide() {
    this.node.hidden = true;
    this.words.textContent = "";
  }

  wait(words, since) {
    this.endsAt = null;
    if (this.words.textContent !== words) this.since = since;
    this.words.textContent = words;
    this.bar.hidden = true;
    this.node.hidden = false;
    this.tick();
  }

  // Only what is not reused takes time: the estimate goes by the tokens really read and the time they took.
  read({ total, cached, processed, ms, at }) {
    if (processed >= total) {
      this.wait("Writing", at);
      return;
    }
    const read = Math.max(0, processed - cached);
    const reused = cached > 0 ? `, ${cached} reused` : "";
    this.wait(`Reading ${read} of ${plural(total - cached, "token")}${reused}`, at);
    this.bar.hidden = false;
    this.bar.max = total - cached;
    this.bar.value = read;
    this.endsAt = read > 0 && ms > 0 ? at + ((total - processed) * ms) / read / 1000 : null;
    this.tick();
  }

  tick() {
    if (this.node.hidden) return;
    const left = this.endsAt === null ? 0 : this.endsAt - serverNow();
    if (left > 0) this.time.textContent = `${roughly(left)} left`;
    else if (this.endsAt !== null) this.time.textContent = "longer than estimated";
    else this.time.textContent = duration(serverNow() - this.since);
  }
}

function answerView(event, results) {
  const [sign, ending] = ENDINGS[event.stopped] ?? ["done", ""];
  const answer = el("section", "answer");
  answer.setAttribute("aria-label", "Answer");
  answer.dataset.stopped = event.stopped;
  if (ending) answer.append(el("p", "ending", icon(sign), ending));
  if (event.error && event.error !== event.answer) answer.append(el("p", "run-error", oneLine(event.error, 1000)));

  const sentence = autoDirection(el("p", "sentence"));
  showText(sentence, event.answer);
  markNumbers(sentence, event.doubtful ?? []);
  answer.append(sentence);
  if (event.doubtful?.length) {
    const numbers = oneLine(event.doubtful.join(", "), 200);
    const note = `Marked: not a number of the results or of the question (${numbers}). The exact results count.`;
    answer.append(el("p", "doubt", icon("waiting"), note));
  }
  const exact = results.filter(({ state, risk }) => state === "done" && risk === "read").slice(-EXACT_SHOWN);
  if (exact.length) answer.append(exactView(exact));
  return answer;
}

// What the tools really said stands next to what the model says they said.
function exactView(results) {
  const list = el("dl", "exact-list");
  for (const { tool, result } of results) {
    list.append(el("dt", "", oneLine(tool, 100)), autoDirection(el("dd", "", ...breakable(oneLine(result, 400)))));
  }
  return el("div", "exact", el("p", "exact-title", "Exact results"), list);
}

// Wraps each doubtful number of the sentence in a <mark>; 3 is not found inside 1.35 or 30.
function markNumbers(node, numbers) {
  if (numbers.length === 0) return;
  const escaped = numbers.map((number) => number.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<!\\d|\\d[.,])(${escaped.join("|")})(?!\\d|[.,]\\d)`);
  const first = node.firstChild;
  const pieces = first.data.split(pattern);
  first.replaceWith(...pieces.map((piece, i) => (i % 2 ? el("mark", "", piece) : piece)));
}

function costWords(event, ms) {
  const tokens = event.tokens_read + event.tokens_reused + event.tokens_written > 0
    ? [`${event.tokens_read} read`, `${event.tokens_reused} reused`, `${event.tokens_written} written`]
    : [];
  return [...tokens, duration(ms / 1000)].join(" · ");
}

function runCost(event) {
  const { runs_kept: kept = 0, runs_dropped: dropped = 0 } = event.history ?? {};
  const past = kept + dropped > 0 ? ` · ${plural(kept, "earlier question")} in mind${dropped ? `, ${dropped} left out` : ""}` : "";
  return `${plural(event.turns ?? 0, "turn")} · ${costWords(event, event.total_ms)}${past}`;
}
