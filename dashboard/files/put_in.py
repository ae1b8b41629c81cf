"""Putting files into a run by hand: the page, and what its script asks while it sends to the object store.

The routes of REST are for tokens alone; these call the same functions for the person of the session.
"""

from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.views.decorators.http import require_POST, require_safe
from rest_framework import serializers

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.guard import page
from dashboard.store_access import address_for_browser, sends_to_store
from files import access
from files.changes import FileChange, change_file
from files.choices import FileStatus
from files.models import File
from files.records import FileMissing, find_file
from files.serializers import IS_SHA256
from files.shared.duplicates import Compared, OwnFile, compare_with_run
from files.uploads.completion import SentPart, complete_upload
from files.uploads.multipart import PartChecksum, sign_parts
from files.uploads.requests import UploadTicket
from files.uploads.serializers import (
    MAX_FILES_PER_BATCH,
    CompletionSerializer,
    ConfirmationBatchSerializer,
    PartUrlsRequestSerializer,
    PartUrlsSerializer,
    UploadBatchSerializer,
    read_order,
    represent_ticket,
)
from files.uploads.together import OrdersTogether, confirm_together
from runs.addresses import run_address
from runs.lifecycle import RunIsDeleted, describe_run, find_active_run
from runs.models import Run
from wire.batches import answer_each, try_to_read
from wire.clock import now
from wire.error_responses import error_response
from wire.errors import ServiceError
from wire.fields import StrictInteger, Text
from wire.input_gate import read_json
from wire.inputs import read_body
from wire.outputs import represent

LIBRARY = "noble-hashes/sha2.js"  # from npm: ./ids installs it
PART_BYTES = 8 * 1024 * 1024  # so little is sent again after an interruption
Answer = Callable[..., dict[str, Any]]


class OwnFileSerializer(serializers.Serializer[Any]):
    relative_path = Text(max_length=1024)
    size_bytes = StrictInteger(min_value=0)
    sha256 = Text(validators=[IS_SHA256])


class OwnFilesSerializer(serializers.Serializer[Any]):
    files = serializers.ListField(child=OwnFileSerializer(), min_length=1, max_length=MAX_FILES_PER_BATCH)


@require_safe
@page(access.UPLOAD_BY_HAND)
@sends_to_store
def put_in_page(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """Where files are chosen or dropped."""
    run = describe_run(instrument=instrument_id, run_id=run_id, by=caller_of_page(request))
    if run.deleted_at is not None:
        raise RunIsDeleted(run)
    shown = {
        "run": run,
        "url": run_address(run),
        "library": static(LIBRARY) if finders.find(LIBRARY) else "",
        "part_bytes": PART_BYTES,
    }
    return render(request, "files/put_in.html", shown)


def answers_json(answer: Answer) -> Callable[..., HttpResponse]:
    """A view that reads a JSON body and answers JSON, a refusal in the envelope of the API."""

    @wraps(answer)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return JsonResponse(answer(caller_of_page(request), read_json(request.body), *args, **kwargs))
        except ServiceError as error:
            return error_response(error)

    return answered


@require_POST
@page(access.UPLOAD_BY_HAND)
@answers_json
def known_files(by: Caller, body: Any, instrument_id: str, run_id: str) -> dict[str, Any]:
    """What of the chosen files the run has already."""
    files = [OwnFile(**file) for file in read_body(OwnFilesSerializer, body)["files"]]
    compared = compare_with_run(instrument=instrument_id, run_id=run_id, files=files, by=by)
    return {"files": [describe_likeness(one) for one in compared]}


@require_POST
@page(access.UPLOAD_BY_HAND)
@answers_json
def tickets(by: Caller, body: Any, instrument_id: str, run_id: str) -> dict[str, Any]:
    """Where to send the bytes of each file."""
    asked = read_body(UploadBatchSerializer, body)["files"]
    find_active_run(instrument=instrument_id, run_id=run_id, by=by)
    orders = [try_to_read(read_order, body) for body in asked]
    together = OrdersTogether(orders, instrument=instrument_id, run_id=run_id, by=by, at=now())
    return answer_each(orders, lambda order: describe_ticket(together.open_ticket(order)))


@require_POST
@page(access.UPLOAD_BY_HAND)
@answers_json
def confirm_files(by: Caller, body: Any, instrument_id: str, run_id: str) -> dict[str, Any]:
    """Say that the bytes of these files are sent."""
    asked = read_body(ConfirmationBatchSerializer, body)["file_ids"]
    run = find_active_run(instrument=instrument_id, run_id=run_id, by=by)
    accepted = confirm_together(asked, run=run, by=by, at=now())
    return answer_each(asked, partial(confirm_file, accepted=accepted, run=run, by=by))


@require_POST
@page(access.UPLOAD_BY_HAND)
@answers_json
def part_urls(by: Caller, body: Any, file_id: int) -> dict[str, Any]:
    """Where to send parts of a large file."""
    asked = read_body(PartUrlsRequestSerializer, body)
    parts = [PartChecksum(**part) for part in asked["parts"]]
    signed = sign_parts(file_id, upload_id=asked["upload_id"], parts=parts, by=by)
    answer = represent(PartUrlsSerializer, {"parts": signed})
    return {"parts": [{**one, "upload_url": address_for_browser(one["upload_url"])} for one in answer["parts"]]}


@require_POST
@page(access.UPLOAD_BY_HAND)
@answers_json
def complete_file(by: Caller, body: Any, file_id: int) -> dict[str, Any]:
    """Put the parts of a large file together."""
    asked = read_body(CompletionSerializer, body)
    sent = [SentPart(**part) for part in asked["parts"]]
    file = complete_upload(file_id, upload_id=asked["upload_id"], parts=sent, by=by, at=now())
    return describe_stored(file)


def describe_likeness(compared: Compared) -> dict[str, Any]:
    return {"likeness": compared.likeness, "known": compared.known.relative_path if compared.known else None}


def describe_ticket(ticket: UploadTicket) -> dict[str, Any]:
    answer = represent_ticket(ticket)
    return {**answer, "upload_url": address_for_browser(answer["upload_url"])}


def confirm_file(file_id: int, *, accepted: Mapping[int, File], run: Run, by: Caller) -> dict[str, Any]:
    if file_id in accepted:
        return describe_stored(accepted[file_id])
    if find_file(file_id, by=by).run_id != run.pk:
        raise FileMissing
    return describe_stored(change_file(file_id, change=FileChange(status=FileStatus.UPLOADED), by=by, at=now()))


def describe_stored(file: File) -> dict[str, Any]:
    """With its sum: what is stored for a path may be what somebody else sent."""
    return {"file_id": file.pk, "status": file.status, "sha256": file.sha256}
