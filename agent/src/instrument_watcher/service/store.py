"""Sending bytes to signed addresses. No credential of ours goes along; the address is one, so it is never logged."""

from collections.abc import Iterator
from typing import BinaryIO

import httpx

from instrument_watcher.service.connection import USER_AGENT, retry_after, trusted_authorities

PIECE = 1 << 16
TIMEOUT = httpx.Timeout(60, connect=10, read=300)


class StoreError(Exception):
    """The bytes did not arrive; sending them again, to a fresh address, may succeed."""

    def __init__(self, why: str, *, retry_after: float = 0.0) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class BytesRefused(StoreError):
    """The store found other bytes than the address was signed for."""


class UploadLost(StoreError):
    """The store does not know the multipart upload any more."""


class OvertakenUpload(StoreError):
    """Somebody else's bytes were stored for the file: what the service confirms is theirs."""


class ConnectionCut(StoreError):
    """The way there broke, or something on it finds this too large."""


class AlreadyThere(Exception):
    """The store has an object under this key: an earlier attempt arrived, and only its answer was lost."""


class Store:
    def __init__(self) -> None:
        self._http = httpx.Client(
            timeout=TIMEOUT, headers={"User-Agent": USER_AGENT, "Accept": "*/*"}, verify=trusted_authorities()
        )

    def put(self, url: str, *, headers: dict[str, str], size: int, pieces: Iterator[bytes]) -> str:
        """Stream the pieces; answers the ETag. Raises AlreadyThere, StoreError."""
        try:
            answer = self._http.put(url, headers=headers | {"Content-Length": str(size)}, content=pieces)
        except httpx.HTTPError as error:
            raise ConnectionCut(f"The object store does not answer: {str(error) or type(error).__name__}") from None
        if answer.is_success:
            return str(answer.headers.get("ETag", "")).strip('"')
        raise _refusal(answer)

    def get(self, url: str, target: BinaryIO, *, size: int) -> None:
        """Stream an object of so many bytes. Raises StoreError."""
        try:
            with self._http.stream("GET", url) as answer:
                if not answer.is_success:
                    raise StoreError(f"The object store answered {answer.status_code} {answer.reason_phrase}.")
                for piece in answer.iter_bytes(PIECE):
                    size -= len(piece)
                    if size < 0:
                        break
                    target.write(piece)
        except httpx.HTTPError as error:
            raise ConnectionCut(f"The object store does not answer: {str(error) or type(error).__name__}") from None
        if size:
            raise StoreError("It has another size than was told.")

    def close(self) -> None:
        self._http.close()


def _refusal(answer: httpx.Response) -> Exception:
    why = f"The object store answered {answer.status_code} {answer.reason_phrase}."
    if answer.status_code == 412:
        return AlreadyThere(why)
    if answer.status_code == 404:
        return UploadLost(why)
    if answer.status_code == 413:
        return ConnectionCut(why)
    if answer.status_code in (400, 422):
        return BytesRefused(why)
    return StoreError(why, retry_after=retry_after(answer))
