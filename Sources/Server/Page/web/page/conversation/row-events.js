/** How long a touch must last to open the message's menu, in ms. */
const LONG_PRESS = 500;
const SLIP = 10;

/**
 * Opens a message's menu by right click, by long press, or by Enter, Space or the menu key on the focused row.
 *
 * @returns {() => void} removes the listeners
 */
export function listenToRows(view, timeline, context) {
  const root = view.element;
  let timer = 0;
  let from = null;

  function messageAt(target) {
    const row = target.closest?.("[data-message]");
    return row && root.contains(row) ? { row, message: timeline.get(row.dataset.message) } : {};
  }

  function open(target, point) {
    const { row, message } = messageAt(target);
    if (message) context.openMenu(message, row, point);
    return Boolean(message);
  }

  function contextMenu(event) {
    // Links and selected text keep the browser's context menu.
    if (event.target.closest("a, .reaction-chip") || !getSelection().isCollapsed) return;
    const point = event.clientX || event.clientY ? { x: event.clientX, y: event.clientY } : undefined;
    if (open(event.target, point)) event.preventDefault();
  }

  function keydown(event) {
    if (event.target.dataset?.message === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { row, message } = messageAt(event.target);
    if (!message) return;
    if (event.key === "Enter" || event.key === " " || event.key === "ContextMenu") {
      context.openMenu(message, row, middleOf(row));
      event.preventDefault();
    }
  }

  const endPress = () => clearTimeout(timer);
  function pointerdown(event) {
    if (event.pointerType !== "touch" || event.target.closest("button, a")) return;
    from = event;
    timer = setTimeout(() => open(event.target, { x: event.clientX, y: event.clientY }), LONG_PRESS);
  }
  function pointermove(event) {
    if (from && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > SLIP) endPress();
  }

  const listeners = [
    ["contextmenu", contextMenu], ["keydown", keydown], ["pointerdown", pointerdown], ["pointermove", pointermove],
    ["pointerup", endPress], ["pointercancel", endPress],
  ];
  for (const [name, listener] of listeners) root.addEventListener(name, listener);
  return () => {
    endPress();
    for (const [name, listener] of listeners) root.removeEventListener(name, listener);
  };
}

function middleOf(row) {
  const box = (row.querySelector(".bubble") ?? row).getBoundingClientRect();
  return { x: box.left + 24, y: Math.min(box.bottom, innerHeight) };
}
