from typing import Any

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from wire.acting import tell_database


class WireConfig(AppConfig):
    name = "wire"

    def ready(self) -> None:
        from wire import converters  # noqa: F401  (path converters register on import, before any URLconf)

        connection_created.connect(tell_who_is_at_work)


def tell_who_is_at_work(connection: Any, **_: Any) -> None:
    """Also after a reconnect, which keeps what the connection object had."""
    if tell_database not in connection.execute_wrappers:
        connection.execute_wrappers.insert(0, tell_database)  # the last one is popped by whoever put it there
