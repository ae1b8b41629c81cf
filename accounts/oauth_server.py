"""The OAuth server's rules beyond the toolkit's own: our resource only, S256 only, exact redirects, people who may."""

from typing import Any

from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749 import errors

from accounts.oauth import GRANTS, resources
from accounts.oauth_clients import is_same_redirect
from accounts.scopes import Scope


class Validator(OAuth2Validator):
    """What oauthlib asks before it grants anything."""

    def validate_scopes(
        self, client_id: str, scopes: list[str], client: Any, request: Any, *args: Any, **kwargs: Any
    ) -> bool:
        """Scopes that nobody knows here are left out, as RFC 6749 (3.3) allows; without `read` nothing opens."""
        request.scopes = [str(scope) for scope in GRANTS if scope == Scope.READ or scope in scopes]
        return True

    def validate_redirect_uri(self, client_id: str, redirect_uri: str, request: Any, *args: Any, **kwargs: Any) -> bool:
        return is_same_redirect(redirect_uri, request.client.redirect_uris.split())

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        return super().validate_code(client_id, code, client, request, *args, **kwargs) and request.user.is_active

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *args: Any, **kwargs: Any) -> bool:
        """A token that was used before ends its whole family, whoever brings it."""
        known = super().validate_refresh_token(refresh_token, client, request, *args, **kwargs)
        return known and request.user.is_active

    def _create_authorization_code(self, request: Any, code: Any, expires: Any = None) -> Any:
        """The form came from a browser: what the page checked is checked again where the code is made."""
        fault = request_fault(request.code_challenge_method, getattr(request, "resource", None) or [])
        if fault:
            raise errors.CustomOAuth2Error(error=fault[0], description=fault[1], request=request)
        return super()._create_authorization_code(request, code, expires)


def request_fault(challenge_method: str | None, asked: list[str]) -> tuple[str, str] | None:
    """(error, description) of an authorization request that must not be granted; None where it may be."""
    if challenge_method != "S256":
        return "invalid_request", "PKCE with the method S256 is needed."
    if not asked or not resources().issuperset(asked):
        return "invalid_target", "The resource must be this service's MCP endpoint."
    return None
