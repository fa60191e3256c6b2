// What stands in the middle while no channel is open.

import { notice } from "../controls.js";
import { h } from "../dom.js";

export function welcomeView() {
  const element = h("section", { class: "view welcome" },
    notice({ icon: "bell", title: "Pick a channel", text: "Choose one on the left, or make a new one.", role: "note" }));
  return { element, close() {} };
}
