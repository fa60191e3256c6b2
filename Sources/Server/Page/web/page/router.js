// Maps the address to a route. The route is in the fragment, so that a reload shows the same place.

/**
 * @typedef {object} Route
 * @property {"home" | "public" | "threads" | "search" | "channel"} main
 * @property {"thread" | "members" | null} side
 * @property {string} [channelId]
 * @property {string} [text] the words to search for
 * @property {string} [parentId] of the thread in the side column
 * @property {string} [messageId] the message to scroll to in the conversation
 * @property {string} path
 */

/** Splits a fragment. @param {string} hash `location.hash` @returns {{path: string, parts: string[]}} parts: decoded */
export function partsOf(hash) {
  const path = hash.startsWith("#/") ? hash.slice(1) : "/";
  try {
    return { path, parts: path.split("/").slice(1).map(decodeURIComponent) };
  } catch {
    return { path, parts: [""] }; // a lone percent sign
  }
}

/** @param {string} hash `location.hash` @returns {Route} home for an unknown path */
export function parseRoute(hash) {
  const { path, parts } = partsOf(hash);
  const [head, channelId, side, id] = parts;
  if (head === "threads" || head === "public") return { main: head, side: null, path };
  if (head === "search") {
    const [, text, id] = parts;
    return { main: "search", side: null, text: text ?? "", ...(id && { channelId: id }), path };
  }
  if (head !== "c" || !channelId) return { main: "home", side: null, path };
  const route = { main: "channel", side: null, channelId, path };
  if (side === "t" && id) return { ...route, side: "thread", parentId: id };
  if (side === "m" && id) return { ...route, messageId: id };
  if (side === "members") return { ...route, side: "members" };
  return route;
}

/** The paths of the page's routes, for links (`"#" + path`) and `app.navigate(path)`. */
export const paths = {
  home: "/",
  threads: "/threads",
  public: "/public",
  search: (text = "", channelId) =>
    // Half of a surrogate pair cannot be encoded.
    `/search/${encodeURIComponent(text.toWellFormed())}${channelId ? `/${encodeURIComponent(channelId)}` : ""}`,
  channel: (channelId) => `/c/${encodeURIComponent(channelId)}`,
  thread: (channelId, parentId) => `/c/${encodeURIComponent(channelId)}/t/${encodeURIComponent(parentId)}`,
  message: (channelId, messageId) => `/c/${encodeURIComponent(channelId)}/m/${encodeURIComponent(messageId)}`,
  members: (channelId) => `/c/${encodeURIComponent(channelId)}/members`,
};

/**
 * Routes by the fragment.
 * @template {{path: string}} Place
 * @param {(route: Place) => void} show called immediately and on every change
 * @param {(hash: string) => Place} [parse]
 * @returns {{navigate(path: string, options?: {replace?: boolean}): void, close(): void}}
 */
export function router(show, parse = parseRoute) {
  const follow = () => show(parse(location.hash));
  addEventListener("hashchange", follow);
  follow();
  return {
    navigate(path, { replace = false } = {}) {
      if (location.hash === "#" + path) return follow();
      if (!replace) {
        location.hash = path;
        return;
      }
      history.replaceState(null, "", "#" + path);
      follow();
    },
    close: () => removeEventListener("hashchange", follow),
  };
}
