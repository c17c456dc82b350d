// The board's twin: the LED and the 8x13 matrix as the microcontroller reports them, never as we think they should be.

import { byId, plural, svg } from "./dom.js";

const ROWS = 8;
const COLUMNS = 13;

export class Board {
  constructor(announce) {
    this.announce = announce;
    this.figure = byId("board");
    this.matrix = byId("matrix");
    this.words = null;
    this.event = null;
    this.connected = false;
    this.dots = drawDots(this.matrix);
  }

  // `event`: {ok: true, led, matrix: 104 brightnesses 0..7, pattern} or {ok: false, error}
  show(event) {
    this.event = event;
    this.draw();
  }

  // What is drawn is old as soon as nobody tells us about changes.
  setConnected(connected) {
    this.connected = connected;
    if (this.event) this.draw();
  }

  draw() {
    const error = this.connected ? this.event.error : "not connected";
    this.figure.dataset.state = error ? "silent" : "ok";
    byId("board-error").hidden = !error;
    byId("board-error").textContent = error ?? "";
    if (error) this.say("LED: not known", "matrix: not known", error);
    else this.drawState(this.event);
  }

  drawState({ led, matrix, pattern }) {
    this.dots.forEach((dot, i) => { dot.dataset.level = matrix[i]; });
    byId("lamp").dataset.lit = led;
    this.say(`LED: ${led ? "on" : "off"}`, `matrix: ${pattern ?? describe(matrix)}`);
  }

  say(lampWords, matrixWords, error = "") {
    byId("lamp-text").textContent = lampWords;
    byId("matrix-text").textContent = matrixWords;
    this.matrix.setAttribute("aria-label", matrixWords);

    const words = error || `${lampWords}, ${matrixWords}`;
    if (this.words !== null && this.words !== words) this.announce(words);
    this.words = words;
  }
}

function drawDots(matrix) {
  const dots = [];
  for (let row = 0; row < ROWS; row++) {
    for (let column = 0; column < COLUMNS; column++) {
      dots.push(svg("circle", { class: "pixel", cx: 8 + column * 10, cy: 8 + row * 10, r: 3.6, "data-level": 0 }));
    }
  }
  matrix.append(...dots);
  return dots;
}

// A picture without a name, in words.
function describe(matrix) {
  const rows = [];
  for (let row = 0; row < ROWS; row++) {
    if (matrix.slice(row * COLUMNS, (row + 1) * COLUMNS).some((level) => level > 0)) rows.push(row);
  }
  if (rows.length === 0) return "off";
  const lit = matrix.filter((level) => level > 0).length;
  const where = rows.length === 1 ? `in row ${rows[0]}` : `in rows ${rows[0]} to ${rows.at(-1)}`;
  return `${plural(lit, "dot")} lit ${where}`;
}
