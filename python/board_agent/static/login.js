// Asks for the token where the board wants one. What stays is a cookie that no script can read: the token itself is kept nowhere.

import { byId } from "./dom.js";
import { post } from "./events.js";

// Opens whenever the server refuses something for want of a token; calls onDone() when the right one was given.
export function askForTokens(onDone) {
  const dialog = byId("login");
  const token = byId("token");
  const message = byId("login-message");

  window.addEventListener("token-wanted", ({ detail }) => {
    if (dialog.open) return;
    message.textContent = detail;
    dialog.showModal();
  });

  byId("login-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await post("/login", { token: token.value });
      token.value = "";
      dialog.close();
      onDone();
    } catch (error) {
      message.textContent = error.message;
      token.select();
    }
  });
}
