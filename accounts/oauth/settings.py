"""The OAuth server of AI clients: what django-oauth-toolkit allows them; it reads this from the settings."""

from typing import Any


def oauth_settings(*, issuer: str) -> dict[str, Any]:
    """Codes with PKCE S256 only, one-time refresh tokens, registration by the client itself."""
    return {
        "SCOPES": {"read": "Read what the lab's instruments produced", "write": "Change data in your name"},
        "DEFAULT_SCOPES": ["read"],
        "OIDC_ISS_ENDPOINT": issuer,  # the issuer, whatever Host a request names
        "CLIENT_SECRET_HASHER": "random_sha256",  # accounts.oauth.client_secrets
        "OAUTH2_VALIDATOR_CLASS": "accounts.oauth.server.Validator",
        "ACCESS_TOKEN_EXPIRE_SECONDS": 3_600,
        "REFRESH_TOKEN_EXPIRE_SECONDS": 30 * 86_400,
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "PKCE_REQUIRED": True,
        "ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http", "cursor", "vscode", "vscode-insiders"],
        "ALLOW_LOCALHOST_LOOPBACK": True,
        "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
        "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
        "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": ["none", "client_secret_basic", "client_secret_post"],
        "DCR_ENABLED": True,
        "DCR_REGISTRATION_PERMISSION_CLASSES": ["oauth2_provider.dcr.AllowAllDCRPermission"],
        "DCR_REGISTRATION_TOKEN_EXPIRE_SECONDS": 30 * 86_400,
        "CIMD_ENABLED": True,
        "CIMD_METADATA_FETCHER": "accounts.oauth.clients.MetadataFetcher",
        "CIMD_REGISTRATION_PERMISSION_CLASSES": ["accounts.oauth.clients.MetadataFetchLimit"],
        "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
        "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
        "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
        "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
        "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
        "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
        "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
        "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
    }
