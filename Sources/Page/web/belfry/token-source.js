/** The user's token: asked for once at a time, kept until it is said to be over. */
export class TokenSource {
  #getToken;
  #token;
  #pending = null;

  /** @param {(() => Promise<string> | string) | undefined} getToken absent: there are no tokens */
  constructor(getToken) {
    this.#getToken = getToken;
  }

  get exists() {
    return this.#getToken !== undefined;
  }

  /**
   * @returns {Promise<string | undefined>}
   * @throws {Error} with `unauthorized: true` when there will be none
   */
  async get() {
    if (!this.#getToken) return undefined;
    if (this.#token) return this.#token;
    // `finally` comes a turn later, also when getToken throws at once: only then is it over.
    this.#pending ??= this.#fetch().finally(() => { this.#pending = null; });
    return await this.#pending;
  }

  /** The token that was given is over. */
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
