// Stands here until the view does.

import { viewHeader } from "../controls.js";
import { h } from "../dom.js";
import { paths } from "../router.js";

/** @param {import("../app.js").App} app */
export function conversationView(app, params = {}) {
  return {
    element: h("section", { class: "view" }, viewHeader(app, { title: "Conversation", back: paths.home })),
    close() {},
  };
}
