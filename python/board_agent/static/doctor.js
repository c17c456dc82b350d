// The doctor: opened, it has the app look at every link from the network to the matrix, and shows what was seen.

import { byId, el, oneLine } from "./dom.js";
import { get } from "./events.js";

const WORDS = { ok: "ok", broken: "broken", unknown: "not known" };

export class DoctorPanel {
  constructor(announce) {
    this.announce = announce;
    this.node = byId("doctor");
    this.list = byId("doctor-links");
    this.node.addEventListener("toggle", () => this.node.open && this.look());
  }

  async look() {
    this.list.replaceChildren(el("li", "", "Looking; when the model has to be asked this takes some seconds."));
    try {
      const { links } = await get("/doctor");
      const first = links.find(({ state }) => state === "broken");
      this.list.replaceChildren(...links.map((link) => linkView(link, link === first)));
      this.announce(first ? `${first.name} is broken` : "Nothing is broken");
    } catch (error) {
      this.list.replaceChildren(el("li", "file-error", error.message));
    }
  }
}

// Of the first broken link also why it is, and what mends it: the later ones may be broken only because of it.
function linkView({ name, state, saw, why, do: remedy }, explained) {
  const head = el("p", "", el("strong", "", `${name}: ${WORDS[state] ?? state}`), ` ${oneLine(saw)}`);
  const node = el("li", "", head);
  node.dataset.state = state;
  if (explained && why) node.append(el("p", "", `Why: ${oneLine(why)}.`));
  if (explained && remedy) node.append(el("p", "", "To mend it: ", el("code", "", oneLine(remedy))));
  return node;
}
