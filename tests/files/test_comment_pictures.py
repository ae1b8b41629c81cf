"""Pictures in comments: what is taken, who sees it, what a comment shows of it, and what takes it away."""

import io
from datetime import timedelta

import pytest
from django.test import Client
from PIL import Image

from accounts.callers import caller_for_user
from files.models import File, ObjectRemoval
from files.pictures.comment_pictures import add_comment_picture, list_comment_pictures, write_markdown
from files.pictures.unsent import remove_unsent_pictures
from files.removing.lock import hold_removals
from files.storage import object_store
from files.tasks import remove_unused
from instruments.retention_rules import RetentionRule
from retention.candidates import filter_files
from retention.purging import purge_instrument
from runs.comments.discussion import add_comment
from runs.markdown import list_pictures, render_markdown
from tests.factories import make_comment, make_group, make_hold, make_run, make_stored_file, make_user
from tests.races import at_once
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
    monkeypatch.setattr("files.pictures.comment_pictures.MAX_PICTURE_PIXELS", 10)

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


def comment_of(client, run, text, at=""):
    answer = client.post(f"{address(run)}/comments{at}", {"body": text})
    return answer["Location"].rpartition("#comment-")[2]


def test_a_picture_goes_with_the_last_comment_that_shows_it():
    run, client = make_run(), signed_in(make_user())
    sent = send(client, run, picture()).json()
    first, second = comment_of(client, run, sent["markdown"]), comment_of(client, run, f"Again {sent['markdown']}")

    client.post(f"{address(run)}/comments/{first}", {"do": "delete"})
    assert client.get(f"/api/v1/files/{sent['file_id']}/preview").status_code == 200
    client.post(f"{address(run)}/comments/{second}", {"do": "delete"})

    file = File.objects.get()
    assert (file.deleted_at is not None, file.purged_at) == (True, None)
    assert client.get(f"/api/v1/files/{file.pk}/preview").status_code == 409
    assert client.get(f"/api/v1/files/{file.pk}/download").status_code == 409
    assert not ObjectRemoval.objects.exists()
    rows = client.get(f"/api/v1{address(run)}/history").json()["data"]
    assert {"file", "comment"} <= {row["object"]["kind"] for row in rows if "deleted_at" in row["changes"]}


def test_an_edit_that_leaves_a_picture_out_takes_it_and_its_author_brings_it_back():
    run, client = make_run(), signed_in(make_user())
    sent = send(client, run, picture()).json()
    comment = comment_of(client, run, sent["markdown"])

    client.post(f"{address(run)}/comments/{comment}", {"body": "No picture"})
    assert File.objects.get().deleted_at is not None
    client.post(f"{address(run)}/comments/{comment}", {"body": sent["markdown"]})

    assert File.objects.get().deleted_at is None


def test_nobody_else_brings_it_back_by_its_address_but_whoever_has_its_bytes_does():
    run, client, other = make_run(), signed_in(make_user()), make_user()
    sent = send(client, run, picture()).json()
    client.post(f"{address(run)}/comments/{comment_of(client, run, sent['markdown'])}", {"do": "delete"})

    comment_of(signed_in(other), run, sent["markdown"])
    assert File.objects.get().deleted_at is not None
    again = send(signed_in(other), run, picture()).json()

    file = File.objects.get()
    assert (again["file_id"], file.deleted_at, file.extracted["added_by"]) == (file.pk, None, str(other.pk))


def test_a_picture_of_another_run_stays_when_a_comment_that_names_it_goes():
    run, other, client = make_run(), make_run(), signed_in(make_user())
    sent = send(client, other, picture()).json()

    client.post(f"{address(run)}/comments/{comment_of(client, run, sent['markdown'])}", {"do": "delete"})

    assert File.objects.get().deleted_at is None


def test_what_went_with_its_comment_is_purged_by_the_rule_for_what_was_deleted():
    run, client = make_run(), signed_in(make_user())
    sent = send(client, run, picture()).json()
    client.post(f"{address(run)}/comments/{comment_of(client, run, sent['markdown'])}", {"do": "delete"})
    run.instrument.purge_deleted_after_days = 7
    run.instrument.save()
    key = File.objects.get().storage_key

    list(purge_instrument(run.instrument, at=now() + timedelta(days=6)))
    assert File.objects.get().purged_at is None
    list(purge_instrument(run.instrument, at=now() + timedelta(days=8)))

    assert File.objects.get().purged_at is not None
    assert [removal.storage_key for removal in ObjectRemoval.objects.all()] == [key]
    again = send(client, run, picture()).json()
    assert client.get(f"/api/v1/files/{again['file_id']}/preview").content == picture()


def put_in(run, hours, *, client=None, size=(6, 4)):
    """A picture that was pasted so many hours ago."""
    sent = send(client or signed_in(make_user()), run, picture(size=size)).json()
    File.objects.filter(pk=sent["file_id"]).update(uploaded_at=now() - timedelta(hours=hours))
    return sent


