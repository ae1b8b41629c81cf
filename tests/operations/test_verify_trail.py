"""`./ids manage verify_trail` names what was altered, whoever did it."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import TrailLink
from accounts.trail.rows import find_trail_model
from accounts.trail.seal_sql import read_last_id, read_sealed_rows
from accounts.trail.sealing import compute_link, seal_trail
from runs.models import Run
from tests.factories import make_instrument, make_run
from tests.trail.altering import LINKS, alter, flip_one_bit, protection_off, restore_backup, take_backup

pytestmark = pytest.mark.django_db
RunTrail = find_trail_model(Run)


@pytest.fixture
def rows():
    """The ids of five sealed rows."""
    instrument = make_instrument()
    for number in range(5):
        make_run(instrument=instrument, run_id=f"plate-{number}")
    seal_trail()
    return list(RunTrail.objects.order_by("pgh_id").values_list("pgh_id", flat=True))


def verified(*options):
    """Its exit code, and what it found."""
    output = StringIO()
    try:
        call_command("verify_trail", "--json", *options, stdout=output)
    except CommandError as refusal:
        code = refusal.returncode
    else:
        code = 0
    told = [json.loads(line) for line in output.getvalue().splitlines()]
    return code, [(one["fault"], one["kind"], one["row_id"]) for one in told if one["fault"] != "summary"]


def test_an_untouched_trail_is_what_was_sealed(rows):
    output = StringIO()

    call_command("verify_trail", stdout=output)

    assert output.getvalue() == "6 rows read, 0 differences; 0 wait for their seal\n"


def test_rows_that_are_not_sealed_yet_are_counted(rows):
    make_run(instrument=make_instrument())
    output = StringIO()

    call_command("verify_trail", stdout=output)

    assert output.getvalue() == "6 rows read, 0 differences; 2 wait for their seal\n"


def test_one_bit_is_named(rows):
    flip_one_bit(rows[2])

    assert verified() == (3, [("changed", "run", rows[2])])


@pytest.mark.parametrize(
    "change",
    [
        "pgh_created_at = pgh_created_at + interval '1 microsecond'",
        "pgh_created_at = (to_char(pgh_created_at, 'YYYY-MM-DD HH24:MI:SS.US') || ' BC')::timestamp AT TIME ZONE 'UTC'",
        "pgh_created_at = 'infinity'",
        "pgh_label = 'update'",
        "pgh_obj_id = gen_random_uuid()",
        "changes = '{}'",
        "pgh_context = '{}'",
    ],
)
def test_every_column_is_under_the_seal(rows, change):
    alter(f"UPDATE runs_runtrail SET {change} WHERE pgh_id = %s", rows[2])

    assert verified() == (3, [("changed", "run", rows[2])])


def test_a_removed_row_is_named(rows):
    alter("DELETE FROM runs_runtrail WHERE pgh_id = %s", rows[2])

    assert verified() == (3, [("removed", "run", rows[2])])


def test_an_emptied_table_is_named_row_by_row(rows):
    alter("TRUNCATE runs_runtrail")

    assert verified() == (3, [("removed", "run", row) for row in rows])


def test_a_row_that_slipped_in_is_named(rows):
    alter("DELETE FROM runs_runtrail WHERE pgh_id = %s", rows[2])
    alter("DELETE FROM accounts_traillink WHERE row_id = %s", rows[2])
    slip_in(rows[2])

    code, found = verified()

    assert (code, found[0]) == (3, ("slipped_in", "run", rows[2]))


def slip_in(row_id):
    alter(
        """INSERT INTO runs_runtrail (pgh_id, pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context)
           SELECT %s, pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context FROM runs_runtrail LIMIT 1""",
        row_id,
    )


def test_the_service_cannot_slip_rows_behind_the_seals(rows):
    """It may insert, also with an id that was given and rolled back."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('public.accounts_trail_ids')")
        skipped = cursor.fetchone()[0]
    make_run(instrument=make_instrument())
    seal_trail()

    slip_in(skipped)

    assert verified() == (3, [("slipped_in", "run", skipped)])


@pytest.mark.parametrize("row_id", [0, -7])
def test_a_row_slipped_in_before_the_first_is_named(rows, row_id):
    """No sequence gives such an id, and whoever may insert may use it."""
    slip_in(row_id)

    assert verified() == (3, [("slipped_in", "run", row_id)])
    assert verified("--since", "2000-01-01") == (3, [("slipped_in", "run", row_id)])


def test_a_row_with_an_id_that_nobody_was_given_is_named(rows):
    """It would wait for its seal, and could be altered, until the sequence comes there."""
    slip_in(10**15)

    assert verified() == (3, [("slipped_in", "run", 10**15)])


