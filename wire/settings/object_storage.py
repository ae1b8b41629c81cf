"""Where objects are kept, as django-storages reads it from the settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def s3_storage_settings(
    *,
    bucket: str | None,
    endpoint_url: str | None,
    region: str,
    access_key: str | None,
    secret_key: str | None,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """A bucket of S3, or of a store that speaks it; `options` are further ones of S3Storage and come last."""
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": bucket,
            "endpoint_url": endpoint_url,
            "region_name": region,
            "access_key": access_key,
            "secret_key": secret_key,
            "security_token": None,  # where there are no keys, boto3's own chain has one of its own
            "addressing_style": "path" if endpoint_url else "virtual",
            **options,
        },
    }


def file_storage_settings(location: Path) -> dict[str, Any]:
    """A folder of this machine."""
    return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": location}}


def second_store_settings(
    alias: str,
    *,
    directory: str,
    bucket: str | None,
    endpoint_url: str | None,
    region: str,
    access_key: str | None,
    secret_key: str | None,
) -> dict[str, dict[str, Any]]:
    """A store beside the first one, under its alias; nothing where neither a folder nor a bucket is named."""
    if directory:
        return {alias: file_storage_settings(Path(directory))}
    if bucket:
        found = s3_storage_settings(
            bucket=bucket,
            endpoint_url=endpoint_url,
            region=region,
            access_key=access_key,
            secret_key=secret_key,
            options={},
        )
        return {alias: found}
    return {}
