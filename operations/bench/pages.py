"""What people open, as an admin sees it: server time of every page, in-process."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from urllib.parse import quote, urlencode

from django.test import Client

from accounts.models import User
from operations.bench.history import History
from operations.bench.laboratory import Laboratory
from operations.bench.measuring import ResultLine, build_limit_line, measure_median

LIMIT_MS = 150
PAGE_PATHS = (
    *("/", "/runs", "/instruments", "/watchers", "/watchers/connect", "/search?q=rare_", "/inbox", "/downloads"),
    *("/settings/profile", "/settings/notifications", "/settings/ai-clients", "/settings/tokens", "/settings/members"),
    *("/settings/integrations", "/settings/watcher-releases", "/settings/feedback", "/feedback"),
    *("/admin/", "/admin/runs/run/", "/admin/files/file/", "/admin/instruments/instrument/"),
    *("/admin/watchers/watcher/", "/admin/runs/claim/", "/admin/accounts/token/"),
)


def measure_pages(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """Default views, and the run list with filters of up to 20,000 matches."""
    with _sign_in_admin() as client:
        for name, path in (
            dict(zip(PAGE_PATHS, PAGE_PATHS, strict=True)) | _list_record_pages(lab) | _list_filtered_pages(lab)
        ).items():
            yield build_limit_line("page", name, measure_median(partial(open_page, client, path)), at_most=LIMIT_MS)


def _list_record_pages(lab: Laboratory) -> dict[str, str]:
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


def _list_filtered_pages(lab: Laboratory) -> dict[str, str]:
    somebody, largest = str(lab.claimants[len(lab.claimants) // 2]), lab.largest_instrument
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


def open_page(client: Client, path: str) -> None:
    answer = client.get(path)
    if answer.status_code != 200:
        raise RuntimeError(f"{path} answered {answer.status_code}")


@contextmanager
def _sign_in_admin() -> Iterator[Client]:
    """Somebody who is gone afterwards."""
    person = User.objects.create_user("bench@localhost.example", is_admin=True)
    client = Client(SERVER_NAME="localhost")
    client.force_login(person)
    try:
        yield client
    finally:
        client.logout()
        person.delete()
