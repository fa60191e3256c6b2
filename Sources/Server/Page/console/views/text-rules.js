// Text rules: the list, a form to add or change one, and a dry run.

import { block, cardList, choice, lineInput, loaded, sectionView, userText } from "../parts.js";
import { button } from "../../page/controls.js";
import { fill, h } from "../../page/dom.js";
import { field, formDialog } from "../../page/form-dialog.js";
import { highlighted, splitAtMarks } from "../../page/search/excerpt.js";

/** The kinds of rules: field, name, and the words before the content in the list. */
const KINDS = [
  ["words", "Words and phrases", "Words"],
  ["pattern", "Pattern", "Pattern"],
  ["forbidden_domains", "Links to some domains", "Links to"],
  ["allowed_domains", "Links to all other domains", "Links other than to"],
];
const ACTIONS = [
  ["refuse", "Refuse the text"],
  ["mask", "Mask the matches with asterisks"],
  ["report", "Accept the text and report it"],
];
const LOOKS = { refuse: "danger", mask: "bronze", report: "accent" };
/** The number of words or domains shown in the list. */
const SHOWN = 20;

/** @param {import("../app.js").Console} app */
export function textRulesView(app) {
  const list = cardList({
    label: "Text rules",
    empty: "No text rules.",
    async load(next) {
      const answer = await app.api.call("text_rule.list", { limit: 50, ...(next && { next }) });
      return { items: answer.rules, next: answer.next };
    },
    row: (rule) => ruleCard(app, rule, list),
  });
  const type = lineInput("Custom type of the channel (optional)");
  const tried = trial(app, () => ({ custom_type: type.value || undefined }));
  const add = button("Add a rule", async () => (await askRule(app)) && list.reload(), { small: true });
  const element = sectionView(
    app,
    { title: "Text rules", actions: app.can("text_rule.set") ? [add] : [] },
    app.can("text_rule.test") && block("Dry run", type, tried),
    block("Rules", list.element),
  );
  return { element, close: list.close };
}

/** The kind and the content of a rule. */
function contentOf(rule) {
  const [kind, , words] = KINDS.find(([name]) => rule[name] !== undefined);
  return { kind, words, entries: [rule[kind]].flat() };
}

const actionTag = (action) => h("span", { class: ["tag", LOOKS[action]] }, action);
const separated = (texts) => texts.map((text, at) => [at > 0 && ", ", userText(text)]);

function ruleCard(app, rule, list) {
  const { words, entries } = contentOf(rule);
  const rest = entries.length - SHOWN;
  const change = async () => (await askRule(app, rule)) && list.reload();
  const named = (verb) => ({ small: true, "aria-label": `${verb} ${rule.id}` });
  const card = h(
    "article",
    { class: "card", "data-rule": rule.id },
    h("p", { class: "line" }, h("strong", null, userText(rule.id)), actionTag(rule.action),
      rule.custom_types && h("span", { class: "faint" }, "only in channels of the types ", separated(rule.custom_types))),
    h("p", null, words, ": ", separated(entries.slice(0, SHOWN)), rest > 0 && ` and ${rest} more`),
    h("div", { class: "buttons" },
      app.can("text_rule.set") && button("Change", change, named("Change")),
      app.can("text_rule.delete") && button("Delete", remove, named("Delete"))),
  );

  async function remove() {
    const isSure = await app.confirm({
      title: ["Delete the rule ", userText(rule.id), "?"], text: "It no longer applies to new texts.", action: "Delete",
      danger: true,
    });
    const work = () => app.api.call("text_rule.delete", { ids: [rule.id] });
    if (isSure && (await app.attempt(work, "The rule is deleted."))) list.remove(card.parentElement);
  }

  return card;
}

/**
 * Asks for a rule, and saves it.
 * @param {object} [rule] the one to change
 * @returns {Promise<boolean>} whether it was saved
 */
function askRule(app, rule) {
  const { kind, entries } = rule ? contentOf(rule) : { kind: "words", entries: [] };
  const isNew = !rule;
  const id = h("input", {
    class: "input", value: rule?.id, readonly: !isNew, maxlength: 128, autocomplete: "off", "data-autofocus": isNew,
  });
  const kinds = choice(KINDS, kind);
  const content = h("textarea", { class: "input", rows: 4, value: entries.join("\n"), "data-autofocus": !isNew });
  const action = choice(ACTIONS, rule?.action);
  const types = h("textarea", { class: "input", rows: 2, value: rule?.custom_types?.join("\n") });

  function read() {
    const only = linesOf(types);
    return {
      id: id.value,
      [kinds.value]: kinds.value === "pattern" ? content.value : linesOf(content),
      action: action.value,
      custom_types: only.length > 0 ? only : undefined,
    };
  }
  const unsaved = () => {
    const candidate = read();
    return { rules: [{ ...candidate, id: candidate.id || "this rule" }], custom_type: candidate.custom_types?.[0] };
  };
  return formDialog(app, {
    title: isNew ? "Add a rule" : "Change a rule",
    fields: [
      field("Id", id, isNew && "A rule with the same id is replaced."),
      field("Matches", kinds),
      field("Words, domains or pattern", content, "One word, phrase or domain per line: moron* also matches words that " +
        "begin with it, *moron* those that contain it. A pattern is one regular expression in the syntax of RE2."),
      field("Action", action),
      field("Custom types (optional)", types, "One per line: the rule applies only in channels of these types."),
      app.can("text_rule.test") && trial(app, unsaved),
    ],
    action: "Save",
    run: () => app.api.call("text_rule.set", { rules: [read()] }),
    done: "The rule is saved.",
  });
}

const linesOf = (control) => control.value.split("\n").map((line) => line.trim()).filter(Boolean);

/** A text to try, and what the rules would do with it. @param {() => object} others further fields of `text_rule.test` */
function trial(app, others) {
  const text = h("textarea", { class: "input", rows: 2 });
  const result = h("div", { "aria-live": "polite" });
  function run() {
    const tried = text.value;
    const answer = app.api.call("text_rule.test", { text: tried, ...others() });
    fill(result, loaded(answer, (found) => {
      requestAnimationFrame(() => result.scrollIntoView({ block: "nearest" }));
      return verdict(tried, found);
    }));
  }
  return h("div", { class: "block" }, field("Text to try", text), h("div", { class: "buttons" }, button("Try", run)), result);
}

function verdict(text, { matches, text: stored }) {
  const marks = matches.flatMap((match) => match.marks).sort(([a], [b]) => a - b);
  const refusing = matches.find(({ action }) => action === "refuse");
  return h(
    "div",
    { class: "card", "data-verdict": stored === undefined ? "refused" : "stored" },
    h("p", { class: "text" }, userText(highlighted(splitAtMarks(text, marks)))),
    matches.length === 0
      ? h("p", null, "No rule matches.")
      : h("ul", null, matches.map((match) => h("li", null, userText(match.rule_id), " ", actionTag(match.action)))),
    stored === undefined
      ? h("p", { class: "problem" }, "Refused", refusing && [" by rule ", userText(refusing.rule_id)])
      : h("p", { class: "text" }, "Stored as: ", userText(stored)),
  );
}
