"""Thirty at once, with real threads, on the real database and the real store."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from files.models import File
from files.storage.interface import MIB
from runs.models import Run
from tests.clients import Api
from tests.factories import make_file, make_instrument, make_run, make_token_with_text
from tests.files.sending import announced, ask, complete, path_of, put, say_uploaded, send_parts, upload
from tests.races import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

AT_ONCE = 30
DATA = b"what the instrument wrote\n" * 100


def thirty(act: Callable[[Api, int], Any]) -> list[Any]:
    """Thirty callers of one token begin together; what each of them was answered."""
    token, text = make_token_with_text()
    return at_once(AT_ONCE, lambda number: act(Api(token=token, text=text), number))


def statuses(answers: list[Any]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


def test_one_path_is_one_record():
    run = make_run()

    answers = thirty(lambda api, number: api.post(f"{path_of(run)}/files", {"filename": "a.csv"}))

    assert statuses(answers) == {201: 1, 200: AT_ONCE - 1}
    assert len({answer.json()["id"] for answer in answers}) == 1
    run.refresh_from_db()
    assert run.file_count == 1


def test_one_file_has_one_place_where_its_bytes_go(local_service):
    run = make_run()

    answers = thirty(lambda api, number: api.post(f"{path_of(run)}/request-upload-url", announced(DATA)))

    assert statuses(answers) == {200: AT_ONCE}
    assert len({answer.json()["storage_key"] for answer in answers}) == 1
    assert File.objects.count() == 1


def test_one_large_file_has_one_open_upload(local_service, small_parts):
    run, data = make_run(), b"x" * (6 * MIB)

    answers = thirty(lambda api, number: api.post(f"{path_of(run)}/request-upload-url", announced(data)))

    assert statuses(answers) == {200: AT_ONCE}
    ids = {answer.json()["upload_id"] for answer in answers}
    assert len(ids) == 1
    assert [path.name for path in local_service.layout.uploads.iterdir()] == list(ids)


def test_the_same_new_bytes_are_one_version(local_service):
    run = make_run()
    upload(Api(text=make_token_with_text()[1]), run, DATA)
    body = announced(DATA + b"more", new_version=True)

    answers = thirty(lambda api, number: api.post(f"{path_of(run)}/request-upload-url", body))

    assert statuses(answers) == {200: AT_ONCE}
    assert len({answer.json()["storage_key"] for answer in answers}) == 1
    assert list(File.objects.order_by("version").values_list("relative_path", "version")) == [
        ("scan.raw", 1),
        ("scan~2.raw", 2),
    ]


def test_other_new_bytes_at_once_wait_as_one_version(local_service):
    run = make_run()
    upload(Api(text=make_token_with_text()[1]), run, DATA)

    def ask_for_another(api: Api, number: int) -> Any:
        body = announced(DATA + bytes([number]), new_version=True)
        return api.post(f"{path_of(run)}/request-upload-url", body)

    answers = thirty(ask_for_another)

    assert statuses(answers) == {200: AT_ONCE}
    waiting = File.objects.get(version=2)
    assert waiting.storage_key in {answer.json()["storage_key"] for answer in answers}
    assert File.objects.count() == 2


def test_many_may_report_one_run_and_the_same_files():
    instrument = make_instrument()
    files = [{"filename": f"{number}.csv", "relative_path": f"{number}.csv"} for number in range(100)]

    def report(api: Api, number: int) -> Any:
        mixed = files[number:] + files[:number]
        return api.post(f"/api/v1/instruments/{instrument.pk}/runs", {"run_id": "r", "detected_files": mixed})

    answers = thirty(report)

    assert statuses(answers) == {201: 1, 200: AT_ONCE - 1}
    assert Run.objects.get().file_count == 100


def test_many_may_say_that_one_file_is_uploaded(local_service):
    run, api = make_run(), Api(text=make_token_with_text()[1])
    ticket = ask(api, run, DATA)
    put(ticket, DATA)

    answers = thirty(lambda api, number: say_uploaded(api, ticket["file_id"]))

    assert statuses(answers) == {200: AT_ONCE}
    assert len({answer.json()["uploaded_at"] for answer in answers}) == 1


def test_batches_that_overlap_are_one_record_and_one_confirmation_a_file(local_service):
    run = make_run()
    names = [f"{number}.raw" for number in range(10)]

    def send_batch(api: Api, number: int) -> Any:
        mixed = names[number % 10 :] + names[: number % 10]
        asked = api.post(f"{path_of(run)}/files:batch", {"files": [announced(DATA, name) for name in mixed]})
        tickets = [result["body"] for result in asked.json()["results"]]
        if number == 0:
            assert all(put(ticket, DATA).ok for ticket in tickets)
        ids = [ticket["file_id"] for ticket in tickets]
        api.patch(f"/api/v1/files/{ids[0]}", {"status": "uploaded"})
        return api.post(f"{path_of(run)}/files:confirm", {"file_ids": ids})

    answers = thirty(send_batch)

    found = Counter(result["status"] for answer in answers for result in answer.json()["results"])
    assert statuses(answers) == {200: AT_ONCE}
    assert set(found) <= {200, 409}  # whoever asks before the bytes are there hears so
    run.refresh_from_db()
    assert (run.file_count, run.n_uploaded) == (10, 10)
    assert File.objects.count() == 10


def test_many_may_complete_one_upload(local_service, small_parts):
    run, data = make_run(), b"x" * (6 * MIB)
    api = Api(text=make_token_with_text()[1])
    ticket = ask(api, run, data)
    sent = send_parts(api, ticket, data)

    answers = thirty(lambda api, number: complete(api, ticket, sent))

    assert statuses(answers) == {200: AT_ONCE}
    assert File.objects.get().status == "uploaded"


def test_changes_of_different_fields_all_survive():
    file = make_file("a.bin")
    changes = [{"metadata": {"a": 1}}, {"content_type": "text/csv"}, {"error_message": "x"}, {"size_bytes": 5}]

    answers = thirty(lambda api, number: api.patch(f"/api/v1/files/{file.pk}", changes[number % len(changes)]))

    assert statuses(answers) == {200: AT_ONCE}
    file.refresh_from_db()
    assert (file.caller_metadata, file.content_type, file.error_message, file.size_bytes) == (
        {"a": 1},
        "text/csv",
        "x",
        5,
    )


def test_a_run_is_deleted_or_takes_the_file_never_both():
    run = make_run()

    def delete_or_add(api: Api, number: int) -> Any:
        if number % 2:
            return api.delete(path_of(run))
        return api.post(f"{path_of(run)}/files", {"filename": f"{number}.csv"})

    answers = thirty(delete_or_add)

    added = [answer for answer in answers[::2] if answer.status_code == 201]
    assert set(statuses(answers)) <= {200, 201, 409}
    run.refresh_from_db()
    assert run.deleted_at is not None
    assert run.file_count == len(added) == File.objects.filter(run=run).count()


def test_queueing_and_dismissing_do_not_wait_in_a_circle():
    run = make_run()
    ids = [make_file(run=run).pk for _ in range(10)]

    def queue_or_dismiss(api: Api, number: int) -> Any:
        if number % 3:
            mixed = ids[number % 10 :] + ids[: number % 10]
            return api.post(f"{path_of(run)}/request-upload", {"file_ids": mixed})
        return api.delete(f"/api/v1/files/{ids[number % 10]}")

    answers = thirty(queue_or_dismiss)

    assert set(statuses(answers)) <= {200, 400}
    run.refresh_from_db()
    assert run.file_count == File.objects.active().count()
