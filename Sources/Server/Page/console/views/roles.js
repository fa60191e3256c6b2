// Roles: their permissions in general, and in the channels of each custom type that has a table.

import { block, choice, failure, lineInput, sectionView, table, userText } from "../parts.js";
import { button, notice } from "../../page/controls.js";
import { fill, h } from "../../page/dom.js";
import { UserError } from "../../page/errors.js";
import { check, formDialog } from "../../page/form-dialog.js";

const PERMISSIONS = [
  ["send", "send messages"],
  ["reply", "send replies"],
  ["react", "add and remove reactions"],
  ["upload", "upload files"],
  ["mention_channel", "mention the whole channel"],
  ["edit_own", "change own messages"],
  ["edit_any", "change messages of others"],
  ["delete_own", "delete own messages"],
  ["delete_any", "delete messages of others"],
  ["edit_thread", "change titles and data of threads"],
  ["invite", "invite users"],
  ["remove", "remove members"],
  ["ban", "ban users"],
  ["mute", "mute members"],
  ["freeze", "freeze and unfreeze the channel"],
  ["change_channel", "change the channel"],
  ["metadata", "change the channel's metadata"],
  ["create_channels", "create channels"],
];
const ALL = PERMISSIONS.map(([name]) => name);
const GUEST = ["send", "reply", "react", "mention_channel", "edit_own", "delete_own"];
/** The permissions without a table (Roles.md), by role. */
const DEFAULTS = {
  listener: new Set(),
  guest: new Set(GUEST),
  member: new Set([...GUEST, "upload", "edit_thread", "invite", "create_channels"]),
  operator: new Set(ALL),
  app_admin: new Set(ALL),
};
const ROLES = Object.keys(DEFAULTS);
const PRESETS = ["messaging", "team", "livestream", "support", "commerce"].map((name) => [name, `preset ${name}`]);

/** @param {import("../app.js").Console} app */
export function rolesView(app) {
  const body = h("div", { class: "loaded" }, notice({ text: "Loading…", busy: true }));
  const element = sectionView(
    app,
    { title: "Roles" },
    h("p", { class: "hint" }, "“Set” marks what differs: in general from the default, for a custom type from the table in ",
      "general. Listeners' permissions have no effect in this version."),
    body,
  );

  async function reload() {
    try {
      const tables = tablesOf((await app.api.call("role.list")).roles);
      fill(body, [...tables].map(([type, grants]) =>
        tableBlock(app, { type, grants, usual: type === undefined ? DEFAULTS : tables.get(undefined) }, changed)),
        app.can("role.set") && block("Add a custom type", newTable(app, changed)));
    } catch (error) {
      fill(body, failure(error));
    }
  }

  async function changed() {
    await reload();
    // The control that had the focus is gone.
    element.querySelector("h2").focus({ preventScroll: true });
  }

  reload();
  return { element, close() {} };
}

/**
 * @returns {Map<string | undefined, Record<string, Set<string>>>} the permissions of each role, by custom type; first
 *   undefined: in general
 */
function tablesOf(roles) {
  const tables = new Map();
  for (const { custom_type: type, role, permissions } of roles) {
    if (!tables.has(type)) tables.set(type, {});
    tables.get(type)[role] = new Set(permissions);
  }
  return tables;
}

const nameOf = (role) => role.replace("_", " ");
const titleOf = (type) => (type === undefined ? "In general" : ["Custom type ", userText(type)]);
const whereOf = (type) => (type === undefined ? "in general" : `in channels of type ${type}`);

function tableBlock(app, shown, changed) {
  const { type, grants, usual } = shown;
  const rows = PERMISSIONS.map(([name, text]) => [
    h("span", null, h("code", null, name), " ", h("span", { class: "faint" }, text)),
    ...ROLES.map((role) => cell(grants[role].has(name), usual[role].has(name))),
  ]);
  const element = block(
    titleOf(type),
    table(["Permissions: ", titleOf(type)], ["Permission", ...ROLES.map(nameOf)], rows),
    app.can("role.set") && [
      h("div", { class: "buttons" }, ROLES.map((role) =>
        button(`Change ${nameOf(role)}`, async () => (await askRole(app, shown, role)) && changed(), {
          small: true, "aria-label": `Change ${nameOf(role)} ${whereOf(type)}`,
        }))),
      presets(app, type, changed),
    ],
  );
  element.dataset.table = type ?? "";
  return element;
}

