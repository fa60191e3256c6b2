"""`belfry check` refuses what startup would refuse, with the same message, and lists every configured setting with its
source."""

import json
import os
import subprocess

import pytest
from belfry import API_KEY, SECRET, NotStarted, Server
from tls import Certificate

BINARY = os.environ.get("BELFRY_BIN", ".build/debug/belfry")
KEYS = {"BELFRY_TOKEN_SECRET": SECRET, "BELFRY_API_KEY": API_KEY}


def check(*options, **environment) -> tuple[int, str, str]:
    run = subprocess.run(
        [BINARY, "check", *map(str, options)], env={"PATH": os.environ["PATH"], **environment}, capture_output=True,
        text=True, timeout=30)
    return run.returncode, run.stdout, run.stderr


def test_every_given_setting_is_listed_with_its_source_and_no_key_is_revealed(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text('{"server": {"drain_ms": 1000}, "chat": {"reactions": false, "channels_per_user": 5}}')
    status, told, errors = check("--config", file, "--port", 9, **KEYS, BELFRY_CHAT_CHANNELS_PER_USER="7")
    assert (status, errors) == (0, "")
    lines = told.splitlines()
    assert "listens: 127.0.0.1 port 9" in lines
    assert f"token secret: {len(SECRET)} bytes" in lines and f"API key: {len(API_KEY)} bytes" in lines
    settings = [line for line in lines if " = " in line]
    assert settings == [
        f"chat.reactions = false ({file})", "chat.channels_per_user = 7 (BELFRY_CHAT_CHANNELS_PER_USER)",
        f"server.drain_ms = 1000 ({file})",
    ]
    assert lines[-1] == "3 settings are configured; all others have their defaults"
    assert SECRET not in told and API_KEY not in told


WRONG = {
    "a number out of range": ({}, {"BELFRY_SERVER_DRAIN_MS": "-1"}),
    "a word for a flag": ({}, {"BELFRY_CHAT_REACTIONS": "perhaps"}),
    "an unknown name": ({"chat": {"reaction": True}}, {}),
    "another type": ({"server": {"drain_ms": "soon"}}, {}),
    "a folder without a page": ({}, {"BELFRY_PAGE_FOLDER": "/nowhere"}),
    "a file of keys that is not there": ({}, {"BELFRY_SERVER_API_KEYS_FILE": "/nowhere"}),
    "public keys that are not there": ({}, {"BELFRY_TOKENS_KEYS_FILE": "/nowhere"}),
    "an address nothing is fetched from": ({}, {"BELFRY_TOKENS_JWKS_URL": "ftp://127.0.0.1/keys"}),
    "a node's name without a cluster": ({"cluster": {"node": "a"}}, {}),
    "a server of another kind": ({}, {"BELFRY_CLUSTER_URL": "nats://127.0.0.1,http://127.0.0.1"}),
    "a password in a URL": ({"cluster": {"url": ["nats://ann:secret@127.0.0.1"]}}, {}),
    "proxies that nobody named": ({"server": {"proxy_protocol": True}}, {}),
}


@pytest.mark.parametrize("what", WRONG)
def test_check_refuses_what_startup_refuses_with_the_same_message(tmp_path, what):
    settings, environment = WRONG[what]
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(settings))
    status, told, errors = check("--config", file, **KEYS, **environment)
    assert (status, told) == (78, "") and errors.count("\n") == 1
    with pytest.raises(NotStarted) as start:
        Server(tmp_path, environment, options=("--config", str(file)))
    assert (start.value.args[0], start.value.args[1].splitlines()[-1]) == (78, errors.strip())


def test_missing_and_weak_keys_are_refused_except_in_development_mode(tmp_path):
    assert check()[0] == 78
    status, _, errors = check(**{**KEYS, "BELFRY_TOKEN_SECRET": "short"})
    assert status == 78 and "short" not in errors
    assert check("--development", "--data", tmp_path / "data")[0] == 0
    assert not (tmp_path / "data").exists()


def test_the_certificate_is_validated_and_no_folder_is_created(tmp_path):
    good = Certificate(tmp_path)
    tls = ["--tls-port", 0, "--tls-certificate", good.path, "--data", tmp_path / "data"]
    assert check(*tls, "--tls-key", good.key, **KEYS)[0] == 0
    assert check(*tls, "--tls-key", good.path, **KEYS)[0] == 78
    assert check(*tls, **KEYS)[0] == 78
    assert not (tmp_path / "data").exists()


def test_a_variable_that_resembles_a_setting_is_reported(tmp_path):
    status, _, errors = check(**KEYS, BELFRY_CHAT_CHANELS_PER_USER="7", BELFRY_SOMETHING="else")
    assert status == 0
    assert errors == "belfry: BELFRY_CHAT_CHANELS_PER_USER is not a setting and has no effect\n"
