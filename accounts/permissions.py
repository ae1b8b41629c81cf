"""The one permission class: it asks the declared Access and crashes on silence."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.access import Public
from accounts.authentication import declared_access
from accounts.callers import Caller
from wire.errors import MethodNotAllowed, Unauthorized


class DeclaredAccess(BasePermission):
    def has_permission(self, request: Request, view: Any) -> bool:
        if getattr(view, "action", None) in (None, "metadata"):
            raise MethodNotAllowed(f"{request.method} is not served here.")
        access = declared_access(view)
        if access is None:
            raise ImproperlyConfigured(f"{type(view).__name__}.{view.action} declares no access.")
        if isinstance(access, Public):
            return True
        if not isinstance(request.auth, Caller):
            raise Unauthorized
        access.check(request.auth)
        return True
