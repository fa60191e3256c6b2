// Requests to the server. The key travels in a header, never in an address, and cookies are neither sent nor stored.

import { errorText, UserError } from "../page/errors.js";

/** The code of a refusal without a valid key. */
export const UNAUTHORIZED = 101;

const SILENCE = "The server is not responding.";

/** A refusal, or a failed request. */
export class ApiError extends UserError {
  /** @param {{status?: number, code?: number, message: string}} refusal */
  constructor({ status, code, message }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * @param {string} key "" for requests without a key
 * @param {{onUnauthorized?(): void}} [options] called when the server no longer accepts the key
 */
export function api(key, { onUnauthorized } = {}) {
  async function send(path, options = {}) {
    const headers = { ...options.headers, ...(key && { "X-API-Key": key }) };
    let answer;
    try {
      answer = await fetch(path, {
        mode: "same-origin",
        credentials: "omit",
        cache: "no-store",
        redirect: "error",
        referrerPolicy: "no-referrer",
        ...options,
        headers,
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ApiError({ message: SILENCE });
    }
    if (answer.ok) return answer;
    const error = await refusal(answer);
    if (error.code === UNAUTHORIZED) onUnauthorized?.();
    throw error;
  }

  return {
    /** @returns {Promise<string>} */
    text: async (path) => (await send(path)).text(),
    /** @returns {Promise<any>} */
    get: async (path) => (await send(path)).json(),
    /** @returns {Promise<Blob>} */
    blob: async (path) => (await send(path)).blob(),
    /** Runs a command as the app. @param {AbortSignal} [signal] @returns {Promise<any>} */
    async call(command, data = {}, signal) {
      const headers = { "Content-Type": "application/json" };
      return (await send(`/v1/${command}`, { method: "POST", headers, body: JSON.stringify(data), signal })).json();
    },
    /**
     * Reads lines of JSON until the server ends them.
     * @param {{opened(): void, receive(value: any): void}} listener `opened`: the server has accepted the request
     * @param {AbortSignal} signal
     */
    async lines(path, { opened, receive }, signal) {
      const answer = await send(path, { signal });
      opened();
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read().catch((error) => {
          throw error.name === "AbortError" ? error : new ApiError({ message: SILENCE });
        });
        if (done) return;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines) if (line) receive(JSON.parse(line));
      }
    },
  };
}

async function refusal(answer) {
  const text = await answer.text();
  let error;
  try {
    error = JSON.parse(text).error;
  } catch {
    // Not every refusal is JSON.
  }
  if (error?.code === 1019) {
    // The rest of the message names the scope.
    const reason = error.message.replace(/^key scope: /, "");
    return new ApiError({ ...error, status: answer.status, message: `Refused: ${reason}.` });
  }
  if (error) return new ApiError({ ...error, status: answer.status, message: errorText(error) });
  return new ApiError({ status: answer.status, message: `Refused (${answer.status}): ${text.trim().slice(0, 200)}` });
}

/**
 * Searches a paged list for a row, because some lists have no query for a single row.
 * @param {(row: any) => boolean} fits
 * @param {{signal?: AbortSignal, most?: number}} [options] `most`: pages of 100 rows
 * @returns {Promise<{row?: any, isCut: boolean}>} `isCut`: the search ended at `most` pages
 */
export async function findRow(caller, command, name, fits, { signal, most = MOST_PAGES } = {}) {
  let next;
  for (let page = 0; page < most; page++) {
    const answer = await caller.call(command, { limit: 100, ...(next && { next }) }, signal);
    const row = answer[name].find(fits);
    next = answer.next;
    if (row || !next) return { row, isCut: false };
  }
  return { isCut: true };
}

const MOST_PAGES = 20;
/** The number of rows that `findRow` searches. */
export const SEARCHED = MOST_PAGES * 100;
