// Announces text to screen readers without showing it.

import { h } from "./dom.js";

/** @returns {{element: HTMLElement, announce(text: string): void}} */
export function announcer() {
  const element = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite", "data-announcer": true });
  return {
    element,
    announce(text) {
      // Setting the same text again would be no change, and screen readers would skip it.
      element.textContent = element.textContent === text ? text + "\u00a0" : text;
    },
  };
}
