/**
 * A windowed list by keyboard: one row can be reached by Tab, the arrow keys go from row to row, Home and End to the
 * first and last one. The controls of the focused row, and only those, can be reached by Tab from there.
 */
export function listenToKeys(scroller, view) {
  let active = null;

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
  /** The list's place in the order of Tab: its last row until another one was focused. */
  view.makeReachable = () => {
    const key = active !== null && view.row(active) ? active : view.key(view.count - 1);
    const row = key === undefined ? undefined : view.row(key);
    if (row) row.tabIndex = 0;
  };
}

function setReachable(row, reachable) {
  row.tabIndex = reachable ? 0 : -1;
  for (const control of row.querySelectorAll("button, a")) control.tabIndex = reachable ? 0 : -1;
}
