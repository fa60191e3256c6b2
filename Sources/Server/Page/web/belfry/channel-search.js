import { ChannelView } from "./channel-view.js";
import { Pages } from "./pages.js";

/** Search results in the server's order, kept up to date. */
export class ChannelSearch extends ChannelView {
  #found = new Map();
  #pages;

  constructor(core, method, request) {
    super();
    this.#pages = new Pages((next) => core.query(method, { ...request, next }), {
      begun: () => (this.state !== "ready" ? this.become("loading") : undefined),
      arrived: ({ channels }, isFirst) => {
        if (isFirst) this.#found.clear();
        for (const channel of channels) this.#found.set(channel.id, channel);
        this.become("ready");
      },
      failed: (error) => this.become("failed", error),
    });
  }

  get items() {
    return [...this.#found.values()];
  }

  get hasMore() {
    return this.#pages.hasMore;
  }

  reload() {
    return this.#pages.reload();
  }

  loadMore() {
    return this.#pages.loadMore();
  }

  /** @internal */
  channelChanged(id, channel) {
    if (!this.#found.has(id)) return;
    if (channel) this.#found.set(id, channel);
    else this.#found.delete(id);
    this.changed();
  }
}
