"""Names of which nothing is to be seen count as empty, whatever is named."""

from urllib.parse import quote

import pytest

from tests.factories import make_instrument, make_project, make_run, make_user
from wire.names import is_blank

pytestmark = pytest.mark.django_db
API = "/api/v1"
UNSEEN = ["\u200b", " \u200d\u2060 ", "\ufeff", "\u3164\u2800", "\xad\ufe0f", "\U000e0020\u200b"]
NAMED = [
    ("token", "POST", "/instruments", {"id": "reader"}, "display_name"),
    ("admin", "PATCH", "/instruments/cary", {}, "display_name"),
    ("token", "POST", "/instruments/cary/runs", {}, "run_id"),
    ("admin", "POST", "/projects", {}, "name"),
    ("admin", "PATCH", "/projects/{project}", {}, "name"),
    ("admin", "POST", "/groups", {}, "name"),
    ("admin", "POST", "/tokens", {"scopes": ["runs:read"]}, "name"),
    ("admin", "PUT", "/instruments/cary/runs/7/hold", {}, "reason"),
    ("admin", "POST", "/enrolment-codes", {"new_instrument": {"id": "new", "display_name": "\u200b"}}, None),
]


@pytest.mark.parametrize("unseen", UNSEEN, ids=ascii)
@pytest.mark.parametrize(("who", "method", "path", "body", "field"), NAMED, ids=lambda value: str(value)[:20])
def test_what_cannot_be_seen_is_no_name(as_admin, as_token, who, method, path, body, field, unseen):
    make_run(instrument=make_instrument(id="cary"), run_id="7")
    api = as_admin() if who == "admin" else as_token()

    answer = api.send(
        method, f"{API}{path.format(project=make_project().pk)}", body | ({field: unseen} if field else {})
    )

    assert answer.status_code == 400, answer.content
    assert list(answer.json()["error"]["details"]["fields"]) == [field or "new_instrument.display_name"]


def test_a_tag_that_cannot_be_seen_is_not_there(as_token):
    run = make_run()

    assert as_token().put(f"{API}/instruments/{run.instrument_id}/runs/{run.run_id}/tags/%E2%80%8B").status_code == 404


@pytest.mark.parametrize(
    "name",
    [
        "a\u200bb",
        "नि\u200dदर्श",
        "\u0645\u06cc\u200c\u062e",
        "👩\u200d🔬",
        "\u200fאב",
        "x\ufe0f",
        "\u3000plate\xa0",
        "a\u2028b",
        "\U0001fc00",
    ],
    ids=ascii,
)
def test_a_run_is_found_by_its_name_whatever_signs_are_among_others(as_token, client, name):
    """Blanks of other scripts, joiners of letters and of pictures, signs that Unicode has not yet."""
    make_instrument(id="cary")
    api, path = as_token(), f"/instruments/cary/runs/{quote(name)}"

    made = api.post(f"{API}/instruments/cary/runs", {"run_id": name})
    client.force_login(make_user())

    assert (made.status_code, made.json()["run_id"]) == (201, name)
    assert api.get(API + path).json()["run_id"] == name
    assert client.get(path).status_code == 200


def test_a_file_may_be_called_as_its_computer_calls_it(as_token):
    run = make_run()

    made = as_token().post(
        f"{API}/instruments/{run.instrument_id}/runs/{run.run_id}/files", {"filename": "\u200b", "size_bytes": 1}
    )

    assert made.status_code == 201


def test_who_is_called_by_nothing_that_is_seen_is_called_by_their_address(as_person):
    assert as_person(email="ada@lab.example", display_name="\u200b\u200b").user.name == "ada"


def test_nobody_calls_themself_by_nothing_that_is_seen(client, as_person):
    user = as_person(email="ada@lab.example", display_name="Ada").user
    client.force_login(user)

    answer = client.post("/settings/profile", {"display_name": "\u200b\u200b", "time_zone": ""})

    user.refresh_from_db()
    assert (answer.status_code, user.name) == (400, "Ada")


def test_blanks():
    assert [is_blank(text) for text in ("", " ", "\n", "\u200b", "a\u200b", "0", "\u0301")] == [True] * 4 + [False] * 3
