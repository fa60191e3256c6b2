/**
 * Where the focus goes back to when what took it is over: the element, or what stands in its place when its row was made
 * anew or left the list meanwhile.
 *
 * @param {Element | null} element
 * @returns {() => boolean} gives the focus back, when there is a place for it
 */
export function focusPlace(element) {
  const row = element?.closest("[data-key]");
  const list = row?.parentElement;
  const key = row?.dataset.key;
  const part = element !== row ? element?.dataset.part : undefined;

  function place() {
    if (element?.isConnected) return element;
    if (!list?.isConnected) return null;
    const again = list.querySelector(`:scope > [data-key="${CSS.escape(key)}"]`);
    if (!again) return list.closest("[tabindex]");
    return (part && again.querySelector(`[data-part="${CSS.escape(part)}"]`)) || again;
  }

  return () => {
    const found = place();
    found?.focus({ preventScroll: true });
    return found !== null;
  };
}
