import { isObject } from "./objects.js";
import { isMessage } from "./messages.js";

/** Folds what a command's answer tells; its events may come before or after it, and say the same. */
export function absorb(core, method, data, result) {
  if (!isObject(result)) return;
  const { channels, people, timelines, threads, myID } = core;
  const { channel, member, members, message, read, reaction, thread, unread, user } = result;
  if (isObject(channel)) {
    if (method === "channel.delete") channels.get(channel.id)?.gone({ isDeleted: true });
    else if (method === "channel.leave" || method === "channel.decline") channels.get(channel.id)?.gone();
    else if (channel.my) channels.told(channel);
    if (method === "channel.leave") threads.channelGone(channel.id);
  }
  const lists = [...timelines.of(data.channel_id)];
  for (const each of [member, ...(Array.isArray(members) ? members : [])]) {
    if (!isObject(each)) continue;
    people.learn(each.user);
    // Who was banned is no member; lists of members are asked for by themselves.
    if (method !== "member.ban" && method !== "member.unban" && method !== "member.list") {
      for (const list of lists) list.put?.(each);
    }
  }
  // The answer to send may be that of an earlier try: without what has happened to the message since.
  if (isMessage(message) && method !== "message.send") for (const list of lists) list.fetched(message);
  if (isObject(reaction)) for (const list of lists) list.fold({ type: "reaction.updated", reaction });
  if (isObject(read) && read.user_id === myID) channels.get(read.channel_id)?.marked(read);
  if (isObject(thread) && (method.startsWith("thread.mark") || method === "thread.update")) {
    for (const list of lists) list.threadChanged?.(thread);
    threads.threadTold(thread);
  }
  if (isObject(unread)) channels.toldTotals(unread);
  if (isObject(user)) people.learn(user);
}