function cell(has, isUsual) {
  const text = has ? "yes" : "no";
  return has === isUsual
    ? h("span", { class: [!has && "faint"] }, text)
    : h("span", { class: "tag bronze" }, text, ", set");
}

/** Asks for the permissions of a role, and sets them. @returns {Promise<boolean>} whether they were set */
function askRole(app, { type, grants, usual }, role) {
  const isUsual = ALL.every((name) => grants[role].has(name) === usual[role].has(name));
  const follow = type === undefined
    ? check("Use the default", "It may change with a new version.", { checked: isUsual, onchange: update })
    : check("Use the permissions in general", "They also apply after a change.", { checked: isUsual, onchange: update });
  const boxes = PERMISSIONS.map(([name, text]) => check(name, text, { value: name, checked: grants[role].has(name) }));

  function update() {
    for (const { input } of boxes) {
      input.disabled = follow.input.checked;
      if (input.disabled) input.checked = usual[role].has(input.value);
    }
  }

  async function run() {
    const chosen = boxes.filter(({ input }) => input.checked).map(({ input }) => input.value);
    const permissions = follow.input.checked ? undefined : chosen;
    if (permissions?.length === 0 && usual[role].size > 0 && !(await confirmNothing(app, role))) {
      throw new UserError("Nothing has been changed.");
    }
    return app.api.call("role.set", { custom_type: type, role, permissions });
  }

  update();
  return formDialog(app, {
    title: [`Permissions of ${nameOf(role)}: `, titleOf(type)],
    fields: [
      follow.element,
      h("fieldset", { class: "checks" }, h("legend", { class: "group-label" }, "Permissions"),
        boxes.map((box) => box.element)),
    ],
    action: "Save",
    run,
    done: "The role is changed.",
  });
}

const confirmNothing = (app, role) =>
  app.confirm({
    title: "Take away every permission?",
    text: `The role ${nameOf(role)} can then only read. A server key can restore its permissions at any time.`,
    action: "Take away", danger: true,
  });

/** A choice of presets for an existing table, and a button that applies one. */
function presets(app, type, changed) {
  const choices = type === undefined ? PRESETS : [...PRESETS, ["", "no table"]];
  const preset = choice(choices, "messaging", { "aria-label": `Preset ${whereOf(type)}` });
  return line(preset, button("Apply", () => applyPreset(app, type, preset.value, changed)));
}

/** A custom type, a choice of presets, and a button that gives the type a table. */
function newTable(app, changed) {
  const type = lineInput("Custom type", { maxlength: 128 });
  const preset = choice(PRESETS, "messaging", { "aria-label": "Preset for the new table" });
  return line(type, preset, button("Add", () => applyPreset(app, type.value, preset.value, changed)));
}

const line = (...parts) => h("div", { class: "search-line" }, parts);

/** Asks for confirmation, and sets every role. @param {string} preset "" removes the table */
async function applyPreset(app, type, preset, changed) {
  const set = (data) => app.api.call("role.set", { custom_type: type, ...data });
  const isSure = await app.confirm({
    title: preset ? `Apply the preset ${preset}?` : "Remove the table?",
    text: [titleOf(type), ": ", preset
      ? "every role gets the permissions of the preset."
      : "every role gets its permissions in general again."],
    action: preset ? "Apply" : "Remove",
    danger: true,
  });
  if (!isSure) return;
  const work = async () => {
    if (preset) return set({ preset });
    for (const role of ROLES) await set({ role });
  };
  await app.attempt(work, "The roles are changed.");
  await changed();
}
