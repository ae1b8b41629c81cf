"""The lanes of requests in which the service calls others and somebody waits for the answer.

Such a call ends after seconds, however slowly it drips; even so it holds a thread of its lane and none of the web's.
Each kind has a lane of its own: a tracker that drips keeps nobody from signing in.
"""

import re
from collections.abc import Callable

from web.lanes.lane import Lane, LaneBusy
from wire.asgi import ASGIApp, Scope
from wire.errors import ServiceUnavailable

THREADS = 2  # of each lane; the pool of database connections has room for them
MAX_PLACES, MAX_PLACES_OF_ADDRESS = 24, 12  # those whose turn comes last wait for a minute and a half, where all drip
CALLS = {
    "provider": re.compile(r"(GET|POST|HEAD) /accounts/oidc/.*"),
    "connections": re.compile(
        r"POST /(feedback|settings/integrations/[^/]*|api/v1/(feedback|settings/integrations/[^/]*/test))"
    ),
    "clients": re.compile(r"(GET|POST|HEAD) /oauth/(authorize|token|revoke)"),  # an AI client's own document is fetched
}


class CallsBusy(LaneBusy, ServiceUnavailable):
    def __init__(self) -> None:
        super().__init__("Many wait for the same service outside. Try again in a few seconds.", retry_after=5)


def build_calling_lanes(app: Callable[[], ASGIApp]) -> tuple[Lane, ...]:
    """One lane for each kind of call; `app` makes what answers in one, on threads of its own."""
    return tuple(
        Lane(
            app(),
            takes=_make_test(pattern),
            busy=CallsBusy,
            max_places=MAX_PLACES,
            max_places_of_address=MAX_PLACES_OF_ADDRESS,
        )
        for pattern in CALLS.values()
    )


def _make_test(pattern: re.Pattern[str]) -> Callable[[Scope], bool]:
    return lambda scope: pattern.fullmatch(f"{scope['method']} {scope['path']}") is not None
