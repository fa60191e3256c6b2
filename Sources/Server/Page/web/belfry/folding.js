import { FOLDS, usersIn } from "./folds.js";
import { isObject } from "./objects.js";

/**
 * Maximum number of missed channels fetched one by one after a reconnect; if there are more, the whole list is fetched.
 */
const FETCHED_ONE_BY_ONE = 10;
/** Maximum number of users whose presence is refreshed after a reconnect. */
const WATCHED = 300;

/** Inbox events that overlap with events of another room. */
const OF_READING = new Set(["read.changed", "unread.changed"]);

/** Folds the client's publications and repairs gaps after reconnects. */
export class Folding {
  #core;
  #offs = [];
  #isCatchingUp = false;
  #isFirst = true;
  /** Rooms that may have missed publications. */
  #missed = new Set();
  #isInboxMissed = false;
  #wasReadElsewhere = false;
  #emojiHash;

  constructor(core) {
    this.#core = core;
    const { client } = core;
    this.#offs = [
      client.on("connected", (reply) => this.#connected(reply)),
      client.on("subscribed", (room) => this.#subscribed(room)),
      client.on("unsubscribed", ({ channel }) => this.#unsubscribed(channel)),
      client.on("publication", (publication) => this.#published(publication)),
      client.on("caughtup", () => this.#caughtUp()),
    ];
  }

  close() {
    for (const off of this.#offs) off();
  }

  #connected({ data }) {
    this.#isCatchingUp = true;
    this.#missed.clear();
    this.#isInboxMissed = false;
    this.#wasReadElsewhere = false;
    if (!isObject(data) || !isObject(data.user)) return;
    this.#core.signedIn(data);
    if (data.emoji_hash !== this.#emojiHash) void this.#loadEmojis(data.emoji_hash);
  }

  #subscribed({ channel, recovered }) {
    if (recovered) return;
    if (channel.startsWith("#")) this.#isInboxMissed = true;
    else if (this.#isCatchingUp) this.#missed.add(channel);
    else this.#entered(channel);
  }

  /** Handles a room added to a live connection, because it was created, joined or accepted. */
  #entered(channel) {
    void this.#core.channels.open(channel).reload();
    for (const timeline of this.#core.timelines.of(channel)) void timeline.reload();
  }

  #unsubscribed(room) {
    if (room.startsWith("#")) return;
    this.#core.channels.get(room)?.gone();
    this.#core.threads.channelGone(room);
  }

  #published({ channel: room, offset, data: event, recovered }) {
    if (!isObject(event) || typeof event.type !== "string") return;
    const isInbox = room.startsWith("#");
    const channelId = isInbox ? event.channel_id ?? event.channel?.id ?? event.read?.channel_id ?? event.unread?.channel_id : room;
    if (recovered && isInbox && OF_READING.has(event.type)) this.#wasReadElsewhere = true;
    try {
      if (event.type.startsWith("channel.") && typeof event.channel?.id !== "string") throw new Error(`${event.type} of nothing`);
      for (const user of usersIn(event)) this.#core.people.learn(user, { isOld: recovered });
      const fold = Object.hasOwn(FOLDS, event.type) ? FOLDS[event.type] : undefined;
      fold?.(this.#core, event, { channelId, isInbox, recovered });
      // Events about the user arrive in two rooms. Lists fold the channel's copy, except for types that only the inbox
      // has.
      if (!isInbox || IN_INBOX_ALONE.has(event.type)) {
        for (const timeline of [...this.#core.timelines.of(channelId)]) timeline.fold(event);
        this.#core.threads.fold(channelId, event);
      }
    } catch (error) {
      // The event violates the protocol; continue with the next one.
      this.#core.failed(error);
    }
    this.#core.emitEvent({ channel: room, offset, recovered, event });
  }

  #caughtUp() {
    this.#isCatchingUp = false;
    const { blocked, channels, threads, timelines } = this.#core;
    if (this.#isFirst || this.#isInboxMissed || blocked.error) void blocked.reload();
    // Nothing was missed before the first connect, because all initial queries follow it.
    const missed = this.#isFirst ? new Set() : this.#missed;
    // The order of events across rooms is unknown, so fetch the counts.
    const isListDue = this.#isFirst || this.#isInboxMissed || this.#wasReadElsewhere || missed.size > FETCHED_ONE_BY_ONE
      || channels.list.state === "failed";
    if (isListDue) void channels.reload();
    else for (const id of missed) void channels.open(id).reload();
    for (const channel of channels.all) if (channel.state === "failed") void channel.reload();
    for (const timeline of timelines.all) {
      const isOfTheMoment = timeline.isOfTheMoment && !this.#isFirst;
      if (missed.has(timeline.channelId) || isOfTheMoment || timeline.state === "failed") void timeline.reload();
      if (!this.#isFirst) void channels.get(timeline.channelId)?.loadReceipts();
    }
    if (missed.size > 0 || threads.state === "failed" || (this.#isInboxMissed && !this.#isFirst)) void threads.reload();
    if (!this.#isFirst) void this.#refreshPresence();
    this.#isFirst = false;
  }

  async #refreshPresence() {
    const ids = this.#core.people.watched(WATCHED);
    if (ids.length === 0) return;
    try {
      await this.#core.loadUsers(ids);
    } catch {
      // Keep the old presence; the next reconnect retries.
    }
  }

  async #loadEmojis(hash) {
    try {
      this.#core.setEmojis((await this.#core.query("emoji.list", {})).emojis);
      this.#emojiHash = hash;
    } catch (error) {
      // The next connection retries.
      if (!error.temporary) this.#core.failed(error);
    }
  }
}

const IN_INBOX_ALONE = new Set(["read.changed", "unread.changed", "channel.hidden", "channel.history_reset"]);
