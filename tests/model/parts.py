"""Files that go up in parts: sent, sent twice, put together twice, aborted, left half-way."""

from random import Random
from typing import Any

from tests.clients import Api
from tests.files.sending import abort, announced, complete, part_of, part_sums, part_urls
from tests.model.acts import report
from tests.model.world import PATHS, RUNS, Laboratory

PART_SIZE = 16
IN_PARTS_FROM = 40  # bytes


def choose_part_size(size_bytes: int, *, asked: int | None = None) -> int | None:
    """In place of the service's own: parts of some bytes, not of MiB."""
    return PART_SIZE if size_bytes >= IN_PARTS_FROM else None


def send_in_parts(lab: Laboratory, chance: Random) -> None:
    api, run = lab.script(), chance.choice(RUNS)
    if not report(lab, run):
        return
    data = chance.choice(lab.large)
    body = announced(data, chance.choice(PATHS), new_version=chance.random() < 0.3)
    asked = lab.expect(api.post(f"{lab.path(run)}/request-upload-url", body), 200, 409)
    if asked.status_code == 409:
        return
    ticket = asked.json()
    if ticket["already_uploaded"]:
        lab.note_stored(ticket["file_id"], data)
        return
    if (sent := _send_parts(lab, api, ticket, data, chance)) is None:
        return
    if chance.random() < 0.15:
        lab.expect(abort(api, ticket), 200, 204, 404, 409)
    for _ in range(chance.choice((1, 1, 2))):
        said = lab.expect(complete(api, ticket, sent), 200, 404, 409)
        if said.status_code == 200:
            lab.note_told(said.json())


def _send_parts(lab: Laboratory, api: Api, ticket: Any, data: bytes, chance: Random) -> list[dict[str, Any]] | None:
    """What is said of them at the end; None where it was left, or another upload has taken its place."""
    sent = []
    for part in part_sums(ticket, data):
        if chance.random() < 0.05:
            return None
        signed = lab.expect(part_urls(api, ticket, [part]), 200, 404, 409)
        if signed.status_code != 200:
            return None
        number = part["part_number"]
        etag = lab.put(signed.json()["parts"][0], part_of(ticket, data, number))
        if etag is None:
            return None
        sent.append({"part_number": number, "etag": etag})
    return sent
