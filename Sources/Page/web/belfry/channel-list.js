import { Emitter } from "./emitter.js";

/** A list of channels; `chat.channels` has the others: `invited`, `hidden`, `search(…)`, `publicChannels(…)`. */
export class ChannelView extends Emitter {
  /** @type {ChannelJSON[]} newest message first (or as the search answers) */
  items = [];
  /** @type {LoadState} */
  state = "loading";
  /** @type {Error | undefined} */
  error;
  hasMore = false;
  async loadMore() {}
  async reload() {}
  close() {}
}

export class ChannelList extends ChannelView {
  /** @type {ChannelView} open invitations, with `invitation` */
  invited;
  /** @type {ChannelView} hidden (archived) channels, of both kinds */
  hidden;
  /** My channels, hidden ones too, whose name contains the text. Close it. @returns {ChannelView} */
  search(text) {}
  /** Public channels, newest first; `my.state` tells whether one is in. Close it. @returns {ChannelView} */
  publicChannels(nameContains = "") {}
}
