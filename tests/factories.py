"""What tests are about, built by name: `make_run(run_id="a")`. Everything a test does not name is unimportant to it."""

import hashlib
import secrets
import zlib
from collections.abc import Sequence
from datetime import timedelta
from io import BytesIO
from typing import Any

from accounts.models import Token, User
from accounts.scopes import Scope
from accounts.token_texts import generate_token_text, token_digest
from files.models import File, Thumbnail
from files.naming import natural_key
from files.status import set_report_kind
from files.storage import object_store
from instruments.groups.models import Group, GroupInstrument, Membership
from instruments.models import Instrument
from notifications.models import NotificationRule
from runs.holds.models import Hold
from runs.models import Comment, Run, ShareLink
from runs.projects.models import Project
from runs.saved_views.models import SavedView
from runs.signatures.models import Signature
from watchers.enrolment_codes import code_digest, generate_code
from watchers.models import EnrolmentCode, ReleaseInstaller, WantedConfig, Watcher, WatcherEvent, WatcherRelease
from wire.clock import now
from wire.ids import new_id

PASSWORD = "correct horse battery staple"


def make_user(email: str = "", **fields: Any) -> User:
    return User.objects.create_user(email or f"{secrets.token_hex(6)}@lab.example", PASSWORD, **fields)


def make_token(*scopes: str, **fields: Any) -> Token:
    return make_token_with_text(*scopes, **fields)[0]


def make_token_with_text(*scopes: str, **fields: Any) -> tuple[Token, str]:
    """Without scopes it holds all of them."""
    text = generate_token_text()
    values = {"name": "script", "scopes": list(scopes) or [str(scope) for scope in Scope]} | fields
    return Token.objects.create(digest=token_digest(text), prefix=text[:12], **values), text


def make_instrument(**fields: Any) -> Instrument:
    values = {
        "id": f"reader-{secrets.token_hex(4)}",
        "display_name": "Plate reader",
        "time_zone": "UTC",
        "status": "active",
    } | fields
    return Instrument.objects.create(**values)


def make_run(**fields: Any) -> Run:
    values = {"run_id": f"run-{secrets.token_hex(4)}"} | fields
    instrument = values.pop("instrument", None) or make_instrument()
    run = Run.objects.create(instrument=instrument, **values)
    run.refresh_from_db()
    return run


def make_file(filename: str = "", **fields: Any) -> File:
    """A detected file; with `uploaded_at` or a later status, one whose bytes are said to be in the store."""
    filename = filename or f"{secrets.token_hex(4)}.csv"
    run = fields.pop("run", None) or make_run()
    values = {"relative_path": filename, "natural_key": natural_key(filename)} | fields
    if values.get("status", "detected") not in ("detected", "upload_requested"):
        stored = {"uploaded_at": now(), "storage_bucket": "local", "storage_key": f"test/{secrets.token_hex(8)}"}
        values = stored | {"size_bytes": 1} | values
    if values.get("status") == "upload_requested":
        values = {"upload_requested_at": now()} | values
    if values.get("status") == "processing":
        values = {"processing_since": now()} | values
    if values.get("status") == "completed":
        values = {"processed_at": now()} | values
    file = File(run=run, filename=filename, **values)
    if "report_kind" not in values:
        set_report_kind(file)
    file.save()
    file.refresh_from_db()
    return file


def make_stored_file(filename: str = "", data: bytes = b"data", **fields: Any) -> File:
    """A file whose bytes really are in the object store."""
    key = f"test/{secrets.token_hex(8)}"
    object_store().put(key, BytesIO(data), size_bytes=len(data), content_type="application/octet-stream")
    known = {"crc32": f"{zlib.crc32(data):08x}", "sha256": hashlib.sha256(data).hexdigest()}
    stored = {"status": "uploaded", "storage_key": key, "size_bytes": len(data)}
    return make_file(filename, **(known | stored | fields))


def make_thumbnail(**fields: Any) -> Thumbnail:
    """Of an artefact of the run, a curve."""
    run = fields.pop("run", None) or make_run()
    made = {"category": "processed", "status": "completed", "extracted": {"kind": "curve"}}
    shown = make_file(f"{secrets.token_hex(4)}.json", run=run, content_type="application/json", **made)
    values = {"data": b"<svg/>", "digest": secrets.token_hex(8), "content_type": "image/svg+xml"} | fields
    return Thumbnail.objects.create(run=run, file=shown, storage_key=shown.storage_key or "", **values)


