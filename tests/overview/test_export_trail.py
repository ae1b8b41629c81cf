"""`./ids manage export_trail`."""

import csv
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from runs.models import Run
from tests.factories import make_file, make_run
from wire.audit_context import Principal, audit_context

pytestmark = pytest.mark.django_db


def exported(*options):
    output = StringIO()
    call_command("export_trail", *options, stdout=output)
    return output.getvalue()


def rows_of(text):
    return [json.loads(line) for line in text.splitlines()]


def test_json_lines_hold_every_change_in_order(as_token):
    run, api = make_run(run_id="plate-7"), as_token(name='the "first"\nof two, ünï')
    api.patch(f"/api/v1/instruments/{run.instrument_id}/runs/plate-7", {"metadata": {"buffer": "PBS"}})

    rows = rows_of(exported("--format", "jsonl"))

    assert [(row["object_kind"], row["action"]) for row in rows] == [
        ("instrument", "created"),
        ("run", "created"),
        ("token", "created"),
        ("run", "changed"),
    ]
    assert rows[-1] | {"id": 0, "at": "", "request_id": ""} == {
        "id": 0,
        "at": "",
        "actor_kind": "token",
        "actor_id": str(api.token.pk),
        "actor_name": 'the "first"\nof two, ünï',
        "on_behalf_of_id": None,
        "on_behalf_of_name": None,
        "action": "changed",
        "object_kind": "run",
        "object_id": str(run.pk),
        "within": str(run.pk),
        "changes": {"metadata.buffer": [None, "PBS"]},
        "request_id": "",
        "reason": None,
    }


def test_csv_says_the_same(as_token):
    as_token(name='the "first"\nof two, ünï')
    make_file("a,b.csv")

    told = list(csv.DictReader(StringIO(exported())))

    for row, line in zip(told, rows_of(exported("--format", "jsonl")), strict=True):
        known = {name: "" if value is None else str(value) for name, value in line.items() if name != "changes"}
        assert row | {"changes": json.loads(row["changes"])} == known | {"changes": line["changes"]}


def test_no_cell_of_the_csv_is_a_formula(db):
    with audit_context(Principal("token", "t1", '=HYPERLINK("evil.example","a")'), reason="@SUM(A1)"):
        make_run()

    cells = [cell for line in csv.reader(StringIO(exported())) for cell in line]

    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []
    assert {'\'=HYPERLINK("evil.example","a")', "'@SUM(A1)"} <= set(cells)


def test_a_part_can_be_asked_for():
    run = make_run()
    make_file(run=run)
    at = rows_of(exported("--format", "jsonl"))[-1]["at"]
    Run.objects.filter(pk=run.pk).update(source="worker")

    by_kind = rows_of(exported("--format", "jsonl", "--kind", "file"))
    later = rows_of(exported("--format", "jsonl", "--since", at, "--kind", "run", "--kind", "file"))

    assert [row["object_kind"] for row in by_kind] == ["file"]
    assert {row["at"] >= at for row in later} == {True}
    assert later[-1]["changes"] == {"source": ["script", "worker"]}
    assert rows_of(exported("--format", "jsonl", "--until", "2020-01-01T00:00:00Z")) == []


@pytest.mark.parametrize("options", [["--since", "yesterday"], ["--kind", "heartbeat"], ["--format", "xml"]])
def test_what_cannot_be_asked_is_refused(options):
    with pytest.raises(CommandError):
        exported(*options)
