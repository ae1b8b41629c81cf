"""What the maintainers' admin site looks like: the words, times and doors of the dashboard."""

import pytest
from django.contrib import admin

from tests.factories import make_file, make_release, make_run, make_user
from watchers.models import WatcherRelease
from wire.admin import ReadOnlyAdmin
from wire.clock import now

pytestmark = pytest.mark.django_db
READ_ONLY = [model for model, one in admin.site._registry.items() if isinstance(one, ReadOnlyAdmin)]
RELEASES = "/admin/watchers/watcherrelease"


@pytest.fixture
def maintainer(client):
    client.user = make_user("maintainer@lab.example", display_name="Inès Moreau", is_admin=True)
    client.force_login(client.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def read(client, path):
    return client.get(path).content.decode()


def test_its_password_page_is_the_one_that_counts_what_is_guessed(maintainer):
    assert maintainer.get("/admin/password_change/")["Location"] == "/settings/password"
    guess = {"old_password": "guess", "new_password1": "a new one 4 me", "new_password2": "a new one 4 me"}
    assert maintainer.post("/admin/password_change/", guess)["Location"] == "/settings/password"
    assert maintainer.get("/admin/password_change/done/")["Location"] == "/settings/password"


def test_whoever_leaves_comes_to_the_sign_in_page(maintainer):
    assert maintainer.post("/admin/logout/")["Location"] == "/accounts/login/"
    assert maintainer.get("/admin/runs/run/").status_code == 302


def test_it_is_headed_by_the_name_and_the_colours_of_the_person(maintainer):
    maintainer.cookies["theme"] = "dark"

    page = read(maintainer, "/admin/")

    assert "<bdi>Inès Moreau</bdi>" in page
    assert '<input type="radio" name="theme" value="dark" checked>' in page
    assert "Recent actions" not in page


def test_runs_come_first_and_the_rows_of_libraries_last(maintainer):
    sections = [section["app_label"] for section in admin.site.get_app_list(maintainer.get("/admin/").wsgi_request)]

    assert sections[:2] == ["runs", "files"]
    assert set(sections[-3:]) == {"account", "oauth2_provider", "socialaccount"}


@pytest.mark.parametrize("model", READ_ONLY, ids=lambda model: model._meta.label)
def test_rows_that_nobody_writes_offer_nothing_to_save(maintainer, model):
    request = maintainer.get("/admin/").wsgi_request

    assert not admin.site._registry[model].has_change_permission(request)


def test_a_run_is_shown_and_not_saved(maintainer):
    run = make_run()

    page = read(maintainer, f"/admin/runs/run/{run.pk}/change/")
    refused = maintainer.post(f"/admin/runs/run/{run.pk}/change/", {"run_id": "other"})

    assert 'name="_save"' not in page
    assert refused.status_code == 403


def test_structures_stand_in_lines_and_sizes_in_units(maintainer):
    run = make_run(caller_metadata={"sample": "BSA", "well": ["A1", "A2"]})
    file = make_file(run=run, size_bytes=39_531)

    page = read(maintainer, f"/admin/runs/run/{run.pk}/change/")

    assert "<pre>sample: &quot;BSA&quot;\nwell: [&quot;A1&quot;, &quot;A2&quot;]</pre>" in page
    assert "40 KB" in read(maintainer, f"/admin/files/file/{file.pk}/change/")
    assert "40 KB" in read(maintainer, "/admin/files/file/")


def test_the_status_is_a_word(maintainer):
    make_file(run=make_run(), status="completed")

    assert '<td class="field-status">Completed</td>' in read(maintainer, "/admin/runs/run/")


def test_times_are_written_as_elsewhere_in_the_zone_of_the_person(maintainer):
    make_release(published_at=now().replace(year=2026, month=7, day=29, hour=21, minute=58))
    maintainer.user.time_zone = "Asia/Tokyo"
    maintainer.user.save()

    page = read(maintainer, f"{RELEASES}/")

    assert "2026-07-30 06:58" in page
    assert "Times are those of Asia/Tokyo" in page


def test_what_was_done_is_filtered_in_the_words_of_the_pages(maintainer, django_assert_max_num_queries):
    run = make_run()
    run.caller_metadata = {"a": 1}
    run.save()

    with django_assert_max_num_queries(8):
        page = read(maintainer, "/admin/runs/runtrail/?pgh_label=update")

    assert '<a href="?pgh_label=insert">created</a>' in page
    assert "1 run change" in page


def test_a_published_release_stays_what_it_was(maintainer):
    release = make_release("1.0.0", published_at=now())

    changed = {"version": "9.9.9", "channel": "beta", "notes": "", "wave_percent": "20"}
    maintainer.post(f"{RELEASES}/{release.pk}/change/", changed)

    release.refresh_from_db()
    assert (release.version, release.channel, release.wave_percent) == ("1.0.0", "stable", 20)


def test_only_drafts_of_releases_are_deleted(maintainer):
    draft, told = make_release("1.0.0", published_at=None), make_release("1.1.0", published_at=now())
    both = {"action": "delete_selected", "_selected_action": [draft.pk, told.pk], "post": "yes"}

    together = maintainer.post(f"{RELEASES}/", both)
    alone = maintainer.post(f"{RELEASES}/{told.pk}/delete/", {"post": "yes"})
    maintainer.post(f"{RELEASES}/{draft.pk}/delete/", {"post": "yes"})

    assert (together.status_code, alone.status_code) == (403, 403)
    assert list(WatcherRelease.objects.all()) == [told]
