"""Groups hold: who does not see an instrument changes nothing beneath it, by no route and no form."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from tests.group_lab import (
    BLIND,
    NIL,
    OURS,
    THEIRS,
    Answers,
    Lab,
    count_writes,
    fill,
    hold_minutes,
    is_beneath,
    list_pages,
    list_routes,
    refusal,
    send,
    send_form,
)

pytestmark = pytest.mark.django_db
API = "/api/v1"
RUN = "/instruments/<slug_id:instrument_id>/runs/<run_id:run_id>"
FILE, WATCHER = "/files/<file_id:file_id>", "/watchers/<id:watcher_id>"
NAMED, OF_RUN = {"relative_path": "a.csv", "filename": "a.csv"}, {"instrument_id": THEIRS.instrument}
CONFIG = {"config_yaml": "a: 1", "checksum": hashlib.sha256(b"a: 1").hexdigest()}
EVENT = {"event_type": "error", "timestamp": "2026-01-01T00:00:00Z", "message": "m"}
BODIES: dict[tuple[str, str], Any] = {  # what a route wants to have read before it looks for its row
    ("PATCH", "/instruments/<slug_id:instrument_id>"): {"display_name": "Mine"},
    ("PUT", "/instruments/<slug_id:instrument_id>/retention"): {"expire_raw_after_days": 1},
    ("POST", "/instruments/<slug_id:instrument_id>/runs"): {"run_id": "mine"},
    ("PATCH", "/groups/<id:group_id>"): {"name": "Mine"},
    ("PATCH", "/projects/<id:project_id>"): {"name": "Mine"},
    ("PUT", "/projects/<id:project_id>/hold"): {"reason": "Mine"},
    ("PATCH", "/archive-jobs/<id:job_id>"): {"status": "failed", "error_message": "e"},
    ("PATCH", RUN): {"metadata": {"a": 1}},
    ("PUT", f"{RUN}/hold"): {"reason": "Mine"},
    ("POST", f"{RUN}/signatures"): {"meaning": "reviewed", "password": "p"},
    ("POST", f"{RUN}/signatures/passkey-question"): {"meaning": "reviewed"},
    ("POST", f"{RUN}/signatures/<id:signature_id>/revoke"): {"reason": "Mine"},
    ("POST", f"{RUN}/comments"): {"body": "Mine"},
    ("PATCH", f"{RUN}/comments/<id:comment_id>"): {"body": "Mine"},
    ("POST", f"{RUN}/files"): NAMED,
    ("POST", f"{RUN}/files:batch"): {"files": [NAMED | {"size_bytes": 1}]},
    ("POST", f"{RUN}/files:confirm"): {"file_ids": [THEIRS.file]},
    ("POST", f"{RUN}/request-upload"): {"file_ids": [THEIRS.file]},
    ("POST", f"{RUN}/request-upload-url"): NAMED | {"size_bytes": 1},
    ("PATCH", FILE): {"metadata": {"a": 1}},
    ("DELETE", f"{FILE}/multipart-upload"): {"upload_id": "u"},
    ("POST", f"{FILE}/multipart-upload/part-urls"): {
        "upload_id": "u",
        "parts": [{"part_number": 1, "crc32": "00000000"}],
    },
    ("POST", f"{FILE}/multipart-upload/complete"): {"upload_id": "u", "parts": [{"part_number": 1, "etag": "e"}]},
    ("POST", f"{WATCHER}/heartbeat"): {"status": "watching"},
    ("POST", f"{WATCHER}/events"): {"events": [EVENT]},
    ("PUT", f"{WATCHER}/config"): CONFIG,
    ("PUT", f"{WATCHER}/wanted-config"): CONFIG,
}
THEIR_RUN = OF_RUN | {"run_id": THEIRS.run}
NAMING = [  # what writes beside a hidden instrument, and names what is beneath it
    ("POST", "/watchers/register", OF_RUN | {"hostname": "mine"}, 404),
    ("POST", "/notifications/dispatch", {"user_ids": [NIL], "message": "m", "run": THEIR_RUN}, 404),
    ("PATCH", fill(RUN, replace(OURS, run_name="failed")), {"project_id": str(THEIRS["project_id"])}, 400),
    ("PUT", "/settings/notifications", {"followed_instruments": [THEIRS.instrument]}, 400),
    ("POST", "/notification-rules", {"event": "run_failed", "instrument_id": THEIRS.instrument}, 400),
    ("POST", "/notification-rules", {"event": "run_failed", "project_id": str(THEIRS["project_id"])}, 400),
    ("POST", "/notifications/read", {"ids": [str(THEIRS["notification_id"])]}, 200),
]  # fmt: skip
FORMS = {  # what the forms of pages may name
    **{name: str(value) for name, value in THEIRS.path_values.items()},
    "instrument": THEIRS.instrument, "run": f"{THEIRS.instrument}/{THEIRS.run}", "follow": THEIRS.instrument,
    "file": str(THEIRS.file), "watcher": str(THEIRS["watcher_id"]), "ids": str(THEIRS["notification_id"]),
    "query": f"instrument_id={THEIRS.instrument}", "name": "mine", "is_shared": "on", "is_default": "on", "tag": "mine",
    "body": "mine", "reason": "mine", "display_name": "Mine", "visibility": "everyone", "sure": "yes",
}  # fmt: skip
BUTTONS = ("", "delete", "restore", "claim", "reprocess", "tag", "project", "follow", "deactivate", "archive")
blind_callers = pytest.mark.parametrize("who", BLIND)


@pytest.fixture
def lab(db: None, monkeypatch: pytest.MonkeyPatch) -> Lab:
    hold_minutes(monkeypatch)
    return Lab()


@blind_callers
def test_no_route_changes_what_another_group_has(lab: Lab, who: str) -> None:
    lab.plant_theirs()
    api, caller, wrong = lab.api(who), lab.caller(who), []
    for method, path, access in list_routes("POST", "PUT", "PATCH", "DELETE"):
        if not is_beneath(path):
            continue
        expected, written = refusal(access, caller), count_writes()
        status, told = send(api, method, fill(path, THEIRS), BODIES.get((method, path.removeprefix(API)), {}))
        if (status, count_writes()) != (expected, written) or THEIRS.word in told:
            wrong.append(f"{method} {path}: {status}, not {expected}: {told[:300]}")

    assert not wrong, "\n".join(wrong)


@blind_callers
def test_who_names_what_another_group_has_is_answered_as_if_it_were_not(lab: Lab, who: str) -> None:
    api = lab.api(who)
    before = [send(api, method, f"{API}{path}", body) for method, path, body, _ in NAMING]
    lab.plant_theirs()
    written = count_writes()
    after = [send(api, method, f"{API}{path}", body) for method, path, body, _ in NAMING]

    assert after == before
    assert all(status in (401, wanted) for (status, _), (*_, wanted) in zip(after, NAMING, strict=True))
    assert count_writes() == written


@pytest.mark.parametrize("who", ["member", "manager"])
def test_no_form_finds_what_another_group_has(lab: Lab, who: str) -> None:
    """Each page, the selections with each button: the answer is that from before the other group had anything.

    Managers are asked where they may do more than members.
    """
    api = lab.api(who)
    pages = [path for _, path, access in list_pages() if who == "member" or access.or_manager or is_selection(path)]
    asked = [f"{fill(path, THEIRS)} {do}" for path in pages for do in (BUTTONS if is_selection(path) else BUTTONS[:2])]

    def ask(addresses: list[str]) -> Answers:
        parts = {address: address.rsplit(" ", 1) for address in addresses}
        return {address: send_form(api, path, FORMS | {"do": do}) for address, (path, do) in parts.items()}

    before = ask(asked)
    lab.plant_theirs()
    after = ask(asked)

    told = lab.find_differences(before, after, ask)
    assert not told, "\n".join(told)


def is_selection(path: str) -> bool:
    return path.endswith("/selection")
