"""The OAuth server's rules beyond the toolkit's own: our resource only, S256 only, exact redirects, people who may."""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from oauth2_provider.models import get_access_token_model, get_grant_model, get_refresh_token_model
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749 import errors

from accounts.oauth.clients import is_same_redirect
from accounts.oauth.connections import SCOPES_BY_GRANT, list_resource_urls, lock_connection, record_spent_code
from accounts.scopes import Scope
from wire.clock import now
from wire.input_gate import text_fault
from wire.telemetry.security_events import SecurityEvent, record_security_event

MAX_PARAMETER_CHARS = {"nonce": 255, "code_challenge": 128}  # as a code keeps them
RETRY_SECONDS = 10  # in which a refresh token that was just used is refused, but not taken for stolen


class Validator(OAuth2Validator):
    """What oauthlib asks before it grants anything."""

    def _load_application(self, client_id: str, request: Any) -> Any:
        """An id from a header passed no gate: what cannot be one is no client."""
        return None if text_fault(client_id or "", multiline=False) else super()._load_application(client_id, request)

    def validate_scopes(
        self, client_id: str, scopes: list[str], client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Scopes that nobody knows here are left out, as RFC 6749 (3.3) allows; without `read` nothing opens."""
        request.scopes = [str(scope) for scope in SCOPES_BY_GRANT if scope == Scope.READ or scope in scopes]
        return True

    def validate_redirect_uri(self, client_id: str, redirect_uri: str, request: Any, *args: Any, **kwargs: Any) -> bool:
        return is_same_redirect(redirect_uri, request.client.redirect_uris.split())

    def get_default_redirect_uri(self, client_id: str, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Of a token request that names none, as in OAuth 2.1, that of its code: PKCE binds the two."""
        codes = get_grant_model().objects.filter(code=request.code or "", application=request.client)
        if request.grant_type == "authorization_code" and (grant := codes.first()):
            return grant.redirect_uri
        return super().get_default_redirect_uri(client_id, request, *args, **kwargs)

    def validate_user(self, *args: Any, **kwargs: Any) -> bool:
        """Passwords are for the sign-in page. This is asked before the grant is refused, so nothing is hashed."""
        return False

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Of those who bring a code at once, one finds it: the others wait here until it is gone."""
        grant = get_grant_model().objects.filter(code=code, application=client).first()
        if grant:
            lock_connection(user_id=grant.user_id, application_id=client.pk)
        return super().validate_code(client_id, code, client, request, *args, **kwargs) and request.user.is_active

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """A token that was used before ends its whole family, whoever brings it.

        Within seconds it is only refused: sessions of one client that share their tokens often refresh at once.
        """
        tokens = get_refresh_token_model().objects.filter(token_checksum=_digest(refresh_token))
        if brought := tokens.first():
            lock_connection(user_id=brought.user_id, application_id=brought.application_id)
        if tokens.filter(revoked__gt=now() - timedelta(seconds=RETRY_SECONDS)).exists():
            return False
        if brought and brought.revoked:
            user, client_id = brought.user_id, brought.application_id
            record_security_event(SecurityEvent.REPLAYED_REFRESH_TOKEN, user=user, client=client_id)
        known = super().validate_refresh_token(refresh_token, client, request, *args, **kwargs)
        return known and request.user.is_active

    @transaction.atomic
    def revoke_token(self, token: str, token_type_hint: str, request: Any, *args: Any, **kwargs: Any) -> None:
        for model in (get_access_token_model(), get_refresh_token_model()):
            for held in model.objects.filter(token_checksum=_digest(token)):
                lock_connection(user_id=held.user_id, application_id=held.application_id)
        super().revoke_token(token, token_type_hint, request, *args, **kwargs)

    def _create_refresh_token(self, request: Any, code: str, access_token: Any, previous: Any) -> Any:
        made = super()._create_refresh_token(request, code, access_token, previous)
        if request.grant_type == "authorization_code":
            record_spent_code(request.code, token_family=made.token_family, at=now())
        return made

    def _create_authorization_code(self, request: Any, code: Any, expires: Any = None) -> Any:
        """The form came from a browser: what the page checked is checked again where the code is made."""
        fault = authorization_fault(request.code_challenge_method, getattr(request, "resource", None) or [])
        if fault:
            raise errors.CustomOAuth2Error(error=fault[0], description=fault[1], request=request)
        return super()._create_authorization_code(request, code, expires)


def parameter_fault(given: Mapping[str, str | None]) -> tuple[str, str] | None:
    """(error, description) of what is longer than a code can keep; None where all of it fits."""
    for name, most in MAX_PARAMETER_CHARS.items():
        if len(given.get(name) or "") > most:
            return "invalid_request", f"{name} may have {most} characters."
    return None


def authorization_fault(challenge_method: str | None, asked: list[str]) -> tuple[str, str] | None:
    """(error, description) of an authorization request that must not be granted; None where it may be."""
    if challenge_method != "S256":
        return "invalid_request", "PKCE with the method S256 is needed."
    if not asked or not list_resource_urls().issuperset(asked):
        return "invalid_target", "The resource must be this service's MCP endpoint."
    return None


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
