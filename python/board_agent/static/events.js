// The line to the server: one stream of events in, a few POST requests out. Knows nothing of what is drawn.

const TYPES = [
  "hello", "queue", "board", "model", "memory",
  "run_queued", "run_started", "waiting", "turn_started", "prompt_progress", "text", "turn_ended",
  "tool_started", "approval_needed", "approval_answered", "file_changed", "tool_ended", "run_ended",
];
const RETRY_MS = 2000;

// Calls onEvent(event) for every event, onLink(true or false) when the stream opens or breaks.
// After a break the browser connects again and sends Last-Event-ID, so that the server goes on where it was.
// When it gives up instead (an HTTP error), a new stream starts from the beginning; its `hello` says so.
// Returns a function that connects anew at once.
export function listen(client, onEvent, onLink) {
  let source;
  let retry;

  function open() {
    clearTimeout(retry);
    source?.close();
    source = new EventSource(`/events?client=${encodeURIComponent(client)}`);
    source.onopen = () => onLink(true);
    source.onerror = () => {
      onLink(false);
      if (source.readyState !== EventSource.CLOSED) return;
      retry = setTimeout(open, RETRY_MS);
      findOutWhy();
    };
    for (const type of TYPES) source.addEventListener(type, (message) => onEvent(JSON.parse(message.data)));
  }

  // A stream can die without a sound while the network is away.
  window.addEventListener("online", open);
  open();
  return open;
}

// An EventSource does not tell why it was refused.
async function findOutWhy() {
  const response = await fetch("/status").catch(() => null);
  if (response?.status === 401) wantToken((await response.json()).error);
}

function wantToken(message) {
  window.dispatchEvent(new CustomEvent("token-wanted", { detail: message }));
}

// Names this page for as long as its tab lives, so that the server knows when an asker has gone.
// (crypto.randomUUID is missing on plain http.)
export function clientId() {
  let id = sessionStorage.getItem("client");
  if (!id) {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    id = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    sessionStorage.setItem("client", id);
  }
  return id;
}

// POSTs JSON. Returns the answer's JSON; throws an Error whose message is for people, with the HTTP `status` if any.
export function post(path, body) {
  return request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

// GETs JSON; otherwise as `post`.
export function get(path) {
  return request(path, {});
}

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The board does not answer. Check that it is on and runs Board Agent, and that you are on its network.");
  }
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401) wantToken(answer.error);
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.error ?? `The board refused with status ${response.status}.`), { status: response.status });
}
