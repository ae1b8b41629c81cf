"""Who calls: put beside the request by the gate, read by tools, resources and prompts."""

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from accounts.callers import Caller
from wire.errors import Unauthorized

CALLER_CLAIM = "caller"


def build_sdk_user(caller: Caller) -> AuthenticatedUser:
    """What the SDK carries to the tools. It never holds the text of a token."""
    identity = format_principal(caller)
    scopes = [str(scope) for scope in caller.scopes]
    return AuthenticatedUser(
        AccessToken(token=identity, client_id=identity, scopes=scopes, claims={CALLER_CLAIM: caller})
    )


def require_caller() -> Caller:
    access = get_access_token()
    caller = (access.claims or {}).get(CALLER_CLAIM) if access else None
    if not isinstance(caller, Caller):
        raise Unauthorized
    return caller


def format_principal(caller: Caller) -> str:
    """`token:<id>` or `person:<id>`, as in the log."""
    if caller.token is not None:
        return f"token:{caller.token.pk}"
    return f"person:{caller.user.pk}" if caller.user is not None else ""
