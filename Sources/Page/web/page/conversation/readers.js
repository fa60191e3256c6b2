import { h, fill } from "../dom.js";
import { avatar } from "../avatar.js";
import { button } from "../controls.js";
import { errorText } from "../errors.js";
import { plural, userName } from "../format.js";

/** A dialog of who has read one's message, in pages. */
export function openReaders(app, message) {
  const list = h("ul", { class: "readers" });
  const body = h("div", { role: "status" }, h("span", { class: "spinner" }));
  app.dialog({ title: "Read by", body });
  load();

  async function load(next) {
    try {
      const page = await app.chat.receipts(message.channel_id, message.id, next);
      list.append(...page.users.map((user) => h("li", null, avatar(user, { size: 32 }), h("span", { class: "ellipsis" }, userName(user)))));
      const more = page.next && button("Show more", () => load(page.next), { plain: true, small: true });
      const summary = page.read_count === 0 ? "Nobody has read it yet." : `${plural(page.read_count, "person", "people")} read it`;
      const rest = page.unread_count > 0 ? `, ${plural(page.unread_count, "has", "have")} not.` : page.read_count ? "." : "";
      fill(body, h("p", { class: "readers-count" }, summary + (page.read_count ? rest : "")), list, more);
    } catch (error) {
      fill(body, h("p", { role: "alert" }, errorText(error)));
    }
  }
}
