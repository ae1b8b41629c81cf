"""Pictures in comments: what is taken, who sees it, what a comment shows of it, and what takes it away."""

import io
from datetime import timedelta

import pytest
from django.test import Client
from PIL import Image

from files.comment_pictures import list_comment_pictures
from files.models import File, ObjectRemoval
from files.storage import object_store
from instruments.retention_rules import RetentionRule
from retention.candidates import filter_files
from runs.markdown import list_pictures, render_markdown
from tests.factories import make_comment, make_group, make_hold, make_run, make_stored_file, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db


def picture(kind="PNG", size=(6, 4)):
    out = io.BytesIO()
    Image.new("RGB", size, "navy").save(out, kind)
    return out.getvalue()


def signed_in(user):
    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def address(run):
    return f"/instruments/{run.instrument_id}/runs/{run.run_id}"


def send(client, run, data, name="gel"):
    return client.post(f"{address(run)}/comment-pictures?name={name}", data, content_type="image/png")


def test_a_picture_becomes_a_file_of_the_run_and_is_shown_in_its_comment():
    run, client = make_run(), signed_in(make_user())

    answer = send(client, run, picture(), name="Gel [2] of *day* 3")

    assert answer.status_code == 201
    file = File.objects.get(run=run)
    assert answer.json() == {
        "file_id": file.pk,
        "markdown": f"![Gel 2 of day 3](/api/v1/files/{file.pk}/preview)",
    }
    assert (file.category, file.status, file.content_type, file.report_kind) == (
        "processed",
        "completed",
        "image/png",
        "",
    )
    client.post(f"{address(run)}/comments", {"body": answer.json()["markdown"]})
    shown = f'<img src="/api/v1/files/{file.pk}/preview" alt="Gel 2 of day 3" width="6" height="4" loading="lazy">'
    assert shown in client.get(address(run)).content.decode()
    preview = client.get(f"/api/v1/files/{file.pk}/preview")
    assert (preview.status_code, preview["Content-Type"], preview["X-Content-Type-Options"]) == (
        200,
        "image/png",
        "nosniff",
    )
    assert preview.content == picture()


def test_the_same_bytes_are_one_file():
    run, client = make_run(), signed_in(make_user())

    first, second = send(client, run, picture()), send(client, run, picture())

    assert first.json()["file_id"] == second.json()["file_id"]
    assert File.objects.filter(run=run).count() == 1


def test_the_kind_is_that_of_the_bytes_whatever_is_said():
    run = make_run()

    send(signed_in(make_user()), run, picture("JPEG"))

    assert File.objects.get(run=run).content_type == "image/jpeg"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<html>",
        b"\x89PNG\r\n\x1a\nno",
        picture("GIF"),
        picture("BMP"),
    ],
    ids=["nothing", "svg", "html", "broken", "gif", "bmp"],
)
def test_what_is_no_picture_is_refused_in_words(data):
    run = make_run()

    answer = send(signed_in(make_user()), run, data)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
    assert answer.json()["error"]["details"]["fields"]["picture"]
    assert not File.objects.exists()


def test_more_pixels_than_anybody_looks_at_are_refused(monkeypatch):
    monkeypatch.setattr("files.comment_pictures.MAX_PICTURE_PIXELS", 10)

    answer = send(signed_in(make_user()), make_run(), picture())

    assert answer.status_code == 400


def test_who_is_outside_of_the_group_neither_adds_nor_sees(as_admin):
    member, run = make_user(), make_run()
    file_id = send(signed_in(member), run, picture()).json()["file_id"]
    run.instrument.visibility = "groups"
    run.instrument.save()
    make_group(member, instruments=[run.instrument])
    stranger = signed_in(make_user())

    assert send(stranger, run, picture("JPEG")).status_code == 404
    assert stranger.get(f"/api/v1/files/{file_id}/preview").status_code == 404
    assert signed_in(member).get(f"/api/v1/files/{file_id}/preview").status_code == 200


