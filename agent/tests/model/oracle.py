"""What must hold whenever all has come to rest: docs/agent.md, What it does with files."""

import hashlib
from collections import Counter

from agent.tests.model.machine import Machine
from agent.tests.model.pretend import Record
from instrument_watcher.config.model import Config, OnChange, UploadMode
from instrument_watcher.journal.rows import FileRow, FileState


class Oracle:
    """Raises AssertionError where something does not hold. A journal that was lost, or put back as it was earlier,
    knows nothing of what was renamed or told meanwhile."""

    def __init__(self, machine: Machine, config: Config) -> None:
        self._machine, self._world, self._pretend, self._config = machine, machine.world, machine.pretend, config
        self.is_journal_lost = self.is_journal_older = False

    def check_known(self) -> None:
        """Somebody can ask for whatever stands."""
        named = {record.path for record in self._pretend.records.values()}
        for path, data in self._world.standing().items():
            if self._is_only_told(path):
                continue
            assert path in named or self._records(data), f"nobody knows of {path}: {self._agent_row(path)}"

    def check(self) -> None:
        self._check_stored()
        self._check_standing()
        self._check_doubles()
        self._check_told()
        assert not self._machine.faults, self._machine.faults[0]

    def _check_stored(self) -> None:
        """Nothing is stored that never stood there, and under no other run."""
        pretend = self._pretend
        for record in pretend.stored():
            data, place = pretend.objects[record.key or ""], pretend.place_of(record)
            assert hashlib.sha256(data).hexdigest() == record.sha256, f"{record.path} is stored with another hash"
            assert {place, record.path} & self._world.stood[data], f"{record.path}: its bytes never stood there"
            assert record.run == place.split("/")[0], f"{record.path} is in {record.run}"

    def _check_standing(self) -> None:
        """Whatever stands is stored, by a name under which it stood. In manual mode an older journal does not know that
        names were taken since: what has one of these cannot be asked for."""
        if self.is_journal_older and self._config.upload_mode is UploadMode.MANUAL:
            return
        pretend = self._pretend
        dismissed = {pretend.place_of(record) for record in pretend.records.values() if record.deleted_at}
        for path, data in self._world.standing().items():
            row = self._agent_row(path)
            if self._is_only_told(path) or path in dismissed:
                continue
            places = {self._pretend.place_of(record) for record in self._records(data)}
            places |= {record.path for record in self._records(data)}
            assert places & self._world.stood[data], f"{path} is lost: {row}"
            assert row is not None, f"{path} is unknown"
            assert row.state is FileState.UPLOADED, f"{path} is {row.state.value}: {row}"
            assert row.sha256 == hashlib.sha256(data).hexdigest(), f"{path} is taken for another version"

    def _check_doubles(self) -> None:
        """What was only renamed is stored once, unless its new name had other bytes, of which it is a version then."""
        if self.is_journal_older or self.is_journal_lost:
            return
        bytes_at = Counter(path for paths in self._world.stood.values() for path in paths)
        for data in self._world.stood:
            if data and data not in self._world.copied:
                places = [self._pretend.place_of(record) for record in self._records(data)]
                fresh = [place for place in places if bytes_at[place] == 1]
                assert len(fresh) <= 1, f"stored twice: {places}"
                assert len(places) == len(set(places)), f"stored twice under one name: {places}"

    def _check_told(self) -> None:
        """Whatever the agent gave up, it said."""
        if self.is_journal_older or self.is_journal_lost:
            return
        agent = self._machine.agent
        assert agent is not None
        told = " ".join(event["message"] for event in self._pretend.events.values())
        for row in agent.parts.journal.files.below(""):
            is_given_up = row.state in (FileState.GONE, FileState.CHANGED)
            assert not is_given_up or f"{row.path}: " in told, f"nobody heard of {row.path}: {row.state}, {row.reason}"

    def _is_only_told(self, path: str) -> bool:
        """A change after its upload, where the configuration keeps the version that is stored."""
        row = self._agent_row(path)
        return row is not None and row.state is FileState.CHANGED and self._config.on_change is OnChange.IGNORE

    def _records(self, data: bytes) -> list[Record]:
        sha256 = hashlib.sha256(data).hexdigest()
        return [record for record in self._pretend.stored() if record.sha256 == sha256]

    def _agent_row(self, path: str) -> FileRow | None:
        assert self._machine.agent is not None
        return self._machine.agent.parts.journal.files.find(path)
