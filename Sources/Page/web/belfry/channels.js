import { Channel } from "./channel.js";
import { ChannelList } from "./channel-list.js";

/** How many channels are remembered; a user is in 2,000 at most by default. */
const REMEMBERED = 10_000;
const PAGE = 100;
/** How many pages are loaded without being asked for. */
const FIRST_PAGES = 5;

/** All channels that are known, what they add up to, and the lists of them. */
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
  /** Whether every joined channel is here, so that the totals are their sum. */
  #isComplete = false;
  #totalsTimer = null;

  constructor(core) {
    this.#core = core;
    this.list = new ChannelList(core, this);
  }

  get(id) {
    return this.#channels.get(id);
  }

  /** @returns {Channel} which is being loaded if it was not known */
  open(id) {
    const channel = this.#ensure(id);
    if (channel.value === null && channel.state === "loading") void channel.reload();
    return channel;
  }

  /** The server told a channel. */
  told(json) {
    if (typeof json?.id === "string") this.#ensure(json.id).told(json);
  }

  get all() {
    return [...this.#channels.values()];
  }

  get hasMore() {
    return this.#next !== undefined;
  }

  // Loading

  /** Fetches the channels that were loaded again, or the first ones. */
  reload() {
    // The pages that are there already may be of before whatever this is asked for.
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
      // One that is not listed any more was left, or moved up while the pages were fetched: the server says which.
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
    const { channels, next } = await this.#core.ask("channel.list", {
      limit: PAGE, next: this.#next, order: "latest_message", include_empty: true, member_state: "all", hidden_state: "all",
    });
    for (const channel of channels) this.told(channel);
    this.#next = typeof next === "string" ? next : undefined;
    return channels;
  }

  // Numbers

  /** The totals as the server says they are; what one's channels add up to is no less right. */
  toldTotals(totals) {
    if (totals && !this.#isComplete) this.#setTotals(totals);
  }

  /** @internal A channel is no longer what it was. @param {ChannelJSON | null} before */
  changedFrom(before, channel) {
    const after = channel.state === "gone" ? null : channel.value;
    // Who leaves a public channel still finds it among the public ones.
    const left = after === null && channel.value?.is_public && !channel.isDeleted ? channel.value : null;
    this.list.channelChanged(before, after, left);
    const [old, now] = [numbers(before), numbers(after)];
    if (old.every((number, index) => number === now[index])) return;
    // Channels that are seen for the first time may be in the server's totals already.
    if (this.#isComplete || before) this.#add(old, now);
    if (!this.#isComplete) this.#askTotalsSoon();
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

  /** While not every channel is here, the sum is only near the truth. */
  #askTotalsSoon() {
    this.#totalsTimer ??= setTimeout(async () => {
      this.#totalsTimer = null;
      if (this.#isComplete) return;
      try {
        this.toldTotals((await this.#core.ask("read.counts", {})).unread);
      } catch {
        // The next change asks again.
      }
    }, 1_000);
  }

  #ensure(id) {
    let channel = this.#channels.get(id);
    if (!channel) {
      channel = new Channel(this.#core, id);
      this.#channels.set(id, channel);
      if (this.#channels.size > REMEMBERED) this.#forgetOne();
    }
    return channel;
  }

  /** One that the user is not in: looked at once, among the public ones. */
  #forgetOne() {
    for (const [id, { value, state }] of this.#channels) {
      if (state === "gone" || value?.my?.state === "none") return this.#channels.delete(id);
    }
  }
}

/** @returns {number[]} unread messages, mentions, and 1 if there are any */
function numbers(channel) {
  if (channel?.my?.state !== "joined") return [0, 0, 0];
  // The server's totals leave these out, too.
  if (channel.my.hidden_state === "hidden_prevent_auto_unhide") return [0, 0, 0];
  const { unread_count = 0, unread_mention_count = 0 } = channel.my;
  return [unread_count, unread_mention_count, unread_count > 0 ? 1 : 0];
}
