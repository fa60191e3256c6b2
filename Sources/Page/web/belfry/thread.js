import { Timeline } from "./timeline.js";

/** The replies of one parent, oldest first: all that a timeline has, and the parent. */
export class Thread extends Timeline {
  /** @type {string} */
  parentId;
  /** @type {Message | null} null until loaded, and when it is not to be seen */
  parent = null;
  /** @type {ThreadInfo | null} */
  thread = null;
}
