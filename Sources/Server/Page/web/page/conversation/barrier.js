import { h } from "../dom.js";
import { icon } from "../icons.js";
import { button } from "../controls.js";
import { invitedBy } from "../channels/inviter.js";
import { unblock } from "../block.js";
import { NO_END, untilText, userName } from "../format.js";

/**
 * Returns whether the user may do things that others see. They must be a member, not muted, and an operator if the
 * channel is frozen.
 * @param {import("../../belfry/types.js").ChannelJSON | null | undefined} channel
 */
export function hasVoice(channel) {
  const my = channel?.my;
  if (my?.state !== "joined" || my.muted_until > Date.now()) return false;
  return !channel.is_frozen || my.role === "operator";
}

/**
 * Returns the notice that prevents writing or warns about it: not joined, invited, muted, frozen, or with someone whom
 * the user has blocked.
 *
 * @param {import("../../belfry/types.js").ChannelJSON | null} channel
 * @returns {{key: string, element: HTMLElement, silent: boolean} | null} `silent`: hides the composer; null: no notice
 */
export function barrier(app, channel) {
  if (!channel) return { key: "loading", element: null, silent: true };
  const my = channel.my ?? { state: "none" };
  const bar = (key, name, text, { silent = true, actions = [] } = {}) => {
    const props = { class: ["barrier", silent && "silent"], role: "status", "data-barrier": key };
    return { key, silent, element: h("div", props, icon(name), h("p", null, text), actions) };
  };
  if (my.state === "invited") {
    const words = invitedBy(app.chat, channel);
    const shown = bar("invited", "bell", `${words}.`, {
      actions: [
        button("Decline", () => app.attempt(app.chat.decline(channel.id)), { small: true }),
        button("Accept", () => app.attempt(app.chat.accept(channel.id)), { primary: true, small: true }),
      ],
    });
    return { ...shown, key: words };
  }
  if (my.state !== "joined") {
    const join = button("Join", () => app.attempt(app.chat.join(channel.id)), { primary: true, small: true });
    const actions = channel.is_public ? [join] : [];
    return bar("outside", "globe", "You are not a member of this channel.", { actions });
  }
  if (my.muted_until > Date.now()) {
    const until = my.muted_until >= NO_END ? "" : ` ${untilText(my.muted_until)}`;
    return bar(`muted ${my.muted_until}`, "mute", `You are muted in this channel${until}.`);
  }
  if (channel.is_frozen) {
    const operator = my.role === "operator";
    return bar(`frozen ${operator}`, "snow", "The channel is frozen: only operators can write.", { silent: !operator });
  }
  // The other one cannot answer, but the user can still write.
  const [other] = channel.is_distinct && channel.member_count === 2 ? app.names.others(channel) : [];
  if (other && app.chat.blocked.has(other.id)) {
    const user = app.chat.user(other.id) ?? other;
    const name = userName(user);
    const text = `You have blocked ${name}, who cannot write to you here.`;
    const free = button("Unblock", () => unblock(app, user), { small: true, "aria-label": `Unblock ${name}` });
    return bar(`blocked ${name}`, "ban", text, { silent: false, actions: [free] });
  }
  return null;
}
