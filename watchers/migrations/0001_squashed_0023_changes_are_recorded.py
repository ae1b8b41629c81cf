# online: on a database that has tables already, nothing is run
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

import watchers.versions
import wire.clock
import wire.ids

CREATE_TABLE = """
CREATE TABLE public.watchers_heartbeat (
    id bigserial NOT NULL,
    received_at timestamptz NOT NULL,
    sent_at timestamptz,
    watcher_id uuid NOT NULL,
    files_uploaded bigint,
    runs_reported bigint,
    errors bigint,
    uptime_seconds bigint,
    queue_depth bigint,
    status varchar(10) NOT NULL,
    upload_mode varchar(6),
    agent_version varchar(64),
    heard_since timestamptz,
    PRIMARY KEY (id, received_at),
    CONSTRAINT heartbeat_status_is_known CHECK (status IN ('registered', 'watching', 'stopped')),
    CONSTRAINT heartbeat_upload_mode_is_known CHECK (upload_mode IN ('auto', 'manual')),
    CONSTRAINT heartbeat_counts_are_not_negative CHECK (
        files_uploaded >= 0 AND runs_reported >= 0 AND errors >= 0 AND uptime_seconds >= 0 AND queue_depth >= 0
    )
) PARTITION BY RANGE (received_at);
CREATE INDEX heartbeats_of_watcher_by_time ON public.watchers_heartbeat (watcher_id, received_at DESC, id DESC)
"""
# The service runs under a role that does not own the table: these two lend it the owner's right, for days only.
# A day is made beside the table and then attached, which does not hold up heartbeats as CREATE … PARTITION OF would.
ADD_DAYS = """
CREATE FUNCTION public.add_heartbeat_days(first_day date, days integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    day date;
    partition text;
    added integer := 0;
BEGIN
    IF days NOT BETWEEN 1 AND 31 THEN
        RAISE EXCEPTION 'days must be 1 to 31';
    END IF;
    FOR day IN SELECT first_day + n FROM generate_series(0, days - 1) AS n LOOP
        partition := 'watchers_heartbeat_' || to_char(day, 'YYYYMMDD');
        CONTINUE WHEN to_regclass('public.' || partition) IS NOT NULL;
        LOCK TABLE public.watchers_heartbeat IN SHARE UPDATE EXCLUSIVE MODE;
        CONTINUE WHEN to_regclass('public.' || partition) IS NOT NULL;
        EXECUTE format('CREATE TABLE public.%I (LIKE public.watchers_heartbeat INCLUDING ALL)', partition);
        EXECUTE format(
            'ALTER TABLE public.watchers_heartbeat ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
            partition, day || ' 00:00:00+00', day + 1 || ' 00:00:00+00'
        );
        added := added + 1;
    END LOOP;
    RETURN added;
END $$
"""
DROP_DAYS = """
CREATE FUNCTION public.drop_heartbeat_days(before date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    partition text;
    dropped integer := 0;
BEGIN
    IF before > (now() AT TIME ZONE 'UTC')::date THEN
        RAISE EXCEPTION 'today and what follows stay';
    END IF;
    FOR partition IN
        SELECT child.relname FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
         WHERE inhparent = 'public.watchers_heartbeat'::regclass
           AND child.relname < 'watchers_heartbeat_' || to_char(before, 'YYYYMMDD')
         ORDER BY child.relname
    LOOP
        EXECUTE format('DROP TABLE public.%I', partition);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END $$
"""
# A connection that reads which days there are in the very moment that one is attached may keep what it read for good:
# what tells it to look again arrives while it looks, and is taken for answered (PostgreSQL 18: in 11 of 300 gaps that 12
# heartbeats met at once). Changing the table, if only in name, makes this connection and all others look again.
REREAD_DAYS = """
CREATE FUNCTION public.reread_heartbeat_days() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '5s'
AS 'ALTER TABLE ONLY public.watchers_heartbeat ALTER COLUMN received_at SET STATISTICS -1'
"""
# Two calls a day: the first makes the thinned day beside the table, which takes long and holds up nobody; the second puts
# it in the place of the full one, in a moment. One that meets a backup gives up its lock and comes again.
# Of heartbeats between which no silence is longer than `silence` only the last of an hour stays, with the time of the
# first: so nothing is lost of when a watcher was heard.
THIN_DAY = """
CREATE FUNCTION public.thin_heartbeat_day(day date, silence interval) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    partition text := 'watchers_heartbeat_' || to_char(day, 'YYYYMMDD');
    thinned text := 'watchers_thinned_' || to_char(day, 'YYYYMMDD');
BEGIN
    IF day >= (now() AT TIME ZONE 'UTC')::date - 1 THEN
        RAISE EXCEPTION 'today and yesterday stay whole';
    END IF;
    IF to_regclass('public.' || partition) IS NULL OR EXISTS (
        SELECT FROM pg_constraint
         WHERE conrelid = to_regclass('public.' || partition) AND conname = 'heartbeat_day_is_thinned'
    ) THEN
        RETURN true;
    END IF;
    IF to_regclass('public.' || thinned) IS NULL THEN
        EXECUTE format('LOCK TABLE public.%I IN SHARE MODE', partition);
        EXECUTE format('CREATE TABLE public.%I (LIKE public.watchers_heartbeat INCLUDING ALL)', thinned);
        EXECUTE format($thin$
            INSERT INTO public.%I (id, received_at, sent_at, watcher_id, files_uploaded, runs_reported, errors,
                                   uptime_seconds, queue_depth, status, upload_mode, agent_version, heard_since)
            SELECT beat.id, beat.received_at, sent_at, beat.watcher_id, files_uploaded, runs_reported, errors,
                   uptime_seconds, queue_depth, status, upload_mode, agent_version, kept.heard_since
              FROM (
                SELECT id, received_at, begins_here, lead(begins_here, 1, true) OVER stream AS ends_here,
                       max(received_at) FILTER (WHERE begins_here) OVER stream AS heard_since
                  FROM (
                    SELECT id, received_at, watcher_id,
                           COALESCE(received_at - lag(received_at) OVER known > $1
                                    OR date_trunc('hour', received_at, 'UTC')
                                       <> date_trunc('hour', lag(received_at) OVER known, 'UTC'), true) AS begins_here
                      FROM public.%I WINDOW known AS (PARTITION BY watcher_id ORDER BY received_at, id)
                  ) AS beginning WINDOW stream AS (PARTITION BY watcher_id ORDER BY received_at, id)
              ) AS kept JOIN public.%I AS beat ON beat.id = kept.id AND beat.received_at = kept.received_at
             WHERE kept.ends_here
        $thin$, thinned, partition, partition) USING silence;
        EXECUTE format('ALTER TABLE public.%I ADD CONSTRAINT heartbeat_day_is_thinned CHECK (heard_since IS NOT NULL)',
                       thinned);
        EXECUTE format('ALTER TABLE public.%I ADD CONSTRAINT heartbeat_day_is_this CHECK '
                       '(received_at >= %L AND received_at < %L)',
                       thinned, day || ' 00:00:00+00', day + 1 || ' 00:00:00+00');
        EXECUTE format('ANALYZE public.%I', thinned);
        RETURN false;
    END IF;
    LOCK TABLE public.watchers_heartbeat IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('DROP TABLE public.%I', partition);
    EXECUTE format('ALTER TABLE public.%I RENAME TO %I', thinned, partition);
    EXECUTE format(
        'ALTER TABLE public.watchers_heartbeat ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
        partition, day || ' 00:00:00+00', day + 1 || ' 00:00:00+00'
    );
    RETURN true;
END $$
"""


