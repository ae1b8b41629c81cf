import pytest
from celery import current_app
from django.conf import settings

from jobs.broker import broker_url


@pytest.mark.parametrize(
    ("redis", "broker"),
    [
        ("unix:///srv/run/valkey.sock?db=0", "redis+socket:///srv/run/valkey.sock?virtual_host=0"),
        ("unix:///srv/run/valkey.sock?db=3", "redis+socket:///srv/run/valkey.sock?virtual_host=3"),
        ("unix:///srv/run/valkey.sock", "redis+socket:///srv/run/valkey.sock?virtual_host=0"),
        (
            "unix://ids:secret@/srv/run/valkey.sock?db=1",
            "redis+socket://ids:secret@/srv/run/valkey.sock?virtual_host=1",
        ),
        ("redis://user:password@cache.example:6379/1", "redis://user:password@cache.example:6379/1"),
        ("rediss://cache.example", "rediss://cache.example"),
        (None, "memory://"),
    ],
)
def test_a_redis_url_becomes_celerys_spelling(redis, broker):
    assert broker_url(redis) == broker


def test_tasks_are_bound_to_our_app_and_its_broker():
    assert current_app.main == "ids"
    assert current_app.conf.broker_url == broker_url(settings.REDIS_URL)
    with current_app.connection_for_write() as connection:
        connection.ensure_connection(max_retries=1, timeout=2)
        assert connection.connected
