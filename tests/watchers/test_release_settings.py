"""Releases of the agent, as admins rule them: REST and the page."""

import re
from datetime import timedelta
from uuid import UUID

import pytest

from tests.factories import make_release, make_user, make_watcher
from tests.markup import flat
from watchers.models import WatcherRelease
from wire.clock import now

pytestmark = pytest.mark.django_db
PATH = "/api/v1/settings/watcher-releases"
PAGE = "/settings/watcher-releases"


@pytest.fixture
def admin(client):
    client.force_login(make_user(is_admin=True))
    return client


def test_a_release_is_a_draft_until_it_is_published(as_admin):
    api = as_admin()

    made = api.post(PATH, {"version": "1.4.0", "notes": "Faster."})
    published = api.patch(f"{PATH}/{made.json()['id']}", {"published": True})
    withdrawn = api.patch(f"{PATH}/{made.json()['id']}", {"published": False})

    assert (made.status_code, made.json()["published_at"], made.json()["channel"]) == (201, None, "stable")
    assert published.json()["published_at"] is not None
    assert withdrawn.json()["published_at"] is None


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"version": "new"},
        {"version": "1.0", "channel": "nightly"},
        {"version": "1.0", "min_supported_version": "2.0"},
    ],
)
def test_a_wrong_release_is_refused(as_admin, wrong):
    assert as_admin().post(PATH, wrong).status_code == 400


def test_a_version_is_known_once_a_channel(as_admin):
    make_release("1.4.0")

    assert as_admin().post(PATH, {"version": "1.4.0"}).status_code == 409
    assert as_admin().post(PATH, {"version": "1.4.0", "channel": "beta"}).status_code == 201


def test_an_unknown_release_is_missing(as_admin):
    assert as_admin().patch(f"{PATH}/999999", {"published": True}).status_code == 404


def test_the_list_shows_drafts_first(as_admin):
    make_release("1.3.0")
    make_release("1.4.0", published_at=None)

    assert [row["version"] for row in as_admin().get(PATH).json()["data"]] == ["1.4.0", "1.3.0"]


def test_the_page_adds_publishes_and_withdraws(admin):
    admin.post(PAGE, {"do": "create", "version": "1.4.0", "channel": "stable", "notes": "<b>Faster"})
    release = WatcherRelease.objects.get()
    drafted = admin.get(PAGE).content.decode()
    admin.post(PAGE, {"do": "publish", "release": str(release.pk)})
    published = admin.get(PAGE).content.decode()
    admin.post(PAGE, {"do": "withdraw", "release": str(release.pk)})

    assert "&lt;b&gt;Faster" in drafted
    assert "draft" in drafted
    assert ">current<" in published.replace("</svg>current", ">current")
    assert WatcherRelease.objects.get().withdrawn_at is not None


@pytest.mark.parametrize("version", ["", "new", "1.4.0"])
def test_a_wrong_form_says_so(admin, version):
    make_release("1.4.0")

    response = admin.post(PAGE, {"do": "create", "version": version, "channel": "stable"})

    assert response.status_code == 400
    assert 'class="error"' in response.content.decode()


def test_others_stay_out(client):
    client.force_login(make_user())

    assert client.get(PAGE).status_code == 403


def test_the_page_publishes_for_a_wave_and_widens_it(admin):
    release = make_release("1.4.0", published_at=None)

    admin.post(PAGE, {"do": "publish", "release": str(release.pk), "wave_percent": "10"})
    first = WatcherRelease.objects.get()
    admin.post(PAGE, {"do": "wave", "release": str(release.pk), "wave_percent": "100"})

    assert (first.wave_percent, first.published_at is not None) == (10, True)
    assert WatcherRelease.objects.get().wave_percent == 100


def test_the_stop_button_ends_a_wave_and_leads_it_back(admin, as_token):
    make_release("1.3.0", published_at=now() - timedelta(days=1))
    release = make_release("1.4.0", wave_percent=10)
    reached, waiting = make_watcher(id=UUID(int=9), agent_version="1.4.0"), make_watcher(id=UUID(int=10))
    button = re.search(r'value="(\w+)"[^>]*>(?:<svg.*?</svg>)?Stop, and go back', admin.get(PAGE).content.decode())

    admin.post(PAGE, {"do": button[1], "release": str(release.pk)})

    answers = [as_token().get(f"/api/v1/watchers/{one.pk}/update-check").json() for one in (reached, waiting)]
    assert [answer["latest_version"] for answer in answers] == ["1.3.0", "1.3.0"]
    assert [answer["rollback"] for answer in answers] == [True, False]


@pytest.mark.parametrize(
    "sent",
    [
        {"do": "wave", "wave_percent": "101"},
        {"do": "wave"},
        {"do": "wave", "wave_percent": "ten"},
        {"do": "delete"},
        {},
        {"do": "publish", "release": "999999"},
        {"do": "publish", "release": "x"},
    ],
)
def test_a_wrong_change_on_the_page_changes_nothing_and_says_so(admin, sent):
    release = make_release("1.4.0", published_at=None)

    answer = admin.post(PAGE, {"release": str(release.pk)} | sent, follow=True)

    assert answer.status_code == 200
    assert 'class="toast bad"' in answer.content.decode()
    assert (WatcherRelease.objects.get().published_at, WatcherRelease.objects.get().wave_percent) == (None, 100)


def test_the_page_counts_who_runs_what(admin):
    make_release("1.4.0", wave_percent=10)
    for version in ("1.4.0", "1.3.0", "1.3.0"):
        make_watcher(agent_version=version)

    page = flat(admin.get(PAGE))

    assert "1 of 3 watchers run it" in page
    assert "offered to 10 %" in page
    assert re.search(r"<dt>1.3.0</dt>\s*<dd>2 watchers</dd>", page)
