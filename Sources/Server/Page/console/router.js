// Routes of the console: the fragment is the place, so that a reload shows it again.

/** @param {string} hash `location.hash` @returns {{name: string, parts: string[], path: string}} */
export function parseRoute(hash) {
  const path = hash.startsWith("#/") ? hash.slice(1) : "/";
  let parts;
  try {
    parts = path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    parts = [""]; // a lone percent sign
  }
  const [name, ...rest] = parts;
  return { name: name || "menu", parts: rest, path };
}

/** Joins a route's parts into a path. */
const path = (...parts) => "/" + parts.map((part) => encodeURIComponent(String(part).toWellFormed())).join("/");

/** The paths of the console, for links (`"#" + path`) and `app.navigate(path)`. */
export const paths = {
  menu: "/",
  section: (name) => path(name),
  reports: (state) => path("reports", state),
  report: (id) => path("reports", "one", id),
  user: (id) => path("users", id),
  channel: (id, tab = "messages") => path("channels", id, tab),
  message: (channelId, messageId) => path("channels", channelId, "messages", messageId),
};

/**
 * @param {(route: object) => void} show called immediately and on every change
 * @returns {{navigate(path: string): void, refresh(): void, close(): void}}
 */
export function router(show) {
  const follow = () => show(parseRoute(location.hash));
  addEventListener("hashchange", follow);
  follow();
  return {
    navigate(path) {
      if (location.hash === "#" + path) follow();
      else location.hash = path;
    },
    refresh: follow,
    close: () => removeEventListener("hashchange", follow),
  };
}
