import { userName } from "../format.js";
import { usersOf } from "../users.js";

/**
 * Names the inviter, in a sentence without its full stop. Only the live event carries the inviter; for an invitation
 * received while offline, the server reports only the channel's creator.
 *
 * @param {import("../../belfry.js").Chat} chat @param {import("../../belfry/types.js").ChannelJSON} channel
 */
export function invitedBy(chat, channel) {
  const inviter = channel.invitation?.inviter;
  if (inviter) return `${userName(chat.user(inviter.id) ?? inviter)} invited you`;
  const isOthers = channel.created_by && channel.created_by !== chat.me?.id;
  const [maker] = isOthers ? usersOf(chat, [channel.created_by]) : [];
  return maker ? `You are invited to ${userName(maker)}’s channel` : "You are invited";
}
