"""A laboratory with instruments, runs and projects of two groups; who acts there, and what they were told."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

from files.models import File
from files.storage import object_store
from files.storage.interface import ObjectExists, UploadMissing
from files.storage.local import LocalStore
from instruments.models import Instrument
from runs.models import Run
from tests.clients import Api
from tests.factories import make_group, make_instrument, make_project, make_token_with_text, make_user
from tests.model.notes import Notes, Write
from tests.model.stage import hear_answer
from tests.retention.lab import RULES
from wire.errors import ServiceError

DAYS = 30  # of every rule
ELSEWHERE = "r3"  # in the instrument without rules
RUNS = ("r1", "r2", ELSEWHERE)
FRESH = {"deleted": False, "held": False, "project": None, "count": 0, "claimed": False}  # of a run
PATHS = ("a.csv", "b.csv", "deep/c.raw")


class Broken(AssertionError):
    """An answer that no caller may get."""


@dataclass
class Laboratory:
    """`stored` is what was said to be stored: the SHA-256 by the file's id. `damaged` are files below `objects` that
    the disk changed; `copied` is what the replica was given: the SHA-256 by its file."""

    say: Callable[[str], None]
    objects: Path
    replica: Path
    notes: Notes = field(default_factory=Notes)
    stored: dict[int, str] = field(default_factory=dict)
    purged_when_held: dict[str, tuple[int, Write]] = field(default_factory=dict)
    followed: list[tuple[int, str]] = field(default_factory=list)
    position: int | None = None
    damaged: set[Path] = field(default_factory=set)
    copied: dict[Path, str] = field(default_factory=dict)

    def fill(self, chance: Random) -> None:
        self.admin, self.member, self.stranger = make_user(is_admin=True), make_user(), make_user()
        self.text = make_token_with_text()[1]
        rules = [rule for rule in RULES if chance.random() < 0.6]
        self.is_cold = chance.random() < 0.5
        cold = {"cold_raw_after_days": DAYS} if self.is_cold else {}
        self.ours = make_instrument(**dict.fromkeys(rules, DAYS), **cold)
        self.other = make_instrument()
        make_group(self.admin, self.member, instruments=[self.ours])
        self.theirs = make_group(self.stranger, instruments=[self.other])
        self.projects = [make_project(), make_project()]
        for run in RUNS:
            for name, value in FRESH.items():
                self.notes.begin_with((name, run), value)
        self.contents = [f"x,y\n1,{chance.random()}\n".encode() for _ in range(3)] + [b""]
        self.large = [chance.randbytes(70) for _ in range(2)]

    def script(self) -> Api:
        return Api(text=self.text)

    def admin_api(self) -> Api:
        return Api(user=self.admin)

    def note_held(self, run: str, write: Write) -> None:
        """Nothing of it goes from here on."""
        count = File.objects.filter(run__run_id=run, purged_at__isnull=False).count()
        self.purged_when_held[run] = count, write

    def home_of(self, run: str) -> Instrument:
        return self.other if run == ELSEWHERE else self.ours

    def path(self, run: str) -> str:
        return f"/api/v1/instruments/{self.home_of(run).pk}/runs/{run}"

    def find_run(self, run: str) -> Run | None:
        return Run.objects.filter(instrument=self.home_of(run), run_id=run).first()

    def expect(self, answer: Any, *statuses: int) -> Any:
        """The answer, if it is one of these."""
        hear_answer()
        if answer.status_code not in statuses:
            raise Broken(
                f"{answer.request['REQUEST_METHOD']} {answer.request['PATH_INFO']}: "
                f"{answer.status_code} {answer.content[:600]!r}"
            )
        return answer

    def any_file(self, chance: Random, **of: Any) -> File | None:
        found = list(File.objects.filter(**of).order_by("pk"))
        return chance.choice(found) if found else None

    def note_stored(self, file_id: int, data: bytes) -> None:
        self.stored[file_id] = hashlib.sha256(data).hexdigest()

    def note_told(self, record: dict[str, Any]) -> None:
        """The answer to a confirmation. It names the bytes that came first, which may be another sender's."""
        self.stored[record["id"]] = record["sha256"]

    def put(self, ticket: dict[str, Any], data: bytes) -> str | None:
        """As the store answers a signed PUT: the ETag, or None where it refuses."""
        store = object_store()
        assert isinstance(store, LocalStore)
        url = urlsplit(ticket["upload_url"])
        grant = store.signer.read(method="PUT", key=url.path.removeprefix("/objects/"), query=url.query)
        try:
            writer = store.open_writer(grant, len(data))
        except (ObjectExists, UploadMissing):
            return None
        try:
            writer.write(data)
            return writer.finish().etag
        except ServiceError:
            return None
        finally:
            writer.discard()
