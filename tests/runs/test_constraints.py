"""Every named constraint of instruments, watchers and runs, violated once."""

from pathlib import Path

import pytest

from instruments.groups.models import GroupInstrument, Membership
from instruments.models import Instrument
from runs.models import Claim, Comment, Run
from tests.factories import (
    make_group,
    make_hold,
    make_instrument,
    make_project,
    make_run,
    make_token,
    make_user,
    make_view,
    make_watcher,
)
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("instrument_id_is_a_slug", {"id": "Upper"}),
        ("instrument_has_a_name", {"display_name": ""}),
        ("instrument_status_is_known", {"status": "broken"}),
        ("instrument_has_a_type", {"instrument_type": ""}),
        ("instrument_has_a_time_zone", {"time_zone": ""}),
        ("instrument_visibility_is_known", {"visibility": "few"}),
        ("instrument_run_count_is_not_negative", {"run_count": -1}),
        ("instrument_expects_files_within_a_year", {"expect_files_every_hours": 0}),
        ("instrument_expects_files_within_a_year", {"expect_files_every_hours": 8785}),
    ],
)
def test_instruments(refused_by, constraint, fields):
    refused_by(constraint, lambda: make_instrument(**fields))


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("watcher_status_is_known", {"status": "flying"}),
        ("watcher_upload_mode_is_known", {"upload_mode": "odd"}),
        ("watcher_config_checksum_is_sha256", {"config_checksum": "x"}),
        ("watcher_config_comes_whole", {"config_yaml": "a: 1"}),
    ],
)
def test_watchers(refused_by, constraint, fields):
    refused_by(constraint, lambda: make_watcher(**fields))


def test_projects(refused_by):
    make_project(name="Buffers")

    refused_by("project_has_a_name", lambda: make_project(name=""))
    refused_by("one_project_per_name", lambda: make_project(name="BUFFERS"))


def test_groups(refused_by):
    person, reader = make_user(), make_instrument()
    group = make_group(person, instruments=[reader], name="Proteins")

    refused_by("group_has_a_name", lambda: make_group(name=""))
    make_group(claimed_as="lab-lasers")
    refused_by("one_group_per_claim", lambda: make_group(claimed_as="lab-lasers"))
    refused_by("group_claim_is_a_name", lambda: make_group(claimed_as=""))
    refused_by("one_group_per_name", lambda: make_group(name="PROTEINS"))
    refused_by("group_role_is_known", lambda: Membership.objects.create(group=group, person=make_user(), role="boss"))
    refused_by("one_membership_per_group_and_person", lambda: Membership.objects.create(group=group, person=person))
    refused_by(
        "one_entry_per_group_and_instrument", lambda: GroupInstrument.objects.create(group=group, instrument=reader)
    )


def test_holds(refused_by):
    refused_by("hold_has_a_reason", lambda: make_hold(reason=""))
    refused_by("hold_is_on_a_run_or_a_project", lambda: make_hold(run=make_run(), project=make_project()))
    refused_by("hold_is_on_a_run_or_a_project", lambda: make_hold(run=None))


@pytest.mark.parametrize("change", [{"deleted_at": now()}, {"project": None}])
def test_what_is_held_by_its_project_stays_whoever_writes(refused_by, change):
    run = make_run(project=make_project())
    make_hold(project=run.project)

    refused_by("held_runs_stay", lambda: Run.objects.filter(pk=run.pk).update(**change))


def test_a_held_run_stays_whoever_writes(refused_by):
    hold = make_hold()

    refused_by("held_runs_stay", lambda: Run.objects.filter(pk=hold.run_id).update(deleted_at=now()))


def test_saved_views(refused_by):
    ines, bench = make_user(), make_instrument()
    make_view(owner=ines, name="Failures", is_shared=True, instrument=bench)
    make_view(name="failures")

    refused_by("one_view_per_owner_and_name", lambda: make_view(owner=ines, name="FAILURES"))
    refused_by("one_default_view_per_instrument", lambda: make_view(is_shared=True, instrument=bench))
    refused_by("view_has_a_name", lambda: make_view(name=""))
    refused_by("default_view_is_shared", lambda: make_view(instrument=make_instrument()))


