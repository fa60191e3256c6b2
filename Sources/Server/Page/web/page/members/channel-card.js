// A summary of the channel, above its members.

import { h, fill } from "../dom.js";
import { icon } from "../icons.js";
import { durationText, exactDurationText } from "../format.js";
import { channelFace } from "../channels/channel-row.js";

const KINDS = [
  ["is_frozen", "snow", "Frozen", "Only operators can write", "bronze"],
  ["is_public", "globe", "Public", "Anyone can join"],
  ["is_super", "people", "Supergroup", "For thousands of members"],
  ["is_distinct", "lock", "Distinct", "The same people always share this one channel"],
  ["is_ephemeral", "spark", "Ephemeral", "Messages are not stored"],
];

/** Renders the card of `channel` into `element`. */
export function drawChannelCard(app, element, channel) {
  const kinds = KINDS.filter(([flag]) => channel[flag]);
  const tags = kinds.map(([, name, text, title, look]) => h("span", { class: ["tag", look], title }, icon(name), text));
  const closed = () => h("span", { class: "tag", title: "By invitation only" }, icon("lock"), "Private");
  if (channel.message_seconds) {
    const text = `Messages disappear after ${durationText(channel.message_seconds)}`;
    tags.push(h("span", { class: "tag" }, icon("clock"), text));
  }
  if (channel.slow_mode_seconds) {
    const text = `One message in ${exactDurationText(channel.slow_mode_seconds)}`;
    tags.push(h("span", { class: "tag", title: "Slow mode" }, icon("slow"), text));
  }
  if (!channel.is_public) tags.unshift(closed());
  fill(
    element,
    channelFace(app, channel, 64),
    h("strong", { class: "name" }, app.names.of(channel)),
    h("span", { class: "tags" }, tags),
  );
}
