import { Emitter } from "./emitter.js";
import { Loads } from "./loads.js";
import { order, SortedList } from "./sorted-list.js";

/** The most that one list of the server holds. */
const PAGE = 100;

/** A list of channels that keeps itself up to date. */
export class ChannelView extends Emitter {
  /** @type {LoadState} */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  /** @protected */ sorted = new SortedList(byLatestMessage, (channel) => channel.id);

  /** Newest message first. @returns {ChannelJSON[]} */
  get items() {
    return this.sorted.items;
  }

  get hasMore() {
    return false;
  }

  async loadMore() {}
  async reload() {}
  close() {}

  /** @internal */
  shows(channel, isWanted) {
    if (isWanted) this.sorted.put(channel);
    else if (!this.sorted.remove(channel.id)) return;
    this.changed();
  }

  /** @internal */
  remove(id) {
    if (this.sorted.remove(id)) this.changed();
  }

  /** @internal */
  become(state, error) {
    Object.assign(this, { state, error });
    this.changed();
  }
}

/** Joined channels that are not hidden; the others are beside it. */
export class ChannelList extends ChannelView {
  /** Open invitations, with `invitation`. @type {ChannelView} */
  invited = new ChannelView();
  /** Hidden (archived) channels, of both kinds. @type {ChannelView} */
  hidden = new ChannelView();
  #core;
  #channels;
  /** Searches that are open. */
  #searches = new Set();

  constructor(core, channels) {
    super();
    this.#core = core;
    this.#channels = channels;
    for (const view of [this.invited, this.hidden]) {
      Object.defineProperty(view, "hasMore", { get: () => this.hasMore });
      view.loadMore = () => this.loadMore();
      view.reload = () => this.reload();
    }
  }

  /** Whether there are more channels to load, of any of the three lists. */
  get hasMore() {
    return this.#channels.hasMore;
  }

  /** @returns {Promise<void>} never rejects: see `state` */
  async loadMore() {
    await this.#channels.loadMore();
  }

  async reload() {
    await this.#channels.reload();
  }

  /** My channels, hidden ones and invitations too, whose name contains the text. Close it. @returns {ChannelView} */
  search(text) {
    return this.#open(new ChannelSearch(this.#core, "channel.list", {
      limit: PAGE, name_contains: text, include_empty: true, hidden_state: "all",
    }));
  }

  /** Public channels, newest first; `my.state` tells whether one is in. Close it. @returns {ChannelView} */
  publicChannels(nameContains = "") {
    return this.#open(new ChannelSearch(this.#core, "channel.list_public", {
      limit: PAGE, name_contains: nameContains || undefined, include_empty: true,
    }));
  }

  /** @internal How many are listed. */
  get known() {
    return this.sorted.size + this.invited.sorted.size + this.hidden.sorted.size;
  }

  /** @internal */
  channelChanged(before, after, left) {
    const channel = after ?? before;
    if (!channel) return;
    const kind = after && kindOf(after);
    this.shows(channel, kind === "shown");
    this.invited.shows(channel, kind === "invited");
    this.hidden.shows(channel, kind === "hidden");
    for (const search of this.#searches) search.heard(channel.id, after ?? left);
  }

  /** @internal */
  loadBegins() {
    for (const view of this.#views) if (view.state !== "ready") view.become("loading");
  }

  /** @internal */
  loadEnds(error) {
    for (const view of this.#views) {
      if (error && view.state === "ready") view.become("ready", error);
      else view.become(error ? "failed" : "ready", error);
    }
  }

  get #views() {
    return [this, this.invited, this.hidden];
  }

  #open(search) {
    this.#searches.add(search);
    search.close = () => this.#searches.delete(search);
    void search.reload();
    return search;
  }
}

/** What the server finds, in its order; each as it is now. */
class ChannelSearch extends ChannelView {
  #core;
  #method;
  #request;
  #next;
  #found = new Map();
  #generation = 0;
  #loads = new Loads();

  constructor(core, method, request) {
    super();
    this.#core = core;
    this.#method = method;
    this.#request = request;
  }

  get items() {
    return [...this.#found.values()];
  }

  get hasMore() {
    return this.#next !== undefined;
  }

  async reload() {
    this.#next = undefined;
    await this.#loads.begin(() => this.#load(true));
  }

  async loadMore() {
    if (this.hasMore) await this.#loads.more(() => this.#load(false));
  }

  /** @internal */
  heard(id, channel) {
    if (!this.#found.has(id)) return;
    if (channel) this.#found.set(id, channel);
    else this.#found.delete(id);
    this.changed();
  }

  async #load(fromStart) {
    const generation = (this.#generation += 1);
    if (this.state !== "ready") this.become("loading");
    try {
      const { channels, next } = await this.#core.ask(this.#method, { ...this.#request, next: this.#next });
      if (generation !== this.#generation) return;
      if (fromStart) this.#found.clear();
      for (const channel of channels) this.#found.set(channel.id, channel);
      this.#next = typeof next === "string" ? next : undefined;
      this.become("ready");
    } catch (error) {
      if (generation === this.#generation) this.become("failed", error);
    }
  }
}

function kindOf({ my }) {
  if (my?.state === "invited") return "invited";
  if (my?.state !== "joined") return "none";
  return (my.hidden_state ?? "unhidden") === "unhidden" ? "shown" : "hidden";
}

/** A channel without a message counts from when one came in or was invited. */
function latest({ last_message, my, invitation, created_at }) {
  return last_message?.created_at ?? my?.joined_at ?? invitation?.at ?? created_at;
}

const byLatestMessage = (a, b) => order(latest(b), latest(a)) || order(a.id, b.id);
