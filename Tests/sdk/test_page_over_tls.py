"""The page over `https`, with its connection over `wss`, as in production."""

from browser import page_url
from test_page_served import FILES, WEB, ask, unreleased


def test_every_file_is_served_over_tls_too(start):
    server = start()
    for file in FILES:
        status, fields, body = ask(server, f"/{file.relative_to(WEB)}")
        assert status == 200 and unreleased(body) == file.read_bytes()
        assert ask(server, f"/{file.relative_to(WEB)}", If_None_Match=fields["etag"])[0] == 304


def test_two_users_talk_on_a_page_over_tls(start, browse):
    server = start()
    server.app("user.upsert", id="ann", nickname="Ann")
    server.app("user.upsert", id="bob", nickname="Bob")
    server.app("channel.create", id="harbour", name="Harbour", user_ids=["ann", "bob"])
    ann, bob = (browse(page_url(server, person).replace("http:", "https:")) for person in ("ann", "bob"))
    for window in (ann, bob):
        window.css('[data-connection="live"]').wait()
        window.go("#/c/harbour")
    ann.role("textbox", "Message").type("over the wire\n")
    bob.css(".conversation [data-message]", "over the wire").wait()
    assert ann.script("return isSecureContext")
