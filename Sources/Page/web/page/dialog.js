// Modal dialogs. The browser's <dialog> keeps the focus inside, gives it back, and closes on Escape.

import { h } from "./dom.js";
import { button, iconButton } from "./controls.js";
import { focusPlace } from "./focus.js";

let serial = 0;

/**
 * Opens a dialog.
 * @param {{title: string, body: Node | Node[], actions?: Node[], wide?: boolean, onclose?: () => void}} view
 *   `actions` stand at the lower end, the main one last
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
    // The browser has given the focus back, unless what had it is gone.
    if (document.activeElement === document.body) giveBack();
    onclose?.();
  });
  // A press on what lies behind closes; one that began inside (selecting text) does not.
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
 * Asks before something that cannot be taken back.
 * @param {{title: string, text: string, action: string, danger?: boolean}} question
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
