"""Whatever callers do to runs, files and comments, in any order: answers and counts are those of a model."""

from dataclasses import dataclass, field, replace

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from accounts import rate_limits as rates
from tests.clients import Api
from tests.factories import make_instrument, make_token_with_text, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
RUNS, FILES = st.sampled_from(["a", "b"]), st.sampled_from(["x.csv", "y.png", "z.raw"])
DETECTED, REQUESTED, DISMISSED = "detected", "upload_requested", "dismissed"
UNHURRIED = settings(
    max_examples=10, stateful_step_count=20, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@dataclass
class Model:
    is_deleted: bool = False
    is_claimed: bool = False
    files: dict[str, tuple[int, str]] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)

    @property
    def active(self):
        return {name: status for name, (_, status) in self.files.items() if status != DISMISSED}

    @property
    def status(self):
        return "pending_upload" if self.active else "empty"


class Laboratory(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.sandbox = transaction.atomic()
        self.sandbox.__enter__()
        self.runs = {}
        self.instrument = make_instrument()
        self.script, self.person = Api(text=make_token_with_text()[1]), Api(user=make_user())

    def teardown(self):
        transaction.set_rollback(True)
        self.sandbox.__exit__(None, None, None)

    def path(self, run):
        return f"/api/v1/instruments/{self.instrument.pk}/runs/{run}"

    @rule(run=RUNS)
    def report(self, run):
        answer = self.script.post(f"/api/v1/instruments/{self.instrument.pk}/runs", {"run_id": run})

        known = self.runs.get(run)
        assert answer.status_code == (201 if known is None else 409 if known.is_deleted else 200)
        self.runs.setdefault(run, Model())

    @rule(run=RUNS)
    def delete(self, run):
        answer, known = self.script.delete(self.path(run)), self.runs.get(run)

        assert answer.status_code == (200 if known else 404)
        if known:
            assert answer.json()["already_applied"] is known.is_deleted
            known.is_deleted = True

    @rule(run=RUNS)
    def restore(self, run):
        answer, known = self.script.post(f"{self.path(run)}/restore"), self.runs.get(run)

        assert answer.status_code == (200 if known else 404)
        if known:
            assert answer.json()["already_applied"] is not known.is_deleted
            known.is_deleted = False

    def expected(self, run, status):
        known = self.runs.get(run)
        return 404 if known is None else 409 if known.is_deleted else status

    @rule(run=RUNS, name=FILES)
    def see_a_file(self, run, name):
        answer = self.script.post(f"{self.path(run)}/files", {"filename": name})

        known = self.runs.get(run)
        assert answer.status_code == self.expected(run, 200 if known and name in known.files else 201)
        if answer.status_code == 201:
            known.files[name] = (answer.json()["id"], DETECTED)

    @rule(run=RUNS, name=FILES)
    def ask_for_a_file(self, run, name):
        file_id, status = self.file_of(run, name)
        answer = self.script.post(f"{self.path(run)}/request-upload", {"file_ids": [file_id]})

        may = status in (DETECTED, REQUESTED)
        assert answer.status_code == self.expected(run, 200 if may else 400)
        if answer.status_code == 200:
            self.runs[run].files[name] = (file_id, REQUESTED)

    @rule(run=RUNS, name=FILES)
    def dismiss_a_file(self, run, name):
        file_id, status = self.file_of(run, name)
        answer = self.script.delete(f"/api/v1/files/{file_id}")

        assert answer.status_code == (404 if status is None else self.expected(run, 200))
        if answer.status_code == 200:
            assert answer.json()["already_applied"] is (status == DISMISSED)
            self.runs[run].files[name] = (file_id, DISMISSED)

    def file_of(self, run, name):
        known = self.runs.get(run)
        return known.files.get(name, (999_999_999, None)) if known else (999_999_999, None)

    @rule(run=RUNS)
    def comment(self, run):
        answer = self.script.post(f"{self.path(run)}/comments", {"body": "seen"})

        assert answer.status_code == self.expected(run, 201)
        if answer.status_code == 201:
            self.runs[run].comments.append(answer.json()["id"])

    @precondition(lambda self: any(known.comments for known in self.runs.values()))
    @rule(data=st.data(), method=st.sampled_from(["PATCH", "DELETE"]), is_author=st.booleans())
    def change_a_comment(self, data, method, is_author):
        run = data.draw(st.sampled_from([run for run, known in self.runs.items() if known.comments]))
        comment = data.draw(st.sampled_from(self.runs[run].comments))
        api = self.script if is_author else self.person
        answer = api.send(method, f"{self.path(run)}/comments/{comment}", {"body": "seen again"})

        assert answer.status_code == (self.expected(run, 200) if is_author else 403)
        if answer.status_code == 200 and method == "DELETE":
            self.runs[run].comments.remove(comment)

    @rule(run=RUNS, method=st.sampled_from(["PUT", "DELETE"]))
    def claim(self, run, method):
        answer = self.person.send(method, f"{self.path(run)}/attributions/me")

        assert answer.status_code == self.expected(run, 200)
        if answer.status_code == 200:
            self.runs[run].is_claimed = method == "PUT"

    @invariant()
    def every_run_shows_what_happened_to_it(self):
        for run, known in self.runs.items():
            shown = self.script.get(self.path(run)).json()
            assert (shown["deleted_at"] is not None, len(shown["attributions"])) == (known.is_deleted, known.is_claimed)
            assert (shown["file_count"], shown["comment_count"]) == (len(known.active), len(known.comments))
            assert {file["filename"]: file["status"] for file in shown["files"]} == known.active
            assert shown["status"] == known.status

    @invariant()
    def lists_hold_the_active_runs(self):
        listed = self.script.get(f"/api/v1/instruments/{self.instrument.pk}/runs").json()

        assert {row["run_id"] for row in listed["data"]} == {
            run for run, known in self.runs.items() if not known.is_deleted
        }
        assert listed["pagination"]["total"] == len(listed["data"])


def test_any_order_of_calls_leaves_what_the_model_says(monkeypatch):
    monkeypatch.setattr(rates, "REQUESTS", replace(rates.REQUESTS, max_hits=0))

    run_state_machine_as_test(Laboratory, settings=UNHURRIED)
