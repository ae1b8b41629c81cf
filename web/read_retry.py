"""Reads that lost their connection to the database are asked once more: no reader has to see a failover."""

import time
from collections.abc import Callable

from django.db import connection
from django.http import HttpRequest, HttpResponse

READING_METHODS = {"GET", "HEAD"}
ONE_TIME_PREFIX = "/accounts/"  # an identity provider's code is good once
QUICKLY_SECONDS = 2.0  # a connection that was cut says so at once; a database that is silent is not waited for twice


class RetryReads:
    """Only what changes nothing is repeated, and only where the answer was 503 for a connection that is gone."""

    def __init__(self, handler: Callable[[HttpRequest], HttpResponse]) -> None:
        self.handler = handler

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.monotonic()
        response = self.handler(request)
        is_late = time.monotonic() - started > QUICKLY_SECONDS
        if response.status_code != 503 or is_late or not is_repeatable(request) or not has_lost_connection():
            return response
        connection.close()
        return self.handler(request)


def is_repeatable(request: HttpRequest) -> bool:
    return request.method in READING_METHODS and not request.path_info.startswith(ONE_TIME_PREFIX)


def has_lost_connection() -> bool:
    """Whether what this thread worked with is closed, or was given back for that by a transaction.

    One around the request (in tests) is never given up.
    """
    used = connection.connection
    return (used is None or used.closed) and not connection.in_atomic_block
