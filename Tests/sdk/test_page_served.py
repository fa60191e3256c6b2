"""The page's files over HTTP: RFC 9110 §8.8.3, §13 and §15.4.5; CSP3; the content of folders."""

import json
import os
import pathlib
import re
import socket
import subprocess

import pytest
from belfry import NotStarted, Server
from webdriver import wait_until

WEB = pathlib.Path(__file__).parents[2] / "Sources/Server/Page/web"
FILES = sorted(path for path in WEB.rglob("*") if path.is_file() and not path.name.startswith("."))
TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}
POLICY = {
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:", "connect-src 'self'",
    "font-src 'none'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
}


def ask(server, path, method="GET", **headers):
    """Sends one request; returns status, header fields (in lower case) and body."""
    connection = server.connect_http()
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


def unreleased(body: bytes) -> bytes:
    """Returns the index as in the sources, without the path prefix that changes with the files."""
    return re.sub(rb'"release/[0-9a-f]{16}/', b'"', body)


@pytest.mark.parametrize("file", FILES, ids=lambda path: str(path.relative_to(WEB)))
def test_every_file_is_served_whole_with_its_type_and_entity_tag(server, file):
    path = file.relative_to(WEB)
    status, fields, body = ask(server, f"/{path}")
    assert status == 200
    assert unreleased(body) == file.read_bytes()
    assert fields["content-type"] == TYPES[file.suffix]
    assert int(fields["content-length"]) == len(body)
    assert re.fullmatch(r'"[0-9a-f]{32}"', fields["etag"])


def test_the_root_serves_the_index_page_without_a_token(server):
    status, fields, body = ask(server, "/")
    assert (status, unreleased(body)) == (200, (WEB / "index.html").read_bytes())
    assert body == ask(server, "/index.html")[2] == ask(server, "/?utm=1")[2]
    assert set(fields["content-security-policy"].split("; ")) == POLICY
    assert fields["cache-control"] == "no-cache"
    assert fields["x-content-type-options"] == "nosniff"
    assert fields["referrer-policy"] == "no-referrer"
    assert fields["cross-origin-opener-policy"] == "same-origin"
    # Invalid credentials are ignored.
    assert ask(server, "/", Authorization="Bearer nonsense")[0] == 200


def test_the_files_the_page_refers_to_are_cached_forever(server):
    script = re.search(rb'src="(release/[0-9a-f]{16})/page/main.js"', ask(server, "/")[2])
    for path in ("page/main.js", "belfry.js", "css/base.css"):
        status, fields, body = ask(server, f"/{script[1].decode()}/{path}")
        assert (status, body) == (200, (WEB / path).read_bytes())
        assert fields["cache-control"] == "max-age=31536000, immutable"
        assert ask(server, f"/{path}")[1]["cache-control"] == "no-cache"
    assert ask(server, "/release/0123456789abcdef/page/main.js")[0] == 404


def test_files_the_client_already_has_are_not_sent_again(server):
    _, fields, body = ask(server, "/")
    tag = fields["etag"]
    for condition in (tag, f"W/{tag}", "*", f'"x", {tag}', f'"a,b",W/"c" ,{tag}'):
        status, kept, nothing = ask(server, "/", If_None_Match=condition)
        assert (status, nothing) == (304, b""), condition
        assert kept["etag"] == tag and kept["cache-control"] == "no-cache"
        assert "content-type" not in kept and "content-length" not in kept
    for condition in ('"x"', tag.strip('"'), tag.upper().replace('"', "") + '"', f"{tag} x", ""):
        status, _, again = ask(server, "/", If_None_Match=condition)
        assert (status, again) == (200, body), condition
    assert ask(server, "/", If_Match='"x"')[0] == 412
    assert ask(server, "/", If_Match=tag)[0] == 200
    # The files have no dates and support no ranges.
    later = "Fri, 01 Jan 2100 00:00:00 GMT"
    assert ask(server, "/", If_Modified_Since=later)[0] == 200
    assert ask(server, "/", Range="bytes=0-1")[::2] == (200, body)


