import { h } from "../dom.js";
import { typingText } from "./words.js";

/** "Ann is typing…" under the messages. An empty line keeps its height. */
export function typingLine(app, channel) {
  const text = h("span", { class: "ellipsis" });
  const dots = h("span", { class: "typing-dots", "aria-hidden": "true", hidden: true }, h("i"), h("i"), h("i"));
  const element = h("div", { class: "typing-line", role: "status", "aria-live": "polite" }, dots, text);
  const update = () => {
    const words = typingText(channel.typing);
    dots.hidden = words === "";
    if (text.textContent !== words) text.textContent = words;
  };
  const offs = [channel.on("change", update), app.chat.blocked.on("change", update)];
  update();
  return { element, close: () => offs.forEach((off) => off()) };
}
