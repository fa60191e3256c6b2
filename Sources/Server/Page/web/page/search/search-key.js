// The key that leads to the search from everywhere: Ctrl+K, or ⌘K.

import { paths } from "../router.js";

/** For `aria-keyshortcuts`. */
export const SEARCH_KEYS = "Control+K Meta+K";

/** @param {import("../app.js").App} app @returns {() => void} stops listening */
export function listenForSearchKey(app) {
  function keydown(event) {
    if (event.key?.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    // A dialog keeps the focus until it is closed.
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    if (app.route.main === "search") focusSearch();
    else app.navigate(paths.search());
  }

  addEventListener("keydown", keydown);
  return () => removeEventListener("keydown", keydown);
}

function focusSearch() {
  const field = document.querySelector(".search-view input");
  field?.focus();
  field?.select();
}
