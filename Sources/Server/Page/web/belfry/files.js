import { RPCError } from "./rpc-error.js";
import { upload } from "./uploads.js";

/** Files on the server, over HTTP with the user's token. */
export class Files {
  #given;
  #client;
  #fetch;

  /** @param {Client} client @param {string | undefined} base @param {typeof fetch | undefined} fetch */
  constructor(client, base, fetch) {
    this.#client = client;
    this.#given = base === undefined ? undefined : new URL(base);
    this.#fetch = fetch ?? ((...request) => globalThis.fetch(...request));
  }

  /** By default, the address that the client uses at the moment. */
  get #base() {
    return this.#given ?? new URL(this.#client.url.replace(/^ws/, "http"));
  }

  /** @returns {string} the absolute URL */
  url(url) {
    return new URL(url, this.#base).href;
  }

  /** Returns whether the URL is on this server, because only then may requests carry the user's token. */
  isOwn(url) {
    return new URL(url, this.#base).origin === this.#base.origin;
  }

  /** @returns {Promise<Blob>} @throws {RPCError} */
  async fetch(url) {
    const isOwn = this.isOwn(url);
    // Other servers must not receive the token.
    const get = async (fresh) => this.#fetch(this.url(url), isOwn
      ? { headers: { Authorization: `Bearer ${await this.#client.token({ fresh })}` } }
      : { credentials: "omit", referrerPolicy: "no-referrer" });
    let response = await get(false);
    if (response.status === 401 && isOwn) response = await get(true);
    if (!response.ok) throw new RPCError({ code: response.status === 404 ? 1000 : 0, message: `status ${response.status}` });
    return await response.blob();
  }

  /** @returns {Promise<MessageFile>} @throws {RPCError} */
  async upload(channelId, file, { progress, signal }) {
    const url = new URL("/v1/files", this.#base);
    url.searchParams.set("channel_id", channelId);
    url.searchParams.set("name", file.name || "file");
    const send = async (fresh) => upload({
      url, token: await this.#client.token({ fresh }), body: file, signal, progress, fetch: this.#fetch,
    });
    try {
      return await send(false);
    } catch (error) {
      if (error.code !== 101 && error.code !== 109) throw error;
      return await send(true);
    }
  }
}