def test_a_deleted_run_takes_no_picture():
    user = make_user()
    run = make_run(deleted_at=now(), deleted_by=user)

    assert send(signed_in(user), run, picture()).status_code == 409


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("![far](https://elsewhere.example/a.png)", '<a href="https://elsewhere.example/a.png" rel='),
        ("![x](javascript:alert(1))", "![x](javascript:alert(1))"),
        ("![data](data:image/png;base64,AAAA)", "data"),
        ('![a"><script>](/api/v1/files/7/preview)', 'alt="a&quot;&gt;&lt;script&gt;"'),
        ("![gone](/api/v1/files/8/preview)", '<span class="no-picture">gone</span>'),
        ("![dl](/api/v1/files/7/download)", '<a href="/api/v1/files/7/download"'),
        ("<img src=/api/v1/files/7/preview>", "&lt;img"),
    ],
)
def test_only_own_pictures_are_shown(text, html):
    shown = render_markdown(text, pictures={7: (2, 1)})

    assert html in shown
    assert ("<img" in shown) == ("alt=" in html)


def test_a_picture_of_another_run_is_words():
    mine, other, user = make_run(), make_run(), make_user()
    file_id = send(signed_in(user), other, picture()).json()["file_id"]

    assert list_comment_pictures(mine, [file_id]) == {}
    assert list_comment_pictures(other, [file_id]) == {file_id: (6, 4)}


def test_other_files_of_the_run_are_no_pictures_of_comments():
    run = make_run()
    made = make_stored_file(
        "a.png", picture(), run=run, category="processed", status="completed", content_type="image/png"
    )

    assert list_comment_pictures(run, [made.pk]) == {}


def test_only_images_are_listed_of_a_text():
    text = "![a](/api/v1/files/5/preview) [b](/api/v1/files/6/preview) `![c](/api/v1/files/7/preview)`"

    assert list_pictures(text) == {5}


def test_whoever_added_it_removes_it_for_good_and_the_words_stay():
    user, run = make_user(), make_run()
    client = signed_in(user)
    sent = send(client, run, picture()).json()
    make_comment(run=run, user=user, body=sent["markdown"])
    key = File.objects.get().storage_key
    csrf = {"HTTP_REFERER": "http://testserver/"}

    answer = client.delete(f"/api/v1/files/{sent['file_id']}", **csrf)

    assert answer.status_code == 200
    assert not File.objects.exists()
    assert ObjectRemoval.objects.get().storage_key == key
    assert '<span class="no-picture">gel</span>' in client.get(address(run)).content.decode()


def test_others_do_not_remove_it_but_admins_do():
    run = make_run()
    file_id = send(signed_in(make_user()), run, picture()).json()["file_id"]

    assert signed_in(make_user()).delete(f"/api/v1/files/{file_id}").status_code == 403
    assert signed_in(make_user(is_admin=True)).delete(f"/api/v1/files/{file_id}").status_code == 200


def test_of_a_held_run_nothing_goes():
    user, run = make_user(), make_run()
    file_id = send(signed_in(user), run, picture()).json()["file_id"]
    make_hold(run=run)

    assert signed_in(user).delete(f"/api/v1/files/{file_id}").status_code == 409
    assert File.objects.filter(pk=file_id).exists()


def test_no_rule_of_retention_takes_what_people_said():
    run = make_run()
    run.instrument.expire_processed_after_days = 1
    run.instrument.save()
    send(signed_in(make_user()), run, picture())
    made = make_stored_file("t.json", b"{}", run=run, category="processed", status="completed")

    due = filter_files(RetentionRule.EXPIRE_PROCESSED, run.instrument, at=now() + timedelta(days=9))

    assert [file.pk for file in due] == [made.pk]


def test_bytes_that_cannot_be_stored_are_told_and_leave_no_row(monkeypatch):
    from files.storage.interface import StoreFull

    def full(*_, **__):
        raise StoreFull

    monkeypatch.setattr(type(object_store()), "put", full)

    answer = send(signed_in(make_user()), make_run(), picture())

    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
    assert not File.objects.exists()
