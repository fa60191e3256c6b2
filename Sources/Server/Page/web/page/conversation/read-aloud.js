import { userName } from "../format.js";
import { summaryOf } from "./words.js";

const LONGEST = 200;

/** Announces others' new messages in the open channel to screen readers, except those of blocked people. @returns {() => void} unsubscribes */
export function readAloud(app, channelId, isMine = () => true) {
  return app.chat.on("event", ({ event, recovered }) => {
    const { message } = event;
    if (recovered || !message || message.channel_id !== channelId) return;
    if (event.type !== "message.new" && event.type !== "thread.reply") return;
    if (message.user?.id === app.chat.me?.id || !isMine(message) || app.chat.blocked.wrote(message)) return;
    const author = message.kind === "admin" ? "Announcement" : userName(message.user);
    app.announce(`${author}: ${summaryOf(message)}`.slice(0, LONGEST));
  });
}
