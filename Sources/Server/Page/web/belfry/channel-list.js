import { ChannelSearch } from "./channel-search.js";
import { ChannelView } from "./channel-view.js";

/** The server's maximum page size. */
const PAGE = 100;

/** Joined channels that are not hidden. The other channels are in `invited` and `hidden`. */
export class ChannelList extends ChannelView {
  /** Pending invitations, with `invitation`. @type {ChannelView} */
  invited = new ChannelView();
  /** Hidden (archived) channels, with either hidden state. @type {ChannelView} */
  hidden = new ChannelView();
  #core;
  #channels;
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

  /** Whether any of the three lists has more channels to load. */
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

  /**
   * Returns the user's channels whose names contain the text, including hidden channels and invitations. Close it after
   * use.
   * @returns {ChannelView}
   */
  search(text) {
    return this.#open(new ChannelSearch(this.#core, "channel.list", {
      limit: PAGE, name_contains: text, include_empty: true, hidden_state: "all",
    }));
  }

  /**
   * Returns public channels, newest first; `my.state` shows whether the user is a member. Close it after use.
   * @returns {ChannelView}
   */
  publicChannels(nameContains = "") {
    return this.#open(new ChannelSearch(this.#core, "channel.list_public", {
      limit: PAGE, name_contains: nameContains || undefined, include_empty: true,
    }));
  }

  /** @internal The number of listed channels. */
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
    for (const search of this.#searches) search.channelChanged(channel.id, after ?? left);
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

function kindOf({ my }) {
  if (my?.state === "invited") return "invited";
  if (my?.state !== "joined") return "none";
  return (my.hidden_state ?? "unhidden") === "unhidden" ? "shown" : "hidden";
}
