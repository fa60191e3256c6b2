import { Emitter } from "./emitter.js";

/** The threads in which one wrote the parent or a reply, newest activity first. */
export class ThreadList extends Emitter {
  /** @type {ThreadEntry[]} */
  items = [];
  /** Threads that appeared since and are not in `items`. */
  newCount = 0;
  /** @type {LoadState} */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  hasMore = false;
  /** Starts it: called by the page when it is shown; does nothing when it is loaded. */
  async load() {}
  /** Takes the new ones in. */
  async loadNew() {}
  async loadMore() {}
  async reload() {}
}
