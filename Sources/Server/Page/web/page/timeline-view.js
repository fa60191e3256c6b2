import { Heights } from "./timeline/heights.js";
import { listenToKeys } from "./timeline/keys.js";
import { Rows } from "./timeline/rows.js";

/** Height rendered above and below the viewport, so that ordinary scrolling shows no blank area, in px. */
const OVERSCAN = 500;
/** Distance from the end within which the list counts as being at the end and sticks to it, in px. */
const END = 32;
/** Distance from the start or end of the loaded items at which more are requested, in px. */
const NEAR = 900;
/** Maximum number of layout passes. Measuring moves rows, which may bring others near the viewport. */
const PASSES = 4;

/**
 * A virtualized list: only the rows near the viewport are in the document. Row heights may vary and change. The visible
 * rows stay in place when rows above them are added or removed. At its end, the list sticks to the end.
 *
 * @typedef {object} TimelineOptions
 * @property {string} label accessible name
 * @property {(item: object) => string} key unique, and stable while it is the same row
 * @property {(i: number, items: object[]) => HTMLElement} render
 * @property {(i: number, items: object[]) => unknown[]} shows what the row's content depends on, apart from its key
 * @property {number} [estimate] height in px of a row that has not been measured
 * @property {Node} [header] shown above the first row
 * @property {() => boolean} [reachesNow] whether the last item is the newest one: only then does the list stick to the
 *   end
 * @property {() => void} [onNearStart] @property {() => void} [onNearEnd] called while the viewport is near
 * @property {() => void} [onView] called after each change of the visible rows
 *
 * @param {TimelineOptions} options
 */
