import { h } from "../dom.js";
import { icon } from "../icons.js";
import { userName } from "../format.js";
import { FOLDED } from "./folded.js";
import { quoteProblem, summaryOf } from "./words.js";

/**
 * The quoted message, in at most two lines; clicking it goes to the message. For an unavailable or deleted message, a
 * notice without a link is shown instead.
 *
 * @param {import("../../belfry.js").Chat} chat
 * @param {import("../../belfry/types.js").Message} message the reply
 * @param {() => void} follow
 */
export function quoteView(chat, message, follow) {
  const parent = message.parent ?? { id: message.parent_message_id, state: "not_found" };
  const problem = quoteProblem(parent);
  const line = (text) => h("span", { class: "quote-text" }, text);
  if (problem) return h("div", { class: "quote problem", "data-quote": parent.state }, line(problem));
  const link = (label, ...lines) => {
    const part = { tabindex: -1, "data-part": "quote", "data-quote": "ok", "aria-label": label };
    return h("button", { type: "button", class: "quote", ...part, onclick: follow }, lines);
  };
  if (chat.blocked.wrote(parent)) return link(`Go to the message: ${FOLDED}`, line(FOLDED));
  const author = parent.user ? userName(parent.user) : "Announcement";
  return link(
    `Go to the message of ${author}: ${summaryOf(parent)}`,
    parent.file && icon(parent.file.mime_type?.startsWith("image/") ? "image" : "file"),
    h("span", { class: "quote-lines" }, h("span", { class: "quote-author" }, author), line(summaryOf(parent))),
  );
}
