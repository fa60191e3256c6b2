import { ChannelView } from "./channel-view.js";
import { Loads } from "./loads.js";

/** Search results in the server's order, kept up to date. */
export class ChannelSearch extends ChannelView {
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
  channelChanged(id, channel) {
    if (!this.#found.has(id)) return;
    if (channel) this.#found.set(id, channel);
    else this.#found.delete(id);
    this.changed();
  }

  async #load(fromStart) {
    const generation = (this.#generation += 1);
    if (this.state !== "ready") this.become("loading");
    try {
      const { channels, next } = await this.#core.query(this.#method, { ...this.#request, next: this.#next });
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
