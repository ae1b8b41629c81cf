"""The OAuth flow by hand, over Django's test client: what an attacker or a careless client might send."""

import base64
import hashlib
import re
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.test import Client

from accounts.models import User
from accounts.oauth.connections import find_oauth_caller
from tests.factories import make_user
from wire.clock import now

REDIRECT = "https://assistant.example.com/callback"
RESOURCE = "http://127.0.0.1:8000/mcp/v1"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
METADATA = {"client_name": "Bench Assistant", "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"}
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?')


def register(**metadata: Any) -> Any:
    return Client().post("/oauth/register", METADATA | metadata, content_type="application/json")


def client_id(**metadata: Any) -> str:
    return register(**metadata).json()["client_id"]


def signed_in(user: User) -> Client:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return browser


@dataclass
class Flow:
    """One person and one client; `asked` is what its authorization request carries."""

    user: User
    client_id: str

    @classmethod
    def begin(cls, **metadata: Any) -> "Flow":
        return cls(make_user(), client_id(**metadata))

    def asked(self, **changed: Any) -> dict[str, Any]:
        """A good authorization request; None leaves a member out."""
        good = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": REDIRECT,
            "scope": "read write",
            "state": "s7",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "resource": RESOURCE,
        }
        return {name: value for name, value in (good | changed).items() if value is not None}

    def page(self, **changed: Any) -> Any:
        return signed_in(self.user).get("/oauth/authorize", self.asked(**changed))

    def allow(self, *, tampered: dict[str, str] | None = None, **changed: Any) -> Any:
        browser = signed_in(self.user)
        page = browser.get("/oauth/authorize", self.asked(**changed))
        assert page.status_code == 200, page.headers.get("Location")
        form = {name: unescape(value) for name, value in HIDDEN.findall(page.content.decode())}
        return browser.post("/oauth/authorize", form | {"allow": "true"} | (tampered or {}))

    def code(self, **changed: Any) -> str:
        return came_back(self.allow(**changed))["code"]

    def exchange(self, code: str, **changed: Any) -> Any:
        """None leaves a member out."""
        good = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client_id,
            "redirect_uri": REDIRECT,
            "code_verifier": VERIFIER,
            "resource": RESOURCE,
        }
        asked = {name: value for name, value in (good | changed).items() if value is not None}
        return Client().post("/oauth/token", asked)

    def refresh(self, token: str, **changed: Any) -> Any:
        good = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client_id}
        return Client().post("/oauth/token", good | changed)

    def tokens(self, **changed: Any) -> dict[str, Any]:
        answer = self.exchange(self.code(**changed))
        assert answer.status_code == 200, answer.content
        return answer.json()


def came_back(answer: Any) -> dict[str, str]:
    """What the browser brought to the client's redirect address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}


def access_token(user: User, scope: str = "read write") -> str:
    """What an AI client holds that acts for this person."""
    return Flow(user, client_id()).tokens(scope=scope)["access_token"]


def opens(access_token: str) -> bool:
    return find_oauth_caller(access_token, at=now()) is not None
