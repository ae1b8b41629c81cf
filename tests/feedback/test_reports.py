"""Reports of people, against a tracker on loopback that speaks GitHub's API."""

from datetime import timedelta

import pytest

from accounts.callers import caller_for_user
from accounts.integrations import IntegrationChange, connect_integration
from accounts.models import Integration, IntegrationKind
from feedback.models import Report
from feedback.reports import sync_reports
from notifications.models import Notification
from tests.factories import make_user
from tests.outside import outside
from wire.clock import now

pytestmark = pytest.mark.django_db
PATH = "/api/v1/feedback"
ISSUES = "/repos/lab/ids/issues"
REPORT = {"kind": "bug", "title": "The export loses a row", "description": "Every time.\nReally."}


def issue(state="open", **fields):
    return {"number": 7, "html_url": "https://tracker.example/lab/ids/issues/7", "state": state} | fields


@pytest.fixture
def tracker():
    with outside() as played:
        played.answer(ISSUES, issue(), status=201)
        played.answer(f"{ISSUES}/7", issue())
        yield played


@pytest.fixture
def connected(tracker):
    wanted = IntegrationChange(base_url=tracker.url, target="lab/ids", secret="ghp-secret")
    connect_integration(IntegrationKind.TRACKER, wanted=wanted, by=caller_for_user(make_user(is_admin=True)), at=now())
    return tracker


def test_a_report_becomes_an_issue(connected, as_person):
    api = as_person(display_name="Ines Okafor")

    answer = api.post(PATH, REPORT | {"page_url": "http://127.0.0.1:8000/runs"})

    body = answer.json()
    [call] = connected.calls
    assert answer.status_code == 201
    assert body == {"id": body["id"], "url": "https://tracker.example/lab/ids/issues/7", "status": "open"}
    assert (call.method, call.path) == ("POST", ISSUES)
    assert "ghp-secret" in call.headers["Authorization"]
    assert (call.json["title"], call.json["labels"]) == ("The export loses a row", ["bug"])
    assert "Every time.\nReally.\n\nOn http://127.0.0.1:8000/runs\n\nReported by Ines Okafor" in call.json["body"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "rant"},
        {"title": ""},
        {"title": "x" * 201},
        {"description": ""},
        {"description": "x" * 10_001},
        {"page_url": "javascript:alert(1)"},
        {"title": "a\x00b"},
    ],
)
def test_input_is_checked_before_the_tracker_is_asked_for(as_person, wrong):
    answer = as_person().post(PATH, REPORT | wrong)

    assert answer.status_code == 400
    assert not Report.objects.exists()


def test_without_a_tracker_the_text_is_kept(as_person):
    answer = as_person().post(PATH, REPORT)

    draft = Report.objects.get()
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "FEEDBACK_NOT_CONFIGURED")
    assert answer.json()["error"]["details"] == {"draft_id": str(draft.pk)}
    assert (draft.status, draft.description) == ("draft", "Every time.\nReally.")


@pytest.mark.parametrize(
    ("status", "body"), [(500, {}), (401, {"message": "Bad credentials"}), (404, {}), (201, b"no json"), (302, {})]
)
def test_a_tracker_that_fails_is_a_502_and_the_text_is_kept(connected, as_person, status, body):
    connected.answer(ISSUES, body, status=status, Location="http://169.254.169.254/")

    answer = as_person().post(PATH, REPORT)

    assert (answer.status_code, answer.json()["error"]["code"]) == (502, "TRACKER_UNAVAILABLE")
    assert Report.objects.get().status == "draft"
    assert Integration.objects.get().last_error
    assert "ghp-secret" not in answer.content.decode()


def test_trying_again_sends_the_same_draft(connected, as_person):
    api = as_person()
    connected.answer(ISSUES, {}, status=500)
    api.post(PATH, REPORT)
    connected.answer(ISSUES, issue(), status=201)

    answer = api.post(PATH, REPORT | {"description": "Now with more words."})

    report = Report.objects.get()
    assert answer.status_code == 201
    assert (report.status, report.description) == ("open", "Now with more words.")


def test_reading_without_a_tracker_is_a_503(as_person):
    assert as_person().get(PATH).status_code == 503
    assert as_person().get(f"{PATH}/00000000-0000-4000-8000-000000000000").status_code == 503


def test_people_see_their_own_and_admins_all(connected, as_person, as_admin):
    ines = as_person()
    report_id = ines.post(PATH, REPORT).json()["id"]

    assert [row["id"] for row in ines.get(PATH).json()["data"]] == [report_id]
    assert as_person().get(PATH).json()["data"] == []
    assert as_person().get(f"{PATH}/{report_id}").status_code == 404
    assert as_admin().get(f"{PATH}/{report_id}").json()["title"] == "The export loses a row"


def test_a_closed_issue_is_told_to_its_reporter_once(connected, as_person):
    ines = as_person()
    ines.post(PATH, REPORT)
    connected.answer(f"{ISSUES}/7", issue("closed"))

    closed = [sync_reports(at=now() + timedelta(hours=hours)) for hours in (1, 2)]

    assert closed == [1, 0]
    assert Report.objects.get().status == "closed"
    told = Notification.objects.get()
    assert (told.recipient, told.kind) == (ines.user, "feedback_updated")


def test_an_address_that_is_no_web_page_is_not_kept(connected, as_person):
    connected.answer(ISSUES, issue(html_url="javascript:alert(1)"), status=201)

    as_person().post(PATH, REPORT)

    assert Report.objects.get().url == ""


def test_the_form_keeps_what_was_typed(client):
    client.force_login(make_user())

    response = client.post("/feedback", REPORT | {"title": "<b>Lost?"})

    page = response.content.decode()
    assert response.status_code == 503
    assert "Not sent, but kept." in page
    assert 'value="&lt;b&gt;Lost?"' in page
    assert "Every time." in page


def test_a_draft_is_taken_up_again(client):
    client.force_login(make_user())
    client.post("/feedback", REPORT)
    draft = Report.objects.get()

    assert "Every time." in client.get(f"/feedback?draft={draft.pk}").content.decode()


def test_the_form_sends(connected, client):
    client.force_login(make_user())

    response = client.post("/feedback", REPORT, follow=True)

    assert "The export loses a row” is with those who can help." in response.content.decode()
    assert 'href="https://tracker.example/lab/ids/issues/7"' in response.content.decode()


def test_a_wrong_form_names_its_fields(client):
    client.force_login(make_user())

    response = client.post("/feedback", {"kind": "bug", "title": "", "description": "x"})

    assert response.status_code == 400
    assert 'id="title-about"' in response.content.decode()


def test_all_reports_are_for_admins(client):
    client.force_login(make_user())

    assert client.get("/settings/feedback").status_code == 403


def test_an_admin_reads_all_of_them(client, as_person):
    as_person(display_name="Priya").post(PATH, REPORT)
    client.force_login(make_user(is_admin=True))

    page = client.get("/settings/feedback").content.decode()

    assert "The export loses a row" in page
    assert "Priya" in page
