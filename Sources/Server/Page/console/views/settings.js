// Every setting with its value and where it comes from. Some can be changed while the server runs.

import { numberOf } from "../ask.js";
import { choice, failure, lineInput, sectionView, table, userText } from "../parts.js";
import { button, notice } from "../../page/controls.js";
import { fill, h } from "../../page/dom.js";
import { field, formDialog } from "../../page/form-dialog.js";
import { icon } from "../../page/icons.js";

const ORIGINS = {
  default: () => "default",
  environment: ({ source }) => `environment: ${source}`,
  file: ({ source }) => `file: ${source}`,
  option: ({ source }) => `option: ${source}`,
  program: () => "set by the program",
  runtime: () => "changed at run time",
};

/** @param {{value?: any, origin: string}} setting */
export function valueText({ value, origin }) {
  if (value !== undefined) return String(value);
  // The server does not report lists that the embedding program set.
  return origin === "program" ? "set, not shown" : "not set";
}

/** @param {import("../app.js").Console} app */
export function settingsView(app) {
  const words = lineInput("Name contains", { type: "search", oninput: () => draw() });
  const body = h("div", { class: "loaded" }, notice({ text: "Loading…", busy: true }));
  let settings = [];

  async function reload() {
    try {
      ({ settings } = await app.api.get("/settings"));
      draw();
    } catch (error) {
      fill(body, failure(error));
    }
  }

  function draw() {
    const shown = settings.filter(({ key }) => key.includes(words.value.trim().toLowerCase()));
    fill(body, table("Settings", ["Setting", "Value", "Origin", "Action"], shown.map(rowOf)));
  }

  function rowOf(setting) {
    const { key, origin } = setting;
    const change = async () => (await askSetting(app, setting)) && reload();
    return [
      h("code", { "data-setting": key }, key),
      userText(valueText(setting)),
      h("span", { class: ["origin", origin], "data-origin": origin }, userText(ORIGINS[origin](setting))),
      setting.is_changeable && app.can("settings.update") &&
        button("Change", change, { small: true, "aria-label": `Change ${key}` }),
    ];
  }

  reload();
  const element = sectionView(app, { title: "Settings" },
    h("div", { class: "tools" }, h("div", { class: "search" }, icon("search"), words)), body);
  return { element, close() {} };
}

function askSetting(app, { key, value }) {
  const name = key.slice(key.indexOf(".") + 1);
  const isFlag = typeof value === "boolean";
  const isNumber = typeof value === "number";
  const control = isFlag
    ? choice([["true", "true"], ["false", "false"]], String(value), { "data-autofocus": true })
    : h("input", { class: "input", type: isNumber ? "number" : "text", value, "data-autofocus": true,
        autocomplete: "off" });
  const read = () => (isFlag ? control.value === "true" : isNumber ? numberOf(control) : control.value);
  return formDialog(app, {
    title: "Change a setting",
    text: "The change takes effect immediately and survives a restart.",
    fields: [field(key, control)],
    action: "Change",
    run: () => app.api.call("settings.update", { [name]: read() }),
    done: `${key} is changed.`,
  });
}
