# Made by client/make_sync.py from _sync/lab.py: change that one.
"""One laboratory: where everything begins."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from instrument_data._sync.changes import OnPosition, read_changes, read_position, watch_changes
from instrument_data._sync.runs import Run, Runs, new_run, run_path
from instrument_data._sync.session import Session
from instrument_data._sync.uploads import KNOWN, UPLOADED, Uploader
from instrument_data._sync.waiting import in_thread
from instrument_data.crates import open_crate
from instrument_data.errors import InstrumentDataError, NothingToSend, UploadFailed
from instrument_data.filters import Params, Several, read_filters, several
from instrument_data.html import facts
from instrument_data.local_files import LocalFile, UploadReport, list_files
from instrument_data.progress import Bar, bar_for
from instrument_data.records import Change
from instrument_data.times import When, moment_text


class Lab(Session):
    """A service and who asks it. Made by `connect`; a context manager that closes its connections."""

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- finding ---

    def runs(
        self,
        *,
        instrument: Several = None,
        since: When | None = None,
        until: When | None = None,
        search: str | None = None,
        words: str | None = None,
        status: Several = None,
        ran_by: str | None = None,
        tag: Several = None,
        project: str | None = None,
        source: str | None = None,
        updated_since: When | None = None,
        include_deleted: bool = False,
        sort: str | None = None,
        order: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        **also: Any,
    ) -> Runs:
        """What these filters find, all of them ANDed; nothing is asked before it is looked at.

        `instrument` and `project` are ids or names. `since` and `until` are days, datetimes or words ("last week"), on
        the time of acquisition. `search` is a part of the run's name, `words` occur anywhere in what is known of it.
        Any other keyword is metadata: `plate_id="P7"`, `temperature__gt=37` (gt, ge, lt, le, ne, contains, exists);
        `metadata={"Plate ID": "P7"}` takes keys that are no Python names. Raises ValueError for a time it cannot read.
        """
        filters = read_filters(
            instrument=instrument,
            since=since,
            until=until,
            search=search,
            words=words,
            status=status,
            ran_by=ran_by,
            tag=tag,
            project=project,
            source=source,
            updated_since=updated_since,
            include_deleted=include_deleted,
            sort=sort,
            order=order,
            metadata=metadata,
            also=also,
        )
        return Runs(self, filters)

    def run(self, instrument: str, run_id: str) -> Run:
        """One run by its name. Raises NotFound, UnknownName."""
        path = run_path(self.find_instrument_id(instrument), run_id)
        return Run(self, self.connection.ask("GET", path))

    def filter_options(self, instrument: str) -> dict[str, list[dict[str, Any]]]:
        """The metadata keys and values seen on the instrument's runs: {key: [{value, run_count}]}."""
        instrument_id = self.find_instrument_id(instrument)
        answer = self.connection.ask("GET", f"/instruments/{instrument_id}/filter-options")
        return answer["data"]

    # --- sending ---

    def upload(
        self,
        source: str | bytes | Path,
        *,
        instrument: str,
        run: str,
        metadata: Mapping[str, Any] | None = None,
        acquired_at: When | None = None,
        parallel: int = 4,
        new_version: bool = False,
        part_size: int | None = None,
        progress: bool | Bar | None = None,
    ) -> UploadReport:
        """Bring a file, or all files below a folder, into a run, which is made if it is not there.

        Calling it again after any failure sends only what is missing; stored bytes are never replaced: other bytes
        under a known path fail, or become its next version with `new_version`. Large files go in parts, of `part_size`
        bytes where that is given. Raises UploadFailed once everything else was sent, FileNotFoundError, NothingToSend,
        ServiceError.
        """
        if parallel < 1:
            raise ValueError("parallel is how many files go at a time: 1 or more.")
        files = list_files(source)
        if not files:
            raise NothingToSend(f"There is no file in {os.fsdecode(source)}: nothing was sent, and no run was made.")
        at = None if acquired_at is None else moment_text(acquired_at)
        made = self._report_run(instrument, new_run(run, metadata, at))
        return self._send(
            files, made, parallel=parallel, new_version=new_version, part_size=part_size, progress=progress
        )

    def import_crate(
        self,
        source: str | Path,
        *,
        instrument: str | None = None,
        run: str | None = None,
        parallel: int = 4,
        progress: bool | Bar | None = None,
    ) -> UploadReport:
        """Bring a run back from an RO-Crate of a service such as this: a ZIP, or the folder it was unpacked into.

        The instrument must be there; `instrument` and `run` name others than the crate does. Every file is compared
        with the SHA-256 in the crate before anything is sent; what the service has already is told as `known`, and what
        reading made of the files is made again by the service. Raises NotACrate, ChecksumMismatch, UploadFailed.
        """
        with ExitStack() as stack:
            crate, files = in_thread(stack.enter_context, open_crate(source))
            body = new_run(run or crate.run_id, crate.metadata, crate.acquired_at)
            made = self._report_run(instrument or crate.instrument_id, body)
            made.tag(*(tag for tag in crate.tags if tag not in made.tags))
            return self._send(files, made, parallel=parallel, new_version=False, part_size=None, progress=progress)

    def _send(
        self,
        files: Sequence[LocalFile],
        made: Run,
        *,
        parallel: int,
        new_version: bool,
        part_size: int | None,
        progress: bool | Bar | None,
    ) -> UploadReport:
        report, bar = UploadReport(made), bar_for(progress)
        uploader = Uploader(
            self.connection,
            made.path,
            notes=self.cache.root / "uploads",
            bar=bar,
            new_version=new_version,
            part_size=part_size,
        )
        bar.start(f"{len(files)} files", sum(file.size for file in files))
        try:
            for outcome in uploader.send_all(files, parallel=parallel):
                if outcome.state == UPLOADED:
                    report.uploaded.append(outcome.file.name)
                elif outcome.state == KNOWN:
                    report.known.append(outcome.file.name)
                else:
                    report.failed[outcome.file.name] = outcome.reason
        finally:
            bar.stop()
        with suppress(InstrumentDataError):  # the files are there, whatever becomes of this question
            report.run = made.refresh()
        if report.failed:
            raise UploadFailed(report)
        return report

    def _report_run(self, instrument: str, body: dict[str, Any]) -> Run:
        path = f"/instruments/{self.find_instrument_id(instrument)}/runs"
        return Run(self, self.connection.ask("POST", path, body=body))

    # --- following ---

    def changes(
        self,
        after: int | str | None = None,
        *,
        types: Several = None,
        instrument: str | None = None,
        on_position: OnPosition | None = None,
    ) -> Iterator[Change]:
        """What happened after a position (else all that is kept, 30 days), up to now, each once and in order.

        `on_position` is called with how far the log was read where nothing in it was asked for: a position to go on at,
        as that of each change is.
        """
        params = self._change_params(types, instrument)
        place = None if after is None else str(after)
        for change in read_changes(self.connection, params, place, on_position=on_position):
            yield change

    def position(self) -> str:
        """Where the log of changes ends now: what happens from here on is behind it."""
        return read_position(self.connection)

    def watch(
        self,
        after: int | str | None = None,
        *,
        types: Several = None,
        instrument: str | None = None,
        poll: float | None = None,
        on_position: OnPosition | None = None,
    ) -> Iterator[Change]:
        """What happens from now on (or after a position), as it happens and without end, across broken connections.

        `on_position` is as in `changes`: who listens for what seldom happens goes on there before it is forgotten.
        """
        params = self._change_params(types, instrument)
        place = None if after is None else str(after)
        for change in watch_changes(self.connection, params, place, poll=poll, on_position=on_position):
            yield change

    def _change_params(self, types: Several, instrument: str | None) -> Params:
        params = [("types", one) for one in several(types)]
        if instrument is not None:
            params.append(("instrument_id", self.find_instrument_id(instrument)))
        return params

    def __repr__(self) -> str:
        return f"<Lab {self.url}>"

    def _repr_html_(self) -> str:
        return facts("Instrument Data Service", [("address", self.url), ("cache", str(self.cache.root))])
