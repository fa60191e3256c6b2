// The page's own icons: strokes on a 24 by 24 grid.

import { svg } from "./dom.js";

const PATHS = {
  add: "M12 5v14M5 12h14",
  archive: "M4 5h16v4H4zM5.5 9v10h13V9M10 13h4",
  back: "M15 5l-7 7 7 7",
  bell: "M12 4c-3 0-4.8 2.2-5 5-.2 3.5-.8 5-2.3 7h14.6c-1.5-2-2.1-3.5-2.3-7-.2-2.8-2-5-5-5zM10 19.5a2 2 0 0 0 4 0",
  ban: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM6.5 6.5l11 11",
  check: "M5 12.5l4.5 4.5L19 7.5",
  chevron: "M9 6l6 6-6 6",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h10v10H9zM5 15V5h10",
  crown: "M4 8l4 4 4-6 4 6 4-4-1.5 10h-13z",
  door: "M6 20.5V5l9-1.5v17zM15 5h4v14h-4M12 12v.01",
  down: "M12 5v14M6 13l6 6 6-6",
  edit: "M5 19l1-4L16 5l3 3L9 18zM14 7l3 3",
  emoji: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM9 10v.01M15 10v.01M8.5 14c1 1.5 2.2 2 3.5 2s2.5-.5 3.5-2",
  exit: "M14 5H6v14h8M11 12h9M17 8.5L20.5 12 17 15.5",
  file: "M7 4h7l4 4v12H7zM14 4v4h4",
  flag: "M6 20V5M6 5h11l-2 4 2 4H6",
  globe: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM4 12h16M12 4c-5 5-5 11 0 16 5-5 5-11 0-16z",
  hash: "M10 5L8 19M16 5l-2 14M5 9.5h14M4.5 14.5h14",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17M15 9v.01",
  invite: "M10 12a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM4 20c0-3.5 2.5-5.5 6-5.5 1.5 0 2.8.4 3.8 1M18 14v6M15 17h6",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  menu: "M4 7h16M4 12h16M4 17h16",
  mention: "M15.5 8.5v5a2.5 2.5 0 0 0 5 0V12A8.5 8.5 0 1 0 17 19M15.5 12a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0z",
  more: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  mute: "M5 10v4h3l4 4V6L8 10zM16 10l4 4M20 10l-4 4",
  offline:
    "M4 4l16 16M9 5.5C14 4 18.5 6 21 9.5M3 9.5c.8-1.1 1.8-2 3-2.7M6 13c.7-.8 1.6-1.5 2.6-1.9" +
    "M13.5 10.8c1.8.3 3.3 1.1 4.5 2.2M9.5 16.5c1.5-1.2 3.5-1.2 5 0M12 19.5v.01",
  people:
    "M9 11.5a3.25 3.25 0 1 0 0-6.5 3.25 3.25 0 0 0 0 6.5zM3 19c0-3 2.5-5 6-5s6 2 6 5" +
    "M15.5 5.3a3.25 3.25 0 0 1 0 6M17 14.3c2.5.5 4 2.3 4 4.7",
  quote: "M9 7L4.5 11.5 9 16M5 11.5h8c4 0 6 2 6 6",
  reply: "M9 7L4.5 11.5 9 16M5 11.5h8c4 0 6 2 6 6",
  search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15.5 15.5L20 20",
  send: "M4 12l16-7-5 15-3.5-6.5zM11.5 13.5L20 5",
  slow: "M7 4h10M7 20h10M8 4c0 5 8 6 8 11v5M16 4c0 5-8 6-8 11v5",
  snow: "M12 4v16M5 8l14 8M19 8L5 16M9.5 5L12 7l2.5-2M9.5 19l2.5-2 2.5 2",
  clock: "M12 4a8 8 0 100 16 8 8 0 000-16zM12 7.5V12l3 2",
  spark: "M12 4l1.8 6.2L20 12l-6.2 1.8L12 20l-1.8-6.2L4 12l6.2-1.8z",
  thread: "M5 5h14v10H11l-4 4v-4H5zM8.5 9h7M8.5 12h4",
  trash: "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 10.5v5.5M13.5 10.5v5.5",
  unread: "M5 6h9M5 11h14M5 16h14M19 6v.01",
  upload: "M12 16V5M7.5 9L12 4.5 16.5 9M5 19h14",
  warning: "M12 4.5l8.5 15h-17zM12 10v4.5M12 17v.01",
};

/**
 * Creates an icon. Decorative, so its container needs an accessible name.
 * @param {keyof typeof PATHS} name
 */
export function icon(name) {
  return svg(
    "svg",
    { class: `icon icon-${name}`, viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] ?? PATHS.more }),
  );
}
