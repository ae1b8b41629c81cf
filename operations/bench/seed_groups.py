"""Groups in the benchmark's laboratory: who sees what of it, and what members list beside runs."""

import time

from django.db import connection

from accounts.models import User
from instruments.groups.models import Group, GroupInstrument, Membership
from instruments.models import Instrument, Visibility

GROUP_NAME, MEMBER_EMAIL = "Bench group %", "member-%@bench.example"
MEMBERS, MAX_GROUPS_OF_MEMBER = 10, 5
SHARED_EVERY = 40  # so many instruments are everybody's
TABLES = ("files_file", "datasets_dataset", "changes_change", "notifications_notification")

# Of every tenth run with files a table of two columns.
INSERT_PARQUET = """
    INSERT INTO files_file
        (run_id, filename, relative_path, natural_key, report_kind, category, status, content_type, size_bytes,
         storage_bucket, storage_key, own, extracted, detected_at, uploaded_at, processed_at, created_at)
    SELECT id, 'wells.parquet', 'wells.parquet', 'wells.parquet', '', 'processed', 'completed',
           'application/vnd.apache.parquet', 4096, 'local', 'runs/' || id || '/wells/wells.parquet', '{}', '{}',
           created_at, created_at, created_at, created_at
      FROM runs_run WHERE comment_count > 0 AND file_count > 0
"""
INSERT_DATASETS = """
    INSERT INTO datasets_dataset
        (id, run_id, source_file_id, file_id, name, title, kind, columns, column_names, row_count, statistics,
         processor, processor_version, created_at)
    SELECT gen_random_uuid(), made.run_id, source.id, made.id, (ARRAY['wells', 'wells', 'spectrum'])[1 + made.id %% 3],
           'Wells', (ARRAY['plate', 'plate', 'spectrum'])[1 + made.id %% 3],
           '[{"name": "well", "type": "string", "unit": null, "role": "axis", "title": "Well"},
             {"name": "value", "type": "float64", "unit": null, "role": "value", "title": "Value"}]',
           ARRAY['well', 'value'], 96, '{}', 'bench', '1', made.created_at
      FROM files_file AS made
      JOIN LATERAL (SELECT id FROM files_file AS raw WHERE raw.run_id = made.run_id AND raw.category = 'raw'
                     LIMIT 1) AS source ON TRUE
     WHERE made.category = 'processed'
"""
# The last month, as the log keeps it: of each run that it was reported and read, and of its files that they came.
INSERT_CHANGES = """
    INSERT INTO changes_change (type, at, instrument_id, run_id, file_id)
    SELECT kind, at, instrument_id, run_id, file_id
      FROM (SELECT 'run.created' AS kind, run.created_at AS at, run.instrument_id, run.run_id, NULL::bigint AS file_id
              FROM runs_run AS run WHERE run.created_at > now() - interval '30 days'
            UNION ALL
            SELECT told.kind, file.created_at, run.instrument_id, run.run_id, file.id
              FROM runs_run AS run JOIN files_file AS file ON file.run_id = run.id AND file.uploaded_at IS NOT NULL
             CROSS JOIN (VALUES ('file.uploaded'), ('file.completed')) AS told (kind)
             WHERE run.created_at > now() - interval '30 days') AS happened
     ORDER BY at
"""
INSERT_NOTIFICATIONS = """
    INSERT INTO notifications_notification
        (id, recipient_id, kind, message, message_sha256, sender_kind, sender_name, run_id, instrument_ids, in_app,
         read_at, created_at)
    SELECT gen_random_uuid(), person.id, 'run_created', 'New run ' || run.run_id,
           encode(sha256(run.id::text::bytea), 'hex'), 'service', 'bench', run.id, ARRAY[run.instrument_id], TRUE,
           CASE WHEN run.number > 50 THEN run.created_at END, run.created_at
      FROM accounts_user AS person
     CROSS JOIN (SELECT *, row_number() OVER (ORDER BY created_at DESC) AS number
                   FROM runs_run ORDER BY created_at DESC LIMIT 5000) AS run
     WHERE person.email LIKE %(members)s
"""
STEPS = {
    "tables of runs": INSERT_PARQUET,
    "datasets": INSERT_DATASETS,
    "changes of a month": INSERT_CHANGES,
    "notifications": INSERT_NOTIFICATIONS,
}


def add_groups(count: int) -> None:
    """Spread the instruments over so many groups, and ten people, none of them a manager, over one to five each."""
    groups = Group.objects.bulk_create(Group(name=GROUP_NAME.replace("%", f"{n:02}")) for n in range(count))
    instruments = list(Instrument.objects.order_by("pk").values_list("pk", flat=True))
    owned = [pk for number, pk in enumerate(instruments) if number % SHARED_EVERY != SHARED_EVERY - 1]
    GroupInstrument.objects.bulk_create(
        GroupInstrument(group=groups[number % count], instrument_id=pk) for number, pk in enumerate(owned)
    )
    Instrument.objects.filter(pk__in=owned).update(visibility=Visibility.GROUPS)
    people = User.objects.bulk_create(_build_members())
    Membership.objects.bulk_create(
        Membership(group=groups[number], person=person)
        for place, person in enumerate(people)
        for number in sorted({(7 * place + 11 * step) % count for step in range(1 + place % MAX_GROUPS_OF_MEMBER)})
    )


def add_what_members_list() -> dict[str, tuple[int, float]]:
    """Datasets, changes and notifications, none of which a trigger sees; rows and seconds by step."""
    done = {}
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for name, statement in STEPS.items():
            started = time.perf_counter()
            cursor.execute(statement, {"members": MEMBER_EMAIL})
            done[name] = cursor.rowcount, time.perf_counter() - started
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # tables with checks outstanding cannot be altered
        for table in TABLES:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    return done


def _build_members() -> list[User]:
    return [
        User(email=MEMBER_EMAIL.replace("%", f"{number:02}"), display_name=f"Member {number}")
        for number in range(MEMBERS)
    ]
