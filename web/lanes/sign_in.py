"""The lane of requests that hash a password.

Hashing is slow on purpose. One such request is at work in a process, a few wait behind it, fewer of one address; who
comes then reads 429. Refusals are answered a moment late, which costs a socket, so that a flood paces itself.
"""

import asyncio

from web.lanes.lane import Lane, LaneBusy
from wire.asgi import ASGIApp, Message, Receive, Scope, Send
from wire.errors import RateLimited

PATHS = ("/accounts/login/", "/settings/password")
PREFIXES = ("/accounts/first/", "/accounts/invited/", "/accounts/password/")
MAX_PLACES, MAX_PLACES_OF_ADDRESS = 8, 4
ENDINGS = ("/sign", "/signatures")  # of a run: its pages and its route ask for the password again
REFUSAL_DELAY_SECONDS = 1.0


class SignInsBusy(LaneBusy, RateLimited):
    def __init__(self) -> None:
        super().__init__("Many people are signing in. Try again in a few seconds.", retry_after=5)


class SignInLane(Lane):
    """`app` answers one request at a time; the others wait before it."""

    def __init__(self, app: ASGIApp, *, delay_seconds: float = REFUSAL_DELAY_SECONDS) -> None:
        super().__init__(
            app,
            takes=is_sign_in,
            busy=SignInsBusy,
            max_places=MAX_PLACES,
            max_places_of_address=MAX_PLACES_OF_ADDRESS,
        )
        self._delay_seconds = delay_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await super().__call__(scope, receive, self._delay_refusals(send))

    async def before_refusal(self) -> None:
        await asyncio.sleep(self._delay_seconds)

    def _delay_refusals(self, send: Send) -> Send:
        async def send_later(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == RateLimited.status:
                await asyncio.sleep(self._delay_seconds)
            await send(message)

        return send_later


def is_sign_in(scope: Scope) -> bool:
    """Whether a request may hash a password."""
    path: str = scope["path"]
    return scope["method"] == "POST" and (path in PATHS or path.startswith(PREFIXES) or path.endswith(ENDINGS))
