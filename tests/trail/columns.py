"""Every model that has a trail: how to make one, changes to its columns, and the columns that no caller can change."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import models

from accounts.models import Integration, Invitation, SecondFactor, Token, User
from changes.models import Webhook
from files.models import File
from instruments.groups.models import Group, GroupInstrument, Membership
from instruments.models import Instrument
from notifications.models import Follow, NotificationRule, Preference
from runs.eln.models import ElnTemplate
from runs.holds.models import Hold
from runs.models import Claim, Comment, Run, ShareLink
from runs.projects.models import Project
from runs.saved_views.models import SavedView
from runs.signatures.models import Signature
from tests.factories import (
    make_comment,
    make_enrolment_code,
    make_file,
    make_group,
    make_hold,
    make_instrument,
    make_project,
    make_release,
    make_run,
    make_share_link,
    make_signature,
    make_token,
    make_user,
    make_view,
    make_wanted_config,
    make_watcher,
)
from watchers.models import EnrolmentCode, WantedConfig, Watcher, WatcherRelease
from wire.clock import now
from wire.ids import new_id

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Subject:
    make: Callable[[], models.Model]
    moves: Callable[[], Sequence[Values]]  # each is one UPDATE; values that constraints tie together go together
    unkept: frozenset[str]


def subject(make: Callable[[], models.Model], moves: Callable[[], Sequence[Values]], *unkept: str) -> Subject:
    return Subject(make, moves, frozenset(unkept))


def make_integration() -> Integration:
    return Integration.objects.create(kind="tracker", base_url="https://a.example", target="lab/a", sealed_secret="s")


def make_webhook() -> Webhook:
    return Webhook.objects.create(url="https://a.example", sealed_secret="s")


def make_claim() -> Claim:
    return Claim.objects.create(run=make_run(), user=make_user())


def make_follow() -> Follow:
    return Follow.objects.create(user=make_user(), instrument=make_instrument())


def make_preference() -> Preference:
    return Preference.objects.create(user=make_user(), kind="comment", in_app=True, chat=False)


def one_by_one(**values: Any) -> list[Values]:
    return [{name: value} for name, value in values.items()]


SUBJECTS: Mapping[type[models.Model], Subject] = {
    User: subject(
        make_user,
        lambda: one_by_one(
            email="new@lab.example",
            display_name="Ada",
            is_admin=True,
            is_active=False,
            password="!",
        ),
        *("id", "last_login", "created_at", "time_zone", "tour_ended_at"),
    ),
    SecondFactor: subject(
        lambda: SecondFactor.objects.create(user=make_user(), type="totp", data={"secret": "s"}),
        lambda: one_by_one(user=make_user(), type="webauthn", data={"secret": "t"}),
        *("id", "created_at", "last_used_at"),
    ),
    Token: subject(
        make_token,
        lambda: one_by_one(
            name="other",
            scopes=["read"],
            instrument_ids=["cary-60"],
            created_by=make_user(),
            expires_at=now(),
            revoked_at=now(),
        ),
        *("id", "digest", "prefix", "created_at", "last_used_at"),
    ),
    Invitation: subject(
        lambda: Invitation.objects.create(email="a@lab.example", digest="1", invited_by=make_user(), expires_at=now()),
        lambda: one_by_one(
            email="b@lab.example",
            is_admin=True,
            group_ids=[uuid.uuid4()],
            invited_by=make_user(),
            expires_at=now() + timedelta(days=1),
            accepted_at=now(),
        ),
        *("id", "digest", "created_at"),
    ),
    EnrolmentCode: subject(
        make_enrolment_code,
        lambda: [
            *one_by_one(
                new_instrument_id="b", new_display_name="b", new_instrument_type="qpcr", created_by=make_user()
            ),
            {"expires_at": now() + timedelta(days=1)},
            {"used_at": now(), "watcher": make_watcher(), "hostname": "b", "instance_id": new_id()},
            {
                "instrument": make_instrument(),
                "new_instrument_id": None,
                "new_display_name": None,
                "new_instrument_type": None,
            },
        ],
        *("id", "digest", "created_at"),
    ),
    Webhook: subject(
        make_webhook,
        lambda: one_by_one(
            kind="chat",
            url="https://b.example",
            description="b",
            event_types=["run.created"],
            instrument_ids=["b"],
            is_active=False,
            sealed_secret="t",
        ),
        *("id", "disabled_reason", "former_sealed_secret", "former_until", "created_by", "created_at"),
        *("last_success_at", "failing_since", "failures", "due_at", "is_slow", "lease_id", "lease_until"),
    ),
    Integration: subject(
        make_integration,
        lambda: one_by_one(base_url="https://b.example", target="lab/b", sealed_secret="t"),
        *("kind", "changed_by", "changed_at", "last_ok_at", "last_error_at", "last_error"),
    ),
    Instrument: subject(
        make_instrument,
        lambda: one_by_one(
            display_name="b",
            status="inactive",
            instrument_type="qpcr",
            time_zone="Europe/Berlin",
            expect_files_every_hours=24,
            visibility="groups",
            purge_deleted_after_days=1,
            expire_raw_after_days=1,
            expire_processed_after_days=1,
            expire_archives_after_days=1,
            cold_raw_after_days=1,
        ),
        *("id", "run_count", "created_at", "updated_at"),
    ),
    Watcher: subject(
        make_watcher,
        lambda: [
            {"config_yaml": "a: 1", "config_checksum": "a" * 64, "config_updated_at": now()},
            *one_by_one(
                token=make_token(),
                hostname="b",
                os_info="b",
                agent_version="2",
                channel="beta",
                status="stopped",
                upload_mode="manual",
                watch_directory="/b",
                file_patterns=["*.b"],
                instance_id=uuid.uuid4(),
                folder_state="watching",
                deleted_at=now(),
            ),
        ],
        *("id", "instrument", "last_heartbeat_at", "offline_announced_at", "config_updated_at"),
        *("created_at", "updated_at", "other_instance_id", "instance_conflict_at", "folder_away_since"),
        *("folder_away_announced_at", "folder_last_scan_at", "folder_last_file_at", "folder_files_waiting"),
        *("folder_bytes_waiting", "no_files_announced_at"),
    ),
    WantedConfig: subject(
        make_wanted_config,
        lambda: [
            {"config_yaml": "a: 2", "config_checksum": "b" * 64},
            {"state": "refused", "settled_at": now(), "refusal": "no such folder"},
        ],
        *("watcher", "updated_at", "settled_at", "taken_checksum"),
    ),
    WatcherRelease: subject(
        make_release,
        lambda: [
            *one_by_one(channel="beta", version="3.0.0", min_supported_version="1.0.0", mandatory=True, notes="b"),
            *one_by_one(wave_percent=10, withdrawn_at=now()),
            {"sha256": "0" * 64, "size_bytes": 1, "signature": "AA=="},
            {"published_at": None, "withdrawn_at": None},
        ],
        *("id", "created_at"),
    ),
    Project: subject(
        make_project,
        lambda: one_by_one(
            name="b",
            description="c",
            link="https://a.example",
            archived_at=now(),
            eln_template="https://a.example/{sample}",
        ),
        *("id", "created_at"),
    ),
    Group: subject(make_group, lambda: one_by_one(name="b", claimed_as="c"), *("id", "created_at")),
    Membership: subject(
        lambda: Membership.objects.create(group=make_group(), person=make_user()),
        lambda: one_by_one(group=make_group(), person=make_user(), role="manager"),
        *("id", "is_claimed"),
    ),
    GroupInstrument: subject(
        lambda: GroupInstrument.objects.create(group=make_group(), instrument=make_instrument()),
        lambda: one_by_one(group=make_group(), instrument=make_instrument()),
        "id",
    ),
    Hold: subject(
        make_hold,
        lambda: [
            {"run": make_run()},
            {"run": None, "project": make_project()},
            *one_by_one(reason="b", placed_by=make_user()),
        ],
        *("id", "placed_at"),
    ),
    ShareLink: subject(
        make_share_link,
        lambda: [
            *one_by_one(made_by=make_user(), expires_at=now() + timedelta(days=2)),
            {"made_by": None, "made_by_token": make_token()},
            {"revoked_at": now(), "revoked_by": make_user()},
            {"revoked_by": None, "revoked_by_token": make_token()},
        ],
        *("id", "run", "digest", "created_at", "open_count", "last_opened_at"),
    ),
    Signature: subject(
        make_signature,
        lambda: [
            *one_by_one(meaning="approved", signer=make_user(), printed_name="b", proven_by="passkey", digest="1" * 64),
            {"revoked_at": now(), "revoked_by": make_user(), "revocation_reason": "Wrong run"},
        ],
        *("id", "run", "signed_at"),
    ),
    SavedView: subject(
        make_view,
        lambda: one_by_one(
            owner=make_user(), name="b", query="status=stalled", is_shared=True, instrument=make_instrument()
        ),
        *("id", "created_at"),
    ),
    Run: subject(
        make_run,
        lambda: [
            {"deleted_at": now(), "deleted_by": make_user()},
            {"deleted_by": None, "deleted_by_token": make_token()},
            *one_by_one(
                run_id="b", source="worker", watcher=make_watcher(), acquired_at=now(), caller_metadata={"b": 1}
            ),
            *one_by_one(tags=["qc"], project=make_project(), purged_at=now()),
        ],
        *("id", "instrument", "extracted", "metadata", "terms", "search_key", "happened_at", "created_at"),
        *("updated_at", "file_count", "total_size_bytes", "n_failed", "n_pending", "n_uploaded", "n_processing"),
        *("n_completed", "processing_since", "comment_count", "claim_count", "status", "size_class"),
    ),
    Claim: subject(make_claim, lambda: one_by_one(user=make_user()), *("id", "run", "claimed_at")),
    Comment: subject(
        make_comment,
        lambda: one_by_one(body="b", deleted_at=now()),
        *("id", "run", "user", "token", "created_at", "edited_at"),
    ),
    File: subject(
        lambda: make_file("a.csv"),
        lambda: [
            {"status": "upload_requested", "upload_requested_at": now()},
            *one_by_one(
                relative_path="b/a.csv",
                category="processed",
                content_type="text/csv",
                size_bytes=5,
                sha256="a" * 64,
                crc32="b" * 8,
                error_message="b",
                file_created_at=now(),
                deleted_at=now(),
                caller_metadata={"b": 1},
            ),
            {"status": "uploaded", "uploaded_at": now(), "storage_bucket": "b", "storage_key": "b"},
            {"category": "raw", "deleted_at": None, "storage_class": "cold", "restore_requested_at": now()},
            {"restore_requested_at": None, "purged_at": now(), "purged_by_rule": "expire_processed_after_days"},
        ],
        *("id", "run", "filename", "natural_key", "report_kind", "storage_bucket", "storage_key", "key_nonce"),
        *("multipart_upload_id", "part_size", "extracted", "metadata", "source_file", "version", "version_of"),
        *("detected_at", "upload_requested_at", "uploaded_at", "processing_since", "processed_at", "created_at"),
        "hot_until",
    ),
    Preference: subject(
        make_preference,
        lambda: one_by_one(user=make_user(), kind="run_failed", in_app=False, chat=True, email=True, email_daily=True),
        "id",
    ),
    NotificationRule: subject(
        lambda: NotificationRule.objects.create(user=make_user(), event="comment"),
        lambda: [
            {"whose": "person", "person": make_user()},
            *one_by_one(
                user=make_user(),
                event="run_failed",
                instrument=make_instrument(),
                project=make_project(),
                tag="qc",
                email=True,
                in_app=False,
                paused_at=now(),
            ),
        ],
        *("id", "created_at"),
    ),
    ElnTemplate: subject(
        lambda: ElnTemplate.objects.create(template="https://a.example/{sample}"),
        lambda: one_by_one(template="https://b.example/{sample}", changed_by=make_user()),
        *("id", "changed_at"),
    ),
    Follow: subject(make_follow, lambda: one_by_one(user=make_user(), instrument=make_instrument()), "id"),
}
