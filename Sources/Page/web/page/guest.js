// Coming in without an account, where the server has guests.

import { errorText } from "./errors.js";

/** How long the server may take, in ms. */
const PATIENCE = 30_000;

/** The server says so in the page itself. */
export const guestsAreWelcome = () => document.querySelector('meta[name="guests"]')?.content === "yes";

/**
 * Makes a guest.
 * @returns {Promise<string>} their token
 * @throws {Error} whose message is for people
 */
export async function guestToken() {
  let body;
  try {
    const headers = { "Content-Type": "application/json" };
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await fetch("/v1/guest.create", { method: "POST", headers, body: "{}", signal });
    body = await response.json();
  } catch {
    // Nobody there, or a proxy with a page of its own.
    throw new Error("The server does not answer. Try again.");
  }
  if (typeof body?.token !== "string") throw new Error(errorText(body?.error));
  return body.token;
}
