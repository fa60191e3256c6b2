// Requests to the server. The key travels in a header, never in an address, and cookies are neither sent nor stored.

import { errorText } from "../page/errors.js";

/** A refusal; `message` is a sentence for the user. */
export class ApiError extends Error {
  /** @param {{status?: number, code?: number, message: string}} refusal */
  constructor({ status, code, message }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** @param {string} key "" for requests without a key */
export function api(key) {
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
      throw new ApiError({ message: "The server does not answer." });
    }
    if (answer.ok) return answer;
    throw await refusal(answer);
  }

  return {
    /** @returns {Promise<string>} */
    text: async (path) => (await send(path)).text(),
    /** @returns {Promise<any>} */
    get: async (path) => (await send(path)).json(),
    /** @returns {Promise<Blob>} */
    blob: async (path) => (await send(path)).blob(),
    /** Runs a command as the app. @returns {Promise<any>} */
    async call(command, data = {}) {
      const headers = { "Content-Type": "application/json" };
      return (await send(`/v1/${command}`, { method: "POST", headers, body: JSON.stringify(data) })).json();
    },
    /**
     * Reads lines of JSON until the server ends them.
     * @param {(value: any) => void} take
     */
    async lines(path, take, signal) {
      const answer = await send(path, { signal });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines) if (line) take(JSON.parse(line));
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

/** Reads a paged list to its end, or up to `most` pages. @returns {Promise<any[]>} */
export async function allPages(caller, command, data, name, most = 20) {
  const rows = [];
  let next;
  for (let page = 0; page < most; page++) {
    const answer = await caller.call(command, { ...data, limit: 100, ...(next && { next }) });
    rows.push(...answer[name]);
    if (!(next = answer.next)) break;
  }
  return rows;
}
