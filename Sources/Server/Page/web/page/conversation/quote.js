import { h } from "../dom.js";
import { icon } from "../icons.js";
import { userName } from "../format.js";
import { quoteProblem, summaryOf } from "./words.js";

/**
 * The quoted message, in at most two lines; clicking it goes to the message. For an unavailable or deleted message, a
 * notice without a link is shown instead.
 *
 * @param {import("../../belfry/types.js").Message} message the reply
 * @param {() => void} follow
 */
export function quoteView(message, follow) {
  const parent = message.parent ?? { id: message.parent_message_id, state: "not_found" };
  const problem = quoteProblem(parent);
  const line = (text) => h("span", { class: "quote-text" }, text);
  if (problem) return h("div", { class: "quote problem", "data-quote": parent.state }, line(problem));
  const author = parent.user ? userName(parent.user) : "Announcement";
  return h(
    "button",
    {
      type: "button", class: "quote", tabindex: -1, "data-part": "quote", "data-quote": "ok",
      "aria-label": `Go to the message of ${author}: ${summaryOf(parent)}`, onclick: follow,
    },
    parent.file && icon(parent.file.mime_type?.startsWith("image/") ? "image" : "file"),
    h("span", { class: "quote-lines" }, h("span", { class: "quote-author" }, author), line(summaryOf(parent))),
  );
}
