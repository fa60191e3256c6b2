// Brief notifications at the edge of the window, which disappear by themselves.

import { h } from "./dom.js";
import { button, iconButton } from "./controls.js";

const SECONDS = 6;
const AT_ONCE = 3;

/**
 * @returns {{element: HTMLElement, toast(text: string, options?: {error?: boolean, action?: {label: string,
 *   run(): void}}): void}} at most 3 at the same time; the oldest is removed first
 */
export function toasts() {
  const element = h("div", { class: "toasts", role: "region", "aria-label": "Notes" });
  const live = h("div", { role: "status", "aria-live": "polite", class: "toast-list" });
  element.append(live);
  let home;

  /**
   * Moves the toasts into the open dialog. Everything outside it is inert, so they could be neither announced nor
   * clicked.
   */
  function settle() {
    home ??= element.parentNode;
    const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
    const host = dialog ?? home;
    if (element.parentNode === host) return;
    host.append(element);
    dialog?.addEventListener("close", () => home.append(element), { once: true });
  }

  return {
    element,
    toast(text, { error = false, action } = {}) {
      while (live.childElementCount >= AT_ONCE) live.firstElementChild.remove();
      const remove = () => note.remove();
      const note = h(
        "div",
        { class: ["toast", error && "error"], "data-toast": error ? "error" : "info" },
        h("span", { class: "text" }, text),
        action && button(action.label, () => (remove(), action.run()), { plain: true, small: true }),
        iconButton("close", "Dismiss", remove),
      );
      settle();
      live.append(note);
      let timer = setTimeout(remove, SECONDS * 1000);
      // Hovering or focusing a toast pauses its timer.
      const hold = () => clearTimeout(timer);
      const go = () => (clearTimeout(timer), (timer = setTimeout(remove, SECONDS * 1000)));
      for (const name of ["mouseenter", "focusin"]) note.addEventListener(name, hold);
      for (const name of ["mouseleave", "focusout"]) note.addEventListener(name, go);
    },
  };
}