def make_group(*people: User, instruments: Sequence[Instrument] = (), **fields: Any) -> Group:
    """With these members, and these instruments."""
    group = Group.objects.create(**({"name": f"Group {secrets.token_hex(4)}"} | fields))
    for person in people:
        Membership.objects.create(group=group, person=person)
    for instrument in instruments:
        GroupInstrument.objects.create(group=group, instrument=instrument)
    return group


def make_hold(**fields: Any) -> Hold:
    on = {} if "run" in fields or "project" in fields else {"run": make_run()}
    return Hold.objects.create(**({"reason": "An audit", "placed_by": make_user()} | on | fields))


def make_share_link(**fields: Any) -> ShareLink:
    values: dict[str, Any] = {"digest": secrets.token_hex(32), "expires_at": now() + timedelta(days=14)} | fields
    run = values.pop("run", None) or make_run()
    if "made_by_token" not in values:
        values["made_by"] = values.get("made_by") or make_user()
    return ShareLink.objects.create(run=run, **values)


def make_signature(**fields: Any) -> Signature:
    values = {"meaning": "reviewed", "printed_name": "Ines Moreau", "digest": "0" * 64} | fields
    values.setdefault("run", None)
    values["run"] = values["run"] or make_run()
    signer = values.pop("signer", None) or make_user()
    return Signature.objects.create(signer=signer, **values)


def make_project(**fields: Any) -> Project:
    return Project.objects.create(**({"name": f"Project {secrets.token_hex(4)}"} | fields))


def make_view(**fields: Any) -> SavedView:
    values = {"name": f"View {secrets.token_hex(4)}", "query": "status=failed"} | fields
    owner = values.pop("owner", None) or make_user()
    return SavedView.objects.create(owner=owner, **values)


def make_rule(event: str = "run_failed", **fields: Any) -> NotificationRule:
    return NotificationRule.objects.create(event=event, user=fields.pop("user", None) or make_user(), **fields)


def make_comment(**fields: Any) -> Comment:
    run = fields.pop("run", None) or make_run()
    author = {} if {"user", "token"} & fields.keys() else {"user": make_user()}
    return Comment.objects.create(run=run, **({"body": "Looks right."} | author | fields))


def make_watcher(**fields: Any) -> Watcher:
    values = {"hostname": "bench-7"} | fields
    instrument = values.pop("instrument", None) or make_instrument()
    token = values.pop("token", None) or make_token()
    return Watcher.objects.create(instrument=instrument, token=token, **values)


def make_wanted_config(**fields: Any) -> WantedConfig:
    """Waiting to be taken."""
    watcher = fields.pop("watcher", None) or make_watcher()
    values = {"config_yaml": "a: 1", "config_checksum": "a" * 64}
    return WantedConfig.objects.create(watcher=watcher, **(values | fields))


def make_event(**fields: Any) -> WatcherEvent:
    watcher = fields.pop("watcher", None) or make_watcher()
    values = {"event_id": new_id(), "event_type": "error", "happened_at": now(), "received_at": now(), "message": "m"}
    return WatcherEvent.objects.create(watcher=watcher, **(values | fields))


def make_release(version: str = "2.0.0", **fields: Any) -> WatcherRelease:
    """Published, unless `published_at` is None."""
    return WatcherRelease.objects.create(version=version, **({"published_at": now()} | fields))


def make_installer(system: str = "deb", **fields: Any) -> ReleaseInstaller:
    """Of a release of its own unless one is named; nothing lies in the store."""
    values = {"filename": "instrument-watcher_2.0.0_amd64.deb", "size_bytes": 1, "sha256": "0" * 64} | fields
    values.setdefault("release", None)
    values["release"] = values["release"] or make_release()
    return ReleaseInstaller.objects.create(system=system, **values)


def make_enrolment_code(text: str = "", **fields: Any) -> EnrolmentCode:
    """Good for 15 minutes, for a new instrument unless one is named."""
    values = {"expires_at": now() + timedelta(minutes=15)} | fields
    maker = values.pop("created_by", None) or make_user(is_admin=True)
    return EnrolmentCode.objects.create(digest=code_digest(text or generate_code()), created_by=maker, **values)
