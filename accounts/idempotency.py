"""A POST that is sent again under its Idempotency-Key gets the first answer, and nothing is done twice.

The key, what the request does and its answer are one transaction: a kill in between leaves none of them, and a twin
that comes meanwhile waits for the first. An error keeps nothing, so that the key serves another try.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.callers import Caller
from accounts.models import IdempotentAnswer
from wire.errors import Conflict, ServiceError, ValidationError
from wire.secrets import decrypt_secret, encrypt_secret

HEADER = "Idempotency-Key"
MAX_KEY_CHARACTERS = 64
KEPT_FOR = timedelta(hours=24)
EVERYTHING = "*"  # no instrument is called so


@dataclass(frozen=True)
class Asker:
    """Whose key it is, and the instruments that they see; None is all."""

    principal: str
    instrument_ids: tuple[str, ...] | None = None


class KeyOfAnotherRequest(Conflict):
    def __init__(self, key: str) -> None:
        super().__init__("Another request was sent under this Idempotency-Key.", idempotency_key=key)


class SightChanged(Conflict):
    """The deed was done; its answer may show what its caller sees no longer."""

    def __init__(self, key: str) -> None:
        super().__init__(
            "This was done under this Idempotency-Key. The answer is not told again: you see less than you did then.",
            idempotency_key=key,
        )


def asker_of(caller: Caller) -> Asker:
    return Asker(f"{caller.principal.kind}:{caller.principal.id}", caller.instrument_ids)


def read_key(request: Request) -> str | None:
    """The key of a request, where it has one."""
    key = request.headers.get(HEADER)
    if key is not None and not (1 <= len(key) <= MAX_KEY_CHARACTERS and key.isascii() and key.isprintable()):
        raise ValidationError(fields={HEADER: [f"1 to {MAX_KEY_CHARACTERS} ASCII characters are needed."]})
    return key


def answer_once(request: Request, handle: Callable[[], Any], *, key: str, by: Asker, at: datetime) -> Any:
    """The answer of `handle`, or the one that was given under this key before.

    Raises KeyOfAnotherRequest, and SightChanged where the caller sees less than when it was given.

    What a refusal leaves behind on purpose, such as a note of who tried, stays; only the key is free again.
    """
    answer = _answer_or_refuse(request, handle, key=key, by=by, at=at)
    if isinstance(answer, ServiceError):
        raise answer
    return answer


@transaction.atomic
def _answer_or_refuse(request: Request, handle: Callable[[], Any], *, key: str, by: Asker, at: datetime) -> Any:
    answers = IdempotentAnswer.objects.filter(principal=by.principal, key=key)
    answers.filter(created_at__lt=at - KEPT_FOR).delete()
    row, is_first = answers.get_or_create(
        principal=by.principal,
        key=key,
        defaults={"digest": _digest_of(request), "sight": _sight_of(by), "created_at": at},
    )
    if not is_first:
        return _repeat_answer(row, request, by=by)
    try:
        answer = handle()
    except ServiceError as refusal:
        row.delete()
        return refusal
    if isinstance(answer, Response):
        _keep_answer(row, answer)
    else:
        row.delete()
    return answer


def forget_answers(*, at: datetime) -> None:
    """Delete what nobody may repeat any more."""
    IdempotentAnswer.objects.filter(created_at__lt=at - KEPT_FOR).delete()


def _keep_answer(row: IdempotentAnswer, answer: Response) -> None:
    row.status, row.etag = answer.status_code, answer.headers.get("ETag", "")
    row.sealed_body = encrypt_secret(JSONRenderer().render(answer.data).decode())
    row.save(update_fields=["status", "etag", "sealed_body"])


def _repeat_answer(row: IdempotentAnswer, request: Request, *, by: Asker) -> Response:
    body = decrypt_secret(row.sealed_body)
    if row.digest != _digest_of(request) or body is None:
        raise KeyOfAnotherRequest(row.key)
    if by.instrument_ids is not None and not set(row.sight or ()).issubset(by.instrument_ids):
        raise SightChanged(row.key)
    headers = {"Idempotency-Replayed": "true"} | ({"ETag": row.etag} if row.etag else {})
    return Response(json.loads(body) if body else None, status=row.status, headers=headers)


def _sight_of(by: Asker) -> list[str]:
    return [EVERYTHING] if by.instrument_ids is None else list(by.instrument_ids)


def _digest_of(request: Request) -> str:
    asked = [request.method, request.get_full_path(), request.data]
    return hashlib.sha256(json.dumps(asked, sort_keys=True, default=str).encode()).hexdigest()
