// Asks for confirmation before using a token from a link. Otherwise any page could sign its visitors in as somebody
// else.

import { button } from "./controls.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";

/** Ids have up to 80 characters, but an unverified token may contain anything. */
const SHOWN = 80;

/**
 * @param {{user: string, current?: string, accept(): void, decline(): void}} link `user`: the user in the token;
 *   `current`: the signed-in user
 * @returns {{element: HTMLElement, close(): void}}
 */
export function linkView({ user, current, accept, decline }) {
  document.title = "Continue? – Belfry";
  // Isolates right-to-left names from the surrounding text.
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
  // Focus the heading, not a button, so that a stray key press cannot confirm.
  requestAnimationFrame(() => heading.focus());
  return { element, close() {} };
}
