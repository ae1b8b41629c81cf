"""Each kind of caller, by each road to the data, is named in the rows of what it changes."""

import hashlib
import sys
from contextlib import nullcontext

import pytest
from django.core.management import call_command
from django.db import connection, transaction

import manage
from accounts.models import Integration, Invitation, SecondFactor, Token, User
from accounts.trail.rows import find_trail_model, list_trail_models
from changes.models import Webhook
from config.celery import app
from files.models import File
from instruments.groups.models import Group, GroupInstrument, Membership
from instruments.models import Instrument
from notifications.models import Follow, NotificationRule, Preference
from runs.holds.models import Hold
from runs.models import Claim, Comment, ElnTemplate, Run, ShareLink
from runs.projects.models import Project
from runs.saved_views.models import SavedView
from runs.signatures.models import Signature
from tests.factories import (
    PASSWORD,
    make_file,
    make_group,
    make_instrument,
    make_release,
    make_run,
    make_token,
    make_token_with_text,
    make_user,
    make_watcher,
)
from tests.mcp_server.assistants import Assistant
from tests.mcp_server.oauth_flow import access_token
from watchers.models import EnrolmentCode, WantedConfig, Watcher, WatcherRelease
from wire.audit_context import audit_context, service_principal

pytestmark = pytest.mark.django_db
RUN = "/api/v1/instruments/cary-60/runs/plate-7"
PERSON, TOKEN = "person", "token"
SOONER = "stability_seconds: 2\n"
WANTED = {"config_yaml": SOONER, "checksum": hashlib.sha256(SOONER.encode()).hexdigest()}
CHANGES = [  # who, method, path, body, what is changed, the label of its row
    (TOKEN, "POST", "/api/v1/instruments", {"id": "tecan-2"}, Instrument, "insert"),
    (TOKEN, "PATCH", "/api/v1/instruments/cary-60", {"display_name": "Cary"}, Instrument, "update"),
    (PERSON, "PATCH", "/api/v1/instruments/cary-60", {"status": "inactive"}, Instrument, "update"),
    (PERSON, "PATCH", "/api/v1/instruments/cary-60", {"status": "inactive"}, Watcher, "update"),
    (TOKEN, "POST", "/api/v1/instruments/cary-60/runs", {"run_id": "plate-8"}, Run, "insert"),
    (TOKEN, "PATCH", RUN, {"metadata": {"buffer": "PBS"}}, Run, "update"),
    (TOKEN, "PATCH", RUN, {"detected_files": [{"filename": "b.csv", "relative_path": "b.csv"}]}, File, "insert"),
    (PERSON, "PUT", f"{RUN}/tags/qc", None, Run, "update"),
    (PERSON, "POST", "/api/v1/projects", {"name": "Buffers"}, Project, "insert"),
    (PERSON, "POST", "/api/v1/groups", {"name": "Proteins"}, Group, "insert"),
    (PERSON, "POST", "/api/v1/groups", {"name": "P", "instrument_ids": ["cary-60"]}, GroupInstrument, "insert"),
    (PERSON, "PATCH", "/api/v1/groups/{group}", {"members": []}, Membership, "delete"),
    (PERSON, "PUT", f"{RUN}/hold", {"reason": "An audit"}, Hold, "insert"),
    (
        PERSON,
        "POST",
        "/api/v1/instruments/cary-60/runs/plate-6/signatures",
        {"meaning": "reviewed", "password": PASSWORD},
        Signature,
        "insert",
    ),
    (PERSON, "POST", f"{RUN}/share-links", {}, ShareLink, "insert"),
    (TOKEN, "POST", f"{RUN}/share-links", {"days": 1}, ShareLink, "insert"),
    (TOKEN, "DELETE", RUN, None, Run, "update"),
    (PERSON, "DELETE", RUN, None, Run, "update"),
    (PERSON, "PUT", f"{RUN}/attributions/me", None, Claim, "insert"),
    (PERSON, "POST", f"{RUN}/comments", {"body": "Looks right."}, Comment, "insert"),
    (TOKEN, "POST", f"{RUN}/comments", {"body": "Looks right."}, Comment, "insert"),
    (PERSON, "POST", f"{RUN}/files", {"filename": "c.csv"}, File, "insert"),
    (TOKEN, "POST", f"{RUN}/request-upload-url", {"filename": "d.csv", "size_bytes": 5}, File, "insert"),
    (TOKEN, "PATCH", "/api/v1/files/{file}", {"metadata": {"plate": 7}}, File, "update"),
    (PERSON, "DELETE", "/api/v1/files/{file}", None, File, "update"),
    (TOKEN, "POST", "/api/v1/watchers/{watcher}/heartbeat", {"status": "watching"}, Watcher, "update"),
    (PERSON, "DELETE", "/api/v1/watchers/{watcher}", None, Watcher, "update"),
    (PERSON, "PUT", "/api/v1/watchers/{watcher}/wanted-config", WANTED, WantedConfig, "insert"),
    (PERSON, "POST", "/api/v1/tokens", {"name": "evaluation", "scopes": ["runs:read"]}, Token, "insert"),
    (PERSON, "DELETE", "/api/v1/tokens/{token}", None, Token, "update"),
    (PERSON, "POST", "/api/v1/enrolment-codes", {"instrument_id": "cary-60"}, EnrolmentCode, "insert"),
    (PERSON, "POST", "/api/v1/invitations", {"email": "ada@lab.example"}, Invitation, "insert"),
    (PERSON, "PATCH", "/api/v1/users/{user}", {"is_admin": True}, User, "update"),
    (PERSON, "PUT", "/api/v1/settings/notifications", {"followed_instruments": ["cary-60"]}, Follow, "insert"),
    (
        PERSON,
        "PUT",
        "/api/v1/settings/notifications",
        {"kinds": {"comment": {"in_app": False, "chat": False}}},
        Preference,
        "insert",
    ),
    (PERSON, "POST", "/api/v1/webhooks", {"url": "https://receiver.example/ids"}, Webhook, "insert"),
    (PERSON, "POST", "/api/v1/notification-rules", {"event": "run_failed"}, NotificationRule, "insert"),
    (PERSON, "PUT", "/api/v1/settings/integrations", {"chat": {"token": "xoxb-1"}}, Integration, "insert"),
    (PERSON, "POST", "/api/v1/settings/watcher-releases", {"version": "3.0.0"}, WatcherRelease, "insert"),
]


