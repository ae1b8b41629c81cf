"""How the service talks to an S3 store: bounded in time, signed with version 4, checksums its own.

One client is patient (bytes move through it), one answers quickly or not at all (somebody waits), one only signs URLs,
for the address that callers see. boto3 is told to add no checksums (not every store understands them); every write of
the service carries the CRC32 that it has computed itself.
"""

from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config

from files.storage.s3_errors import s3_errors

CONNECT_SECONDS = 2
QUICK_SECONDS = 5
PATIENT_SECONDS = 60
CONNECTIONS = 32


@dataclass(frozen=True)
class Clients:
    quick: Any
    patient: Any
    signer: Any


def connect(
    *,
    endpoint_url: str | None,
    public_endpoint_url: str | None,
    region: str | None,
    access_key_id: str | None,
    secret_access_key: str | None,
) -> Clients:
    """Nothing is sent yet. Keys None: boto3's own chain (environment, profile, role of the machine)."""
    session = boto3.session.Session(
        aws_access_key_id=access_key_id, aws_secret_access_key=secret_access_key, region_name=region or "us-east-1"
    )
    return Clients(
        quick=_client(session, endpoint_url, QUICK_SECONDS),
        patient=_client(session, endpoint_url, PATIENT_SECONDS),
        signer=_client(session, public_endpoint_url or endpoint_url, QUICK_SECONDS),
    )


class Guarded:
    """A response body whose failures are the port's."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def readinto(self, buffer: memoryview, /) -> int:
        with s3_errors():
            block = self._body.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)


def _client(session: boto3.session.Session, endpoint_url: str | None, read_seconds: int) -> Any:
    # boto3 presigns with version 2 unless told otherwise, which binds neither length nor headers.
    config = Config(
        signature_version="s3v4",
        connect_timeout=CONNECT_SECONDS,
        read_timeout=read_seconds,
        retries={"mode": "standard", "total_max_attempts": 2},
        max_pool_connections=CONNECTIONS,
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"addressing_style": "path" if endpoint_url else "virtual"},
    )
    return session.client("s3", endpoint_url=endpoint_url, config=config)
