"""What the agent and people do, through the routes."""

from random import Random
from typing import Any

from archives.building import build_next
from tests.factories import PASSWORD
from tests.files.sending import announced
from tests.model.world import PATHS, RUNS, Laboratory
from wire.clock import now


def send(lab: Laboratory, chance: Random) -> None:
    """Report the run, ask where, send, confirm; the answer to each may be asked for twice."""
    api, run = lab.script(), chance.choice(RUNS)
    path = lab.path(run)
    if not report(lab, run):
        return
    data = chance.choice(lab.contents)
    body = announced(data, chance.choice(PATHS), new_version=chance.random() < 0.3)
    ticket = lab.expect(api.post(f"{path}/request-upload-url", body), 200, 409)
    if ticket.status_code == 200:
        _deliver(lab, api, ticket.json(), data, chance, run=run)


def report(lab: Laboratory, run: str) -> bool:
    """Whether it is there, and not deleted."""
    answer = lab.script().post(lab.path(run).rpartition("/")[0], {"run_id": run})
    return bool(lab.expect(answer, 200, 201, 409).status_code != 409)


def _deliver(lab: Laboratory, api: Any, ticket: dict[str, Any], data: bytes, chance: Random, *, run: str) -> None:
    file_id = ticket["file_id"]
    if ticket["already_uploaded"]:
        lab.note_stored(file_id, data)
        return
    lab.put(ticket, data)
    for _ in range(chance.choice((1, 1, 2))):
        said = lab.expect(api.patch(f"/api/v1/files/{file_id}", {"status": "uploaded"}), 200, 404, 409)
        if said.status_code == 200:
            lab.note_told(said.json())


def send_batch(lab: Laboratory, chance: Random) -> None:
    api, run = lab.script(), chance.choice(RUNS)
    if not report(lab, run):
        return
    sent = {path: chance.choice(lab.contents) for path in chance.sample(PATHS, 2)}
    asked = api.post(f"{lab.path(run)}/files:batch", {"files": [announced(data, path) for path, data in sent.items()]})
    if lab.expect(asked, 200, 409).status_code == 409:
        return
    waiting = []
    for told, data in zip(asked.json()["results"], sent.values(), strict=True):
        if told["status"] != 200:
            continue
        ticket = told["body"]
        if ticket["already_uploaded"]:
            lab.note_stored(ticket["file_id"], data)
        else:
            lab.put(ticket, data)
            waiting.append(ticket["file_id"])
    if waiting:
        said = lab.expect(api.post(f"{lab.path(run)}/files:confirm", {"file_ids": waiting}), 200, 409)
        for told in said.json().get("results", ()):
            if told["status"] == 200:
                lab.note_told(told["body"])


def delete_run(lab: Laboratory, chance: Random) -> None:
    run = chance.choice(RUNS)
    with lab.notes.writing(("deleted", run), True) as write:
        answer = lab.expect(lab.script().delete(lab.path(run)), 200, 404, 409)
        write.kept = answer.status_code == 200
    if answer.status_code == 200 and chance.random() < 0.5:
        restore_run(lab, chance, run=run)


def restore_run(lab: Laboratory, chance: Random, *, run: str = "") -> None:
    run = run or chance.choice(RUNS)
    with lab.notes.writing(("deleted", run), False) as write:
        write.kept = lab.expect(lab.script().post(f"{lab.path(run)}/restore"), 200, 404, 410).status_code == 200


def delete_file(lab: Laboratory, chance: Random) -> None:
    if file := lab.any_file(chance):
        lab.expect(lab.script().delete(f"/api/v1/files/{file.pk}"), 200, 409)


def hold(lab: Laboratory, chance: Random) -> None:
    run = chance.choice(RUNS)
    with lab.notes.writing(("held", run), True) as write:
        answer = lab.expect(lab.admin_api().put(f"{lab.path(run)}/hold", {"reason": "Audit"}), 200, 404)
        write.kept = answer.status_code == 200
    if write.kept:
        lab.note_held(run, write)


