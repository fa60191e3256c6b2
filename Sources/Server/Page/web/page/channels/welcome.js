// The main view when no channel is open.

import { button, notice } from "../controls.js";
import { h } from "../dom.js";
import { paths } from "../router.js";
import { createChannelDialog } from "./create-channel.js";

/** @param {import("../app.js").App} app */
export function welcomeView(app) {
  const element = h(
    "section",
    { class: "view welcome" },
    notice({
      icon: "bell",
      title: "No channel is open",
      text: "Pick one on the left, make a new one, or look at the public ones.",
      action: h(
        "div",
        { class: "answers" },
        button("New channel", () => createChannelDialog(app), { primary: true, icon: "add" }),
        button("Public channels", () => app.navigate(paths.public), { icon: "globe" }),
      ),
      role: "note",
    }),
  );
  return { element, close() {} };
}