def test_head_returns_the_headers_without_the_body(server):
    _, fields, body = ask(server, "/")
    status, same, nothing = ask(server, "/", "HEAD")
    assert (status, nothing) == (200, b"")
    assert {**fields, "date": ""} == {**same, "date": ""} and int(same["content-length"]) == len(body)
    assert ask(server, "/", "HEAD", If_None_Match=fields["etag"])[0] == 304


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND"])
def test_other_methods_are_not_allowed(server, method):
    status, fields, _ = ask(server, "/index.html", method)
    assert (status, fields["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("path", [
    "/page/../index.html", "/page/../../etc/passwd", "/../index.html", "/./index.html", "/%69ndex.html", "//index.html",
    "//", "/index.html/", "/INDEX.HTML", "/index.html%00", "/index.html;x", "/page", "/page/", "/css/", "/.", "/..",
    "/index", "/nothing.js", "/%2e%2e/index.html", "/%2Findex.html",
])
def test_a_path_without_a_file_is_not_found(server, path):
    status, fields, _ = ask(server, path)
    assert status == 404 and "content-security-policy" not in fields


def answers(server, request: bytes) -> list[bytes]:
    """Returns the responses to bytes sent in one write, until the server closes, split before each status line."""
    with socket.create_connection((server.host, server.port), timeout=10) as connection:
        connection.sendall(request)
        data = b""
        while piece := connection.recv(65_536):
            data += piece
    return re.split(rb"(?=HTTP/1\.1 \d{3} )", data)[1:]


def test_pipelined_requests_are_answered_in_order(server):
    paths = [f"/{file.relative_to(WEB)}" for file in FILES]
    last = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    request = b"".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for path in paths)
    found = answers(server, request + b"GET /livez" + last)
    assert len(found) == len(FILES) + 1
    for answer, file in zip(found, FILES):
        assert answer.startswith(b"HTTP/1.1 200 ") and unreleased(answer.partition(b"\r\n\r\n")[2]) == file.read_bytes()
    assert answers(server, b"HEAD /" + last)[0].endswith(b"\r\n\r\n")
    assert b"connection: close" in answers(server, b"GET /" + last)[0].lower()


# Another folder, or no page


@pytest.fixture
def serve(tmp_path):
    """`serve(settings, *options)`, with separate folders."""
    servers = []

    def serve(settings=None, *options):
        folder = tmp_path / f"server-{len(servers)}"
        folder.mkdir()
        servers.append(Server(folder, settings, options=options))
        return servers[-1]

    yield serve
    for server in servers:
        assert server.terminate() == 0


@pytest.fixture
def folder(tmp_path):
    web = tmp_path / "web"
    (web / "page").mkdir(parents=True)
    (web / "index.html").write_text("<!doctype html><title>mine</title>")
    (web / "page/main.js").write_text("export {};\n")
    return web


def test_the_page_can_be_disabled(serve):
    server = serve({"BELFRY_PAGE_ENABLED": "false"})
    for path in ("/", "/index.html", "/belfry.js"):
        assert ask(server, path)[0] == 404
        assert ask(server, path, "POST")[0] == 404
    assert ask(server, "/livez")[0] == 200


def test_a_folder_is_served_instead_of_the_built_in_files(serve, folder, tmp_path):
    (folder / ".hidden.js").write_text("")
    for server in (serve(None, "--page", str(folder)), serve({"BELFRY_PAGE_FOLDER": str(folder)})):
        assert ask(server, "/")[2] == (folder / "index.html").read_bytes()
        status, fields, body = ask(server, "/page/main.js")
        assert (status, body, fields["content-type"]) == (200, b"export {};\n", TYPES[".js"])
        assert "require-trusted-types-for 'script'" in fields["content-security-policy"]
        for path in ("/belfry.js", "/.hidden.js", "/page/../../data/secrets.json", "/page/..%2findex.html"):
            assert ask(server, path)[0] == 404
        # The folder was read at startup.
        (folder / "late.js").write_text("")
        assert ask(server, "/late.js")[0] == 404
        (folder / "late.js").unlink()
    # The command line overrides the environment.
    (tmp_path / "other").mkdir()
    (tmp_path / "other/index.html").write_text("other")
    other = serve({"BELFRY_PAGE_FOLDER": str(folder)}, "--page", str(tmp_path / "other"))
    assert ask(other, "/")[2] == b"other"


