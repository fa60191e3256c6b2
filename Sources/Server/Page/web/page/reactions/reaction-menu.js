import { reactionBar } from "./reaction-bar.js";
import { openEmojiList } from "./emoji-list.js";

/** Opens the reaction bar on its own, beside its button. */
export function openReactionMenu(app, message, anchor) {
  const header = reactionBar(app, message, {
    chosen: () => menu.close(),
    more: () => {
      menu.close();
      openEmojiList(app, message);
    },
  });
  const menu = app.menu(anchor, [], { label: "React", header });
}
