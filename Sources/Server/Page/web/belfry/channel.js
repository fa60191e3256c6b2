import { Emitter } from "./emitter.js";
import { isObject } from "./objects.js";
import { asMessage, isMessage, standsInChannel, updated, without } from "./messages.js";
import { SlowMode } from "./slow-mode.js";
import { Typing } from "./typing.js";
import { marked, Unread } from "./unread.js";

/** Delay to collect further changes before fetching a channel again, in ms. */
const REFETCH_DELAY = 200;
/** Minimum time between fetches of one channel, in ms. */
const REFETCH_INTERVAL = 1_000;
/**
 * The minimum time if only the member count of a large channel changed, because thousands may join at the same time
 * while many others watch.
 */
const CROWD_INTERVAL = 10_000;
/** Maximum number of receipts kept. The server sends receipts in channels of up to 100 members. */
const RECEIPTS = 100;

/** A channel as the signed-in user sees it. */
export class Channel extends Emitter {
  /** @type {string} */
  id;
  /** The channel's data; null until loaded. @type {ChannelJSON | null} */
  value = null;
  /**
   * `gone` means deleted, left, banned from or declined; `value` then keeps the last known data.
   * @type {"loading" | "ready" | "failed" | "gone"}
   */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  /** Whether it was deleted for everyone. */
  isDeleted = false;
  /** Maps a user id to the offset up to which the user is known to have read. @type {Map<string, number>} */
  receipts = new Map();

  #core;
  #unread = new Unread();
  #slowMode = new SlowMode();
  #typing = new Typing(() => this.changed());
  #loading = null;
  #refetchTimer = null;
  #refetchDue = 0;
  #fetchedAt = 0;
  /** Whether members have changed since the last fetch. */
  #isStale = false;
  /** Messages received during a fetch. */
  #log = [];

  /** @internal Use `chat.channel(id)`. */
  constructor(core, id) {
    super();
    this.#core = core;
    this.id = id;
  }

