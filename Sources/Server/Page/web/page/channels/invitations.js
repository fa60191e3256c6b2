// Pending invitations above the channel list, with buttons to accept and decline.

import { channelAvatar } from "../avatar.js";
import { button } from "../controls.js";
import { fill, h, keyed, scope } from "../dom.js";
import { plural } from "../format.js";
import { paths } from "../router.js";
import { invitedBy } from "./inviter.js";

function invitationRow(app, { id }) {
  const title = h("span", { class: "name ellipsis", id: `invitation-${id}` });
  const from = h("span", { class: "last ellipsis" });
  const face = h("span", { class: "portrait" });
  const answer = async (work, after) => {
    for (const one of [accept, decline]) one.disabled = true;
    const done = await app.attempt(work);
    for (const one of [accept, decline]) one.disabled = false;
    if (done) after();
  };
  const accept = button("Accept", () => answer(app.chat.accept(id), () => app.navigate(paths.channel(id))), {
    primary: true,
    small: true,
  });
  const decline = button("Decline", () => answer(app.chat.decline(id), () => app.announce("Invitation declined.")), {
    small: true,
  });
  const element = h(
    "li",
    { class: "invitation", "data-invitation": id, role: "group", "aria-labelledby": title.id },
    face,
    h("span", { class: "lines" }, title, from),
    h("span", { class: "answers" }, accept, decline),
  );
  return {
    element,
    update(channel) {
      const name = app.names.of(channel);
      fill(face, channelAvatar(channel, { size: 40 }));
      title.textContent = name;
      from.textContent = `${invitedBy(app.chat, channel)} · ${plural(channel.member_count, "member")}`;
      accept.setAttribute("aria-label", `Accept the invitation to ${name}`);
      decline.setAttribute("aria-label", `Decline the invitation to ${name}`);
    },
  };
}

/** @param {import("../app.js").App} app */
export function invitationsView(app) {
  const ends = scope();
  const { invited } = app.chat.channels;
  const heading = h("h2", { class: "section-title", id: "invitations-title" });
  const list = h("ul", { "aria-labelledby": heading.id });
  const more = button("Show more", () => invited.loadMore(), { plain: true, small: true });
  const props = { class: "invitations", "aria-labelledby": heading.id, hidden: true };
  const element = h("section", props, heading, list, more);
  let known = null;

  function update() {
    const { items } = invited;
    element.hidden = items.length === 0;
    heading.textContent = `Invitations (${items.length}${invited.hasMore ? "+" : ""})`;
    more.hidden = !invited.hasMore;
    keyed(list, items, ({ id }) => id, (channel) => invitationRow(app, channel));
    // Announce only later invitations, because users discover the initial ones on the page.
    const ids = new Set(items.map(({ id }) => id));
    const fresh = known && items.filter(({ id }) => !known.has(id));
    for (const channel of fresh ?? []) app.announce(`You are invited to ${app.names.of(channel)}.`);
    if (invited.state === "ready") known = ids;
  }

  ends.add(invited.on("change", update), app.names.on(update), app.chat.on("users", update));
  update();
  return { element, close: ends.close };
}
