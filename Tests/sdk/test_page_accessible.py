"""The page without a pointer or a display: everything has a role and a name, and can be reached by keyboard."""

import pytest
from browser import page_url, wait_until
from page_scene import MIDDLE, NARROW, WIDE, closes_dialog, row, scene, toast  # noqa: F401: a fixture

NAMELESS_IS_FINE = {"RootWebArea", "dialog", "generic", "listitem", "menu", "scrollbar"}

# Checks the computed colours against the contrast of 4.5 (WCAG 2.2, 1.4.3), except for large and disabled text.
CONTRAST = """
const linear = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const luminance = ([r, g, b]) => [r, g, b].map(v => linear(v / 255))
    .reduce((sum, v, index) => sum + v * [0.2126, 0.7152, 0.0722][index], 0);
const parse = text => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return {rgb: [r, g, b], a}; };
const over = (top, below) => top.rgb.map((v, index) => v * top.a + below[index] * (1 - top.a));
const ground = element => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
        const colour = parse(getComputedStyle(at).backgroundColor);
        if (colour.a > 0) layers.unshift(colour);
        if (colour.a === 1) break;
    }
    return layers.reduce((below, layer) => over(layer, below), [255, 255, 255]);
};
const found = [];
for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!text || !element.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    if (element.matches(".visually-hidden, .visually-hidden *, .skip-link")) continue;
    if (element.matches(":disabled, [aria-disabled=true] *")) continue;
    const colour = parse(getComputedStyle(element).color), below = ground(element);
    const [a, b] = [luminance(over(colour, below)), luminance(below)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) found.push(`${element.className} ${element.textContent.slice(0, 30)}: ${contrast.toFixed(2)}`);
}
return found;
"""


def nameless(window) -> list[str]:
    """Returns the focusable elements without an accessible name."""
    nodes = window.cdp("Accessibility.getFullAXTree")["nodes"]
    found = []
    for node in nodes:
        role = node.get("role", {}).get("value")
        focusable = any(one["name"] == "focusable" and one["value"]["value"] for one in node.get("properties", []))
        if focusable and not node.get("ignored") and role not in NAMELESS_IS_FINE:
            if not node.get("name", {}).get("value", "").strip():
                found.append(str(node))
    return found


def well_formed(window) -> list[str]:
    """Returns duplicate ids and references to ids that do not exist."""
    return window.script("""
        const ids = [...document.querySelectorAll("[id]")].map(element => element.id);
        const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
        const references = ["aria-labelledby", "aria-describedby", "aria-controls", "for"];
        const dangling = references.flatMap(name => [...document.querySelectorAll(`[${name}]`)]
            .flatMap(element => element.getAttribute(name).split(/\\s+/).filter(Boolean)))
            .filter(id => !document.getElementById(id));
        return [...twice, ...dangling];
    """)


def good(window):
    assert nameless(window) == []
    assert well_formed(window) == []
    assert window.script("return document.documentElement.scrollWidth <= innerWidth")
    # A colour may still be in transition.
    wait_until(lambda: window.script(CONTRAST) == [] or None, window.script(CONTRAST) or "contrast", 3)


def tab_to(window, name: str, most=40):
    """Presses Tab until the element with this accessible name has the focus."""
    for _ in range(most):
        window.keys("Tab")
        if name in window.script("""
            const at = document.activeElement;
            const labels = [...(at.labels ?? [])].map(label => label.textContent);
            return [at.getAttribute("aria-label"), at.textContent.trim(), ...labels];
        """):
            return
    raise AssertionError(f"Tab does not reach {name!r}")


