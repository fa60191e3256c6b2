import { isObject } from "./objects.js";
import { isMessage } from "./messages.js";

/** Commands whose users are no longer members, and the query that member lists handle themselves. */
const NO_MEMBERS = new Set(["member.ban", "member.unban", "member.remove", "member.list"]);

/** Folds a command's reply. Its events carry the same facts and may arrive before or after it. */
export function absorb(core, method, data, result) {
  if (!isObject(result)) return;
  const { blocked, channels, people, timelines, threads, myID } = core;
  const { block, channel, member, members, message, read, reaction, thread, unread, user } = result;
  if (isObject(channel)) {
    if (method === "channel.delete") channels.get(channel.id)?.gone({ isDeleted: true });
    else if (method === "channel.leave" || method === "channel.decline") channels.get(channel.id)?.gone();
    else if (channel.my) channels.update(channel);
    if (method === "channel.leave") threads.channelGone(channel.id);
  }
  blocked.put(block);
  const lists = [...timelines.of(data.channel_id)];
  for (const each of [member, ...(Array.isArray(members) ? members : [])]) {
    if (!isObject(each)) continue;
    people.learn(each.user);
    if (!NO_MEMBERS.has(method)) for (const list of lists) list.put?.(each);
  }
  // The reply to `message.send` may come from an earlier attempt and lack later changes to the message.
  if (isMessage(message) && method !== "message.send") for (const list of lists) list.fetched(message);
  if (isObject(reaction)) for (const list of lists) list.fold({ type: "reaction.updated", reaction });
  if (isObject(read) && read.user_id === myID) channels.get(read.channel_id)?.marked(read);
  if (isObject(thread) && (method.startsWith("thread.mark") || method === "thread.update")) {
    for (const list of lists) list.threadChanged?.(thread);
    threads.threadChanged(thread);
  }
  if (isObject(unread)) channels.setServerTotals(unread);
  if (isObject(user)) people.learn(user);
}
