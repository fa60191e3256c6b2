/** Maximum number of attempts, and the base delay in ms, doubled with each attempt. */
const TRIES = 4;
const DELAY = 500;
/** The server's maximum page size. */
const PAGE = 100;

/** Queries to the server, retried after temporary errors. */
export class Queries {
  #client;

  /** @param {Client} client */
  constructor(client) {
    this.#client = client;
  }

  /** @returns {Promise<any>} @throws {RPCError} */
  async query(method, data) {
    for (let tries = 1; ; tries += 1) {
      try {
        return (await this.#client.rpc(method, data)) ?? {};
      } catch (error) {
        if (!error.temporary || tries >= TRIES || this.#client.state === "disconnected") throw error;
        await new Promise((resolve) => setTimeout(resolve, error.retryAfter ?? DELAY * 2 ** tries));
      }
    }
  }

  /** @param {string[]} ids @returns {Promise<User[]>} the existing ones */
  async users(ids) {
    const users = [];
    for (let at = 0; at < ids.length; at += PAGE) {
      const page = await this.query("user.list", { user_ids: ids.slice(at, at + PAGE), limit: PAGE });
      users.push(...page.users);
    }
    return users;
  }
}