@pytest.mark.parametrize("size", [WIDE, MIDDLE, NARROW], ids=["wide", "middle", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_element_has_a_name_and_is_legible_in_every_view(scene, size, scheme):  # noqa: F811
    scene.people("ann", "bob", "carol")
    title = scene.name("Public")
    public = scene.channel("bob", title, "ann", is_public=True)
    scene.say("bob", public, "hello @Ann", mention_type="users", mentioned_user_ids=[scene.name("ann")])
    frozen = scene.channel("ann", "Frozen", "bob", "carol")
    scene.do("ann", "channel.freeze", channel_id=frozen)
    scene.do("ann", "member.mute", channel_id=frozen, user_id=scene.name("bob"))
    scene.asks_first("ann", "carol")
    scene.channel("bob", "Offsite", "ann")
    scene.do("ann", "channel.invite", channel_id=frozen, user_ids=[scene.name("carol")])
    ann = scene.window("ann")
    ann.size(*size)
    ann.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
    row(ann, public).css(".mention").wait()
    ann.role("button", "Accept the invitation to Offsite").wait()
    good(ann)
    ann.screenshot(f"home-{size[0]}-{scheme}")
    row(ann, public).context()
    ann.role("menu", f"Actions for {title}").wait()
    good(ann)
    ann.keys("Escape")
    ann.role("button", "New channel").click()
    ann.role("dialog", "New channel").wait()
    good(ann)
    ann.keys("Escape")
    closes_dialog(ann)
    ann.go("#/search/hello")
    ann.css(".search-view .found, .search-view .notice").wait()
    good(ann)
    ann.go(f"#/search//{frozen}")
    ann.role("button", "Search in all channels").wait()
    good(ann)
    ann.go("#/public")
    ann.role("searchbox", "Search public channels").type(title)
    ann.role("button", f"Open {title}").wait()
    good(ann)
    ann.go(f"#/c/{frozen}/members")
    ann.css(".member").counts(3)
    good(ann)
    ann.role("complementary").role("button", "Actions for Bob").click()
    ann.role("menuitem", text="Ban").click()
    ann.role("dialog", "Ban Bob?").wait()
    good(ann)
    ann.open(page_url(scene.server, scene.name("bob")), accept=False)
    ann.role("heading", f"Continue as {scene.name('bob')}?").wait()
    good(ann)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_moderation_is_named_and_legible_in_every_view(scene, size, scheme):  # noqa: F811
    scene.people("ann", "bob", "carol")
    channel = scene.channel("ann", "General", "bob", "carol")
    scene.do("carol", "user.block", user_id=scene.name("bob"))
    parent = scene.say("bob", channel, "hello")
    scene.say("carol", channel, "a reply", parent_message_id=parent["id"])
    scene.do("ann", "member.ban", channel_id=channel, user_id=scene.person("dave"), description="spam " * 40)
    scene.do("ann", "channel.update", channel_id=channel, slow_mode_seconds=3_600)
    carol, ann = (scene.window(who) for who in ("carol", "ann"))
    for window in (carol, ann):
        window.size(*size)
        window.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
    carol.go(f"#/c/{channel}")
    carol.role("textbox", "Message").type("one\n")
    carol.css("[data-slow-mode]").wait()
    carol.css(".folded").wait()
    good(carol)
    carol.screenshot(f"moderated-{size[0]}-{scheme}")
    carol.go(f"#/c/{channel}/t/{parent['id']}")
    carol.css(".parent-info .folded").wait()
    good(carol)
    carol.go("#/")
    carol.role("button", "Your menu").click()
    carol.role("menuitem", text="Blocked people").click()
    carol.role("dialog", "Blocked people").role("listitem", text="Bob").wait()
    good(carol)
    ann.go(f"#/c/{channel}/members")
    for item in ("Channel settings", "Banned people", "Moderation log"):
        ann.role("complementary").role("button", "Channel actions").click()
        ann.role("menuitem", text=item).click()
        ann.role("dialog", item).wait()
        ann.find(text="Loading…").gone()
        good(ann)
        ann.screenshot(f"{item.lower().replace(' ', '-')}-{size[0]}-{scheme}")
        ann.keys("Escape")
        closes_dialog(ann)


def test_landmarks_identify_the_parts_of_the_page(scene):  # noqa: F811
    scene.people("ann", "bob")
    channel = scene.channel("bob", "General", "ann")
    ann = scene.window("ann", f"#/c/{channel}/members")
    ann.role("navigation", "Channels").wait()
    ann.role("main").wait()
    ann.role("complementary").until("element.getAttribute('aria-label') === 'Members'")
    assert ann.script("return document.documentElement.lang") == "en"
    # Opening a view announces it, because its heading gets the focus.
    ann.wait_until("document.activeElement.textContent === 'Members'")
    assert ann.css("[data-announcer]").unseen.attribute("aria-live") == "polite"
    # The first tab stop skips the list.
    ann.go("#/")
    ann.reload()
    row(ann, channel).wait()
    ann.keys("Tab")
    assert ann.focused.text == "Skip to the conversation"
    ann.keys("Enter")
    ann.wait_until("document.activeElement.closest('main') !== null")


def test_a_channel_can_be_created_and_managed_without_a_pointer(scene):  # noqa: F811
    scene.people("ann", "bob")
    bob = scene.window("bob")
    ann = scene.window("ann")
    tab_to(ann, "New channel")
    ann.keys("Enter")
    ann.role("dialog", "New channel").wait()
    # The dialog has the focus in its first field, and keeps it.
    ann.typed("By hand")
    tab_to(ann, "Members")
    ann.typed(scene.name("bob") + "\n")
    ann.css(".chip", text="Bob").wait()
    tab_to(ann, "PublicAnyone can find it and join without an invitation.")
    ann.keys("Space")
    tab_to(ann, "Create channel")
    ann.keys("Enter")
    ann.wait_until("location.hash.startsWith('#/c/')")
    channel = ann.script("return decodeURIComponent(location.hash.slice(4))")
    row(bob, channel).wait()
    assert scene.do("ann", "channel.get", channel_id=channel)["channel"]["is_public"]

    ann.go(f"#/c/{channel}/members")
    ann.css(".member").counts(2)
    tab_to(ann, "Channel actions")
    ann.keys("Enter", "f", "Enter")
    toast(ann, "The channel is frozen.")
    ann.css(".member[aria-label^='Bob']").focus()
    ann.keys("Enter", "Enter")
    toast(ann, "Bob is an operator now.")
    ann.css(".member[aria-label^='Bob, operator']").wait()


def test_animations_stop_for_users_who_prefer_reduced_motion(scene):  # noqa: F811
    scene.people("ann")
    ann = scene.window("ann")
    ann.media(prefers_reduced_motion="reduce")
    ann.role("button", "New channel").click()
    assert float(ann.role("dialog").value("parseFloat(getComputedStyle(element).animationDuration)")) < 0.01
