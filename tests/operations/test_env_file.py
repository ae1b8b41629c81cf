"""Files of variables, as systemd reads them (systemd.exec(5), EnvironmentFile=)."""

import os
import subprocess
import sys

import pytest

from operations.embedded import command
from operations.embedded.command import servers_for_command
from operations.embedded.errors import EmbeddedError
from operations.env_file import EnvFileError, parse_env, read_env_file
from tests.service import CHECKOUT


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A=b", "b"),
        ("  A = b c \t\n", "b c"),
        ("A=", ""),
        ("A=b=c#d", "b=c#d"),
        ("A=b # no comment", "b # no comment"),
        ("A='b  c '\n", "b  c "),
        ('A="b \\" \\$ \\n"', 'b " $ \\n'),
        ("A='b\\c'", "b\\c"),
        ("A='b\nc'\n", "b\nc"),
        ("A=\"b\"'c' d", "bcd"),
        ("A=b'c'", "b'c'"),
        ("A=b\\\nc\n", "bc"),
        ("A=b\\ \\\\c", "b \\c"),
        ('A="b\\\nc"', "bc"),
        ("# A=a\n; A=c\nA=b", "b"),
        ("A=a\nA=b", "b"),
        ("A=b\r\n", "b"),
        ("A=größe", "größe"),
    ],
    ids=[
        *("plain", "blanks", "empty", "signs in it", "no comment", "single", "double", "backslash in single"),
        *("two lines in quotes", "quotes in a row", "quotes inside", "continued", "escaped", "continued in quotes"),
        *("comments", "the later", "carriage return", "UTF-8"),
    ],
)
def test_a_value_is_read_as_systemd_reads_it(text, value):
    assert parse_env(text) == {"A": value}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("A=b\nexport C=d\n", "line 2: NAME=value is needed, without `export`"),
        ("A=b\nC\n", "line 2: NAME=value"),
        ("A=b\n\nC='d\n", "line 3: the quote ' is never closed"),
        ("# a \\\nA=b\n", "line 1: a comment ends with a backslash"),
    ],
    ids=["export", "no value", "open quote", "comment continued"],
)
def test_what_systemd_would_pass_over_is_refused(tmp_path, text, fault):
    file = tmp_path / "ids.env"
    file.write_text(text)

    with pytest.raises(EnvFileError) as refusal:
        read_env_file(file)

    assert str(refusal.value).startswith(f"{file}, {fault}")


def test_the_shipped_files_can_be_read():
    for name in ("ids.env", "owner.env"):
        read_env_file(CHECKOUT / "deploy" / name)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A data directory without a database, and an environment that names none."""
    for name in ("DATABASE_URL", "REDIS_URL", "IDS_ENV_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("IDS_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(command, "SETTINGS_FILE", tmp_path / "ids.env")
    return tmp_path


def test_a_file_without_the_database_starts_none(elsewhere, monkeypatch):
    monkeypatch.setenv("IDS_ENV_FILE", "/etc/ids/ids.env")

    with pytest.raises(EmbeddedError, match=r"/etc/ids/ids.env sets no DATABASE_URL"), servers_for_command():
        pass

    assert not (elsewhere / "data" / "postgres").exists()


def test_a_file_that_was_forgotten_starts_none(elsewhere):
    (elsewhere / "ids.env").touch()

    with pytest.raises(EmbeddedError, match=r"--env-file .*ids\.env"), servers_for_command():
        pass


def test_a_command_has_the_variables_of_its_files(tmp_path):
    """Those of the file come before ours, and say where the data is."""
    file, more = tmp_path / "ids.env", tmp_path / "owner.env"
    file.write_text(f"IDS_DATA={tmp_path}/data\nTIME_ZONE='Europe/Berlin'\n")
    more.write_text("REQUEST_BURST=7\n")
    asked = "from django.conf import settings as s; print(s.TIME_ZONE, s.REQUEST_BURST, s.IDS_DATA)"
    command = ["manage", "--env-file", str(file), "--env-file", str(more), "shell", "-v", "0", "-c", asked]

    done = subprocess.run(
        [sys.executable, CHECKOUT / "ids", *command],
        env=os.environ | {"TIME_ZONE": "UTC"},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.stdout == f"Europe/Berlin 7 {tmp_path}/data\n", done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_root_becomes_the_user_to_whom_the_data_belongs(tmp_path):
    """A checkout of two files shows who the command runs as."""
    data = tmp_path / "data"
    data.mkdir()
    os.chown(data, 65534, 65534)
    code = f"""
import os, runpy
ids = runpy.run_path({str(CHECKOUT / "ids")!r})
ids["become_owner_of"](ids["Path"]({str(data)!r}))
print(os.getuid(), os.geteuid(), os.getgid(), 0 in os.getgroups())
"""

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)

    assert done.stdout == "65534 65534 65534 False\n", done.stderr