def latest(model):
    return find_trail_model(model).objects.order_by("pgh_id").last()


def actor(model):
    context = latest(model).pgh_context
    return context["kind"], context["id"], context["name"]


@pytest.mark.parametrize(("who", "method", "path", "body", "model", "label"), CHANGES)
def test_over_rest(as_admin, as_token, who, method, path, body, model, label):
    api = as_admin(display_name="Inès Moreau") if who == PERSON else as_token(name="Plate reader")
    instrument = make_instrument(id="cary-60")
    run = make_run(instrument=instrument, run_id="plate-7")
    make_run(instrument=instrument, run_id="plate-6")
    watcher = make_watcher(instrument=instrument, token=api.token or make_token())
    place = {"file": make_file("a.csv", run=run).pk, "watcher": watcher.pk}
    place |= {"token": make_token().pk, "user": make_user().pk, "group": make_group(make_user()).pk}

    answer = api.send(method, path.format(**place), body, X_Request_ID="req-7")

    assert answer.status_code in (200, 201, 204), answer.content
    expected = (who, str((api.user or api.token).pk), api.user.name if api.user else "Plate reader")
    assert (latest(model).pgh_label, actor(model)) == (label, expected)
    assert latest(model).pgh_context["request_id"] == "req-7"


def test_every_model_with_a_trail_is_changed_over_rest():
    changed = {model for *_, model, _ in CHANGES}
    changed |= {
        SecondFactor,
        SavedView,
        ElnTemplate,
    }  # on pages only: tests/accounts/test_second_factor, dashboard/runs/test_saved_views, runs/test_eln

    assert changed == {trail.pgh_tracked_model for trail in list_trail_models()}


def test_a_bearer_goes_before_the_cookie_that_came_along(as_admin, as_token):
    run, person, token = make_run(), as_admin(), as_token()

    person.client.patch(
        f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}",
        {"metadata": {"a": 1}},
        content_type="application/json",
        headers=token.headers,
    )

    assert actor(Run)[:2] == ("token", str(token.token.pk))


