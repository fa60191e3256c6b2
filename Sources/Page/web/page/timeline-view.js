import { Heights } from "./timeline/heights.js";
import { listenToKeys } from "./timeline/keys.js";
import { Rows } from "./timeline/rows.js";

/** px above and below the view that are in the document too, so that ordinary scrolling meets no gap. */
const OVERSCAN = 500;
/** px from the end within which the list counts as being there and stays there. */
const END = 32;
/** px from the start (or end) of what is loaded at which more is asked for. */
const NEAR = 900;
/** Measuring moves rows, which may bring others near the view; it settles at once or not at all. */
const PASSES = 4;

/**
 * A list of any length of which only the rows near the view are in the document. Rows may have any height, which may
 * change. What is read stays where it is while rows come and go above it; at the end, the list stays at the end.
 *
 * @typedef {object} TimelineOptions
 * @property {string} label for screen readers
 * @property {(item: object) => string} key unique, and the same for as long as it is the same row
 * @property {(i: number, items: object[]) => HTMLElement} render
 * @property {(i: number, items: object[]) => unknown[]} shows what the row depends on besides its key
 * @property {number} [estimate] px of a row that was never shown
 * @property {Node} [header] stands above the first row
 * @property {() => boolean} [reachesNow] whether the last item is the newest there is: only then the end is kept
 * @property {() => void} [onNearStart] @property {() => void} [onNearEnd] called while the view is near
 * @property {() => void} [onView] after each change of what is visible
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
  // A scrolled list must not wait for this handler, so that it is smooth even while rows are made.
  scroller.addEventListener("scroll", scrolled, { passive: true });

  function withPosition(row, i) {
    row.setAttribute("aria-posinset", String(i + 1));
    row.setAttribute("aria-setsize", String(items.length));
    return row;
  }

  /** Takes over where the reader has scrolled to; `knownTop` is where this list put itself, or saw itself last. */
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

  /** The first row that begins in the view, and how far below its upper edge: it is what stays in place. */
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
    // Not in the document, or not shown: nothing has a height, and browsers may forget where it was scrolled to.
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

  /** Puts a row `below` px under the upper edge of the view. @returns {boolean} whether there is such a row. */
  function scrollTo(key, below = viewHeight / 3) {
    if (heights.index(key) < 0) return false;
    pinned = false;
    anchor = { key, below };
    place();
    return true;
  }

  view = {
    element: scroller,
    /** @param {object[]} list all items, oldest first. The array may be changed and given again. */
    set(list) {
      follow();
      // The list may be changed in place before it is given again; the rows go by what it was.
      items = list.slice();
      heights.set(list.map(options.key));
      if (anchor && heights.index(anchor.key) < 0) anchor = null;
      if (pinned && !reachesNow()) pinned = false;
      place();
    },
    /** Shows again what may have changed without the list having changed. */
    refresh: layout,
    scrollTo,
    scrollToEnd() {
      pinned = true;
      anchor = null;
      place();
    },
    /** Whether the newest row is in view. */
    get atEnd() {
      return pinned;
    },
    /** Index of the last row that is (partly) in view; -1 for none. */
    get lastShown() {
      return heights.count ? heights.at(scroller.scrollTop + viewHeight - headerHeight) : -1;
    },
    row: (key) => rows.element(key),
    index: (key) => heights.index(key),
    key: (i) => heights.key(i),
    get count() {
      return heights.count;
    },
    /** -1: above the view, 0: (partly) in it, 1: below. @param {Element | undefined} part of a row. */
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
