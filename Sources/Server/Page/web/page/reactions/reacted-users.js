import { h, fill } from "../dom.js";
import { avatar } from "../avatar.js";
import { button } from "../controls.js";
import { errorText } from "../errors.js";
import { userName } from "../format.js";
import { emojiGlyph, emojiName, emojiOf } from "./emoji.js";

const EDGE = 8;
/** Delay between the mouse leaving and the list closing, in ms. */
const LEAVE = 350;
let open = null;
let serial = 0;

/**
 * Opens the list of users who reacted beside `anchor`, with a tab per emoji. It closes on Escape, on a click outside,
 * or when the mouse leaves it.
 *
 * @param {object} app
 * @param {import("../../belfry/types.js").Message} message
 * @param {string} key the initial tab
 * @param {HTMLElement} anchor
 */
export function openReactedUsers(app, message, key, anchor) {
  open?.close(false);
  const id = `reacted-${++serial}`;
  const reactions = (message.reactions ?? []).filter((reaction) => reaction.count > 0);
  const tabs = reactions.map((reaction) => tab(reaction));
  const panel = h("div", { class: "reacted-panel scroll", role: "tabpanel", id: `${id}-panel`, tabindex: 0 });
  const bar = h("div", { class: "reacted-tabs", role: "tablist", "aria-label": "Reactions" }, tabs);
  const element = h("div", { class: "reacted", role: "dialog", "aria-label": "Who reacted", id }, bar, panel);
  let shown = "";
  let timer = 0;

  function tab({ key: one, count, mine }) {
    const label = `${emojiName(one)}, ${count}`;
    return h(
      "button",
      {
        type: "button", role: "tab", class: ["reacted-tab", mine && "mine"], "aria-label": label, "data-emoji": one,
        "aria-controls": `${id}-panel`, tabindex: -1, onclick: () => select(one),
      },
      emojiGlyph(emojiOf(app.chat, one), one),
      h("span", { class: "count", "aria-hidden": "true" }, String(count)),
    );
  }

  function select(one) {
    shown = one;
    for (const button of tabs) {
      const selected = button.dataset.emoji === one;
      button.setAttribute("aria-selected", String(selected));
      button.tabIndex = selected ? 0 : -1;
    }
    panel.setAttribute("aria-label", emojiName(one));
    load(one, undefined, h("ul", { class: "reacted-users" }));
  }

  async function load(one, next, list) {
    const waiting = h("span", { class: "spinner", role: "status", "aria-label": "Loading" });
    if (!next) fill(panel, h("div", { class: "reacted-wait" }, waiting));
    try {
      const page = await app.chat.reactionUsers(message.channel_id, message.id, one, next);
      if (shown !== one) return;
      list.append(...page.users.map((user) => row(user)));
      const more = page.next && button("Show more", () => load(one, page.next, list), { plain: true, small: true });
      fill(panel, list, more);
    } catch (error) {
      if (shown !== one) return;
      const again = button("Try again", () => load(one, next, list), { plain: true, small: true });
      fill(panel, list, h("p", { class: "reacted-problem", role: "alert" }, errorText(error)), again);
    }
  }

  const row = (user) =>
    h("li", { "data-user": user.id }, avatar(user, { size: 28 }),
      h("span", { class: "ellipsis" }, user.id === app.chat.me?.id ? `${userName(user)} (you)` : userName(user)));

  function keydown(event) {
    const at = tabs.findIndex((one) => one === document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (event.key === "Escape") close();
    else if (at >= 0 && to !== undefined) {
      const target = tabs[(to + tabs.length) % tabs.length];
      select(target.dataset.emoji);
      target.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function close(giveBack = true) {
    if (open?.element !== element) return;
    open = null;
    shown = "";
    clearTimeout(timer);
    const focused = element.contains(document.activeElement);
    element.remove();
    document.removeEventListener("pointerdown", outside, true);
    removeEventListener("hashchange", gone);
    if (giveBack && focused && anchor.isConnected) anchor.focus({ preventScroll: true });
  }

  const outside = (event) => !element.contains(event.target) && close(false);
  const gone = () => close(false);
  const leave = (event) => {
    if (event.pointerType === "mouse") timer = setTimeout(() => close(false), LEAVE);
  };
  for (const part of [element, anchor]) {
    part.addEventListener("pointerleave", leave);
    part.addEventListener("pointerenter", () => clearTimeout(timer));
  }
  element.addEventListener("keydown", keydown);
  document.addEventListener("pointerdown", outside, true);
  addEventListener("hashchange", gone);
  document.body.append(element);
  open = { element, close };
  select(key);
  place(element, anchor.getBoundingClientRect());
  // Opening by keyboard moves the focus; opening by mouse does not.
  if (anchor.matches(":focus-visible")) tabs.find((one) => one.dataset.emoji === key)?.focus({ preventScroll: true });
}

function place(element, at) {
  const { width, height } = element.getBoundingClientRect();
  const above = at.top - height - 4;
  const top = above >= EDGE ? above : Math.min(at.bottom + 4, innerHeight - height - EDGE);
  element.style.setProperty("top", `${Math.max(EDGE, top)}px`);
  element.style.setProperty("left", `${Math.max(EDGE, Math.min(at.left, innerWidth - width - EDGE))}px`);
}
