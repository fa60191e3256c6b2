/** The open timelines, threads and member lists, by channel. */
export class Timelines {
  #byChannel = new Map();

  add(timeline) {
    const open = this.#byChannel.get(timeline.channelId);
    if (open) open.add(timeline);
    else this.#byChannel.set(timeline.channelId, new Set([timeline]));
  }

  remove(timeline) {
    const open = this.#byChannel.get(timeline.channelId);
    open?.delete(timeline);
    if (open?.size === 0) this.#byChannel.delete(timeline.channelId);
  }

  /** @returns {Iterable<Timeline>} */
  of(channelId) {
    return this.#byChannel.get(channelId) ?? [];
  }

  get all() {
    return [...this.#byChannel.values()].flatMap((open) => [...open]);
  }
}
