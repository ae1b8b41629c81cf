"""Many runs as one ZIP that is made while it is sent: a folder for each run, nothing stored, memory as for one chunk.

runs.csv                        the runs as a table
ro-crate-metadata.json          of RO-Crates: names the crate in each folder
cary-60/2026-11-20_a/…          what the archive of this run alone holds
"""

import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from archives.builder import describe_contents
from archives.crates import CONTEXT, LICENSE, SPECIFICATION, entity_id
from archives.members import list_members, list_stored_ids
from archives.models import ArchiveJob, ArchiveKind
from archives.naming import CRATE_METADATA, fold_name, safe_segment
from archives.streaming import write_in_steps
from archives.zip_entries import build_entry
from archives.zip_output import ZipOutput
from files.choices import StorageClass
from files.models import File
from files.storage import object_store
from files.storage.interface import MIB, Sink
from runs.models import Run
from wire.clock import format_timestamp
from wire.errors import Conflict, ValidationError

MAX_RUNS, MAX_FILES = 1_000, 100_000  # the list at the end of a ZIP is held in memory, some hundred bytes a file
SENT_AT_ONCE = MIB // 4
MAX_NAMED = 5
TABLE = "runs.csv"
CRATES = "https://w3id.org/ro/crate"


class TooMuchForOneZip(ValidationError):
    """400. Said before anything is packed."""

    def __init__(self, *, runs: int, files: int) -> None:
        super().__init__(
            f"One ZIP takes up to {MAX_RUNS:,} runs of {MAX_FILES:,} files together; these are {runs:,} of {files:,}. "
            "Narrow the search, or let ids-data fetch them run by run."
        )


class RunsAreCold(Conflict):
    """409. Found out before anything is packed: in the middle of a ZIP it would only break off."""

    def __init__(self, runs: Sequence[Run]) -> None:
        names = ", ".join(run.run_id for run in runs[:MAX_NAMED])
        more = f" and {len(runs) - MAX_NAMED} more" if len(runs) > MAX_NAMED else ""
        super().__init__(
            f"Files of {names}{more} are in cold storage. Have them brought back on the pages of these runs first.",
            storage_class=str(StorageClass.COLD),
            runs=[f"{run.instrument_id}/{run.run_id}" for run in runs[:MAX_NAMED]],
        )


@dataclass(frozen=True)
class Bundle:
    """`runs` are described ones; `table` is the CSV of them, piece by piece."""

    runs: Sequence[Run]
    kind: ArchiveKind
    table: Iterable[bytes]
    at: datetime

    def pieces(self) -> Iterator[bytes]:
        """The ZIP. Raises TooMuchForOneZip, RunsAreCold at once.

        SourceChanged, StoreUnavailable come in the middle: a short ZIP has no end and opens nowhere.
        """
        self.refuse_too_much()
        self.refuse_cold()
        return self._write()

    def refuse_too_much(self) -> None:
        files = sum(run.file_count for run in self.runs)
        if len(self.runs) > MAX_RUNS or files > MAX_FILES:
            raise TooMuchForOneZip(runs=len(self.runs), files=files)

    def refuse_cold(self) -> None:
        """One query over an index of cold files alone."""
        cold = File.objects.cold().active().filter(run__in=[run.pk for run in self.runs])
        found = set(cold.values_list("run", flat=True).distinct())
        if found:
            raise RunsAreCold([run for run in self.runs if run.pk in found])

    def _write(self) -> Iterator[bytes]:
        sink = PieceSink()
        output = ZipOutput(cast(Sink, sink), progress=lambda: None)
        folders = name_folders(self.runs)
        with zipfile.ZipFile(cast(Any, output), "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for _ in self._write_entries(archive, output, folders):
                if sink.size >= SENT_AT_ONCE:
                    yield sink.take()
        yield sink.take()

    def _write_entries(self, archive: zipfile.ZipFile, output: ZipOutput, folders: Sequence[str]) -> Iterator[None]:
        with archive.open(build_entry(TABLE, moment=self.at), "w", force_zip64=True) as target:
            for piece in self.table:
                target.write(piece)
                yield
        if self.kind == ArchiveKind.CRATE:
            content = describe_crates(self.runs, folders, at=self.at)
            archive.writestr(build_entry(CRATE_METADATA, moment=self.at), content)
        for run, folder in zip(self.runs, folders, strict=True):
            yield from self._write_run(archive, output, run, folder)

    def _write_run(self, archive: zipfile.ZipFile, output: ZipOutput, run: Run, folder: str) -> Iterator[None]:
        job = ArchiveJob(run=run, kind=self.kind, file_ids=list_stored_ids(run), created_at=self.at)
        store, packed = object_store(), []
        for member in list_members(job):
            placed = replace(member, path=f"{folder}/{member.path}")
            done = yield from write_in_steps(archive, output, placed, store=store, moment=self.at)
            packed.append(replace(done, path=member.path))
        for name, content in describe_contents(job, run, packed):
            archive.writestr(build_entry(f"{folder}/{name}", moment=self.at), content)
            yield


class PieceSink:
    """What zipfile wrote since it was last taken."""

    def __init__(self) -> None:
        self.size = 0
        self._parts: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview, *, crc32: int | None = None) -> None:
        self._parts.append(bytes(data))  # the buffer is used again
        self.size += len(data)

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts, self.size = [], 0
        return taken


def name_folders(runs: Iterable[Run]) -> list[str]:
    """`instrument/run` for each, in their order: safe to extract, and no two one to a file system."""
    folders, taken = [], set[str]()
    for run in runs:
        folder = f"{run.instrument_id}/{safe_segment(run.run_id)}"
        if fold_name(folder) in taken:
            folder = f"{run.instrument_id}/{safe_segment(run.run_id)[:100]}_{run.pk}"
        taken.add(fold_name(folder))
        folders.append(folder)
    return folders


def describe_crates(runs: Sequence[Run], folders: Sequence[str], *, at: datetime) -> bytes:
    """The crate of crates: each folder a Dataset that is an RO-Crate itself, described by the file in it."""
    crates = [_describe_nested(run, folder) for run, folder in zip(runs, folders, strict=True)]
    graph: list[dict[str, Any]] = [
        {
            "@id": CRATE_METADATA,
            "@type": "CreativeWork",
            "conformsTo": {"@id": SPECIFICATION},
            "about": {"@id": "./"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": f"{len(runs)} runs",
            "description": "Runs of an Instrument Data Service, an RO-Crate each, and a table of them.",
            "datePublished": format_timestamp(at),
            "license": LICENSE,
            "hasPart": [{"@id": TABLE}, *({"@id": one["@id"]} for one in crates)],
        },
        {"@id": TABLE, "@type": "File", "encodingFormat": "text/csv", "name": "The runs as a table"},
        *crates,
        *({**one["subjectOf"], "@type": "CreativeWork", "encodingFormat": "application/ld+json"} for one in crates),
    ]
    return json.dumps({"@context": CONTEXT, "@graph": graph}, ensure_ascii=False, indent=1).encode()


def _describe_nested(run: Run, folder: str) -> dict[str, Any]:
    return {
        "@id": f"{entity_id(folder)}/",
        "@type": "Dataset",
        "name": run.run_id,
        "identifier": str(run.pk),
        "conformsTo": {"@id": CRATES},
        "subjectOf": {"@id": f"{entity_id(folder)}/{CRATE_METADATA}"},
    }
