// The token a person signs in with. It is kept for this tab: two windows can be two people.

const KEY = "belfry.token";

/** Takes `#token=…` out of the address, so that it stands in no history and on no screenshot. @returns {boolean} */
export function takeTokenFromAddress() {
  if (!location.hash.startsWith("#token=")) return false;
  const token = location.hash.slice("#token=".length).trim();
  history.replaceState(null, "", location.pathname + location.search);
  if (!token) return false;
  keepToken(token);
  return true;
}

/** @returns {string} "" without one */
export const keptToken = () => sessionStorage.getItem(KEY) ?? "";
export const keepToken = (token) => sessionStorage.setItem(KEY, token);
export const forgetToken = () => sessionStorage.removeItem(KEY);

/**
 * What is wrong with a token as far as one can tell without the server's key. RFC 7519 §7.2: three parts, the middle
 * one JSON.
 * @param {string} token @param {number} [now] ms since 1970
 * @returns {string} "" when it may be good
 */
export function tokenProblem(token, now = Date.now()) {
  const parts = token.split(".");
  if (parts.length !== 3) return "This is no token: a token has three parts with a dot between them.";
  try {
    const bytes = Uint8Array.from(atob(parts[1].replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof claims.sub !== "string") return "This token names no user.";
    if (typeof claims.exp === "number" && claims.exp * 1000 <= now) return "This token has run out. Make a new one.";
  } catch {
    return "This token cannot be read. Was all of it copied?";
  }
  return "";
}
