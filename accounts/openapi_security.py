"""How the two ways to authenticate, and what an operation asks of them, read in the OpenAPI document."""

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension

from accounts.access import Access, Only
from accounts.authentication import declared_access

Requirement = dict[str, list[Any]] | list[dict[str, list[Any]]]  # an empty list: this way does not lead in


class BearerScheme(OpenApiAuthenticationExtension):
    target_class = "accounts.authentication.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "ids_…",
            "description": "An access token. It may do what its scopes say; each operation names the one it needs.",
        }

    def get_security_requirement(self, auto_schema: Any) -> Requirement:
        access = declared_access(auto_schema.view)
        if not isinstance(access, Access) or access.only is Only.PERSON:
            return []
        return {self.name: [str(access.scope)] if access.scope else []}


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "accounts.authentication.PersonAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": "A person signed in to the dashboard. Unsafe methods need the header `X-CSRFToken` too.",
        }

    def get_security_requirement(self, auto_schema: Any) -> Requirement:
        access = declared_access(auto_schema.view)
        if not isinstance(access, Access) or access.only is Only.TOKEN:
            return []
        return {self.name: ["admin"] if access.admin else []}
