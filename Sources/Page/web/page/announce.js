// Says something to screen readers without showing it.

import { h } from "./dom.js";

/** @returns {{element: HTMLElement, announce(text: string): void}} */
export function announcer() {
  const element = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite", "data-announcer": true });
  return {
    element,
    announce(text) {
      // The same text twice in a row would not be a change, and nobody would hear it.
      element.textContent = element.textContent === text ? text + "\u00a0" : text;
    },
  };
}
