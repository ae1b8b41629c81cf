"""What an identity provider answers, before it is believed: objects of texts, or a refusal that a page can tell."""

import json
from collections.abc import Mapping
from typing import Any

import requests
from django.core.exceptions import ValidationError as NotAnAddress
from django.core.validators import validate_email

from wire.outgoing.http_client import RefusedCall

ENDPOINTS = ("issuer", "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri")
TEXTS = ("email", "name", "preferred_username", "given_name", "family_name", "picture", "user_id")
MAX_TEXT_CHARACTERS = 2_000
MAX_SUBJECT_CHARACTERS = 191  # as allauth keeps it; OpenID Connect allows 255 and nobody uses them
MAX_SECONDS_DIGITS = 10


class OddAnswer(RefusedCall):
    """Handled as an answer that did not come."""


def check_answer(response: requests.Response, *args: object, **kwargs: object) -> requests.Response:
    """A hook of requests: where all is well, a JSON object that can be kept. Raises OddAnswer."""
    if response.ok and not response.is_redirect and "json" in response.headers.get("Content-Type", "json"):
        try:
            found = json.loads(response.content)
            has_nul = "\\u0000" in json.dumps(found)
        except (ValueError, RecursionError):
            raise OddAnswer("The answer is not JSON.", response=response) from None
        if not isinstance(found, dict) or has_nul:
            raise OddAnswer("The answer is not a JSON object of texts.", response=response)
    return response


def check_configuration(found: Mapping[str, Any]) -> None:
    """Of `/.well-known/openid-configuration`. Raises OddAnswer."""
    if missing := [name for name in ENDPOINTS if not isinstance(found.get(name), str) or not found[name]]:
        raise OddAnswer(f"The provider's configuration does not say its {', '.join(missing)}.")


def check_tokens(found: dict[str, Any]) -> None:
    """Of the token's endpoint; an end that is no number of seconds is forgotten. Raises OddAnswer."""
    if not isinstance(found.get("access_token"), str):
        raise OddAnswer("The provider gave no access token.")
    if not _is_number(found.get("expires_in")):
        found.pop("expires_in", None)
    for name in ("refresh_token", "id_token"):
        if not isinstance(found.get(name), str):
            found.pop(name, None)


def check_claims(found: dict[str, Any]) -> None:
    """Of a person: who they are has to be said, whatever else is no text is forgotten. Raises OddAnswer."""
    subject = found.get("sub")
    is_text = isinstance(subject, str) or (isinstance(subject, int) and not isinstance(subject, bool))
    if not is_text or not 0 < len(str(subject)) <= MAX_SUBJECT_CHARACTERS:
        raise OddAnswer("The provider does not say who it is.")
    for name in TEXTS:
        if not isinstance(found.get(name), str) or len(found[name]) > MAX_TEXT_CHARACTERS:
            found.pop(name, None)
    if not _is_address(found.get("email", "")):
        found.pop("email", None)


def _is_number(value: object) -> bool:
    text = str(value)
    return not isinstance(value, bool) and text.isascii() and text.isdigit() and len(text) < MAX_SECONDS_DIGITS


def _is_address(text: str) -> bool:
    try:
        validate_email(text.strip())
    except NotAnAddress:
        return False
    return len(text) <= 254