class Migration(migrations.Migration):
    """What the migrations that it replaces make one after the other, in one step: a new database starts with it."""

    replaces = [
        ("watchers", "0001_watchers"),
        ("watchers", "0002_storage"),
        ("watchers", "0003_unknown_is_null"),
        ("watchers", "0004_liveness"),
        ("watchers", "0005_heartbeats"),
        ("watchers", "0006_events"),
        ("watchers", "0007_releases"),
        ("watchers", "0008_take_overs"),
        ("watchers", "0009_no_index_on_token"),
        ("watchers", "0010_quick_checks"),
        ("watchers", "0011_trail"),
        ("watchers", "0012_reread_days"),
        ("watchers", "0013_instance_conflict_events"),
        ("watchers", "0014_instances"),
        ("watchers", "0015_folders"),
        ("watchers", "0016_trail_of_instances_and_folders"),
        ("watchers", "0017_enrolment_codes"),
        ("watchers", "0018_taken_over_event"),
        ("watchers", "0019_wanted_config"),
        ("watchers", "0020_signed_releases"),
        ("watchers", "0021_pause_events"),
        ("watchers", "0022_thinned_heartbeats"),
        ("watchers", "0023_changes_are_recorded"),
    ]

    initial = True

    dependencies = [
        ("accounts", "0003_trail"),
        ("accounts", "__first__"),
        ("changes", "0001_log_and_webhooks"),
        ("instruments", "0001_squashed_0004_changes_are_recorded"),
    ]

    operations = [
        migrations.CreateModel(
            name="Watcher",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("hostname", models.CharField(blank=True, max_length=255, null=True)),
                ("os_info", models.CharField(blank=True, max_length=255, null=True)),
                ("agent_version", models.CharField(blank=True, max_length=64, null=True)),
                (
                    "channel",
                    models.CharField(choices=[("stable", "Stable"), ("beta", "Beta")], default="stable", max_length=6),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[("registered", "Registered"), ("watching", "Watching"), ("stopped", "Stopped")],
                        default="registered",
                        max_length=10,
                    ),
                ),
                (
                    "upload_mode",
                    models.CharField(choices=[("auto", "Auto"), ("manual", "Manual")], default="auto", max_length=6),
                ),
                ("watch_directory", models.TextField(blank=True, null=True)),
                ("last_heartbeat_at", models.DateTimeField(editable=False, null=True)),
                ("offline_announced_at", models.DateTimeField(editable=False, null=True)),
                ("instance_id", models.UUIDField(editable=False, null=True)),
                ("other_instance_id", models.UUIDField(editable=False, null=True)),
                ("instance_conflict_at", models.DateTimeField(editable=False, null=True)),
                (
                    "folder_state",
                    models.CharField(
                        choices=[
                            ("watching", "is watched"),
                            ("away", "is away"),
                            ("empty_mount", "is an empty mount point"),
                            ("denied", "cannot be read"),
                        ],
                        editable=False,
                        max_length=11,
                        null=True,
                    ),
                ),
                ("folder_away_since", models.DateTimeField(editable=False, null=True)),
                ("folder_away_announced_at", models.DateTimeField(editable=False, null=True)),
                ("folder_last_scan_at", models.DateTimeField(editable=False, null=True)),
                ("folder_last_file_at", models.DateTimeField(editable=False, null=True)),
                ("folder_files_waiting", models.BigIntegerField(editable=False, null=True)),
                ("folder_bytes_waiting", models.BigIntegerField(editable=False, null=True)),
                ("no_files_announced_at", models.DateTimeField(editable=False, null=True)),
                ("config_yaml", models.TextField(blank=True, null=True)),
                ("config_checksum", models.CharField(editable=False, max_length=64, null=True)),
                ("config_updated_at", models.DateTimeField(editable=False, null=True)),
                (
                    "file_patterns",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None
                    ),
                ),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("updated_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "instrument",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="watchers",
                        to="instruments.instrument",
                    ),
                ),
                (
                    "token",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="watchers",
                        to="accounts.token",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("deleted_at__isnull", True)),
                        fields=("instrument",),
                        name="one_active_watcher_per_instrument",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["registered", "watching", "stopped"])),
                        name="watcher_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("upload_mode__in", ["auto", "manual"])), name="watcher_upload_mode_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("channel__in", ["stable", "beta"])), name="watcher_channel_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "watching"), _negated=True),
                            ("last_heartbeat_at__isnull", False),
                            _connector="OR",
                        ),
                        name="watching_watcher_was_heard",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                django.db.models.functions.text.Length("config_checksum"), 64
                            ),
                            models.Q(("config_checksum__regex", "[^0-9a-f]"), _negated=True),
                        ),
                        name="watcher_config_checksum_is_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("config_checksum__isnull", True),
                                ("config_updated_at__isnull", True),
                                ("config_yaml__isnull", True),
                            ),
                            models.Q(
                                ("config_checksum__isnull", False),
                                ("config_updated_at__isnull", False),
                                ("config_yaml__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="watcher_config_comes_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("instance_conflict_at__isnull", True), ("other_instance_id__isnull", True)),
                            models.Q(
                                ("instance_conflict_at__isnull", False),
                                ("instance_id__isnull", False),
                                ("other_instance_id__isnull", False),
                                models.Q(("other_instance_id", models.F("instance_id")), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="instance_conflict_names_two",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("folder_state__in", ["watching", "away", "empty_mount", "denied"])),
                        name="watcher_folder_state_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("folder_state__in", ("away", "empty_mount", "denied")),
                                ("folder_state__isnull", False),
                                ("folder_away_since__isnull", False),
                            ),
                            models.Q(
                                models.Q(("folder_state__in", ("away", "empty_mount", "denied")), _negated=True),
                                ("folder_away_since__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="unwatched_folder_has_a_begin",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("folder_bytes_waiting__gte", 0), ("folder_files_waiting__gte", 0)),
                        name="folder_counts_are_not_negative",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="EnrolmentCode",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("digest", models.CharField(editable=False, max_length=64)),
                ("new_instrument_id", models.CharField(db_collation="C", max_length=64, null=True)),
                ("new_display_name", models.CharField(max_length=255, null=True)),
                ("new_instrument_type", models.CharField(max_length=64, null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
                ("hostname", models.CharField(max_length=255, null=True)),
                ("instance_id", models.UUIDField(null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "instrument",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="instruments.instrument",
                    ),
                ),
                (
                    "watcher",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="watchers.watcher"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("digest",), name="one_enrolment_code_per_digest"),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(django.db.models.functions.text.Length("digest"), 64),
                            models.Q(("digest__regex", "[^0-9a-f]"), _negated=True),
                        ),
                        name="enrolment_code_digest_is_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("created_at"))), name="enrolment_code_ends_later"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("instrument__isnull", True),
                            models.Q(
                                ("new_display_name__isnull", True),
                                ("new_instrument_id__isnull", True),
                                ("new_instrument_type__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="enrolment_code_is_bound_or_for_a_new_one",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("hostname__isnull", True),
                                ("instance_id__isnull", True),
                                ("used_at__isnull", True),
                                ("watcher__isnull", True),
                            ),
                            models.Q(
                                ("hostname__isnull", False),
                                ("instance_id__isnull", False),
                                ("used_at__isnull", False),
                                ("watcher__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="enrolment_code_use_is_told_whole",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="EnrolmentCodeTrail",
            fields=[
                (
                    "pgh_id",
                    models.BigIntegerField(
                        db_default=models.Func(models.Value("public.accounts_trail_ids"), function="nextval"),
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("pgh_created_at", models.DateTimeField()),
                ("pgh_label", models.CharField(max_length=6)),
                ("changes", models.JSONField()),
                ("pgh_context", models.JSONField()),
                (
                    "pgh_obj",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="watchers.enrolmentcode",
                    ),
                ),
            ],
            options={
                "verbose_name": "enrolment code change",
                "verbose_name_plural": "enrolment code changes",
                "abstract": False,
                "indexes": [models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_enrolmentcode")],
            },
        ),
        migrations.CreateModel(
            name="WantedConfig",
            fields=[
                (
                    "watcher",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="wanted_config",
                        serialize=False,
                        to="watchers.watcher",
                    ),
                ),
                ("config_yaml", models.TextField()),
                ("config_checksum", models.CharField(max_length=64)),
                ("updated_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("taken", "Taken"), ("refused", "Refused")],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("settled_at", models.DateTimeField(editable=False, null=True)),
                ("taken_checksum", models.CharField(editable=False, max_length=64, null=True)),
                ("refusal", models.TextField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                django.db.models.functions.text.Length("config_checksum"), 64
                            ),
                            models.Q(("config_checksum__regex", "[^0-9a-f]"), _negated=True),
                        ),
                        name="wanted_config_checksum_is_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("settled_at__isnull", True),
                                ("state", "waiting"),
                                ("refusal__isnull", True),
                                ("taken_checksum__isnull", True),
                            ),
                            models.Q(
                                ("settled_at__isnull", False),
                                ("state", "taken"),
                                ("refusal__isnull", True),
                                ("taken_checksum__isnull", False),
                            ),
                            models.Q(
                                ("settled_at__isnull", False),
                                ("state", "refused"),
                                ("refusal__isnull", False),
                                ("taken_checksum__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="wanted_config_is_settled_as_its_state_says",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TakeOver",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("taken_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                (
                    "former_token",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.token",
                    ),
                ),
                (
                    "token",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.token",
                    ),
                ),
                (
                    "watcher",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="take_overs", to="watchers.watcher"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("token", models.F("former_token")), _negated=True),
                        name="take_over_changes_the_token",
                    )
                ],
            },
        ),
        migrations.RunSQL(
            CREATE_TABLE,
            "DROP TABLE public.watchers_heartbeat",
            state_operations=[
                migrations.CreateModel(
                    name="Heartbeat",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("received_at", models.DateTimeField()),
                        ("sent_at", models.DateTimeField(null=True)),
                        ("files_uploaded", models.BigIntegerField(null=True)),
                        ("runs_reported", models.BigIntegerField(null=True)),
                        ("errors", models.BigIntegerField(null=True)),
                        ("uptime_seconds", models.BigIntegerField(null=True)),
                        ("queue_depth", models.BigIntegerField(null=True)),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("registered", "Registered"),
                                    ("watching", "Watching"),
                                    ("stopped", "Stopped"),
                                ],
                                max_length=10,
                            ),
                        ),
                        (
                            "upload_mode",
                            models.CharField(choices=[("auto", "Auto"), ("manual", "Manual")], max_length=6, null=True),
                        ),
                        ("agent_version", models.CharField(max_length=64, null=True)),
                        ("heard_since", models.DateTimeField(editable=False, null=True)),
                        (
                            "watcher",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                related_name="heartbeats",
                                to="watchers.watcher",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["registered", "watching", "stopped"])),
                                name="heartbeat_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("upload_mode__in", ["auto", "manual"])),
                                name="heartbeat_upload_mode_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("errors__gte", 0),
                                    ("files_uploaded__gte", 0),
                                    ("queue_depth__gte", 0),
                                    ("runs_reported__gte", 0),
                                    ("uptime_seconds__gte", 0),
                                ),
                                name="heartbeat_counts_are_not_negative",
                            ),
                        ],
                        "indexes": [
                            models.Index(
                                fields=["watcher", "-received_at", "-id"], name="heartbeats_of_watcher_by_time"
                            )
                        ],
                    },
                ),
            ],
        ),
        migrations.CreateModel(
            name="WatcherEvent",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("event_id", models.UUIDField()),
                (
                    "event_type",
                    models.CharField(
                        choices=[
                            ("watcher_started", "Watcher Started"),
                            ("watcher_stopped", "Watcher Stopped"),
                            ("config_synced", "Config Synced"),
                            ("config_refused", "Config Refused"),
                            ("run_reported", "Run Reported"),
                            ("file_uploaded", "File Uploaded"),
                            ("upload_failed", "Upload Failed"),
                            ("error", "Error"),
                            ("update_started", "Update Started"),
                            ("update_succeeded", "Update Succeeded"),
                            ("update_failed", "Update Failed"),
                            ("uploads_paused", "Uploads Paused"),
                            ("uploads_resumed", "Uploads Resumed"),
                            ("taken_over", "Taken Over"),
                            ("instance_conflict", "Instance Conflict"),
                        ],
                        max_length=32,
                    ),
                ),
                ("happened_at", models.DateTimeField()),
                ("message", models.TextField()),
                ("details", models.JSONField(blank=True, null=True)),
                ("received_at", models.DateTimeField()),
                (
                    "watcher",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="watchers.watcher",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("watcher", "event_id"), name="one_event_per_watcher_and_id"),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "event_type__in",
                                [
                                    "watcher_started",
                                    "watcher_stopped",
                                    "config_synced",
                                    "config_refused",
                                    "run_reported",
                                    "file_uploaded",
                                    "upload_failed",
                                    "error",
                                    "update_started",
                                    "update_succeeded",
                                    "update_failed",
                                    "uploads_paused",
                                    "uploads_resumed",
                                    "taken_over",
                                    "instance_conflict",
                                ],
                            )
                        ),
                        name="event_type_is_known",
                    ),
                ],
                "indexes": [
                    models.Index(fields=["watcher", "-happened_at", "-event_id"], name="events_of_watcher_by_time"),
                    models.Index(fields=["received_at"], name="events_by_age"),
                ],
            },
        ),
        migrations.CreateModel(
            name="WatcherRelease",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "channel",
                    models.CharField(choices=[("stable", "Stable"), ("beta", "Beta")], default="stable", max_length=6),
                ),
                ("version", models.CharField(max_length=64, validators=[watchers.versions.validate_version])),
                (
                    "min_supported_version",
                    models.CharField(
                        blank=True,
                        help_text="Older agents are refused (426).",
                        max_length=64,
                        null=True,
                        validators=[watchers.versions.validate_version],
                    ),
                ),
                (
                    "mandatory",
                    models.BooleanField(default=False, help_text="Agents update at once, not only when idle."),
                ),
                ("notes", models.TextField(blank=True)),
                ("sha256", models.CharField(editable=False, max_length=64, null=True)),
                ("size_bytes", models.BigIntegerField(editable=False, null=True)),
                ("signature", models.CharField(editable=False, max_length=88, null=True)),
                (
                    "wave_percent",
                    models.SmallIntegerField(default=100, help_text="Of the watchers, how many are told of it."),
                ),
                (
                    "published_at",
                    models.DateTimeField(blank=True, help_text="Empty: a draft that no agent is told of.", null=True),
                ),
                ("withdrawn_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("published_at__isnull", False)),
                        fields=["channel", "-published_at", "-id"],
                        name="published_releases_by_channel",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("channel", "version"), name="one_release_per_channel_and_version"),
                    models.CheckConstraint(
                        condition=models.Q(("channel__in", ["stable", "beta"])), name="release_channel_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("version__regex", "^v?[0-9]"), ("min_supported_version__regex", "^v?[0-9]")
                        ),
                        name="release_versions_begin_with_a_number",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(django.db.models.functions.text.Length("sha256"), 64),
                            models.Q(("sha256__regex", "[^0-9a-f]"), _negated=True),
                        ),
                        name="release_sha256_is_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("sha256__isnull", True), ("signature__isnull", True), ("size_bytes__isnull", True)
                            ),
                            models.Q(("sha256__isnull", False), ("size_bytes__gt", 0), ("size_bytes__isnull", False)),
                            _connector="OR",
                        ),
                        name="release_file_is_told_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("wave_percent__gte", 0), ("wave_percent__lte", 100)),
                        name="release_wave_is_a_percentage",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("withdrawn_at__isnull", True), ("published_at__isnull", False), _connector="OR"
                        ),
                        name="withdrawn_release_was_published",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReleaseInstaller",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "system",
                    models.CharField(
                        choices=[("windows", "Windows"), ("deb", "Debian, Ubuntu"), ("tar", "Linux")], max_length=7
                    ),
                ),
                ("filename", models.CharField(max_length=255)),
                ("size_bytes", models.BigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                (
                    "release",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="installers",
                        to="watchers.watcherrelease",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("release", "system"), name="one_installer_per_release_and_system"),
                    models.CheckConstraint(
                        condition=models.Q(("system__in", ["windows", "deb", "tar"])), name="installer_system_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(django.db.models.functions.text.Length("sha256"), 64),
                            models.Q(("sha256__regex", "[^0-9a-f]"), _negated=True),
                        ),
                        name="installer_sha256_is_sha256",
                    ),
                    models.CheckConstraint(condition=models.Q(("size_bytes__gt", 0)), name="installer_is_not_empty"),
                ],
            },
        ),
        migrations.CreateModel(
            name="WatcherReleaseTrail",
            fields=[
                (
                    "pgh_id",
                    models.BigIntegerField(
                        db_default=models.Func(models.Value("public.accounts_trail_ids"), function="nextval"),
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("pgh_created_at", models.DateTimeField()),
                ("pgh_label", models.CharField(max_length=6)),
                ("changes", models.JSONField()),
                ("pgh_context", models.JSONField()),
                (
                    "pgh_obj",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="watchers.watcherrelease",
                    ),
                ),
            ],
            options={
                "verbose_name": "watcher release change",
                "verbose_name_plural": "watcher release changes",
                "abstract": False,
                "indexes": [models.Index(fields=["pgh_obj", "-pgh_id"], name="trail_of_watcherrelease")],
            },
        ),
        migrations.CreateModel(
            name="WatcherTrail",
            fields=[
                (
                    "pgh_id",
                    models.BigIntegerField(
                        db_default=models.Func(models.Value("public.accounts_trail_ids"), function="nextval"),
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("pgh_created_at", models.DateTimeField()),
                ("pgh_label", models.CharField(max_length=6)),
                ("changes", models.JSONField()),
                ("pgh_context", models.JSONField()),
                (
                    "instrument",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="instruments.instrument",
                    ),
                ),
                (
                    "pgh_obj",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="watchers.watcher",
                    ),
                ),
            ],
            options={
                "verbose_name": "watcher change",
                "verbose_name_plural": "watcher changes",
                "abstract": False,
                "indexes": [models.Index(fields=["instrument", "-pgh_id"], name="trail_of_watcher")],
            },
        ),
        migrations.CreateModel(
            name="WantedConfigTrail",
            fields=[
                (
                    "pgh_id",
                    models.BigIntegerField(
                        db_default=models.Func(models.Value("public.accounts_trail_ids"), function="nextval"),
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("pgh_created_at", models.DateTimeField()),
                ("pgh_label", models.CharField(max_length=6)),
                ("changes", models.JSONField()),
                ("pgh_context", models.JSONField()),
                (
                    "watcher",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="watchers.watcher",
                    ),
                ),
                (
                    "pgh_obj",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="watchers.wantedconfig",
                    ),
                ),
            ],
            options={
                "verbose_name": "wanted config change",
                "verbose_name_plural": "wanted config changes",
                "abstract": False,
                "indexes": [models.Index(fields=["watcher", "-pgh_id"], name="trail_of_wantedconfig")],
            },
        ),
        # Every heartbeat writes the row: half a page free keeps these writes on their page (HOT).
        migrations.RunSQL("ALTER TABLE watchers_watcher SET (fillfactor = 50)", migrations.RunSQL.noop),
        migrations.RunSQL(ADD_DAYS, "DROP FUNCTION public.add_heartbeat_days(date, integer)"),
        migrations.RunSQL(DROP_DAYS, "DROP FUNCTION public.drop_heartbeat_days(date)"),
        migrations.RunSQL(REREAD_DAYS, "DROP FUNCTION public.reread_heartbeat_days()"),
        migrations.RunSQL(THIN_DAY, "DROP FUNCTION public.thin_heartbeat_day(date, interval)"),
        pgtrigger.migrations.AddTrigger(
            model_name="watcherrelease",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_watcherreleasetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."channel" IS NOT NULL THEN jsonb_build_object(\'channel\', jsonb_build_array(NULL, NEW."channel")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."version" IS NOT NULL THEN jsonb_build_object(\'version\', jsonb_build_array(NULL, NEW."version")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."min_supported_version" IS NOT NULL THEN jsonb_build_object(\'min_supported_version\', jsonb_build_array(NULL, NEW."min_supported_version")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."mandatory" IS NOT NULL THEN jsonb_build_object(\'mandatory\', jsonb_build_array(NULL, NEW."mandatory")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."notes" IS NOT NULL THEN jsonb_build_object(\'notes\', jsonb_build_array(NULL, NEW."notes")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."sha256" IS NOT NULL THEN jsonb_build_object(\'sha256\', jsonb_build_array(NULL, NEW."sha256")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."size_bytes" IS NOT NULL THEN jsonb_build_object(\'size_bytes\', jsonb_build_array(NULL, NEW."size_bytes")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."signature" IS NOT NULL THEN jsonb_build_object(\'signature\', jsonb_build_array(NULL, NEW."signature")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."wave_percent" IS NOT NULL THEN jsonb_build_object(\'wave_percent\', jsonb_build_array(NULL, NEW."wave_percent")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."published_at" IS NOT NULL THEN jsonb_build_object(\'published_at\', jsonb_build_array(NULL, to_char(NEW."published_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN NEW."withdrawn_at" IS NOT NULL THEN jsonb_build_object(\'withdrawn_at\', jsonb_build_array(NULL, to_char(NEW."withdrawn_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="aef2f8dcc6963c900997df4579e25ce45cb5779d",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_e04a1",
                    table="watchers_watcherrelease",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcherrelease",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."channel" IS DISTINCT FROM (NEW."channel") OR OLD."mandatory" IS DISTINCT FROM (NEW."mandatory") OR OLD."min_supported_version" IS DISTINCT FROM (NEW."min_supported_version") OR OLD."notes" IS DISTINCT FROM (NEW."notes") OR OLD."published_at" IS DISTINCT FROM (NEW."published_at") OR OLD."sha256" IS DISTINCT FROM (NEW."sha256") OR OLD."signature" IS DISTINCT FROM (NEW."signature") OR OLD."size_bytes" IS DISTINCT FROM (NEW."size_bytes") OR OLD."version" IS DISTINCT FROM (NEW."version") OR OLD."wave_percent" IS DISTINCT FROM (NEW."wave_percent") OR OLD."withdrawn_at" IS DISTINCT FROM (NEW."withdrawn_at"))',
                    func='INSERT INTO "watchers_watcherreleasetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."channel" IS DISTINCT FROM NEW."channel" THEN jsonb_build_object(\'channel\', jsonb_build_array(OLD."channel", NEW."channel")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."version" IS DISTINCT FROM NEW."version" THEN jsonb_build_object(\'version\', jsonb_build_array(OLD."version", NEW."version")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."min_supported_version" IS DISTINCT FROM NEW."min_supported_version" THEN jsonb_build_object(\'min_supported_version\', jsonb_build_array(OLD."min_supported_version", NEW."min_supported_version")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."mandatory" IS DISTINCT FROM NEW."mandatory" THEN jsonb_build_object(\'mandatory\', jsonb_build_array(OLD."mandatory", NEW."mandatory")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."notes" IS DISTINCT FROM NEW."notes" THEN jsonb_build_object(\'notes\', jsonb_build_array(OLD."notes", NEW."notes")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."sha256" IS DISTINCT FROM NEW."sha256" THEN jsonb_build_object(\'sha256\', jsonb_build_array(OLD."sha256", NEW."sha256")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."size_bytes" IS DISTINCT FROM NEW."size_bytes" THEN jsonb_build_object(\'size_bytes\', jsonb_build_array(OLD."size_bytes", NEW."size_bytes")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."signature" IS DISTINCT FROM NEW."signature" THEN jsonb_build_object(\'signature\', jsonb_build_array(OLD."signature", NEW."signature")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."wave_percent" IS DISTINCT FROM NEW."wave_percent" THEN jsonb_build_object(\'wave_percent\', jsonb_build_array(OLD."wave_percent", NEW."wave_percent")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."published_at" IS DISTINCT FROM NEW."published_at" THEN jsonb_build_object(\'published_at\', jsonb_build_array(to_char(OLD."published_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."published_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."withdrawn_at" IS DISTINCT FROM NEW."withdrawn_at" THEN jsonb_build_object(\'withdrawn_at\', jsonb_build_array(to_char(OLD."withdrawn_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."withdrawn_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="f5904f841b75f12922aeac0fc3c13c8ed7ef09e0",
                    operation='UPDATE OF "channel", "version", "min_supported_version", "mandatory", "notes", "sha256", "size_bytes", "signature", "wave_percent", "published_at", "withdrawn_at"',
                    pgid="pgtrigger_trail_update_98130",
                    table="watchers_watcherrelease",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcherrelease",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_watcherreleasetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."channel" IS NOT NULL THEN jsonb_build_object(\'channel\', jsonb_build_array(OLD."channel", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."version" IS NOT NULL THEN jsonb_build_object(\'version\', jsonb_build_array(OLD."version", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."min_supported_version" IS NOT NULL THEN jsonb_build_object(\'min_supported_version\', jsonb_build_array(OLD."min_supported_version", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."mandatory" IS NOT NULL THEN jsonb_build_object(\'mandatory\', jsonb_build_array(OLD."mandatory", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."notes" IS NOT NULL THEN jsonb_build_object(\'notes\', jsonb_build_array(OLD."notes", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."sha256" IS NOT NULL THEN jsonb_build_object(\'sha256\', jsonb_build_array(OLD."sha256", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."size_bytes" IS NOT NULL THEN jsonb_build_object(\'size_bytes\', jsonb_build_array(OLD."size_bytes", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."signature" IS NOT NULL THEN jsonb_build_object(\'signature\', jsonb_build_array(OLD."signature", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."wave_percent" IS NOT NULL THEN jsonb_build_object(\'wave_percent\', jsonb_build_array(OLD."wave_percent", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."published_at" IS NOT NULL THEN jsonb_build_object(\'published_at\', jsonb_build_array(to_char(OLD."published_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."withdrawn_at" IS NOT NULL THEN jsonb_build_object(\'withdrawn_at\', jsonb_build_array(to_char(OLD."withdrawn_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="ad30ba05008add43dd469d412f3b584a33aec7bb",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_6cdaf",
                    table="watchers_watcherrelease",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="enrolmentcodetrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="0b6cea84031dba6267fdfa3ff0f8c03c125a595e",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_80c78",
                    table="watchers_enrolmentcodetrail",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="wantedconfig",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_wantedconfigtrail" (pgh_created_at, pgh_label, pgh_obj_id, "watcher_id", changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."watcher_id", NEW."watcher_id", CASE WHEN NEW."config_checksum" IS NOT NULL THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(NULL, NEW."config_checksum")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."state" IS NOT NULL THEN jsonb_build_object(\'state\', jsonb_build_array(NULL, NEW."state")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."refusal" IS NOT NULL THEN jsonb_build_object(\'refusal\', jsonb_build_array(NULL, NEW."refusal")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."config_yaml" IS NOT NULL THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(NULL, NEW."config_yaml")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="98794785f151a7731db67b67989a1b338f62a404",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_c50a6",
                    table="watchers_wantedconfig",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="wantedconfig",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."config_checksum" IS DISTINCT FROM (NEW."config_checksum") OR OLD."refusal" IS DISTINCT FROM (NEW."refusal") OR OLD."state" IS DISTINCT FROM (NEW."state"))',
                    func='INSERT INTO "watchers_wantedconfigtrail" (pgh_created_at, pgh_label, pgh_obj_id, "watcher_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."watcher_id", NEW."watcher_id", CASE WHEN OLD."config_checksum" IS DISTINCT FROM NEW."config_checksum" THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(OLD."config_checksum", NEW."config_checksum")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."state" IS DISTINCT FROM NEW."state" THEN jsonb_build_object(\'state\', jsonb_build_array(OLD."state", NEW."state")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."refusal" IS DISTINCT FROM NEW."refusal" THEN jsonb_build_object(\'refusal\', jsonb_build_array(OLD."refusal", NEW."refusal")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_yaml" IS DISTINCT FROM NEW."config_yaml" THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(OLD."config_yaml", NEW."config_yaml")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="a81a5d9b0c0f6991bf9480f808fee6889e897dc0",
                    operation='UPDATE OF "config_checksum", "state", "refusal"',
                    pgid="pgtrigger_trail_update_6e64e",
                    table="watchers_wantedconfig",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="wantedconfig",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_wantedconfigtrail" (pgh_created_at, pgh_label, pgh_obj_id, "watcher_id", changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."watcher_id", OLD."watcher_id", CASE WHEN OLD."config_checksum" IS NOT NULL THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(OLD."config_checksum", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."state" IS NOT NULL THEN jsonb_build_object(\'state\', jsonb_build_array(OLD."state", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."refusal" IS NOT NULL THEN jsonb_build_object(\'refusal\', jsonb_build_array(OLD."refusal", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_yaml" IS NOT NULL THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(OLD."config_yaml", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="cbf7d425a2e5be397ec31dc0580a781a5d7e2646",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_800c6",
                    table="watchers_wantedconfig",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="record_new_watcher",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('watcher.registered', NEW.instrument_id, NULL, NULL, NULL, NULL, NEW.id);\n    RETURN NULL;",
                    hash="2a880495edc2021b88ff074eff711460f6fc62eb",
                    operation="INSERT",
                    pgid="pgtrigger_record_new_watcher_ab0b0",
                    table="watchers_watcher",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="record_silent_watcher",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.offline_announced_at IS NULL AND NEW.offline_announced_at IS NOT NULL)",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('watcher.offline', NEW.instrument_id, NULL, NULL, NULL, NULL, NEW.id);\n    RETURN NULL;",
                    hash="98b5daf5e81bb53c9d623d4284237fdb63cbb0a5",
                    operation='UPDATE OF "offline_announced_at"',
                    pgid="pgtrigger_record_silent_watcher_ffb59",
                    table="watchers_watcher",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="record_watcher_back",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.offline_announced_at IS NOT NULL AND NEW.offline_announced_at IS NULL AND NEW.status = 'watching' AND NEW.deleted_at IS NULL)",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change('watcher.online', NEW.instrument_id, NULL, NULL, NULL, NULL, NEW.id);\n    RETURN NULL;",
                    hash="897721c59cb4ab146a165bf1dad2ffbda6195d5d",
                    operation='UPDATE OF "offline_announced_at"',
                    pgid="pgtrigger_record_watcher_back_d6d64",
                    table="watchers_watcher",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_watchertrail" (pgh_created_at, pgh_label, pgh_obj_id, "instrument_id", changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", NEW."instrument_id", CASE WHEN NEW."token_id" IS NOT NULL THEN jsonb_build_object(\'token_id\', jsonb_build_array(NULL, NEW."token_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."hostname" IS NOT NULL THEN jsonb_build_object(\'hostname\', jsonb_build_array(NULL, NEW."hostname")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."os_info" IS NOT NULL THEN jsonb_build_object(\'os_info\', jsonb_build_array(NULL, NEW."os_info")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."agent_version" IS NOT NULL THEN jsonb_build_object(\'agent_version\', jsonb_build_array(NULL, NEW."agent_version")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."channel" IS NOT NULL THEN jsonb_build_object(\'channel\', jsonb_build_array(NULL, NEW."channel")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(NULL, NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."upload_mode" IS NOT NULL THEN jsonb_build_object(\'upload_mode\', jsonb_build_array(NULL, NEW."upload_mode")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."watch_directory" IS NOT NULL THEN jsonb_build_object(\'watch_directory\', jsonb_build_array(NULL, NEW."watch_directory")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."config_checksum" IS NOT NULL THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(NULL, NEW."config_checksum")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."file_patterns" IS NOT NULL THEN jsonb_build_object(\'file_patterns\', jsonb_build_array(NULL, NEW."file_patterns")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instance_id" IS NOT NULL THEN jsonb_build_object(\'instance_id\', jsonb_build_array(NULL, NEW."instance_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."folder_state" IS NOT NULL THEN jsonb_build_object(\'folder_state\', jsonb_build_array(NULL, NEW."folder_state")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."deleted_at" IS NOT NULL THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(NULL, to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN NEW."config_yaml" IS NOT NULL THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(NULL, NEW."config_yaml")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="852c84b4aeaa068433753eb725c12d540b12f696",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_af1b3",
                    table="watchers_watcher",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."agent_version" IS DISTINCT FROM (NEW."agent_version") OR OLD."channel" IS DISTINCT FROM (NEW."channel") OR OLD."config_checksum" IS DISTINCT FROM (NEW."config_checksum") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."file_patterns" IS DISTINCT FROM (NEW."file_patterns") OR OLD."folder_state" IS DISTINCT FROM (NEW."folder_state") OR OLD."hostname" IS DISTINCT FROM (NEW."hostname") OR OLD."instance_id" IS DISTINCT FROM (NEW."instance_id") OR OLD."os_info" IS DISTINCT FROM (NEW."os_info") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."token_id" IS DISTINCT FROM (NEW."token_id") OR OLD."upload_mode" IS DISTINCT FROM (NEW."upload_mode") OR OLD."watch_directory" IS DISTINCT FROM (NEW."watch_directory"))',
                    func='INSERT INTO "watchers_watchertrail" (pgh_created_at, pgh_label, pgh_obj_id, "instrument_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."instrument_id", CASE WHEN OLD."token_id" IS DISTINCT FROM NEW."token_id" THEN jsonb_build_object(\'token_id\', jsonb_build_array(OLD."token_id", NEW."token_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."hostname" IS DISTINCT FROM NEW."hostname" THEN jsonb_build_object(\'hostname\', jsonb_build_array(OLD."hostname", NEW."hostname")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."os_info" IS DISTINCT FROM NEW."os_info" THEN jsonb_build_object(\'os_info\', jsonb_build_array(OLD."os_info", NEW."os_info")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."agent_version" IS DISTINCT FROM NEW."agent_version" THEN jsonb_build_object(\'agent_version\', jsonb_build_array(OLD."agent_version", NEW."agent_version")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."channel" IS DISTINCT FROM NEW."channel" THEN jsonb_build_object(\'channel\', jsonb_build_array(OLD."channel", NEW."channel")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS DISTINCT FROM NEW."status" THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."upload_mode" IS DISTINCT FROM NEW."upload_mode" THEN jsonb_build_object(\'upload_mode\', jsonb_build_array(OLD."upload_mode", NEW."upload_mode")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watch_directory" IS DISTINCT FROM NEW."watch_directory" THEN jsonb_build_object(\'watch_directory\', jsonb_build_array(OLD."watch_directory", NEW."watch_directory")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_checksum" IS DISTINCT FROM NEW."config_checksum" THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(OLD."config_checksum", NEW."config_checksum")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."file_patterns" IS DISTINCT FROM NEW."file_patterns" THEN jsonb_build_object(\'file_patterns\', jsonb_build_array(OLD."file_patterns", NEW."file_patterns")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instance_id" IS DISTINCT FROM NEW."instance_id" THEN jsonb_build_object(\'instance_id\', jsonb_build_array(OLD."instance_id", NEW."instance_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."folder_state" IS DISTINCT FROM NEW."folder_state" THEN jsonb_build_object(\'folder_state\', jsonb_build_array(OLD."folder_state", NEW."folder_state")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS DISTINCT FROM NEW."deleted_at" THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_yaml" IS DISTINCT FROM NEW."config_yaml" THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(OLD."config_yaml", NEW."config_yaml")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="affd6845f48fe9f905c0351cf55baf3ec53991db",
                    operation='UPDATE OF "token_id", "hostname", "os_info", "agent_version", "channel", "status", "upload_mode", "watch_directory", "config_checksum", "file_patterns", "instance_id", "folder_state", "deleted_at"',
                    pgid="pgtrigger_trail_update_37436",
                    table="watchers_watcher",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcher",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_watchertrail" (pgh_created_at, pgh_label, pgh_obj_id, "instrument_id", changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", OLD."instrument_id", CASE WHEN OLD."token_id" IS NOT NULL THEN jsonb_build_object(\'token_id\', jsonb_build_array(OLD."token_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."hostname" IS NOT NULL THEN jsonb_build_object(\'hostname\', jsonb_build_array(OLD."hostname", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."os_info" IS NOT NULL THEN jsonb_build_object(\'os_info\', jsonb_build_array(OLD."os_info", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."agent_version" IS NOT NULL THEN jsonb_build_object(\'agent_version\', jsonb_build_array(OLD."agent_version", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."channel" IS NOT NULL THEN jsonb_build_object(\'channel\', jsonb_build_array(OLD."channel", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."upload_mode" IS NOT NULL THEN jsonb_build_object(\'upload_mode\', jsonb_build_array(OLD."upload_mode", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watch_directory" IS NOT NULL THEN jsonb_build_object(\'watch_directory\', jsonb_build_array(OLD."watch_directory", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_checksum" IS NOT NULL THEN jsonb_build_object(\'config_checksum\', jsonb_build_array(OLD."config_checksum", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."file_patterns" IS NOT NULL THEN jsonb_build_object(\'file_patterns\', jsonb_build_array(OLD."file_patterns", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instance_id" IS NOT NULL THEN jsonb_build_object(\'instance_id\', jsonb_build_array(OLD."instance_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."folder_state" IS NOT NULL THEN jsonb_build_object(\'folder_state\', jsonb_build_array(OLD."folder_state", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS NOT NULL THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."config_yaml" IS NOT NULL THEN jsonb_build_object(\'config_yaml\', jsonb_build_array(OLD."config_yaml", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="4525834693ab6cceb365cc7086d65cfdd93d3e7e",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_4bb2c",
                    table="watchers_watcher",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="enrolmentcode",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_enrolmentcodetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", CASE WHEN NEW."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(NULL, NEW."instrument_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."new_instrument_id" IS NOT NULL THEN jsonb_build_object(\'new_instrument_id\', jsonb_build_array(NULL, NEW."new_instrument_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."new_display_name" IS NOT NULL THEN jsonb_build_object(\'new_display_name\', jsonb_build_array(NULL, NEW."new_display_name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."new_instrument_type" IS NOT NULL THEN jsonb_build_object(\'new_instrument_type\', jsonb_build_array(NULL, NEW."new_instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."created_by_id" IS NOT NULL THEN jsonb_build_object(\'created_by_id\', jsonb_build_array(NULL, NEW."created_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expires_at" IS NOT NULL THEN jsonb_build_object(\'expires_at\', jsonb_build_array(NULL, to_char(NEW."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN NEW."used_at" IS NOT NULL THEN jsonb_build_object(\'used_at\', jsonb_build_array(NULL, to_char(NEW."used_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN NEW."watcher_id" IS NOT NULL THEN jsonb_build_object(\'watcher_id\', jsonb_build_array(NULL, NEW."watcher_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."hostname" IS NOT NULL THEN jsonb_build_object(\'hostname\', jsonb_build_array(NULL, NEW."hostname")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."instance_id" IS NOT NULL THEN jsonb_build_object(\'instance_id\', jsonb_build_array(NULL, NEW."instance_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="c12516daa45b9d6ae8086186848a9619f5bd281e",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_5344c",
                    table="watchers_enrolmentcode",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="enrolmentcode",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."created_by_id" IS DISTINCT FROM (NEW."created_by_id") OR OLD."expires_at" IS DISTINCT FROM (NEW."expires_at") OR OLD."hostname" IS DISTINCT FROM (NEW."hostname") OR OLD."instance_id" IS DISTINCT FROM (NEW."instance_id") OR OLD."instrument_id" IS DISTINCT FROM (NEW."instrument_id") OR OLD."new_display_name" IS DISTINCT FROM (NEW."new_display_name") OR OLD."new_instrument_id" IS DISTINCT FROM (NEW."new_instrument_id") OR OLD."new_instrument_type" IS DISTINCT FROM (NEW."new_instrument_type") OR OLD."used_at" IS DISTINCT FROM (NEW."used_at") OR OLD."watcher_id" IS DISTINCT FROM (NEW."watcher_id"))',
                    func='INSERT INTO "watchers_enrolmentcodetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", CASE WHEN OLD."instrument_id" IS DISTINCT FROM NEW."instrument_id" THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NEW."instrument_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."new_instrument_id" IS DISTINCT FROM NEW."new_instrument_id" THEN jsonb_build_object(\'new_instrument_id\', jsonb_build_array(OLD."new_instrument_id", NEW."new_instrument_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."new_display_name" IS DISTINCT FROM NEW."new_display_name" THEN jsonb_build_object(\'new_display_name\', jsonb_build_array(OLD."new_display_name", NEW."new_display_name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."new_instrument_type" IS DISTINCT FROM NEW."new_instrument_type" THEN jsonb_build_object(\'new_instrument_type\', jsonb_build_array(OLD."new_instrument_type", NEW."new_instrument_type")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."created_by_id" IS DISTINCT FROM NEW."created_by_id" THEN jsonb_build_object(\'created_by_id\', jsonb_build_array(OLD."created_by_id", NEW."created_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expires_at" IS DISTINCT FROM NEW."expires_at" THEN jsonb_build_object(\'expires_at\', jsonb_build_array(to_char(OLD."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."used_at" IS DISTINCT FROM NEW."used_at" THEN jsonb_build_object(\'used_at\', jsonb_build_array(to_char(OLD."used_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."used_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watcher_id" IS DISTINCT FROM NEW."watcher_id" THEN jsonb_build_object(\'watcher_id\', jsonb_build_array(OLD."watcher_id", NEW."watcher_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."hostname" IS DISTINCT FROM NEW."hostname" THEN jsonb_build_object(\'hostname\', jsonb_build_array(OLD."hostname", NEW."hostname")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instance_id" IS DISTINCT FROM NEW."instance_id" THEN jsonb_build_object(\'instance_id\', jsonb_build_array(OLD."instance_id", NEW."instance_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="8d4d75319660ceb6362e2ed6693146c11f72c141",
                    operation='UPDATE OF "instrument_id", "new_instrument_id", "new_display_name", "new_instrument_type", "created_by_id", "expires_at", "used_at", "watcher_id", "hostname", "instance_id"',
                    pgid="pgtrigger_trail_update_0e705",
                    table="watchers_enrolmentcode",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="enrolmentcode",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "watchers_enrolmentcodetrail" (pgh_created_at, pgh_label, pgh_obj_id, changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", CASE WHEN OLD."instrument_id" IS NOT NULL THEN jsonb_build_object(\'instrument_id\', jsonb_build_array(OLD."instrument_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."new_instrument_id" IS NOT NULL THEN jsonb_build_object(\'new_instrument_id\', jsonb_build_array(OLD."new_instrument_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."new_display_name" IS NOT NULL THEN jsonb_build_object(\'new_display_name\', jsonb_build_array(OLD."new_display_name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."new_instrument_type" IS NOT NULL THEN jsonb_build_object(\'new_instrument_type\', jsonb_build_array(OLD."new_instrument_type", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."created_by_id" IS NOT NULL THEN jsonb_build_object(\'created_by_id\', jsonb_build_array(OLD."created_by_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expires_at" IS NOT NULL THEN jsonb_build_object(\'expires_at\', jsonb_build_array(to_char(OLD."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."used_at" IS NOT NULL THEN jsonb_build_object(\'used_at\', jsonb_build_array(to_char(OLD."used_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."watcher_id" IS NOT NULL THEN jsonb_build_object(\'watcher_id\', jsonb_build_array(OLD."watcher_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."hostname" IS NOT NULL THEN jsonb_build_object(\'hostname\', jsonb_build_array(OLD."hostname", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."instance_id" IS NOT NULL THEN jsonb_build_object(\'instance_id\', jsonb_build_array(OLD."instance_id", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="35c89afc5bc0180e4b8a80c719a7117346b13f7e",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_d21f8",
                    table="watchers_enrolmentcode",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watcherreleasetrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="f8ff2fe9f5d7a6302811fe4bbf08b50c1575e6f9",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_7825b",
                    table="watchers_watcherreleasetrail",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="watchertrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="1202a7d8f0907669f8b12c9572b1739ad02c50ac",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_1cd87",
                    table="watchers_watchertrail",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="wantedconfigtrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="b76ad8d88c7213316b60c37df195e4e17d1f0e90",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_7f839",
                    table="watchers_wantedconfigtrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
