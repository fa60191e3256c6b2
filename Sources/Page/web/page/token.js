// The token a person signs in with. It is kept for this tab: two windows can be two people.

const KEY = "belfry.token";

/**
 * Takes `#token=…` out of the address and the history. It is not kept: whoever made the link chose the account, so the
 * person in front of it is asked first.
 * @returns {string} "" without one
 */
export function takeTokenFromAddress() {
  if (!location.hash.startsWith("#token=")) return "";
  const token = location.hash.slice("#token=".length).trim();
  history.replaceState(null, "", location.pathname + location.search);
  return token;
}

/** @returns {string} "" without one */
export const keptToken = () => sessionStorage.getItem(KEY) ?? "";
export const keepToken = (token) => sessionStorage.setItem(KEY, token);
export const forgetToken = () => sessionStorage.removeItem(KEY);

/** RFC 7519 §7.2: three parts, the middle one JSON. @returns {any} the claims, which nobody has verified */
function claimsOf(token) {
  const part = token.split(".")[1] ?? "";
  const bytes = Uint8Array.from(atob(part.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

/**
 * What is wrong with a token as far as one can tell without the server's key.
 * @param {string} token @param {number} [now] ms since 1970
 * @returns {string} "" when it may be good
 */
export function tokenProblem(token, now = Date.now()) {
  if (token.split(".").length !== 3) return "This is no token: a token has three parts with a dot between them.";
  try {
    const claims = claimsOf(token);
    if (typeof claims.sub !== "string") return "This token names no user.";
    if (typeof claims.exp === "number" && claims.exp * 1000 <= now) return "This token has run out. Make a new one.";
  } catch {
    return "This token cannot be read. Was all of it copied?";
  }
  return "";
}

/** @param {string} token without a problem @returns {string} the id of the user it names */
export const tokenUser = (token) => claimsOf(token).sub;
