"""Tests of the browser test harness, on its own page."""

import http.server
import threading

import pytest
from webdriver import WebDriverError

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; require-trusted-types-for 'script'"
FILES = {
    "/": ("text/html", """<!doctype html><title>A page</title><link rel="stylesheet" href="page.css">
        <main><h1 id="title">A page</h1>
        <form><label for="text">Your text</label><input id="text"><button>Send</button></form>
        <ul id="sent"></ul><button aria-label="Later" hidden>x</button><input type="file" class="away">
        <p>outer <b>inner text</b></p></main><script src="page.js"></script>"""),
    "/page.css": ("text/css", ":root { color-scheme: light dark } .away { display: none } "
                              "@media (prefers-color-scheme: dark) { h1 { color: rgb(1, 2, 3) } }"),
    "/page.js": ("text/javascript", """
        const field = document.querySelector("#text");
        document.querySelector("form").addEventListener("submit", event => {
            event.preventDefault();
            setTimeout(() => {
                const line = document.createElement("li");
                line.textContent = field.value;
                document.querySelector("#sent").append(line);
                later.hidden = false;
            }, 200);
        });
        const later = document.querySelector("[aria-label=Later]");
        later.addEventListener("click", () => later.remove());
        """),
}


@pytest.fixture
def page():
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            kind, body = FILES.get(self.path, ("text/plain", ""))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Security-Policy", POLICY)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_the_harness_acts_on_and_sees_the_page_as_a_user_does(browse, page, tmp_path, monkeypatch):
    monkeypatch.setenv("BELFRY_SCREENSHOTS", str(tmp_path / "pictures"))
    window = browse(page)
    window.role("heading", "A page").wait()
    window.role("textbox", "Your text").type("hello")
    window.role("button", "Send").click()
    window.role("listitem", text="hello").wait()
    # A hidden element is not found; a click waits until it is visible.
    window.role("button", "Later").click()
    window.role("button", "Later").gone()
    assert window.css("ul").role("listitem").texts == ["hello"]
    assert window.find(text="inner").texts == ["inner text"]

    window.css("#text").fill("second")
    window.css("#text").focus()
    window.keys("End", "Backspace", "Shift+Home", "Delete")
    window.typed("third\n")
    window.css("li").counts(2)
    assert window.css("li").nth(-1).text == "third"
    assert window.focused.attribute("id") == "text"

    (tmp_path / "a.txt").write_text("a")
    window.css("input[type=file]").upload(tmp_path / "a.txt")
    assert window.css("input[type=file]").unseen.value("element.files[0].name") == "a.txt"

    window.size(390, 844)
    assert window.script("return [innerWidth, innerHeight]") == [390, 844]
    colour = "getComputedStyle(element).color"
    assert window.css("h1").value(colour) == "rgb(0, 0, 0)"
    window.media(prefers_color_scheme="dark")
    assert window.css("h1").value(colour) == "rgb(1, 2, 3)"
    window.screenshot("dark")
    assert (tmp_path / "pictures/dark.png").read_bytes().startswith(b"\x89PNG")

    other = window.another().open(page)
    other.script("sessionStorage.a = 1; localStorage.a = 2")
    assert window.script("return [sessionStorage.a, localStorage.a]") == [None, "2"]
    assert browse(page).script("return localStorage.a") is None


@pytest.mark.parametrize("script, what", [
    ("document.body.setAttribute('onclick', 'alert(1)')", "require-trusted-types-for"),
    ("document.createElement('p').innerHTML = '<b>x</b>'", "require-trusted-types-for"),
    ("setTimeout(() => { throw new Error('planted') }, 0)", "planted"),
    ("setTimeout(() => alert('planted'), 0)", "alert planted"),
    ("const image = new Image(); image.src = 'data:,x'", "img-src"),
])
def test_the_harness_reports_every_problem_in_a_window(browse, page, script, what):
    window = browse(page)
    assert window.problems() == []
    try:
        window.script(script)
    except WebDriverError:
        pass
    window.wait_until(lambda: any(what in problem for problem in window.problems()), what)
    # Clear the problems, so that this test passes.
    window.open("about:blank").found.clear()