def test_what_was_pasted_and_never_sent_goes_after_a_day():
    run = make_run()
    old, fresh = put_in(run, 25), put_in(run, 23, size=(5, 5))
    key = File.objects.get(pk=old["file_id"]).storage_key

    assert remove_unsent_pictures(at=now()) == 1

    assert [file.pk for file in File.objects.all()] == [fresh["file_id"]]
    assert ObjectRemoval.objects.get().storage_key == key


def test_what_is_pasted_again_has_another_day():
    run, client = make_run(), signed_in(make_user())
    old = put_in(run, 25, client=client)

    assert send(client, run, picture()).json() == old
    assert remove_unsent_pictures(at=now()) == 0
    assert remove_unsent_pictures(at=now() + timedelta(hours=25)) == 1


def test_what_went_with_its_comment_and_is_pasted_again_has_another_day():
    run, client = make_run(), signed_in(make_user())
    sent = put_in(run, 25, client=client)
    comment = comment_of(client, run, sent["markdown"])
    client.post(f"{address(run)}/comments/{comment}", {"do": "delete"})

    assert send(client, run, picture()).json() == sent
    assert remove_unsent_pictures(at=now()) == 0


def test_what_a_comment_says_stays_and_so_does_what_is_held_or_deleted():
    said, held, gone = make_run(), make_run(), make_run()
    client = signed_in(make_user())
    comment_of(client, said, put_in(said, 25, client=client)["markdown"])
    put_in(held, 25)
    put_in(gone, 25)
    make_hold(run=held)
    gone.deleted_at, gone.deleted_by = now(), make_user()
    gone.save(update_fields=["deleted_at", "deleted_by"])
    made = make_stored_file("t.json", b"{}", run=said, category="processed", status="completed")
    File.objects.filter(pk=made.pk).update(uploaded_at=now() - timedelta(days=9))

    assert remove_unsent_pictures(at=now()) == 0
    assert File.objects.count() == 4


def test_while_the_store_is_copied_they_wait():
    put_in(make_run(), 25)
    with hold_removals():
        remove_unused()
        assert File.objects.count() == 1


def test_of_a_held_run_it_goes_with_its_comment_and_is_not_purged():
    run, client = make_run(), signed_in(make_user())
    sent = send(client, run, picture()).json()
    make_hold(run=run)
    client.post(f"{address(run)}/comments/{comment_of(client, run, sent['markdown'])}", {"do": "delete"})
    run.instrument.purge_deleted_after_days = 7
    run.instrument.save()

    list(purge_instrument(run.instrument, at=now() + timedelta(days=8)))

    assert (File.objects.get().deleted_at is None, File.objects.get().purged_at) == (False, None)


def test_a_script_puts_a_picture_into_a_comment_and_takes_it_away(as_token):
    run, api = make_run(), as_token("runs:comment", "files:delete")
    where = f"/api/v1{address(run)}"

    sent = api.post(f"{where}/comment-pictures?name=gel", picture())
    said = api.post(f"{where}/comments", {"body": sent.json()["markdown"]})

    assert (sent.status_code, said.status_code) == (201, 201)
    assert File.objects.get().extracted["added_by_token"] == str(api.token.pk)
    assert as_token("files:delete").delete(f"/api/v1/files/{sent.json()['file_id']}").status_code == 403
    assert api.delete(f"/api/v1/files/{sent.json()['file_id']}").status_code == 200
    assert not File.objects.exists()


@pytest.mark.parametrize(
    ("kind", "status"),
    [("image/png", 201), ("application/json", 201), ("image/svg+xml", 415), ("application/x-www-form-urlencoded", 415)],
)
def test_a_signed_in_person_may_use_the_route_too(as_person, kind, status):
    run, api = make_run(), as_person()

    answer = api.client.generic(
        "POST", f"/api/v1{address(run)}/comment-pictures", picture(), content_type=kind, headers=api.headers
    )

    assert answer.status_code == status, answer.content


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_thirty_people_who_paste_one_picture_at_once_have_one_file():
    run = make_run()
    callers = [caller_for_user(make_user()) for _ in range(30)]

    def paste(number):
        file = add_comment_picture(
            instrument=run.instrument_id, run_id=run.run_id, data=picture(), by=callers[number], at=now()
        )
        add_comment(
            instrument=run.instrument_id,
            run_id=run.run_id,
            body=write_markdown(file, alt="gel"),
            by=callers[number],
            at=now(),
        )
        return file.pk

    ids = at_once(30, paste)

    file = File.objects.get()
    assert (set(ids), file.deleted_at, run.comments.count()) == ({file.pk}, None, 30)
    with object_store().open_range(file.storage_key) as source:
        assert source.read() == picture()


def test_bytes_that_cannot_be_stored_are_told_and_leave_no_row(monkeypatch):
    from files.storage.interface import StoreFull

    def full(*_, **__):
        raise StoreFull

    monkeypatch.setattr(type(object_store()), "put", full)

    answer = send(signed_in(make_user()), make_run(), picture())

    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
    assert not File.objects.exists()
