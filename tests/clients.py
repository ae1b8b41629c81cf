"""A small JSON client over Django's test client, so that a test reads as the call a caller makes."""

import json
from typing import TYPE_CHECKING, Any

from django.test import Client

from accounts.models import Token, User

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer


class Api:
    """One caller: a token, a signed-in person (with its CSRF token), or nobody."""

    def __init__(self, *, token: Token | None = None, text: str = "", user: User | None = None) -> None:
        self.token, self.text, self.user = token, text, user
        self.client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        self.headers: dict[str, str] = {"Authorization": f"Bearer {text}"} if text else {}
        if user:
            self.client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
            self.client.cookies["csrftoken"] = "c" * 32
            self.headers["X-CSRFToken"] = "c" * 32

    def get(self, path: str, **headers: str) -> "Answer":
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> "Answer":
        return self.send("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> "Answer":
        return self.send("PATCH", path, body, **headers)

    def put(self, path: str, body: Any = None, **headers: str) -> "Answer":
        return self.send("PUT", path, body, **headers)

    def delete(self, path: str, body: Any = None, **headers: str) -> "Answer":
        return self.send("DELETE", path, body, **headers)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> "Answer":
        """`body`: None for no body, bytes as they are, anything else as JSON. Header names with _ for -."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is None:
            return self.client.generic(method, path, headers=self.headers | named)
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.client.generic(method, path, raw, "application/json", headers=self.headers | named)
