// The question before a token that came with a link is used: without it, any page could sign its visitors in as somebody else.

import { button } from "./controls.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";

/** Ids have up to 80 characters; a token that nobody has verified may say anything. */
const SHOWN = 80;

/**
 * @param {{user: string, current?: string, accept(): void, decline(): void}} link `user`: whom the token names; `current`:
 *   who is signed in now
 * @returns {{element: HTMLElement, close(): void}}
 */
export function linkView({ user, current, accept, decline }) {
  document.title = "Continue? – Belfry";
  // A name in letters that run the other way must not turn the words around it.
  const name = (id) => h("bdi", null, id.length > SHOWN ? `${id.slice(0, SHOWN)}…` : id);
  const yes = button(h("span", null, "Continue as ", name(user)), accept, { primary: true, "data-continue": "" });
  const no = button(current ? h("span", null, "Stay signed in as ", name(current)) : "Sign in another way", decline);
  const heading = h("h1", { tabindex: -1 }, "Continue as ", name(user), "?");
  const element = h(
    "main",
    { class: "sign-in" },
    h(
      "div",
      { class: "sign-in-card" },
      h("div", { class: "mark", "aria-hidden": "true" }, icon("bell")),
      heading,
      current && h("p", { class: "lead" }, "You are signed in as ", name(current), "."),
      h("p", { class: "lead" }, "The link you opened signs you in as ", name(user), ". Continue only if this account is yours."),
      yes,
      no,
      h("p", { class: "hint" }, "Whoever made the link can read what you write in this account."),
    ),
  );
  // Not a button: a key that was meant for something else must not answer.
  requestAnimationFrame(() => heading.focus());
  return { element, close() {} };
}
