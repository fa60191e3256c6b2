import { Emitter } from "./emitter.js";
import { order, SortedList } from "./sorted-list.js";

/** A live list of channels. */
export class ChannelView extends Emitter {
  /** @type {LoadState} */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  /** @protected */ sorted = new SortedList(byLatestMessage, (channel) => channel.id);

  /** The channels, sorted by latest message, newest first. @returns {ChannelJSON[]} */
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

/** Returns the time to sort by. A channel without messages uses the time when the user joined or was invited. */
function latest({ last_message, my, invitation, created_at }) {
  return last_message?.created_at ?? my?.joined_at ?? invitation?.at ?? created_at;
}

const byLatestMessage = (a, b) => order(latest(b), latest(a)) || order(a.id, b.id);
