import { Emitter } from "./emitter.js";
import { isObject } from "./objects.js";
import { Pages } from "./pages.js";
import { order, SortedList } from "./sorted-list.js";

/** The server's maximum page size. */
const PAGE = 100;

/** The joined and invited members of a channel, kept live: roles, presence, mutes, joins and leaves. */
export class MemberList extends Emitter {
  /** @type {string} */
  channelId;
  /** @type {LoadState} */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  /** @internal Presence and markers are not recovered, so the list is fetched again after a reconnect. */
  isOfTheMoment = true;
  #core;
  #sorted;
  #pages;
  #off;
  #unknown = new Set();

  /** @internal Use `chat.members(…)`. */
  constructor(core, channelId, { order: by = "nickname" } = {}) {
    super();
    this.#core = core;
    this.channelId = channelId;
    const byRole = (member) => (by === "operator_then_nickname" && member.role !== "operator" ? 1 : 0);
    const name = (member) => (member.user.nickname ?? "").toLowerCase();
    this.#sorted = new SortedList(
      (a, b) => byRole(a) - byRole(b) || order(name(a), name(b)) || order(a.user.id, b.user.id), (member) => member.user.id);
    this.#off = core.people.on("users", (ids) => this.#usersChanged(ids));
    const request = { channel_id: channelId, limit: PAGE, order: by };
    this.#pages = new Pages((next) => core.query("member.list", { ...request, next }), {
      begun: () => this.#become(this.state === "failed" ? "loading" : this.state, this.error),
      arrived: (page, isFirst) => this.#add(page, isFirst),
      failed: (error) => this.#become(this.state === "ready" ? "ready" : "failed", error),
    });
  }

  /** @returns {Member[]} */
  get items() {
    return this.#sorted.items;
  }

  get hasMore() {
    return this.#pages.hasMore;
  }

  /** @returns {Member | undefined} */
  get(userId) {
    return this.#sorted.get(userId);
  }

  /** @returns {Promise<void>} never rejects: see `state` */
  reload() {
    return this.#pages.reload();
  }

  /** Loads the next page, or waits for the load in progress. */
  loadMore() {
    return this.#pages.loadMore();
  }

  close() {
    this.#off();
    this.#pages.end();
    this.#core.timelines.remove(this);
  }

  /** @internal */
  fold(event) {
    const { member, invitation } = event;
    switch (event.type) {
      case "member.joined": case "member.muted": case "member.unmuted": case "operator.added": case "operator.removed":
        return this.put(member);
      case "member.left": case "member.banned": return this.#remove(member?.user?.id);
      case "invitation.received":
        return this.put({ user: invitation?.invitee, role: "member", state: "invited", invited_by: invitation?.inviter?.id });
      case "invitation.declined": case "invitation.cancelled":
        // Keep users who have joined in the meantime.
        return this.get(invitation?.invitee?.id)?.state === "invited" ? this.#remove(invitation.invitee.id) : undefined;
      default:
    }
  }

  /** @internal @param {any} member */
  put(member) {
    if (!isObject(member) || typeof member.user?.id !== "string" || typeof member.user.nickname !== "string") return;
    const known = this.#core.people.get(member.user.id);
    const { online = known?.online, last_seen_at = known?.last_seen_at } = member;
    // Members in events carry neither presence nor a marker.
    const last_read = member.last_read ?? this.get(member.user.id)?.last_read;
    this.#sorted.put({ ...member, online, last_seen_at, last_read });
    if (online === undefined) this.#askPresence(member.user.id);
    this.changed();
  }

  /** @internal Does nothing, because there are no local entries. */
  showLocal() {}
  /** @internal */
  fetched() {}
  /** @internal */
  anticipate() {}

  /** Requests the presence of new members, with one request per turn. */
  #askPresence(id) {
    if (this.#unknown.size >= PAGE) return;
    this.#unknown.add(id);
    if (this.#unknown.size > 1) return;
    queueMicrotask(() => {
      const ids = [...this.#unknown];
      this.#unknown.clear();
      this.#core.loadUsers(ids).catch(() => {});
    });
  }

  #remove(id) {
    if (this.#sorted.remove(id)) this.changed();
  }

  #usersChanged(ids) {
    for (const id of ids) {
      const member = this.get(id);
      const user = this.#core.people.get(id);
      if (!member || !user) continue;
      this.#sorted.put({ ...member, user, online: user.online, last_seen_at: user.last_seen_at });
      this.changed();
    }
  }

  #add({ members }, isFirst) {
    if (isFirst) this.#sorted.clear();
    for (const member of members) {
      this.#core.people.learn({ ...member.user, online: member.online, last_seen_at: member.last_seen_at });
      this.put(member);
    }
    this.#become("ready");
  }

  #become(state, error) {
    Object.assign(this, { state, error });
    this.changed();
  }
}
