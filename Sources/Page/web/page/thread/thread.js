// Stands here until the view does.

import { viewHeader } from "../controls.js";
import { h } from "../dom.js";
import { paths } from "../router.js";

/** @param {import("../app.js").App} app */
export function threadView(app, params = {}) {
  return {
    element: h("section", { class: "view" }, viewHeader(app, { title: "Thread", back: paths.channel(params.channelId), close: paths.channel(params.channelId) })),
    close() {},
  };
}
