"""Connecting services outside: REST and the page of settings."""

import pytest

from accounts.models import Integration
from tests.factories import make_user
from tests.outside import outside

pytestmark = pytest.mark.django_db
PATH = "/api/v1/settings/integrations"
PAGE = "/settings/integrations"
CHAT = {"token": "xoxb-very-secret"}
TRACKER = {"repository": "lab/ids", "token": "ghp-very-secret"}


@pytest.fixture
def admin(client):
    client.force_login(make_user(is_admin=True))
    return client


@pytest.fixture
def service():
    with outside() as played:
        played.answer("/auth.test", {"ok": True, "team": "Halden"})
        played.answer("/repos/lab/ids", {"full_name": "lab/ids", "has_issues": True})
        yield played


def test_secrets_are_written_and_never_read(as_admin):
    api = as_admin()

    put = api.put(PATH, {"chat": CHAT, "tracker": TRACKER})

    assert put.status_code == 200
    assert put.json()["tracker"]["repository"] == "lab/ids"
    assert put.json()["chat"]["base_url"] == "https://slack.com/api/"
    assert "very-secret" not in put.content.decode() + api.get(PATH).content.decode()


def test_secrets_are_sealed_at_rest(as_admin):
    as_admin().put(PATH, {"chat": CHAT})

    row = Integration.objects.get()
    assert "very-secret" not in row.sealed_secret
    assert "very-secret" not in str(vars(row))


def test_another_secret_key_does_not_open_them(as_admin, settings):
    api = as_admin()
    api.put(PATH, {"chat": CHAT})
    settings.SECRET_KEY = "another key of the service, long enough to be one"

    assert api.post(f"{PATH}/chat/test").status_code in (401, 403, 409)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"chat": {}}, "chat.token"),
        ({"chat": CHAT | {"base_url": "http://slack.example/"}}, "chat.base_url"),
        ({"chat": CHAT | {"base_url": "ftp://slack.example/"}}, "chat.base_url"),
        ({"chat": CHAT | {"base_url": "https://user:pass@slack.example/"}}, "chat.base_url"),
        ({"chat": {"token": "two words"}}, "chat.token"),
        ({"tracker": TRACKER | {"repository": "ids"}}, "tracker.repository"),
        ({"tracker": TRACKER | {"repository": "lab/ids/../../x"}}, "tracker.repository"),
        ({"tracker": {"token": "t"}}, "tracker.repository"),
    ],
)
def test_a_wrong_connection_is_refused_by_field(as_admin, given, field):
    answer = as_admin().put(PATH, given)

    assert answer.status_code == 400
    assert field in answer.json()["error"]["details"]["fields"]
    assert not Integration.objects.exists()


def test_the_stored_token_is_not_handed_to_another_address(as_admin):
    api = as_admin()
    api.put(PATH, {"tracker": TRACKER})

    answer = api.put(PATH, {"tracker": {"repository": "lab/ids", "base_url": "https://elsewhere.example"}})

    assert answer.status_code == 400
    assert Integration.objects.get().base_url == "https://api.github.com"


def test_what_is_absent_stays_and_null_disconnects(as_admin):
    api = as_admin()
    api.put(PATH, {"chat": CHAT, "tracker": TRACKER})

    api.put(PATH, {"chat": None})

    assert list(Integration.objects.values_list("kind", flat=True)) == ["tracker"]


def test_the_test_names_what_answers(as_admin, service):
    api = as_admin()
    api.put(PATH, {"chat": CHAT | {"base_url": service.url}, "tracker": TRACKER | {"base_url": service.url}})

    assert api.post(f"{PATH}/chat/test").json() == {"ok": True, "name": "Halden"}
    assert api.post(f"{PATH}/tracker/test").json() == {"ok": True, "name": "lab/ids"}


@pytest.mark.parametrize(
    ("kind", "path", "answer"),
    [
        ("chat", "/auth.test", {"ok": False, "error": "invalid_auth"}),
        ("tracker", "/repos/lab/ids", {"full_name": "lab/ids", "has_issues": False}),
    ],
)
def test_a_test_that_fails_is_a_conflict_and_is_remembered(as_admin, service, kind, path, answer):
    api = as_admin()
    service.answer(path, answer)
    given = {"chat": CHAT, "tracker": TRACKER}[kind] | {"base_url": service.url}
    api.put(PATH, {kind: given})

    assert api.post(f"{PATH}/{kind}/test").status_code == 409
    assert Integration.objects.get().last_error


def test_what_is_not_connected_cannot_be_tested(as_admin):
    assert as_admin().post(f"{PATH}/chat/test").status_code == 409
    assert as_admin().post(f"{PATH}/fax/test").status_code == 404


def test_the_page_connects_tests_and_disconnects(admin, service):
    admin.post(f"{PAGE}/tracker", TRACKER | {"base_url": service.url, "do": "connect"})
    connected = admin.get(PAGE).content.decode()
    admin.post(f"{PAGE}/tracker", {"do": "test"})
    tested = admin.get(PAGE).content.decode()
    admin.post(f"{PAGE}/tracker", {"do": "disconnect"})

    assert "not tested" in connected
    assert "Issue tracker answers: lab/ids." in tested
    assert "very-secret" not in connected + tested
    assert not Integration.objects.exists()


def test_the_page_says_what_is_wrong_and_forgets_no_typed_address(admin):
    response = admin.post(f"{PAGE}/chat", {"base_url": "http://slack.example/", "token": "x", "do": "connect"})

    page = response.content.decode()
    assert response.status_code == 400
    assert "must begin with https://" in page
    assert 'value="http://slack.example/"' in page


def test_a_failed_test_is_told(admin, service):
    service.answer("/auth.test", {"ok": False, "error": "invalid_auth"})
    admin.post(f"{PAGE}/chat", CHAT | {"base_url": service.url, "do": "connect"})

    page = admin.post(f"{PAGE}/chat", {"do": "test"}, follow=True).content.decode()

    assert "The chat refuses the connection: invalid_auth." in page
    assert "does not work" in page


@pytest.mark.parametrize("method", ["get", "post"])
def test_others_stay_out(client, method):
    client.force_login(make_user())

    assert getattr(client, method)(PAGE if method == "get" else f"{PAGE}/chat").status_code == 403
