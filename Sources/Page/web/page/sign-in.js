// The form for a token, shown to whoever came without one.

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { tokenProblem } from "./token.js";

/**
 * @param {{signIn(token: string): void, problem?: string}} options `problem`: why one is here again
 * @returns {{element: HTMLElement, close(): void}}
 */
export function signInView({ signIn, problem }) {
  document.title = "Sign in – Belfry";
  const wrong = h("p", { class: "problem", id: "token-problem", role: "alert" });
  const input = h("textarea", {
    class: "input",
    id: "token",
    rows: 4,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    required: true,
    placeholder: "eyJhbGciOi…",
    "aria-describedby": "token-problem token-hint",
  });

  function say(text) {
    wrong.textContent = text;
    wrong.hidden = !text;
    input.setAttribute("aria-invalid", String(Boolean(text)));
  }

  function submit(event) {
    event.preventDefault();
    const token = input.value.replaceAll(/\s/g, "");
    const found = token ? tokenProblem(token) : "Paste a token first.";
    say(found);
    if (found) input.focus();
    else signIn(token);
  }

  input.addEventListener("keydown", (event) => event.key === "Enter" && !event.shiftKey && submit(event));
  const element = h(
    "main",
    { class: "sign-in" },
    h(
      "form",
      { class: "sign-in-card", onsubmit: submit, novalidate: true },
      h("div", { class: "mark", "aria-hidden": "true" }, icon("bell")),
      h("h1", { tabindex: -1 }, "Sign in to Belfry"),
      h("p", { class: "lead" }, "Your app, or whoever runs this server, gives you a token. It says who you are."),
      h("div", { class: "field" }, h("label", { class: "label", for: "token" }, "Token"), input, wrong),
      h("button", { type: "submit", class: "button primary" }, "Sign in"),
      h(
        "p",
        { class: "hint", id: "token-hint" },
        "On the server, ",
        h("code", null, "belfry token --user ann"),
        " prints one. It stays in this tab until you close it or sign out.",
      ),
    ),
  );
  say(problem ?? "");
  requestAnimationFrame(() => input.focus());
  return { element, close() {} };
}
