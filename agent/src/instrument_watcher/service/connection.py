"""One HTTP client for the service. The token goes to the service only, and into no log."""

import json
import logging
import ssl
from collections.abc import Callable
from typing import Any

import httpx

from instrument_watcher import __version__
from instrument_watcher.service.errors import ServiceAway, SlowDown, is_envelope, refusal

TIMEOUT = httpx.Timeout(30, connect=10)
LIMITS = httpx.Limits(keepalive_expiry=3)  # the service closes idle connections after five seconds
USER_AGENT = f"instrument-watcher/{__version__}"
AWAY = (408, 425, 500, 502, 503, 504)
LONGEST_RETRY_AFTER = 300.0

# Both print whole addresses, and those of uploads are signed.
logging.getLogger("httpx").setLevel(logging.WARNING)
logging.getLogger("httpcore").setLevel(logging.WARNING)


def trusted_authorities() -> ssl.SSLContext:
    """What the operating system trusts, a laboratory's own authority included (SSL_CERT_FILE is honoured)."""
    return ssl.create_default_context()


class Content(dict[str, Any]):
    """What the service answers. Where a part is missing, somebody else answered in its place, so it is away."""

    def __missing__(self, key: str) -> Any:
        raise ServiceAway(f"What answers there says nothing of {key}, as the Instrument Data Service would.")


class Connection:
    """Calls the service as one token. `read_token` is asked at the start and again after a refusal; "" is nobody.

    `answered` is called whenever the service answered and knew the token.
    """

    def __init__(
        self, server: str, *, read_token: Callable[[], str], answered: Callable[[], None] = lambda: None
    ) -> None:
        self.server = server
        self._read_token, self._answered = read_token, answered
        self._token: str | None = None
        self._http = httpx.Client(
            base_url=f"{server}/api/v1/",
            timeout=TIMEOUT,
            headers={"User-Agent": USER_AGENT, "Accept": "application/json"},
            verify=trusted_authorities(),
            limits=LIMITS,
        )

    def get(self, path: str, **query: Any) -> Any:
        return self._call("GET", path, params={name: value for name, value in query.items() if value is not None})

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self._call("POST", path, json=body)

    def put(self, path: str, body: dict[str, Any]) -> Any:
        return self._call("PUT", path, json=body)

    def patch(self, path: str, body: dict[str, Any]) -> Any:
        return self._call("PATCH", path, json=body)

    def delete(self, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._call("DELETE", path, json=body)

    def wait_at_most(self, seconds: float) -> None:
        """For every answer from now on."""
        self._http.timeout = httpx.Timeout(seconds)

    def close(self) -> None:
        self._http.close()

    def _call(self, method: str, path: str, **content: Any) -> Any:
        """The JSON of the answer. Raises ServiceAway, Refused."""
        answer = self._send(method, path, **content)
        if answer.status_code == 429:
            raise SlowDown("The service asks to slow down.", retry_after=retry_after(answer))
        if answer.status_code in AWAY:
            why = f"The service answered {answer.status_code} {answer.reason_phrase}."
            raise ServiceAway(why, retry_after=retry_after(answer))
        if answer.is_redirect:
            raise ServiceAway(f"{self.server} sends callers on to {answer.headers.get('Location', 'nowhere')}.")
        if answer.status_code in (401, 403):
            self._token = None
            raise refusal(answer.status_code, _json(answer))
        content_of_answer = _json(answer)
        if answer.is_error and answer.status_code != 413 and not is_envelope(content_of_answer):
            # what stands before the service says so while the service is away: no word about runs or watchers
            raise ServiceAway(f"{self.server} answers {answer.status_code}, but not as the service does.")
        self._answered()
        if answer.is_error:
            raise refusal(answer.status_code, content_of_answer)
        return content_of_answer

    def _send(self, method: str, path: str, **content: Any) -> httpx.Response:
        """Every route may be called twice, so a connection that was just being closed is no reason to wait."""
        if self._token is None:
            self._token = self._read_token()
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        try:
            try:
                return self._http.request(method, path, headers=headers, **content)
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
                return self._http.request(method, path, headers=headers, **content)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ServiceAway(f"{self.server} does not answer: {_reason(error)}") from None


def _json(answer: httpx.Response) -> Any:
    """Of a success an object, as all that the service says is; an empty one where there is nothing."""
    found: Any = Content()
    if answer.content:
        try:
            found = json.loads(answer.content, object_hook=Content)
        except (ValueError, RecursionError):
            found = None
    if answer.is_success and not isinstance(found, Content):
        raise ServiceAway(f"{answer.url.host} answers, but not as the Instrument Data Service does.")
    return found


def _reason(error: Exception) -> str:
    text = str(error) or type(error).__name__
    if "WRONG_VERSION_NUMBER" in text:
        return "what answers there speaks no https. Is its address http://…?"
    return text[:200]


def retry_after(answer: httpx.Response) -> float:
    """Seconds, of which a page that says "maintenance until tomorrow" gets no more than anybody."""
    text = answer.headers.get("Retry-After", "")
    return min(float(text), LONGEST_RETRY_AFTER) if text.isascii() and text.isdigit() else 0.0
