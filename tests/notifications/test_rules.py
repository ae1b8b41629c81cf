"""Rules in words: what they match, by which ways they reach, and that nobody hears twice."""

from datetime import UTC, datetime

import pytest

from accounts.callers import caller_for_token, caller_for_user
from archives.jobs import finish_job
from archives.models import ArchiveJob
from files.changes import FileChange, change_file
from files.choices import FileStatus
from notifications.announcements import deliver_next_announcement
from notifications.grouping import GROUPING_WINDOW
from notifications.models import Announcement, EmailDelivery, Notification, NotificationRule, Preference
from notifications.rules import catalogue
from notifications.rules.catalogue import RuleWish, add_rule, describe_rule
from notifications.rules.models import RuleEvent, Whose
from runs.comments.discussion import add_comment
from runs.models import Claim
from tests.factories import (
    make_file,
    make_group,
    make_instrument,
    make_project,
    make_rule,
    make_run,
    make_token,
    make_user,
    make_watcher,
)
from watchers.signals import watcher_went_offline
from wire.clock import now

pytestmark = pytest.mark.django_db
RULES = "/api/v1/notification-rules"


def deliver():
    while deliver_next_announcement(at=now() + GROUPING_WINDOW):
        pass
    return sorted(Notification.objects.values_list("recipient__display_name", "kind"))


@pytest.fixture
def anna():
    return make_user(display_name="Anna")


def read_file(run, status="completed"):
    file = make_file("plate.csv", run=run, status="processing")
    change = FileChange(status=FileStatus(status), error_message="no header" if status == "failed" else None)
    change_file(file.pk, change=change, by=caller_for_token(make_token()), at=now())


@pytest.mark.parametrize(
    ("named", "is_told"),
    [
        ({}, True),
        ({"instrument_id": "neo2"}, True),
        ({"instrument_id": "other"}, False),
        ({"tag": "qc"}, True),
        ({"tag": "other"}, False),
        ({"instrument_id": "neo2", "tag": "qc"}, True),
        ({"whose": "mine"}, False),
        ({"paused_at": "2026-01-01T00:00Z"}, False),
        ({"created_at": datetime(2999, 1, 1, tzinfo=UTC)}, False),
        ({"event": "run_failed"}, False),
    ],
)
def test_a_rule_is_met_where_all_holds_that_it_names(anna, named, is_told):
    run = make_run(instrument=make_instrument(id="neo2"), tags=["qc"])
    make_instrument(id="other")
    make_rule(**{"event": "run_completed", "user": anna} | named)

    read_file(run)

    assert deliver() == ([("Anna", "run_completed")] if is_told else [])


def test_runs_of_mine_of_a_person_and_of_a_project(anna):
    bob, project = make_user(display_name="Bob"), make_project()
    run = make_run(project=project)
    Claim.objects.create(run=run, user=bob)
    make_rule("run_completed", user=bob, whose="mine")
    make_rule("run_completed", user=anna, whose="person", person=bob, project=project)
    make_rule("run_completed", user=make_user(display_name="Eve"), whose="person", person=anna)

    read_file(run)

    assert deliver() == [("Anna", "run_completed"), ("Bob", "run_completed")]


def test_a_run_is_completed_with_its_last_file(anna):
    run = make_run()
    make_file(run=run, status="uploaded")
    make_rule("run_completed", user=anna)

    read_file(run)

    assert deliver() == []


def test_nothing_is_written_where_nobody_has_a_rule(anna):
    read_file(make_run())

    assert not Announcement.objects.exists()


def test_who_asked_for_every_file_hears_of_it_and_not_of_its_run(anna):
    run = make_run(run_id="r1")
    Claim.objects.create(run=run, user=anna)
    make_user(display_name="Boss", is_admin=True)
    make_rule("file_failed", user=anna)

    read_file(run, "failed")

    assert deliver() == [("Anna", "file_failed"), ("Boss", "run_failed")]
    assert "plate.csv of r1" in Notification.objects.get(kind="file_failed").message
    assert "no header" in Notification.objects.get(kind="file_failed").message


def test_a_rule_adds_a_way_to_what_one_gets_anyway(anna, settings):
    settings.EMAIL_URL = "smtp://mail.lab.example"
    run = make_run()
    Claim.objects.create(run=run, user=anna)
    make_rule("run_failed", user=anna, whose="mine", in_app=False, email=True)

    read_file(run, "failed")

    assert deliver() == [("Anna", "run_failed")]
    assert Notification.objects.get().in_app
    assert EmailDelivery.objects.filter(is_daily=False).count() == 1


def test_a_rule_by_e_mail_alone_leaves_the_inbox_alone(anna, settings):
    settings.EMAIL_URL = "smtp://mail.lab.example"
    make_rule("run_completed", user=anna, in_app=False, email=True)
    make_rule("run_completed", user=anna, whose="mine")

    read_file(make_run())

    assert deliver() == [("Anna", "run_completed")]
    assert not Notification.objects.get().in_app
    assert EmailDelivery.objects.count() == 1


def test_a_muted_kind_reaches_who_has_a_rule_for_it(anna):
    Preference.objects.create(user=anna, kind="comment", in_app=False, chat=False)
    run = make_run()
    make_rule("comment", user=anna)

    add_comment(instrument=run.instrument_id, run_id=run.run_id, body="look", by=caller_for_user(make_user()), at=now())

    assert deliver() == [("Anna", "comment")]
    assert Notification.objects.get().in_app