  /** The other users typing now, in the order they started, without blocked ones. @returns {User[]} */
  get typing() {
    const users = this.#typing.users.filter(({ id }) => !this.#core.blocked.has(id));
    return users.map((user) => this.#core.people.get(user.id) ?? user);
  }

  /**
   * When slow mode allows the user's next message, in ms of the local clock; 0 if it may be sent now. An estimate from
   * the user's own messages, until the server refuses one with the exact wait (1051).
   * @returns {number}
   */
  get sendableAt() {
    return this.#slowMode.until(this.value);
  }

  /** Returns how many other users are known to have read the message. @param {Message} message @returns {number} */
  readCount({ offset, user }) {
    let count = 0;
    for (const [id, upTo] of this.receipts) {
      if (id !== this.#core.myID && id !== user?.id && upTo >= offset) count += 1;
    }
    return count;
  }

  /** Fetches the channel. @returns {Promise<void>} never rejects: see `state` and `error` */
  reload() {
    return (this.#loading ??= this.#fetch().finally(() => { this.#loading = null; }));
  }

  /** @internal @returns {Promise<void>} resolves once the channel was fetched or the fetch failed */
  async loaded() {
    if (this.value === null || this.#isStale) await this.reload();
  }

  /** Loads the read positions of a small channel's members. @returns {Promise<void>} never rejects */
  async loadReceipts() {
    if (!this.value || this.value.joined_member_count > RECEIPTS || this.value.my?.state !== "joined") return;
    try {
      const { members } = await this.#core.query("member.list", { channel_id: this.id, limit: RECEIPTS });
      for (const { user, last_read, online, last_seen_at } of members) {
        this.#core.people.learn({ ...user, online, last_seen_at });
        if (last_read) this.receipt(user.id, last_read.offset);
      }
    } catch {
      // The receipts still arrive one by one as users read on.
    }
  }

  /** @internal Schedules a fetch, for changes whose result only the server knows. */
  refetchSoon(interval = REFETCH_INTERVAL) {
    const due = Math.max(Date.now() + REFETCH_DELAY, this.#fetchedAt + interval);
    if (this.#refetchTimer !== null && this.#refetchDue <= due) return;
    clearTimeout(this.#refetchTimer);
    this.#refetchDue = due;
    this.#refetchTimer = setTimeout(async () => {
      this.#refetchTimer = null;
      // The result of a fetch already in progress may lack the latest changes.
      await this.#loading;
      await this.reload();
    }, due - Date.now());
  }

  /** @internal Handles joins and leaves. The count is fetched only while someone is looking. */
  countsChanged() {
    this.#isStale = true;
    const isShown = [...this.#core.timelines.of(this.id)].length > 0;
    if (isShown) this.refetchSoon(this.value?.member_count > RECEIPTS ? CROWD_INTERVAL : REFETCH_INTERVAL);
  }

  /** @internal Sets the complete channel from the server. */
  update(json) {
    if (!isObject(json) || json.id !== this.id) return;
    const last = isMessage(json.last_message) ? asMessage(json.last_message, this.#core.myID) : undefined;
    const my = json.my ?? this.value?.my;
    const isIn = my === undefined || my.state === "joined" || my.state === "invited";
    const invitation = my?.state === "invited" ? this.value?.invitation : undefined;
    if (my) this.#unread.reset(my, last);
    if (last) this.sawMessage(last);
    this.isDeleted = false;
    this.#set(without({ ...json, my, last_message: last, invitation }), isIn || json.is_public ? "ready" : "gone");
    for (const message of this.#log) this.receive(message, { isOld: true });
    this.#log = [];
  }

  /** @internal Updates the channel from an event, which carries the public part, or also `my`, but no last message. */
  updateFromEvent(json) {
    if (!isObject(json) || !this.value) return;
    if (json.my) this.#unread.reset(json.my, undefined);
    this.#set(without({
      ...json, my: json.my ?? this.value.my, last_message: this.value.last_message, invitation: this.value.invitation,
    }));
  }

  /** @internal Changes some fields and keeps the others. */
  change(fields) {
    if (this.value) this.#set(without({ ...this.value, ...fields }));
  }

  /** @internal */
  changeMy(fields) {
    if (this.value) this.change({ my: without({ ...this.value.my, ...fields }) });
  }

  /** @internal @param {{isDeleted?: boolean}} [options] whether it is gone for everyone, not just for this user */
  gone({ isDeleted = false } = {}) {
    this.#typing.clear();
    // A channel recreated with this id starts at offset 1.
    this.#unread = new Unread();
    this.receipts = new Map();
    this.isDeleted ||= isDeleted;
    if (this.state === "gone") return;
    this.#set(this.value && { ...this.value, my: { state: "none" } }, "gone");
  }

  /**
   * @internal Handles a new message, or one that the fetched channel may already include.
   * @param {{isOld?: boolean}} [options] whether it was sent earlier than now
   */
  receive(json, { isOld = false } = {}) {
    if (this.#loading) this.#remember(json);
    this.#typing.stopped(json.user?.id);
    this.sawMessage(json, isOld ? json.created_at : Date.now());
    if (!this.value || !standsInChannel(json)) return;
    const message = asMessage(json, this.#core.myID);
    const { my, last_message } = this.value;
    const isLast = message.offset === 0 || message.offset > (last_message?.offset ?? 0);
    const counted = my && this.#unread.receive(my, message, this.#core.myID);
    if (isLast || counted !== my) this.change({ last_message: isLast ? message : last_message, my: counted });
  }

  /** @internal Starts the wait of the slow mode if the message is the user's newest. */
  sawMessage({ user, created_at: createdAt }, at = createdAt) {
    if (user?.id !== this.#core.myID || !Number.isFinite(createdAt)) return;
    this.#slowMode.sent(createdAt, at);
    if (this.value?.slow_mode_seconds) this.changed();
  }

  /** @internal Handles a message that the slow mode refused. @param {number | undefined} retryAfter ms */
  slowedDown(retryAfter) {
    if (retryAfter === undefined) return;
    this.#slowMode.refused(retryAfter, this.value?.slow_mode_seconds ?? 0);
    this.changed();
  }

  /** @internal */
  messageUpdated(json) {
    if (!this.value) return;
    const { my, last_message } = this.value;
    if (last_message?.id === json.id) this.change({ last_message: updated(last_message, json) });
    if (my && this.#unread.mayChange(my, json, this.#core.myID)) this.refetchSoon();
  }

  /** @internal */
  messageDeleted(id) {
    if (!this.value) return;
    const my = this.value.my && this.#unread.remove(this.value.my, id);
    if (my === null || this.value.last_message?.id === id) return this.refetchSoon();
    if (my !== this.value.my) this.change({ my });
  }

  /** @internal Sets the user's own marker, from `read.changed` or a command's reply. */
  marked(read) {
    if (!this.value?.my) return;
    const my = marked(this.value.my, read);
    this.#unread.reset(my, undefined);
    this.change({ my });
  }

  /** @internal */
  receipt(userId, offset) {
    if (!Number.isSafeInteger(offset) || offset <= (this.receipts.get(userId) ?? 0)) return;
    if (this.receipts.size >= RECEIPTS && !this.receipts.has(userId)) return;
    this.receipts.set(userId, offset);
    this.changed();
  }

  /** @internal */
  typed(typing, at) {
    this.#typing.started(typing, at);
  }

  /** @internal */
  stoppedTyping(userId) {
    this.#typing.stopped(userId);
  }

  #remember(json) {
    if (this.#log.length < 1_000) this.#log.push(json);
    else this.refetchSoon();
  }

  async #fetch() {
    clearTimeout(this.#refetchTimer);
    this.#refetchTimer = null;
    this.#fetchedAt = Date.now();
    this.#isStale = false;
    this.#log = [];
    try {
      const { channel } = await this.#core.query("channel.get", { channel_id: this.id });
      this.update(channel);
    } catch (error) {
      // 1000, 1001, 1003: the channel does not exist for this user, or no longer does.
      if ([1000, 1001, 1003].includes(error.code)) {
        this.error = error;
        return this.gone();
      }
      this.error = error;
      if (!this.value) this.state = "failed";
      this.changed();
    }
  }

  #set(value, state = this.state === "gone" || value === null ? this.state : "ready") {
    const before = this.state === "gone" ? null : this.value;
    if (before && !before.slow_mode_seconds && value?.slow_mode_seconds) this.#slowMode.restart();
    [this.value, this.state] = [value, state];
    if (state === "ready") this.error = undefined;
    this.#core.channels.changedFrom(before, this);
    this.changed();
  }
}
