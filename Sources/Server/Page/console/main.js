// Entry point: restores the session of this tab, and shows the console.

import { api } from "./api.js";
import { consoleView } from "./app.js";
import { forgetKey, keepKey, keptKey, openSession } from "./session.js";
import { signInView } from "./sign-in.js";
import { h } from "../page/dom.js";

const place = document.getElementById("app");
let shown = null;

function show(view) {
  shown?.close();
  shown = view;
  place.replaceChildren(view.element);
}

/** Shows what needs no key. */
function showPublic() {
  show(consoleView({ api: api(""), session: null, signIn: () => askForKey(), signOut: askForKey }));
}

/** @param {string} [problem] why the user has to sign in */
function askForKey(problem) {
  forgetKey();
  show(signInView({ problem, signIn, cancel: showPublic }));
}

/** @throws with a sentence for the user */
async function signIn(key) {
  const caller = api(key);
  const session = await openSession(caller);
  keepKey(key);
  show(consoleView({ api: caller, session, signIn: () => askForKey(), signOut: askForKey }));
}

async function resume() {
  const key = keptKey();
  if (!key) return showPublic();
  try {
    await signIn(key);
  } catch (error) {
    askForKey(error.message);
  }
}

document.body.prepend(h("a", { class: "skip-link", href: "#main", onclick: skip }, "Skip to the content"));
resume();

function skip(event) {
  // "#main" would be mistaken for a route.
  event.preventDefault();
  const main = document.querySelector("main");
  (main.querySelector("h1, h2") ?? main).focus();
}