@pytest.mark.parametrize("at", ["infinity", "-infinity", "2026-01-01 BC", "20260-01-01"])
def test_a_row_of_no_day_of_ours_is_sealed_like_others(rows, at):
    """Else whoever may insert could end the sealing of all that follows."""
    make_run(instrument=make_instrument())
    alter("UPDATE runs_runtrail SET pgh_created_at = %s WHERE pgh_id = %s", at, read_last_id())
    seal_trail()
    make_run(instrument=make_instrument())
    seal_trail()

    assert verified() == (0, [])


def test_a_row_sealed_anew_is_named_by_the_next_one(rows):
    flip_one_bit(rows[2])
    seal_anew(rows[2])

    assert verified() == (3, [("sealed_anew", "run", rows[2])])


def seal_anew(row_id, previous=None):
    """As the owner could: a seal that fits what the row says now. Returns it."""
    row = next(one for one in read_sealed_rows(after=0, through=10**9) if one.id == row_id)
    link = compute_link(previous or row.previous, row.content)
    alter(
        "UPDATE accounts_traillink SET previous = %s, sha256 = %s WHERE row_id = %s",
        previous or row.previous,
        link,
        row_id,
    )
    return link


def test_rows_removed_with_their_seals_are_told(rows):
    alter("DELETE FROM runs_runtrail WHERE pgh_id = %s", rows[2])
    alter("DELETE FROM accounts_traillink WHERE row_id = %s", rows[2])

    code, found = verified()

    assert (code, found[0]) == (3, ("sealed_anew", "run", rows[1]))
    assert found[1:] == [("head", "run", rows[4])]


def test_the_last_rows_removed_with_their_seals_are_told_by_the_head(rows):
    alter("DELETE FROM runs_runtrail WHERE pgh_id >= %s", rows[3])
    alter("DELETE FROM accounts_traillink WHERE row_id >= %s", rows[3])

    assert verified() == (3, [("head", "run", rows[4])])


def test_a_chain_that_was_sealed_anew_to_its_head_is_found_by_heads_kept_elsewhere(rows, tmp_path):
    heads = tmp_path / "heads.jsonl"
    assert verified("--write-heads", str(heads)) == (0, [])
    flip_one_bit(rows[2])
    link = seal_anew(rows[2])
    for row in rows[3:]:
        link = seal_anew(row, previous=link)
    alter("UPDATE accounts_trailchain SET sha256 = %s WHERE kind = 'run'", link)

    assert verified() == (0, [])
    assert verified("--heads", str(heads)) == (3, [("head", "run", rows[4])])


def test_an_older_backup_is_found_by_heads_kept_elsewhere(rows, tmp_path):
    heads = tmp_path / "heads.jsonl"
    older = take_backup()
    make_run(instrument=make_instrument())
    seal_trail()
    newest = RunTrail.objects.order_by("pgh_id").last().pgh_id
    assert verified("--write-heads", str(heads)) == (0, [])

    restore_backup(older)

    assert verified() == (0, [])
    assert verified("--heads", str(heads)) == (
        3,
        [("head", "instrument", newest - 1), ("head", "run", newest)],
    )


def test_older_heads_stay_good_while_the_trail_grows(rows, tmp_path):
    heads = tmp_path / "heads.jsonl"
    verified("--write-heads", str(heads))
    make_run(instrument=make_instrument())
    seal_trail()

    assert verified("--heads", str(heads), "--write-heads", str(heads)) == (0, [])
    assert len(heads.read_text().splitlines()) == 4


def test_heads_of_an_altered_trail_are_not_written(rows, tmp_path):
    flip_one_bit(rows[2])

    assert verified("--write-heads", str(tmp_path / "heads.jsonl"))[0] == 3
    assert list(tmp_path.iterdir()) == []


def test_a_seal_under_another_name_is_told(rows):
    alter("UPDATE accounts_traillink SET kind = 'file' WHERE row_id = %s", rows[2])

    assert verified()[1][0] == ("changed", "file", rows[2])


def test_earlier_days_are_left_out_on_request(rows):
    flip_one_bit(rows[2])

    assert verified("--since", "2999-01-01") == (0, [])


@pytest.mark.parametrize("text", ["no json", '{"kind": "run"}', "[]"])
def test_a_file_without_heads_is_a_wrong_argument(rows, tmp_path, text):
    file = tmp_path / "heads.jsonl"
    file.write_text(text)

    assert verified("--heads", str(file)) == (2, [])


@pytest.mark.parametrize(
    "options", [["--since", "yesterday"], ["--heads", "/nowhere/heads.jsonl"], ["--exports", "/nowhere"]]
)
def test_what_cannot_be_asked_is_refused(options):
    with pytest.raises(CommandError):
        call_command("verify_trail", *options)


def test_who_may_alter_links_is_the_owner_alone(rows):
    with protection_off(LINKS):
        TrailLink.objects.filter(pk=rows[0]).update(sha256=b"")

    assert verified()[1][0] == ("changed", "run", rows[0])
