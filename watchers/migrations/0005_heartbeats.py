import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

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


class Migration(migrations.Migration):
    dependencies = [("watchers", "0004_liveness")]

    operations = [
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
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                fields=["watcher", "-received_at", "-id"], name="heartbeats_of_watcher_by_time"
                            )
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=Q(status__in=["registered", "watching", "stopped"]),
                                name="heartbeat_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=Q(upload_mode__in=["auto", "manual"]), name="heartbeat_upload_mode_is_known"
                            ),
                            models.CheckConstraint(
                                condition=Q(
                                    errors__gte=0,
                                    files_uploaded__gte=0,
                                    queue_depth__gte=0,
                                    runs_reported__gte=0,
                                    uptime_seconds__gte=0,
                                ),
                                name="heartbeat_counts_are_not_negative",
                            ),
                        ],
                    },
                ),
            ],
        ),
        migrations.RunSQL(ADD_DAYS, "DROP FUNCTION public.add_heartbeat_days(date, integer)"),
        migrations.RunSQL(DROP_DAYS, "DROP FUNCTION public.drop_heartbeat_days(date)"),
    ]
