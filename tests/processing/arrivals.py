"""Files that have arrived and were read, for tests of jobs."""

import json
from typing import Any

import numpy as np

from files.models import File
from files.storage import object_store
from processing.models import ProcessingJob
from processing.reading_files import process_file
from processing.requests import enqueue_arrived_files
from tests.factories import make_stored_file
from tests.samples.instruments import jcamp_spectrum, picture
from wire.clock import now

SPECTRUM = jcamp_spectrum("1 5 6 7", first=1, last=3, points=3, LONGDATE="2026/03/14 09:26:53").encode()


def arrived(filename: str, data: bytes, **fields: Any) -> File:
    file = make_stored_file(filename, data, **fields)
    enqueue_arrived_files([file], at=now())
    return file


def done(file: File) -> File:
    """The file after a worker has read it."""
    assert process_file(file.pk, clock=now)
    file.refresh_from_db()
    return file


def job_of(file: File) -> ProcessingJob:
    return ProcessingJob.objects.get(pk=file.pk)


def artefacts_of(file: File) -> dict[str, File]:
    return {artefact.filename: artefact for artefact in File.objects.filter(source_file=file)}


def document(artefact: File) -> Any:
    with object_store().open_range(artefact.storage_key or "") as source:
        return json.loads(source.read())


def spectrum_of(owner: str) -> bytes:
    return jcamp_spectrum("1 5 6 7", first=1, last=3, points=3, OWNER=owner, DATE="26/03/14").encode()


def pixels(side: int) -> Any:
    return np.arange(side * side, dtype=np.uint16).reshape(side, side)


def picture_of(side: int) -> bytes:
    return picture((pixels(side) // 1500).astype("uint8"))


def broken(**_: object) -> None:
    raise ZeroDivisionError("a mistake of ours")
