/**
 * Keyboard navigation of a virtualized list. One row is in the tab order; arrow keys move between rows, and Home and
 * End go to the first and last row. Of the controls in rows, only those of the focused row are in the tab order.
 */
export function listenToKeys(scroller, view) {
  let active = null;
  let reachable = null;

  scroller.addEventListener("focusin", (event) => {
    const row = event.target.closest("[data-key]");
    if (row && scroller.contains(row)) activate(row.dataset.key);
  });

  scroller.addEventListener("keydown", (event) => {
    const onRow = event.target === scroller || event.target.dataset?.key !== undefined;
    if (!onRow || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowUp: -1, ArrowDown: 1, PageUp: -8, PageDown: 8, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || view.count === 0) return;
    event.preventDefault();
    const known = active === null ? -1 : view.index(active);
    const from = known < 0 ? view.count : known;
    focus(view.key(Math.max(0, Math.min(view.count - 1, from + step))));
  });

  function activate(key) {
    const previous = active === null ? undefined : view.row(active);
    const row = view.row(key);
    if (previous && previous !== row) setReachable(previous, false);
    active = key;
    if (reachable && reachable !== row) reachable.tabIndex = -1;
    reachable = row ?? null;
    if (row) setReachable(row, true);
  }

  function focus(key) {
    let row = view.row(key);
    if (!row || view.place(row) !== 0 || !fits(row)) {
      view.scrollTo(key);
      row = view.row(key);
    }
    activate(key);
    row?.focus({ preventScroll: true });
  }

  function fits(row) {
    const box = row.getBoundingClientRect();
    const frame = scroller.getBoundingClientRect();
    return box.top >= frame.top && box.bottom <= frame.bottom;
  }

  view.focus = focus;
  /** Keeps one row in the tab order: the last focused one, or else the newest rendered. */
  view.keepReachable = () => {
    if (active !== null && view.index(active) < 0) active = null;
    const row = view.row(active ?? view.key(view.count - 1)) ?? scroller.querySelector("[data-key]:last-of-type");
    if (row === reachable || !row) return;
    if (reachable && reachable !== document.activeElement) reachable.tabIndex = -1;
    row.tabIndex = 0;
    reachable = row;
  };
}

function setReachable(row, reachable) {
  row.tabIndex = reachable ? 0 : -1;
  for (const control of row.querySelectorAll("button, a")) control.tabIndex = reachable ? 0 : -1;
}
