// Element construction for the page. Text always becomes a text node, and nothing here accepts HTML.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Creates an element.
 *
 * Props: `class` (a string, or an array whose falsy entries are skipped), `style` (an object of CSS properties, set
 * with `setProperty` because the content security policy forbids style attributes), `on…` (an event listener, as in
 * `onclick`), `value`, `checked`, `disabled`, `selected`, `indeterminate`, `multiple` (properties). Everything else is
 * an attribute: `true` sets an empty one (`aria-…` and `draggable`: "true"), `false`, `null` and `undefined` omit it
 * (`aria-…` and `draggable`: `false` is "false").
 *
 * @param {string} tag
 * @param {object | null} [props]
 * @param {...(Node | string | number | false | null | undefined | Array)} children strings, nodes, and nested arrays of
 *   them
 * @returns {HTMLElement}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) set(element, name, value);
  append(element, children);
  return element;
}

const PROPERTIES = new Set(["value", "checked", "disabled", "selected", "indeterminate", "multiple"]);

/** Sets one prop by the rules of `h`. Listeners cannot be removed. */
export function set(element, name, value) {
  if (name === "class") {
    element.className = Array.isArray(value) ? value.filter(Boolean).join(" ") : (value ?? "");
  } else if (name === "style") {
    for (const [property, text] of Object.entries(value ?? {})) element.style.setProperty(property, String(text));
  } else if (name.startsWith("on")) {
    if (value) element.addEventListener(name.slice(2), value);
  } else if (PROPERTIES.has(name)) {
    if (value !== undefined && value !== null) element[name] = value;
  } else if (value === null || value === undefined) {
    element.removeAttribute(name);
  } else if (typeof value === "boolean" && !name.startsWith("aria-") && name !== "draggable") {
    element.toggleAttribute(name, value);
  } else {
    element.setAttribute(name, String(value));
  }
}

function append(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child instanceof Node) element.append(child);
    else if (child !== null && child !== undefined && child !== false && child !== "") {
      element.append(document.createTextNode(String(child)));
    }
  }
}

/** Replaces the children of `element`; children as in `h`. */
export function fill(element, ...children) {
  const fragment = document.createDocumentFragment();
  append(fragment, children);
  element.replaceChildren(fragment);
}

/** Creates an SVG element; props can only be attributes. */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, String(value));
  append(element, children);
  return element;
}

/**
 * Updates the children of `parent` to match `items`, reusing the element of each key, so that focus, scroll position
 * and half-typed text survive.
 *
 * @param {HTMLElement} parent managed by this function only
 * @param {Array} items
 * @param {(item) => string} key unique among the items
 * @param {(item) => {element: HTMLElement, update(item): void}} create creates the row; `update` is called right after
 */
export function keyed(parent, items, key, create) {
  const rows = (parent.belfryRows ??= new Map());
  const keys = new Set(items.map(key));
  for (const [old, row] of rows) {
    if (keys.has(old)) continue;
    row.element.remove();
    rows.delete(old);
  }
  let previous = null;
  for (const item of items) {
    const id = key(item);
    let row = rows.get(id);
    if (!row) rows.set(id, (row = create(item)));
    row.update(item);
    const after = previous ? previous.nextSibling : parent.firstChild;
    // Moving an element drops its focus, so leave elements that are already in place.
    if (row.element !== after) parent.insertBefore(row.element, after);
    previous = row.element;
  }
}

/**
 * Collects a view's cleanup functions.
 * @returns {{add(off: () => void): void, close(): void}} `close` runs each once, last added first
 */
export function scope() {
  let ends = [];
  return {
    add(...offs) {
      ends.push(...offs.filter((off) => typeof off === "function"));
    },
    close() {
      const all = ends.reverse();
      ends = [];
      for (const off of all) off();
    },
  };
}

/** Text for screen readers only. */
export const hiddenText = (text) => h("span", { class: "visually-hidden" }, text);
