import { h, fill } from "../dom.js";
import { icon } from "../icons.js";
import { iconButton } from "../controls.js";
import { isPicture, pictureURL } from "./pictures.js";
import { sizeText } from "./words.js";

/** The protocol's maximum number of files per message. */
const MOST = 20;

/**
 * The files to send with the next message; each can be removed.
 *
 * @param {object} app
 * @param {() => void} changed
 */
export function attachments(app, changed) {
  let files = [];
  const element = h("ul", { class: "attachments", "aria-label": "Files to send", hidden: true });

  function show() {
    element.hidden = files.length === 0;
    fill(element, files.map((file) => chip(file)));
    changed();
  }

  function chip(file) {
    const shape = { file, mime_type: file.type, name: file.name, size: file.size };
    const face = isPicture(shape) ? h("img", { src: pictureURL(app.chat, shape), alt: "" }) : icon("file");
    const remove = () => {
      files = files.filter((other) => other !== file);
      show();
    };
    return h(
      "li",
      { class: "attachment" },
      face,
      h(
        "span",
        { class: "file-facts" },
        h("span", { class: "file-name ellipsis" }, file.name),
        h("small", null, sizeText(file.size)),
      ),
      iconButton("close", `Remove ${file.name}`, remove),
    );
  }

  return {
    element,
    get files() {
      return files;
    },
    /** @param {Iterable<File>} more files above the limit are dropped */
    add(more) {
      const all = [...files, ...more];
      if (all.length > MOST) app.toast(`A message takes at most ${MOST} files.`, { error: true });
      files = all.slice(0, MOST);
      show();
    },
    clear() {
      files = [];
      show();
    },
  };
}

/** Attaches files dropped on `area` or pasted into `field`. @returns {() => void} removes the listeners */
export function acceptDropped(area, field, add) {
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  const over = (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    area.classList.add("dropping");
  };
  const leave = (event) => !area.contains(event.relatedTarget) && area.classList.remove("dropping");
  const drop = (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    area.classList.remove("dropping");
    add(event.dataTransfer.files);
  };
  const paste = (event) => {
    if (!event.clipboardData?.files.length) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };
  const listeners = [
    [area, "dragover", over], [area, "dragleave", leave], [area, "drop", drop], [field, "paste", paste],
  ];
  for (const [target, name, listener] of listeners) target.addEventListener(name, listener);
  return () => listeners.forEach(([target, name, listener]) => target.removeEventListener(name, listener));
}
