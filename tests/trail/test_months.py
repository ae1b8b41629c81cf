"""The large tables of the trail lie in months, and a month leaves the trail only once its files hold every row."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, transaction

from accounts.models import TrailDetachment
from accounts.trail.exports import verify_exports
from accounts.trail.months import add_months, list_monthly_trails, list_parts, partition_trail
from accounts.trail.rows import find_trail_model
from accounts.trail.sealing import seal_trail
from accounts.trail.verification import Fault, find_extent, verify_rows
from manage import is_for_owner
from operations.embedded.postgres import SERVICE
from runs.models import Run
from tests.factories import make_instrument, make_run
from tests.trail.altering import alter
from tests.trail.test_rights import is_refused
from wire.clock import now

RunTrail = find_trail_model(Run)
LONG_AGO = "2026-01-15T12:00Z"


def faults():
    return list(verify_rows(find_extent()))


def manage(*arguments):
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def alter_protected(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)


def names_of(kind):
    return [part.name for part in list_parts() if part.kind == kind]


@pytest.fixture
def january(db):
    """Two runs of January and one of today, all sealed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT add_trail_months('2026-01-01', 1)")
    instrument = make_instrument()
    old = [make_run(instrument=instrument) for _ in range(2)]
    alter("UPDATE runs_runtrail SET pgh_created_at = %s", LONG_AGO)
    make_run(instrument=instrument)
    seal_trail()
    return old


