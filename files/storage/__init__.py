"""The object store of this deployment."""

from functools import cache
from typing import Any

from django.conf import settings

from files.storage.local import LocalStore
from files.storage.port import ObjectStore
from files.storage.s3 import S3Store


@cache
def object_store() -> ObjectStore:
    """Built once a process, from settings.OBJECT_STORE. Nothing is sent or written yet."""
    options: dict[str, Any] = dict(settings.OBJECT_STORE)
    if options.pop("kind") == "s3":
        return S3Store(**options)
    return LocalStore(**options, secret=settings.SECRET_KEY, base_url=settings.PUBLIC_URL)
