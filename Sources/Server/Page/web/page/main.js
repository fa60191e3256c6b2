// Entry point: shows the sign-in form or the app.

import { Chat, Client } from "../belfry.js";
import { appView } from "./app.js";
import { h } from "./dom.js";
import { linkView } from "./link.js";
import { signInView } from "./sign-in.js";
import { forgetToken, keepToken, keptToken, takeTokenFromAddress, tokenProblem, tokenUser } from "./token.js";

const place = document.getElementById("app");
let shown = null;

function show(view) {
  shown?.close();
  shown = view;
  place.replaceChildren(view.element);
}

function signIn(problem) {
  forgetToken();
  show(
    signInView({
      problem,
      signIn: begin,
    }),
  );
}

function begin(token) {
  keepToken(token);
  start();
}

/** Resumes the stored session, or asks for a token. */
function resumeSession() {
  if (keptToken()) start();
  else signIn();
}

/** Handles a link with a token, possibly in a tab where somebody is signed in. */
function opened(token) {
  const kept = keptToken();
  const problem = tokenProblem(token);
  if (problem && !kept) return signIn(problem);
  if (problem || token === kept) return resumeSession();
  const current = kept && tokenUser(kept);
  show(linkView({ user: tokenUser(token), current, accept: () => begin(token), decline: resumeSession }));
}

function start() {
  let isOver = false;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const client = new Client(`${scheme}://${location.host}/connection/websocket`, {
    getToken() {
      const token = keptToken();
      // The page has no backend to issue another token, so the user must supply the next one.
      if (token && !isOver && !tokenProblem(token)) return token;
      throw Object.assign(new Error("the token has expired"), { unauthorized: true });
    },
  });
  // 109: expired by the server's clock, whatever the local one says.
  client.on("state", ({ code }) => (isOver ||= code === 109));
  const chat = new Chat(client, { files: location.origin });
  show(appView(client, chat, { signOut: (problem) => signIn(problem) }));
  client.connect();
}

const given = takeTokenFromAddress();
addEventListener("hashchange", () => {
  const token = takeTokenFromAddress();
  if (token) opened(token);
});
document.body.prepend(h("a", { class: "skip-link", href: "#main", onclick: skip }, "Skip to the conversation"));
if (given) opened(given);
else resumeSession();

function skip(event) {
  // "#main" would be mistaken for a route.
  event.preventDefault();
  const main = document.querySelector("main");
  (main.querySelector("h1, h2") ?? main).focus();
}
