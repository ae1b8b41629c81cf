from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.signals import connection_created

from wire.audit_context import prepend_comment


class WireConfig(AppConfig):
    name = "wire"

    def ready(self) -> None:
        from wire import converters, wording  # noqa: F401  (path converters register on import, before any URLconf)
        from wire.queries.many_texts import send_many_texts_as_arrays
        from wire.telemetry import slow_queries

        wording.unify_wording()
        send_many_texts_as_arrays()
        connection_created.connect(install_audit_comments)
        if settings.SLOW_QUERY_MS:
            connection_created.connect(slow_queries.watch_connection)


def install_audit_comments(connection: Any, **_: Any) -> None:
    """Also after a reconnect, which keeps what the connection object had."""
    if prepend_comment not in connection.execute_wrappers:
        connection.execute_wrappers.insert(0, prepend_comment)  # the last one is popped by whoever put it there
