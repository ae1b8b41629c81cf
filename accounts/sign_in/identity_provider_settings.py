"""The identity provider that people sign in with, as django-allauth reads it from the settings."""

from typing import Any


def identity_provider_settings(*, issuer: str, name: str, client_id: str, secret: str) -> dict[str, Any]:
    """None at all without an issuer."""
    app = {"client_id": client_id, "secret": secret, "name": name, "settings": {"server_url": issuer.rstrip("/")}}
    return {"oidc": {"APPS": [app] if issuer else []}}
