"""Callers for every test; what they call is in tests/factories.py."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.db import IntegrityError, close_old_connections, transaction

from tests.clients import Api
from tests.factories import make_token_with_text, make_user
from tests.radosgw import missing_programs, running_radosgw


def pytest_configure() -> None:
    """Passwords of tests are worth nothing: hash them in microseconds. Thirty at once wait for one another, as long
    as a busy machine takes."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]
    settings.DATABASES["default"]["OPTIONS"]["pool"]["timeout"] = 120
    settings.DATABASES["default"]["OPTIONS"]["connect_timeout"] = 60
    settings.DATABASE_SECONDS = 120
    if options := settings.CACHES["default"].get("OPTIONS"):
        options["socket_timeout"] = options["socket_connect_timeout"] = 60  # a machine that stands still is no fault


@pytest.fixture(scope="session")
def radosgw_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real radosgw with the user of tests/radosgw.py and no bucket."""
    if missing := missing_programs():
        pytest.skip(f"not installed: {', '.join(missing)}")
    if os.geteuid() != 0:
        pytest.skip("Ceph's daemons are started by root here")
    with running_radosgw(tmp_path_factory.mktemp("ceph")) as url:
        yield url


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


@pytest.fixture
def kept_connections() -> Iterator[None]:
    """The end of a request closes no connection, as Django's own test client sees to it: neither the test's, nor one
    that a test before it left open, which a test without a database may not even look at."""
    moments = (request_started, request_finished)
    for moment in moments:
        moment.disconnect(close_old_connections)
    yield
    for moment in moments:
        moment.connect(close_old_connections)


@pytest.fixture
def as_token(db: None) -> Callable[..., Api]:
    """as_token("runs:read") calls with a token of these scopes; without scopes it holds all."""

    def build(*scopes: str, **fields: Any) -> Api:
        token, text = make_token_with_text(*scopes, **fields)
        return Api(token=token, text=text)

    return build


@pytest.fixture
def as_person(db: None) -> Callable[..., Api]:
    """as_person() calls with the session of a new person."""
    return lambda **fields: Api(user=make_user(**fields))


@pytest.fixture
def as_admin(as_person: Callable[..., Api]) -> Callable[..., Api]:
    return lambda **fields: as_person(is_admin=True, **fields)


@pytest.fixture
def anonymous() -> Api:
    return Api()


@pytest.fixture
def refused_by(db: None) -> Callable[[str, Callable[[], Any]], None]:
    """refused_by("name", write) holds when the database refuses the write in the name of this constraint."""

    def check(constraint: str, write: Callable[[], Any]) -> None:
        with pytest.raises(IntegrityError) as refusal, transaction.atomic():
            write()
        cause: Any = refusal.value.__cause__
        assert cause.diag.constraint_name == constraint

    return check


@pytest.fixture
def security_events(caplog):
    """Called, the kinds that were told so far."""
    return lambda: [record.kind for record in caplog.records if record.name == "ids.security"]
