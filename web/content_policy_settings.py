"""What a page may load, as django-csp reads it from the settings: nothing but what this service serves."""

from typing import Any


def content_policy_settings() -> dict[str, Any]:
    """`web.page_policy` narrows the scripts to the place of static files on the host that was asked."""
    return {
        "DIRECTIVES": {
            "default-src": ["'none'"],
            "script-src": ["'self'"],
            "style-src": ["'self'"],
            "img-src": ["'self'", "data:"],
            "font-src": ["'self'"],
            "connect-src": ["'self'"],
            "form-action": ["'self'"],
            "base-uri": ["'none'"],
            "frame-ancestors": ["'none'"],
        }
    }