def _link(folder):
    (folder / "page/out.js").symlink_to("/etc/passwd")


def _large(folder):
    with (folder / "large.js").open("wb") as file:
        file.truncate(17 * 1_048_576)


def _many(folder):
    for number in range(1_000):
        (folder / f"{number}.js").touch()


@pytest.mark.parametrize("spoil, says", [
    (lambda folder: (folder / "index.html").unlink(), "has no index.html"),
    (_link, "page/out.js\" is a symbolic link"),
    (lambda folder: (folder / "a.exe").touch(), "a.exe\" has a file type that is not served"),
    (lambda folder: (folder / "a b.js").touch(), "a b.js\" has a name that would need escaping in a URL"),
    (lambda folder: os.mkfifo(folder / "a.js"), "a.js\" is neither a file nor a folder"),
    (_large, "has more than 16777216 bytes"),
    (_many, "has more than 1000 files and folders"),
    (lambda folder: folder.rename(folder.with_name("away")), "\": No such file or directory"),
])
def test_an_unservable_folder_prevents_startup(tmp_path, folder, spoil, says):
    spoil(folder)
    with pytest.raises(NotStarted) as refusal:
        Server(tmp_path, options=("--page", str(folder)))
    status, log = refusal.value.args
    assert status == 78 and says in log and "page.folder" in log


def test_a_folder_for_a_disabled_page_prevents_startup(tmp_path, folder):
    with pytest.raises(NotStarted) as refusal:
        Server(tmp_path, {"BELFRY_PAGE_ENABLED": "false"}, options=("--page", str(folder)))
    assert refusal.value.args[0] == 78 and "page.enabled" in refusal.value.args[1]


@pytest.mark.parametrize("options, links", [((), 2), (("off",), 0)])
def test_development_mode_prints_a_link_for_each_of_two_users(tmp_path, options, links):
    environment = {"PATH": os.environ["PATH"], **({"BELFRY_PAGE_ENABLED": "false"} if options else {})}
    binary = os.environ.get("BELFRY_BIN", ".build/debug/belfry")
    process = subprocess.Popen(
        [binary, "serve", "--development", "--port", "0", "--data", str(tmp_path / "data")], env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        base = "http://{host}:{port}/".format(**json.loads(process.stdout.readline())["listening"])
        shown = ""
        while "Server key" not in shown:
            shown += process.stdout.readline()
        tokens = re.findall(r"(?:ANN|BOB)=(\S+)", shown)
        assert re.findall(re.escape(base) + r"#token=(\S+)", shown) == tokens[:links]
    finally:
        process.terminate()
        assert process.wait(10) == 0


def test_an_unauthenticated_client_can_have_only_one_pending_response(serve, folder):
    """`connections.unauthenticated_bytes` also counts the page's bytes. Three clients with one pending file each stay
    within the limit, but would exceed it if the server read on and let two files wait."""
    (folder / "large.js").write_bytes(b" " * 1_048_576)
    limit = {"BELFRY_CONNECTIONS_UNAUTHENTICATED_BYTES": "4000000"}
    server = serve(limit, "--page", str(folder))
    refused = r'belfry_connections_refused_total\{reason="unauthenticated_bytes"\}'
    request = b"GET /large.js HTTP/1.1\r\nHost: x\r\n\r\n" * 9
    request += b"GET /large.js HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    def deaf() -> socket.socket:
        connection = socket.socket()
        # Small, so that the responses wait in the server and not in the kernel.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.settimeout(10)
        connection.connect((server.host, server.port))
        connection.sendall(request)
        return connection

    for connection in [deaf() for _ in range(3)]:
        # A client that reads after all gets everything.
        taken = 0
        with connection:
            while piece := connection.recv(1 << 20):
                taken += len(piece)
        assert taken > 10 * 1_048_576
    assert server.metric(refused) == 0

    many = [deaf() for _ in range(12)]
    wait_until(lambda: server.metric(refused) > 0, "those beyond the limit are let go")
    for connection in many:
        connection.close()
