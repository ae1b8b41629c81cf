"""The histories of runs and instruments over REST and on their pages."""

import pytest
from django.db import connection

from accounts.models import TrailDetachment
from accounts.trail.rows import find_trail_model
from files.models import File
from overview.history import RUN_KINDS, list_newest_rows
from runs.models import Claim, Run
from tests.factories import make_comment, make_file, make_instrument, make_run, make_token, make_user, make_watcher
from wire.clock import now

pytestmark = pytest.mark.django_db
RUN = "/api/v1/instruments/cary-60/runs/plate-7"


def make_plate():
    return make_run(instrument=make_instrument(id="cary-60", display_name="Cary 60"), run_id="plate-7")


def history(api, path=RUN, **query):
    answer = api.get(f"{path}/history?{'&'.join(f'{name}={value}' for name, value in query.items())}")
    assert answer.status_code == 200, answer.content
    return answer.json()["data"]


def test_a_change_says_who_did_what_to_what(as_token):
    run, api = make_plate(), as_token(name="evaluation")
    api.patch(RUN, {"metadata": {"buffer": "PBS"}}, X_Request_ID="req-7")

    latest = history(api)[0]

    assert latest == {
        "id": find_trail_model(Run).objects.latest("pgh_id").pk,
        "at": latest["at"],
        "actor": {"kind": "token", "id": str(api.token.pk), "name": "evaluation", "on_behalf_of": None},
        "action": "changed",
        "object": {"kind": "run", "id": str(run.pk), "name": "plate-7"},
        "changes": {"metadata.buffer": [None, "PBS"]},
        "request_id": "req-7",
        "reason": None,
    }


def test_a_run_is_told_with_its_files_claims_and_comments_newest_first(as_token, as_person):
    run, api, person = make_plate(), as_token(), as_person(display_name="Inès Moreau")
    file = make_file("scan.csv", run=run)
    person.put(f"{RUN}/attributions/me")
    comment = person.post(f"{RUN}/comments", {"body": "Looks right."}).json()
    api.patch(f"/api/v1/files/{file.pk}", {"size_bytes": 5})
    api.delete(RUN)
    api.post(f"{RUN}/restore")
    make_file(run=make_run(instrument=run.instrument))

    told = [(row["action"], row["object"]["kind"], row["object"]["name"]) for row in history(api)]

    assert told == [
        ("restored", "run", "plate-7"),
        ("deleted", "run", "plate-7"),
        ("changed", "file", "scan.csv"),
        ("created", "comment", None),
        ("created", "claim", "Inès Moreau"),
        ("created", "file", "scan.csv"),
        ("created", "run", "plate-7"),
    ]
    assert history(api)[3]["object"]["id"] == comment["id"]


def test_it_comes_in_pages(as_token):
    run, api = make_plate(), as_token()
    for number in range(4):
        Run.objects.filter(pk=run.pk).update(caller_metadata={"n": number})

    answer = api.get(f"{RUN}/history?page=2&per_page=2").json()

    assert [row["changes"] for row in answer["data"]] == [{"metadata.n": [0, 1]}, {"metadata.n": [None, 0]}]
    assert answer["pagination"] == {"page": 2, "per_page": 2, "total": 5, "total_pages": 3}


def test_what_a_deleted_comment_said_is_not_told(as_token):
    run, api = make_plate(), as_token()
    kept = make_comment(run=run, body="The lamp was replaced.")
    comment = api.post(f"{RUN}/comments", {"body": "Ines did it"}).json()
    api.patch(f"{RUN}/comments/{comment['id']}", {"body": "Inès did it"})
    api.delete(f"{RUN}/comments/{comment['id']}")

    told = [(row["action"], row["object"]["id"], row["changes"].get("body")) for row in history(api)[:4]]

    gone = comment["id"]
    assert told[:3] == [("deleted", gone, None), ("changed", gone, None), ("created", gone, None)]
    assert told[3] == ("created", str(kept.pk), [None, "The lamp was replaced."])


def test_a_deleted_run_still_has_its_history(as_token):
    make_plate()
    api = as_token()
    api.delete(RUN)

    assert [row["action"] for row in history(api)] == ["deleted", "created"]


