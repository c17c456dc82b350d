// The runs on the page, oldest first, and the view that follows the newest unless the reader scrolled up.

import { byId, oneLine } from "./dom.js";
import { RunView } from "./run.js";

// As many finished runs as the server keeps: a page that reloads shows the same.
const KEPT = 20;
const NEAR_PX = 80;

export class Transcript {
  // hooks: announce(text), approve(run, call, yes), isOwn(run)
  constructor(hooks) {
    this.hooks = hooks;
    this.node = byId("transcript");
    this.questions = new Map();
    this.views = new Map();
    this.follower = new Follower();
  }

  clear() {
    this.questions.clear();
    this.views.clear();
    this.node.replaceChildren();
  }

  get isEmpty() {
    return this.views.size === 0;
  }

  get openQuestion() {
    for (const view of this.views.values()) if (view.openQuestion) return view.openQuestion;
    return undefined;
  }

  // A question that waits stands in the line, not here: thirty of them would push the running one out of sight.
  handle(event) {
    if (event.question !== undefined) this.questions.set(event.run, event.question);
    if (event.type === "run_queued") return;
    this.view(event.run).handle(event);
    if (event.type === "run_started") this.hooks.announce(`Working on: ${oneLine(event.question)}`);
    if (event.type === "run_ended") this.forgetOldest();
    this.follow();
  }

  // An empty page is read from its top.
  follow() {
    if (!this.isEmpty) this.follower.follow();
  }

  showNewest() {
    if (!this.isEmpty) this.follower.jump();
  }

  // The answer to POST /ask may come after the run's first events.
  markOwn(run) {
    this.views.get(run)?.setOwn(true);
  }

  tick() {
    for (const view of this.views.values()) if (!view.ended) view.tick();
  }

  view(run) {
    let view = this.views.get(run);
    if (!view) {
      view = new RunView(run, this.questions.get(run) ?? "", this.hooks.isOwn(run), this.hooks);
      this.views.set(run, view);
      this.node.append(view.node);
    }
    return view;
  }

  forgetOldest() {
    const ended = [...this.views.values()].filter((view) => view.ended);
    for (const view of ended.slice(0, -KEPT)) {
      view.node.remove();
      this.views.delete(view.run);
      this.questions.delete(view.run);
    }
  }
}

class Follower {
  constructor() {
    this.following = true;
    this.scheduled = false;
    this.lastY = 0;
    this.lastHeight = 0;
    this.button = byId("newest");
    this.button.addEventListener("click", () => this.jump());
    window.addEventListener("scroll", () => this.scrolled(), { passive: true });
    window.addEventListener("resize", () => this.follow());
    // Someone who opens a result wants to read it, not to be carried away by the next event.
    document.addEventListener("toggle", () => this.look(), { capture: true });
  }

  follow() {
    if (!this.following || this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => this.scrollDown());
  }

  scrollDown() {
    this.scheduled = false;
    if (!this.following) return;
    window.scrollTo(0, document.documentElement.scrollHeight);
    this.lastY = window.scrollY;
    this.lastHeight = document.documentElement.scrollHeight;
  }

  jump() {
    this.following = true;
    this.button.hidden = true;
    this.follow();
  }

  // Only a move upwards is the reader's wish to stay: new content below is none, nor is a page that became shorter.
  scrolled() {
    const height = document.documentElement.scrollHeight;
    const movedUp = window.scrollY < this.lastY && height >= this.lastHeight;
    if (movedUp || isAtBottom()) this.look();
    this.lastY = window.scrollY;
    this.lastHeight = height;
  }

  look() {
    this.following = isAtBottom();
    this.button.hidden = this.following;
  }
}

function isAtBottom() {
  return window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - NEAR_PX;
}
