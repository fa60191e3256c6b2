// Where the page begins: signed in or not, and what is built then.

import { Chat, Client } from "../belfry.js";
import { appView } from "./app.js";
import { h } from "./dom.js";
import { signInView } from "./sign-in.js";
import { forgetToken, keepToken, keptToken, takeTokenFromAddress, tokenProblem } from "./token.js";

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
      signIn(token) {
        keepToken(token);
        start();
      },
    }),
  );
}

function start() {
  let isOver = false;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const client = new Client(`${scheme}://${location.host}/connection/websocket`, {
    getToken() {
      const token = keptToken();
      // The page has no backend to ask for another one: whoever gave the token gives the next one.
      if (token && !isOver && !tokenProblem(token)) return token;
      throw Object.assign(new Error("the token has run out"), { unauthorized: true });
    },
  });
  // 109: it has run out by the server's clock, whatever this one says.
  client.on("state", ({ code }) => (isOver ||= code === 109));
  const chat = new Chat(client, { files: location.origin });
  show(appView(client, chat, { signOut: (problem) => signIn(problem) }));
  client.connect();
}

takeTokenFromAddress();
// A link with a token may be opened in a tab that is signed in already: the newer token is meant.
addEventListener("hashchange", () => takeTokenFromAddress() && start());
document.body.prepend(h("a", { class: "skip-link", href: "#main", onclick: skip }, "Skip to the conversation"));
if (keptToken()) start();
else signIn();

function skip(event) {
  // "#main" would be a route.
  event.preventDefault();
  const main = document.querySelector("main");
  (main.querySelector("h1, h2") ?? main).focus();
}
