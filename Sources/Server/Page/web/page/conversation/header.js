import { h, fill } from "../dom.js";
import { icon } from "../icons.js";
import { channelFace } from "../channels/channel-row.js";
import { iconButton, viewHeader } from "../controls.js";
import { durationText, exactDurationText, plural } from "../format.js";
import { paths } from "../router.js";

/**
 * The channel's name, its tags, and the search and members buttons.
 * @param {import("../../belfry/channel.js").Channel} channel
 */
export function conversationHeader(app, channel) {
  const element = h("div", { class: "conversation-header" });
  let shown;

  function update() {
    const value = channel.value;
    const title = value ? app.names.of(value) : "…";
    if (value === shown?.value && title === shown?.title) return;
    shown = { value, title };
    const members = () => app.navigate(paths.members(channel.id));
    const search = () => app.navigate(paths.search("", channel.id));
    const actions = ({ is_ephemeral: isEphemeral }) => [
      !isEphemeral && iconButton("search", "Search in this channel", search),
      iconButton("people", "Members", members),
    ];
    fill(
      element,
      viewHeader(app, {
        title,
        level: 1,
        lead: value && channelFace(app, value, 36),
        subtitle: value && subtitle(value),
        back: paths.home,
        actions: value?.my?.state === "joined" ? actions(value) : [],
      }),
    );
  }

  return { element, update };
}

function subtitle(channel) {
  const kinds = [
    channel.is_frozen && tag("snow", "Frozen", "frozen"),
    channel.is_ephemeral && tag("spark", "Ephemeral", "ephemeral"),
    channel.message_seconds && tag("clock", durationText(channel.message_seconds), "message-seconds"),
    channel.slow_mode_seconds && tag("slow", `Slow: ${exactDurationText(channel.slow_mode_seconds)}`, "slow-mode"),
  ].filter(Boolean);
  return h("span", { class: "conversation-facts" }, plural(channel.joined_member_count, "member"), kinds);
}

const tag = (name, text, kind) => h("span", { class: "tag", "data-tag": kind }, icon(name), text);
