"""Locators of elements, which look the elements up each time because a page may redraw them."""

from webdriver import DEADLINE, ELEMENT

KEYS = {
    "Backspace": "\ue003", "Tab": "\ue004", "Enter": "\ue007", "Shift": "\ue008", "Control": "\ue009", "Alt": "\ue00a",
    "Escape": "\ue00c", "Space": " ", "PageUp": "\ue00e", "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011",
    "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Delete": "\ue017",
    "F10": "\ue03a", "Meta": "\ue03d",
}

# The implicit roles of elements that the page uses, and names in the order of accname 1.2 §4.3.
FIND = r"""
const [steps, hidden] = arguments;
const own = {
    button: "button,input[type=button],input[type=submit],summary", link: "a[href]", list: "ul,ol,menu",
    textbox: "textarea,input:not([type]),input[type=text],input[type=email],input[type=url]", listitem: "li",
    searchbox: "input[type=search]", checkbox: "input[type=checkbox]", radio: "input[type=radio]",
    combobox: "select", heading: "h1,h2,h3,h4,h5,h6", dialog: "dialog", main: "main", navigation: "nav",
    complementary: "aside", img: "img", form: "form", article: "article", separator: "hr", option: "option",
    status: "output", progressbar: "progress", banner: "header", table: "table",
};
const squeezed = text => (text ?? "").replace(/\s+/g, " ").trim();
const nameOf = element => {
    const ids = element.getAttribute("aria-labelledby");
    if (ids) return squeezed(ids.split(/\s+/).map(id => document.getElementById(id)?.textContent ?? "").join(" "));
    const given = element.getAttribute("aria-label");
    if (given) return squeezed(given);
    if (element.labels?.length) return squeezed([...element.labels].map(label => label.textContent).join(" "));
    if (element.alt) return squeezed(element.alt);
    return squeezed(element.textContent) || squeezed(element.title) || squeezed(element.placeholder);
};
const fits = (element, {role, name, text}) =>
    (!role || (element.getAttribute("role") ?? (own[role] && element.matches(own[role]) ? role : "")) === role)
    && (name == null || nameOf(element) === name)
    && (text == null || squeezed(element.textContent).includes(text) || element.value?.includes?.(text))
    && (hidden || element.checkVisibility({visibilityProperty: true}));
let roots = [document];
for (const step of steps) {
    const css = step.css === "*" && step.role
        ? `[role="${step.role}"]` + (own[step.role] ? "," + own[step.role] : "") : step.css;
    let found = [];
    for (const root of roots) for (const element of root.querySelectorAll(css))
        if (fits(element, step) && !found.includes(element)) found.push(element);
    // Of nested elements that all contain the text, only the innermost counts.
    if (css === "*")
        found = found.filter(element => !found.some(other => other !== element && element.contains(other)));
    if (step.nth != null) found = found.slice(step.nth < 0 ? found.length + step.nth : step.nth).slice(0, 1);
    roots = found;
}
return roots;
"""


