// The sign-in form, for users without a token.

import { button } from "./controls.js";
import { h } from "./dom.js";
import { guestsAreWelcome, guestToken } from "./guest.js";
import { icon } from "./icons.js";
import { tokenProblem } from "./token.js";

/**
 * @param {{signIn(token: string): void, problem?: string}} options `problem`: why the user is back here
 * @returns {{element: HTMLElement, close(): void}}
 */
export function signInView({ signIn, problem }) {
  document.title = "Sign in – Belfry";
  let isOver = false;
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

  /** @param {HTMLElement} [about] the control the text is about */
  function say(text, about = input) {
    wrong.textContent = text;
    wrong.hidden = !text;
    input.setAttribute("aria-invalid", String(Boolean(text) && about === input));
  }

  function submit(event) {
    event.preventDefault();
    const token = input.value.replaceAll(/\s/g, "");
    const found = token ? tokenProblem(token) : "Paste a token first.";
    say(found);
    if (found) input.focus();
    else signIn(token);
  }

  async function comeAsGuest() {
    guest.disabled = true;
    say("");
    try {
      const token = await guestToken();
      // The user may have pasted a token in the meantime.
      if (!isOver) signIn(token);
    } catch ({ message }) {
      say(message, guest);
      guest.disabled = false;
      // Disabling the button dropped its focus. Restore it, unless the user has moved on.
      if (document.activeElement === document.body) guest.focus();
    }
  }

  const hasGuests = guestsAreWelcome();
  const guest = button("Look around as a guest", comeAsGuest);
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
      hasGuests && guest,
      h(
        "p",
        { class: "hint", id: "token-hint" },
        "On the server, ",
        h("code", null, "belfry token --user ann"),
        " prints one. It stays in this tab until you close it or sign out.",
        hasGuests && " Guests get a new account each time.",
      ),
    ),
  );
  say(problem ?? "");
  requestAnimationFrame(() => input.focus());
  return { element, close: () => (isOver = true) };
}
