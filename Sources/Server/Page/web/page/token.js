// The sign-in token. It is kept per tab, so two windows can be two users.

const KEY = "belfry.token";

/**
 * Removes `#token=…` from the address and the history. The token is not stored yet, because the link's author chose the
 * account and the user must confirm it first.
 * @returns {string} "" if there is none
 */
export function takeTokenFromAddress() {
  if (!location.hash.startsWith("#token=")) return "";
  const token = location.hash.slice("#token=".length).trim();
  history.replaceState(null, "", location.pathname + location.search);
  return token;
}

/** @returns {string} "" if there is none */
export const keptToken = () => sessionStorage.getItem(KEY) ?? "";
export const keepToken = (token) => sessionStorage.setItem(KEY, token);
export const forgetToken = () => sessionStorage.removeItem(KEY);

/**
 * Returns the claims of a token with three parts, the second of which is JSON. RFC 7519 §7.2.
 * @returns {any} the claims, unverified
 */
function claimsOf(token) {
  const part = token.split(".")[1] ?? "";
  const bytes = Uint8Array.from(atob(part.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

/**
 * Checks a token as far as possible without the server's key.
 * @param {string} token @param {number} [now] ms since 1970
 * @returns {string} the problem; "" if the token may be valid
 */
export function tokenProblem(token, now = Date.now()) {
  if (token.split(".").length !== 3) return "This is not a token: tokens have three parts separated by dots.";
  try {
    const claims = claimsOf(token);
    if (typeof claims.sub !== "string") return "This token names no user.";
    if (typeof claims.exp === "number" && claims.exp * 1000 <= now) return "This token has expired. Create a new one.";
  } catch {
    return "This token cannot be read. Was all of it copied?";
  }
  return "";
}

/** @param {string} token that passed `tokenProblem` @returns {string} the user's id */
export const tokenUser = (token) => claimsOf(token).sub;
