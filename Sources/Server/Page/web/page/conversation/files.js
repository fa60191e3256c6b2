import { h } from "../dom.js";
import { icon } from "../icons.js";
import { openDialog } from "../dialog.js";
import { button } from "../controls.js";
import { errorText } from "../errors.js";
import { pictureURL, isPicture } from "./pictures.js";
import { sizeText } from "./words.js";

/**
 * A message's files. Pictures stored on this server (or being sent) get a frame of fixed size, so that loading them
 * moves nothing. Other files are cards with a name. Files hosted elsewhere are links and are never fetched.
 *
 * @param {object} app
 * @param {import("../../belfry/types.js").Message} message
 */
export function filesView(app, message) {
  const files = message.files ?? [];
  const pictures = files.filter(isPicture);
  return h(
    "div",
    { class: ["files", pictures.length > 1 && "several"] },
    files.map((file, i) => {
      const progress = message.local?.state === "sending" ? message.local.progress?.[i] : undefined;
      return isPicture(file) ? picture(app, file, i, progress) : card(app, file, i, progress);
    }),
  );
}

function picture(app, file, i, progress) {
  const name = file.name || "Picture";
  const image = h("img", { alt: name, draggable: false });
  const frame = h(
    "button",
    {
      type: "button", class: "picture", tabindex: -1, "data-part": `file-${i}`, "aria-label": `Open picture ${name}`,
      onclick: () => openPicture(app, file, name),
    },
    image,
    progress && progressBar(name, progress),
  );
  const url = pictureURL(app.chat, file);
  if (typeof url === "string") image.src = url;
  else {
    frame.classList.add("waiting");
    url.then(
      (address) => {
        image.src = address;
        frame.classList.remove("waiting");
      },
      () => frame.replaceWith(card(app, file, i, progress)),
    );
  }
  return frame;
}

function card(app, file, i, progress) {
  const name = file.name || "File";
  const facts = [kindText(file), file.size !== undefined && sizeText(file.size)].filter(Boolean).join(" · ");
  const inside = [
    h("span", { class: "file-icon" }, icon("file")),
    h("span", { class: "file-facts" }, h("span", { class: "file-name ellipsis" }, name), h("small", null, facts)),
    progress && progressBar(name, progress),
  ];
  const props = { class: "file-card", tabindex: -1, "data-part": `file-${i}` };
  if (file.id === undefined && /^https?:/iu.test(file.url ?? "")) {
    const away = { href: file.url, target: "_blank", rel: "noopener noreferrer", "aria-label": `Open ${name}` };
    return h("a", { ...props, ...away }, inside);
  }
  const label = `Download ${name}`;
  const save = () => download(app, file, name);
  const disabled = Boolean(file.file);
  return h("button", { type: "button", ...props, disabled, "aria-label": label, onclick: save }, inside);
}

function progressBar(name, { loaded, total }) {
  const percent = total > 0 ? Math.min(100, Math.round((loaded / total) * 100)) : 0;
  return h(
    "span",
    {
      class: "progress", role: "progressbar", "aria-label": `Uploading ${name}`, "aria-valuenow": percent,
      "aria-valuemin": 0, "aria-valuemax": 100,
    },
    h("span", { style: { width: `${percent}%` } }),
  );
}

function kindText(file) {
  const extension = /\.([a-z0-9]{1,5})$/iu.exec(file.name ?? "")?.[1];
  return extension ? extension.toUpperCase() : (file.mime_type?.split("/")[0] ?? "");
}

async function openPicture(app, file, name) {
  const image = h("img", { class: "large-picture", alt: name });
  const save = file.id ? button("Download", () => download(app, file, name), { icon: "down" }) : null;
  openDialog({ title: name, body: image, wide: true, actions: save ? [save] : [] });
  try {
    image.src = await pictureURL(app.chat, file, { whole: true });
  } catch (error) {
    app.toast(errorText(error), { error: true });
  }
}

async function download(app, file, name) {
  try {
    const url = URL.createObjectURL(await app.chat.fetchFile(file.url));
    h("a", { href: url, download: name }).click();
    // The browser reads the URL asynchronously and does not report when it is done.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    app.toast(errorText(error), { error: true });
  }
}