def test_rows_lie_in_the_month_in_which_they_were_written(db):
    make_run()

    at = RunTrail.objects.get().pgh_created_at.astimezone(UTC)
    months = [f"{at:%Y%m}", f"{at.replace(day=1) + timedelta(days=31):%Y%m}"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableoid::regclass::text FROM runs_runtrail")
        assert cursor.fetchall() == [(f"runs_runtrail_{months[0]}",)]
    for trail in list_monthly_trails():
        names = names_of(trail.pgh_tracked_model._meta.model_name)
        assert {*months, "other"} <= set(names)


def test_a_row_of_no_month_is_kept(db):
    make_run()

    alter("UPDATE runs_runtrail SET pgh_created_at = '2099-01-01T00:00Z'")
    seal_trail()

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM runs_runtrail_other")
        assert cursor.fetchone() == (1,)
    assert faults() == []


def test_a_table_in_one_piece_becomes_the_first_part_as_it_is(db):
    """As an update finds it: rows, an index, a trigger and rights."""
    with connection.cursor() as cursor:
        cursor.execute("""
            CREATE TABLE whole (LIKE runs_claimtrail INCLUDING DEFAULTS, PRIMARY KEY (pgh_id));
            DROP TABLE runs_claimtrail;
            ALTER TABLE whole RENAME TO runs_claimtrail;
            CREATE INDEX trail_of_claim ON runs_claimtrail (run_id, pgh_id DESC);
            CREATE TRIGGER pgtrigger_append_only BEFORE UPDATE OR DELETE ON runs_claimtrail
                FOR EACH ROW EXECUTE FUNCTION pgtrigger_append_only_55b87();
            INSERT INTO runs_claimtrail (pgh_created_at, pgh_label, changes, pgh_context, pgh_obj_id, run_id)
            VALUES (now(), 'insert', '{}', '{}', 1, gen_random_uuid());
        """)
        cursor.execute(f"GRANT SELECT, INSERT ON runs_claimtrail TO {SERVICE}")

    partition_trail(using="default")

    assert any(name.startswith("before_") for name in names_of("claim"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), min(tableoid::regclass::text) FROM runs_claimtrail")
        count, where = cursor.fetchone()
        cursor.execute("SELECT has_table_privilege(%s, 'runs_claimtrail', 'INSERT')", [SERVICE])
        may_add = cursor.fetchone()[0]
    assert (count, where.startswith("runs_claimtrail_before_"), may_add) == (1, True, True)
    with pytest.raises(DatabaseError, match="Cannot update or delete"), transaction.atomic():
        alter_protected("DELETE FROM runs_claimtrail")


def test_months_are_added_once(db):
    at, trails = now(), list_monthly_trails()
    third = f"{at.replace(day=1) + timedelta(days=62):%Y%m}"
    has_third = [third in names_of(trail.pgh_tracked_model._meta.model_name) for trail in trails]

    assert len(set(has_third)) == 1  # none has it where a month ended since the tables were made
    assert [add_months(at=at) for _ in range(2)] == [has_third.count(False), 0]
    assert add_months(at=datetime(2030, 5, 31, tzinfo=UTC)) == 3 * len(list_monthly_trails())
    assert {"203005", "203006", "203007"} <= set(names_of("file"))


def test_the_service_alters_no_month(service):
    make_run()
    parts = [part.partition for part in list_parts()]
    statements = [f"DELETE FROM {part}" for part in parts] + [f"TRUNCATE {part}" for part in parts]

    assert [statement for statement in statements if not is_refused(service, statement)] == []


def test_a_month_is_written_verified_and_taken_away(january, tmp_path):
    told = manage("export_trail", "--month=2026-01", f"--into={tmp_path}")
    manage("detach_trail", "--month=2026-01", f"--export={tmp_path}", "--drop")

    lines = (tmp_path / "trail-run-202601.jsonl").read_text().splitlines()
    assert "trail-run-202601.jsonl: 2 rows" in told
    assert [json.loads(json.loads(line)["row"])[4] for line in lines] == [str(run.pk) for run in january]
    assert RunTrail.objects.count() == 1
    assert "202601" not in names_of("run")
    assert faults() == list(verify_exports(tmp_path)) == []


def test_the_command_says_how_many_files_it_compared(january, tmp_path):
    manage("export_trail", "--month=2026-01", f"--into={tmp_path}")
    manage("detach_trail", "--month=2026-01", f"--export={tmp_path}")

    files = sorted(tmp_path.glob("trail-*.jsonl"))
    assert f"0 differences, {len(files)} files compared" in manage("verify_trail", f"--exports={tmp_path}")

    told = []
    files[0].unlink()
    assert len(list(verify_exports(tmp_path, tell=told.append))) == 1
    assert sum(told) == len(files) - 1


def test_what_was_taken_away_beside_a_month_shows(january, tmp_path):
    manage("export_trail", "--month=2026-01", f"--into={tmp_path}")
    manage("detach_trail", "--month=2026-01", f"--export={tmp_path}")
    file = tmp_path / "trail-run-202601.jsonl"

    alter("DELETE FROM runs_runtrail")
    file.write_text(file.read_text().replace("insert", "INSERT", 1))

    assert [fault.fault for fault in faults()] == [Fault.REMOVED]
    assert [fault.fault for fault in verify_exports(tmp_path)] == [Fault.CHANGED]
    file.unlink()
    assert [fault.fault for fault in verify_exports(tmp_path)] == [Fault.REMOVED]


@pytest.mark.parametrize("damage", ["nothing written", "a line less", "a letter changed", "a row that waits"])
def test_a_month_stays_whose_files_do_not_hold_it(january, tmp_path, damage):
    file = tmp_path / "trail-run-202601.jsonl"
    if damage != "nothing written":
        manage("export_trail", "--month=2026-01", f"--into={tmp_path}")
    if damage == "a line less":
        file.write_text(file.read_text().splitlines()[0] + "\n")
    if damage == "a letter changed":
        file.write_text(file.read_text().replace("insert", "INSERT", 1))
    if damage == "a row that waits":
        january[0].source = "worker"
        january[0].save()
        alter("UPDATE runs_runtrail SET pgh_created_at = %s WHERE pgh_label = 'update'", LONG_AGO)

    with pytest.raises(CommandError):
        manage("detach_trail", "--month=2026-01", f"--export={tmp_path}")

    assert "202601" in names_of("run")
    assert not TrailDetachment.objects.filter(kind="run").exists()


def test_this_month_stays(db, tmp_path):
    month = f"{now():%Y-%m}"
    manage("export_trail", f"--month={month}", f"--into={tmp_path}")

    with pytest.raises(CommandError, match="not over yet"):
        manage("detach_trail", f"--month={month}", f"--export={tmp_path}")


def test_a_part_is_taken_away_once(db):
    part = {"kind": "run", "part": "202601", "rows_count": 1, "first_id": 1, "last_id": 1, "file_sha256": b""}
    TrailDetachment.objects.create(**part, detached_at=now())

    with pytest.raises(IntegrityError, match="one_detachment_a_part_of_the_trail"), transaction.atomic():
        TrailDetachment.objects.create(**part, detached_at=now())
    with pytest.raises(DatabaseError, match="Cannot update or delete"), transaction.atomic():
        TrailDetachment.objects.all().delete()


def test_commands_name_what_is_wrong(db, tmp_path):
    for arguments in (["--month=2026-13x"], ["--month=2019-01", f"--export={tmp_path}"], ["--month=2026-01"]):
        with pytest.raises(CommandError):
            manage("detach_trail", *arguments)
    with pytest.raises(CommandError, match="go together"):
        manage("export_trail", "--month=2026-01")
    assert "other  run" in manage("detach_trail")


def test_a_month_is_written_as_the_owner_because_the_service_may_not_read_its_table(january):
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege(%s, 'runs_runtrail_202601', 'SELECT')", [SERVICE])
        assert cursor.fetchone() == (False,)

    assert is_for_owner(["export_trail", "--month", "2026-01", "--into", "/archive"])
    assert is_for_owner(["detach_trail", "--month=2026-01"])
    assert not is_for_owner(["export_trail", "--format", "jsonl"])
