import { Channel } from "./channel.js";
import { ChannelList } from "./channel-list.js";

/** Maximum number of channels kept. By default, a user is in at most 2,000. */
const REMEMBERED = 10_000;
const PAGE = 100;
/** Number of pages loaded initially. */
const FIRST_PAGES = 5;

/** All known channels, their totals, and the lists of channels. */
export class Channels {
  /** @type {Map<string, Channel>} */
  #channels = new Map();
  #core;
  #next;
  #loading = null;
  #isDue = false;
  /** @type {ChannelList} */
  list;
  /** @type {Totals} */
  totals = Object.freeze({ unread_count: 0, unread_mention_count: 0, unread_channel_count: 0 });
  /** Whether all joined channels are loaded, so that the totals are their sum. */
  #isComplete = false;
  #totalsTimer = null;

  constructor(core) {
    this.#core = core;
    this.list = new ChannelList(core, this);
  }

  get(id) {
    return this.#channels.get(id);
  }

  /** @returns {Channel} the channel; if it was unknown, it is loading */
  open(id) {
    const channel = this.#ensure(id);
    if (channel.value === null && channel.state === "loading") void channel.reload();
    return channel;
  }

  /** Adds or updates a channel from the server. */
  update(json) {
    if (typeof json?.id === "string") this.#ensure(json.id).update(json);
  }

  get all() {
    return [...this.#channels.values()];
  }

  get hasMore() {
    return this.#next !== undefined;
  }

  /** Handles a mute in the whole app, which may be shorter than an earlier one. @param {number | undefined} until */
  mutedInApp(until) {
    if (!Number.isFinite(until)) return;
    for (const channel of this.all) {
      const { my } = channel.value ?? {};
      if (my?.state === "joined") channel.changeMy({ muted_until: Math.max(until, my.muted_until ?? 0) });
    }
    void this.reload();
  }

  // Loading

  /** Fetches the loaded channels again, or the first pages. */
  reload() {
    // Pages already fetched may predate the reason for this reload, so run it again.
    this.#isDue = this.#loading !== null;
    this.#loading ??= this.#reload().finally(() => {
      this.#loading = null;
      if (this.#isDue) return this.reload();
    });
    return this.#loading;
  }

  async #reload() {
    this.list.loadBegins();
    const pages = Math.max(FIRST_PAGES, Math.ceil(this.list.known / PAGE));
    const before = this.all.filter(({ value }) => value?.my?.state === "joined" || value?.my?.state === "invited");
    const listed = new Set();
    try {
      this.#next = undefined;
      for (let page = 0; page < pages; page += 1) {
        for (const { id } of await this.#loadPage()) listed.add(id);
        if (!this.hasMore) break;
      }
      this.#isComplete = !this.hasMore;
      // A missing channel was either left or moved up while the pages were fetched: ask the server.
      if (this.#isComplete) for (const channel of before) if (!listed.has(channel.id)) void channel.reload();
      if (this.#isComplete) this.#sum();
      this.list.loadEnds();
    } catch (error) {
      this.list.loadEnds(error);
    }
  }

  async loadMore() {
    if (!this.hasMore) return;
    try {
      await (this.#loading ??= this.#loadPage().finally(() => { this.#loading = null; }));
      this.#isComplete = !this.hasMore;
      if (this.#isComplete) this.#sum();
      this.list.loadEnds();
    } catch (error) {
      this.list.loadEnds(error);
    }
  }

  async #loadPage() {
    const { channels, next } = await this.#core.query("channel.list", {
      limit: PAGE, next: this.#next, order: "latest_message", include_empty: true, member_state: "all", hidden_state: "all",
    });
    for (const channel of channels) this.update(channel);
    this.#next = typeof next === "string" ? next : undefined;
    return channels;
  }

  // Totals

  /** Sets the totals from the server. Once all channels are loaded, their sum is just as accurate. */
  setServerTotals(totals) {
    if (totals && !this.#isComplete) this.#setTotals(totals);
  }

  /** @internal Handles a change to a channel. @param {ChannelJSON | null} before */
  changedFrom(before, channel) {
    const after = channel.state === "gone" ? null : channel.value;
    // A public channel that the user has left stays in the public list.
    const left = after === null && channel.value?.is_public && !channel.isDeleted ? channel.value : null;
    this.list.channelChanged(before, after, left);
    if (after === null) this.#core.channelGone(channel.id);
    const [old, now] = [numbers(before), numbers(after)];
    if (old.every((number, index) => number === now[index])) return;
    // The server's totals may already include a channel seen for the first time.
    if (this.#isComplete || before) this.#add(old, now);
    if (!this.#isComplete) this.#fetchTotalsSoon();
  }

  #add(old, now) {
    const { unread_count, unread_mention_count, unread_channel_count } = this.totals;
    this.#setTotals({
      unread_count: Math.max(0, unread_count + now[0] - old[0]),
      unread_mention_count: Math.max(0, unread_mention_count + now[1] - old[1]),
      unread_channel_count: Math.max(0, unread_channel_count + now[2] - old[2]),
    });
  }

  #sum() {
    const sum = [0, 0, 0];
    for (const { value, state } of this.all) {
      numbers(state === "gone" ? null : value).forEach((number, index) => { sum[index] += number; });
    }
    const [unread_count, unread_mention_count, unread_channel_count] = sum;
    this.#setTotals({ unread_count, unread_mention_count, unread_channel_count });
  }

  #setTotals({ unread_count, unread_mention_count, unread_channel_count }) {
    this.totals = Object.freeze({ unread_count, unread_mention_count, unread_channel_count });
    this.#core.changed();
  }

  /** Fetches the totals, because the sum is only an estimate while channels are missing. */
  #fetchTotalsSoon() {
    this.#totalsTimer ??= setTimeout(async () => {
      this.#totalsTimer = null;
      if (this.#isComplete) return;
      try {
        this.setServerTotals((await this.#core.query("read.counts", {})).unread);
      } catch {
        // The next change retries.
      }
    }, 1_000);
  }

  #ensure(id) {
    let channel = this.#channels.get(id);
    if (!channel) {
      channel = new Channel(this.#core, id);
      this.#channels.set(id, channel);
      if (this.#channels.size > REMEMBERED) this.#evictOne();
    }
    return channel;
  }

  /** Evicts a channel that the user is not in, such as one opened from the public list. */
  #evictOne() {
    for (const [id, { value, state }] of this.#channels) {
      if (state === "gone" || value?.my?.state === "none") return this.#channels.delete(id);
    }
  }
}

/** @returns {number[]} unread messages, mentions, and 1 if there are unread messages */
function numbers(channel) {
  if (channel?.my?.state !== "joined") return [0, 0, 0];
  // The server's totals also exclude these.
  if (channel.my.hidden_state === "hidden_prevent_auto_unhide") return [0, 0, 0];
  const { unread_count = 0, unread_mention_count = 0 } = channel.my;
  return [unread_count, unread_mention_count, unread_count > 0 ? 1 : 0];
}