def test_archives_and_watchers(anna):
    watcher = make_watcher()
    job = ArchiveJob.objects.create(run=make_run(), cache_key="0" * 64, file_ids=[1])
    make_rule("archive_ready", user=anna)
    make_rule("watcher_silent", user=anna, instrument=watcher.instrument)

    finish_job(job.pk, size_bytes=1, at=now())
    watcher_went_offline.send(sender=None, watcher=watcher, at=now())

    assert deliver() == [("Anna", "archive_ready"), ("Anna", "watcher_offline")]


def test_a_rule_of_a_hidden_instrument_tells_and_shows_nothing(anna):
    hidden = make_instrument(visibility="groups")
    rule = make_rule("run_completed", user=anna, instrument=hidden)
    make_rule("run_completed", user=anna)

    read_file(make_run(instrument=hidden))

    assert deliver() == []
    assert rule not in catalogue.list_rules(by=caller_for_user(anna))


def test_matching_asks_the_database_as_often_for_many_rules(anna, django_assert_max_num_queries):
    run = make_run()
    for _ in range(20):
        make_rule("run_completed", user=make_user())
    read_file(run)

    with django_assert_max_num_queries(15):
        deliver_next_announcement(at=now())

    assert Notification.objects.count() == 20


def test_a_rule_reads_as_a_sentence(anna):
    by = caller_for_user(anna)
    neo = make_instrument(display_name="Neo2")
    wishes = [
        RuleWish(RuleEvent.RUN_FAILED, Whose.MINE),
        RuleWish(RuleEvent.RUN_COMPLETED, Whose.PERSON, anna.pk, neo.pk, email=True),
        RuleWish(RuleEvent.FILE_FAILED, project_id=make_project(name="P").pk, tag="qc", in_app=False, email=True),
        RuleWish(RuleEvent.WATCHER_SILENT, instrument_id=neo.pk),
    ]

    assert [describe_rule(add_rule(wish, by=by, at=now())) for wish in wishes] == [
        "When a run of mine fails, tell me in the inbox.",
        "When a run of Anna on Neo2 is completed, tell me in the inbox and by e-mail.",
        "When any run in the project P with the tag qc has a file that cannot be read, tell me by e-mail.",
        "When the watcher of Neo2 falls silent, tell me in the inbox.",
    ]


def test_rules_by_rest(as_person):
    api = as_person(display_name="Me")
    make_user(display_name="Anna")

    made = api.post(RULES, {"event": "run_failed", "whose": "person", "person": "Anna"})
    rule = f"{RULES}/{made.json()['id']}"
    paused = api.patch(rule, {"paused": True, "email": True})

    assert made.status_code == 201
    assert made.json()["sentence"] == "When a run of Anna fails, tell me in the inbox."
    assert (paused.json()["paused_at"] is not None, paused.json()["email"]) == (True, True)
    assert len(api.get(RULES).json()["data"]) == 1
    assert api.delete(rule).status_code == 204
    assert api.delete(rule).status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"event": "nope"}, "event"),
        ({"event": "run_failed", "whose": "person"}, "person"),
        ({"event": "run_failed", "whose": "mine", "person": "Me"}, "person"),
        ({"event": "run_failed", "person": "Nobody at all"}, "person"),
        ({"event": "run_failed", "instrument_id": "nowhere"}, "instrument_id"),
        ({"event": "run_failed", "project_id": "00000000-0000-4000-8000-000000000000"}, "project_id"),
        ({"event": "run_failed", "tag": "No Tag"}, "tag"),
        ({"event": "run_failed", "in_app": False}, "in_app"),
        ({"event": "watcher_silent", "whose": "mine"}, "event"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_field(as_person, body, field):
    answer = as_person(display_name="Me").post(RULES, body)

    assert answer.status_code == 400
    assert field in answer.json()["error"]["details"]["fields"]


def test_a_rule_is_had_once_and_there_are_not_too_many(as_person, monkeypatch):
    api = as_person()
    body = {"event": "run_failed"}
    assert api.post(RULES, body).status_code == 201
    assert api.post(RULES, body).status_code == 409
    monkeypatch.setattr(catalogue, "MAX_RULES", 1)

    assert api.post(RULES, {"event": "comment"}).status_code == 409
    assert NotificationRule.objects.count() == 1


def test_rules_of_others_are_not_there(as_person):
    theirs = make_rule()

    assert as_person().patch(f"{RULES}/{theirs.pk}", {"paused": True}).status_code == 404


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("rule_event_is_known", {"event": "nope"}),
        ("rule_names_a_person_or_none", {"whose": "person"}),
        ("rule_names_a_person_or_none", {"whose": "nope"}),
        ("rule_of_a_watcher_names_an_instrument_or_none", {"event": "watcher_silent", "tag": "qc"}),
        ("rule_reaches_somewhere", {"in_app": False}),
    ],
)
def test_constraints(refused_by, constraint, fields):
    refused_by(constraint, lambda: make_rule(**fields))


def test_one_rule_per_wish(refused_by, anna):
    make_rule(user=anna)

    refused_by("one_rule_per_wish", lambda: make_rule(user=anna))


def test_a_member_of_the_group_is_told(anna):
    hidden = make_instrument(visibility="groups")
    make_group(anna, instruments=[hidden])
    make_rule("run_completed", user=anna, instrument=hidden)

    read_file(make_run(instrument=hidden))

    assert deliver() == [("Anna", "run_completed")]
