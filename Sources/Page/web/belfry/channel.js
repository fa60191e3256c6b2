import { Emitter } from "./emitter.js";
import { isObject } from "./objects.js";
import { asMessage, isMessage, standsInChannel, updated, without } from "./messages.js";
import { Typing } from "./typing.js";
import { marked, Unread } from "./unread.js";

/** How long it is waited for more of the same before a channel is fetched again, in ms. */
const REFETCH_DELAY = 200;
/** Between two such fetches of one channel, in ms. */
const REFETCH_INTERVAL = 1_000;
/** The same where only the number of many members changed: thousands may join at once, and as many look. */
const CROWD_INTERVAL = 10_000;
/** Whose receipts are kept: the server tells them in channels of up to 100 members. */
const RECEIPTS = 100;

/** One channel, as the signed-in user sees it. */
export class Channel extends Emitter {
  /** @type {string} */
  id;
  /** null until it is loaded. @type {ChannelJSON | null} */
  value = null;
  /** `gone`: deleted, left, banned from, declined; `value` is what it was. @type {"loading" | "ready" | "failed" | "gone"} */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  /** Whether it is gone for everyone. */
  isDeleted = false;
  /** User id → offset up to which they have read, as far as heard. @type {Map<string, number>} */
  receipts = new Map();

  #core;
  #unread = new Unread();
  #typing = new Typing(() => this.changed());
  #loading = null;
  #refetchTimer = null;
  #refetchDue = 0;
  #fetchedAt = 0;
  /** Whether its members are others than when it was told. */
  #isStale = false;
  /** What happened while the channel was fetched. */
  #log = [];

  /** @internal `chat.channel(id)` gives them. */
  constructor(core, id) {
    super();
    this.#core = core;
    this.id = id;
  }

  /** Who types now, except oneself, in the order they began. @returns {User[]} */
  get typing() {
    return this.#typing.users.map((user) => this.#core.people.get(user.id) ?? user);
  }

  /** How many others are known to have read it. @param {Message} message @returns {number} */
  readCount({ offset, user }) {
    let count = 0;
    for (const [id, upTo] of this.receipts) {
      if (id !== this.#core.myID && id !== user?.id && upTo >= offset) count += 1;
    }
    return count;
  }

  /** Fetches it. @returns {Promise<void>} never rejects: see `state` and `error` */
  reload() {
    return (this.#loading ??= this.#fetch().finally(() => { this.#loading = null; }));
  }

  /** @internal @returns {Promise<void>} when it is known, or could not be fetched */
  async loaded() {
    if (this.value === null || this.#isStale) await this.reload();
  }

  /** Who has read up to where, in a small channel. @returns {Promise<void>} never rejects */
  async loadReceipts() {
    if (!this.value || this.value.joined_member_count > RECEIPTS || this.value.my?.state !== "joined") return;
    try {
      const { members } = await this.#core.ask("member.list", { channel_id: this.id, limit: RECEIPTS });
      for (const { user, last_read, online, last_seen_at } of members) {
        this.#core.people.learn({ ...user, online, last_seen_at });
        if (last_read) this.receipt(user.id, last_read.offset);
      }
    } catch {
      // They come one by one as people read on.
    }
  }

  /** @internal Something happened that only the server can tell the result of. */
  refetchSoon(interval = REFETCH_INTERVAL) {
    const due = Math.max(Date.now() + REFETCH_DELAY, this.#fetchedAt + interval);
    if (this.#refetchTimer !== null && this.#refetchDue <= due) return;
    clearTimeout(this.#refetchTimer);
    this.#refetchDue = due;
    this.#refetchTimer = setTimeout(async () => {
      this.#refetchTimer = null;
      // What happened while a fetch was under way may be missing in what it brings.
      await this.#loading;
      await this.reload();
    }, due - Date.now());
  }

  /** @internal People came or went: how many there are is asked for when someone looks. */
  countsChanged() {
    this.#isStale = true;
    const isShown = [...this.#core.timelines.of(this.id)].length > 0;
    if (isShown) this.refetchSoon(this.value?.member_count > RECEIPTS ? CROWD_INTERVAL : REFETCH_INTERVAL);
  }

  /** @internal The server told the whole channel. */
  told(json) {
    if (!isObject(json) || json.id !== this.id) return;
    const last = isMessage(json.last_message) ? asMessage(json.last_message, this.#core.myID) : undefined;
    const my = json.my ?? this.value?.my;
    const isIn = my === undefined || my.state === "joined" || my.state === "invited";
    const invitation = my?.state === "invited" ? this.value?.invitation : undefined;
    if (my) this.#unread.told(my, last);
    this.isDeleted = false;
    this.#set(without({ ...json, my, last_message: last, invitation }), isIn || json.is_public ? "ready" : "gone");
    for (const message of this.#log) this.receive(message);
    this.#log = [];
  }

  /** @internal The channel in an event: for everyone, or with `my` but without its last message. */
  heard(json) {
    if (!isObject(json) || !this.value) return;
    if (json.my) this.#unread.told(json.my, undefined);
    this.#set(without({
      ...json, my: json.my ?? this.value.my, last_message: this.value.last_message, invitation: this.value.invitation,
    }));
  }

  /** @internal Other fields, of which the rest is not known. */
  change(fields) {
    if (this.value) this.#set(without({ ...this.value, ...fields }));
  }

  /** @internal */
  changeMy(fields) {
    if (this.value) this.change({ my: without({ ...this.value.my, ...fields }) });
  }

  /** @internal @param {{isDeleted?: boolean}} [options] for everyone, not for this user alone */
  gone({ isDeleted = false } = {}) {
    this.#typing.clear();
    // A channel that is made anew under this id begins at offset 1.
    this.#unread = new Unread();
    this.receipts = new Map();
    this.isDeleted ||= isDeleted;
    if (this.state === "gone") return;
    this.#set(this.value && { ...this.value, my: { state: "none" } }, "gone");
  }

  /** @internal A message that was sent or, when it was fetched, may be known. */
  receive(json) {
    if (this.#loading) this.#remember(json);
    this.#typing.stopped(json.user?.id);
    if (!this.value || !standsInChannel(json)) return;
    const message = asMessage(json, this.#core.myID);
    const { my, last_message } = this.value;
    const isLast = message.offset === 0 || message.offset > (last_message?.offset ?? 0);
    const counted = my && this.#unread.receive(my, message, this.#core.myID);
    if (isLast || counted !== my) this.change({ last_message: isLast ? message : last_message, my: counted });
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

  /** @internal The own marker, from `read.changed` or a command's answer. */
  marked(read) {
    if (!this.value?.my) return;
    const my = marked(this.value.my, read);
    this.#unread.told(my, undefined);
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
      const { channel } = await this.#core.ask("channel.get", { channel_id: this.id });
      this.told(channel);
    } catch (error) {
      // 1000, 1001, 1003: it is not, or no longer, for this user.
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
    [this.value, this.state] = [value, state];
    if (state === "ready") this.error = undefined;
    this.#core.channels.changedFrom(before, this);
    this.changed();
  }
}
