// Infinite scrolling: loads the next page of a list when its end is near.

/** Delay before a failed page is retried, in ms. */
const PATIENCE = 5_000;

/**
 * @param {HTMLElement} end a sentinel after the last row; its class `list-end` extends it upwards, under the last rows
 * @param {{hasMore: boolean, state: string, error?: Error, loadMore(): Promise, on(name, fn): () => void}} list
 * @param {() => boolean} [wanted] false while another list is shown instead
 * @returns {() => void} stops it
 */
export function loadNearEnd(end, list, wanted = () => true) {
  let isBusy = false;
  let isOver = false;
  let timer;
  // The observer reports only changes. After a short page, the end may still be near, so observe it again.
  const loadIfNeeded = () => {
    observer.unobserve(end);
    if (!isBusy) observer.observe(end);
  };
  const observer = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting || isBusy || !wanted() || !list.hasMore || list.state !== "ready") return;
    isBusy = true;
    await list.loadMore();
    if (!isOver) timer = setTimeout(() => ((isBusy = false), loadIfNeeded()), list.error ? PATIENCE : 0);
  });
  loadIfNeeded();
  const off = list.on("change", loadIfNeeded);
  return () => {
    off();
    isOver = true;
    clearTimeout(timer);
    observer.disconnect();
  };
}
