// Modal dialogs. The browser's <dialog> traps the focus, restores it, and closes on Escape.

import { h } from "./dom.js";
import { button, iconButton } from "./controls.js";
import { focusPlace } from "./focus.js";

let serial = 0;

/**
 * Opens a dialog.
 * @param {{title: string | any[], body: Node | Node[], actions?: Node[], wide?: boolean, onclose?: () => void}} view `actions`
 *   go in the footer, the primary one last
 * @returns {{element: HTMLDialogElement, close(): void}}
 */
export function openDialog({ title, body, actions = [], wide = false, onclose }) {
  const id = `dialog-${++serial}`;
  const giveBack = focusPlace(document.activeElement);
  const close = () => element.open && element.close();
  const element = h(
    "dialog",
    { class: ["dialog", wide && "wide"], "aria-labelledby": id },
    h("header", { class: "dialog-header" }, h("h2", { id }, title), iconButton("close", "Close", close)),
    h("div", { class: "dialog-body scroll" }, body),
    actions.length > 0 && h("footer", { class: "dialog-footer" }, actions),
  );
  element.addEventListener("close", () => {
    element.remove();
    // The browser has restored the focus, unless the element that had it is gone.
    if (document.activeElement === document.body) giveBack();
    onclose?.();
  });
  // Close on a click on the backdrop, but not if the press began inside, as when selecting text.
  element.addEventListener("mousedown", (event) => {
    if (event.target !== element) return;
    element.addEventListener("mouseup", (up) => up.target === element && close(), { once: true });
  });
  document.body.append(element);
  element.showModal();
  element.querySelector("[data-autofocus]")?.focus();
  return { element, close };
}

/**
 * Asks for confirmation of an action that cannot be undone.
 * @param {{title: string | any[], text: string | any[], action: string, danger?: boolean}} question
 * @returns {Promise<boolean>} false when dismissed
 */
export function confirmDialog({ title, text, action, danger = false }) {
  return new Promise((resolve) => {
    let answer = false;
    const yes = button(action, () => ((answer = true), dialog.close()), { primary: !danger, danger });
    const no = button("Cancel", () => dialog.close());
    no.dataset.autofocus = "";
    const dialog = openDialog({
      title,
      body: h("p", null, text),
      actions: [no, yes],
      onclose: () => resolve(answer),
    });
  });
}
