"""How the service talks to an S3 store: bounded in time, signed with version 4, checksums its own.

One client is patient (bytes move through it), one answers quickly or not at all (somebody waits), one only signs URLs,
for the address that callers see. boto3 is told to add no checksums (not every store understands them); every write of
the service carries the CRC32 that it has computed itself.
"""

import copy
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from storages.backends.s3 import S3Storage

from files.storage.measuring import measure_client
from files.storage.s3_errors import translate_s3_errors

CONNECT_SECONDS = 2
QUICK_SECONDS = 5
PATIENT_SECONDS = 60
MAX_CONNECTIONS_PER_CLIENT = 32


@dataclass(frozen=True)
class S3Access:
    """How other programs of this machine reach the bucket."""

    endpoint_url: str | None
    region: str | None
    access_key: str | None
    secret_key: str | None
    session_token: str | None
    is_virtual_hosted: bool


@dataclass(frozen=True)
class Clients:
    quick: Any
    patient: Any
    signer: Any


def create_clients(storage: S3Storage, *, public_endpoint_url: str | None) -> Clients:
    """Those of a django-storages backend, with times of ours. Nothing is sent yet.

    Without keys they are found by boto3's own chain (environment, profile, role of the machine).
    """
    return Clients(
        quick=_create_client(storage, storage.endpoint_url, QUICK_SECONDS),
        patient=_create_client(storage, storage.endpoint_url, PATIENT_SECONDS),
        signer=_create_client(storage, public_endpoint_url or storage.endpoint_url, QUICK_SECONDS),
    )


def find_access(storage: S3Storage) -> S3Access:
    """The keys as they are now: those of a role end within hours."""
    keys = (storage.access_key, storage.secret_key, storage.security_token)
    if not storage.access_key:
        found = boto3.Session(profile_name=storage.session_profile).get_credentials()
        frozen = found.get_frozen_credentials() if found else None
        keys = (frozen.access_key, frozen.secret_key, frozen.token) if frozen else (None, None, None)
    return S3Access(storage.endpoint_url, storage.region_name, *keys, storage.addressing_style == "virtual")


class TranslatedBody:
    """A response body whose failures are the port's."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def readinto(self, buffer: memoryview, /) -> int:
        with translate_s3_errors():
            block = self._body.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)


def _create_client(storage: S3Storage, endpoint_url: str | None, read_seconds: int) -> Any:
    # boto3 presigns with version 2 unless told otherwise, which binds neither length nor headers.
    ours = Config(
        signature_version="s3v4",
        connect_timeout=CONNECT_SECONDS,
        read_timeout=read_seconds,
        retries={"mode": "standard", "total_max_attempts": 2},
        max_pool_connections=MAX_CONNECTIONS_PER_CLIENT,
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    variant = copy.copy(storage)
    variant.endpoint_url, variant.client_config = endpoint_url, storage.client_config.merge(ours)
    client = variant.connection.meta.client
    measure_client(client)
    return client
