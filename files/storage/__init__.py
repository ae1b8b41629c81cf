"""The object store of this deployment."""

import logging
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import FileSystemStorage, storages

from files.storage.interface import ObjectStore, StoredObjects, StoreUnavailable
from files.storage.local import LocalStore
from files.storage.semantics import StoreUnsuitable
from files.storage.whole_store import WholeStore

log = logging.getLogger(__name__)
HEEDED_OPTIONS = frozenset(
    {"bucket_name", "endpoint_url", "region_name", "addressing_style", "use_ssl", "verify", "proxies", "client_config"}
    | {"access_key", "secret_key", "security_token", "session_profile"}
)


@cache
def object_store() -> ObjectStore:
    """Built once a process, on the backend that STORAGES["objects"] names. Nothing is sent or written yet.

    Raises ImproperlyConfigured.
    """
    return _build_store("objects", public_endpoint_url=settings.S3_PUBLIC_ENDPOINT_URL)


@cache
def replica_store() -> ObjectStore | None:
    """A second copy of all objects under the same keys, which something else keeps; read here alone. None: no such."""
    return _build_store("replica", public_endpoint_url=None) if "replica" in settings.STORAGES else None


@cache
def cold_store() -> ObjectStore | None:
    """Where cold files lie; nobody is sent there. None: no such store is configured."""
    if "cold" not in settings.STORAGES:
        return None
    storage_class = settings.COLD_S3_STORAGE_CLASS
    cold = _build_store("cold", public_endpoint_url=None, local_bucket="cold", storage_class=storage_class)
    if cold.address_of("runs") == object_store().address_of("runs"):
        raise ImproperlyConfigured("The cold store is another folder or bucket than that of all files.")
    return cold


def whole_store() -> StoredObjects:
    """All objects, hot and cold."""
    cold = cold_store()
    return object_store() if cold is None else WholeStore(object_store(), cold)


def all_stores() -> list[ObjectStore]:
    """That of hot files first."""
    cold = cold_store()
    return [object_store()] if cold is None else [object_store(), cold]


def find_holder(key: str) -> ObjectStore:
    """The store that has this object; the hot one where neither does. Raises StoreUnavailable."""
    *_, cold = all_stores()
    return cold if cold is not object_store() and cold.head(key) is not None else object_store()


def _build_store(
    alias: str, *, public_endpoint_url: str | None, local_bucket: str = "local", storage_class: str | None = None
) -> ObjectStore:
    backend = storages[alias]
    if isinstance(backend, FileSystemStorage):
        url = settings.OBJECTS_URL or settings.PUBLIC_URL
        return LocalStore(
            root=Path(backend.location),
            bucket=local_bucket,
            secret=settings.SECRET_KEY,
            base_url=url,
            group_reads=bool(settings.ACCEL_REDIRECT_PREFIX) and alias == "objects",
        )
    s3 = import_module("files.storage.s3")  # its client takes eight megabytes
    if isinstance(backend, s3.S3Storage):
        _refuse_unheeded_options(settings.STORAGES[alias].get("OPTIONS", {}))
        store: ObjectStore = s3.S3Store(backend, public_endpoint_url=public_endpoint_url, storage_class=storage_class)
        return store
    raise ImproperlyConfigured(f'STORAGES["{alias}"] names {type(backend).__name__}: S3 or files are possible.')


def require_suitable_store() -> None:
    """At a start. Raises ImproperlyConfigured for a store that can lose bytes; one that is away is asked later."""
    try:
        semantics = object_store().probe()
    except StoreUnsuitable as fault:
        raise ImproperlyConfigured(fault.message) from None
    except StoreUnavailable as problem:
        log.warning("the object store is not looked at yet: %s", problem.message)
        return
    if not semantics.verifies_checksums:
        log.warning("the object store compares no checksums: every upload is read back before it counts as stored")


def _refuse_unheeded_options(options: Mapping[str, object]) -> None:
    """Those of django-storages that say how to reach the bucket count; how objects lie in it is ours."""
    if unheeded := sorted(options.keys() - HEEDED_OPTIONS):
        raise ImproperlyConfigured(f"S3_OPTIONS names {', '.join(unheeded)}: only how to reach the bucket can be said.")
