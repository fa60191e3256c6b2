// Routes of the console: the fragment is the place, so that a reload shows it again.

import { partsOf, router as follow } from "../page/router.js";

/** @param {string} hash `location.hash` @returns {{name: string, parts: string[], path: string}} */
export function parseRoute(hash) {
  const { path, parts: [name, ...parts] } = partsOf(hash);
  return { name: name || "menu", parts, path };
}

/** Joins a route's parts into a path. */
const join = (...parts) => "/" + parts.map((part) => encodeURIComponent(String(part).toWellFormed())).join("/");

/** The paths of the console, for links (`"#" + path`) and `app.navigate(path)`. */
export const paths = {
  menu: "/",
  section: (name) => join(name),
  reports: (state) => join("reports", state),
  report: (id) => join("reports", "one", id),
  user: (id) => join("users", id),
  channel: (id, tab = "messages") => join("channels", id, tab),
  message: (channelId, messageId) => join("channels", channelId, "messages", messageId),
  sanctions: (kind) => join("sanctions", kind),
};

/** Routes by the fragment: see page/router.js. @param {(route: object) => void} show */
export const router = (show) => follow(show, parseRoute);
