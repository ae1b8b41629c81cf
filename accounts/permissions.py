"""The one permission class: it asks the declared Access and takes silence for a no."""

import logging
from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.access import AccessUndeclared, Public
from accounts.authentication import declared_access
from accounts.callers import Caller
from wire.errors import MethodNotAllowed, Unauthorized

log = logging.getLogger(__name__)


class DeclaredAccess(BasePermission):
    def has_permission(self, request: Request, view: Any) -> bool:
        if getattr(view, "action", None) in (None, "metadata"):
            raise MethodNotAllowed(f"{request.method} is not served here.")
        access = declared_access(view)
        if access is None:
            log.error("%s.%s declares no access", type(view).__name__, view.action)
            raise AccessUndeclared
        if isinstance(access, Public):
            return True
        if not isinstance(request.auth, Caller):
            raise Unauthorized
        access.check(request.auth)
        if request.method not in SAFE_METHODS:
            access.check_recent(request.auth)
        return True
