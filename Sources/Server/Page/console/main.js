// Entry point: restores the session of this tab, and shows the console.

import { api, UNAUTHORIZED } from "./api.js";
import { consoleView } from "./app.js";
import { forgetKey, keepKey, keptKey, openSession } from "./session.js";
import { signInView } from "./sign-in.js";
import { button, notice } from "../page/controls.js";
import { h } from "../page/dom.js";

const place = document.getElementById("app");
let shown = null;

function show(view) {
  shown?.close();
  shown = view;
  place.replaceChildren(view.element);
}

/** Shows the sections that need no key. */
function showPublic() {
  show(consoleView({ api: api(""), session: null, signIn: () => askForKey(), signOut: askForKey }));
}

/** @param {string} [problem] why the user has to sign in */
function askForKey(problem) {
  forgetKey();
  show(signInView({ problem, signIn, cancel: showPublic }));
}

/** @throws {import("./api.js").ApiError} */
async function signIn(key) {
  const session = await openSession(api(key));
  keepKey(key);
  // Several requests may be refused at the same time.
  const onUnauthorized = () => shown === view && askForKey("The key has expired or was removed.");
  const view = consoleView({ api: api(key, { onUnauthorized }), session, signIn: () => askForKey(), signOut: askForKey });
  show(view);
}

async function resume() {
  const key = keptKey();
  if (!key) return showPublic();
  try {
    await signIn(key);
  } catch (error) {
    if (error.code === UNAUTHORIZED) askForKey(error.message);
    else showFailure(error);
  }
}

/** Keeps the key, because the failure may be temporary. */
function showFailure(error) {
  const action = h("div", { class: "buttons" }, button("Try again", resume, { primary: true }),
    button("Sign out", () => askForKey(), { plain: true }));
  const title = "The console could not be opened";
  const problem = notice({ icon: "warning", title, text: error.message, action, role: "alert" });
  show({ element: h("main", { class: "sign-in", tabindex: -1 }, problem), close() {} });
}

document.body.prepend(h("a", { class: "skip-link", href: "#main", onclick: skip }, "Skip to the content"));
resume();

function skip(event) {
  // "#main" would be mistaken for a route.
  event.preventDefault();
  const main = document.querySelector("main");
  (main.querySelector("h1, h2") ?? main).focus();
}
