// Guest sign-in, on servers that allow guests.

import { errorText } from "./errors.js";

/** Timeout of the request, in ms. */
const PATIENCE = 30_000;

/** The server puts this into the page. */
export const guestsAreWelcome = () => document.querySelector('meta[name="guests"]')?.content === "yes";

/**
 * Creates a guest account.
 * @returns {Promise<string>} the guest's token
 * @throws {Error} with a message for the user
 */
export async function guestToken() {
  let body;
  try {
    const headers = { "Content-Type": "application/json" };
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await fetch("/v1/guest.create", { method: "POST", headers, body: "{}", signal });
    body = await response.json();
  } catch {
    // The server is unreachable, or a proxy answered with its own page.
    throw new Error("The server is not responding. Try again.");
  }
  if (typeof body?.token !== "string") throw new Error(errorText(body?.error));
  return body.token;
}
