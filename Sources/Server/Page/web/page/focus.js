/**
 * Remembers where to restore the focus: the element, its replacement if its row has been re-rendered, or the list if
 * the row is gone.
 *
 * @param {Element | null} element
 * @returns {() => boolean} restores the focus; false if there is no target
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
