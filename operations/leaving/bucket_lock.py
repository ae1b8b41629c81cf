"""One export at a time to one place in a bucket: whoever writes there says so in an object beside what they write.

Locks are numbered. A number is taken by a conditional put, which one of two wins; the highest one holds, and its holder
says every minute that it is at work. Who finds it silent for long takes the next number; a holder that finds a higher
one stops. Times are the store's, so that no two clocks have to agree.
"""

import contextlib
import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from botocore.exceptions import ClientError

from files.storage.interface import StoreUnavailable
from files.storage.s3_errors import EXISTS_CODES, translate_s3_errors
from operations.leaving.bucket import LOCK, BucketPath, bucket_client
from operations.leaving.folder import LeavingError
from wire.clock import now

RENEW_SECONDS = 60.0
SILENT_AFTER = timedelta(minutes=15)
UNKNOWN_TERMS = "NotImplemented"  # of stores that know no conditional writes
log = logging.getLogger(__name__)


class PlaceTaken(LeavingError):
    def __init__(self, bucket: BucketPath, *, host: str, silent: timedelta) -> None:
        minutes = int(SILENT_AFTER.total_seconds() // 60)
        super().__init__(
            f"{bucket} is being written to by another export, on {host}, heard of {int(silent.total_seconds())} seconds"
            " ago. Wait until it is done, or choose another place. One that was cut off gives way after"
            f" {minutes} minutes."
        )


class PlaceLost(LeavingError):
    def __init__(self, bucket: BucketPath) -> None:
        super().__init__(f"Another export took over {bucket}, because this one was silent for long: it stops here.")


@dataclass(frozen=True)
class Lock:
    number: int
    heard_at: datetime
    holder: str
    host: str


@dataclass(frozen=True)
class Locks:
    """What is there, the highest last, and what time it is at the store."""

    numbers: tuple[int, ...]
    last: Lock | None
    at: datetime

    @property
    def silent(self) -> timedelta:
        return self.at - self.last.heard_at if self.last else timedelta.max


class HeldPlace:
    def __init__(self, bucket: BucketPath, *, number: int, holder: str) -> None:
        self.bucket, self.number, self.holder = bucket, number, holder
        self._renewed_at, self._is_lost = time.monotonic(), False
        self._turn, self._ended = threading.Lock(), threading.Event()

    def check(self) -> None:
        """Before something is written. Raises PlaceLost, StoreUnavailable."""
        if time.monotonic() - self._renewed_at > RENEW_SECONDS:
            self.renew()
        if self._is_lost:
            raise PlaceLost(self.bucket)

    def renew(self) -> None:
        with self._turn:
            if self._is_lost or self._ended.is_set():
                return
            numbers = _list_numbers(self.bucket)[0]
            if not numbers or max(numbers) != self.number:
                self._is_lost = True
                return
            _write(self.bucket, self.number, holder=self.holder)
            self._renewed_at = time.monotonic()

    def renew_until_ended(self) -> None:
        """While one large object is on its way, in a thread beside it; where the store is away it is tried again."""
        while not self._ended.wait(RENEW_SECONDS):
            with contextlib.suppress(StoreUnavailable):
                self.renew()

    def release(self) -> None:
        self._ended.set()
        with self._turn, contextlib.suppress(StoreUnavailable):
            for number in _list_numbers(self.bucket)[0]:
                if number <= self.number:
                    _delete(self.bucket, number)


@contextmanager
def hold_place(bucket: BucketPath, *, holder: str) -> Iterator[HeldPlace]:
    """`holder` is known again when its export goes on after it was cut off. Raises PlaceTaken, StoreUnavailable."""
    held = HeldPlace(bucket, number=_take(bucket, holder=holder), holder=holder)
    threading.Thread(target=held.renew_until_ended, name="export lock", daemon=True).start()
    try:
        yield held
    finally:
        held.release()


def refuse_taken(bucket: BucketPath, *, holder: str | None = None) -> Locks:
    """Raises PlaceTaken where another is at work."""
    found = _find_locks(bucket)
    if found.last and found.last.holder != holder and found.silent < SILENT_AFTER:
        raise PlaceTaken(bucket, host=found.last.host, silent=found.silent)
    return found


def _take(bucket: BucketPath, *, holder: str) -> int:
    while True:
        found = refuse_taken(bucket, holder=holder)
        number = (found.last.number if found.last else 0) + 1
        if _write(bucket, number, holder=holder, is_new=True):
            if _write(bucket, number, holder=holder, is_new=True):
                log.warning("%s takes no conditional writes: see to it that no other machine exports there.", bucket)
            return number


def _find_locks(bucket: BucketPath) -> Locks:
    while True:
        numbers, heard, at = _list_numbers(bucket)
        if not numbers:
            return Locks((), None, at)
        last = max(numbers)
        said = _read(bucket, last)
        if said is not None:  # else it was released just now
            return Locks(numbers, Lock(last, heard[last], str(said.get("holder")), str(said.get("host"))), at)


def _list_numbers(bucket: BucketPath) -> tuple[tuple[int, ...], dict[int, datetime], datetime]:
    prefix = (bucket / LOCK).key
    with translate_s3_errors():
        listed = bucket_client().list_objects_v2(Bucket=bucket.bucket, Prefix=prefix)
    said = listed["ResponseMetadata"]["HTTPHeaders"].get("date")
    named = {one["Key"].removeprefix(prefix): one["LastModified"] for one in listed.get("Contents", ())}
    heard = {int(name): at for name, at in named.items() if name.isdecimal()}
    return tuple(sorted(heard)), heard, parsedate_to_datetime(said) if said else now()


def _read(bucket: BucketPath, number: int) -> dict[str, Any] | None:
    try:
        found = json.loads(_path(bucket, number).read_text())
    except FileNotFoundError:
        return None
    except ValueError:
        found = {}
    return found if isinstance(found, dict) else {}


def _write(bucket: BucketPath, number: int, *, holder: str, is_new: bool = False) -> bool:
    """Whether it was written; a new one is not where there is one."""
    text = json.dumps({"holder": holder, "host": socket.gethostname(), "said": "An export is being written here."})
    terms = {"IfNoneMatch": "*"} if is_new else {}
    path = _path(bucket, number)
    with translate_s3_errors():
        try:
            bucket_client().put_object(Bucket=path.bucket, Key=path.key, Body=text.encode(), **terms)
        except ClientError as problem:
            code = problem.response["Error"]["Code"]
            if code in EXISTS_CODES:
                return False
            if code != UNKNOWN_TERMS or not is_new:
                raise
        else:
            return True
    return _write(bucket, number, holder=holder)


def _delete(bucket: BucketPath, number: int) -> None:
    path = _path(bucket, number)
    with translate_s3_errors():
        bucket_client().delete_object(Bucket=path.bucket, Key=path.key)


def _path(bucket: BucketPath, number: int) -> BucketPath:
    return bucket / f"{LOCK}{number:06d}"
