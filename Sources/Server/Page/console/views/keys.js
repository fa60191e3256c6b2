// The server keys: names, scopes, expiry and last use. Never a key itself.

import { loaded, sectionView, table, userText, when } from "../parts.js";
import { h } from "../../page/dom.js";

const expired = () => h("span", { class: "tag danger" }, "expired");

/** @param {import("../app.js").Console} app */
export function keysView(app) {
  const element = sectionView(
    app,
    { title: "Keys" },
    h("p", { class: "hint" }, "Keys are configured on the server (BELFRY_API_KEY, server.api_keys_file). ",
      "Last use is tracked since this server started."),
    loaded(app.api.get("/keys"), ({ keys }) =>
      table("Server keys", ["Key", "Scopes", "Expires", "Last used"], keys.map((key) => [
        [userText(key.id), " ", key.id === app.session.id && h("span", { class: "tag accent" }, "this one")],
        key.scopes.join(", "),
        key.expires_at ? [when(key.expires_at), " ", key.is_expired && expired()] : "never",
        key.last_used_at ? when(key.last_used_at) : "not used",
      ])),
    ),
  );
  return { element, close() {} };
}
