from django.db import migrations, models

# online: a column that may be null, and a function that the release before does not call

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
    """Days of heartbeats that are past are thinned to one an hour, and kept for a quarter."""

    dependencies = [("watchers", "0021_pause_events")]

    operations = [
        migrations.AddField(
            model_name="heartbeat", name="heard_since", field=models.DateTimeField(editable=False, null=True)
        ),
        migrations.RunSQL(THIN_DAY, "DROP FUNCTION public.thin_heartbeat_day(date, interval)"),
    ]
