"""Twins that come at once, and objects that are removed while others take them up; with real threads."""

from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.db import transaction

from files.models import File, SharableObject
from files.removing.lock import RemovalOnHold, hold_removals
from files.shared import objects as shared_objects
from files.shared.objects import decide_removal
from files.storage.orphans import sweep_orphans
from files.tasks import share_object
from tests.clients import Api
from tests.factories import make_run, make_token_with_text
from tests.files.sending import announced, ask, path_of, put, upload
from tests.races import at_once
from wire.clock import now

pytestmark = pytest.mark.django_db(transaction=True)

DATA = b"what the instrument wrote\n" * 10
AT_ONCE = 8
TOMORROW = timedelta(hours=25)


@pytest.fixture(autouse=True)
def deduplicate(settings):
    settings.DEDUPLICATE = True


@pytest.fixture
def api() -> Api:
    token, text = make_token_with_text()
    return Api(token=token, text=text)


def share_all() -> None:
    while SharableObject.objects.filter(verified_at=None).exists():
        share_object()


def let_go_of_object(file_id: int) -> None:
    File.objects.filter(pk=file_id).update(storage_key=f"test/{file_id}")


def test_of_twins_that_come_at_once_one_object_stays(api, local_service):
    runs = [make_run() for _ in range(AT_ONCE)]
    for run in runs:
        upload(api, run, DATA)

    at_once(AT_ONCE, lambda number: share_object())
    share_all()

    assert len(set(File.objects.values_list("storage_key", flat=True))) == 1
    assert SharableObject.objects.count() == 1
    sweep_orphans(at=now() + TOMORROW)
    assert [stored.key for stored in local_service.list("runs/")] == [File.objects.values_list("storage_key")[0][0]]


def test_an_object_that_goes_is_not_taken_up_and_one_that_is_taken_up_stays(api, local_service):
    """Whichever is first, no uploaded file is left without its bytes."""
    for _ in range(5):
        first = upload(api, make_run(), DATA)
        share_all()
        runs = [make_run() for _ in range(4)]
        let_go_of_object(first)

        def act(number: int, runs: Any = runs) -> Any:
            if number == 0:
                return sweep_orphans(at=now() + TOMORROW)
            return api.post(f"{path_of(runs[number - 1])}/request-upload-url", announced(DATA)).status_code

        at_once(5, act)

        for file in File.objects.filter(storage_key__startswith="runs/").stored():
            assert local_service.head(file.storage_key) is not None
        File.objects.all().delete()
        sweep_orphans(at=now() + TOMORROW)


def test_what_is_taken_up_right_before_its_removal_is_decided_stays(api, local_service):
    first = upload(api, make_run(), DATA)
    share_all()
    key = File.objects.get(pk=first).storage_key
    run = make_run()

    def let_go() -> list[str]:
        with transaction.atomic():
            let_go_of_object(first)
            return decide_removal([key])

    answers = at_once(2, lambda number: let_go() if number else ask(api, run, DATA))

    taken_up, free = answers[0]["already_uploaded"], answers[1]
    assert (free == []) is taken_up
    assert SharableObject.objects.exists() is taken_up


def test_an_object_that_goes_between_the_look_and_the_lock_is_not_taken_up(api, local_service, monkeypatch):
    first = upload(api, make_run(), DATA)
    share_all()
    key = File.objects.get(pk=first).storage_key
    real = shared_objects.find_in_store

    def remove_after(shared: SharableObject) -> Any:
        stored = real(shared)
        let_go_of_object(first)
        with transaction.atomic():
            assert decide_removal([key]) == [key]
        return stored

    monkeypatch.setattr("files.uploads.twins.find_in_store", remove_after)

    assert ask(api, make_run(), DATA)["already_uploaded"] is False


OTHER = b"what somebody else sent\n" * 9


def overtake(api, run, monkeypatch, name):
    """Right behind this call, once, somebody else brings other bytes to the path, and they are believed."""
    owner, _, function = name.rpartition(".")
    real = getattr(import_module(owner), function)
    waiting = [OTHER]

    def call(*args: Any, **kwargs: Any) -> Any:
        answer = real(*args, **kwargs)
        while waiting:
            upload(api, run, waiting.pop())
        return answer

    monkeypatch.setattr(name, call)


def ask_again(api, run):
    answer = api.post(f"{path_of(run)}/request-upload-url", announced(DATA))
    return answer.status_code, answer.json().get("already_uploaded")


def test_who_comes_back_is_not_told_that_what_another_stored_meanwhile_is_theirs(api, local_service, monkeypatch):
    run = make_run()
    put(ask(api, run, DATA), DATA)
    overtake(api, run, monkeypatch, "files.uploads.requests.confirm_upload")

    assert ask_again(api, run) == (409, None)


def test_nor_is_a_twin_taken_up_for_a_path_that_others_filled_meanwhile(api, local_service, monkeypatch):
    upload(api, make_run(), DATA)
    share_all()
    run = make_run()
    overtake(api, run, monkeypatch, "files.uploads.twins.find_in_store")

    assert ask_again(api, run) == (409, None)


def test_nothing_is_decided_while_the_store_is_copied(api, local_service):
    with hold_removals(), pytest.raises(RemovalOnHold), transaction.atomic():
        decide_removal(["runs/shared/ab/" + "ab" * 16])
