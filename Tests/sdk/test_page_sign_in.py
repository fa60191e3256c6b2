"""Signing in with a token: the user of each window, and the messages if it fails."""

import jwt
from browser import page_url
from page_scene import NARROW, scene, settled  # noqa: F401: a fixture

TOKEN = "Token"


def test_a_page_without_a_token_asks_for_one_and_sign_in_works_by_keyboard_alone(scene, server):  # noqa: F811
    scene.person("ann")
    window = scene.browse(page_url(server))
    window.role("heading", "Sign in to Belfry").wait()
    field = window.role("textbox", TOKEN).wait()
    window.wait_until("document.activeElement.id === 'token'")
    window.screenshot("sign-in")

    window.typed("\n")
    window.role("alert", text="Paste a token first.").wait()
    window.typed("hello\n")
    window.role("alert", text="three parts").wait()
    assert field.attribute("aria-invalid") == "true"
    assert window.focused.attribute("id") == "token"
    assert "token-problem" in field.attribute("aria-describedby")

    field.fill("")
    window.script("document.activeElement.value = arguments[0]", scene.token("ann"))
    window.keys("Tab", "Enter")
    settled(window)
    window.css(".profile", text="Ann").wait()
    window.role("navigation", "Channels").wait()
    window.wait_until("document.title === 'Belfry'")


def test_problems_with_a_token_are_shown_before_and_after_the_server_checks_it(scene, server):  # noqa: F811
    scene.person("ann")
    window = scene.browse(page_url(server))
    for bad, words in [("a.b.c", "cannot be read"), (scene.token("ann", expires_in=-60), "has expired")]:
        window.role("textbox", TOKEN).fill(bad)
        window.role("button", "Sign in").click()
        window.role("alert", text=words).wait()
    # Only the server can detect that this token is signed with another key.
    window.role("textbox", TOKEN).fill(scene.token("ann", secret="another secret, of 32 bytes and more"))
    window.role("button", "Sign in").click()
    window.role("alert", text="does not accept this token").wait()
    assert window.script("return sessionStorage.length") == 0
    window.role("textbox", TOKEN).fill(scene.token("ann"))
    window.role("button", "Sign in").click()
    settled(window)


def test_a_token_in_the_address_is_removed_from_it_and_from_the_history(scene, server):  # noqa: F811
    scene.person("ann")
    window = settled(scene.browse(page_url(server, scene.name("ann"))))
    assert "token" not in window.url
    window.go("#/public")
    window.role("heading", "Public channels").wait()
    window.back()
    window.role("heading", "Public channels").gone()
    assert "token" not in window.url
    window.reload()
    settled(window)
    window.css(".profile", text="Ann").wait()


def test_two_windows_of_one_browser_can_be_two_users_until_one_signs_out(scene, server):  # noqa: F811
    scene.people("ann", "bob")
    ann = settled(scene.browse(page_url(server, scene.name("ann"))))
    bob = settled(ann.another().open(page_url(server, scene.name("bob"))))
    bob.css(".profile", text="Bob").wait()
    ann.css(".profile", text="Ann").wait()

    ann.role("button", "Your menu").click()
    ann.role("menuitem", text="Sign out").click()
    ann.role("heading", "Sign in to Belfry").wait()
    assert ann.script("return sessionStorage.length") == 0
    ann.reload()
    ann.role("heading", "Sign in to Belfry").wait()
    bob.reload()
    settled(bob).css(".profile", text="Bob").wait()


def test_the_form_fits_a_narrow_window_in_the_dark_color_scheme(scene, server):  # noqa: F811
    window = scene.browse(page_url(server))
    window.size(*NARROW)
    window.media(prefers_color_scheme="dark", prefers_reduced_motion="reduce")
    window.role("button", "Sign in").wait()
    assert window.script("return document.documentElement.scrollWidth <= innerWidth")
    window.screenshot("sign-in-narrow-dark")


def test_a_link_with_a_token_asks_before_signing_anybody_in(scene, server):  # noqa: F811
    """Login CSRF: otherwise any page could sign its visitors into an account that its author reads."""
    scene.people("ann", "mallory")
    window = scene.browse()
    window.open(page_url(server, scene.name("mallory")), accept=False)
    window.role("heading", f"Continue as {scene.name('mallory')}?").wait()
    # The token is removed from the address and stored nowhere before the user answers.
    assert "token" not in window.url
    assert window.script("return sessionStorage.length + localStorage.length + document.cookie.length") == 0
    window.screenshot("sign-in-link")
    window.role("button", "Sign in another way").click()
    window.role("heading", "Sign in to Belfry").wait()
    window.reload()
    window.role("heading", "Sign in to Belfry").wait()

    window.open(page_url(server, scene.name("ann")), accept=False)
    window.role("heading", f"Continue as {scene.name('ann')}?").wait()
    window.wait_until("document.activeElement.tagName === 'H1'")
    # The heading has the focus, so that a key meant for something else does not answer.
    window.keys("Enter", "Tab")
    window.role("heading", f"Continue as {scene.name('ann')}?").wait()
    window.keys("Enter")
    settled(window)
    window.css(".profile", text="Ann").wait()


def test_a_link_never_changes_the_signed_in_user_without_confirmation(scene, server):  # noqa: F811
    scene.people("ann", "mallory")
    ann, mallory = scene.name("ann"), scene.name("mallory")
    window = settled(scene.browse(page_url(server, ann)))
    for opened in (lambda: window.go(f"#token={scene.token('mallory')}"),
                   lambda: window.open(page_url(server, mallory), accept=False)):
        opened()
        window.role("heading", f"Continue as {mallory}?").wait()
        window.css(".lead", text=f"You are signed in as {ann}.").wait()
        assert "token" not in window.url
        window.role("button", f"Stay signed in as {ann}").click()
        settled(window)
        window.css(".profile", text="Ann").wait()
    # A reload does not answer either.
    window.go(f"#token={scene.token('mallory')}")
    window.role("heading", f"Continue as {mallory}?").wait()
    window.reload()
    settled(window)
    window.css(".profile", text="Ann").wait()
    # An invalid token changes nothing.
    window.open(f"{page_url(server)}#token=a.b.c", accept=False)
    settled(window)
    window.css(".profile", text="Ann").wait()
    # Only this answer changes the user.
    window.open(page_url(server, mallory), accept=False)
    window.role("button", f"Continue as {mallory}").click()
    settled(window)
    window.css(".profile", text="Mallory").wait()


def test_the_confirmation_fits_a_narrow_window_whatever_the_token_contains(scene, server):  # noqa: F811
    window = scene.browse()
    window.size(*NARROW)
    window.open(f"{page_url(server)}#token={jwt.encode({'sub': chr(0x202E) + 'x' * 4_000}, 'k' * 32)}", accept=False)
    window.role("button", "Sign in another way").wait()
    assert window.script("return document.documentElement.scrollWidth <= innerWidth")
    assert window.script("return document.querySelector('h1').textContent.length") < 120