def release(lab: Laboratory, chance: Random) -> None:
    run = chance.choice(RUNS)
    with lab.notes.writing(("held", run), False) as write:
        write.kept = lab.expect(lab.admin_api().delete(f"{lab.path(run)}/hold"), 200, 404).status_code == 200


def choose_project(lab: Laboratory, chance: Random) -> None:
    run, project = chance.choice(RUNS), chance.choice(lab.projects)
    with lab.notes.writing(("project", run), project.pk) as write:
        answer = lab.script().patch(lab.path(run), {"project_id": str(project.pk)})
        write.kept = lab.expect(answer, 200, 404, 409).status_code == 200


def count_up(lab: Laboratory, chance: Random) -> None:
    """One more, if nobody wrote meanwhile: none of those who were told that it is kept is overwritten."""
    run = chance.choice(RUNS)
    api = lab.script()
    seen = lab.expect(api.get(lab.path(run)), 200, 404)
    if seen.status_code == 404:
        return
    count = seen.json()["metadata"].get("count", 0)
    body = {"metadata_patch": {"count": count + 1}}
    with lab.notes.writing(("count", run), count + 1) as write:
        answer = lab.expect(api.patch(lab.path(run), body, If_Match=seen["ETag"]), 200, 404, 409, 412)
        write.kept = answer.status_code == 200


def sign(lab: Laboratory, chance: Random) -> None:
    run = chance.choice(RUNS)
    body = {"meaning": "reviewed", "password": PASSWORD}
    lab.expect(lab.admin_api().post(f"{lab.path(run)}/signatures", body), 201, 404, 409)


def claim(lab: Laboratory, chance: Random) -> None:
    run, claims = chance.choice(RUNS), chance.random() < 0.6
    with lab.notes.writing(("claimed", run), claims) as write:
        answer = lab.admin_api().send("PUT" if claims else "DELETE", f"{lab.path(run)}/attributions/me")
        write.kept = lab.expect(answer, 200, 404, 409).status_code == 200


def move_instrument(lab: Laboratory, chance: Random) -> None:
    body = {"visibility": chance.choice(["groups", "everyone"])}
    lab.expect(lab.admin_api().patch(f"/api/v1/instruments/{lab.ours.pk}", body), 200)


def move_group(lab: Laboratory, chance: Random) -> None:
    """The instrument is the other group's, too, or no more."""
    instruments = [lab.other.pk, lab.ours.pk] if chance.random() < 0.5 else [lab.other.pk]
    lab.expect(lab.admin_api().patch(f"/api/v1/groups/{lab.theirs.pk}", {"instrument_ids": instruments}), 200)


def follow(lab: Laboratory, chance: Random) -> None:
    """Read the log behind what was read before."""
    for _ in range(3):
        after = "" if lab.position is None else f"after={lab.position}&"
        began = lab.position
        read = lab.expect(lab.script().get(f"/api/v1/changes?{after}limit=5"), 200).json()
        if lab.position == began:  # else another follower has gone on
            lab.followed += [(one["position"], one["type"]) for one in read["data"]]
            lab.position = read["next"]


def pack(lab: Laboratory, chance: Random) -> None:
    lab.expect(lab.script().get(f"{lab.path(chance.choice(RUNS))}/download-archive"), 202, 302, 404, 409, 410)
    if chance.random() < 0.5:
        build_next(clock=now)


def bring_back(lab: Laboratory, chance: Random) -> None:
    lab.expect(lab.script().post(f"{lab.path(chance.choice(RUNS))}/files:restore"), 200, 202, 404, 409, 410)


ACTS = {
    send: 10, send_batch: 4, delete_run: 4, restore_run: 3, delete_file: 1, hold: 2, release: 2, choose_project: 2,
    count_up: 4, sign: 1, claim: 2, move_instrument: 1, move_group: 1, follow: 2, pack: 2, bring_back: 1,
}  # fmt: skip
