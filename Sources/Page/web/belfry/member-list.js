import { Emitter } from "./emitter.js";

/** Joined and invited people of one channel; kept live (roles, presence, mutes, who comes and goes). */
export class MemberList extends Emitter {
  /** @type {Member[]} */
  items = [];
  /** @type {LoadState} */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  hasMore = false;
  async loadMore() {}
  async reload() {}
  close() {}
}
