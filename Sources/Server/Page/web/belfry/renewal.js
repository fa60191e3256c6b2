import { RPCError } from "./rpc-error.js";

/** The maximum timer delay, in ms. */
const LONGEST = 2 ** 31 - 1;
/** Delay between a temporary failure and the next attempt, in ms. */
const RETRY = 2_000;

/** Renews the token of a live connection before it expires. */
export class Renewal {
  #tokens;
  #refresh;
  #listener;
  #timer = null;
  /** Distinguishes the current connection from earlier ones. */
  #generation = 0;

  /**
   * @param {TokenSource} tokens
   * @param {(token: string) => Promise<{refresh: {expires?: boolean, ttl?: number}}>} refresh
   * @param {{failed(error: Error): void, refused(code: number, reason: string): void}} listener
   */
  constructor(tokens, refresh, listener) {
    this.#tokens = tokens;
    this.#refresh = refresh;
    this.#listener = listener;
  }

  /**
   * Schedules the renewal after two thirds of the token's lifetime, or 15 s before it expires if that is later.
   * @param {number} ttl seconds
   */
  begin(ttl) {
    const life = Math.max(0, Number(ttl) || 0) * 1_000;
    this.#schedule(Math.max(500, life - Math.max(1_000, Math.min(15_000, life / 3))));
  }

  end() {
    this.#generation += 1;
    clearTimeout(this.#timer);
  }

  #schedule(delay) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#renew(), Math.min(delay, LONGEST));
  }

  async #renew() {
    const generation = this.#generation;
    try {
      this.#tokens.drop();
      const token = await this.#tokens.get();
      if (generation !== this.#generation) return;
      const { refresh } = await this.#refresh(token);
      if (generation === this.#generation && refresh?.expires) this.begin(refresh.ttl);
    } catch (error) {
      if (generation !== this.#generation) return;
      this.#listener.failed(error);
      if (error?.unauthorized) return this.#listener.refused(1, "unauthorized");
      // 109: the token from `getToken` had already expired.
      const isFinal = error instanceof RPCError && !error.temporary && error.code !== 109;
      if (isFinal) return this.#listener.refused(error.code, error.message);
      this.#schedule(error?.retryAfter ?? RETRY);
    }
  }
}
