"""What an S3 store or the way to it refuses, in the port's words."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from urllib3.exceptions import HTTPError

from files.storage.interface import ObjectExists, ObjectMissing, PartsRefused, StoreUnavailable, UploadMissing
from wire.errors import ServiceError

MISSING_CODES = ("NoSuchKey", "404", "NotFound")
EXISTS_CODES = ("PreconditionFailed", "412", "ConditionalRequestConflict")
BAD_PART_CODES = ("InvalidPart", "InvalidPartOrder", "EntityTooSmall", "EntityTooLarge", "BadDigest", "InvalidRequest")

# A store that is slow must not take along what needs no store: this many threads of a process wait for it at a time,
# half of what answers requests; who comes then is refused soon.
MAX_WAITING_THREADS = max(2, settings.WEB_THREADS // 2)
SLOT_WAIT_SECONDS = 0.5

_slots = threading.BoundedSemaphore(MAX_WAITING_THREADS)


@contextmanager
def translate_s3_errors(*, key: str = "", upload_id: str = "", source_key: str = "") -> Iterator[None]:
    """Raises the port's errors; everything that is not the caller's doing is StoreUnavailable."""
    if not _slots.acquire(timeout=SLOT_WAIT_SECONDS):
        raise StoreUnavailable("The object store is slow, and others wait for it already.")
    try:
        yield
    except ClientError as refusal:
        raise _translate(refusal, key=key, upload_id=upload_id, source_key=source_key) from refusal
    except (BotoCoreError, HTTPError, OSError) as problem:
        raise StoreUnavailable from problem
    finally:
        _slots.release()


def _translate(refusal: ClientError, *, key: str, upload_id: str, source_key: str) -> ServiceError:
    code = refusal.response.get("Error", {}).get("Code", "")
    message = refusal.response.get("Error", {}).get("Message", "")
    if code in MISSING_CODES and source_key:
        return ObjectMissing(source_key)
    if code == "NoSuchUpload" or (code in MISSING_CODES and upload_id):  # the latter of radosgw, for the former
        return UploadMissing(upload_id)
    if key and code in MISSING_CODES:
        return ObjectMissing(key)
    if key and code in EXISTS_CODES:
        return ObjectExists(key)
    if upload_id and code in BAD_PART_CODES:
        return PartsRefused(f"The store refuses the parts: {message or code}", reason=code)
    return StoreUnavailable(f"The object store answers {code or 'an error'}.")
