"""How people can sign in."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def provider_name() -> str:
    """The identity provider as people call it; empty where there is none."""
    return str(settings.OIDC_NAME)