def test_on_a_page(as_person):
    run, person = make_run(instrument=make_instrument(id="cary-60"), run_id="plate-7"), as_person()

    person.client.post(RUN.removeprefix("/api/v1") + "/comments", {"body": "b"}, headers=person.headers)

    assert Comment.objects.get().run == run
    assert actor(Comment)[:2] == ("person", str(person.user.pk))


def test_on_the_admin_site(as_person):
    person, release = as_person(is_admin=True), make_release(published_at=None)

    chosen = {"action": "publish", "_selected_action": [str(release.pk)]}
    person.client.post("/admin/watchers/watcherrelease/", chosen, headers=person.headers)

    assert (latest(WatcherRelease).pgh_label, actor(WatcherRelease)[1]) == ("update", str(person.user.pk))


def test_a_token_over_mcp():
    run, (token, text) = make_run(), make_token_with_text(name="Assistant")

    Assistant(text).answer("delete_run", instrument_id=run.instrument_id, run_id=run.run_id)

    assert actor(Run) == ("token", str(token.pk), "Assistant")
    assert latest(Run).pgh_context["request_id"]


def test_a_client_that_acts_for_a_person():
    run, person = make_run(), make_user(display_name="Inès Moreau")

    Assistant(access_token(person)).answer("claim_run", instrument_id=run.instrument_id, run_id=run.run_id)

    kind, _, name = actor(Claim)
    assert (kind, name) == ("client", "Bench Assistant")
    assert latest(Claim).pgh_context["person"] == {"kind": "person", "id": str(person.pk), "name": "Inès Moreau"}


def test_a_task():
    touch()

    assert actor(Watcher) == ("service", None, "task tests.touch")


@app.task(name="tests.touch")
def touch():
    make_watcher()


def test_a_command(monkeypatch, capsys):
    monkeypatch.setattr(manage, "surroundings", lambda command: nullcontext())
    monkeypatch.setattr(manage, "execute_from_command_line", lambda given: call_command(*given[1:]))
    monkeypatch.setattr(sys, "argv", ["manage.py", "create_token", "evaluation", "--scopes", "runs:read"])

    manage.main()

    assert actor(Token) == ("service", None, "command create_token")


def test_somebody_with_a_password_of_the_database():
    run = make_run()

    with connection.connection.cursor() as cursor:
        cursor.execute("UPDATE runs_run SET source = 'worker' WHERE id = %s", [run.pk])

    assert actor(Run) == ("service", None, "database role ids_owner")


def test_a_savepoint_that_is_rolled_back_leaves_the_name_to_the_next(as_token):
    run = make_run()

    with audit_context(service_principal("importer")):
        try:
            with transaction.atomic():
                Run.objects.filter(pk=run.pk).update(source="worker")
                raise ValueError
        except ValueError:
            Run.objects.filter(pk=run.pk).update(source="watcher")

    assert latest(Run).changes == {"source": ["script", "watcher"]}
    assert actor(Run)[2] == "importer"


def test_a_name_cannot_end_the_comment_it_stands_in():
    name = "*/ DELETE FROM runs_run; /* %s %(a)s ' \" \\ \n ünï 🔬"
    run = make_run()

    with audit_context(service_principal(name), request_id="r"):
        Run.objects.filter(pk=run.pk).update(source="worker")

    assert actor(Run)[2] == name
    assert Run.objects.get() == run


def test_the_longest_of_names_fits():
    with audit_context(service_principal("*" * 1_000), request_id="r" * 64, reason="/" * 1_000):
        make_run()

    assert latest(Run).pgh_context["name"] == "*" * 100
    assert latest(Run).pgh_context["reason"] == "/" * 100


def test_the_reason_is_kept_where_there_is_one(as_admin):
    watcher = make_watcher()

    as_admin().patch(f"/api/v1/instruments/{watcher.instrument_id}", {"status": "inactive"})

    assert latest(Watcher).pgh_context["reason"] == "the instrument was deactivated"
    assert latest(Instrument).pgh_context["reason"] is None


def test_who_was_at_work_is_forgotten_after_each_request(as_token):
    run = make_run()
    as_token().patch(f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}", {"metadata": {"a": 1}})

    Run.objects.filter(pk=run.pk).update(source="worker")

    assert actor(Run)[0] == "service"