class Locator:
    """Elements found in steps, each within the result of the previous step. Actions apply to the first element."""

    def __init__(self, window, steps: tuple[dict, ...], hidden: bool = False):
        self.window, self.steps, self.hidden = window, steps, hidden

    def __repr__(self):
        return " > ".join(str({key: value for key, value in step.items() if value is not None}) for step in self.steps)

    # Narrowing

    def find(self, css="*", *, role=None, name=None, text=None) -> "Locator":
        step = {"css": css, "role": role, "name": name, "text": text}
        return Locator(self.window, (*self.steps, step), self.hidden)

    def css(self, css: str, text: str | None = None) -> "Locator":
        return self.find(css, text=text)

    def role(self, role: str, name: str | None = None, text: str | None = None) -> "Locator":
        return self.find(role=role, name=name, text=text)

    def nth(self, index: int) -> "Locator":
        """Selects one element, counted from 0, or from the end if negative."""
        return Locator(self.window, (*self.steps[:-1], {**self.steps[-1], "nth": index}), self.hidden)

    @property
    def unseen(self) -> "Locator":
        """Returns the same locator, including invisible elements."""
        return Locator(self.window, self.steps, True)

    # Reading without waiting

    def all(self) -> list[str]:
        """Returns WebDriver's references; empty if there are no such elements now."""
        return [element[ELEMENT] for element in self.window.script(FIND, list(self.steps), self.hidden)]

    @property
    def count(self) -> int:
        return len(self.all())

    @property
    def texts(self) -> list[str]:
        """The text of each element, as a user reads it."""
        return self.each("element.innerText")

    def each(self, expression: str) -> list:
        """Returns `expression` of `element` for each element present now."""
        body = f"const found = (function () {{{FIND}}})(...arguments); return found.map(element => {expression});"
        return self.window.script(body, list(self.steps), self.hidden)

    # Waiting

    def wait(self, deadline=None) -> "Locator":
        """Waits until the element exists."""
        self.until("true", deadline)
        return self

    def gone(self, deadline=None):
        """Waits until the element no longer exists."""
        self._wait(lambda: not self.all(), "no more", deadline)

    def counts(self, number: int, deadline=None):
        self._wait(lambda: self.count == number, f"{number} of", deadline)

    def until(self, expression: str, deadline=None):
        """Waits until `expression` of `element` is true for the first element; returns its value."""
        def look():
            values = self.each(expression)
            return values and values[0] and (values[0],)

        return self._wait(look, expression, deadline)[0]

    def reads(self, text: str, deadline=None):
        """Waits until the text or value of the first element contains `text`."""
        self._wait(lambda: text in (self.each("element.value ?? element.innerText") or [""])[0], repr(text), deadline)

    def value(self, expression: str):
        """Returns `expression` of `element` for the first element, as soon as it exists."""
        return self._wait(lambda: self.each(f"[{expression}]"), "one", None)[0][0]

    @property
    def text(self) -> str:
        return self.value("element.innerText")

    def attribute(self, name: str) -> str | None:
        return self.value(f"element.getAttribute({name!r})")

    # Actions

    def click(self):
        self._do("click")

    def type(self, text: str):
        """Types into the element after its content; "\\n" is Enter."""
        self._do("value", text=text.replace("\n", KEYS["Enter"]))

    def fill(self, text: str):
        """Types over the element's content."""
        self._do("clear")
        self.type(text)

    def replace(self, text: str):
        """Replaces the element's content in one step, whatever the characters are."""
        self.value("(element.focus(), element.select?.(), true)")
        self.window.insert(text)

    def upload(self, *paths):
        """Attaches files to an `<input type=file>`, which need not be visible."""
        hidden = self.unseen
        hidden._do("value", text="\n".join(str(path) for path in paths))

    def focus(self):
        self.value("(element.focus(), true)")

    def hover(self):
        self._pointer([])

    def context(self):
        """Clicks with the secondary button."""
        self._pointer([{"type": "pointerDown", "button": 2}, {"type": "pointerUp", "button": 2}])

    def hold(self, milliseconds: int, touch=True):
        """Performs a long press."""
        self._pointer([{"type": "pointerDown", "button": 0}, {"type": "pause", "duration": milliseconds},
                       {"type": "pointerUp", "button": 0}], "touch" if touch else "mouse")

    def _do(self, action: str, **body):
        def act():
            if found := self.all():
                self.window("POST", f"/element/{found[0]}/{action}", **body)
                return True

        self._wait(act, action, None)

    def _pointer(self, actions: list[dict], kind="mouse"):
        def act():
            if found := self.all():
                self.value("(element.scrollIntoView({block: 'nearest'}), true)")
                move = {"type": "pointerMove", "x": 0, "y": 0, "origin": {ELEMENT: found[0]}}
                pointer = {"type": "pointer", "id": kind, "parameters": {"pointerType": kind},
                           "actions": [move, *actions]}
                self.window("POST", "/actions", actions=[pointer])
                return True

        self._wait(act, "the pointer", None)

    def _wait(self, condition, what, deadline):
        return self.window.wait_until(condition, f"{what}: {self}", DEADLINE if deadline is None else deadline)


def press(window, name: str):
    """Splits a key with its modifiers: "Control+Enter"; "+" itself is "+"."""
    parts = name.split("+") if len(name) > 1 else [name]
    keys = [KEYS.get(part, part) for part in parts]
    down = [{"type": "keyDown", "value": key} for key in keys]
    up = [{"type": "keyUp", "value": key} for key in reversed(keys)]
    window("POST", "/actions", actions=[{"type": "key", "id": "keys", "actions": down + up}])
