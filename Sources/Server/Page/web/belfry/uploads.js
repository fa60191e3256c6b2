import { RPCError } from "./rpc-error.js";

/**
 * Uploads a file: `POST /v1/files` with the raw bytes.
 * @param {{url: URL, token: string, body: Blob, signal: AbortSignal, fetch: typeof fetch,
 *   progress: (loaded: number) => void}} upload
 * @returns {Promise<MessageFile>}
 * @throws {RPCError} with `code` 0 if there was no reply
 */
export async function upload(upload) {
  const { status, text } = await (globalThis.XMLHttpRequest ? byXHR(upload) : byFetch(upload));
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new RPCError({ code: 0, message: `upload: status ${status}`, temporary: status >= 500 });
  }
  if (status !== 200 || !answer.file) throw RPCError.from(answer.error);
  return answer.file;
}

/** Uses XMLHttpRequest, the only browser API with upload progress. */
function byXHR({ url, token, body, signal, progress }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.setRequestHeader("Authorization", `Bearer ${token}`);
    request.upload.onprogress = ({ loaded }) => progress(loaded);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = request.ontimeout = () => reject(lost("the upload broke off"));
    request.onabort = () => reject(lost("discarded", false));
    signal.addEventListener("abort", () => request.abort());
    if (signal.aborted) return reject(lost("discarded", false));
    request.send(body);
  });
}

async function byFetch({ url, token, body, signal, progress, fetch }) {
  try {
    const response = await fetch(url, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body, signal });
    const text = await response.text();
    progress(body.size);
    return { status: response.status, text };
  } catch (error) {
    throw lost(error.message, !signal.aborted);
  }
}

const lost = (message, temporary = true) => new RPCError({ code: 0, message, temporary });
