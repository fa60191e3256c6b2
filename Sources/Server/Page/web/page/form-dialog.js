// Dialogs with a form that runs a command.

import { button } from "./controls.js";
import { h } from "./dom.js";
import { errorText } from "./errors.js";

let serial = 0;

/** A labelled control. @param {string} label @param {HTMLElement} control @param {string} [hint] */
export function field(label, control, hint) {
  control.id ||= `field-${++serial}`;
  const id = hint && `${control.id}-hint`;
  if (id) control.setAttribute("aria-describedby", id);
  return h("div", { class: "field" }, h("label", { class: "label", for: control.id }, label), control,
    hint && h("span", { class: "hint", id }, hint));
}

/**
 * A checkbox with a label.
 * @param {string} label
 * @param {string} hint
 * @param {object} [props] of the checkbox, for `h`
 * @returns {{element: HTMLElement, input: HTMLInputElement}}
 */
export function check(label, hint, props = {}) {
  const input = h("input", { type: "checkbox", ...props });
  return {
    input,
    element: h("label", { class: "check" }, input, h("span", null, label, h("span", { class: "hint" }, hint))),
  };
}

/**
 * Asks, runs a command, and closes when it is done. An error is shown in the dialog, which stays open.
 * @param {{dialog(view: object): {element, close()}, toast(text: string, options?: object): void}} app
 * @param {{title: string | any[], text?: string, fields: Node[], action: string, danger?: boolean, run(): Promise<any>,
 *   done?: string, problemText?(error: Error): string}} form `done`: the text of a toast
 * @returns {Promise<boolean>} whether the command was done; resolves after the reply, even if the dialog was closed before
 */
export function formDialog(app, { title, text, fields, action, danger = false, run, done, problemText = errorText }) {
  return new Promise((resolve) => {
    /** @type {Promise<boolean> | undefined} */
    let running;
    const problem = h("p", { class: "problem", role: "alert", hidden: true });
    const act = button(action, submit, { primary: !danger, danger });

    async function submit(event) {
      event?.preventDefault();
      // Enter in a field works even while the button is disabled.
      if (running) return;
      act.disabled = true;
      running = perform();
      if (await running) {
        dialog.close();
        if (done) app.toast(done);
        return;
      }
      running = undefined;
      act.disabled = false;
    }

    async function perform() {
      try {
        await run();
        return true;
      } catch (error) {
        problem.textContent = problemText(error);
        problem.hidden = false;
        if (!dialog.element.isConnected) app.toast(problem.textContent, { error: true });
        return false;
      }
    }

    const dialog = app.dialog({
      title,
      body: h(
        "form",
        { class: "form", onsubmit: submit, novalidate: true },
        text && h("p", null, text),
        fields,
        problem,
        // Enter in a field submits only if the form has a submit button.
        h("button", { type: "submit", hidden: true, tabindex: -1 }),
      ),
      actions: [button("Cancel", () => dialog.close()), act],
      onclose: async () => resolve((await running) ?? false),
    });
  });
}
