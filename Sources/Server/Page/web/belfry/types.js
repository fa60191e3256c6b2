/**
 * Types of the server and the library, with the protocol's names. Missing fields are absent, never null. Times are
 * milliseconds since 1970 by the server's clock.
 *
 * Objects are replaced, not mutated, so an identical object (`===`) is unchanged. The lists (`items`, `messages`) are
 * the library's live arrays: do not keep or modify them.
 */

/** @typedef {{id: string, nickname?: string, profile_url?: string, metadata?: Record<string, string>, is_active?: boolean,
 *    is_guest?: boolean, is_deleted?: boolean, online?: boolean, last_seen_at?: number}} User A deleted user has no `nickname`. */

/** @typedef {{offset: number, message_id?: string}} ReadPosition */

/** The signed-in user's relation to a channel.
 * @typedef {{state: "joined" | "invited" | "none", role?: "operator" | "member", joined_at?: number, muted_until?: number,
 *    push?: string, unread_count?: number, unread_mention_count?: number, last_read?: ReadPosition,
 *    first_unread_message_id?: string,
 *    hidden_state?: "unhidden" | "hidden_allow_auto_unhide" | "hidden_prevent_auto_unhide"}} My */

/**
 * The library adds `invitation`, from the invitation event.
 * @typedef {{id: string, name: string, data?: string, metadata?: Record<string, string>, my?: My, is_public: boolean,
 *   is_distinct: boolean, is_super: boolean, is_frozen: boolean, is_ephemeral: boolean, custom_type?: string,
 *   cover_url?: string, created_at: number, created_by?: string, member_count: number, joined_member_count: number,
 *   message_seconds?: number, slow_mode_seconds?: number, first_offset?: number, last_message?: Message, invitation?: {inviter?: User, at: number}}} ChannelJSON
 */

/** @typedef {{id?: string, url: string, name?: string, size?: number, mime_type?: string,
 *    thumbnails?: {url: string, max_width: number, max_height: number}[]}} MessageFile */

/** A quoted parent.
 * @typedef {{id: string, state: "ok" | "unavailable" | "not_found", kind?: string, text?: string, user?: User,
 *    file?: MessageFile, created_at?: number}} MessageParent */

/** @typedef {{channel_id: string, parent_message_id: string, reply_count?: number, most_replied_users?: User[],
 *    last_reply_at?: number, title?: string, data?: string, unread_count?: number, last_read?: ReadPosition}} ThreadInfo */

/** @typedef {{key: string, count: number, mine: boolean, user_ids: string[], updated_at: number}} Reaction */

/**
 * The state of a message that is pending or has failed.
 * @typedef {object} LocalState
 * @property {"sending" | "failed"} state
 * @property {Error} [error] why it failed; an `RPCError` (with `code`) if the server rejected it
 * @property {{loaded: number, total: number}[]} [progress] per file of `files`, in bytes
 * @property {() => Promise<Message>} retry sends it again with the same `client_id`, so that it is stored only once
 * @property {() => void} discard removes it from the list and cancels its uploads
 */

/**
 * The library adds `key`, which identifies the message in a list and stays the same when a local message is sent. A
 * local message has `local`, `id` = `key`, no `offset`, and `{name, size, mime_type, url: "", file: File}` in `files`.
 * Deleted messages are removed from lists.
 * @typedef {{key: string, id: string, channel_id: string, kind: "text" | "file" | "files" | "admin", text?: string,
 *   files?: MessageFile[], user?: User, created_at: number, updated_at?: number, deleted_at?: number, offset?: number,
 *   client_id?: string, parent_message_id?: string, reply_to_channel?: boolean, parent?: MessageParent,
 *   thread?: ThreadInfo, reactions?: Reaction[], custom_type?: string, data?: string,
 *   mention_type?: "users" | "channel", mentioned_user_ids?: string[], meta_arrays?: Record<string, string[]>,
 *   expires_at?: number, from_blocked?: boolean, local?: LocalState}} Message
 */

/** @typedef {{user: User, role: "operator" | "member", state: "joined" | "invited", online?: boolean, joined_at?: number,
 *    invited_by?: string, muted_until?: number, banned_until?: number, last_read?: ReadPosition,
 *    last_seen_at?: number}} Member */

/** @typedef {{user: User, at: number}} BlockedUser */

/** @typedef {{thread: ThreadInfo, channel: ChannelJSON, parent: Message, replies: Message[], participants: User[]}}
 *    ThreadEntry  `replies`: the newest ones, oldest first */

/** @typedef {{key: string, url?: string, character?: string, category?: string}} Emoji */

/** @typedef {{unread_count: number, unread_mention_count: number, unread_channel_count: number}} Totals */

/** @typedef {"loading" | "ready" | "failed"} LoadState  `failed` has `.error`; `reload()` retries */

/** An event, as in `push.pub.data`: `type`, `at`, `by?` and its payload.
 * @typedef {{type: string, at: number, by?: string, [payload: string]: any}} TypedEvent */

export {};
