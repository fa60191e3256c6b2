// The next page of a list comes when its end comes near.

/** ms until a page that did not come is asked for again */
const PATIENCE = 5_000;

/**
 * @param {HTMLElement} end stands behind the last row, with the class `list-end`, by which it reaches up behind them
 * @param {{hasMore: boolean, state: string, error?: Error, loadMore(): Promise, on(name, fn): () => void}} list
 * @param {() => boolean} [wanted] false while something else is shown in its place
 * @returns {() => void} ends it
 */
export function loadNearEnd(end, list, wanted = () => true) {
  let isBusy = false;
  let isOver = false;
  let timer;
  // An observer tells changes: after a short page the end is as near as before, and has to be looked at again.
  const look = () => {
    observer.unobserve(end);
    if (!isBusy) observer.observe(end);
  };
  const observer = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting || isBusy || !wanted() || !list.hasMore || list.state !== "ready") return;
    isBusy = true;
    await list.loadMore();
    if (!isOver) timer = setTimeout(() => ((isBusy = false), look()), list.error ? PATIENCE : 0);
  });
  look();
  const off = list.on("change", look);
  return () => {
    off();
    isOver = true;
    clearTimeout(timer);
    observer.disconnect();
  };
}
