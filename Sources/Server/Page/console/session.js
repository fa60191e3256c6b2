// The server key, kept in this tab only, and its permissions.

import { ApiError, UNAUTHORIZED } from "./api.js";

const KEY = "belfry.console.key";

/** @returns {string} "" if there is none */
export const keptKey = () => sessionStorage.getItem(KEY) ?? "";
export const keepKey = (key) => sessionStorage.setItem(KEY, key);
export const forgetKey = () => sessionStorage.removeItem(KEY);

/**
 * @typedef {object} Session
 * @property {string} id the key's name
 * @property {string[]} scopes
 * @property {string[]} commands those that the key may call
 * @property {number} [expires_at] ms since 1970
 * @property {string} version of the server
 * @property {boolean} is_clustered
 *
 * @returns {Promise<Session>}
 * @throws {ApiError} code 101 for a key that the server does not accept
 */
export async function openSession(api) {
  try {
    return await api.get("/session");
  } catch (error) {
    if (error.code !== UNAUTHORIZED) throw error;
    const { status, code } = error;
    throw new ApiError({ status, code, message: "The server does not know this key, or it has expired." });
  }
}