export function timelineView(options) {
  const heights = new Heights(options.estimate ?? 64);
  const scroller = element("div", "timeline");
  const content = element("div", "timeline-content");
  const header = element("div", "timeline-header");
  const before = element("div", "timeline-space");
  const after = element("div", "timeline-space");
  content.setAttribute("role", "feed");
  content.setAttribute("aria-label", options.label);
  scroller.tabIndex = -1;
  if (options.header) header.append(options.header);
  content.append(header, before, after);
  scroller.append(content);

  let items = [];
  let pinned = true;
  let anchor = null;
  let knownTop = 0;
  let viewHeight = 0;
  let headerHeight = 0;
  let frame = 0;
  let closed = false;
  let view;

  const observer = new ResizeObserver(resized);
  const rows = new Rows(content, before, (i) => withPosition(options.render(i, items), i), observer);
  const reachesNow = () => options.reachesNow?.() ?? true;
  const shows = (i) => options.shows(i, items);
  observer.observe(scroller);
  observer.observe(header);
  // Passive, so that scrolling stays smooth while rows are rendered.
  scroller.addEventListener("scroll", scrolled, { passive: true });

  function withPosition(row, i) {
    row.setAttribute("aria-posinset", String(i + 1));
    row.setAttribute("aria-setsize", String(items.length));
    return row;
  }

  /** Follows the user's scrolling; `knownTop` is the position last set or seen here. */
  function follow() {
    if (viewHeight === 0) return;
    const top = scroller.scrollTop;
    if (Math.abs(top - knownTop) < 1) return;
    knownTop = top;
    pinned = reachesNow() && top + scroller.clientHeight >= scroller.scrollHeight - END;
    anchor = pinned ? null : anchorAt(top);
  }

  function scrolled() {
    follow();
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      layout();
    });
  }

  /**
   * Returns the anchor, which stays in place: the first row that begins in the viewport, and its distance from the top
   * edge.
   */
  function anchorAt(top) {
    if (heights.count === 0) return null;
    let i = heights.at(top - headerHeight);
    if (heights.offset(i) + headerHeight < top && i + 1 < heights.count) i += 1;
    return { key: heights.key(i), below: heights.offset(i) + headerHeight - top };
  }

  function wantedTop() {
    const end = headerHeight + heights.total - viewHeight;
    const i = pinned || !anchor ? -1 : heights.index(anchor.key);
    return Math.max(0, i < 0 ? end : Math.min(end, headerHeight + heights.offset(i) - anchor.below));
  }

  function layout() {
    if (closed) return;
    follow();
    place();
  }

  function place() {
    // Detached or hidden: nothing has a height, and browsers may lose the scroll position.
    if (viewHeight === 0) return;
    for (let pass = 0; pass < PASSES; pass++) {
      const top = wantedTop() - headerHeight;
      const start = heights.count ? heights.at(top - OVERSCAN) : 0;
      const end = heights.count ? heights.at(top + viewHeight + OVERSCAN) + 1 : 0;
      const fresh = rows.show(start, end, (i) => heights.key(i), (key) => heights.index(key), shows);
      before.style.setProperty("height", `${heights.offset(start)}px`);
      after.style.setProperty("height", `${heights.total - heights.offset(end)}px`);
      let moved = false;
      for (const key of fresh) {
        moved = heights.measure(key, rows.element(key).getBoundingClientRect().height) || moved;
      }
      if (!moved) break;
    }
    const top = wantedTop();
    if (Math.abs(scroller.scrollTop - top) >= 1) scroller.scrollTop = top;
    knownTop = scroller.scrollTop;
    notify();
  }

  function resized(entries) {
    if (scroller.clientHeight === 0) {
      viewHeight = 0;
      return;
    }
    follow();
    let moved = false;
    for (const { target } of entries) {
      if (target === scroller) {
        moved = moved || viewHeight !== scroller.clientHeight;
        viewHeight = scroller.clientHeight;
      } else if (target === header) {
        moved = moved || headerHeight !== header.offsetHeight;
        headerHeight = header.offsetHeight;
      } else if (target.isConnected) {
        moved = heights.measure(target.dataset.key, target.getBoundingClientRect().height) || moved;
      }
    }
    if (moved) place();
  }

  function notify() {
    const top = scroller.scrollTop;
    if (top < NEAR) options.onNearStart?.();
    if (top + viewHeight > scroller.scrollHeight - NEAR) options.onNearEnd?.();
    view?.keepReachable();
    options.onView?.();
  }

  /** Scrolls a row to `below` px under the viewport's top edge. @returns {boolean} whether the row exists. */
  function scrollTo(key, below = viewHeight / 3) {
    if (heights.index(key) < 0) return false;
    pinned = false;
    anchor = { key, below };
    place();
    return true;
  }

  view = {
    element: scroller,
    /** @param {object[]} list all items, oldest first. The caller may mutate the array and pass it again. */
    set(list) {
      follow();
      // Copied, because the caller may mutate the list before the next call, while the rows index the current one.
      items = list.slice();
      heights.set(list.map(options.key));
      if (anchor && heights.index(anchor.key) < 0) anchor = null;
      if (pinned && !reachesNow()) pinned = false;
      place();
    },
    /** Re-renders rows whose content may have changed although the list has not. */
    refresh: layout,
    scrollTo,
    scrollToEnd() {
      pinned = true;
      anchor = null;
      place();
    },
    /** Whether the newest row is visible. */
    get atEnd() {
      return pinned;
    },
    /** The index of the last row that is at least partly visible; -1 if there is none. */
    get lastShown() {
      return heights.count ? heights.at(scroller.scrollTop + viewHeight - headerHeight) : -1;
    },
    row: (key) => rows.element(key),
    index: (key) => heights.index(key),
    key: (i) => heights.key(i),
    get count() {
      return heights.count;
    },
    /**
     * Returns -1 if the part is above the viewport, 0 if it is at least partly visible, 1 if below.
     * @param {Element | undefined} part of a row.
     */
    place(part) {
      if (!part?.isConnected) return undefined;
      const box = part.getBoundingClientRect();
      const frame = scroller.getBoundingClientRect();
      if (box.bottom <= frame.top) return -1;
      return box.top >= frame.bottom ? 1 : 0;
    },
    close() {
      closed = true;
      cancelAnimationFrame(frame);
      observer.disconnect();
      rows.clear();
    },
  };
  listenToKeys(scroller, view);
  return view;
}

function element(tag, name) {
  const made = document.createElement(tag);
  made.className = name;
  return made;
}
