// The sign-in form: a server key instead of a user's token.

import { button } from "../page/controls.js";
import { h } from "../page/dom.js";
import { icon } from "../page/icons.js";

/**
 * @param {{signIn(key: string): Promise<void>, cancel(): void, problem?: string}} options `signIn` throws with a
 *   sentence for the user; `problem`: why the user is back here
 * @returns {{element: HTMLElement, close(): void}}
 */
export function signInView({ signIn, cancel, problem }) {
  document.title = "Sign in – Belfry console";
  const wrong = h("p", { class: "problem", id: "key-problem", role: "alert" });
  const input = h("input", {
    class: "input",
    id: "key",
    type: "password",
    // A password manager may keep it; the page itself keeps it in this tab only.
    autocomplete: "current-password",
    spellcheck: "false",
    required: true,
    "aria-describedby": "key-problem key-hint",
  });
  const enter = h("button", { type: "submit", class: "button primary" }, "Sign in");

  function say(text) {
    wrong.textContent = text;
    wrong.hidden = !text;
    input.setAttribute("aria-invalid", String(Boolean(text)));
  }

  async function submit(event) {
    event.preventDefault();
    const key = input.value.trim();
    if (!key) return say("Enter a key first.");
    // A header cannot hold any other character.
    if (!/^[\x21-\x7e]+$/.test(key)) return say("Keys contain only letters, digits and punctuation.");
    enter.disabled = true;
    try {
      await signIn(key);
    } catch (error) {
      say(error.message);
      enter.disabled = false;
      input.focus();
    }
  }

  const element = h(
    "main",
    { class: "sign-in" },
    h(
      "form",
      { class: "sign-in-card", onsubmit: submit, novalidate: true },
      h("div", { class: "mark", "aria-hidden": "true" }, icon("bell")),
      h("h1", { tabindex: -1 }, "Sign in to the console"),
      h("p", { class: "lead" }, "Your server key determines what you can see and do."),
      h("div", { class: "field" }, h("label", { class: "label", for: "key" }, "Server key"), input, wrong),
      enter,
      button("Continue without a key", cancel, { plain: true }),
      h("p", { class: "hint", id: "key-hint" }, "The key stays in this tab until you close it or sign out."),
    ),
  );
  say(problem ?? "");
  requestAnimationFrame(() => input.focus());
  return { element, close() {} };
}
