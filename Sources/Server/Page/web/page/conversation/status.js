import { h } from "../dom.js";
import { icon } from "../icons.js";
import { errorText } from "../errors.js";

/**
 * The delivery status of the user's own message: sending, failed (with retry and discard), sent, or read by n. In a
 * block, only the last message shows "sent" or "read".
 *
 * @param {import("./message-row.js").RowContext} context
 * @param {boolean} last whether it is the last of its block
 */
export function statusView(context, message, last) {
  const { local } = message;
  if (local?.state === "failed") return failed(context, message);
  if (local) {
    return h("div", { class: "status", "data-status": "sending" }, h("span", { class: "clock" }), "Sending…");
  }
  const readers = context.readCount(message);
  if (!last) return null;
  const [name, text] = readers > 0 ? ["read", `Read by ${readers}`] : ["sent", "Sent"];
  return h("div", { class: ["status", name], "data-status": name }, icon("check"), text);
}

function failed(context, message) {
  const { local } = message;
  const again = () => local.retry().catch(() => {});
  const reason = local.error ? errorText(local.error) : "";
  return h(
    "div",
    { class: "status failed", "data-status": "failed", role: "alert" },
    icon("warning"),
    h("span", { title: reason }, "Not sent. ", reason),
    h("button", { type: "button", tabindex: -1, "data-part": "retry", disabled: context.isRefused(message), onclick: again }, "Retry"),
    h("button", { type: "button", tabindex: -1, "data-part": "discard", onclick: () => local.discard() }, "Discard"),
  );
}
