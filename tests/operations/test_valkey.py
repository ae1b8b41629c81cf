import subprocess
from pathlib import Path

import pytest
import redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from operations.embedded.valkey import Valkey, find_binary


@pytest.fixture
def valkey(tmp_path):
    (tmp_path / "run").mkdir()
    server = Valkey(data=tmp_path, sockets=tmp_path / "run", log=tmp_path / "valkey.log")
    server.start()
    yield server
    server.stop()


def test_a_queued_message_survives_a_kill(valkey):
    redis.Redis.from_url(valkey.url).rpush("celery", "message")
    valkey.child.kill()

    valkey.start()

    assert redis.Redis.from_url(valkey.url).lrange("celery", 0, -1) == [b"message"]


def test_it_is_ready_only_while_it_runs(valkey):
    assert valkey.is_ready()

    valkey.stop()

    assert not valkey.is_ready()


def test_nobody_comes_in_without_the_password(valkey):
    stranger = redis.Redis(unix_socket_path=str(valkey.socket))

    with pytest.raises(redis.AuthenticationError):
        stranger.ping()


def test_the_password_stands_in_no_file_but_its_own(valkey):
    password = (tmp := valkey.data / "passwords" / "valkey").read_text()

    telling = [
        file for file in valkey.data.rglob("*") if file.is_file() and password in file.read_text(errors="replace")
    ]

    assert telling == [tmp]
    assert password.encode() not in Path(f"/proc/{valkey.child.pid}/cmdline").read_bytes()


@pytest.mark.parametrize(
    "command",
    [
        *(
            "CONFIG GET dir",
            "DEBUG SLEEP 0",
            "MODULE LIST",
            "EVAL return 0",
            "FLUSHALL",
            "FLUSHDB",
            "KEYS *",
            "SHUTDOWN",
        ),
        *("REPLICAOF 127.0.0.1 1", "MIGRATE 127.0.0.1 1 key 0 1", "SAVE", "ACL LIST", "MONITOR", "FUNCTION LIST"),
    ],
)
def test_dangerous_commands_are_refused(valkey, command):
    with pytest.raises(redis.ResponseError, match=r"no permissions|not allowed"):
        redis.Redis.from_url(valkey.url).execute_command(*command.split())


def test_the_scripts_that_count_requests_run(valkey):
    script = redis.Redis.from_url(valkey.url).register_script("return redis.call('INCR', KEYS[1])")

    assert script(keys=["requests"]) == 1


def test_a_queue_of_an_earlier_version_keeps_its_messages(tmp_path):
    """It had no account: what was queued for the default user is found by the one that followed."""
    (tmp_path / "run").mkdir()
    server = Valkey(data=tmp_path, sockets=tmp_path / "run", log=tmp_path / "valkey.log")
    (tmp_path / "valkey").mkdir()
    command = [find_binary(), "--dir", tmp_path / "valkey", "--port", "0", "--unixsocket", server.socket]
    earlier = subprocess.Popen([*map(str, command), "--appendonly", "yes", "--save", ""], stdout=subprocess.DEVNULL)
    queue = redis.Redis(unix_socket_path=str(server.socket), retry=Retry(ConstantBackoff(0.1), 600))
    queue.rpush("celery", "message")
    earlier.terminate()
    earlier.wait()

    server.start()

    assert redis.Redis.from_url(server.url).lrange("celery", 0, -1) == [b"message"]
    server.stop()
