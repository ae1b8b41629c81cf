"""What an S3 store or the way to it refuses, in the port's words."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from urllib3.exceptions import HTTPError

from files.storage.port import ObjectExists, ObjectMissing, PartsRefused, StoreUnavailable, UploadMissing
from wire.errors import ServiceError

MISSING = ("NoSuchKey", "404", "NotFound")
TAKEN = ("PreconditionFailed", "412", "ConditionalRequestConflict")
PARTS = ("InvalidPart", "InvalidPartOrder", "EntityTooSmall", "EntityTooLarge", "BadDigest", "InvalidRequest")

# A store that is slow must not take along what needs no store: this many threads of a process wait for it at a time,
# half of what answers requests; who comes then is refused soon.
SLOTS = max(2, settings.WEB_THREADS // 2)
SLOT_SECONDS = 0.5

_slots = threading.BoundedSemaphore(SLOTS)


@contextmanager
def s3_errors(*, key: str = "", upload_id: str = "") -> Iterator[None]:
    """Raises the port's errors; everything that is not the caller's doing is StoreUnavailable."""
    if not _slots.acquire(timeout=SLOT_SECONDS):
        raise StoreUnavailable("The object store is slow, and others wait for it already.")
    try:
        yield
    except ClientError as refusal:
        raise _translated(refusal, key, upload_id) from refusal
    except (BotoCoreError, HTTPError, OSError) as problem:
        raise StoreUnavailable from problem
    finally:
        _slots.release()


def _translated(refusal: ClientError, key: str, upload_id: str) -> ServiceError:
    code = refusal.response.get("Error", {}).get("Code", "")
    message = refusal.response.get("Error", {}).get("Message", "")
    if code == "NoSuchUpload":
        return UploadMissing(upload_id)
    if key and code in MISSING:
        return ObjectMissing(key)
    if key and code in TAKEN:
        return ObjectExists(key)
    if upload_id and code in PARTS:
        return PartsRefused(f"The store refuses the parts: {message or code}", reason=code)
    return StoreUnavailable(f"The object store answers {code or 'an error'}.")
