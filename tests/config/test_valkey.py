import pytest
import redis

from config.embedded.valkey import Valkey


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
