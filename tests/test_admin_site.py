"""The maintainers' admin site: who gets in, every model, searches, actions."""

import pytest
from django.apps import apps
from django.contrib import admin

from accounts.models import Token, User
from archives.models import ArchiveJob
from notifications.models import Announcement
from runs.models import Run
from tests.factories import (
    PASSWORD,
    make_comment,
    make_event,
    make_file,
    make_instrument,
    make_release,
    make_run,
    make_token,
    make_user,
    make_watcher,
)
from watchers.models import WatcherRelease
from wire.clock import now

pytestmark = pytest.mark.django_db
MODELS = [f"{model._meta.app_label}/{model._meta.model_name}" for model in admin.site._registry]
OURS = {"accounts", "instruments", "watchers", "runs", "files", "archives", "processing", "notifications", "feedback"}
OURS |= {"overview", "changes", "datasets"}


@pytest.fixture
def maintainer(client):
    client.user = make_user("maintainer@lab.example", is_admin=True)
    client.force_login(client.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def make_everything():
    run = make_run()
    make_file(run=run)
    make_comment(run=run)
    make_event(watcher=make_watcher())
    make_release(f"1.0.{WatcherRelease.objects.count()}")
    make_token(created_by=make_user())


def act(client, path, action, *rows):
    ids = [str(row.pk) for row in rows]
    return client.post(f"/admin/{path}/", {"action": action, "_selected_action": ids}, follow=True)


def make_failed_archive(**fields):
    values = {"cache_key": "0" * 64, "file_ids": [1], "status": "failed", "completed_at": now(), "attempts": 3}
    return ArchiveJob.objects.create(run=make_run(), **(values | fields))


def test_strangers_sign_in_at_the_one_door(client):
    assert client.get("/admin/")["Location"] == "/admin/login/?next=/admin/"
    assert client.get("/admin/login/?next=/admin/")["Location"] == "/accounts/login/?next=%2Fadmin%2F"


def test_the_scripts_of_its_lists_may_run_and_no_page_asks_for_an_icon_that_is_not_there(maintainer):
    response = maintainer.get("/admin/runs/run/")

    policy = response["Content-Security-Policy"].split("; ")
    sources = next(part for part in policy if part.startswith("script-src ")).split()[1:]
    page = response.content.decode()
    assert 'src="/admin/jsi18n/"' in page
    assert "testserver/admin/jsi18n/" in sources
    assert 'rel="icon"' in page


def test_a_member_is_no_maintainer(client):
    client.force_login(make_user(), backend="allauth.account.auth_backends.AuthenticationBackend")

    assert client.get("/admin/", follow=True).status_code == 403


def test_every_model_of_ours_is_there():
    ours = {f"{one._meta.app_label}/{one._meta.model_name}" for one in apps.get_models() if one._meta.app_label in OURS}

    assert ours <= set(MODELS)


@pytest.mark.parametrize("path", MODELS)
def test_every_list_opens_and_can_be_searched(maintainer, path):
    make_everything()

    assert maintainer.get(f"/admin/{path}/").status_code == 200
    assert maintainer.get(f"/admin/{path}/?q=00000000-0000-4000-8000-000000000000").status_code == 200


@pytest.mark.parametrize("path", [path for path in MODELS if path.split("/")[0] in OURS])
def test_every_row_opens(maintainer, path):
    make_everything()
    model = next(model for model in admin.site._registry if f"{model._meta.app_label}/{model._meta.model_name}" == path)
    row = model._default_manager.first()
    if row is None:
        pytest.skip("no row of this kind")

    response = maintainer.get(f"/admin/{path}/{row.pk}/change/")

    assert response.status_code == 200


def test_runs_are_narrowed_to_one_of_the_busiest_instruments(maintainer, monkeypatch):
    monkeypatch.setattr("runs.admin.MAX_INSTRUMENTS_TO_CHOOSE", 1)
    idle, busy = make_run(run_id="seldom").instrument, make_run(run_id="often").instrument
    make_run(instrument=busy)

    offered = maintainer.get("/admin/runs/run/").content.decode()
    found = maintainer.get(f"/admin/runs/run/?instrument__id__exact={idle.pk}").content.decode()

    assert f"instrument__id__exact={busy.pk}" in offered
    assert f"instrument__id__exact={idle.pk}" not in offered
    assert "seldom" in found
    assert "often" not in found


@pytest.mark.parametrize(
    "path", ["runs/run", "files/file", "watchers/watcher", "accounts/token", "instruments/instrument"]
)
def test_rows_of_the_service_are_not_written_here(maintainer, path):
    assert maintainer.get(f"/admin/{path}/add/").status_code == 403


def test_no_page_shows_the_digest_of_a_token(maintainer):
    token = make_token()

    page = maintainer.get(f"/admin/accounts/token/{token.pk}/change/").content.decode()

    assert token.digest not in page


def test_tokens_are_revoked(maintainer):
    token, other = make_token(), make_token()

    act(maintainer, "accounts/token", "revoke", token)

    assert list(Token.objects.active()) == [other]


def test_a_person_is_switched_off_and_on(maintainer):
    person = make_user()

    act(maintainer, "accounts/user", "switch_off", person)
    person.refresh_from_db()
    off = person.is_active
    act(maintainer, "accounts/user", "switch_on", person)

    person.refresh_from_db()
    assert (off, person.is_active) == (False, True)


def test_a_maintainer_does_not_lock_themself_out(maintainer):
    act(maintainer, "accounts/user", "switch_off", maintainer.user)

    assert User.objects.get(pk=maintainer.user.pk).is_active


def test_runs_are_found_deleted_and_restored(maintainer):
    run, _ = make_run(run_id="lysozyme"), make_run(run_id="other")

    found = maintainer.get("/admin/runs/run/?q=LYSO").content.decode()
    act(maintainer, "runs/run", "delete_softly", run)
    deleted = Run.objects.get(pk=run.pk).deleted_by
    act(maintainer, "runs/run", "restore", run)

    assert "lysozyme" in found
    assert ">other<" not in found
    assert deleted == maintainer.user
    assert Run.objects.get(pk=run.pk).deleted_at is None


def test_a_failed_archive_is_built_again(maintainer):
    job = make_failed_archive()

    act(maintainer, "archives/archivejob", "requeue", job)

    job.refresh_from_db()
    assert (job.status, job.attempts, job.completed_at) == ("building", 0, None)


def test_an_archive_that_another_job_builds_stays_failed(maintainer):
    job = make_failed_archive()
    ArchiveJob.objects.create(run=job.run, cache_key=job.cache_key, file_ids=[1])

    act(maintainer, "archives/archivejob", "requeue", job)

    job.refresh_from_db()
    assert job.status == "failed"


def test_announcements_are_tried_again(maintainer):
    line = Announcement.objects.create(kind="generic", message="m", sender_name="s", attempts=5, lease_until=now())

    act(maintainer, "notifications/announcement", "requeue", line)

    line.refresh_from_db()
    assert (line.attempts, line.lease_until) == (0, None)


@pytest.mark.parametrize("key", ["", "-1", "NaN", "a,b", "9" * 40])
@pytest.mark.parametrize(
    ("path", "action"),
    [("accounts/token", "revoke"), ("accounts/user", "switch_off"), ("watchers/watcherrelease", "publish")],
)
def test_what_is_no_key_is_refused_in_words_and_nothing_is_done(maintainer, path, action, key):
    token, person, release = make_token(), make_user(), make_release(published_at=None)
    wanted = {"action": action, "_selected_action": [key, *(str(row.pk) for row in (token, person, release))]}

    page = maintainer.post(f"/admin/{path}/", wanted, follow=True)

    assert page.status_code == 200
    assert "Nothing was done" in page.content.decode()
    for row in (token, person, release):
        row.refresh_from_db()
    assert (token.revoked_at, person.is_active, release.published_at) == (None, True, None)


def test_a_release_is_published(maintainer):
    release = make_release(published_at=None)

    act(maintainer, "watchers/watcherrelease", "publish", release)

    assert WatcherRelease.objects.get().published_at is not None


@pytest.mark.parametrize("path", ["runs/run", "files/file", "runs/comment", "watchers/watcher", "accounts/token"])
def test_lists_ask_as_often_for_many_rows_as_for_one(maintainer, path, django_assert_max_num_queries):
    for _ in range(6):
        make_everything()

    with django_assert_max_num_queries(12):
        maintainer.get(f"/admin/{path}/")


def test_names_are_shown_as_text(maintainer):
    make_instrument(display_name="<script>alert(1)</script>")

    assert "<script>alert(1)" not in maintainer.get("/admin/instruments/instrument/").content.decode()


def test_the_history_of_a_row_is_its_trail(maintainer):
    run = make_run()
    file, other = make_file("a.csv", run=run), make_file("b.csv", run=run)
    act(maintainer, "runs/run", "delete_softly", run)

    link = f"/admin/files/filetrail/?pgh_obj__exact={file.pk}&amp;run__exact={run.pk}"
    assert link in maintainer.get(f"/admin/files/file/{file.pk}/change/").content.decode()
    of_file = maintainer.get(link.replace("&amp;", "&")).content.decode()
    of_run = maintainer.get(f"/admin/runs/runtrail/?pgh_obj__exact={run.pk}").content.decode()

    assert "1 file change" in of_file
    assert f">{other.pk}<" not in of_file
    assert "maintainer (person)" in of_run
    assert "deleted_at" in of_run


def test_nobody_writes_the_trail_there(maintainer):
    row = make_run().pgh_event_model.objects.get()

    assert maintainer.get("/admin/runs/runtrail/add/").status_code == 403
    assert maintainer.post(f"/admin/runs/runtrail/{row.pk}/change/", {"changes": "{}"}).status_code == 403
    assert maintainer.post(f"/admin/runs/runtrail/{row.pk}/delete/", {"post": "yes"}).status_code == 403


@pytest.fixture
def late_maintainer(maintainer):
    """Whose sign-in is too old for changes."""
    session = maintainer.session
    session["confirmed_at"] = 0.0
    session.save()
    return maintainer


NEW_PERSON = {"email": "tomas@lab.example", "display_name": "Tomáš Vlček"}


def test_who_changes_something_says_who_they_are_once_more(late_maintainer):
    asked = late_maintainer.post("/admin/accounts/user/add/", NEW_PERSON)
    made = late_maintainer.post("/admin/accounts/user/add/", NEW_PERSON | {"confirm_password": PASSWORD})

    assert (asked.status_code, made.status_code) == (403, 302)
    assert 'name="email" value="tomas@lab.example"' in asked.content.decode()
    assert User.objects.filter(email="tomas@lab.example").count() == 1


def test_actions_ask_too(late_maintainer):
    person = make_user()

    act(late_maintainer, "accounts/user", "switch_off", person)

    person.refresh_from_db()
    assert person.is_active


def test_who_looks_or_leaves_is_not_asked(late_maintainer):
    assert late_maintainer.get("/admin/accounts/user/add/").status_code == 200
    assert late_maintainer.post("/admin/logout/").status_code != 403


@pytest.mark.parametrize(
    "model",
    ["account/emailaddress", "socialaccount/socialaccount", "oauth2_provider/application",
     "oauth2_provider/accesstoken", "oauth2_provider/refreshtoken", "oauth2_provider/grant", "oauth2_provider/idtoken"],
)  # fmt: skip
def test_nobody_signs_in_as_another_by_rows_of_the_libraries(maintainer, model):
    app_label, name = model.split("/")
    model_admin = admin.site._registry[apps.get_model(app_label, name)]
    request = maintainer.get("/admin/").wsgi_request

    assert maintainer.get(f"/admin/{model}/add/").status_code == 403
    assert model_admin.get_form(request).base_fields == {}
