// The server key, kept in this tab only, and what it may do.

const KEY = "belfry.console.key";

/** @returns {string} "" if there is none */
export const keptKey = () => sessionStorage.getItem(KEY) ?? "";
export const keepKey = (key) => sessionStorage.setItem(KEY, key);
export const forgetKey = () => sessionStorage.removeItem(KEY);

/**
 * @typedef {object} Session
 * @property {string} id the key's name
 * @property {string[]} scopes
 * @property {string[]} commands what the key may call
 * @property {number} [expires_at] ms since 1970
 * @property {string} version of the server
 * @property {boolean} is_clustered
 *
 * @returns {Promise<Session>}
 * @throws {Error} with a sentence for the user
 */
export async function openSession(api) {
  try {
    return await api.get("/session");
  } catch (error) {
    throw new Error(error.code === 101 ? "The server does not know this key, or it has expired." : error.message);
  }
}
