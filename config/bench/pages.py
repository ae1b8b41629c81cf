"""What people open, as an admin sees it: server time of every page (dashboard.md), in-process."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from urllib.parse import quote, urlencode

from django.contrib.sessions.models import Session
from django.test import Client

from accounts.models import User
from config.bench.history import History
from config.bench.laboratory import Laboratory
from config.bench.measuring import Line, bounded, milliseconds

LIMIT = 150
GALLERY = (
    *("/", "/runs", "/instruments", "/watchers", "/watchers/connect", "/search?q=rare_", "/inbox", "/downloads"),
    *("/settings/profile", "/settings/notifications", "/settings/ai-clients", "/settings/tokens", "/settings/members"),
    *("/settings/integrations", "/settings/watcher-releases", "/settings/feedback", "/feedback"),
    *("/admin/", "/admin/runs/run/", "/admin/files/file/", "/admin/instruments/instrument/"),
    *("/admin/watchers/watcher/", "/admin/runs/claim/", "/admin/accounts/token/"),
)


def pages(lab: Laboratory, history: History) -> Iterator[Line]:
    """Default views, and the run list with filters of up to 20,000 matches."""
    with _admin() as client:
        for name, path in (dict(zip(GALLERY, GALLERY, strict=True)) | _of_records(lab) | _filtered(lab)).items():
            yield bounded("page", name, milliseconds(partial(_open, client, path)), at_most=LIMIT)


def _of_records(lab: Laboratory) -> dict[str, str]:
    largest = lab.largest_run
    run = f"/instruments/{largest.instrument_id}/runs/{quote(largest.run_id, safe='')}"
    return {
        "run of 100,000 files": run,
        "its history": f"{run}/history",
        "its files": f"{run}/files",
        "largest instrument": f"/instruments/{lab.largest_instrument}",
        "usual instrument": f"/instruments/{lab.usual_instrument}",
        "watcher": f"/watchers/{lab.watcher.pk}",
    }


def _filtered(lab: Laboratory) -> dict[str, str]:
    somebody, largest = str(lab.people[len(lab.people) // 2]), lab.largest_instrument
    queries = {
        "rare text": {"search": "rare_"},
        "text of 1 %": {"search": "project-42_"},
        "rare term": {"metadata.batch": f"B-{lab.runs // 6}"},
        "failed": {"status": "failed"},
        "stalled": {"status": "stalled"},
        "usual person": {"ranBy": somebody},
        "usual instrument": {"instrument_id": lab.usual_instrument},
        "instrument and failed": {"instrument_id": largest, "status": "failed"},
    }
    return {f"runs: {name}": f"/runs?{urlencode(query)}" for name, query in queries.items()}


def _open(client: Client, path: str) -> None:
    answer = client.get(path)
    if answer.status_code != 200:
        raise RuntimeError(f"{path} answered {answer.status_code}")


@contextmanager
def _admin() -> Iterator[Client]:
    """Somebody who is gone afterwards."""
    person = User.objects.create_user("bench@localhost.example", is_admin=True, is_staff=True, is_superuser=True)
    client = Client(SERVER_NAME="localhost")
    client.force_login(person)
    try:
        yield client
    finally:
        Session.objects.filter(session_key=client.session.session_key).delete()
        person.delete()
