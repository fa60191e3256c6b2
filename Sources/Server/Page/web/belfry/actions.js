import { Emitter } from "./emitter.js";

/**
 * Thin wrappers around protocol commands. Each rejects with an `RPCError`. Successful changes are visible before its
 * promise resolves.
 */
export class Actions extends Emitter {
  // Messages

  /** @param {object} changes `text`, `mention_type`, `mentioned_user_ids`, `custom_type`, `data` @returns {Promise<Message>} */
  async edit(channelId, messageId, changes) {
    return (await this.rpc("message.update", { ...changes, channel_id: channelId, message_id: messageId })).message;
  }

  async remove(channelId, messageId) {
    await this.rpc("message.delete", { channel_id: channelId, message_id: messageId });
  }

  // Read markers

  /** @param {string} [messageId] the last message to mark; if absent, marks all */
  async markRead(channelId, messageId) {
    await this.rpc("read.mark", { channel_id: channelId, message_id: messageId });
  }

  /** Marks that message and all later ones as unread. */
  async markUnread(channelId, messageId) {
    await this.rpc("read.mark_unread", { channel_id: channelId, message_id: messageId });
  }

  async markAllRead() {
    await this.rpc("read.mark_all");
  }

  async markThreadRead(channelId, parentId, messageId) {
    await this.rpc("thread.mark_read", { channel_id: channelId, parent_message_id: parentId, message_id: messageId });
  }

  async markThreadUnread(channelId, parentId, messageId) {
    await this.rpc("thread.mark_unread", { channel_id: channelId, parent_message_id: parentId, message_id: messageId });
  }

  // People

  /** Blocks a user, who is not told. See `chat.blocked`. */
  async block(userId) {
    await this.rpc("user.block", { user_id: userId });
  }

  async unblock(userId) {
    await this.rpc("user.unblock", { user_id: userId });
  }

  // Channels

  /** @param {object} data as for `channel.create` @returns {Promise<ChannelJSON>} */
  async createChannel(data) {
    return (await this.rpc("channel.create", data)).channel;
  }

  async join(channelId) {
    await this.rpc("channel.join", { channel_id: channelId });
  }

  async leave(channelId) {
    await this.rpc("channel.leave", { channel_id: channelId });
  }

  async accept(channelId) {
    await this.rpc("channel.accept", { channel_id: channelId });
  }

  async decline(channelId) {
    await this.rpc("channel.decline", { channel_id: channelId });
  }

  async hide(channelId, { hide_previous_messages = false, allow_auto_unhide = true } = {}) {
    await this.rpc("channel.hide", { channel_id: channelId, hide_previous_messages, allow_auto_unhide });
  }

  async unhide(channelId) {
    await this.rpc("channel.unhide", { channel_id: channelId });
  }

  /** @returns {Promise<{joined: string[], invited: string[], refused: {user_id: string, code: number, message: string}[]}>} */
  async invite(channelId, userIds) {
    return await this.rpc("channel.invite", { channel_id: channelId, user_ids: userIds });
  }
}
