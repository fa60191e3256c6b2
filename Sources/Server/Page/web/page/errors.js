// Error messages for users. For codes and meanings, see ClientProtocol.md.

const TEXTS = {
  100: "The server had a problem. Try again.",
  101: "You are signed out.",
  103: "You may not do that.",
  108: "The server does not support that.",
  109: "Your sign-in has expired.",
  111: "Too fast. Wait a moment.",
  1000: "It does not exist, or you may not see it.",
  1001: "You are not a member of this channel.",
  1002: "Accept the invitation first.",
  1003: "This person is banned from the channel.",
  1004: "You are muted.",
  1005: "The channel is frozen: only operators can write.",
  1006: "Only operators can do that.",
  1007: "Only the author can do that.",
  1008: "This person's account is deactivated.",
  1010: "Already a member.",
  1011: "You need an invitation to join.",
  1012: "The invitation is no longer open.",
  1013: "You have reached the channel limit.",
  1014: "The channel is full.",
  1015: "This id is taken or reserved.",
  1016: "A supergroup cannot be distinct.",
  1017: "Only the app can create channels.",
  1018: "This feature is off.",
  1020: "You cannot reply to a reply in a thread.",
  1021: "A message with replies cannot be deleted.",
  1022: "The original message is not available.",
  1023: "The message was deleted.",
  1025: "Not available in ephemeral channels.",
  1026: "Guests cannot do that. Sign in to do it.",
  1031: "Too many at once.",
  1034: "This emoji does not exist.",
  1035: "The file was not accepted.",
  1036: "Already sent with different content.",
  1037: "Already in progress. Wait a moment.",
  1038: "Already done.",
  1040: "The server cannot store anything right now. Try again.",
  1041: "We don't know whether that worked. Try again.",
  1050: "This text is not allowed here.",
  1051: "The channel is in slow mode.",
  1052: "This could not be delivered to this person.",
  1054: "Your role here does not allow that.",
  1055: "You are banned from this app.",
};

/** An error whose message is already a sentence for the user. */
export class UserError extends Error {}

const FIELDS_TOLD = new Set([1030, 1032]);

/** As `errorText`, for an invitation. */
export const inviteErrorText = (error) => (error?.code === 1052 ? "You cannot invite this person." : errorText(error));

/** @param {{code?: number, message?: string}} error @returns {string} a sentence */
export function errorText(error) {
  if (error instanceof UserError) return error.message;
  // The server's message names the field and its limit, which no fixed text can do.
  if (FIELDS_TOLD.has(error?.code) && error.message) return `Not accepted: ${error.message}.`;
  return TEXTS[error?.code] ?? `That did not work${error?.message ? `: ${error.message}` : ""}.`;
}
