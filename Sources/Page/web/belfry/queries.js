/** How often a question is asked, and the delay before the second time, doubled each time, in ms. */
const TRIES = 4;
const DELAY = 500;
/** The most that one list of the server holds. */
const PAGE = 100;

/** Questions to the server: asked again while the answer is that it cannot be given now. */
export class Queries {
  #client;

  /** @param {Client} client */
  constructor(client) {
    this.#client = client;
  }

  /** @returns {Promise<any>} @throws {RPCError} */
  async ask(method, data) {
    for (let tries = 1; ; tries += 1) {
      try {
        return (await this.#client.rpc(method, data)) ?? {};
      } catch (error) {
        if (!error.temporary || tries >= TRIES || this.#client.state === "disconnected") throw error;
        await new Promise((resolve) => setTimeout(resolve, error.retryAfter ?? DELAY * 2 ** tries));
      }
    }
  }

  /** @param {string[]} ids @returns {Promise<User[]>} those who exist */
  async users(ids) {
    const users = [];
    for (let at = 0; at < ids.length; at += PAGE) {
      const page = await this.ask("user.list", { user_ids: ids.slice(at, at + PAGE), limit: PAGE });
      users.push(...page.users);
    }
    return users;
  }
}
