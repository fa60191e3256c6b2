// Messages as a moderator sees them: text, files, and what can be done about them.

import { userLink, userText, when } from "../parts.js";
import { paths } from "../router.js";
import { button } from "../../page/controls.js";
import { h } from "../../page/dom.js";

/**
 * @param {import("../app.js").Console} app
 * @param {object[]} messages oldest first
 * @param {{marked?: string, label?: string, actions?: (message: object) => Node[]}} [options] `marked`: the id of the
 *   message to point out; `label`: why
 */
export function messageRows(app, messages, { marked, label, actions } = {}) {
  const list = h("ol", { class: "rows messages", "aria-label": "Messages" },
    messages.map((message) => h("li", null, messageRow(app, message, { label: message.id === marked && label, actions }))));
  if (marked) requestAnimationFrame(() => list.querySelector(".marked")?.scrollIntoView({ block: "nearest" }));
  return list;
}

/** @param {{label?: string | false, actions?: (message: object) => Node[]}} [options] `label` points the message out */
export function messageRow(app, message, { label = false, actions } = {}) {
  return h(
    "article",
    { class: ["card message", label && "marked"], "data-message": message.id },
    h(
      "p",
      { class: "line" },
      h("strong", { class: "author" }, userLink(app, message.user)),
      h("span", { class: "faint" }, app.can("channel.get")
        ? h("a", { href: "#" + paths.message(message.channel_id, message.id) }, when(message.created_at))
        : when(message.created_at)),
      message.parent_message_id && h("span", { class: "tag" }, "reply"),
      message.updated_at && !message.deleted_at && h("span", { class: "tag" }, "edited"),
      label && h("span", { class: "tag bronze" }, label),
    ),
    message.deleted_at
      ? h("p", { class: "faint" }, "Deleted ", when(message.deleted_at))
      : [
          message.text && h("p", { class: "text" }, userText(message.text)),
          (message.files ?? []).map((file) => fileLine(app, file)),
        ],
    actions && !message.deleted_at && h("div", { class: "buttons" }, actions(message)),
  );
}

/** A file, fetched only on request, because its address needs the key. */
function fileLine(app, file) {
  const name = file.name || "file";
  const line = h("p", { class: "line file" }, userText(name), file.mime_type && h("span", { class: "faint" }, file.mime_type));
  if (!file.id || !file.url) return line;
  const isImage = /^image\/(png|jpeg|gif|webp)$/.test(file.mime_type ?? "");
  const show = button(isImage ? "Show" : "Download", async () => {
    const blob = await app.attempt(() => app.api.blob(new URL(file.url, location.href).pathname));
    if (!blob) return;
    const url = URL.createObjectURL(blob);
    if (isImage) {
      line.append(h("img", { class: "preview", src: url, alt: name, onload: () => URL.revokeObjectURL(url) }));
      show.remove();
    } else {
      h("a", { href: url, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    }
  }, { small: true, "aria-label": `${isImage ? "Show" : "Download"} ${name}` });
  line.append(show);
  return line;
}
