"""A data folder of version 0.1, which is read for ever: its frames have other checksums.

`folder-0.1` was written by the release build of commit abcfd2a0: two users, a snapshot, and a segment after it.
"""

import pathlib
import shutil

import pytest
from belfry import Server
from storage import data, kill, texts

FOLDER = pathlib.Path(__file__).with_name("folder-0.1")
# Without the reply.
SENT = {"in the snapshot", "in the journal"}


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "data")
    for path in (tmp_path / "data").rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return tmp_path


def test_a_folder_of_version_0_1_is_read_and_continued(folder):
    status, output = data("export", folder / "data")
    assert status == 0 and all(text in output for text in SENT | {"a reply ✓", '"key":"sob"'}), output
    server = Server(folder)
    assert texts(server) == SENT
    server.app("message.send", channel_id="general", text="new", as_user_id="ann")
    kill(server)
    server = Server(folder)
    assert texts(server) == SENT | {"new"}
    assert server.terminate() == 0
    assert data("compact", folder / "data", "--keep", "0")[0] == 0
    assert data("verify", folder / "data")[0] == 0
    server = Server(folder)
    assert texts(server) == SENT | {"new"}
    server.terminate()


@pytest.mark.parametrize("name", sorted(path.name for path in (FOLDER / "journal").iterdir()))
def test_a_changed_byte_in_a_folder_of_version_0_1_is_reported(folder, name):
    path = folder / "data" / "journal" / name
    content = bytearray(path.read_bytes())
    content[80] ^= 1
    path.write_bytes(content)
    status, output = data("verify", folder / "data")
    assert status == 65 and name in output, output
