"""The page of one's own rules, mentions on a run's page, and the mail of the day."""

import pytest

from notifications.models import NotificationRule, Preference
from runs.models import Comment
from tests.factories import make_instrument, make_project, make_rule, make_run, make_user

pytestmark = pytest.mark.django_db
PAGE = "/settings/notifications/rules"


@pytest.fixture
def ines(client):
    client.user = make_user(display_name="Inès Moreau")
    client.force_login(client.user)
    return client


def test_a_rule_is_made_from_a_sentence_and_stands_as_one(ines):
    neo, project = make_instrument(display_name="Neo2"), make_project(name="P")

    ines.post(
        PAGE,
        {"whose": str(ines.user.pk), "event": "run_completed", "instrument_id": neo.pk, "project_id": str(project.pk),
         "tag": "qc", "way": "both"},
    )  # fmt: skip

    assert (
        "When a run of Inès Moreau on Neo2 in the project P with the tag qc is completed, "
        "tell me in the inbox and by e-mail."
    ) in ines.get(PAGE).content.decode()


def test_a_watcher_s_rule(ines):
    ines.post(PAGE, {"event": "watcher_silent", "way": "inbox"})

    assert "When any watcher falls silent, tell me in the inbox." in ines.get(PAGE).content.decode()


def test_what_is_refused_comes_back_in_its_form(ines):
    answer = ines.post(PAGE, {"whose": "mine", "event": "run_failed", "tag": "No Tag", "way": "inbox"})

    assert answer.status_code == 400
    assert b'value="No Tag"' in answer.content
    assert b'role="alert"' in answer.content


def test_it_rests_goes_on_and_is_deleted(ines):
    rule = make_rule(user=ines.user)

    ines.post(f"{PAGE}/{rule.pk}", {"do": "pause"})
    paused = NotificationRule.objects.get().paused_at
    ines.post(f"{PAGE}/{rule.pk}", {"do": "resume"})
    resumed = NotificationRule.objects.get().paused_at
    ines.post(f"{PAGE}/{rule.pk}", {"do": "delete"})

    assert (paused is not None, resumed) == (True, None)
    assert not NotificationRule.objects.exists()


def test_a_rule_of_somebody_else_is_not_there(ines):
    assert ines.post(f"{PAGE}/{make_rule().pk}", {"do": "delete"}).status_code == 404


def test_the_mail_of_the_day_is_chosen_by_kind(ines):
    ines.post("/settings/notifications", {"in_app": ["generic"], "email-comment": "daily", "email-mention": "at_once"})

    kept = {row.kind: (row.email, row.email_daily) for row in Preference.objects.all()}
    assert (kept["comment"], kept["mention"], kept["run_failed"]) == ((True, True), (True, False), (False, False))


def test_the_time_zone_is_a_person_s_own(ines):
    ines.post("/settings/profile", {"display_name": "Inès", "time_zone": "Asia/Tokyo"})
    refused = ines.post("/settings/profile", {"display_name": "Inès", "time_zone": "No/Where"})

    ines.user.refresh_from_db()
    assert ines.user.time_zone == "Asia/Tokyo"
    assert refused.status_code == 400


def test_people_are_offered_to_who_comments_and_shown_where_named(ines):
    make_user(display_name="Anna Nováková")
    run = make_run(instrument=make_instrument(id="reader"), run_id="7")
    Comment.objects.create(run=run, user=ines.user, body='@"Anna Nováková" and @nobody')
    url = "/instruments/reader/runs/7"

    offered = ines.get(f"{url}/people?q=nová").json()["people"]
    page = ines.get(url).content.decode()

    assert offered == [{"name": "Anna Nováková", "initials": "AN", "text": '@"Anna Nováková"'}]
    assert '<span class="mention">@Anna Nováková</span> and @nobody' in page
    assert ines.get("/instruments/reader/runs/8/people?q=a").status_code == 404
