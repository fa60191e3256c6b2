/**
 * Messages sorted by offset and indexed by id, followed by the local ones. A change costs a binary search and at most
 * one shift of the array.
 */
export class MessageWindow {
  /** @type {Message[]} never reassigned */
  list = [];
  #stored = 0;
  #byID = new Map();
  /** Maps a parent's id to the ids of the messages here that quote it. @type {Map<string, Set<string>>} */
  #quoting = new Map();

  /** The number of stored messages, not counting local ones. */
  get size() {
    return this.#stored;
  }

  get first() {
    return this.#stored > 0 ? this.list[0] : undefined;
  }

  get last() {
    return this.#stored > 0 ? this.list[this.#stored - 1] : undefined;
  }

  get(id) {
    return this.#byID.get(id) ?? this.list.slice(this.#stored).find((message) => message.id === id);
  }

  has(id) {
    return this.#byID.has(id);
  }

  /** @returns {number} -1 if not found */
  indexOf(id) {
    const message = this.#byID.get(id);
    if (!message) return this.list.findIndex((local, index) => index >= this.#stored && local.id === id);
    let index = this.#placeBefore(message.offset);
    // Messages of ephemeral channels all have offset 0.
    while (this.list[index].id !== id) index += 1;
    return index;
  }

  /** Inserts the message by its offset, or replaces the one with the same id. */
  put(message) {
    if (this.#byID.has(message.id)) {
      this.list[this.indexOf(message.id)] = message;
    } else {
      this.list.splice(this.#placeAfter(message.offset), 0, message);
      this.#stored += 1;
    }
    this.#index(message);
  }

  /** @returns {Message | undefined} the message after it, if any */
  remove(id) {
    if (!this.#byID.has(id)) return undefined;
    const index = this.indexOf(id);
    this.#unindex(this.list[index]);
    this.list.splice(index, 1);
    this.#stored -= 1;
    return index < this.#stored ? this.list[index] : undefined;
  }

  /** @param {Message[]} messages ascending */
  replaceStored(messages) {
    this.#byID.clear();
    this.#quoting.clear();
    const locals = this.list.slice(this.#stored);
    this.list.length = 0;
    // No spread call, because there may be more messages than a call accepts arguments.
    for (const message of messages) {
      if (this.#byID.has(message.id)) continue;
      this.list.push(message);
      this.#index(message);
    }
    this.#stored = this.list.length;
    for (const local of locals) this.list.push(local);
  }

  /** @param {Message[]} messages ascending, all before the first stored one */
  prepend(messages) {
    const fresh = messages.filter((message) => !this.#byID.has(message.id));
    this.list.splice(0, 0, ...fresh);
    this.#stored += fresh.length;
    for (const message of fresh) this.#index(message);
  }

  /** @param {Message[]} locals in sending order */
  setLocal(locals) {
    this.list.length = this.#stored;
    this.list.push(...locals);
  }

  dropFirst(count) {
    for (const message of this.list.splice(0, Math.min(count, this.#stored))) this.#unindex(message);
    this.#stored = Math.max(0, this.#stored - count);
  }

  dropLast(count) {
    const from = Math.max(0, this.#stored - count);
    for (const message of this.list.splice(from, this.#stored - from)) this.#unindex(message);
    this.#stored = from;
  }

  /** Returns the ids of the messages here that quote the given one. */
  quoting(id) {
    return this.#quoting.get(id) ?? [];
  }

  #index(message) {
    this.#byID.set(message.id, message);
    const parent = message.parent_message_id;
    if (parent === undefined) return;
    const ids = this.#quoting.get(parent);
    if (ids) ids.add(message.id);
    else this.#quoting.set(parent, new Set([message.id]));
  }

  #unindex(message) {
    this.#byID.delete(message.id);
    const ids = this.#quoting.get(message.parent_message_id);
    if (!ids) return;
    ids.delete(message.id);
    if (ids.size === 0) this.#quoting.delete(message.parent_message_id);
  }

  #placeBefore(offset) {
    return this.#place((message) => message.offset < offset);
  }

  #placeAfter(offset) {
    return this.#place((message) => message.offset <= offset);
  }

  #place(isBefore) {
    let low = 0;
    let high = this.#stored;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(this.list[middle])) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
