/** The maximum number of addresses. */
const LIMIT = 64;

/** The addresses of a client, in a random order of its own, so that the clients of a lost node spread over all others. */
export class Addresses {
  #urls;
  #random;
  #current = 0;
  /** The number of addresses that have failed in this round. */
  #failed = 0;

  /**
   * @param {string | string[]} urls
   * @param {() => number} [random] 0 to below 1
   * @throws {TypeError} if the list is empty or too long, or contains an invalid or the same address twice, or `ws` next
   *   to `wss`
   */
  constructor(urls, random = Math.random) {
    this.#random = random;
    this.#urls = Array.isArray(urls) ? shuffled(checked(urls), random) : [urls];
  }

  /** The address in use, or the next one to try. */
  get current() {
    return this.#urls[this.#current];
  }

  /** Moves on to the next address. @returns {boolean} whether every address has failed in this round */
  advance() {
    this.#current = (this.#current + 1) % this.#urls.length;
    this.#failed += 1;
    if (this.#failed < this.#urls.length) return false;
    this.#failed = 0;
    return true;
  }

  /** Starts a new round at the current address, because it works. */
  reset() {
    this.#failed = 0;
  }

  /** @param {number} shortest the shortest delay between rounds @returns {number} the delay between two addresses */
  delayWithinRound(shortest) {
    return shortest * this.#random();
  }
}

function checked(urls) {
  if (urls.length < 1 || urls.length > LIMIT) throw new TypeError(`expected 1 to ${LIMIT} addresses, not ${urls.length}`);
  const parsed = urls.map((url) => new URL(url));
  for (const [index, { href, protocol }] of parsed.entries()) {
    if (protocol !== "ws:" && protocol !== "wss:") throw new TypeError(`${href} is neither ws nor wss`);
    // Whoever blocks the encrypted addresses would otherwise get the token in clear.
    if (protocol !== parsed[0].protocol) throw new TypeError("ws and wss addresses cannot be mixed");
    if (parsed.findIndex((other) => other.href === href) < index) throw new TypeError(`${href} is listed twice`);
  }
  return urls.map(String);
}

function shuffled(urls, random) {
  for (let last = urls.length - 1; last > 0; last -= 1) {
    const index = Math.floor(random() * (last + 1));
    [urls[last], urls[index]] = [urls[index], urls[last]];
  }
  return urls;
}
