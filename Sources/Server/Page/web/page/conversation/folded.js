// Messages of people whom the user has blocked: one line each, opened one by one.

import { h } from "../dom.js";
import { icon } from "../icons.js";

/** Stands in for the text and its author. */
export const FOLDED = "Message from someone you have blocked";

/**
 * The folded messages of a view. Those that the user opens stay open until the view is closed.
 * @param {import("../../belfry.js").Chat} chat
 * @param {() => void} changed
 */
export function foldedMessages(chat, changed) {
  const opened = new Set();
  return {
    /** @param {import("../../belfry/types.js").Message} message */
    has: (message) => !opened.has(message.id) && chat.blocked.wrote(message),
    open(message) {
      opened.add(message.id);
      changed();
    },
  };
}

/** @param {() => void} open @param {object} [props] of its button */
export function foldedLine(open, props) {
  const show = { type: "button", class: "folded-show", "data-part": "show", onclick: open, ...props };
  return h("div", { class: "folded" }, icon("ban"), h("span", { class: "ellipsis" }, FOLDED), h("button", show, "Show"));
}