@pytest.mark.parametrize("query", ["/runs", "?a=b", "a=https://elsewhere.example"])
def test_a_saved_view_keeps_a_query_and_no_address(refused_by, query):
    refused_by("view_query_is_a_query", lambda: make_view(query=query))


def test_one_active_watcher_per_instrument(refused_by):
    instrument = make_instrument()
    make_watcher(instrument=instrument, deleted_at="2026-01-01T00:00Z")
    make_watcher(instrument=instrument)

    refused_by("one_active_watcher_per_instrument", lambda: make_watcher(instrument=instrument))


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("run_has_few_tags", {"tags": [f"t{number}" for number in range(31)]}),
        ("run_id_is_a_path_segment", {"run_id": ""}),
        ("run_id_is_a_path_segment", {"run_id": "a/b"}),
        ("run_id_is_a_path_segment", {"run_id": "a\\b"}),
        ("run_id_is_a_path_segment", {"run_id": "a\tb"}),
        ("run_id_is_a_path_segment", {"run_id": ".."}),
        ("run_id_is_a_path_segment", {"run_id": " a"}),
        ("run_id_is_a_path_segment", {"run_id": "a "}),
        ("run_source_is_known", {"source": "human"}),
        ("run_own_is_an_object", {"caller_metadata": [1]}),
        ("run_extracted_is_an_object", {"extracted": [1]}),
        ("run_is_deleted_by_somebody", {"deleted_at": "2026-01-01T00:00Z"}),
        ("run_counts_are_not_negative", {"comment_count": -1}),
        ("run_counts_add_up", {"file_count": 1}),
        ("run_processing_has_a_beginning", {"file_count": 1, "n_processing": 1}),
    ],
)
def test_runs(refused_by, constraint, fields):
    refused_by(constraint, lambda: make_run(**fields))


def test_a_run_that_is_not_deleted_was_deleted_by_nobody(refused_by):
    refused_by("run_is_deleted_by_somebody", lambda: make_run(deleted_by=make_user()))


def test_a_run_is_deleted_by_a_person_or_a_token_not_both(refused_by):
    both = {"deleted_at": "2026-01-01T00:00Z", "deleted_by": make_user(), "deleted_by_token": make_token()}

    refused_by("run_is_deleted_by_somebody", lambda: make_run(**both))


def test_one_run_per_instrument_and_run_id_deleted_ones_included(refused_by):
    run = make_run(deleted_at="2026-01-01T00:00Z", deleted_by=make_user())

    again = {"instrument": run.instrument, "run_id": run.run_id}

    refused_by("one_run_per_instrument_and_run_id", lambda: make_run(**again))


def test_one_claim_per_person_and_run(refused_by):
    claim = Claim.objects.create(run=make_run(), user=make_user())

    refused_by("one_claim_per_person_and_run", lambda: Claim.objects.create(run=claim.run, user=claim.user))


@pytest.mark.parametrize("body", ["", "x" * 10_001])
def test_the_length_of_a_comment(refused_by, body):
    refused_by("comment_body_length", lambda: Comment.objects.create(run=make_run(), user=make_user(), body=body))


@pytest.mark.parametrize("authors", [(), ("user", "token")])
def test_a_comment_has_one_author(refused_by, authors):
    known = {"user": make_user(), "token": make_token()}
    fields = {name: known[name] for name in authors}

    refused_by("comment_has_one_author", lambda: Comment.objects.create(run=make_run(), body="x", **fields))


def test_a_purged_run_stays_deleted_and_bytes_are_kept_for_days(refused_by):
    run = make_run()

    refused_by("purged_run_stays_deleted", lambda: Run.objects.filter(pk=run.pk).update(purged_at=now()))
    instrument = Instrument.objects.filter(pk=run.instrument_id)
    refused_by("instrument_keeps_for_days", lambda: instrument.update(expire_raw_after_days=0))
    refused_by("instrument_cools_after_days", lambda: instrument.update(cold_raw_after_days=0))


def test_every_named_constraint_is_violated_here():
    models = (Instrument, Run, Claim, Comment)
    named = {constraint.name for model in models for constraint in model._meta.constraints}

    assert {name for name in named if f'"{name}"' not in Path(__file__).read_text()} == set()
