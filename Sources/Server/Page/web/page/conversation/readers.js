import { h, fill } from "../dom.js";
import { avatar } from "../avatar.js";
import { button } from "../controls.js";
import { errorText } from "../errors.js";
import { plural, userName } from "../format.js";

/** Opens a paged dialog of the users who have read one of the user's own messages. */
export function openReaders(app, message) {
  const list = h("ul", { class: "readers" });
  const body = h("div", { role: "status" }, h("span", { class: "spinner" }));
  app.dialog({ title: "Read by", body });
  load();

  async function load(next) {
    try {
      const page = await app.chat.receipts(message.channel_id, message.id, next);
      list.append(...page.users.map(reader));
      const more = page.next && button("Show more", () => load(page.next), { plain: true, small: true });
      fill(body, h("p", { class: "readers-count" }, countText(page)), list, more);
    } catch (error) {
      fill(body, h("p", { role: "alert" }, errorText(error)));
    }
  }
}

const reader = (user) => h("li", null, avatar(user, { size: 32 }), h("span", { class: "ellipsis" }, userName(user)));

function countText({ read_count: read, unread_count: unread }) {
  if (read === 0) return "Nobody has read it yet.";
  const rest = unread > 0 ? `, ${plural(unread, "has", "have")} not.` : ".";
  return `${plural(read, "person has", "people have")} read it${rest}`;
}
