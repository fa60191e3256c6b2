import { Emitter } from "./emitter.js";
import { isObject } from "./objects.js";
import { order, SortedList } from "./sorted-list.js";

/** The server's maximum page size, and the pages of the longest list: a user can block 10,000 others. */
const PAGE = 100;
const PAGES = 100;

/** The users whom the signed-in user has blocked, in step with the user's other devices. */
export class BlockList extends Emitter {
  /** @type {LoadState} */
  state = "loading";
  /** The last load's error. @type {Error | undefined} */
  error;
  #core;
  #sorted = new SortedList((a, b) => order(nameOf(a), nameOf(b)) || order(a.user.id, b.user.id), ({ user }) => user.id);
  /** The current load. The results of older loads are discarded. */
  #generation = 0;
  /** The changes since the current load began. */
  #news = new Map();

  /** @internal Use `chat.blocked`. */
  constructor(core) {
    super();
    this.#core = core;
  }

  /** Sorted by name. @returns {BlockedUser[]} */
  get items() {
    return this.#sorted.items;
  }

  /** @param {string | undefined} userId */
  has(userId) {
    return this.#sorted.get(userId) !== undefined;
  }

  /** Returns whether a message, or the message in a quote, is by someone whom the user has blocked. */
  wrote({ user, from_blocked: wasMarked }) {
    // The server's mark is from the time of its answer, so the list decides once it is loaded.
    return this.has(user?.id) || (this.state !== "ready" && wasMarked === true);
  }

  /** @returns {Promise<void>} never rejects: see `state` */
  async reload() {
    const generation = (this.#generation += 1);
    const news = (this.#news = new Map());
    if (this.state === "failed") this.#become("loading");
    try {
      // Guests cannot block anyone.
      const found = this.#core.me?.is_guest ? [] : await this.#load();
      if (generation !== this.#generation) return;
      this.#sorted.replaceAll(found);
      for (const [block, at] of news.values()) this.#apply(block, at);
      this.#become("ready");
    } catch (error) {
      if (generation === this.#generation) this.#become(this.state === "ready" ? "ready" : "failed", error);
    }
  }

  /** @internal Folds `block.changed`, or a command's reply. @param {any} block @param {number} [at] */
  put(block, at = Date.now()) {
    if (!isBlock(block)) return;
    this.#news.set(block.user.id, [block, at]);
    this.#apply(block, at);
    this.changed();
  }

  async #load() {
    const found = [];
    let next;
    for (let page = 0; page < PAGES && (page === 0 || next !== undefined); page += 1) {
      const answer = await this.#core.query("user.list_blocked", { limit: PAGE, next });
      found.push(...(Array.isArray(answer.blocked) ? answer.blocked.filter(isBlock) : []));
      next = typeof answer.next === "string" ? answer.next : undefined;
    }
    return found;
  }

  #apply({ user, is_blocked: isBlocked }, at) {
    if (isBlocked) this.#sorted.put({ user, at: this.#sorted.get(user.id)?.at ?? at });
    else this.#sorted.remove(user.id);
  }

  #become(state, error) {
    Object.assign(this, { state, error });
    this.changed();
  }
}

const isBlock = (block) => isObject(block) && typeof block.user?.id === "string";
const nameOf = ({ user }) => (user.nickname ?? "").toLowerCase();
