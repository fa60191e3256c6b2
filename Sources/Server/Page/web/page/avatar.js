// Avatars of users and channels: a picture, or initials on a colour derived from the id.

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { userName } from "./format.js";

const HUES = [172, 205, 238, 268, 315, 350, 20, 45];

/** Hashes with FNV-1a, so that similar ids get different colours. */
function hue(id) {
  let hash = 0x811c9dc5;
  for (const character of id ?? "") hash = Math.imul(hash ^ character.codePointAt(0), 0x01000193) >>> 0;
  return HUES[(hash >>> 8) % HUES.length];
}

/** Returns the initials of the first and last words. */
export function initials(name) {
  const words = name.trim().split(/[\s_.-]+/u).filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...(word ?? "")][0] ?? "");
  return letters.join("").toUpperCase() || "?";
}

function picture(id, name, url, size, extra) {
  const style = { "--avatar-size": `${size}px`, "--hue": hue(id) };
  const element = h("span", { class: ["avatar", extra], "aria-hidden": "true", style });
  const letters = () => element.prepend(initials(name));
  // The content security policy allows only images from this server, because a third party would learn who views them
  // and when.
  if (url?.startsWith("/") && !url.startsWith("//")) {
    const image = h("img", { src: url, alt: "", loading: "lazy" });
    image.addEventListener("error", () => (image.remove(), letters()), { once: true });
    element.append(image);
  } else {
    letters();
  }
  return element;
}

/**
 * Creates a user's avatar. Decorative, because the name is shown beside it.
 * @param {{id: string, nickname?: string, profile_url?: string}} user
 * @param {{size?: number, online?: boolean}} [options] size in px; `online` sets the presence dot; if omitted, there is
 *   no dot
 */
export function avatar(user, { size = 40, online } = {}) {
  const element = picture(user?.id, userName(user), user?.profile_url, size);
  if (online !== undefined) element.append(h("span", { class: ["dot", online && "online"] }));
  return element;
}

export function channelAvatar(channel, { size = 44 } = {}) {
  if (channel.name) return picture(channel.id, channel.name, channel.cover_url, size, "square");
  const element = picture(channel.id, "", channel.cover_url, size, "square");
  if (!channel.cover_url) element.replaceChildren(icon("people"));
  return element;
}
