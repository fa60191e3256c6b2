// Formats names and times for display.

const DAY = 24 * 60 * 60 * 1000;
const time = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: "short" });
const dayAndMonth = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const withYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const longDay = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const longDayWithYear = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" });

const midnight = (at) => new Date(at).setHours(0, 0, 0, 0);
const daysAgo = (at, now) => Math.round((midnight(now) - midnight(at)) / DAY);

/** @param {number} at ms since 1970 */
export const timeText = (at) => time.format(at);

/** Returns the shortest unambiguous form: the time today, "Yesterday", a weekday or a date. */
export function shortTime(at, now = Date.now()) {
  const days = daysAgo(at, now);
  if (days <= 0) return time.format(at);
  if (days === 1) return "Yesterday";
  if (days < 7) return weekday.format(at);
  return new Date(at).getFullYear() === new Date(now).getFullYear() ? dayAndMonth.format(at) : withYear.format(at);
}

/** Returns the text of a day separator: "Today", "Yesterday", "Monday, 3 March". */
export function dayText(at, now = Date.now()) {
  const days = daysAgo(at, now);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return (new Date(at).getFullYear() === new Date(now).getFullYear() ? longDay : longDayWithYear).format(at);
}

export const sameDay = (a, b) => midnight(a) === midnight(b);

/** Returns the full date and time, for tooltips. */
export const fullTime = (at) => full.format(at);

/** Returns "2 minutes ago", for a user's last activity. */
export function agoText(at, now = Date.now()) {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return shortTime(at, now);
}

/** The end of the year 9999, which means permanent (ClientProtocol.md). */
export const NO_END = 253_402_300_799_000;

/** "until 14:05", with the date unless it is the day of `from`. @param {number} until ms since 1970 */
export function untilText(until, from = Date.now()) {
  if (until >= NO_END) return "until it is lifted";
  return `until ${sameDay(until, from) ? timeText(until) : fullTime(until)}`;
}

/** @param {{id: string, nickname?: string, is_deleted?: boolean} | undefined} user */
export const userName = (user) => (user?.is_deleted ? "Deleted user" : user?.nickname || user?.id || "Someone");

/** `30 seconds`, `5 minutes`, `2 days`: a duration in its largest unit, rounded. @param {number} seconds */
export function durationText(seconds) {
  const [size, unit] = UNITS.find(([size]) => seconds >= size) ?? UNITS[UNITS.length - 1];
  return plural(Math.max(1, Math.round(seconds / size)), unit);
}

/** `0:12`, `5:00`, `1:00:00`: the time left, in whole seconds, rounded up. @param {number} ms */
export function clockText(ms) {
  const seconds = Math.ceil(ms / 1000);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}

/** `30 seconds`, `1 minute 30 seconds`: a duration in all its units. @param {number} seconds */
export function exactDurationText(seconds) {
  const parts = [];
  let rest = seconds;
  for (const [size, unit] of UNITS) {
    if (rest >= size) parts.push(plural(Math.floor(rest / size), unit));
    rest %= size;
  }
  return parts.join(" ");
}

/** @type {[number, string][]} */
const UNITS = [[86_400, "day"], [3_600, "hour"], [60, "minute"], [1, "second"]];

/** @param {number} count @param {string} one "reply" @param {string} [many] "replies" */
export const plural = (count, one, many = one + "s") => `${count} ${count === 1 ? one : many}`;
