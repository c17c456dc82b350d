// Ties the page together: events to what shows them, buttons and keys to what they do.

import { Board } from "./board.js";
import { DoctorPanel } from "./doctor.js";
import { byId, noteServerTime } from "./dom.js";
import { clientId, listen, post } from "./events.js";
import { FilesPanel } from "./files.js";
import { askForTokens } from "./login.js";
import { Banner, showLine, showModel, StatusPanel } from "./panels.js";
import { Transcript } from "./transcript.js";

const TICK_MS = 100;
const ANNOUNCE_MS = 400;
const NOBODY = { running: null, waiting: [] };

const client = clientId();
const ownRuns = new Set(JSON.parse(sessionStorage.getItem("runs") ?? "[]"));
const isOwn = (run) => ownRuns.has(run);
let queue = NOBODY;
let running = null;

const banner = new Banner();
const board = new Board(announce);
const transcript = new Transcript({
  announce,
  isOwn,
  approve: (run, call, approve) => post("/approve", { run, call, approve }),
});
const status = new StatusPanel();
const question = byId("question");
const askButton = byId("ask-button");
const stopButton = byId("stop");
const newButton = byId("new-button");
const files = new FilesPanel();
new DoctorPanel(announce);

// --- events in

function onEvent(event) {
  noteServerTime(event.at);
  if (event.type === "hello") onHello(event);
  else if (event.type === "queue") onQueue(event);
  else if (event.type === "board") board.show(event);
  else if (event.type === "model") onModel(event);
  else if (event.type === "memory") banner.set("memory", event.ok ? null : event.error);
  else onRunEvent(event);
}

function onHello({ resumed }) {
  if (resumed) return;
  transcript.clear();
  onQueue(NOBODY);
  showEmpty();
}

function onQueue(event) {
  queue = event;
  setRunning(event.running);
  drawLine();
}

function drawLine() {
  showLine(queue, isOwn, (run) => send("/stop", { run }));
  transcript.follow();
}

function onModel(event) {
  showModel(event);
  banner.set("model", event.ok ? null : event.error);
}

function onRunEvent(event) {
  transcript.handle(event);
  if (event.type === "run_started") setRunning(event.run);
  if (event.type === "file_changed") files.refresh();
  if (event.type === "run_ended" && event.run === running) setRunning(null);
  showEmpty();
}

function onLink(connected) {
  banner.set("link", connected ? null : "The connection to the board is lost; trying again, nothing is missed");
  board.setConnected(connected);
}

function setRunning(run) {
  running = run;
  stopButton.disabled = run === null;
}

function showEmpty() {
  byId("empty").hidden = !transcript.isEmpty;
  byId("more").hidden = transcript.isEmpty;
}

// --- what people do

async function ask(text) {
  if (askButton.disabled) return;
  showError("");
  askButton.disabled = true;
  try {
    const { run, conversation } = await submit(text, localStorage.getItem("conversation") ?? "new");
    remember(run);
    keepConversation(conversation);
    if (question.value.trim() === text) question.value = "";
    // Out of the field, so that y, n and / are keys again, and a phone's keyboard makes room.
    byId("main").focus({ preventScroll: true });
    transcript.showNewest();
  } catch (error) {
    if (question.value === "") question.value = text;
    showError(`${error.message} Your question is kept.`);
  } finally {
    askButton.disabled = false;
  }
}

async function submit(text, conversation) {
  try {
    return await post("/ask", { question: text, detach: true, client, conversation });
  } catch (error) {
    // The board does not know it any more: it was deleted, or had to make room.
    if (error.status !== 404 || conversation === "new") throw error;
    return submit(text, "new");
  }
}

// One conversation for each browser, until somebody wants a new one.
function keepConversation(conversation) {
  if (conversation) localStorage.setItem("conversation", conversation);
  else localStorage.removeItem("conversation");
  showConversation();
}

function showConversation() {
  const going = localStorage.getItem("conversation") !== null;
  newButton.hidden = !going;
  question.placeholder = going ? "Ask a follow-up, or press New" : "Ask the board something";
}

function startNew() {
  keepConversation(null);
  announce("A new conversation: the next question stands alone");
  question.focus();
}

function askFromField() {
  const text = question.value.trim();
  if (text !== "") {
    ask(text);
    return;
  }
  showError("Write a question first.");
  question.focus();
}

function remember(run) {
  ownRuns.add(run);
  sessionStorage.setItem("runs", JSON.stringify([...ownRuns].slice(-50)));
  transcript.markOwn(run);
  drawLine();
}

function stop() {
  if (running !== null) send("/stop", { run: running });
}

async function send(path, body) {
  try {
    await post(path, body);
    showError("");
  } catch (error) {
    showError(error.message);
  }
}

function showError(message) {
  byId("ask-error").textContent = message;
}

// --- keys

function onKey(event) {
  if (event.target.closest("dialog")) return;
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    stop();
    return;
  }
  if (event.target === question) {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      askFromField();
    }
    return;
  }
  if (event.key === "/") {
    event.preventDefault();
    question.focus();
  }
  const card = transcript.openQuestion;
  if (!card || event.repeat) return;
  if (event.key.toLowerCase() === "y") card.answer(true);
  if (event.key.toLowerCase() === "n") card.answer(false);
}

// --- projector

function isProjector() {
  return document.documentElement.classList.contains("projector");
}

function setProjector(on) {
  document.documentElement.classList.toggle("projector", on);
  byId("projector-button").setAttribute("aria-pressed", String(on));
  const url = new URL(location.href);
  if (on) url.searchParams.set("projector", "");
  else url.searchParams.delete("projector");
  history.replaceState(null, "", url.href.replace("projector=", "projector"));
  transcript.follow();
  status.refresh();
}

// --- for those who listen

let unsaid = [];

// Says the last few things that happened, not every one of a burst (a page that opens hears of twenty runs at once).
function announce(text) {
  if (unsaid.length === 0) {
    setTimeout(() => {
      byId("announcer").textContent = unsaid.join(". ");
      unsaid = [];
    }, ANNOUNCE_MS);
  }
  unsaid = [...unsaid, text].slice(-3);
}

// --- start

byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  askFromField();
});
for (const example of document.querySelectorAll(".example")) {
  example.addEventListener("click", () => ask(example.textContent));
}
// A click anywhere, also on an example, puts the examples away.
document.addEventListener("click", ({ target }) => {
  if (!target.closest("#more summary")) byId("more").open = false;
});
stopButton.addEventListener("click", stop);
newButton.addEventListener("click", startNew);
// Another tab of this browser has the same conversation.
window.addEventListener("storage", showConversation);
document.addEventListener("keydown", onKey);
byId("projector-button").addEventListener("click", () => setProjector(!isProjector()));

showConversation();
setProjector(new URLSearchParams(location.search).has("projector"));
status.setOpen(window.matchMedia("(min-width: 60rem)").matches);
setInterval(() => transcript.tick(), TICK_MS);
askForTokens(listen(client, onEvent, onLink));
