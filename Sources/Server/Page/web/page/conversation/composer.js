import { h, fill, scope } from "../dom.js";
import { icon } from "../icons.js";
import { iconButton } from "../controls.js";
import { errorText } from "../errors.js";
import { userName } from "../format.js";
import { acceptDropped, attachments } from "./attachments.js";
import { draftOf, dropDraft, keepDraft } from "./drafts.js";
import { mentionPicker } from "./mentions.js";
import { summaryOf } from "./words.js";

/**
 * The maximum length of a text. The limit is in bytes but the field counts characters, so the server may still refuse a
 * text just below it.
 */
const LONGEST = 16_384;

/**
 * The message composer: text, files, a quote, or the new text of an edited message. Enter sends, Shift+Enter inserts a
 * line break, Escape cancels quoting or editing, and the up arrow in an empty field edits the user's last message.
 *
 * @typedef {object} ComposerOptions
 * @property {string} channelId
 * @property {string} label @property {() => string} placeholder
 * @property {(content: object) => Promise} send content as for `chat.send`
 * @property {() => object | undefined} [lastOwn] the message that the up arrow edits
 * @property {string} draftKey key of the draft, which is kept until the page is closed
 * @property {ReturnType<import("./slow-mode.js").slowMode>} slow
 * @property {HTMLElement} dropArea @property {Node} [extra] shown under the field
 *
 * @param {object} app
 * @param {ComposerOptions} options
 */
export function composer(app, options) {
  const ends = scope();
  let quoted = null;
  let edited = null;
  const context = h("div", { class: "composer-context", hidden: true });
  const field = h("textarea", {
    class: "composer-field", rows: 1, maxlength: LONGEST, "aria-label": options.label, "data-autofocus": true,
    autocomplete: "off", enterkeyhint: "send", value: draftOf(options.draftKey)?.text ?? "",
  });
  const pick = h("input", { type: "file", multiple: true, hidden: true, tabindex: -1, "aria-hidden": "true" });
  const attach = iconButton("add", "Attach files", () => pick.click(), { class: "attach" });
  const submit = iconButton("send", "Send", undefined, { class: "send", type: "submit" });
  const files = attachments(app, update);
  const mentions = mentionPicker(app, field, options.channelId);
  mentions.people = draftOf(options.draftKey)?.people ?? new Map();
  const element = h(
    "form",
    { class: "composer", onsubmit: (event) => (event.preventDefault(), send()) },
    mentions.element,
    context,
    files.element,
    h("div", { class: "composer-line" }, attach, pick, field, submit),
    options.extra,
    options.slow.element,
  );

  function update() {
    field.placeholder = options.placeholder();
    const isEmpty = field.value.trim() === "" && files.files.length === 0;
    submit.disabled = isEmpty || (options.slow.isWaiting && !edited);
    submit.setAttribute("aria-label", edited ? "Save" : "Send");
    attach.hidden = Boolean(edited);
    grow();
  }

  /** Grows the field with its text, up to the limit in the style sheet. */
  function grow() {
    field.style.setProperty("height", "auto");
    if (field.scrollHeight > 0) field.style.setProperty("height", `${field.scrollHeight + 2}px`);
  }

  function showContext() {
    const message = edited ?? quoted;
    element.classList.toggle("editing", Boolean(edited));
    context.hidden = !message;
    if (!message) return fill(context);
    const title = edited ? "Edit message" : `Reply to ${message.user ? userName(message.user) : "announcement"}`;
    fill(
      context,
      icon(edited ? "edit" : "reply"),
      h(
        "div",
        { class: "context-lines" },
        h("strong", null, title),
        h("span", { class: "ellipsis" }, summaryOf(message)),
      ),
      iconButton("close", edited ? "Cancel editing" : "Cancel reply", leaveContext),
    );
  }

  function leaveContext() {
    if (edited) {
      const draft = draftOf(options.draftKey);
      field.value = draft?.text ?? "";
      mentions.people = draft?.people ?? new Map();
    }
    edited = null;
    quoted = null;
    showContext();
    update();
    field.focus();
  }

  function send() {
    const text = field.value.trim();
    if (edited) return save(text);
    const content = {};
    if (text) content.text = text;
    Object.assign(content, mentions.change({}, text));
    if (files.files.length > 0) content.files = files.files;
    if (!content.text && !content.files) return;
    if (options.slow.isWaiting) return app.announce(`${options.slow.words}.`);
    if (quoted) content.parent_message_id = quoted.id;
    app.chat.stopTyping(options.channelId);
    dropDraft(options.draftKey);
    field.value = "";
    mentions.people = new Map();
    quoted = null;
    files.clear();
    showContext();
    update();
    // The list shows a failed message, where the user can retry it.
    options.slow.sending(Promise.resolve(options.send(content)));
  }

  async function save(text) {
    const message = edited;
    if (text === "") return;
    try {
      const changes = { text, ...mentions.change(message, text) };
      if (text !== message.text) await app.chat.edit(message.channel_id, message.id, changes);
      if (edited === message) leaveContext();
    } catch (error) {
      app.toast(errorText(error), { error: true });
    }
  }

  field.addEventListener("input", () => {
    update();
    if (edited) return;
    keepDraft(options.draftKey, { text: field.value, people: mentions.people });
    if (field.value === "") app.chat.stopTyping(options.channelId);
    else app.chat.typing(options.channelId);
  });
  field.addEventListener("keydown", (event) => {
    // Enter also commits an input method's composition.
    if (event.isComposing || mentions.keydown(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && (edited || quoted)) {
      event.preventDefault();
      event.stopPropagation();
      leaveContext();
    } else if (event.key === "ArrowUp" && field.value === "" && !quoted) {
      const last = options.lastOwn?.();
      if (!last) return;
      event.preventDefault();
      view.edit(last);
    }
  });
  pick.addEventListener("change", () => {
    files.add(pick.files);
    pick.value = "";
    field.focus();
  });
  ends.add(acceptDropped(options.dropArea, field, (more) => files.add(more)));

  const view = {
    element,
    field,
    update,
    quote(message) {
      edited = null;
      quoted = message;
      showContext();
      update();
      field.focus();
    },
    edit(message) {
      quoted = null;
      edited = message;
      field.value = message.text ?? "";
      mentions.edit(message);
      showContext();
      update();
      field.focus();
      field.setSelectionRange(field.value.length, field.value.length);
    },
    /** Stops quoting or editing a message that was deleted or changed. */
    messageRemoved(messageId) {
      if (edited?.id === messageId || quoted?.id === messageId) leaveContext();
    },
    close() {
      app.chat.stopTyping(options.channelId);
      mentions.close();
      ends.close();
    },
  };
  update();
  return view;
}
