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
        self.is_journal_lost = self.is_journal_older = self.is_power_lost = False

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
            assert self._stood(data, {place, record.path}), f"{record.path}: its bytes never stood there"
            assert record.run == place.split("/")[0], f"{record.path} is in {record.run}"

    def _check_standing(self) -> None:
        """Whatever stands is stored, by a name under which it stood. In manual mode an older journal does not know that
        names were taken since: what has one of these cannot be asked for."""
        if (self.is_journal_older or self.is_power_lost) and self._config.upload_mode is UploadMode.MANUAL:
            return
        for path, data in self._world.standing().items():
            row = self._agent_row(path)
            if self._is_only_told(path) or self._is_dismissed(path, data):
                continue
            places = {self._pretend.place_of(record) for record in self._records(data)}
            places |= {record.path for record in self._records(data)}
            assert self._stood(data, places), f"{path} is lost: {row}"
            assert row is not None, f"{path} is unknown"
            assert row.state is FileState.UPLOADED, f"{path} is {row.state.value}: {row}"
            assert row.sha256 == hashlib.sha256(data).hexdigest(), f"{path} is taken for another version"

    def _check_doubles(self) -> None:
        """What was only renamed is stored once, unless its new name had other bytes, of which it is a version then."""
        if self.is_journal_older or self.is_journal_lost or self.is_power_lost:
            return
        bytes_at = Counter(path for paths in self._world.stood.values() for path in paths)
        for data in self._world.stood:
            if data and data not in self._world.copied:
                places = [self._pretend.place_of(record) for record in self._records(data)]
                fresh = [place for place in places if bytes_at[place] == 1]
                assert len(fresh) <= 1, f"stored twice: {places}"
                assert len(places) == len(set(places)), f"stored twice under one name: {places}"

    def _check_told(self) -> None:
        """Whatever the agent gave up, it said, or that there was no room for so many words."""
        agent = self._machine.agent
        assert agent is not None
        told = " ".join(event["message"] for event in self._pretend.events.values())
        if self.is_journal_older or self.is_journal_lost or "events were dropped" in told:
            return
        for row in agent.parts.journal.files.below(""):
            is_given_up = row.state in (FileState.GONE, FileState.CHANGED)
            assert not is_given_up or f"{row.path}: " in told, f"nobody heard of {row.path}: {row.state}, {row.reason}"

    def _is_dismissed(self, path: str, data: bytes) -> bool:
        """The file was, whatever it is now, or these bytes were."""
        sha256 = hashlib.sha256(data).hexdigest()
        records = [one for one in self._pretend.records.values() if one.deleted_at is not None]
        here = [one for one in records if self._pretend.place_of(one) == path]
        return any(one.version_of is None or one.sha256 == sha256 for one in here)

    def _stood(self, data: bytes, paths: set[str]) -> bool:
        """Whether these bytes stood at one of these paths."""
        return bool(set(map(self._key_of, paths)) & set(map(self._key_of, self._world.stood[data])))

    def _key_of(self, path: str) -> str:
        """The same for two spellings of one name where spelling does not count. A file that is called as the service
        calls versions of another is stored among these."""
        path = path.casefold() if self._world.ignores_case else path
        return path.replace("~2.csv", ".csv") if self._world.has_numbered_names else path

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