def test_an_instrument_is_told_with_its_watchers(as_admin, as_token):
    admin, api = as_admin(), as_token()
    watcher = make_watcher(instrument=make_plate().instrument, hostname="bench-7", token=make_token())
    admin.patch("/api/v1/instruments/cary-60", {"status": "inactive"})

    told = history(api, "/api/v1/instruments/cary-60")

    assert [(row["action"], row["object"]["kind"], row["object"]["name"], row["reason"]) for row in told] == [
        ("deleted", "watcher", "bench-7", "the instrument was deactivated"),
        ("changed", "instrument", "Cary 60", None),
        ("created", "watcher", "bench-7", None),
        ("created", "instrument", "Cary 60", None),
    ]
    assert told[0]["actor"]["id"] == str(admin.user.pk)
    assert told[0]["object"]["id"] == str(watcher.pk)


def test_its_watchers_are_left_out_for_who_may_not_read_watchers(as_token):
    make_watcher(instrument=make_instrument(id="cary-60"))

    told = history(as_token("instruments:read"), "/api/v1/instruments/cary-60")

    assert {row["object"]["kind"] for row in told} == {"instrument"}


@pytest.mark.parametrize("path", [RUN, "/api/v1/instruments/cary-60"])
def test_what_lies_outside_a_bound_token_has_no_history(as_token, path):
    make_plate()
    other = make_instrument()

    assert as_token(instrument_ids=[other.pk]).get(f"{path}/history").status_code == 404
    assert as_token(instrument_ids=["cary-60"]).get(f"{path}/history").status_code == 200


@pytest.mark.parametrize("query", ["page=0", "per_page=101", "page=x"])
def test_a_bad_page_is_refused(as_token, query):
    make_plate()

    assert as_token().get(f"{RUN}/history?{query}").status_code == 400


def test_a_history_asks_few_questions_however_long(as_token, django_assert_num_queries):
    run, api = make_plate(), as_token()
    for _ in range(20):
        make_file(run=run)
        make_comment(run=run)
    history(api)

    with django_assert_num_queries(11):
        assert len(history(api, per_page=100)) == 41


def test_it_walks_the_newest_end_of_each_index(django_assert_num_queries):
    run = make_plate()
    for _ in range(30):  # in a few rows any index finds one as fast
        other = make_run()
        make_file(run=other)
        make_comment(run=other)
        Claim.objects.create(run=other, user=make_user())
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        for way in ("seqscan", "bitmapscan", "sort"):
            cursor.execute(f"SET LOCAL enable_{way} = off")
    with django_assert_num_queries(1) as asked:
        list_newest_rows(RUN_KINDS, run.pk, start=0, stop=20)

    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + asked.captured_queries[0]["sql"])
        plan = "\n".join(line for (line,) in cursor.fetchall())

    month = f"{now():%Y%m}"
    columns = {"runs_run": "pgh_obj", "files_file": "run", "runs_claim": "run", "runs_comment": "run"}
    for table, column in columns.items():
        assert f"Index Scan using {table}trail_{month}_{column}_id_pgh_id_idx " in plan


def test_the_pages_tell_it(as_person, as_token):
    run, person = make_plate(), as_person(display_name="Inès Moreau")
    file = make_file("scan.csv", run=run)
    as_token(name="evaluation").patch(f"/api/v1/files/{file.pk}", {"size_bytes": 5})
    as_token(name="evaluation").patch("/api/v1/instruments/cary-60", {"display_name": "Cary <60>"})

    of_run = person.client.get("/instruments/cary-60/runs/plate-7/history").content.decode().replace("<wbr>", "")
    of_instrument = person.client.get("/instruments/cary-60/history").content.decode()
    page = person.client.get("/instruments/cary-60").content.decode()

    assert "evaluation changed scan.csv" in of_run
    assert "Size: 5 bytes" in of_run
    for shown in (of_instrument, page):
        assert "evaluation changed it" in shown
        assert "Name: Cary 60 → Cary &lt;60&gt;" in shown
    assert File.objects.get().size_bytes == 5


def test_the_pages_of_what_is_not_there_are_not_there(as_person):
    assert as_person().client.get("/instruments/cary-60/history").status_code == 404
    assert as_person().client.get("/instruments/cary-60/runs/plate-7/history").status_code == 404


def test_the_page_says_which_months_were_taken_out_of_the_trail(as_person):
    make_plate()
    seals = {"rows_count": 3, "first_id": 1, "last_id": 3, "file_sha256": bytes(32), "detached_at": now()}
    for kind, part in (("run", "202601"), ("file", "202601"), ("file", "before_202512")):
        TrailDetachment.objects.create(kind=kind, part=part, **seals)

    page = as_person().client.get("/instruments/cary-60/runs/plate-7/history").content.decode()

    assert "taken out of the trail and are not shown: 2026-01, before 2025-12." in " ".join(page.split())
