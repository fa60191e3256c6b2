/** The user's token, cached until dropped. At most one request runs at a time. */
export class TokenSource {
  #getToken;
  #token;
  #pending = null;

  /** @param {(() => Promise<string> | string) | undefined} getToken if absent, no tokens are used */
  constructor(getToken) {
    this.#getToken = getToken;
  }

  get exists() {
    return this.#getToken !== undefined;
  }

  /**
   * @returns {Promise<string | undefined>}
   * @throws {Error} with `unauthorized: true` if there will be no token
   */
  async get() {
    if (!this.#getToken) return undefined;
    if (this.#token) return this.#token;
    // `finally` runs a turn later, even if `getToken` throws synchronously, so #pending is cleared after it was set.
    this.#pending ??= this.#fetch().finally(() => { this.#pending = null; });
    return await this.#pending;
  }

  /** Drops an expired or rejected token. */
  drop() {
    this.#token = undefined;
  }

  async #fetch() {
    const token = await this.#getToken();
    if (typeof token !== "string" || token === "") {
      throw Object.assign(new Error("there is no token"), { unauthorized: true });
    }
    return (this.#token = token);
  }
}
