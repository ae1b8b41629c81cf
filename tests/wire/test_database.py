"""DATABASE_URL and what goes with it, as Django's settings."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from wire.database import database_settings

URL = "postgresql://ids_app:secret@db.lab.example/ids?keepalives_idle=60"


@pytest.mark.parametrize(("pooling", "kept_here"), [("session", False), ("transaction", True)])
def test_cursors_stay_on_the_server_only_where_its_connections_do(pooling, kept_here):
    assert database_settings(URL, pool_size=1, pooling=pooling)["DISABLE_SERVER_SIDE_CURSORS"] is kept_here


def test_a_pooling_that_is_not_known_is_refused():
    with pytest.raises(ImproperlyConfigured, match="DATABASE_POOLING is 'statement'; write session or transaction"):
        database_settings(URL, pool_size=1, pooling="statement")


def test_what_the_address_says_comes_before_our_own():
    options = database_settings(URL, pool_size=1)["OPTIONS"]

    assert (options["keepalives_idle"], options["tcp_user_timeout"]) == ("60", 30_000)
