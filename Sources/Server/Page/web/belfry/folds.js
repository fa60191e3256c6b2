import { isObject } from "./objects.js";
import { isMessage } from "./messages.js";

/**
 * How each event type changes channels and people. Timelines, threads and member lists fold events themselves.
 *
 * Folds are idempotent, because an event about a user arrives both in their inbox and in the channel.
 * @type {Record<string, (core: object, event: TypedEvent, at: {channelId: string, isInbox: boolean,
 *   recovered: boolean}) => void>}
 */
export const FOLDS = {
  "message.new": received,
  "thread.reply": received,
  "message.updated": ({ channels }, { message }, { channelId }) => {
    if (isMessage(message)) channels.get(channelId)?.messageUpdated(message);
  },
  "message.deleted": ({ channels }, { message_id }, { channelId }) => channels.get(channelId)?.messageDeleted(message_id),

  // These affect only messages, and the lists with the messages fold them.
  "thread.updated": () => {},
  "reaction.updated": () => {},

  "read.changed": ({ channels, myID }, { read }, { isInbox }) => {
    if (!isObject(read) || read.parent_message_id !== undefined) return;
    const channel = channels.get(read.channel_id);
    if (isInbox && read.user_id === myID) channel?.marked(read);
    channel?.receipt(read.user_id, read.last_read?.offset);
  },
  "unread.changed": ({ channels }, { unread }) => channels.setServerTotals(unread?.totals),

  "invitation.received": (core, { invitation }, { isInbox }) => {
    if (!isObject(invitation?.channel)) return;
    if (isInbox) invitedMe(core, invitation);
    else core.channels.get(invitation.channel.id)?.updateFromEvent(invitation.channel);
  },
  "invitation.accepted": (core, event, at) => invitationEnded(core, event, at, { isIn: true }),
  "invitation.declined": (core, event, at) => invitationEnded(core, event, at, { isIn: false }),
  "invitation.cancelled": (core, event, at) => invitationEnded(core, event, at, { isIn: false }),

  "channel.created": ({ channels }, { channel }) => void channels.open(channel.id),
  "channel.updated": channelChanged,
  "channel.frozen": channelChanged,
  "channel.unfrozen": channelChanged,
  "channel.deleted": ({ channels }, { channel }) => channels.get(channel.id)?.gone({ isDeleted: true }),
  "channel.hidden": channelOfMine,
  "channel.unhidden": ({ channels }, { channel }) => channels.open(channel.id).updateFromEvent(channel),
  "channel.history_reset": channelOfMine,

  "member.joined": memberChanged,
  "member.left": memberGone,
  "member.banned": memberGone,
  "member.unbanned": () => {},
  "member.muted": memberChanged,
  "member.unmuted": memberChanged,
  "operator.added": memberChanged,
  "operator.removed": memberChanged,

  "block.changed": ({ blocked }, { block, at }) => blocked.put(block, at),
  "user.muted": ({ channels }, { sanction }) => channels.mutedInApp(sanction?.until),
  // Only the server knows in which channels the user is still muted.
  "user.unmuted": ({ channels }) => void channels.reload(),
  // The server ends the connection.
  "user.banned": () => {},
  "user.unbanned": () => {},

  // `usersIn` already updates the user.
  "user.updated": () => {},
  "presence.changed": ({ people }, { presence }) => people.updatePresence(presence),
  "typing.started": ({ channels, myID }, { typing, at }, { channelId }) => {
    if (typing?.user?.id !== myID) channels.get(channelId)?.typed(typing, at);
  },
  "typing.stopped": ({ channels }, { typing }, { channelId }) => channels.get(channelId)?.stoppedTyping(typing?.user?.id),
};

/** Returns all users contained in an event. */
export function usersIn({ message, thread, member, invitation, user, typing }) {
  return [
    message?.user, message?.parent?.user, member?.user, invitation?.inviter, invitation?.invitee, user, typing?.user,
    ...(Array.isArray(thread?.most_replied_users) ? thread.most_replied_users : []),
  ];
}

function received({ channels, outgoing, myID }, { message }, { channelId, recovered }) {
  if (!isMessage(message)) return;
  if (message.user?.id === myID && message.client_id) outgoing.arrived(message);
  // An unknown channel appears with its first message.
  channels.open(channelId).receive(message, { isOld: recovered });
}

function channelChanged({ channels, threads }, { channel }) {
  channels.get(channel.id)?.updateFromEvent(channel);
  threads.channelChanged(channel);
}

/**
 * Handles an event that arrives in the inbox with `my`. Fetches the channel, because only the server knows the last
 * message and what else changed.
 */
function channelOfMine({ channels }, { channel }) {
  const known = channels.open(channel.id);
  known.updateFromEvent(channel);
  known.refetchSoon();
}

function invitedMe({ channels }, { channel: json, inviter, at }) {
  const channel = channels.get(json.id);
  if (channel?.value?.my?.state === "joined" && channel.state === "ready") return;
  channels.update({ ...json, my: { state: "invited" } });
  channels.get(json.id).change({ invitation: { inviter, at } });
}

function invitationEnded({ channels, myID }, { invitation }, { isInbox }, { isIn }) {
  if (!isObject(invitation?.channel)) return;
  const channel = channels.get(invitation.channel.id);
  if (invitation.invitee?.id === myID) {
    if (isIn) channels.open(invitation.channel.id).refetchSoon();
    else if (channel?.value?.my?.state !== "joined") channel?.gone();
  } else if (!isInbox) {
    channel?.updateFromEvent(invitation.channel);
  }
}

function memberChanged({ channels, myID }, { type, member }, { channelId, isInbox }) {
  if (!isObject(member) || channelId === undefined) return;
  const channel = channels.open(channelId);
  if (member.user?.id !== myID) {
    if (type === "member.joined") channel.countsChanged();
    return;
  }
  if (type === "member.joined") return channel.refetchSoon();
  channel.changeMy({ role: member.role, muted_until: member.muted_until });
  // The user may also be muted in the whole app.
  if (type === "member.muted" || type === "member.unmuted") channel.refetchSoon();
}

function memberGone({ channels, threads, myID }, { member }, { channelId }) {
  const channel = channels.get(channelId);
  if (member?.user?.id !== myID) {
    channel?.stoppedTyping(member?.user?.id);
    return channel?.countsChanged();
  }
  channel?.gone();
  threads.channelGone(channelId);
}
