"""The README's promise to newcomers: two links, two windows, and a conversation between two users."""

import os
import re
import subprocess

from belfry import DEADLINE


def test_the_two_links_of_development_mode_let_two_users_talk(tmp_path, browse):
    binary = os.environ.get("BELFRY_BIN", ".build/debug/belfry")
    process = subprocess.Popen(
        [binary, "serve", "--development", "--port", "0", "--data", str(tmp_path / "data")],
        env={"PATH": os.environ["PATH"]}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        shown = ""
        while "Server key" not in shown:
            shown += process.stdout.readline()
        ann, bob = (browse().open(link, accept=False) for link in re.findall(r"http://\S+/#token=\S+", shown))
        for name, window in (("ann", ann), ("bob", bob)):
            # One click is needed, because the page asks before it uses a link's token.
            window.role("button", f"Continue as {name}").click()
            window.css('[data-connection="live"]').wait()
        ann.role("button", "New channel").click()
        dialog = ann.role("dialog", "New channel")
        dialog.role("textbox", "Name").type("Harbour")
        dialog.role("combobox", "Members").type("bob")
        dialog.role("button", "Create channel").click()
        ann.role("textbox", "Message").type("hello bob\n")
        bob.css("[data-channel]", "Harbour").css(".channel-link").click()
        bob.css(".conversation [data-message]", "hello bob").wait()
        bob.role("textbox", "Message").type("hello ann\n")
        ann.css(".conversation [data-message]", "hello ann").wait()
    finally:
        process.terminate()
        assert process.wait(DEADLINE) == 0
